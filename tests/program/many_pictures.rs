//! `screenshot` of several files or of a list: the same pictures as one by one, and a failure costs its own only.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Run, SmallModel, command, rigview, run};

struct Folder(tempfile::TempDir);

const SIZE: [&str; 2] = ["--size", "48x32"];

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        SmallModel::new().clip("Turn").write_gltf(&folder.path("a.gltf"));
        SmallModel::new().write_gltf(&folder.path("b.gltf"));
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs `screenshot` in the folder.
    fn screenshot(&self, args: &[&str]) -> Run {
        let mut program = command();
        run(program.current_dir(self.0.path()).arg("screenshot").args(args).args(SIZE))
    }

    fn list(&self, lines: &[&str]) {
        std::fs::write(self.path("jobs.jsonl"), lines.join("\n")).unwrap();
    }

    /// Runs `screenshot`, which must fail with a line for each picture that fails and one for all, and returns the lines.
    fn failures(&self, args: &[&str], code: i32) -> Vec<String> {
        let ended = self.screenshot(args);
        assert_eq!(ended.code, Some(code), "{}", ended.ended());
        let lines: Vec<String> = ended.stderr.lines().map(str::to_owned).collect();
        assert!(lines.iter().all(|line| line.starts_with("rigview: ")), "{lines:?}");
        lines
    }

    fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Whether a picture has the bytes that these arguments alone draw.
    fn is_drawn_by(&self, name: &str, args: &[&str]) -> bool {
        let alone = self.screenshot(&[args, &["-o", "-"]].concat()).done();
        std::fs::read(self.path(name)).unwrap() == alone.stdout
    }
}

#[test]
fn each_file_has_the_picture_that_it_has_alone() {
    let folder = Folder::new();
    let said = folder.screenshot(&["a.gltf", "b.gltf", "-o", "{name}.png", "--orbit", "-20,5"]);
    assert_eq!(said.done().text(), "");
    for (picture, file) in [("a.png", "a.gltf"), ("b.png", "b.gltf")] {
        assert!(folder.is_drawn_by(picture, &[file, "--orbit=-20,5"]), "{picture}");
    }
    // A folder and a glob are the files in them.
    std::fs::create_dir(folder.path("out")).unwrap();
    folder.screenshot(&[".", "-o", "out/{model}.png"]).done();
    folder.screenshot(&["[ab].gltf", "-o", "out/{name}_{clip}.png"]).done();
    for name in ["a.png", "b.png", "a_Turn.png", "b_rest.png"] {
        assert!(folder.has(&format!("out/{name}")), "{name}");
    }
}

#[test]
fn a_picture_that_fails_stops_no_other_and_is_named() {
    let folder = Folder::new();
    std::fs::write(folder.path("broken.glb"), b"glTF").unwrap();
    let files = ["broken.glb", "a.gltf", "b.gltf", "none.glb"];
    for jobs in ["1", "3"] {
        let args = [&files[..], &["-o", "{name}.png", "--clip", "Turn", "--jobs", jobs]].concat();
        let lines = folder.failures(&args, 3);
        assert_eq!(lines.len(), 4, "{lines:?}");
        assert!(lines[0].starts_with("rigview: broken.glb: "), "{lines:?}");
        assert!(lines[1].starts_with("rigview: b.gltf: no clip \"Turn\""), "{lines:?}");
        assert_eq!(lines[2..], ["rigview: none.glb: not found", "rigview: 3 of 4 pictures failed"]);
        assert!(folder.has("a.png") && !folder.has("b.png"));
        std::fs::remove_file(folder.path("a.png")).unwrap();
    }
}

#[test]
fn a_list_has_a_picture_per_line() {
    let folder = Folder::new();
    // Editors may begin a file with a byte order mark.
    folder.list(&[
        "\u{feff}{\"file\": \"a.gltf\", \"output\": \"1.png\", \"clip\": \"Turn\", \"time\": 0.5, \"eye\": [1, 2, 4], \"target\": \"0,0,0\"}",
        "",
        r#"{"output": "2.png", "pass": "mask", "args": ["--orbit", "90,0"]}"#,
        r#"{"clip": "Run"}"#,
    ]);
    let call = ["b.gltf", "--list", "jobs.jsonl", "--skeleton", "-o", "{name}.png"];
    let lines = folder.failures(&call, 2);
    assert!(lines[0].starts_with("rigview: warn: jobs.jsonl:3: b.gltf: pass mask"), "{lines:?}");
    assert!(lines[1].starts_with("rigview: jobs.jsonl:4: b.gltf: no clip \"Run\""), "{lines:?}");
    assert_eq!(lines[2], "rigview: 1 of 3 pictures failed");
    let first = ["a.gltf", "--time=0.5", "--eye=1,2,4", "--target=0,0,0", "--skeleton"];
    assert!(folder.is_drawn_by("1.png", &first));
    assert!(folder.is_drawn_by("2.png", &["b.gltf", "--pass=mask", "--orbit=90,0"]));
}

