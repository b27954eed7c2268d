//! Onion skin: ghosts of past and next poses, below the model.

use std::path::Path;

use image::{Rgb, RgbImage};

use crate::support::rigview;

const SIZE: [u32; 2] = [320, 240];

/// Draws the creature hopping, at a time.
fn picture(folder: &Path, time: f64, arguments: &[&str]) -> RgbImage {
    let out = folder.join("out.png");
    let (size, time) = (format!("{}x{}", SIZE[0], SIZE[1]), time.to_string());
    let fixed = ["--clip", "Hop", "--time", &time, "--size", &size, "--orbit", "80,5"];
    let fixed = fixed.into_iter().chain(["--background", "#202020", "-o", out.to_str().unwrap()]);
    rigview(["screenshot"].into_iter().chain(fixed).chain(arguments.iter().copied())).done();
    image::open(&out).unwrap().into_rgb8()
}

/// Returns for each pixel whether it and its neighbours are covered, or `None` where they differ.
fn inside(mask: &RgbImage) -> impl Fn(u32, u32) -> Option<bool> {
    move |x, y| {
        let around =
            (x.max(1) - 1..=x + 1).flat_map(|x| (y.max(1) - 1..=y + 1).map(move |y| (x, y)));
        let around = around.filter(|(x, y)| *x < SIZE[0] && *y < SIZE[1]);
        let mut covered = around.map(|(x, y)| mask.get_pixel(x, y).0[0] > 127);
        let first = covered.next()?;
        covered.all(|other| other == first).then_some(first)
    }
}

#[test]
fn ghosts_stand_below_the_model_at_their_instants_in_their_colours() {
    let folder = tempfile::tempdir().unwrap();
    let draw = |time, arguments: &[&str]| picture(folder.path(), time, arguments);
    let mask = |time| draw(time, &["--pass", "mask"]);
    let (now, before, after) = (mask(0.5), mask(0.3), mask(0.7));
    let [now, before, after] = [&now, &before, &after].map(inside);
    for pass in ["shaded", "normal", "wireframe"] {
        let plain = draw(0.5, &["--pass", pass]);
        let skinned = draw(0.5, &["--pass", pass, "--onion-skin", "1,0.2"]);
        let (mut blue, mut orange) = (0, 0);
        for (x, y, shown) in skinned.enumerate_pixels() {
            let alone = plain.get_pixel(x, y);
            let [is_now, is_before, is_after] = [now(x, y), before(x, y), after(x, y)];
            if is_now == Some(true) || [is_now, is_before, is_after] == [Some(false); 3] {
                assert_eq!(shown, alone, "{pass} at {x}, {y}");
            }
            let Rgb([r, _, b]) = *shown;
            if [is_now, is_before, is_after] == [Some(false), Some(true), Some(false)] {
                assert!(b > r.saturating_add(40), "{pass} at {x}, {y}: {shown:?}");
                blue += 1;
            }
            if [is_now, is_before, is_after] == [Some(false), Some(false), Some(true)] {
                assert!(r > b.saturating_add(40), "{pass} at {x}, {y}: {shown:?}");
                orange += 1;
            }
        }
        assert!(blue > 150 && orange > 150, "{pass}: {blue} and {orange} pixels");
    }
}

#[test]
fn passes_that_are_data_have_no_ghosts() {
    let folder = tempfile::tempdir().unwrap();
    for pass in ["mask", "depth", "overdraw"] {
        let with = picture(folder.path(), 0.5, &["--pass", pass, "--onion-skin", "3"]);
        assert_eq!(with, picture(folder.path(), 0.5, &["--pass", pass]), "{pass}");
    }
}
