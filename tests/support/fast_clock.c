/* A monotonic clock that gains TSVC_CLOCK_PPM millionths from the process's start on; preloaded. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

#define SECOND 1000000000LL

typedef int clock_call(clockid_t, struct timespec *);

static clock_call *real;
static long long start, ppm;

static long long nanoseconds(const struct timespec *t)
{
    return t->tv_sec * SECOND + t->tv_nsec;
}

__attribute__((constructor)) static void begin(void)
{
    struct timespec now;
    const char *text = getenv("TSVC_CLOCK_PPM");
    real = (clock_call *)dlsym(RTLD_NEXT, "clock_gettime");
    real(CLOCK_MONOTONIC, &now);
    start = nanoseconds(&now);
    ppm = text ? atoll(text) : 0;
}

int clock_gettime(clockid_t id, struct timespec *now)
{
    if (!real)
        begin();
    int failed = real(id, now);
    if (!failed && id == CLOCK_MONOTONIC) {
        long long at = nanoseconds(now);
        at += (at - start) / 1000 * ppm / 1000;
        now->tv_sec = at / SECOND;
        now->tv_nsec = at % SECOND;
    }
    return failed;
}
