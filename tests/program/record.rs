//! `record`: PNG series, animated PNG and GIF, and raw video, decoded again and compared with screenshots.

use std::io::Cursor;
use std::path::PathBuf;

use image::codecs::png::PngDecoder;
use image::{AnimationDecoder, RgbaImage};
use serde_json::json;

use crate::support::{Run, SmallModel, rigview};

/// A folder with a square that turns by half a turn in two seconds.
struct Folder(tempfile::TempDir);

/// Ten frames of 40 x 30 pixels.
const SMALL: [&str; 4] = ["--size", "40x30", "--fps", "5"];

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        SmallModel::new().clip("Turn").write_gltf(&folder.path("model.gltf"));
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }

    fn run(&self, command: &str, out: &str, args: &[&str]) -> Run {
        let out = if out == "-" { out.to_owned() } else { self.text(out) };
        let model = self.text("model.gltf");
        rigview([&[command, &model, "-o", &out][..], args].concat())
    }

    fn record(&self, out: &str, args: &[&str]) -> Run {
        self.run("record", out, args).done()
    }

    fn screenshot(&self, args: &[&str]) -> Vec<u8> {
        self.run("screenshot", "-", args).done().stdout
    }

    fn names(&self) -> Vec<String> {
        let entries = self.0.path().read_dir().unwrap();
        let name =
            |e: std::io::Result<std::fs::DirEntry>| e.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<_> = entries.map(name).collect();
        names.sort();
        names
    }
}

fn pixels(png: &[u8]) -> RgbaImage {
    image::load_from_memory(png).unwrap().to_rgba8()
}

/// The frames of a GIF as a viewer shows them, with their delays in hundredths of a second.
fn gif_frames(bytes: &[u8]) -> Vec<(RgbaImage, u16)> {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(bytes).unwrap();
    let (width, height) = (u32::from(decoder.width()), u32::from(decoder.height()));
    let mut shown = RgbaImage::new(width, height);
    let mut frames = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        let size = (u32::from(frame.width), u32::from(frame.height));
        let part = RgbaImage::from_raw(size.0, size.1, frame.buffer.to_vec()).unwrap();
        let at = |x, y| (x + u32::from(frame.left), y + u32::from(frame.top));
        for (x, y, pixel) in part.enumerate_pixels().filter(|(.., pixel)| pixel[3] > 0) {
            let (x, y) = at(x, y);
            shown.put_pixel(x, y, *pixel);
        }
        frames.push((shown.clone(), frame.delay));
        if frame.dispose == gif::DisposalMethod::Background {
            for (x, y, _) in part.enumerate_pixels() {
                let (x, y) = at(x, y);
                shown.put_pixel(x, y, image::Rgba([0; 4]));
            }
        }
    }
    frames
}

#[test]
fn a_series_has_a_file_per_frame_equal_to_its_screenshot() {
    let folder = Folder::new();
    folder.record("{clip}_{frame:3}.png", &SMALL);
    let mut expected: Vec<String> = (0..10).map(|i| format!("Turn_{i:03}.png")).collect();
    expected.push("model.gltf".into());
    assert_eq!(folder.names(), expected);
    let file = |i: usize| std::fs::read(folder.path(&format!("Turn_{i:03}.png"))).unwrap();
    for (frame, time) in [(0, "0"), (3, "0.6"), (9, "1.8")] {
        let args = [&SMALL[..], &["--time", time]].concat();
        assert!(file(frame) == folder.screenshot(&args), "frame {frame}");
    }
    assert_ne!(file(9), file(0), "the loop shows its first frame twice");
}