#[test]
fn wrong_lists_and_names_are_refused_before_anything_is_drawn() {
    let folder = Folder::new();
    for (lines, args, says) in [
        (
            &["{\"output\": \"1.png\"}", "{\"tiem\": 1}"][..],
            &[][..],
            "jobs.jsonl:2: no option `tiem`",
        ),
        (&["{\"output\": \"1.png\"}", "[]"], &[], "jobs.jsonl:2: not a JSON object"),
        (&["{\"output\": \"1.png\", \"size\": \"x\"}"], &[], "jobs.jsonl:1: "),
        (&["{\"output\": \"1.png\", \"timeout\": 3}"], &[], "give it on the command line"),
        (&["{\"output\": \"1.png\"}", "{\"output\": \"1.png\"}"], &[], "both be written to 1.png"),
        (&["{\"output\": \"-\"}"], &[], "standard output takes one picture"),
        (&["{}"], &[], "--output"),
        (&[], &[], "the list has no line"),
        (&["{}"], &["a.gltf", "b.gltf", "-o", "1.png"], "at most one FILE"),
    ] {
        folder.list(lines);
        let ended =
            folder.screenshot(&[&["--list", "jobs.jsonl"], args].concat()).failed(2).ended();
        assert!(ended.contains(says), "{says}: {ended}");
        assert!(!folder.has("1.png"));
    }
    let ended = folder.screenshot(&["a.gltf", "b.gltf", "-o", "1.png"]).failed(2).ended();
    assert!(ended.contains("a.gltf and b.gltf") || ended.contains("b.gltf and a.gltf"), "{ended}");
    assert!(ended.contains("'{name}.png'") && !folder.has("1.png"), "{ended}");
    // The name that was given is no advice.
    std::fs::create_dir(folder.path("x")).unwrap();
    std::fs::copy(folder.path("a.gltf"), folder.path("x/a.gltf")).unwrap();
    let ended = folder.screenshot(&["a.gltf", "x/a.gltf", "-o", "{name}.png"]).failed(2).ended();
    assert!(ended.contains("the files have one name; draw them one by one"), "{ended}");
}

#[test]
fn many_pictures_are_compared_with_their_references() {
    let folder = Folder::new();
    let files = ["a.gltf", "b.gltf"];
    folder.screenshot(&[&files[..], &["-o", "{name}.png"]].concat()).done();
    let both = [&files[..], &["--reference", "{name}.png", "--json"]].concat();
    let same = folder.screenshot(&both).done();
    let lines: Vec<Value> =
        same.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let named: Vec<&Value> = lines.iter().map(|line| &line["file"]).collect();
    assert_eq!(named, files);
    let one = folder.screenshot(&["a.gltf", "--reference", "a.png", "--json"]).done();
    assert!(one.text().starts_with("{\"equal\":true"), "{}", one.text());
    let other = [&both[..], &["--pass", "mask"]].concat();
    let ended = folder.screenshot(&other);
    assert_eq!(ended.text().matches("\"equal\":false").count(), 2, "{}", ended.text());
    let lines = folder.failures(&other, 1);
    assert!(lines[0].contains("a.gltf") && lines[1].contains("b.gltf"), "{lines:?}");
    assert_eq!(lines[2], "rigview: 2 of 2 pictures failed");
}

#[test]
fn pictures_and_recordings_have_a_time_limit() {
    let folder = Folder::new();
    let limit = ["--timeout", "0.001"];
    let late = "not done after 0.001 s; raise --timeout";
    let both = [&["a.gltf", "b.gltf", "-o", "{name}.png"], &limit[..]].concat();
    let lines = folder.failures(&both, 3);
    assert_eq!(lines[0], format!("rigview: a.gltf: {late}"));
    assert_eq!(lines[1], format!("rigview: b.gltf: {late}"));
    let ended = folder.screenshot(&[&["a.gltf", "-o", "a.png"], &limit[..]].concat()).failed(3);
    assert!(ended.ended().contains(&format!("a.gltf: {late}")), "{}", ended.ended());
    let [model, film] = ["a.gltf", "a.gif"].map(|name| folder.path(name));
    let [model, film] = [&model, &film].map(|path| path.to_str().unwrap());
    let ended = rigview(["record", model, "-o", film, "--timeout", "0.001"]).failed(3).ended();
    assert!(ended.contains(late), "{ended}");
    assert!(!["a.png", "b.png", "a.gif"].iter().any(|name| folder.has(name)));
}

