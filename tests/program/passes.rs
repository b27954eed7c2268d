//! Each `--pass`, checked by counting pixels. The scene is a square two metres wide that faces +Z, in a view
//! four metres high, so the square takes half of the picture's width and height.

use std::path::Path;

use image::DynamicImage;
use serde_json::{Value, json};

use crate::support::{Shape, SmallModel, put_weights, rigview};

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
    let folder = tempfile::tempdir().unwrap();
    for background in ["#ffffff", "#ff000080", "transparent"] {
        let args = [&["--pass", "mask", "--background", background][..], &FRONT].concat();
        let counts = counts(&shot(folder.path(), &args));
        assert_eq!(counts, [([0; 3], 30_000), ([255; 3], 10_000)], "{background}");
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

/// The square with its X and Y in metres as texture coordinates, so that they go from -1 to 1.
fn mapped() -> SmallModel {
    SmallModel::new().edit(|json| {
        let view = json!({"buffer": 0, "byteOffset": 0, "byteLength": 48, "byteStride": 12});
        json["bufferViews"].as_array_mut().unwrap().push(view);
        let accessor = json!({"bufferView": 4, "componentType": 5126, "count": 4, "type": "VEC2"});
        json["accessors"].as_array_mut().unwrap().push(accessor);
        json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = json!(4);
    })
}

/// Returns the colours at places of the square, in metres from its middle, X right and Y up.
fn colours(model: SmallModel, pass: &str, places: &[[f32; 2]]) -> Vec<[u8; 3]> {
    let folder = tempfile::tempdir().unwrap();
    model.write_gltf(&folder.path().join("square.gltf"));
    let picture = shot(folder.path(), &[&FRONT[..], &["--pass", pass]].concat()).to_rgb8();
    let at = |[x, y]: &[f32; 2]| {
        picture.get_pixel((100.0 + 50.0 * x) as u32, (100.0 - 50.0 * y) as u32).0
    };
    places.iter().map(at).collect()
}

#[test]
fn texture_coordinates_wrap_in_both_directions() {
    let seen = colours(mapped(), "uv", &[[0.25, 0.5], [-0.75, 0.5], [0.25, -0.5], [-0.25, -0.75]]);
    for (seen, want) in seen.iter().zip([[64, 128], [64, 128], [64, 128], [191, 64]]) {
        // A pixel is a fiftieth of a metre.
        let near = seen.iter().zip(want).all(|(a, b): (&u8, u8)| a.abs_diff(b) <= 6);
        assert!(near && seen[2] == 0, "{seen:?}, not {want:?}");
    }
}

#[test]
fn a_checker_has_eight_squares_per_unit_in_both_directions() {
    let cell = |i: usize| (i as f32 + 0.5) / 8.0;
    let places: Vec<[f32; 2]> =
        (0..64).map(|i| [cell(i % 8), cell(i / 8)]).chain([[-cell(0), cell(0)]]).collect();
    let seen = colours(mapped(), "uv-checker", &places);
    let light = |colour: &[u8; 3]| colour.iter().map(|c| u32::from(*c)).sum::<u32>();
    for (a, x, y) in (0..64).map(|i| (i, i % 8, i / 8)) {
        for b in [(x < 7).then_some(a + 1), (y < 7).then_some(a + 8)].into_iter().flatten() {
            let [one, other] = [a, b].map(|i| light(&seen[i]));
            let odd = (x + y) % 2 == 1;
            assert!(odd == (one > other) && one.abs_diff(other) > 60, "{a} and {b}: {seen:?}");
        }
    }
    assert_ne!(seen[0], seen[64], "the other side of the edge is the last square of another unit");
}

/// The weights are divided by their sum, so the square keeps its size.
#[test]
fn the_sum_of_weights_is_that_of_the_file() {
    let mut square: Value = serde_json::from_slice(&Shape::square().gltf()).unwrap();
    square["nodes"] = json!([{"mesh": 0, "skin": 0}, {"children": [2]}, {}]);
    square["scenes"] = json!([{"nodes": [0, 1]}]);
    square["skins"] = json!([{"joints": [1, 2]}]);
    // Half of the scale's end of 0.1 is half of the colour, over half of the grey.
    for (sum, want) in [
        (1.0, [89.2, 89.2, 89.2]),
        (0.95, [44.6, 44.6, 172.1]),
        (1.05, [172.1, 44.6, 44.6]),
        (0.25, [0.0, 0.0, 255.0]),
        (8.0, [255.0, 0.0, 0.0]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut file = square.clone();
        put_weights(&mut file, [0, 1, 0, 0], &[[0.25 * sum, 0.75 * sum, 0.0, 0.0]; 4]);
        std::fs::write(folder.path().join("square.gltf"), file.to_string()).unwrap();
        let plain = ["--pass", "weight-sum", "--no-legend", "--background", "#010203"];
        let picture = shot(folder.path(), &[&FRONT[..], &plain].concat()).to_rgb8();
        let is_square = |p: &image::Rgb<u8>| {
            p.0.iter().zip(want).all(|(got, want): (&u8, f64)| (f64::from(*got) - want).abs() < 1.1)
        };
        let inside = picture.pixels().filter(|p| is_square(p)).count();
        let around = picture.pixels().filter(|p| p.0 == [1, 2, 3]).count();
        assert_eq!((inside, around), (10_000, 30_000), "{sum}: {:?}", picture.get_pixel(100, 90));
    }
}

#[test]
fn without_joints_influences_are_faintly_shaded() {
    let [grey] = colours(SmallModel::new(), "influences", &[[0.0, 0.5]])[..] else { panic!() };
    assert!(grey[0] == grey[1] && grey[1] == grey[2] && (110..=140).contains(&grey[0]), "{grey:?}");
}

/// The legend of the built-in rig's pass, as the pixels by which it changes the picture.
#[test]
fn a_pass_with_a_scale_of_colours_has_a_legend() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.png");
    let out = out.to_str().unwrap();
    let shown = |pass: &str, size: &str, more: &[&str]| {
        let words = ["screenshot", "-o", out, "--rest", "--pass", pass, "--size", size];
        rigview([&words[..], more].concat()).done();
        image::open(out).unwrap().to_rgba8()
    };
    let bare = ["--no-legend"];
    for pass in ["weights", "influences", "weight-sum", "rest-to-bind", "overdraw"] {
        let (with, without) = (shown(pass, "400x300", &[]), shown(pass, "400x300", &bare));
        let changed: Vec<[u32; 2]> = with
            .enumerate_pixels()
            .filter(|(x, y, p)| *p != without.get_pixel(*x, *y))
            .map(|(x, y, _)| [x, y])
            .collect();
        assert!(changed.len() > 5000, "{pass}: {}", changed.len());
        let [left, right] =
            [changed.iter().map(|p| p[0]).min(), changed.iter().map(|p| p[0]).max()]
                .map(Option::unwrap);
        let [top, bottom] =
            [changed.iter().map(|p| p[1]).min(), changed.iter().map(|p| p[1]).max()]
                .map(Option::unwrap);
        assert!(
            (left == 12 || right == 387) && (top == 12 || bottom == 287),
            "{pass}: in a corner"
        );
        // The bar takes 30 % of the width, or the title's.
        assert!(right - left < 260 && bottom - top < 98, "{pass}: it stays in its corner");
        let row = |y: u32| (left + 10..left + 130).map(move |x| [x, y]);
        let colours = |y: u32| row(y).map(|[x, y]| with.get_pixel(x, y).0).collect::<Vec<_>>();
        let kinds = |y: u32| {
            let mut colours = colours(y);
            colours.dedup();
            colours.len()
        };
        assert!((top..bottom).map(kinds).max().unwrap() > 90, "{pass}: a bar of many colours");
    }
    for (pass, size, more) in
        [("weights", "400x120", &[][..]), ("weights", "90x300", &[]), ("albedo", "400x300", &[])]
    {
        assert_eq!(
            shown(pass, size, more),
            shown(pass, size, &bare),
            "{pass} {size} has no room or scale"
        );
    }
    // On a transparent background, the legend is as opaque as on another one.
    let clear = shown("weights", "400x300", &["--background", "transparent"]);
    assert_eq!(clear.get_pixel(2, 297).0[3], 0);
    assert!(
        [[14, 285], [385, 285], [14, 14], [385, 14]]
            .iter()
            .any(|[x, y]| clear.get_pixel(*x, *y).0[3] > 200)
    );
}

/// A square of two metres, of which the camera shows a part.
#[test]
fn the_legend_is_where_the_model_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let [file, out] = ["square.gltf", "out.png"].map(|name| folder.path().join(name));
    SmallModel::new().write_gltf(&file);
    let shown = |[x, y]: [f32; 2], height: &str, more: &[&str]| {
        let (eye, target) = (format!("--eye={x},{y},5"), format!("--target={x},{y},0"));
        let words = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
        let camera = [&eye, &target, "--orthographic", height];
        let look = ["--pass", "overdraw", "--size", "800x800"];
        rigview([&words[..], &camera, &look, more].concat()).done();
        image::open(&out).unwrap().into_rgb8()
    };
    // The lower left corner is taken if it is free, then the lower right one, then the upper left one.
    for (target, height, corner) in [
        ([1.0, 1.0], "4", [1, 1]),
        ([-1.0, 1.0], "4", [0, 1]),
        ([-0.7, -0.7], "2.4", [0, 1]),
        ([0.0, 0.9], "2.4", [0, 0]),
        ([0.7, 0.9], "2.4", [1, 1]),
    ] {
        let (with, without) = (shown(target, height, &[]), shown(target, height, &["--no-legend"]));
        let changed = with.enumerate_pixels().filter(|(x, y, p)| *p != without.get_pixel(*x, *y));
        let (mut count, mut inside) = (0, 0);
        for (x, y, _) in changed {
            count += 1;
            inside += u32::from([u32::from(x >= 400), u32::from(y >= 400)] == corner);
        }
        assert!(count > 5000 && inside == count, "{target:?}: {inside} of {count} in {corner:?}");
    }
}

