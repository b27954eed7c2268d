//! Joints and bones as solids, and hidden by the mesh.

use std::path::Path;

use image::RgbImage;

use crate::support::rigview;

/// Draws a file, or the creature, on black.
fn picture(folder: &Path, file: Option<&Path>, arguments: &[&str]) -> RgbImage {
    let out = folder.join("out.png");
    let fixed = ["--size", "320x240", "--background", "#000000", "-o", out.to_str().unwrap()];
    let file = file.map(|file| file.to_str().unwrap());
    let words = ["screenshot"].into_iter().chain(file).chain(fixed);
    rigview(words.chain(arguments.iter().copied())).done();
    image::open(&out).unwrap().into_rgb8()
}

/// Returns the number of pixels that differ by more than rounding.
fn different(a: &RgbImage, b: &RgbImage) -> usize {
    let far = |(a, b): &(&image::Rgb<u8>, &image::Rgb<u8>)| {
        a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > 8)
    };
    a.pixels().zip(b.pixels()).filter(far).count()
}

#[test]
fn solids_are_as_large_as_the_bones() {
    let folder = tempfile::tempdir().unwrap();
    let draw = |scale: f32, style: &str, more: &[&str]| {
        let file = folder.path().join("walker.gltf");
        std::fs::write(&file, crate::bones::walker(scale).to_string()).unwrap();
        let all = [&["--time", "0", "--skeleton", "--joint-style", style], more].concat();
        picture(folder.path(), Some(&file), &all)
    };
    let lit = |picture: &RgbImage| picture.pixels().filter(|p| p.0.iter().any(|c| *c > 30)).count();
    for style in ["octahedra", "balls", "spikes"] {
        let small = draw(1.0, style, &[]);
        assert!(lit(&small) > 60, "{style}: {} pixels", lit(&small));
        let off = different(&small, &draw(100.0, style, &[]));
        assert!(off * 20 < lit(&small), "{style}: {off} pixels differ at another scale");
        // Flat shapes have a width in points.
        let near = draw(1.0, style, &["--scale", "3"]);
        assert_eq!(different(&small, &near), 0, "{style}");
    }
    let flat = draw(1.0, "bones", &[]);
    assert!(different(&flat, &draw(1.0, "bones", &["--scale", "3"])) > 100);
}

#[test]
fn the_mesh_hides_the_joints_inside_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let draw = |more: &[&str]| picture(folder.path(), None, &[&["--rest"][..], more].concat());
    let plain = draw(&[]);
    for style in ["bones", "lines", "axes", "octahedra", "balls"] {
        let over = draw(&["--skeleton", "--joint-style", style]);
        let behind = draw(&["--skeleton", "--joint-style", style, "--skeleton-behind"]);
        let [over, behind] = [over, behind].map(|picture| different(&plain, &picture));
        assert!(over > 500, "{style}: {over} pixels");
        assert!(behind * 2 < over, "{style}: {behind} of {over} pixels are not hidden");
    }
}

#[test]
fn an_unknown_style_is_named_with_those_that_there_are() {
    let words = ["screenshot", "-o", "out.png", "--skeleton", "--joint-style", "stars"];
    let said = rigview(words).failed(2).ended();
    assert!(said.contains("bones, lines, spheres, axes, octahedra, balls, spikes"), "{said}");
}