#[test]
fn an_animated_png_has_the_pixels_of_the_series() {
    let folder = Folder::new();
    for look in [&[][..], &["--background", "transparent"], &["--pass", "depth"]] {
        let args = [&SMALL[..], look].concat();
        folder.record("a.apng", &args);
        folder.record("f{frame}.png", &args);
        let bytes = std::fs::read(folder.path("a.apng")).unwrap();
        let decoder = PngDecoder::new(Cursor::new(&bytes)).unwrap();
        assert!(decoder.is_apng().unwrap());
        if look == ["--pass", "depth"] {
            // The decoder does not animate 16 bits; its first image is the first frame.
            let first = image::load_from_memory(&bytes).unwrap();
            let single = image::open(folder.path("f0.png")).unwrap();
            assert!(first == single && first.as_luma16().is_some());
            continue;
        }
        let frames = decoder.apng().unwrap().into_frames().collect_frames().unwrap();
        assert_eq!(frames.len(), 10);
        for (i, frame) in frames.iter().enumerate() {
            let (over, under) = frame.delay().numer_denom_ms();
            assert_eq!(over, 200 * under);
            let single = image::open(folder.path(&format!("f{i}.png"))).unwrap().to_rgba8();
            assert!(*frame.buffer() == single, "{look:?}: frame {i}");
        }
    }
}

#[test]
fn a_gif_shows_the_colours_for_exactly_the_clips_duration() {
    let folder = Folder::new();
    let part = ["--size", "60x40", "--fps", "30", "--from", "0.5", "--to", "1.5"];
    let args = [&part[..], &["--background", "#2b2f36"]].concat();
    folder.record("a.gif", &args);
    folder.record("f{frame}.png", &args);
    let frames = gif_frames(&std::fs::read(folder.path("a.gif")).unwrap());
    let mut begins = 0;
    let mut last: Option<(RgbaImage, RgbaImage)> = None;
    for (i, (shown, delay)) in frames.iter().enumerate() {
        let expected = (i as f64 * 100.0 / 30.0).round();
        assert_eq!(f64::from(begins), expected, "frame {i}");
        assert!([3, 4].contains(delay), "frame {i}: {delay}");
        begins += u32::from(*delay);
        let drawn = image::open(folder.path(&format!("f{i}.png"))).unwrap().to_rgba8();
        let off = drawn.iter().zip(shown.iter()).map(|(a, b)| u32::from(a.abs_diff(*b)));
        let mean = f64::from(off.sum::<u32>()) / drawn.len() as f64;
        assert!(mean < 1.0, "frame {i}: {mean}");
        // Where nothing changes, no dot changes.
        if let Some((drawn_before, shown_before)) = &last {
            for (x, y, pixel) in drawn.enumerate_pixels() {
                if drawn_before.get_pixel(x, y) == pixel {
                    assert_eq!(shown_before.get_pixel(x, y), shown.get_pixel(x, y), "{i}: {x} {y}");
                }
            }
        }
        last = Some((drawn, shown.clone()));
    }
    assert_eq!((frames.len(), begins), (30, 100));
    // The background is exact.
    assert_eq!(frames[7].0.get_pixel(0, 0).0, [0x2b, 0x2f, 0x36, 255]);
}

#[test]
fn a_gif_keeps_a_transparent_background() {
    let folder = Folder::new();
    let args = [&SMALL[..], &["--background", "transparent"]].concat();
    folder.record("a.gif", &args);
    folder.record("f{frame}.png", &args);
    let frames = gif_frames(&std::fs::read(folder.path("a.gif")).unwrap());
    assert_eq!(frames.len(), 10);
    for (i, (shown, _)) in frames.iter().enumerate() {
        let drawn = image::open(folder.path(&format!("f{i}.png"))).unwrap().to_rgba8();
        for (a, b) in drawn.pixels().zip(shown.pixels()) {
            assert_eq!(a[3] >= 128, b[3] == 255, "frame {i}");
        }
    }
    assert_eq!(frames[0].0.get_pixel(0, 0)[3], 0);
}

