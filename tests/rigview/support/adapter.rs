//! The adapter of all tests.

use rigview::render::{AdapterChoice, Gpu};
use std::process::Command;

const VARIABLE: &str = "RIGVIEW_ADAPTER";

/// On Linux the software adapter, so that pictures are the same on every machine, unless RIGVIEW_ADAPTER is
/// set. Elsewhere there may be none, and the program chooses.
pub fn adapter_choice() -> AdapterChoice {
    let default = || cfg!(target_os = "linux").then(|| "software".to_owned());
    AdapterChoice { adapter: std::env::var(VARIABLE).ok().or_else(default), backend: None }
}

/// Has a program use [`adapter_choice`] unless its arguments name an adapter.
pub fn set_adapter(command: &mut Command) {
    if let Some(adapter) = adapter_choice().adapter {
        command.env(VARIABLE, adapter);
    }
}

/// Opens a device of [`adapter_choice`].
pub fn gpu() -> Gpu {
    Gpu::headless(&adapter_choice()).unwrap_or_else(|error| panic!("{error}"))
}
