/* ptrace() for user-mode-linux on processors whose vector registers it has no room for.
 *
 * Its kernel (6.1) reads and writes these registers into a buffer that ends before those of AMX.
 * A host with AMX takes them as a whole only. What is missing at the end is put back as it was;
 * nothing in the guest uses it. Made and preloaded by user_mode_linux.py.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>

#define XSTATE 0x202 /* NT_X86_XSTATE */

static long (*next)(int, pid_t, void *, void *);

long ptrace(enum __ptrace_request request, ...)
{
	static char whole[65536] __attribute__((aligned(64)));
	va_list given;
	va_start(given, request);
	pid_t pid = va_arg(given, pid_t);
	void *which = va_arg(given, void *);
	void *data = va_arg(given, void *);
	va_end(given);
	if (next == NULL)
		next = dlsym(RTLD_NEXT, "ptrace");
	if (request == PTRACE_SETREGSET && which == (void *)XSTATE) {
		struct iovec *part = data;
		struct iovec all = {whole, sizeof whole};
		if (next(PTRACE_GETREGSET, pid, which, &all) == 0 && part->iov_len < all.iov_len) {
			memcpy(whole, part->iov_base, part->iov_len);
			return next(request, pid, which, &all);
		}
	}
	return next(request, pid, which, data);
}