/// Squares of the same size behind each other: the scale tells few layers apart and holds many.
#[test]
fn overdraw_has_a_colour_for_few_and_for_many_layers() {
    let folder = tempfile::tempdir().unwrap();
    let [file, out] = ["layers.gltf", "out.png"].map(|name| folder.path().join(name));
    let colour = |layers: usize| {
        let all = SmallModel::new().edit(|json| {
            let layer = |i: usize| json!({"mesh": 0, "translation": [0, 0, -0.01 * i as f32]});
            json["nodes"] = (0..layers).map(layer).collect();
            json["scenes"][0]["nodes"] = (0..layers).collect();
        });
        all.write_gltf(&file);
        let paths = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
        let view = ["--orbit", "0,0", "--size", "64x64", "--pass", "overdraw", "--no-legend"];
        rigview([&paths[..], &view].concat()).done();
        image::open(&out).unwrap().to_rgb8().get_pixel(30, 34).0
    };
    let seen = [1, 2, 3, 4, 8, 32, 40].map(colour);
    assert_eq!([seen[0], seen[5], seen[6]], [[0, 0, 255], [255, 0, 0], [255, 0, 0]]);
    for pair in seen[..6].windows(2) {
        let far = pair[0].iter().zip(pair[1]).any(|(a, b)| a.abs_diff(b) > 60);
        assert!(far, "{seen:?}");
    }
}

