# GNU Make 4.3 or newer. Bare `make` prints the targets.

SHELL = /bin/sh
.DEFAULT_GOAL = help
.NOTPARALLEL:

GO ?= go
ARGS ?=
COUNT ?= 5
PATTERN ?= .
PACKAGES ?= ./...

# An account without a home folder gets Go's cache and ours next to the sources, where git ignores them.
ifeq ($(strip $(HOME)),)
export XDG_CACHE_HOME ?= $(CURDIR)/.cache
export GOPATH ?= $(CURDIR)/.cache/go
endif
XDG_CACHE_HOME ?= $(HOME)/.cache
SPHERELAB_CACHE ?= $(XDG_CACHE_HOME)/spherelab
BENCH ?= $(SPHERELAB_CACHE)/bench.txt
RESULTS ?= "$(BENCH)"

MODULE = github.com/spherelab/spherelab
DIST ?= $(CURDIR)/dist
VERSION ?= $(shell sh _tool/version.sh)
COMMIT ?= $(shell sh _tool/version.sh commit)
EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
LDFLAGS = -s -w -X $(MODULE)/experiments.version=v$(VERSION) -X $(MODULE)/experiments.commit=$(COMMIT)
# A static program without debugger's tables that knows its version. The same sources and toolchain make the same bytes.
BUILD = CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags '$(LDFLAGS)'
# With checks that are off by default: every package has a comment (ST1000), one receiver name per type (ST1016), comments
# of exported functions, types and variables start with their name (ST1020, ST1021, ST1022).
STATICCHECK = $(GO) tool -modfile=_tool/go.mod staticcheck -checks inherit,ST1000,ST1016,ST1020,ST1021,ST1022
BENCHSTAT = $(GO) tool -modfile=_tool/go.mod benchstat
# go test with a line per package, the output of failures, and at the end skipped tests with reasons, failures and totals.
GOTESTSUM = $(GO) tool -modfile=_tool/go.mod gotestsum --format pkgname-and-test-fails --format-icons text --

TEST_STEPS = environment format vet staticcheck generated cross arm64 tool unit race
LINT_STEPS = format vet staticcheck cross
# Tests of numbers that take a minute or more under the race detector; tests that stay start the same goroutines.
RACE_SKIP = '^(ExampleTrain|Test(GoldenTraining|CoverageMatchesTwin|CoverageIsKept|CheckpointRoundTrip|CheckpointSaysWhatTensorsMean|Own|Importance|Beam|RemovingPaths|Gradients|Heads|TuningLearns|FactsOutsideSets|Distances|BitsAreThoseOfNumericsVersion|GoldenOneVsAll|OneVsAllIsTheSameEverywhere|GoldenRegime|ShapesOfTensors|ScaledSides|FitFacts|UnlikelyExpected|LookupOfBenchmarks|TrainValidates|DropItselfMatchesTwin|AnswersWithoutValueAreNotCovered|ParamsThatMatter|CommandOfAnImportedRun))$$'
# Packages whose tests have the same work with and without the race detector, and on every vector path: step race runs
# them, step unit does not. tracker/web draws pictures in step unit alone, and how frames of cells lie in memory is tested
# in both. internal/house/race_test.go compares.
RACE_ONCE = '^$(MODULE)/(kernel(/wire|/display|/assist|/golang/(bridge|cell|layout|module|notebook))?|tracker(/.*)?)$$'
# Packages that start goroutines, the slow ones first; internal/house/race_test.go compares.
RACE_PACKAGES = ./kernel ./internal/present ./tracker/... ./spherE ./spherE/eval ./spherE/inductive ./spherE/kg ./spherE/multihop ./spherE/retrieve ./spherE/rule ./spherE/stack/... ./spherE/internal/parallel ./kernel/wire ./kernel/display ./kernel/assist ./kernel/golang/...

.PHONY: help
help: ## print this list
	@echo "spherelab: targets"
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo
	@echo "cache folder: $(SPHERELAB_CACHE) (SPHERELAB_CACHE=... moves it)"