#[test]
fn warnings_of_many_pictures_are_printed_with_their_file_and_capped() {
    let folder = Folder::new();
    let stretched = |json: &mut Value| json["nodes"][0]["rotation"] = json!([0, 0, 0, 2]);
    for name in ["b.gltf", "c.gltf"] {
        SmallModel::new().edit(stretched).write_gltf(&folder.path(name));
    }
    let alone = folder.screenshot(&["b.gltf", "-o", "b.png"]).done().stderr;
    let said = alone.trim().strip_prefix("rigview: warn: ").expect("one file has a warning");
    let files = ["a.gltf", "b.gltf", "c.gltf", "-o", "{name}.png", "--jobs", "1"];
    let lines = |run: Run| run.done().stderr.lines().map(str::to_owned).collect::<Vec<_>>();
    let expected = |place: &str| {
        ["b.gltf", "c.gltf"].map(|file| format!("rigview: warn: {place}{file}: {said}"))
    };
    assert_eq!(lines(folder.screenshot(&files)), expected(""));
    let picture = |name: &str| json!({"file": name, "output": format!("{name}.png")}).to_string();
    folder.list(&[&picture("b.gltf"), &picture("a.gltf"), &picture("c.gltf")]);
    let listed = lines(folder.screenshot(&["--list", "jobs.jsonl", "--jobs", "1"]));
    assert_eq!(listed[0], format!("rigview: warn: jobs.jsonl:1: b.gltf: {said}"));
    assert_eq!(listed[1], format!("rigview: warn: jobs.jsonl:3: c.gltf: {said}"));
    assert_eq!(listed.len(), 2);
    // Of options, too, and with the limit of a run.
    let run = [&files[..], &["--rest", "--root-path"]].concat();
    let of_options = lines(folder.screenshot(&run));
    assert!(of_options[0].starts_with("rigview: warn: a.gltf: --root-path has no effect"));
    assert_eq!(
        of_options.len(),
        3,
        "once per option, and a line per file with a warning: {of_options:?}"
    );
    let unlit = |name: &str| json!({"file": name, "output": format!("{name}.png"), "pass": "mask", "exposure": 1});
    folder.list(&[&unlit("b.gltf").to_string(), &unlit("a.gltf").to_string()]);
    let unlit = lines(folder.screenshot(&["--list", "jobs.jsonl"]));
    let of_exposure = unlit.iter().filter(|line| line.contains("--exposure has no effect"));
    assert_eq!(of_exposure.count(), 1, "{unlit:?}");
    let pictures: Vec<String> = (0..20)
        .map(|number| json!({"file": "b.gltf", "output": format!("{number}.png")}).to_string())
        .collect();
    folder.list(&pictures.iter().map(String::as_str).collect::<Vec<_>>());
    let many = lines(folder.screenshot(&["--list", "jobs.jsonl"]));
    assert_eq!(many.len(), 13, "{many:?}");
    assert_eq!(many[12], "rigview: warn: warnings of further files are left out");
    assert_eq!(lines(folder.screenshot(&[&["-q"], &files[..]].concat())), [""; 0]);
}

