//! The program as a user starts it: arguments in, exit code, standard output and error out.

use super::parallel::Turn;
use std::ffi::OsStr;
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Past this a command has hung.
const LIMIT: Duration = Duration::from_secs(180);

/// What a command that has ended left behind.
#[derive(Clone, Debug)]
pub struct Run {
    /// `None`: a signal ended it.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Run {
    /// Standard output as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("standard output is text")
    }

    /// The exit code and the message, for a failed assertion.
    pub fn ended(&self) -> String {
        format!("exit {:?}: {}", self.code, self.stderr.trim())
    }

    /// The same run, which has to have gone well.
    #[track_caller]
    pub fn done(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.ended());
        self
    }

    /// The same run, which has to have failed with `code` and one line on standard error.
    #[track_caller]
    pub fn failed(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.ended());
        assert_eq!(self.stderr.lines().count(), 1, "one line says why: {}", self.stderr);
        assert!(self.stderr.starts_with("rigview: "), "who says it: {}", self.stderr);
        self
    }
}

/// Runs the program with these arguments.
pub fn rigview<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Run {
    run(command().args(args))
}

/// The program with no arguments yet, in the surroundings that all tests share: no display, and
/// on Linux the software adapter, so that pictures are the same on every machine, unless the one
/// who runs the tests names another.
pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rigview"));
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("RIGVIEW_BACKEND");
    command.env_remove("RUST_LOG");
    if cfg!(target_os = "linux") && std::env::var_os("RIGVIEW_ADAPTER").is_none() {
        command.env("RIGVIEW_ADAPTER", "software");
    }
    // Drivers complain on standard error where this is missing, unless the program sees to it.
    command.env_remove("XDG_RUNTIME_DIR");
    command
}

/// Runs a command to its end, which has to come within [`LIMIT`].
pub fn run(command: &mut Command) -> Run {
    let _turn = Turn::wait();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let stdout = drain(child.stdout.take().unwrap());
    let stderr = drain(child.stderr.take().unwrap());
    // Both pipes close when the program ends, so nothing has to ask again and again.
    let (Ok(stdout), Ok(stderr)) = (stdout.recv_timeout(LIMIT), stderr.recv_timeout(LIMIT)) else {
        let _ = child.kill();
        let _ = child.wait();
        panic!("{command:?} did not end within {} s", LIMIT.as_secs());
    };
    let code = child.wait().unwrap().code();
    Run { code, stdout, stderr: String::from_utf8_lossy(&stderr).into_owned() }
}

/// Reads a pipe to its end on a thread of its own, so that a full one stops nobody.
fn drain(mut pipe: impl Read + Send + 'static) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.read_to_end(&mut bytes);
        // Past the limit nobody listens.
        let _ = sender.send(read.map(|_| bytes).unwrap_or_default());
    });
    receiver
}