.PHONY: run
run: ## train and compare on the bundled graph; ARGS='...' go to `train`
	$(GO) run . train $(ARGS)

.PHONY: build
build: ## a static program with its version, in the folder dist
	@mkdir -p "$(DIST)"
	$(BUILD) -o "$(DIST)/" .

.PHONY: wheel
wheel: build ## the Python package, which carries the program, for this machine's platform, in the folder dist
	@$(find_wheel); if [ -z "$$wheel" ]; then exit 1; fi; \
	sh _tool/python/wheel.sh "$$wheel" "$(DIST)/spherelab$$($(GO) env GOEXE)" "$(VERSION)" "$(DIST)"

.PHONY: release
release: ## archives, .deb, wheels, SBOM and checksums for Linux, macOS and Windows, in the folder dist; PLATFORMS='...'
	@$(find_wheel); if [ -z "$$wheel" ]; then exit 1; fi; \
	$(GO) -C _tool run ./release -version "$(VERSION)" -commit "$(COMMIT)" -ldflags '$(LDFLAGS)' -epoch "$(EPOCH)" \
		-out "$(DIST)" -python "$$wheel" $(if $(PLATFORMS),-platforms "$(PLATFORMS)")

.PHONY: images
images: ## the images of docker-compose.yml, with version and commit
	VERSION="$(VERSION)" COMMIT="$(COMMIT)" docker compose build

.PHONY: deps
deps: ## install system packages with apt-get: PostgreSQL, PgBouncer, Python's venv, Chromium, a C compiler, qemu-user
	@sh _tool/install_package.sh

.PHONY: test
test: ## everything: format, vet, staticcheck, generated code, tests, race detector, arm64
	@sh _tool/run_step.sh "$(MAKE)" $(TEST_STEPS)

.PHONY: test-short
test-short: ## plain `go test ./...`
	$(GO) test ./...

.PHONY: test-race
test-race: step-race ## race detector on the plain Go path

.PHONY: soak
soak: ## kills, faults and downloads in full numbers; takes hours and the network
	@$(find_python); $(find_mlflow3); $(find_wheel); \
	mlflow=$$(sh _tool/python/venv.sh "$(SPHERELAB_CACHE)" requirements-mlflow.txt) || [ "$$CI" != true ] || exit 1; \
	server=$$(sh _tool/python/venv.sh "$(SPHERELAB_CACHE)" requirements-mlflow3-server.txt) || [ "$$CI" != true ] || exit 1; \
	$(find_site); \
	torch=$$(for p in "$$python" python3 /usr/bin/python3; do "$$p" -c 'import torch' 2>/dev/null && command -v "$$p" && break; done); \
	pykeen=$$(for p in "$$SPHERELAB_TEST_PYKEEN" "$$python" python3; do "$$p" -c 'import pykeen.pipeline' 2>/dev/null && command -v "$$p" && break; done); \
	ray=$$(for p in "$$SPHERELAB_TEST_RAY" "$$python" python3; do "$$p" -c 'import ray' 2>/dev/null && command -v "$$p" && break; done); \
	SPHERELAB_TEST_RAY="$$ray" SPHERELAB_TEST_TORCH="$$torch" SPHERELAB_TEST_PYKEEN="$$pykeen" SPHERELAB_TEST_MLFLOW="$$mlflow" SPHERELAB_TEST_MLFLOW3_SERVER="$$server" SPHERELAB_SOAK=1 SPHERELAB_TEST_DOWNLOAD=1 SPHERELAB_PYTHON="$$python" \
		SPHERELAB_TEST_MLFLOW3="$$mlflow3" SPHERELAB_TEST_WHEEL="$$wheel" SPHERELAB_TEST_SITE="$$site" $(GOTESTSUM) -count=1 -timeout 12h ./...
	@$(MAKE) mutation

.PHONY: mutation
mutation: ## change formulas one by one; a test of their package has to notice; ARGS='-only REGEX'
	@$(GO) -C _tool run ./mutate $(ARGS) ..