/// The file that one picture is written to may be read by another.
#[test]
fn no_picture_is_written_over_a_file_that_another_reads() {
    let folder = Folder::new();
    folder.screenshot(&["a.gltf", "-o", "a.png"]).done();
    std::fs::write(folder.path("p.json"), r#"{"format": 1, "nodes": []}"#).unwrap();
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    for (output, input) in [
        (r#""output": "b.gltf""#, r#""file": "b.gltf""#),
        (r#""output": "p.json""#, r#""pose": "p.json""#),
        (r#""output": "./p.json""#, r#""clips-from": "p.json""#),
        (
            r#""output": "x.png", "reference": "none.png", "diff": "a.png""#,
            r#""reference": "a.png""#,
        ),
        (r#""output": "jobs.jsonl""#, r#""clip": "0""#),
    ] {
        let lines = [
            format!(r#"{{"file": "a.gltf", {output}}}"#),
            format!(r#"{{"output": "2.png", {input}}}"#),
        ];
        folder.list(&[&lines[0], &lines[1]]);
        let files = ["b.gltf", "p.json", "a.png", "jobs.jsonl"];
        let before = files.map(read);
        let refused = folder.screenshot(&["--list", "jobs.jsonl", "--jobs", "1"]).failed(2);
        let says = "jobs.jsonl:1: a.gltf: ";
        assert!(refused.stderr.contains(says), "{output}: {}", refused.stderr);
        assert!(refused.stderr.contains("this would overwrite the input"), "{}", refused.stderr);
        assert!(files.map(read) == before && !folder.has("2.png"), "{output}");
    }
}

#[test]
fn pictures_of_several_files_that_have_one_name_are_refused_or_fail() {
    let folder = Folder::new();
    folder.screenshot(&["a.gltf", "-o", "ref_a.png"]).done();
    folder.screenshot(&["b.gltf", "-o", "ref_b.png"]).done();
    let references = ["--reference", "ref_{name}.png"];
    for (args, says) in [
        (&["-o", "{file}.png"][..], "-o {file}.png: no such placeholder"),
        (&["-o", "{name}.png", "--reference", "{ref}.png"], "--reference {ref}.png: no such"),
        (&["--diff", "{d}.png", references[0], references[1]], "--diff {d}.png: no such"),
        (&["-o", "{clip}.png"], "would both be written to {clip}.png"),
        (&["-o", "f{frame:4}.png"], "would both be written to f{frame:4}.png"),
        (&["--diff", "d.png", references[0], references[1]], "--diff: "),
        (&["--diff", "-", references[0], references[1]], "--diff -: standard output"),
        (&["-o", "{name}.png", "--reference", "-"], "can't be standard input"),
    ] {
        let several = [&["a.gltf", "b.gltf"], args].concat();
        let refused = folder.screenshot(&several).failed(2);
        assert!(refused.stderr.contains(says), "{args:?}: {}", refused.stderr);
    }
    folder.screenshot(&["a.gltf", "-o", "{file}.png"]).failed(2);
    for name in ["{file}.png", "{clip}.png", "f{frame:4}.png", "d.png", "a.png"] {
        assert!(!folder.has(name), "{name}");
    }
    // Two spellings of a file that is not there yet.
    folder.list(&[r#"{"output": "x.png"}"#, r#"{"output": "./x.png"}"#]);
    let refused = folder.screenshot(&["--list", "jobs.jsonl"]).failed(2);
    assert!(refused.stderr.contains("would both be written to ./x.png"), "{}", refused.stderr);
    // Which clip a line shows is known when it is drawn.
    let line = |clip: &str| format!(r#"{{"file": "a.gltf", "output": "{{clip}}.png", {clip}}}"#);
    folder.list(&[&line(r#""clip": "Turn""#), &line(r#""rest": true"#)]);
    folder.screenshot(&["--list", "jobs.jsonl"]).done();
    assert!(folder.has("Turn.png") && folder.has("rest.png"));
    folder.list(&[&line(r#""clip": "Turn""#), &line(r#""clip": 0"#)]);
    let lines = folder.failures(&["--list", "jobs.jsonl", "--jobs", "1"], 2);
    let says = "jobs.jsonl:2: a.gltf: -o Turn.png: written over that of jobs.jsonl:1: a.gltf";
    assert!(lines[0].contains(says), "{lines:?}");
}

#[test]
fn a_line_switches_off_what_the_call_gives() {
    let folder = Folder::new();
    folder.list(&[
        r#"{"output": "1.png", "rest": true, "light": [0, -1, 0], "skeleton": false}"#,
        r#"{"output": "2.png", "frame": 3}"#,
    ]);
    let call = ["a.gltf", "--list", "jobs.jsonl", "--skeleton", "--clip=Turn", "--light=1,0,0"];
    folder.screenshot(&[&call[..], &["--time", "0.5"]].concat()).done();
    assert!(folder.is_drawn_by("1.png", &["a.gltf", "--rest", "--light=0,-1,0", "--time=0.5"]));
    let second = ["a.gltf", "--skeleton", "--clip=Turn", "--light=1,0,0", "--frame=3"];
    assert!(folder.is_drawn_by("2.png", &second));
    folder.list(&[r#"{"output": "3.png", "args": ["--jobs", "2"]}"#]);
    let refused = folder.screenshot(&["--list", "jobs.jsonl"]).failed(2);
    let says = "jobs.jsonl:1: `jobs` concerns all pictures";
    assert!(refused.stderr.contains(says), "{}", refused.stderr);
}
