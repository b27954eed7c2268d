//! Cases, workers, disks and manifests that fail.

use std::io::Write;
use std::process::{Child, Command, Stdio};

use serde_json::json;

use super::{CASES, Suite, last_line};
use crate::support::{Turn, command, program, run, set_adapter};

impl Suite {
    /// Starts a worker, which waits for orders.
    fn worker(&self) -> Child {
        let mut command = command();
        command.args(["-q", "test", "--worker"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// Returns the line that orders a case that goes on until one of its limits is passed.
    fn order(&self, time_limit: f64, memory_limit: u64) -> String {
        let instants: Vec<_> = endless_times()
            .map(|secs| json!({"label": format!("{secs:?}"), "secs": secs}))
            .collect();
        let case = json!({
            "name": "long", "file": "creature.glb", "folder": self.folder.path(), "clip": null, "rest": false,
            "instants": instants, "fps": 30.0, "size": ENDLESS_SIZE, "args": ENDLESS_ARGS, "expect": ["picture"],
            "tolerance": 0.0, "flip": null, "pose_tolerance": 0.0, "contract": null,
            "time_limit": time_limit, "memory_limit": memory_limit, "line": 1,
        });
        let goldens = self.path("goldens");
        json!({
            "case": case, "goldens": goldens, "report": null, "bless": false, "bless_command": "", "draw_args": [],
        })
        .to_string()
    }
}

#[test]
fn a_case_that_fails_to_run_does_not_stop_the_others() {
    let good = "file = \"creature.glb\"\nsize = \"32x32\"\n";
    let manifest = format!(
        "[[case]]\nname = \"a\"\n{good}\
         [[case]]\nname = \"late\"\n{good}time_limit = 1e-6\n\
         [[case]]\nname = \"large\"\nfile = \"creature.glb\"\nsize = \"2048x2048\"\nmemory_limit = 1\n\
         [[case]]\nname = \"broken\"\nfile = \"broken.glb\"\n\
         [[case]]\nname = \"gone\"\nfile = \"gone.glb\"\nexpect = [\"pose\"]\n\
         [[case]]\nname = \"clip\"\nclip = \"Fly\"\n{good}\
         [[case]]\nname = \"b\"\n{good}"
    );
    let suite = Suite::new(&manifest);
    std::fs::write(suite.path("broken.glb"), b"glTF\x02\0\0\0\xff\xff\xff\xff").unwrap();
    let ran = suite.test(&["--bless", "--jobs", "1", "--json", "out.json"]);
    assert_eq!(ran.code, Some(1), "{}", ran.ended());
    assert_eq!(last_line(&ran), "2 passed, 5 failed");
    let results = suite.json("out.json");
    let case = |name: &str| {
        let cases = results["cases"].as_array().unwrap();
        cases.iter().find(|case| case["name"] == name).unwrap().clone()
    };
    for name in ["a", "b"] {
        assert_eq!(case(name)["status"], "passed", "{name}");
    }
    for (name, says) in [
        ("late", "no result after 0.000001 s (time_limit)"),
        ("large", "of 1 MiB (memory_limit)"),
        ("broken", "broken.glb: "),
        ("gone", "gone.glb: "),
        ("clip", "no clip \"Fly\"; the file has: 0 \"Idle\""),
    ] {
        let case = case(name);
        assert_eq!(case["status"], "error", "{name}");
        let message = case["message"].as_str().unwrap();
        assert!(message.contains(says), "{name}: {message}");
    }
}

/// Waits for the first worker of `rigview test`, and returns its process.
#[cfg(target_os = "linux")]
fn worker_of(parent: &mut Child) -> String {
    let tasks = format!("/proc/{}/task", parent.id());
    // The worker is started by one of the parent's threads, with the first case.
    loop {
        assert!(parent.try_wait().unwrap().is_none(), "ended without a worker");
        let tasks = std::fs::read_dir(&tasks).into_iter().flatten().flatten();
        let children =
            tasks.filter_map(|t| std::fs::read_to_string(t.path().join("children")).ok());
        let all: String = children.collect();
        if let Some(child) = all.split_whitespace().next() {
            return child.to_owned();
        }
        std::thread::yield_now();
    }
}

/// What draws a thousand large pictures: on no machine does it end before it is ended.
const ENDLESS_SIZE: [u32; 2] = [4096, 4096];
const ENDLESS_ARGS: [&str; 2] = ["--samples", "16"];

fn endless_times() -> impl Iterator<Item = f64> {
    (0..1000).map(|ms| f64::from(ms) / 1000.0)
}

/// Returns the keys of a case that goes on until it is ended.
fn endless() -> String {
    let times: Vec<f64> = endless_times().collect();
    let [width, height] = ENDLESS_SIZE;
    format!(
        "size = \"{width}x{height}\"\nargs = {ENDLESS_ARGS:?}\ntimes = {times:?}\ntime_limit = 3600\n"
    )
}

/// Waits for the end of a process that is no child; `false` if it goes on.
#[cfg(target_os = "linux")]
fn ends(process: libc::pid_t) -> bool {
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
    // SAFETY: the call returns a new descriptor, or an error.
    let opened = unsafe { libc::syscall(libc::SYS_pidfd_open, process, 0) };
    if opened < 0 {
        return true;
    }
    // SAFETY: the descriptor was opened above.
    let file = unsafe { OwnedFd::from_raw_fd(opened as i32) };
    let mut poll = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: the structure is valid for the call.
    unsafe { libc::poll(&raw mut poll, 1, 60_000) == 1 }
}

/// A worker ends with the process that started it, however that ends. Results of an earlier run are not left either: they
/// would be taken for those of this one.
#[test]
#[cfg(target_os = "linux")]
fn a_killed_run_leaves_no_worker_and_no_results() {
    let case = "[[case]]\nname = \"long\"\nfile = \"creature.glb\"\n";
    let suite = Suite::new(&(case.to_owned() + &endless()));
    let results = suite.path("report/results.json");
    std::fs::create_dir(suite.path("report")).unwrap();
    for signal in [libc::SIGTERM, libc::SIGKILL] {
        let _turn = Turn::wait();
        std::fs::write(&results, "{\"passed\": 1, \"failed\": 0, \"cases\": []}").unwrap();
        let mut command = suite.command(&["--jobs", "1", "--report", "report"]);
        let mut parent = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let worker = worker_of(&mut parent).parse().unwrap();
        // SAFETY: the process is a child that was not waited for.
        unsafe { libc::kill(parent.id() as libc::pid_t, signal) };
        parent.wait().unwrap();
        if !ends(worker) {
            // SAFETY: the process was started by this test.
            unsafe { libc::kill(worker, libc::SIGKILL) };
            panic!("after signal {signal} the worker goes on");
        }
        assert!(!results.exists());
    }
}

/// Standard input ends with the process that writes to it, on every system.
#[test]
fn a_worker_ends_with_its_input() {
    let suite = Suite::new(CASES);
    let mut worker = suite.worker();
    let mut input = worker.stdin.take().unwrap();
    writeln!(input, "{}", suite.order(3600.0, 1 << 20)).unwrap();
    drop(input);
    let ended = worker.wait_with_output().unwrap();
    assert!(ended.stdout.is_empty(), "the case was carried out");
    // A case that goes on until it passes a limit ends with another code.
    assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
}

/// A worker enforces the limits of its case by itself, since the process that started it may have been stopped.
#[test]
fn a_worker_keeps_its_own_limits() {
    let suite = Suite::new(CASES);
    let memory = (suite.order(3600.0, 1), "of 1 MiB (memory_limit)");
    let time = (suite.order(0.5, 1 << 20), "no result after 0.5 s (time_limit)");
    for (order, says) in if cfg!(target_os = "linux") { vec![memory, time] } else { vec![time] } {
        let mut worker = suite.worker();
        let mut input = worker.stdin.take().unwrap();
        writeln!(input, "{order}").unwrap();
        let ended = worker.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(3), "{says}: {said}");
        assert!(said.contains(says), "{says}: {said}");
        drop(input);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_killed_worker_costs_one_case() {
    let case = |i: usize| format!("[[case]]\nname = \"c{i}\"\nfile = \"creature.glb\"\n");
    let short = |i: usize| case(i) + "size = \"32x32\"\n";
    let suite = Suite::blessed(&(0..4).map(short).collect::<String>());
    // The first one goes on until its worker is killed.
    suite.write(&(case(0) + &endless() + &(1..4).map(short).collect::<String>()));
    let mut parent = suite
        .command(&["--jobs", "1", "--json", "out.json"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let worker = worker_of(&mut parent);
    let killed = Command::new("kill").args(["-9", &worker]).status().unwrap();
    assert!(killed.success());
    assert_eq!(parent.wait().unwrap().code(), Some(1));
    let results = suite.json("out.json");
    assert_eq!((&results["passed"], &results["failed"]), (&3.into(), &1.into()));
    let message = results["cases"][0]["message"].as_str().unwrap();
    assert!(message.contains("signal 9 (SIGKILL"), "{message}");
}

#[test]
fn a_report_that_cannot_be_written_is_exit_5() {
    let suite = Suite::blessed(CASES);
    suite.test(&["--report", "creature.glb/report"]).failed(5);
    let gone = suite.test(&["--json", "no/such/folder/out.json"]);
    assert_eq!(gone.code, Some(5), "{}", gone.ended());
    assert_eq!(gone.text(), "", "nothing is run for it");
}

#[test]
#[cfg(unix)]
fn a_full_disk_is_reported_and_the_run_goes_on() {
    let suite = Suite::blessed(CASES);
    // Files above 512 bytes can't be written, as on a full disk.
    let limited = |args: &str| {
        let program = program().display();
        let mut shell = Command::new("sh");
        set_adapter(&mut shell);
        shell.current_dir(suite.folder.path());
        let limit = "ulimit -f 1 2>/dev/null || exit 99";
        shell.args(["-c", &format!("{limit}; exec '{program}' test suite.toml {args}")]);
        run(&mut shell)
    };
    let report = limited("--report report");
    assert_eq!(report.code, Some(5), "{}", report.ended());
    assert!(report.stderr.contains("report/"), "{}", report.stderr);
    assert_eq!(last_line(&report), "2 passed, 0 failed");
    let golden = suite.read("goldens/creature/walk.glb");
    std::fs::remove_file(suite.path("goldens/creature/walk.glb")).unwrap();
    let bless = limited("--bless");
    assert_eq!(bless.code, Some(1), "{}", bless.ended());
    assert!(bless.text().contains("walk.glb: can't be written"), "{}", bless.text());
    assert!(!suite.path("goldens/creature/walk.glb").exists(), "half a golden of {}", golden.len());
}

#[test]
fn without_an_adapter_the_run_ends_with_exit_4() {
    let suite = Suite::new(CASES);
    let mut none = suite.command(&["--adapter", "no such adapter"]);
    let failed = run(&mut none);
    assert_eq!(failed.code, Some(4), "{}", failed.ended());
    assert!(!failed.text().contains("passed"), "{}", failed.text());
}

#[test]
fn faults_of_the_manifest_are_named_with_line_and_column() {
    let suite = Suite::new("[[case]]\nname = \"a\"\nfile = \"a.glb\"\ntolerence = 1\n");
    let failed = suite.test(&[]).failed(2);
    let says = "suite.toml: unknown field `tolerence`";
    assert!(failed.stderr.contains(says), "{}", failed.stderr);
    assert!(failed.stderr.contains("at line 4, column 1"), "{}", failed.stderr);
    for (args, says) in [
        (r#"["--size", "10x10"]"#, "use the key `size`"),
        (r#"["--clip", "Run"]"#, "unexpected argument '--clip'"),
        (r#"["--pass", "colour"]"#, "colour"),
    ] {
        suite.write(&format!("\n[[case]]\nname = \"a\"\nfile = \"a.glb\"\nargs = {args}\n"));
        let failed = suite.test(&[]).failed(2);
        assert!(failed.stderr.contains("args of case \"a\" at line 2"), "{}", failed.stderr);
        assert!(failed.stderr.contains(says), "{}", failed.stderr);
    }
    suite.write(CASES);
    let blessed = suite.test(&["--bless", "fox*"]).failed(2);
    assert!(blessed.stderr.contains("--bless fox*: no case has such a name"), "{}", blessed.stderr);
    let failed = suite.test(&["--only", "fox*"]).failed(2);
    assert!(failed.stderr.contains("the manifest has: creature/walk"), "{}", failed.stderr);
    // Another one that names cases does not hide it.
    let failed = suite.test(&["--only", "creature/walk", "--only", "fox*"]).failed(2);
    assert!(failed.stderr.contains("--only fox*: no case"), "{}", failed.stderr);
    std::fs::remove_file(suite.path("suite.toml")).unwrap();
    suite.test(&[]).failed(3);
}

#[test]
fn outputs_are_no_files_of_the_suite_and_no_two_the_same() {
    let suite =
        Suite::blessed("[[case]]\nname = \"a\"\nfile = \"creature.glb\"\nsize = \"16x16\"\n");
    let model = suite.read("creature.glb");
    for (args, says) in [
        (&["--json", "creature.glb"][..], "would overwrite the input"),
        (&["--junit", "suite.toml"], "would overwrite the input"),
        (&["--markdown", "goldens/a@0.0.png"], "would overwrite a golden"),
        (&["--json", "same.out", "--junit", "same.out"], "the same file as --json"),
        (&["--json", "same.out", "--markdown", "./same.out"], "the same file as --json"),
        (&["--report", "r", "--markdown", "./r/index.html"], "the same file as --report"),
        (&["--report", "r", "--junit", "r/results.json"], "the same file as --report"),
    ] {
        let refused = suite.test(args).failed(2);
        assert!(refused.stderr.contains(says), "{args:?}: {}", refused.stderr);
        assert_eq!(refused.text(), "", "{args:?}: nothing was run");
    }
    assert!(suite.read("creature.glb") == model && !suite.path("same.out").exists());
    assert!(!suite.path("r").exists());
}

/// A picture that fails has the name of its golden, which must not become that picture.
#[test]
fn a_report_is_not_written_over_goldens() {
    let case = "[[case]]\nname = \"a\"\nfile = \"creature.glb\"\nsize = \"16x16\"\n";
    let suite = Suite::new(case);
    let goldens = ["--goldens", "approved/pictures"];
    suite.test(&[&goldens[..], &["--bless"]].concat()).done();
    let golden = suite.read("approved/pictures/a@0.0.png");
    suite.write(&format!("{case}args = [\"--pass\", \"mask\"]\n"));
    let refused = suite.test(&[&goldens[..], &["--report", "approved"]].concat()).failed(2);
    assert!(refused.stderr.contains("over the goldens"), "{}", refused.stderr);
    let beside = suite.test(&[&goldens[..], &["--report", "approved/report"]].concat());
    assert_eq!(beside.code, Some(1), "{}", beside.ended());
    assert!(suite.read("approved/pictures/a@0.0.png") == golden);
}

/// Whoever reads the lines may stop early: the results are written, and the exit code is theirs.
#[test]
#[cfg(unix)]
fn a_closed_output_changes_no_result() {
    let suite = Suite::new("[[case]]\nname = \"a\"\nfile = \"creature.glb\"\nsize = \"16x16\"\n");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = suite.command(&["--junit", "out.xml"]);
    let ended = command.stdout(writer).stderr(Stdio::null()).status().unwrap();
    assert_eq!(ended.code(), Some(1), "the case has no golden");
    assert!(String::from_utf8(suite.read("out.xml")).unwrap().contains("failures=\"1\""));
}

/// The commands that a failure names do what they say from the folder of the run.
#[test]
#[cfg(unix)]
fn commands_of_a_failure_can_be_run() {
    let suite = Suite::new("");
    let inner = suite.path("my suite");
    std::fs::create_dir(&inner).unwrap();
    std::fs::copy(suite.path("creature.glb"), inner.join("creature.glb")).unwrap();
    let pixel = [
        b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n".as_slice(),
        &[128, 128, 128, 129, 64, 64, 64, 129],
    ];
    std::fs::write(inner.join("sky.hdr"), pixel.concat()).unwrap();
    let case = "[[case]]\nname = \"a\"\nfile = \"creature.glb\"\nsize = \"16x16\"\nargs = [\"--environment\", \"sky.hdr\"]\n";
    std::fs::write(inner.join("suite.toml"), case).unwrap();
    let shell = |line: &str| {
        let program = command().get_program().to_str().unwrap().to_owned();
        let line = line.replacen("rigview", &format!("'{program}'"), 1);
        let mut shell = Command::new("sh");
        for (name, value) in command().get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        run(shell.current_dir(suite.folder.path()).args(["-c", &line]))
    };
    let test =
        "rigview test 'my suite/suite.toml' --goldens 'other goldens' --report r --json r.json";
    assert_eq!(shell(test).code, Some(1));
    let commands = suite.json("r.json")["cases"][0]["commands"].clone();
    let [bless, draw] = ["bless", "draw"].map(|name| commands[name].as_str().unwrap().to_owned());
    shell(&draw).done();
    assert!(suite.path("a.png").exists(), "{draw}");
    shell(&bless).done();
    assert_eq!(shell(test).code, Some(0), "{bless}");
}

/// The commands of a failure also run for names that start with a minus.
#[test]
fn commands_of_a_failure_can_be_run_for_any_name() {
    let suite = Suite::new("[[case]]\nname = \"-fox\"\nfile = \"-m.glb\"\nsize = \"16x16\"\n");
    std::fs::rename(suite.path("creature.glb"), suite.path("-m.glb")).unwrap();
    assert_eq!(suite.test(&["--json", "r.json", "--report", "r"]).code, Some(1));
    let commands = suite.json("r.json")["cases"][0]["commands"].clone();
    assert_eq!(commands["bless"], "rigview test suite.toml --bless=-fox");
    suite.test(&["--bless=-fox"]).done();
    let draw = commands["draw"].as_str().unwrap();
    let mut draws = command();
    draws.current_dir(suite.folder.path()).args(draw.split(' ').skip(1));
    run(&mut draws).done();
    assert!(suite.path("-fox.png").exists(), "{draw}");
}

/// Workers get the paths as JSON.
#[test]
#[cfg(unix)]
fn a_path_that_is_not_utf_8_is_refused_by_name() {
    use std::os::unix::ffi::OsStrExt;
    let suite = Suite::new(CASES);
    let odd = std::ffi::OsStr::from_bytes(b"n\xff.toml");
    std::fs::rename(suite.path("suite.toml"), suite.folder.path().join(odd)).unwrap();
    let mut program = command();
    program.current_dir(suite.folder.path()).arg("test").arg(odd);
    let refused = run(&mut program).failed(2);
    assert!(refused.stderr.contains(".toml: the path is not UTF-8"), "{}", refused.stderr);
}