# The output also goes to a file. bench-table makes tables of one such file, or of several with RESULTS="FILE FILE",
# absolute paths. Each round runs all benchmarks once, so a slow minute of the machine affects one
# round of a benchmark and not all. A pipe hides the exit code of go test, so failures are searched for in the output.
.PHONY: bench
bench: ## benchmarks, COUNT rounds (default 5), then benchstat's medians, tables and goals; PATTERN, PACKAGES
	@mkdir -p "$(dir $(BENCH))"
	@$(find_python); \
	mlflow=$$(sh _tool/python/venv.sh "$(SPHERELAB_CACHE)" requirements-mlflow.txt) || [ "$$CI" != true ] || exit 1; \
	for round in $$(seq $(COUNT)); do \
		SPHERELAB_PYTHON="$$python" SPHERELAB_TEST_MLFLOW="$$mlflow" \
			$(GO) test -run '^$$' -bench '$(PATTERN)' -benchmem -timeout 1h $(PACKAGES) 2>&1; \
	done | tee "$(BENCH)"
	@! grep -qE '^(FAIL|panic:)|^--- FAIL|build failed' "$(BENCH)"
	@$(BENCHSTAT) "$(BENCH)"
	@$(GO) -C _tool run ./benchtable "$(BENCH)"
	@echo "the results are in $(BENCH)"

.PHONY: bench-table
bench-table: ## put the results of `make bench` into docs/benchmarks.md, and draw how costs grow
	$(GO) -C _tool run ./benchtable -write ../docs/benchmarks.md -csv ../docs/growth.csv $(RESULTS)
	$(GO) run ./docs/growth docs/growth.csv docs

.PHONY: generate
generate: ## write all generated files again
	$(GO) generate ./...

.PHONY: notebooks
notebooks: ## run the notebooks and write their outputs again where they differ
	@$(find_python); \
	if [ -z "$$python" ]; then exit 1; fi; \
	SPHERELAB_PYTHON="$$python" SPHERELAB_WRITE_NOTEBOOKS=1 $(GO) test -count=1 -timeout 20m -run '^TestNotebooks$$' ./internal/e2e

SITE ?= dist/site

.PHONY: docs
docs: ## build the site of the documentation in the folder SITE (default dist/site)
	@python=$$(sh _tool/python/venv.sh "$(SPHERELAB_CACHE)" requirements-site.txt) || exit 1; \
	program=$$(mktemp) || exit 1; trap 'rm -f "$$program"' EXIT; \
	$(GO) build -o "$$program" . && "$$python" _tool/site/build.py "$$program" "$(SITE)"

.PHONY: programs
programs: ## compile the programs of kernel/golang/difference and write their outputs again
	SPHERELAB_WRITE_PROGRAMS=1 $(GO) test -count=1 -run '^Test(Recorded|RandomCompiled)$$' ./kernel/golang/difference

.PHONY: env
env: ## write .env with random passwords for docker-compose.yml; one that is there stays
	@sh _tool/write_password.sh .env

.PHONY: lint
lint: ## gofmt, vet, staticcheck, and the arm64 builds
	@sh _tool/run_step.sh "$(MAKE)" $(LINT_STEPS)

.PHONY: clean-cache
clean-cache: ## remove what `make test` put into the cache folder
	rm -rf "$(SPHERELAB_CACHE)/python"

# The parts of `make test`; each can be run alone, as `make step-vet`.

.PHONY: step-environment
step-environment:
	@if [ "$$CI" = true ]; then sh _tool/install_package.sh; fi
	@sh _tool/show_environment.sh

.PHONY: step-format
step-format:
	@sh _tool/check_format.sh .

.PHONY: step-vet
step-vet:
	$(GO) vet ./...

.PHONY: step-staticcheck
step-staticcheck:
	$(STATICCHECK) ./...

# Compares contents before and after, not with git's index: the check means the same in a clean clone and in the middle
# of an edit. On failure the files have already been written again.
.PHONY: step-generated
step-generated:
	@sh _tool/check_generated.sh "$(MAKE)"

