//! `thumbnail`: its PNG, its limits, and broken files.

use std::path::{Path, PathBuf};

use crate::support::{SmallModel, command, for_each, models_below, rigview, run, shared};

/// Writes a small model whose name needs encoding in a URI.
fn model(folder: &Path) -> PathBuf {
    let path = folder.join("a model #1.gltf");
    SmallModel::new().clip("Turn").write_gltf(&path);
    path
}

/// Returns the values of a PNG's tEXt chunks.
fn texts(png: &Path) -> Vec<(String, String)> {
    let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(png).unwrap()));
    let reader = decoder.read_info().unwrap();
    let texts = &reader.info().uncompressed_latin1_text;
    texts.iter().map(|text| (text.keyword.clone(), text.text.clone())).collect()
}

#[test]
fn a_thumbnail_is_square_transparent_and_names_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(folder.path());
    let out = folder.path().join("out.png");
    let path = model.to_str().unwrap();
    let uri = format!("file://{}", path.replace(' ', "%20").replace('#', "%23"));
    let modified = model.metadata().unwrap().modified().unwrap();
    let modified = modified.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs().to_string();
    let mut pictures = Vec::new();
    for input in [path, &uri] {
        let _ = std::fs::remove_file(&out);
        let mut command = command();
        // As on a desktop, without a chosen adapter.
        command.env_remove("RIGVIEW_ADAPTER").args(["thumbnail", "-s", "96", "-i", input, "-o"]);
        let run = run(command.arg(&out)).done();
        assert_eq!(run.stderr, "", "{input}");
        let texts = texts(&out);
        let text =
            |key: &str| texts.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str());
        assert_eq!(text("Thumb::URI"), Some(uri.as_str()));
        assert_eq!(text("Thumb::MTime"), Some(modified.as_str()));
        assert_eq!(text("Thumb::Size").unwrap(), model.metadata().unwrap().len().to_string());
        let image::DynamicImage::ImageRgba8(picture) = image::open(&out).unwrap() else {
            panic!("a thumbnail has eight bits per channel and alpha")
        };
        assert_eq!(picture.dimensions(), (96, 96));
        pictures.push(picture);
    }
    assert_eq!(pictures[0], pictures[1]);
    let alpha = |x: u32, y: u32| pictures[0].get_pixel(x, y)[3];
    // The shadow on the ground may reach the lower ones.
    for corner in [(0, 0), (95, 0)] {
        assert_eq!(alpha(corner.0, corner.1), 0, "{corner:?}");
    }
    let opaque = pictures[0].pixels().filter(|pixel| pixel[3] == 255).count();
    assert!(opaque > 96 * 96 / 20, "{opaque} pixels show the model");
}

#[test]
fn wrong_inputs_have_their_exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(folder.path());
    let out = folder.path().join("out.png").to_string_lossy().into_owned();
    let thumbnail = |input: &str, more: &[&str]| {
        rigview([&["thumbnail", "-i", input, "-o", &out][..], more].concat())
    };
    let model = model.to_str().unwrap();
    for (input, code, says) in [
        ("http://host/a.glb", 2, "scheme http"),
        ("file://elsewhere/a.glb", 2, "another computer"),
        ("file:///no/such%20file.glb", 3, "/no/such file.glb: not found"),
        (folder.path().to_str().unwrap(), 3, "folder"),
    ] {
        let run = thumbnail(input, &[]).failed(code);
        assert!(run.stderr.contains(says), "{input}: {}", run.stderr);
    }
    let run = thumbnail(model, &["-s", "0"]).failed(2);
    assert!(run.stderr.contains("0"), "{}", run.stderr);
    let run = rigview(["thumbnail", "-i", model, "-o", model]).failed(2);
    assert!(run.stderr.contains("overwrite"), "{}", run.stderr);
    assert!(!Path::new(&out).exists());
}