#[test]
fn raw_video_has_every_frame_in_order() {
    let folder = Folder::new();
    let odd = ["--size", "33x21", "--fps", "5", "--from", "0.2", "--to", "0.8", "-o"];
    let model = folder.text("model.gltf");
    let args = |flag| [&["record", &model][..], &odd, &["-", flag]].concat();
    let rgba = rigview(args("--rgba")).done().stdout;
    let frame = 33 * 21 * 4;
    assert_eq!(rgba.len(), 3 * frame);
    for (i, time) in ["0.2", "0.4", "0.6"].iter().enumerate() {
        let single = folder.screenshot(&["--size", "33x21", "--time", time]);
        assert!(rgba[i * frame..(i + 1) * frame] == pixels(&single).into_raw()[..], "frame {i}");
    }
    let y4m = rigview(args("--y4m")).done().stdout;
    let (header, rest) = y4m.split_at(y4m.iter().position(|b| *b == b'\n').unwrap() + 1);
    let header = std::str::from_utf8(header).unwrap();
    for tag in ["YUV4MPEG2 ", " W33 ", " H21 ", " F5:1 ", " C420jpeg ", " XCOLORRANGE=LIMITED\n"] {
        assert!(header.contains(tag), "{tag} in {header}");
    }
    let planes = 33 * 21 + 2 * 17 * 11;
    assert_eq!(rest.len(), 3 * (6 + planes));
    for (frame, rgba) in rest.chunks_exact(6 + planes).zip(rgba.chunks_exact(frame)) {
        assert_eq!(&frame[..6], b"FRAME\n");
        for (luma, p) in frame[6..].iter().zip(rgba.chunks_exact(4)) {
            let [r, g, b] = [p[0], p[1], p[2]].map(f64::from);
            let expected = 16.0 + 219.0 / 255.0 * (0.299 * r + 0.587 * g + 0.114 * b);
            assert!((f64::from(*luma) - expected).abs() < 0.51, "{luma} {expected}");
        }
    }
}

#[test]
fn a_turntable_turns_once_and_closes() {
    let folder = Folder::new();
    let turn = ["--turntable", "--rest", "--to", "1", "--fps", "8", "--pass", "mask"];
    let eye = ["--eye", "0,0,6", "--target", "0,0,0", "--size", "48x48"];
    folder.record("t{frame}.png", &[&turn[..], &eye].concat());
    let white = |png: &RgbaImage| png.pixels().filter(|p| p[0] > 0).count();
    let frame = |i: usize| image::open(folder.path(&format!("t{i}.png"))).unwrap().to_rgba8();
    assert_eq!(folder.names().len(), 8 + 1);
    let still = pixels(&folder.screenshot(&[&["--rest", "--pass", "mask"][..], &eye].concat()));
    let whole = white(&still);
    assert!(frame(0) == still && whole > 100);
    // The square is seen from its edge after a quarter, and from behind after half of the turn.
    assert_eq!(white(&frame(2)), 0);
    assert!(white(&frame(4)).abs_diff(whole) <= 4);
    assert!(white(&frame(7)) < whole && white(&frame(7)) > whole / 2);
    // The usual camera turns too, and a pose of the clip may be held meanwhile.
    let usual = ["--turntable", "--time", "0.5", "--fps", "2", "--size", "32x32"];
    folder.record("u{frame}.png", &usual);
    let frames: Vec<_> = (0..8).map(|i| std::fs::read(folder.path(&format!("u{i}.png")))).collect();
    let frames: Vec<Vec<u8>> = frames.into_iter().collect::<Result<_, _>>().unwrap();
    assert!((1..8).all(|i| frames[i] != frames[i - 1]), "two frames of the turn are equal");
    assert!(!folder.path("u8.png").exists(), "a turn takes four seconds");
}

#[test]
fn a_clip_can_be_repeated_and_a_still_pose_is_one_frame() {
    let folder = Folder::new();
    folder.record("r{frame}.png", &[&SMALL[..], &["--repeat", "2"]].concat());
    let file = |name: &str| std::fs::read(folder.path(name)).unwrap();
    for i in 0..10 {
        assert_eq!(file(&format!("r{i}.png")), file(&format!("r{}.png", i + 10)));
    }
    assert!(!folder.path("r20.png").exists());
    folder.record("still.gif", &["--rest", "--size", "32x32"]);
    assert_eq!(gif_frames(&file("still.gif")).len(), 1);
}

