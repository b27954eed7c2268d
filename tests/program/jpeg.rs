//! JPEG images of all common kinds as base colours: the drawn colours are those that were encoded.

use crate::materials::run;
use crate::support::{Shape, rigview};

/// Two halves of one colour each, with 8 x 16 pixels.
struct Case {
    name: &'static str,
    file: &'static [u8],
    left: [u8; 3],
    right: [u8; 3],
}

macro_rules! case {
    ($name:literal, $left:expr, $right:expr) => {
        Case {
            name: $name,
            file: include_bytes!(concat!("jpeg/", $name)),
            left: $left,
            right: $right,
        }
    };
}

const ORANGE: [u8; 3] = [200, 100, 50];
const BLUE: [u8; 3] = [40, 90, 220];

const CASES: [Case; 8] = [
    case!("grey.jpg", [180; 3], [60; 3]),
    case!("grey-progressive.jpg", [180; 3], [60; 3]),
    case!("color-420.jpg", ORANGE, BLUE),
    case!("color-422.jpg", ORANGE, BLUE),
    case!("color-444-progressive.jpg", ORANGE, BLUE),
    // The components are red, green and blue, according to Adobe's marker.
    case!("rgb.jpg", ORANGE, BLUE),
    // CMYK, inverted as Adobe writes it; in the second file three components are converted to YCbCr.
    case!("cmyk.jpg", ORANGE, BLUE),
    case!("ycck.jpg", ORANGE, BLUE),
];

#[test]
fn every_kind_has_the_colours_that_were_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for case in &CASES {
        let material = serde_json::json!(
            {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}});
        let square = Shape::square().material(material).picture(case.file);
        let run = run(folder.path(), square, &["--pass", "albedo"]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", case.name);
        let picture = image::open(folder.path().join("shape.png")).unwrap().into_rgb8();
        let (width, height) = picture.dimensions();
        // The square is half as wide as the picture.
        for (side, want) in [(3, case.left), (5, case.right)] {
            let got = picture.get_pixel(width * side / 8, height / 2).0;
            if got.iter().zip(want).any(|(got, want)| got.abs_diff(want) > 4) {
                wrong.push(format!("{}: {got:?}, not {want:?}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Some programs leave the last marker out, and a cut may leave half of it.
#[test]
fn an_image_without_its_last_marker_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let material = serde_json::json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}});
    for case in &CASES {
        for lost in [1, 2] {
            let cut = &case.file[..case.file.len() - lost];
            let square = Shape::square().material(material.clone()).picture(cut);
            let file = folder.path().join("shape.gltf");
            std::fs::write(&file, square.gltf()).unwrap();
            let run = rigview(["check", file.to_str().unwrap()]);
            assert!(!run.text().contains("IMAGE_BROKEN"), "{} {lost}: {}", case.name, run.text());
        }
    }
}

/// Decoders fill what is missing with grey, which is no defect of the model that is seen.
#[test]
fn a_part_of_an_image_is_drawn_and_its_loss_said() {
    let folder = tempfile::tempdir().unwrap();
    let material = serde_json::json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}});
    // Cut within the last scan, which ends with a marker of two bytes.
    for (case, lost) in [(&CASES[0], 8), (&CASES[0], 3), (&CASES[3], 16), (&CASES[4], 3)] {
        let cut = &case.file[..case.file.len() - lost];
        let square = Shape::square().material(material.clone()).picture(cut);
        let run = run(folder.path(), square, &["--pass", "albedo"]);
        assert_eq!(run.code, Some(0), "{}", case.name);
        assert!(run.stderr.contains("damaged or cut short"), "{}: {}", case.name, run.stderr);
        let file = folder.path().join("shape.gltf");
        let found = rigview(["check", file.to_str().unwrap()]).failed(1);
        assert!(found.text().contains("IMAGE_BROKEN"), "{}: {}", case.name, found.text());
    }
}
