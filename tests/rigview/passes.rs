//! Each `--pass`, checked by counting pixels. The scene is a square two metres wide that faces +Z, in a view
//! four metres high, so the square takes half of the picture's width and height.

use std::path::Path;

use image::DynamicImage;

use crate::support::{SmallModel, rigview};

fn shot(folder: &Path, args: &[&str]) -> DynamicImage {
    let (file, out) = (folder.join("square.gltf"), folder.join("square.png"));
    if !file.exists() {
        SmallModel::new().write_gltf(&file);
    }
    let paths = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
    rigview([&paths[..], &["--size", "200x200"], args].concat()).done();
    image::open(out).unwrap()
}

/// Returns the colours and the number of pixels of each.
fn counts(picture: &DynamicImage) -> Vec<([u8; 3], usize)> {
    let mut counts = Vec::new();
    for pixel in picture.to_rgb8().pixels() {
        match counts.iter_mut().find(|(colour, _)| *colour == pixel.0) {
            Some((_, n)) => *n += 1,
            None => counts.push((pixel.0, 1)),
        }
    }
    counts.sort();
    counts
}

const FRONT: [&str; 4] = ["--orbit", "0,0", "--orthographic", "4"];
const BACK: [&str; 4] = ["--orbit", "180,0", "--orthographic", "4"];

fn passed(name: &str, view: [&str; 4]) -> Vec<([u8; 3], usize)> {
    let folder = tempfile::tempdir().unwrap();
    let args = [&["--pass", name, "--background", "#010203"], &view[..]].concat();
    counts(&shot(folder.path(), &args))
}

const AROUND: ([u8; 3], usize) = ([1, 2, 3], 30_000);

#[test]
fn a_mask_is_white_on_black_from_both_sides_whatever_the_background() {
    for view in [FRONT, BACK] {
        assert_eq!(passed("mask", view), [([0; 3], 30_000), ([255; 3], 10_000)]);
    }
}

#[test]
fn a_single_sided_square_has_no_back() {
    for pass in ["shaded", "albedo", "normal"] {
        assert_eq!(passed(pass, BACK), [([1, 2, 3], 40_000)], "{pass}");
    }
}

#[test]
fn values_come_as_plain_bytes() {
    assert_eq!(passed("albedo", FRONT), [AROUND, ([255; 3], 10_000)]);
    for pass in ["normal", "geometric-normal"] {
        assert_eq!(passed(pass, FRONT), [AROUND, ([128, 128, 255], 10_000)], "{pass}");
    }
    // The square has no texture coordinates and no joints, so both values are zero.
    for pass in ["uv", "influences"] {
        assert_eq!(passed(pass, FRONT), [([0; 3], 10_000), AROUND], "{pass}");
    }
}

#[test]
fn fronts_are_blue_and_backs_are_red() {
    let colour = |view| {
        let list = passed("faces", view);
        assert_eq!(list.len(), 2, "{list:?}");
        list.into_iter().find(|(colour, _)| *colour != AROUND.0).unwrap()
    };
    let ([r, _, b], front) = colour(FRONT);
    assert!(front == 10_000 && b > 2 * r);
    let ([r, _, b], back) = colour(BACK);
    assert!(back == 10_000 && r > 2 * b);
}

#[test]
fn depth_is_linear_from_near_to_far_in_sixteen_bits() {
    let folder = tempfile::tempdir().unwrap();
    // The square is 5 metres away, halfway between the planes at 1 and 9.
    let camera = "--eye 0,0,5 --target 0,0,0 --near 1 --far 9 --pass depth";
    let args: Vec<&str> = camera.split(' ').collect();
    let DynamicImage::ImageLuma16(picture) = shot(folder.path(), &args) else {
        panic!("not sixteen bits of grey");
    };
    let middle = picture.get_pixel(100, 100).0[0];
    assert!((i32::from(middle) - 32768).abs() <= 8, "{middle}");
    assert_eq!(picture.get_pixel(0, 0).0[0], 65535);
}

#[test]
fn light_from_everywhere_gives_white_back_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let picture = shot(folder.path(), &[&FRONT[..], &["--environment", "uniform:0.5"]].concat());
    let [r, g, b] = picture.to_rgb8().get_pixel(100, 100).0;
    // Linear 0.5, minus the 4 % that the tone map subtracts from every colour: 181 in sRGB.
    assert!(r == g && g == b && r.abs_diff(181) <= 1, "{r} {g} {b}");
}

#[test]
fn a_light_on_white_that_faces_it_gives_one() {
    let folder = tempfile::tempdir().unwrap();
    SmallModel::new().paper().write_gltf(&folder.path().join("square.gltf"));
    let lux = std::f32::consts::FRAC_PI_2.to_string();
    let light = format!("--light=0,0,-1,{lux}");
    let picture = shot(folder.path(), &[&FRONT[..], &[&light]].concat());
    let [r, ..] = picture.to_rgb8().get_pixel(100, 100).0;
    assert!(r.abs_diff(181) <= 1, "{r}");
}
