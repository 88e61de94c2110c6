# bpo: `make demo` and `make test` set up a bare Debian 12 by themselves.
BUILD ?= build
JOBS ?= $(shell nproc)
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

PACKAGES := g++ cmake ninja-build git ccache libeigen3-dev libfmt-dev nlohmann-json3-dev \
            libtomlplusplus-dev libcli11-dev librandom123-dev libgtest-dev librapidcheck-dev \
            libmujoco-dev libexpat1-dev pkgconf
BROWSER_PACKAGES := chromium
BENCH_PACKAGES := libbenchmark-dev
LINT_PACKAGES := clang-format clang-tidy
FUZZ_PACKAGES := clang libclang-rt-14-dev
AARCH64_PACKAGES := g++-aarch64-linux-gnu qemu-user

.PHONY: demo install test attack paper build bench format tidy fuzz sanitize aarch64 setup clean
.DEFAULT_GOAL := build

# Installs the packages named after it that are missing; touches nothing when all are there.
define install
	@missing=$$(for p in $(1); do \
	  dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done); \
	if [ -n "$$missing" ]; then \
	  echo "installing:" $$missing; \
	  $(SUDO) apt-get update -qq && \
	  $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing; \
	fi
endef

setup:
	$(call install,$(PACKAGES))

build: setup
	cmake --preset release -B $(BUILD)
	cmake --build $(BUILD) -j $(JOBS) --target bpo

demo: build
	$(BUILD)/bpo train tiger --algo bpo --seed 0 --out runs/demo-tiger --force
	$(BUILD)/bpo eval runs/demo-tiger --exact
	$(BUILD)/bpo play runs/demo-tiger --trace --set problem.horizon=12
	$(BUILD)/bpo train tiger --algo up-mle --seed 0 --out runs/demo-up-mle --force
	$(BUILD)/bpo report runs/demo-tiger runs/demo-up-mle -o runs/demo.html
	@echo "open file://$(CURDIR)/runs/demo.html"

# The program, a library with its headers, and a CMake package: find_package(bpo), or pkg-config bpo.
PREFIX ?= /usr/local
install: build
	cmake --build $(BUILD) -j $(JOBS) --target bpo_library
	cmake --install $(BUILD) --prefix $(PREFIX)

# Where Chromium cannot be installed, the tests of pages say so and are skipped.
test: setup
	-$(call install,$(BROWSER_PACKAGES))
	cmake --preset release -B $(BUILD)
	cmake --build $(BUILD) -j $(JOBS)
	ctest --test-dir $(BUILD) -LE paper -j $(JOBS) --output-on-failure --no-tests=error

# Trainings that are killed, files that are damaged, calls of the system that fail: minutes.
attack: setup
	cmake --preset release -B $(BUILD)
	cmake --build $(BUILD) -j $(JOBS) --target attack_tests
	ctest --test-dir $(BUILD) -L attack -j2 --output-on-failure --no-tests=error
	@grep -hE '^(kill and resume|mutations|injected failures): ' \
	  $(BUILD)/Testing/Temporary/LastTest.log

# The long statistical checks behind the figures of README and docs/reproduce.md.
paper: setup
	cmake --preset release -B $(BUILD)
	cmake --build $(BUILD) -j $(JOBS)
	ctest --test-dir $(BUILD) -L paper --output-on-failure --no-tests=error

bench: build
	$(call install,$(BENCH_PACKAGES))
	cmake --preset release -B $(BUILD) -DBPO_BENCH=ON
	cmake --build $(BUILD) -j $(JOBS)
	$(BUILD)/bench/kernels_bench
	$(BUILD)/bpo bench

format:
	$(call install,$(LINT_PACKAGES))
	git ls-files '*.h' '*.cpp' | xargs clang-format -i

tidy: setup
	$(call install,$(LINT_PACKAGES))
	cmake --preset release -B $(BUILD)
	git ls-files 'bpo/*.cpp' | xargs -P $(JOBS) -n 4 clang-tidy -p $(BUILD) --quiet

# Each parser for a minute under libFuzzer, from the files of tiny runs and what was found before.
FUZZ_TARGETS := config_fuzz problem_fuzz pomdp_fuzz pomdpx_fuzz robot_fuzz safetensors_fuzz metrics_fuzz result_fuzz
FUZZ_SECONDS ?= 60
fuzz: build
	$(call install,$(FUZZ_PACKAGES))
	CXX=clang++ cmake --preset fuzz
	cmake --build build-fuzz -j $(JOBS) --target $(FUZZ_TARGETS)
	fuzz/seeds.sh $(BUILD)/bpo build-fuzz/seeds
	for target in $(FUZZ_TARGETS); do mkdir -p build-fuzz/corpus/$$target && \
	  build-fuzz/fuzz/$$target build-fuzz/corpus/$$target build-fuzz/seeds/$$target \
	    $$([ -e fuzz/$$target.dict ] && echo -dict=fuzz/$$target.dict) \
	    -artifact_prefix=build-fuzz/ -max_len=16384 -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 || exit 1; done

# All tests but the long ones and those of pages: once under the address and the undefined-behaviour
# sanitizers, once under the thread sanitizer. It takes hours of one core.
SANITIZERS := asan tsan
sanitize: setup
	for name in $(SANITIZERS); do cmake --preset $$name && \
	  cmake --build build-$$name -j $(JOBS) && \
	  TSAN_OPTIONS=suppressions=$(CURDIR)/tests/tsan.supp \
	  ctest --test-dir build-$$name -LE 'paper|browser' -j $(JOBS) --output-on-failure --no-tests=error \
	    || exit 1; done

# Another instruction set: a cross-build for 64-bit ARM, whose unit tests run under qemu. Results may
# differ from x86's in their last bits, for the C library's logarithms and exponentials do.
aarch64: setup
	$(call install,$(AARCH64_PACKAGES))
	cmake/aarch64-sysroot.sh build-aarch64/sysroot
	cmake --preset aarch64
	cmake --build build-aarch64 -j $(JOBS) --target unit_tests
	ctest --test-dir build-aarch64 -L unit -j $(JOBS) --output-on-failure --no-tests=error

clean:
	rm -rf $(BUILD) build-*
