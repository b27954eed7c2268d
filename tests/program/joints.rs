//! Joints and bones as solids, and hidden by the mesh.

use std::path::Path;

use image::RgbImage;

use crate::support::{rigview, screenshots, walker};

/// Draws pictures on black, of files or of the creature, each with further arguments.
fn pictures(folder: &Path, wanted: &[(Option<&Path>, Vec<&str>)]) -> Vec<RgbImage> {
    let out = |i: usize| folder.join(format!("{i}.png")).to_str().unwrap().to_owned();
    let arguments = |(i, (file, more)): (usize, &(Option<&Path>, Vec<&str>))| {
        let file = file.map(|file| file.to_str().unwrap());
        let fixed = ["--size", "320x240", "--background", "#000000", "-o", &out(i)];
        file.into_iter().chain(fixed).chain(more.iter().copied()).map(str::to_owned).collect()
    };
    let arguments: Vec<Vec<String>> = wanted.iter().enumerate().map(arguments).collect();
    screenshots(&arguments).done();
    (0..wanted.len()).map(|i| image::open(out(i)).unwrap().into_rgb8()).collect()
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
    let walker = |scale: f32| {
        let file = folder.path().join(format!("walker {scale}.gltf"));
        std::fs::write(&file, walker(scale).to_string()).unwrap();
        file
    };
    let [one, hundred] = [1.0, 100.0].map(walker);
    const STYLES: [&str; 4] = ["octahedra", "balls", "spikes", "bones"];
    let mut wanted = Vec::new();
    for style in STYLES {
        for (file, more) in [(&one, &[][..]), (&hundred, &[]), (&one, &["--scale", "3"])] {
            let style = &["--time", "0", "--skeleton", "--joint-style", style][..];
            wanted.push((Some(file.as_path()), [style, more].concat()));
        }
    }
    let lit = |picture: &RgbImage| picture.pixels().filter(|p| p.0.iter().any(|c| *c > 30)).count();
    let drawn = pictures(folder.path(), &wanted);
    for (style, drawn) in STYLES.iter().zip(drawn.as_chunks().0) {
        let [small, large, near] = drawn;
        assert!(lit(small) > 60, "{style}: {} pixels", lit(small));
        let (off, wider) = (different(small, large), different(small, near));
        // Flat shapes have a width in points.
        if *style == "bones" {
            assert!(wider > 100, "{wider} pixels");
            continue;
        }
        assert!(off * 20 < lit(small), "{style}: {off} pixels differ at another scale");
        assert_eq!(wider, 0, "{style}");
    }
}

#[test]
fn the_mesh_hides_the_joints_inside_of_it() {
    let folder = tempfile::tempdir().unwrap();
    const STYLES: [&str; 5] = ["bones", "lines", "axes", "octahedra", "balls"];
    let mut wanted = vec![(None, vec!["--rest"])];
    for style in STYLES {
        let over = vec!["--rest", "--skeleton", "--joint-style", style];
        let behind = [&over[..], &["--skeleton-behind"]].concat();
        wanted.extend([(None, over), (None, behind)]);
    }
    let drawn = pictures(folder.path(), &wanted);
    let (plain, drawn) = drawn.split_first().unwrap();
    for (style, drawn) in STYLES.iter().zip(drawn.as_chunks().0) {
        let [over, behind] = drawn;
        let [over, behind] = [over, behind].map(|picture| different(plain, picture));
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