/// Overdraw has no depth that would hide the grid.
#[test]
fn what_a_pass_can_not_show_is_warned_of_and_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.png");
    let drawn = |words: &[&str]| {
        let paths = ["screenshot", "-o", out.to_str().unwrap(), "--size", "48x48", "--time", "0.5"];
        let run = rigview([&paths[..], words].concat()).done();
        (std::fs::read(&out).unwrap(), run.stderr)
    };
    for (pass, options) in [
        (
            "mask",
            &[
                &["--grid"][..],
                &["--normals"],
                &["--onion-skin", "2"],
                &["--root-path"],
                &["--skeleton"],
            ][..],
        ),
        ("depth", &[&["--grid"], &["--weight-marks"]]),
        ("overdraw", &[&["--grid"], &["--normals"], &["--onion-skin", "2"]]),
    ] {
        let (bare, said) = drawn(&["--pass", pass]);
        assert_eq!(said, "");
        for option in options {
            let (picture, said) = drawn(&[&["--pass", pass], *option].concat());
            assert!(picture == bare, "{pass} {option:?}");
            assert!(
                said.contains(&format!("pass {pass} is drawn without")),
                "{pass} {option:?}: {said}"
            );
        }
    }
}

#[test]
fn values_that_a_model_lacks_are_named_once() {
    let folder = tempfile::tempdir().unwrap();
    let [file, out] = ["square.gltf", "out.png"].map(|name| folder.path().join(name));
    let bare = Shape::square().without("TEXCOORD_0").without("NORMAL");
    std::fs::write(&file, bare.gltf()).unwrap();
    let shown = |words: &[&str]| {
        let paths = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
        let run = rigview([&paths[..], &["--size", "32x32"], words].concat()).done();
        (run.stderr, image::open(&out).unwrap().to_rgb8().get_pixel(16, 16).0)
    };
    for (words, what) in [
        (&["--pass", "uv"][..], "texture coordinates"),
        (&["--pass", "uv-checker"], "texture coordinates"),
        (&["--tangents"], "tangents"),
        (&["--normals"], "normals"),
    ] {
        let (said, [r, g, b]) = shown(words);
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.contains(&format!("the model has no {what}")), "{words:?}: {said}");
        assert!(r > 60 && r.abs_diff(g) < 20 && g.abs_diff(b) < 20, "{words:?}: {r} {g} {b}");
    }
    let (said, [r, ..]) = shown(&["--pass", "uv", "--quiet"]);
    assert!(said.is_empty() && r > 60);
    std::fs::write(&file, Shape::square().gltf()).unwrap();
    for words in [&["--pass", "uv"][..], &["--normals"]] {
        assert_eq!(shown(words).0, "");
    }
}