#[test]
fn wrong_outputs_and_times_are_2_and_say_what_to_do() {
    let folder = Folder::new();
    for (out, args, says) in [
        ("a.mp4", &[][..], "ffmpeg"),
        ("-", &[], "--y4m or --rgba"),
        ("a.gif", &["--y4m"], "--y4m"),
        ("a.gif", &["--fps", "60"], "--fps 50|.apng"),
        ("a.y4m", &["--background", "transparent"], "--rgba"),
        ("a.gif", &["--time", "1"], "--from"),
        ("a.gif", &["--from", "1.5", "--to", "1"], "--to 1"),
        (
            "a.gif",
            &["--from", "5"],
            "--from 5 is not before the end of the clip; the clip takes 2 s",
        ),
        ("a_{frame:x}.png", &[], "there are {model}, {name}, {clip}, {frame} and {frame:4}"),
        ("a_{foo}.gif", &[], "no such placeholder"),
        ("a_{frame}.gif", &[], "name them frame_{frame:4}.png"),
        ("a_{frame:4}.bin", &["--y4m"], "leave {frame} out"),
        ("a.apng", &["--fps", "1e9"], "frames"),
        ("a.gif", &["--clip", "Fly"], "Turn"),
        ("a.gif", &["--turntable", "--camera", "0"], "--camera"),
    ] {
        let run = folder.run("record", out, args).failed(2);
        let said = says.split('|').any(|says| run.stderr.contains(says));
        assert!(said, "{out} {args:?} says {says}: {}", run.stderr);
    }
    assert_eq!(folder.names(), ["model.gltf"]);
}

#[test]
fn parts_and_repetitions_of_a_still_pose_are_warned_of() {
    let folder = Folder::new();
    let still = ["--rest", "--size", "8x8", "--fps", "5", "--from", "1", "--repeat", "2"];
    let lines = |more: &[&str]| folder.record("a.apng", &[&still[..], more].concat()).stderr;
    let warned = lines(&[]);
    assert!(warned.contains("--from has no effect") && warned.contains("--repeat has"), "{warned}");
    assert_eq!(lines(&["--to", "2"]), "");
}

/// As those of `screenshot --time`, instants that the clip does not have are said, and the clip is recorded.
#[test]
fn ends_that_the_clip_does_not_have_are_warned_of() {
    let folder = Folder::new();
    let part = ["--from", "-1", "--to", "9", "--size", "8x8", "--fps", "5"];
    let run = folder.record("a.apng", &part);
    let [from, to] = run.stderr.lines().collect::<Vec<_>>()[..] else {
        panic!("a line per end: {}", run.stderr);
    };
    assert!(from.contains("-1 s is before the start of the clip"), "{from}");
    assert!(to.contains("9 s is after the end of the clip, which lasts 2 s"), "{to}");
    let whole = folder.record("b.apng", &part[4..]);
    assert_eq!(whole.stderr, "");
    assert!(
        std::fs::read(folder.path("a.apng")).unwrap()
            == std::fs::read(folder.path("b.apng")).unwrap()
    );
}