# Types and vet's analyzers for platforms that this machine is not: signals, namespaces and processes differ by system.
# Nothing is compiled; step arm64 compiles, links and runs what computes.
.PHONY: step-cross
step-cross:
	@$(GO) -C _tool run ./crosscheck .. linux/arm64 darwin/arm64 windows/amd64=.,./spherE/...,./chart/... \
		linux/386=./spherE/...

.PHONY: step-arm64
step-arm64:
	@sh _tool/test_arm64.sh

.PHONY: step-tool
step-tool:
	$(GO) -C spherE/internal/simd/_generate vet ./...
	$(GO) -C _tool vet ./...
	$(GO) -C _tool test ./...
	$(GO) -C _tool/kubernetes vet .
	$(GO) -C _tool/kubernetes test .

# Sets the shell variable python to the tests' interpreter, or to nothing.
find_python = python=$$(sh _tool/python/venv.sh "$(SPHERELAB_CACHE)") || { \
		if [ "$$CI" = true ]; then exit 1; fi; \
		echo "tests that need Python will be skipped; the remedy is in the line above"; }

# Sets the shell variable mlflow3 to the interpreter with the client of MLflow 3, or to nothing.
find_mlflow3 = mlflow3=$$(sh _tool/python/venv.sh "$(SPHERELAB_CACHE)" requirements-mlflow3.txt) || \
		[ "$$CI" != true ] || exit 1

# Sets the shell variable wheel to the interpreter that builds wheels, or to nothing.
find_wheel = wheel=$$(sh _tool/python/venv.sh "$(SPHERELAB_CACHE)" requirements-wheel.txt) || \
		[ "$$CI" != true ] || exit 1

# Sets the shell variable site to the interpreter that builds the site, or to nothing.
find_site = site=$$(sh _tool/python/venv.sh "$(SPHERELAB_CACHE)" requirements-site.txt) || [ "$$CI" != true ] || exit 1

# Without go test's own vet: step vet runs all of it on the same files. The package that takes longest is first.
.PHONY: step-unit
step-unit:
	@$(find_python); $(find_mlflow3); $(find_wheel); $(find_site); \
	all=$$($(GO) list ./...) || exit 1; \
	SPHERELAB_PYTHON="$$python" SPHERELAB_TEST_MLFLOW3="$$mlflow3" SPHERELAB_TEST_WHEEL="$$wheel" \
		SPHERELAB_TEST_SITE="$$site" \
		$(GOTESTSUM) -vet=off -count=1 -timeout 40m \
		./internal/e2e ./tracker/web $$(echo "$$all" | grep -vE $(RACE_ONCE))

.PHONY: step-race
step-race:
	@if [ "$$($(GO) env CGO_ENABLED)" != 1 ]; then \
		if [ "$$CI" = true ]; then echo "the race detector needs a C compiler: make deps"; exit 1; fi; \
		echo "SKIPPED: race detector; it needs a C compiler (Debian: apt-get install gcc libc6-dev, or make deps)"; \
		$(find_python); $(find_mlflow3); \
		all=$$($(GO) list ./...) || exit 1; \
		SPHERELAB_PYTHON="$$python" SPHERELAB_TEST_MLFLOW3="$$mlflow3" $(GOTESTSUM) -vet=off -count=1 -timeout 40m \
			$$(echo "$$all" | grep -E $(RACE_ONCE)); \
		exit $$?; \
	fi; \
	$(find_python); $(find_mlflow3); \
	SPHERELAB_PYTHON="$$python" SPHERELAB_TEST_MLFLOW3="$$mlflow3" SPHERELAB_SIMD=go $(GOTESTSUM) -race -count=1 -timeout 40m -skip $(RACE_SKIP) $(RACE_PACKAGES) && \
	SPHERELAB_SIMD=go $(GOTESTSUM) -race -count=1 -timeout 40m -run Worker ./experiments/worker