/// Where the light is bright, faces stay darker than edges.
#[test]
fn edges_are_seen_in_every_look() {
    let folder = tempfile::tempdir().unwrap();
    for look in ["studio", "soft", "daylight", "night"] {
        let args = [&["--pass", "wireframe", "--look", look, "--grid"][..], &FRONT].concat();
        let picture = shot(folder.path(), &args).to_luma8();
        let [face, edge] = [[80, 110], [100, 100]].map(|[x, y]| picture.get_pixel(x, y).0[0]);
        assert!(edge > face + 15, "{look}: {face} {edge}");
    }
}

/// The edges of a ball that are shorter than a few pixels let its faces through; long edges are opaque.
#[test]
fn a_dense_wireframe_does_not_fill_the_picture() {
    let folder = tempfile::tempdir().unwrap();
    let [file, out] = ["ball.gltf", "out.png"].map(|name| folder.path().join(name));
    std::fs::write(&file, Shape::ball().gltf()).unwrap();
    // The greens of the middle of the ball.
    let greens = |size: &str| {
        let paths = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
        rigview([&paths[..], &["--orbit", "0,0", "--size", size, "--pass", "wireframe"]].concat())
            .done();
        let picture = image::open(&out).unwrap().to_rgb8();
        let side = picture.width();
        let middle = 3 * side / 8..5 * side / 8;
        let places = middle.clone().flat_map(|y| middle.clone().map(move |x| (x, y)));
        let mut greens: Vec<u8> = places.map(|(x, y)| picture.get_pixel(x, y).0[1]).collect();
        greens.sort_unstable();
        greens
    };
    let (dense, sparse) = (greens("40x40"), greens("480x480"));
    let at = |greens: &[u8], share: usize| greens[greens.len() * share / 100];
    assert!(at(&dense, 90) < 170, "{dense:?}");
    assert!(at(&dense, 50) > at(&sparse, 30) + 10, "the edges tint the faces");
    assert!(at(&sparse, 98) > 200 && at(&sparse, 50) < 120, "{}", at(&sparse, 98));
}
