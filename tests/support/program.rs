//! Runs of the program: arguments in; exit code, standard output and standard error out.

use super::parallel::Turn;
use super::shared::checkout;
use serde_json::Value;
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{OnceLock, mpsc};
use std::time::Duration;

/// The time after which a command counts as hung.
const LIMIT: Duration = Duration::from_secs(180);

/// The variable that names the adapter.
const ADAPTER: &str = "RIGVIEW_ADAPTER";

/// The result of a command.
#[derive(Clone, Debug)]
pub struct Run {
    /// `None` if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: String,
}

/// Whether a terminal may interpret a character: control characters, and those that change the reading
/// direction.
pub fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

impl Run {
    /// Standard output as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("standard output is text")
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(self.text()).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }

    /// The lines of standard output, each of which is JSON.
    pub fn json_lines(&self) -> Vec<Value> {
        self.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The exit code and the message, for a failed assertion.
    pub fn ended(&self) -> String {
        format!("exit {:?}: {}", self.code, self.stderr.trim())
    }

    /// Asserts that the run succeeded, and returns it.
    #[track_caller]
    pub fn done(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.ended());
        self
    }

    /// Asserts that the run failed with `code` and one line on standard error, and returns it.
    #[track_caller]
    pub fn failed(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.ended());
        assert_eq!(self.stderr.lines().count(), 1, "one line says why: {}", self.stderr);
        assert!(self.stderr.starts_with("rigview: "), "who says it: {}", self.stderr);
        self
    }
}

/// The path of the program: RIGVIEW_PROGRAM, relative to the checkout, or what cargo has built for the tests of its package,
/// or what is built now.
pub fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let given =
            ["RIGVIEW_PROGRAM", "CARGO_BIN_EXE_rigview"].into_iter().find_map(std::env::var_os);
        given.map_or_else(built, |path| checkout().join(path))
    })
}

/// Builds the program as the tests were built, since cargo does so only for the tests of its own package.
fn built() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    // They lie in the folder `deps` of their profile.
    let folder = tests.ancestors().nth(2).unwrap();
    let profile = folder.file_name().unwrap();
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.current_dir(checkout()).env("CARGO_TARGET_DIR", folder.parent().unwrap());
    build.args(["build", "--locked", "--quiet", "--package=rigview", "--bin=rigview", "--profile"]);
    let build = build.arg(if profile == "debug" { OsStr::new("dev") } else { profile }).output();
    let build = build.unwrap_or_else(|error| panic!("cargo build: {error}"));
    assert!(build.status.success(), "cargo build: {}", String::from_utf8_lossy(&build.stderr));
    folder.join(format!("rigview{}", std::env::consts::EXE_SUFFIX))
}

/// The adapter of all tests. On Linux it is the software adapter, so that pictures are the same on every machine, unless
/// RIGVIEW_ADAPTER is set. Elsewhere there may be none, and the program chooses.
pub fn adapter() -> Option<String> {
    let default = || cfg!(target_os = "linux").then(|| "software".to_owned());
    std::env::var(ADAPTER).ok().or_else(default)
}

/// Has a program use [`adapter`] unless its arguments name another one.
pub fn set_adapter(command: &mut Command) {
    if let Some(adapter) = adapter() {
        command.env(ADAPTER, adapter);
    }
}

/// Runs the program with these arguments.
pub fn rigview<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Run {
    run(command().args(args))
}

/// The program without arguments, in the environment of all tests: no display, and the adapter of
/// all tests.
pub fn command() -> Command {
    let mut command = Command::new(program());
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("RIGVIEW_BACKEND");
    command.env_remove("RUST_LOG");
    set_adapter(&mut command);
    // Without this variable, drivers print an error unless the program sets it.
    command.env_remove("XDG_RUNTIME_DIR");
    command
}

/// Runs the program with these arguments and a pipe that it reads these bytes from.
pub fn rigview_reading<S: AsRef<OsStr>>(
    args: impl IntoIterator<Item = S>,
    bytes: impl Into<Vec<u8>>,
) -> Run {
    let (reader, mut writer) = std::io::pipe().unwrap();
    let bytes = bytes.into();
    // The program need not read all of it.
    let writing = std::thread::spawn(move || drop(writer.write_all(&bytes)));
    // The command is dropped first, because it keeps the pipe open.
    let run = run_with(command().args(args), reader.into());
    writing.join().unwrap();
    run
}

/// Draws pictures in one run of `screenshot`, each with the arguments that it would have alone. Workers open the adapter
/// once and keep pipelines, which take most of the time of a small picture.
pub fn screenshots<S: AsRef<str>>(pictures: &[Vec<S>]) -> Run {
    let line = |args: &Vec<S>| {
        let args: Vec<&str> = args.iter().map(AsRef::as_ref).collect();
        serde_json::json!({"args": args}).to_string()
    };
    let lines: Vec<String> = pictures.iter().map(line).collect();
    rigview_reading(["screenshot", "--list", "-"], lines.join("\n"))
}

/// Runs a command, which must end within the time limit of a test.
pub fn run(command: &mut Command) -> Run {
    run_with(command, Stdio::null())
}

fn run_with(command: &mut Command, stdin: Stdio) -> Run {
    let _turn = Turn::wait();
    let mut child = command
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let stdout = drain(child.stdout.take().unwrap());
    let stderr = drain(child.stderr.take().unwrap());
    // Both pipes close when the program ends, so no polling is needed.
    let (Ok(stdout), Ok(stderr)) = (stdout.recv_timeout(LIMIT), stderr.recv_timeout(LIMIT)) else {
        let _ = child.kill();
        let _ = child.wait();
        panic!("{command:?} did not end within {} s", LIMIT.as_secs());
    };
    let code = child.wait().unwrap().code();
    Run { code, stdout, stderr: String::from_utf8_lossy(&stderr).into_owned() }
}

/// Reads a pipe to its end on a separate thread, so that the child never blocks on a full pipe.
fn drain(mut pipe: impl Read + Send + 'static) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.read_to_end(&mut bytes);
        // After the time limit there is no receiver.
        let _ = sender.send(read.map(|_| bytes).unwrap_or_default());
    });
    receiver
}
