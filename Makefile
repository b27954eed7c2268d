# rigview on a fresh machine: `make run` shows a rig, `make test` checks everything.

# Drivers complain on every start when nobody says where their sockets go.
export XDG_RUNTIME_DIR ?= $(CURDIR)/target/runtime

PICTURE = rigview.png

.PHONY: help run test fmt gallery runtime-dir

help:
	@echo 'make run [FILE=path]   builds and opens a file, or the built-in rig;'
	@echo '                       without a display it writes the picture to $(PICTURE)'
	@echo 'make test              style, lints, docs and all tests'
	@echo 'make fmt               formats the code'
	@echo 'make gallery           makes the pictures of the README again'

# FILE reaches the shell through the environment and as it was typed, so any name is safe.
override export FILE := $(value FILE)
run: runtime-dir
	@tools/install-packages run
	cargo build --release --locked
	@if [ "$$(uname)" != Linux ] || [ -n "$${DISPLAY:-}$${WAYLAND_DISPLAY:-}" ]; then \
	    cargo run --release --locked --quiet -- $${FILE:+"$$FILE"}; \
	else \
	    cargo run --release --locked --quiet -- screenshot $${FILE:+"$$FILE"} -o $(PICTURE) && \
	    echo 'No display here: the picture is in $(CURDIR)/$(PICTURE)'; \
	fi

# One after the other: each takes all cores, and the tests' own count stands at the end.
test: runtime-dir
	@tools/install-packages test
	cargo fmt --check
	cargo clippy --locked --all-targets -- -D warnings
	cargo clippy --locked --no-default-features --features cli --lib --bins -- -D warnings
	cargo clippy --locked --no-default-features --lib -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --locked --no-deps
	cargo test --locked

fmt:
	cargo fmt

gallery: runtime-dir
	cargo build --release --locked
	tools/make-gallery

runtime-dir:
	@mkdir -p target/runtime && chmod 700 target/runtime
