# bpo: `make demo` and `make test` set up a bare Debian 12 by themselves.
BUILD ?= build
JOBS ?= $(shell nproc)
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

# Debian's MuJoCo, or with MUJOCO=3 (or 4) the newest release of that number from PyPI, with which all
# is built in a folder of its own.
MUJOCO ?=
ifneq ($(MUJOCO),)
BUILD := build-mujoco$(MUJOCO)
CONFIGURE = -DMUJOCO_ROOT=$(CURDIR)/$(BUILD)/mujoco
endif

PACKAGES := g++ cmake ninja-build git ccache libeigen3-dev libfmt-dev nlohmann-json3-dev \
            libtomlplusplus-dev libcli11-dev librandom123-dev libgtest-dev librapidcheck-dev \
            libmujoco-dev libexpat1-dev pkgconf
MPI_PACKAGES := libopenmpi-dev openmpi-bin
CLUSTER_PACKAGES := slurm-wlm munge iproute2
BROWSER_PACKAGES := chromium
BENCH_PACKAGES := libbenchmark-dev
LINT_PACKAGES := clang-format clang-tidy
FUZZ_PACKAGES := clang libclang-rt-14-dev
AARCH64_PACKAGES := g++-aarch64-linux-gnu qemu-user
CLANG_PACKAGES := clang
BOARD_PACKAGES := gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm
EXPORT_PACKAGES := $(CLANG_PACKAGES) $(BOARD_PACKAGES) python3-venv
DEB_PACKAGES := dpkg-dev file
BARE_PACKAGES := debootstrap
PYTHON_PACKAGES := python3-dev python3-venv

# The one interpreter that the Python module is for: Debian's, in a virtual environment of ours. What
# `python3` on the path is does not matter.
PYTHON ?= /usr/bin/python3
PYTHON_ENV := $(BUILD)/python/venv
WITH_PYTHON = -DBPO_PYTHON=$$(cmake/python_env.sh $(PYTHON_ENV) $(PYTHON) python/requirements.txt)

.PHONY: demo install deb package test export-test python wheel test-wheel test-python-learners \
        bench-python attack torture cluster paper build bench format tidy fuzz sanitize aarch64 \
        setup clean
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

setup: $(if $(MUJOCO),$(BUILD)/mujoco)
	$(call install,$(PACKAGES))

# The library and its headers, out of the wheel; since 4 they are in one of their own.
$(BUILD)/mujoco:
	$(call install,$(PYTHON_PACKAGES))
	$(PYTHON) -m venv $(BUILD)/venv
	$(BUILD)/venv/bin/pip install -q --no-deps \
	  '$(if $(filter 3,$(MUJOCO)),mujoco,mujoco-core)==$(MUJOCO).*'
	ln -sfn $$(cd $(BUILD) && echo venv/lib/python*/site-packages/mujoco) $@

# `make build MPI=1` also builds bpo-mpi, the program for several ranks.
MPI ?=
build: setup
	$(if $(MPI),$(call install,$(MPI_PACKAGES)))
	cmake --preset release -B $(BUILD) $(CONFIGURE) $(if $(MPI),-DBPO_MPI=ON)
	cmake --build $(BUILD) -j $(JOBS) --target bpo $(if $(MPI),bpo-mpi)

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
	cmake --build $(BUILD) -j $(JOBS) --target bpo_library bpo_runtime
	cmake --install $(BUILD) --prefix $(PREFIX)

