//! Joint names in pictures: their font, the order of their letters, and their placement. The tests make their
//! own fonts.

use std::path::{Path, PathBuf};

use image::RgbImage;

use crate::support::{Glb, checkout, command, run, write_font};

/// A folder for fonts, and for models with renamed joints.
struct TestFonts {
    folder: tempfile::TempDir,
}

impl TestFonts {
    fn new() -> Self {
        let fonts = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(fonts.fonts()).unwrap();
        fonts
    }

    fn fonts(&self) -> PathBuf {
        self.folder.path().join("fonts")
    }

    /// Writes the built-in rig with other joint names.
    fn model(&self, rename: impl Fn(usize, &str) -> String) -> PathBuf {
        let mut model = Glb::read(&checkout().join("assets/creature.glb"));
        let nodes = model.json["nodes"].as_array_mut().unwrap();
        for (i, node) in nodes.iter_mut().enumerate() {
            let name = rename(i, node["name"].as_str().unwrap_or("node"));
            node["name"] = name.into();
        }
        let file = self.folder.path().join("model.glb");
        model.write(&file);
        file
    }

    /// Draws a picture with names; also returns standard error.
    fn shown(&self, model: &Path, more: &[&str]) -> (RgbImage, String) {
        let out = self.folder.path().join("out.png");
        let mut command = command();
        command.arg("screenshot").arg(model).arg("-o").arg(&out).args(["--rest", "--joint-names"]);
        command.args(["--size", "400x400"]).args(more).env("RIGVIEW_FONTS", self.fonts());
        let said = run(&mut command).done().stderr;
        (image::open(out).unwrap().into_rgb8(), said)
    }
}

#[test]
fn a_script_that_the_built_in_fonts_lack_is_drawn_by_a_font_that_is_found() {
    let fonts = TestFonts::new();
    let model = fonts.model(|i, _| format!("骨{i}"));
    let (boxes, said) = fonts.shown(&model, &[]);
    // All names together give one line.
    assert!(said.lines().count() == 1, "{said}");
    assert!(said.contains("U+9AA8") && said.contains("fonts-noto-cjk"), "{said}");
    write_font(&fonts.fonts().join("bars.ttf"), &[('骨', 900)]);
    let (bars, said) = fonts.shown(&model, &[]);
    assert_eq!(said, "");
    let bright =
        |picture: &RgbImage| picture.pixels().filter(|p| p.0.iter().all(|c| *c > 230)).count();
    assert!(bright(&bars) > bright(&boxes) + 500, "{} {}", bright(&bars), bright(&boxes));
}

#[test]
fn several_missing_scripts_are_told_once_each() {
    let fonts = TestFonts::new();
    let model = fonts.model(|i, _| ["骨", "손목", "うで", "גב", "หัว", "يد"][i % 6].to_owned());
    let (_, said) = fonts.shown(&model, &[]);
    assert_eq!(said.lines().count(), 2, "{said}");
    assert!(said.contains("fonts-noto-core"), "{said}");
    // Monochrome emoji are built in.
    let (_, said) = fonts.shown(&fonts.model(|i, _| format!("👍 {i} Größe Ελβώ Рука")), &[]);
    assert_eq!(said, "");
}

/// The system's fonts are searched only if the built-in ones lack a letter, because that takes time.
#[test]
fn names_in_latin_letters_search_no_fonts() {
    let fonts = TestFonts::new();
    let searched = |said: &str| said.contains("font faces found");
    let (_, said) = fonts.shown(&fonts.model(|_, name| name.to_owned()), &["--log-level", "debug"]);
    assert!(!searched(&said), "{said}");
    let (_, said) = fonts.shown(&fonts.model(|_, _| "骨".to_owned()), &["--log-level", "debug"]);
    assert!(searched(&said), "{said}");
}

/// A font with the same bars for letters without a direction gives the expected order.
#[test]
fn letters_from_right_to_left_are_drawn_from_right_to_left() {
    let fonts = TestFonts::new();
    let (narrow, wide) = (200, 900);
    let letters = [('א', narrow), ('ב', wide), ('\u{a000}', narrow), ('\u{a001}', wide)];
    write_font(&fonts.fonts().join("bars.ttf"), &letters);
    let picture = |name: &str| fonts.shown(&fonts.model(|_, _| name.to_owned()), &[]).0;
    assert_ne!(picture("אאב"), picture("\u{a000}\u{a000}\u{a001}"));
    assert_eq!(picture("אאב"), picture("\u{a001}\u{a000}\u{a000}"));
    assert_eq!(picture("Lאאב"), picture("L\u{a001}\u{a000}\u{a000}"));
}

#[test]
fn a_prefix_that_all_names_share_is_not_shown() {
    let fonts = TestFonts::new();
    let (short, said) = fonts.shown(&fonts.model(|_, name| name.replace(['_', '.'], "-")), &[]);
    assert_eq!(said, "");
    let long = fonts.model(|_, name| format!("mixamorig:{}", name.replace(['_', '.'], "-")));
    assert_eq!(fonts.shown(&long, &[]).0, short);
}

/// Names do not overlap bones; only thin lines may cross a bone.
#[test]
fn names_leave_bones_as_they_are() {
    let fonts = TestFonts::new();
    let model = fonts.model(|_, name| format!("{name} with a long name"));
    let (named, _) = fonts.shown(&model, &["--skeleton"]);
    let out = fonts.folder.path().join("bare.png");
    let mut bare = command();
    bare.arg("screenshot").arg(&model).arg("-o").arg(&out).args(["--rest", "--skeleton"]);
    run(bare.args(["--size", "400x400"])).done();
    let bare = image::open(out).unwrap().into_rgb8();
    // The colour of bones.
    let is_bone = |p: &image::Rgb<u8>| p.0[0] > 200 && (160..215).contains(&p.0[1]) && p.0[2] < 130;
    let bones = bare.pixels().zip(named.pixels()).filter(|(a, _)| is_bone(a));
    let (mut kept, mut covered) = (0, 0);
    bones.for_each(|(a, b)| if a == b { kept += 1 } else { covered += 1 });
    assert!(kept > 300 && 10 * covered < kept, "{kept} pixels of bones kept, {covered} covered");
}

#[test]
fn names_are_rimmed_so_that_they_show_on_white() {
    let fonts = TestFonts::new();
    let model = fonts.model(|_, name| name.to_owned());
    let named = fonts.shown(&model, &["--background", "#ffffff", "--pass", "albedo"]).0;
    let dark = named.pixels().filter(|p| p.0.iter().all(|c| *c < 50)).count();
    let bright = named.pixels().filter(|p| p.0.iter().all(|c| *c > 240)).count();
    assert!(dark > 2200 && bright > 100_000, "{dark} dark pixels, {bright} bright ones");
}