#[cfg(unix)]
mod unix {
    use std::io::{BufRead, BufReader};
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};

    use super::*;
    use crate::support::command;

    fn start(folder: &Folder, out: &str) -> Child {
        let args = ["--repeat", "1000", "--size", "64x48", "-v"];
        let mut command = command();
        command.arg("record").arg(folder.path("model.gltf")).arg("-o").arg(folder.path(out));
        // A test run that ignores SIGINT, such as the background job of a script, hands that on.
        let interruptible = || {
            // SAFETY: signal is async-signal-safe, as what runs between fork and exec must be.
            let before = unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
            if before == libc::SIG_ERR { Err(std::io::Error::last_os_error()) } else { Ok(()) }
        };
        // SAFETY: the closure allocates nothing and takes no lock.
        unsafe { command.pre_exec(interruptible) };
        command.args(args).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Interrupts the program, as Ctrl+C does, after it has written a frame.
    fn interrupt(mut child: Child, after: &str) {
        let mut stderr = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(stderr.any(|line| line.unwrap().contains(after)), "no line says {after}");
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-s", "INT", &id]).status().unwrap().success());
        // Keep reading, so that the program is not ended by a closed pipe.
        stderr.for_each(drop);
        assert_eq!(child.wait().unwrap().code(), None, "a signal ends the program");
    }

    #[test]
    fn an_interrupted_recording_leaves_no_file() {
        let folder = Folder::new();
        std::fs::write(folder.path("old.gif"), "old").unwrap();
        for out in ["new.gif", "new.apng", "new.y4m", "old.gif"] {
            interrupt(start(&folder, out), "frame 3 of ");
            assert_eq!(folder.names(), ["model.gltf", "old.gif"], "{out}");
        }
        assert_eq!(std::fs::read(folder.path("old.gif")).unwrap(), b"old");
    }

    #[test]
    fn an_interrupted_series_has_whole_files_only() {
        let folder = Folder::new();
        interrupt(start(&folder, "f{frame}.png"), "frame 5 of ");
        let names = folder.names();
        assert!(names.len() >= 4 && names.iter().all(|name| !name.starts_with('.')), "{names:?}");
        for name in names.iter().filter(|name| name.ends_with(".png")) {
            image::open(folder.path(name)).unwrap();
        }
    }

    #[test]
    fn a_reader_that_stops_ends_the_recording_quietly() {
        let folder = Folder::new();
        let mut command = command();
        command.arg("record").arg(folder.path("model.gltf"));
        command.args(["-o", "-", "--y4m", "--repeat", "1000", "--size", "64x48"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut header = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut header).unwrap();
        assert!(header.starts_with("YUV4MPEG2"));
        let done = child.wait_with_output().unwrap();
        assert_eq!((done.status.code(), &done.stderr[..]), (Some(0), &b""[..]));
    }
}

/// A bar that moves from the legend's first corner to the edge of its second one.
#[test]
fn the_legend_does_not_jump_from_frame_to_frame() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let file = path("bar.gltf");
    let bar = SmallModel::new().clip("Turn").edit(|json| {
        // Read as translations, the two rotations are 0 and 1 metre along X.
        json["animations"][0]["channels"][0]["target"]["path"] = json!("translation");
        json["accessors"][3]["type"] = json!("VEC3");
        json["nodes"][0]["scale"] = json!([0.3, 1, 1]);
    });
    bar.write_gltf(file.as_ref());
    let (target, eye) = ("0.567,1.467,0", "0.567,1.467,5");
    let film = ["--fps", "4", "--size", "600x600", "--pass", "overdraw", "--orthographic", "4"];
    let drawn = |name: &str, more: &[&str]| {
        let out = path(&format!("{name}{{frame}}.png"));
        let words = ["record", &file, "-o", &out, "--eye", eye, "--target", target];
        rigview([&words[..], &film, more].concat()).done();
    };
    drawn("with", &[]);
    drawn("without", &["--no-legend"]);
    let corner = |frame: usize| {
        let [with, without] = ["with", "without"]
            .map(|name| image::open(path(&format!("{name}{frame}.png"))).unwrap().into_rgb8());
        let differs = with.enumerate_pixels().filter(|(x, y, p)| *p != without.get_pixel(*x, *y));
        let places: Vec<_> = differs.map(|(x, y, _)| [x / 300, y / 300]).collect();
        assert!(places.len() > 3000 && places.iter().all(|place| *place == places[0]), "{frame}");
        places[0]
    };
    let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(corner);
    assert_eq!(corners, [[1, 1]; 8], "lower right");
}