# Debian packages: bpo, libbpo-dev and, where the Python module is there, python3-bpo.
deb: setup
	$(call install,$(DEB_PACKAGES))
	-$(call install,$(PYTHON_PACKAGES))
	cmake --preset release -B $(BUILD) $(CONFIGURE) $(WITH_PYTHON)
	cmake --build $(BUILD) -j $(JOBS) --target package_contents
	rm -rf $(BUILD)/packages
	cd $(BUILD) && cpack -G DEB
	@ls -l $(BUILD)/packages/*.deb

# The packages on a bare Debian 12 that debootstrap makes, as root.
package: deb
	$(call install,$(BARE_PACKAGES))
	ctest --test-dir $(BUILD) -L package --verbose --no-tests=error

# Exported policies by two compilers, on a Cortex-M4 under QEMU and by onnxruntime of PyPI. `make
# test` runs these, too. Of their packages it installs clang alone (59 MB, on the disk 290): the
# board's are large (122 MB, on the disk 966). It says what it skips.
export-test: setup
	$(call install,$(EXPORT_PACKAGES))
	cmake --preset release -B $(BUILD) $(CONFIGURE)
	cmake --build $(BUILD) -j $(JOBS) --target export_tests
	ctest --test-dir $(BUILD) -L export -j $(JOBS) --output-on-failure --no-tests=error

# Where Chromium cannot be installed, the tests of pages say so and are skipped; likewise those of the
# Python module where PyPI cannot be reached, and those of exported C by compilers that are not there.
test: setup
	-$(call install,$(BROWSER_PACKAGES))
	-$(call install,$(CLANG_PACKAGES))
	@for tool in clang arm-none-eabi-gcc qemu-system-arm; do \
	  command -v $$tool > /dev/null || \
	    echo "skipped: tests of exported C that need $$tool (\`make export-test\` installs it)"; \
	done
	-$(call install,$(PYTHON_PACKAGES))
	$(call install,$(MPI_PACKAGES))
	cmake --preset release -B $(BUILD) -DBPO_MPI=ON $(CONFIGURE) $(WITH_PYTHON)
	cmake --build $(BUILD) -j $(JOBS)
	ctest --test-dir $(BUILD) -LE 'paper|cluster|package|torture' -j $(JOBS) --output-on-failure --no-tests=error

# The Python module: PYTHONPATH=build/python, or a wheel to install.
python: setup
	$(call install,$(PYTHON_PACKAGES))
	cmake --preset release -B $(BUILD) $(CONFIGURE) $(WITH_PYTHON)
	cmake --build $(BUILD) -j $(JOBS) --target bpo bpo_python
	@echo "PYTHONPATH=$(CURDIR)/$(BUILD)/python $(PYTHON_ENV)/bin/python"

# As `pip install .` builds it, with the tools that pyproject.toml asks for, but those of our environment.
wheel: python
	CXX=c++ $(if $(CONFIGURE),CMAKE_ARGS='$(CONFIGURE)') SKBUILD_BUILD_DIR=$(BUILD)-wheel \
	  $(PYTHON_ENV)/bin/python -m pip wheel . -q --no-deps --no-build-isolation \
	  --check-build-dependencies -w $(BUILD)/wheels
	@ls $(BUILD)/wheels/*.whl

# The wheel in a virtual environment of its own, away from the clone; compiles the library again.
test-wheel: wheel
	python/tests/wheel.sh "$$(ls -t $(BUILD)/wheels/*.whl | head -n 1)" $(PYTHON)

# Stable-Baselines3 on our problems, in an environment of its own: Torch is large, and where it cannot
# be had this says so. From then on `make test` runs these, too, as it does with BPO_LEARNERS=1.
test-python-learners: python
	BPO_LEARNERS=1 ctest --test-dir $(BUILD) -R Python.learners --output-on-failure --no-tests=error

# Steps per second of environments beside the C++ rollout with the same actions.
bench-python: python
	PYTHONPATH=$(BUILD)/python $(PYTHON_ENV)/bin/python python/tests/bench.py

# Trainings that are killed, files that are damaged, calls of the system that fail: minutes.
attack: setup
	cmake --preset release -B $(BUILD) $(CONFIGURE)
	cmake --build $(BUILD) -j $(JOBS) --target attack_tests
	ctest --test-dir $(BUILD) -L attack -j2 --output-on-failure --no-tests=error
	@grep -hE '^(kill and resume|mutations|injected failures): ' \
	  $(BUILD)/Testing/Temporary/LastTest.log

# Every fault that we know of, on one rank and on two: a table of what was tried, survived and lost.
torture: setup
	$(call install,$(MPI_PACKAGES))
	cmake --preset release -B $(BUILD) -DBPO_MPI=ON $(CONFIGURE)
	cmake --build $(BUILD) -j $(JOBS) --target bpo bpo-mpi attack_tests ranks_tests torture_tests
	tests/torture/table.sh $(BUILD)

# A small cluster on this machine: Slurm's jobs and arrays, and MPI over hosts that are cut off.
cluster: setup
	$(call install,$(MPI_PACKAGES) $(CLUSTER_PACKAGES))
	cmake --preset release -B $(BUILD) -DBPO_MPI=ON $(CONFIGURE)
	cmake --build $(BUILD) -j $(JOBS) --target bpo bpo-mpi
	ctest --test-dir $(BUILD) -L cluster --output-on-failure --no-tests=error

# The long statistical checks behind the figures of README and docs/reproduce.md.
paper: setup
	cmake --preset release -B $(BUILD) $(CONFIGURE)
	cmake --build $(BUILD) -j $(JOBS)
	ctest --test-dir $(BUILD) -L paper --output-on-failure --no-tests=error

bench: build
	$(call install,$(BENCH_PACKAGES))
	cmake --preset release -B $(BUILD) $(CONFIGURE) -DBPO_BENCH=ON
	cmake --build $(BUILD) -j $(JOBS)
	$(BUILD)/bench/kernels_bench
	$(BUILD)/bpo bench

format:
	$(call install,$(LINT_PACKAGES))
	git ls-files '*.h' '*.cpp' | xargs clang-format -i

tidy: setup
	$(call install,$(LINT_PACKAGES))
	cmake --preset release -B $(BUILD) $(CONFIGURE)
	git ls-files 'bpo/*.cpp' | xargs -P $(JOBS) -n 4 clang-tidy -p $(BUILD) --quiet

# Each parser for five minutes under libFuzzer (an hour in all), from seeds.sh and what was found before.
FUZZ_TARGETS := $(basename $(notdir $(wildcard fuzz/*_fuzz.cpp)))
FUZZ_SECONDS ?= 300
fuzz: build
	$(call install,$(FUZZ_PACKAGES))
	CXX=clang++ cmake --preset fuzz
	cmake --build build-fuzz -j $(JOBS) --target fuzz_targets
	fuzz/seeds.sh $(BUILD)/bpo build-fuzz/seeds
	for target in $(FUZZ_TARGETS); do mkdir -p build-fuzz/corpus/$$target && \
	  build-fuzz/fuzz/$$target build-fuzz/corpus/$$target build-fuzz/seeds/$$target \
	    $$([ -e fuzz/$$target.dict ] && echo -dict=fuzz/$$target.dict) \
	    $$(case $$target in pomdp*) echo -rss_limit_mb=800 ;; esac) \
	    -artifact_prefix=build-fuzz/ -max_len=16384 -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 || exit 1; done

# All tests but the long ones and those of pages: once under the address and the undefined-behaviour
# sanitizers, once under the thread sanitizer. It takes hours of one core.
SANITIZERS := asan tsan
sanitize: setup
	for name in $(SANITIZERS); do cmake --preset $$name && \
	  cmake --build build-$$name -j $(JOBS) && \
	  TSAN_OPTIONS=suppressions=$(CURDIR)/tests/tsan.supp \
	  ctest --test-dir build-$$name -LE 'paper|browser|torture|cluster|package|export' -j $(JOBS) --output-on-failure --no-tests=error \
	    || exit 1; done

# Another instruction set: a cross-build for 64-bit ARM, whose unit tests run under qemu. Results may
# differ from x86's in their last bits, for the C library's logarithms and exponentials do.
aarch64: setup
	$(call install,$(AARCH64_PACKAGES))
	cmake/aarch64-sysroot.sh build-aarch64/sysroot
	cmake --preset aarch64
	cmake --build build-aarch64 -j $(JOBS) --target unit_tests allocation_tests documents_tests
	ctest --test-dir build-aarch64 -L unit -j $(JOBS) --output-on-failure --no-tests=error

clean:
	rm -rf $(BUILD) build-*