#[test]
fn a_file_beyond_the_limits_ends_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(folder.path());
    let large = folder.path().join("large.glb");
    // A file with a hole takes no room.
    std::fs::File::create(&large).unwrap().set_len(5 << 30).unwrap();
    for (input, limit, says) in [
        (&model, ["--time-limit", "0.000001"], "--time-limit"),
        (&model, ["--memory-limit", "1"], "--memory-limit"),
        (&large, ["--memory-limit", "1024"], "5120 MiB"),
    ] {
        if cfg!(not(target_os = "linux")) && limit[1] == "1" {
            continue;
        }
        let out = folder.path().join("out.png");
        let args = ["thumbnail", "-s", "2048", "-i", input.to_str().unwrap(), "-o"];
        let run = run(command().args(args).arg(&out).args(limit)).failed(3);
        assert!(run.stderr.contains(says), "{}", run.stderr);
        let left: Vec<_> = folder.path().read_dir().unwrap().flatten().collect();
        assert_eq!(left.len(), 2, "{left:?}");
    }
}

/// A FIFO that nobody reads or writes blocks whoever opens it.
#[test]
#[cfg(unix)]
fn a_fifo_does_not_keep_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo.glb");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status().unwrap();
    assert!(made.success());
    let [fifo, model] =
        [&fifo, &model(folder.path())].map(|path| path.to_str().unwrap().to_owned());
    let out = folder.path().join("out.png").to_string_lossy().into_owned();
    let limit = ["--time-limit", "5"];
    let run = rigview(["thumbnail", "-i", &fifo, "-o", &out]).failed(3);
    assert!(run.stderr.contains("pipe"), "{}", run.stderr);
    let run = rigview([&["thumbnail", "-i", &model, "-o", &fifo][..], &limit].concat()).failed(3);
    assert!(run.stderr.contains("--time-limit"), "{}", run.stderr);
}

/// A sandbox may mount only the output file, which can then be written but not replaced. A folder that is not writable
/// is such a place for users other than root.
#[test]
fn an_existing_output_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (model, out) = (model(folder.path()), folder.path().join("out.png"));
    std::fs::write(&out, "old").unwrap();
    let args = ["thumbnail", "-s", "32", "-i", model.to_str().unwrap(), "-o"];
    run(command().args(args).arg(&out)).done();
    assert_eq!(image::open(&out).unwrap().width(), 32);
}

/// Each file either gives a picture or exit code 3 in one line. Every twentieth is tried: they all take the same path
/// through the import, which other tests try with all.
#[test]
fn hostile_files_give_a_picture_or_one_line() {
    let Some(shared) = shared("hostile_files_give_a_picture_or_one_line") else { return };
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<_> =
        models_below(&shared.join("hostile/files")).into_iter().step_by(20).collect();
    assert!(files.len() > 10, "{files:?}");
    for_each(&files, |file| {
        let out = folder.path().join(file.file_name().unwrap()).with_extension("png");
        let mut command = command();
        command
            .arg("thumbnail")
            .args(["--time-limit", "120", "-s", "32", "-q", "-i"])
            .arg(file)
            .arg("-o")
            .arg(&out);
        let run = run(&mut command);
        match run.code {
            Some(0) => assert!(out.exists(), "{}", file.display()),
            _ => assert!(
                !out.exists() && run.clone().failed(3).code == Some(3),
                "{}",
                file.display()
            ),
        }
    });
}

#[test]
fn files_that_the_model_refers_to_are_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let (path, buffer) = (folder.path().join("a.gltf"), folder.path().join("a.bin"));
    SmallModel::new().clip("Turn").write_gltf_with(&path, &buffer);
    let before = std::fs::read(&buffer).unwrap();
    for out in [&path, &buffer] {
        let args = ["thumbnail".as_ref(), "-i".as_ref(), path.as_os_str(), "-o".as_ref()];
        let run = rigview(args.into_iter().chain([out.as_os_str()])).failed(2);
        assert!(run.stderr.contains("would overwrite the input"), "{}", run.stderr);
    }
    assert!(std::fs::read(&buffer).unwrap() == before);
}
