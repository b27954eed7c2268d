//! The exact boxes of posed models compared with those of all their vertices, and `--bounds`.

use std::path::{Path, PathBuf};

use image::RgbImage;
use rigview::import::load;
use rigview::model::{Aabb, DrawnVertices, Model, Stage};

use crate::support::{checkout, rigview, shared};

/// Returns the box of all vertices that an index uses, relative to the stage's origin.
fn by_all_vertices(model: &Model, stage: &Stage) -> Aabb {
    let mut all = Aabb::EMPTY;
    for &node in &stage.nodes {
        let Some(mesh) = model.nodes[node].mesh else { continue };
        for (index, primitive) in model.meshes[mesh].primitives.iter().enumerate() {
            let posed = stage.deformed(model, node, index).unwrap();
            let own = primitive.indices.iter().map(|vertex| posed[*vertex as usize]);
            let instances = &model.nodes[node].instances;
            if instances.is_empty() {
                own.for_each(|at| all.add(at));
                continue;
            }
            let world = *stage.world.world_from_node(node);
            let local: Vec<_> = own.map(|at| world.inverse().transform_point3(at)).collect();
            for instance in instances {
                let matrix = world * *instance;
                local.iter().for_each(|at| all.add(matrix.transform_point3(*at)));
            }
        }
    }
    all
}

fn assert_exact(file: &Path) {
    let model = load(file, &Default::default()).unwrap().model;
    let mut stage = Stage::new(&model, model.default_scene);
    let drawn = DrawnVertices::new(&model, &stage);
    for clip in model.clips.iter().map(Some).chain([None]) {
        let end = clip.map_or(0.0, |clip| f64::from(clip.duration_secs()));
        let over = drawn.box_over(&model, &mut stage, clip, None);
        for share in [0.0, 0.31, 0.5, 0.83, 1.0] {
            stage.pose(&model, clip, share * end);
            let wanted = by_all_vertices(&model, &stage);
            let mut found = Aabb::EMPTY;
            drawn.add_to(&mut found, &model, &stage);
            let off = (found.min - wanted.min).abs().max((found.max - wanted.max).abs());
            let size = wanted.size().length();
            let off = off.max_element() / size;
            assert!(off <= 1e-5, "{} {:?}: {off} of its size", file.display(), share * end);
            // Between the instants at which the clip is sampled, an arc may leave its box by a little.
            let out = (over.min - found.min).max(found.max - over.max).max_element() / size;
            assert!(out <= 2e-3, "{} {:?}: {out} outside", file.display(), share * end);
        }
    }
}

#[test]
fn the_box_of_an_instant_is_that_of_all_its_vertices() {
    assert_exact(&checkout().join("assets/creature.glb"));
    let Some(shared) = shared("the_box_of_an_instant_is_that_of_all_its_vertices") else { return };
    for name in [
        "Fox/glTF-Binary/Fox.glb",
        "CesiumMan/glTF-Binary/CesiumMan.glb",
        "RecursiveSkeletons/glTF-Binary/RecursiveSkeletons.glb",
        "RiggedFigure/glTF-Binary/RiggedFigure.glb",
        "MorphStressTest/glTF-Binary/MorphStressTest.glb",
        "AnimatedMorphCube/glTF-Binary/AnimatedMorphCube.glb",
        "SimpleInstancing/glTF-Binary/SimpleInstancing.glb",
        "CesiumMilkTruck/glTF-Binary/CesiumMilkTruck.glb",
        "NegativeScaleTest/glTF-Binary/NegativeScaleTest.glb",
    ] {
        assert_exact(&shared.join("models").join(name));
    }
}

/// Draws the creature from its front with boxes, on black.
fn picture(folder: &Path, pass: &str, words: &[&str]) -> RgbImage {
    let out: PathBuf = folder.join("out.png");
    let view = ["--orbit", "0,0", "--orthographic", "--size", "400x400", "--pass", pass];
    let start = ["screenshot", "-o", out.to_str().unwrap(), "--background", "#000000"];
    rigview([&start[..], &view, words].concat()).done();
    image::open(&out).unwrap().into_rgb8()
}

/// The white box touches the model on all four sides in every instant, and the blue one stays where it is.
#[test]
fn bounds_are_three_boxes_with_a_legend() {
    let folder = tempfile::tempdir().unwrap();
    let extent = |picture: &RgbImage, is_it: &dyn Fn([u8; 3]) -> bool| {
        let places: Vec<(u32, u32)> = picture
            .enumerate_pixels()
            .filter(|(_, _, pixel)| is_it(pixel.0))
            .map(|(x, y, _)| (x, y))
            .collect();
        assert!(places.len() > 50, "{}", places.len());
        let (x, y) = (places.iter().map(|p| p.0), places.iter().map(|p| p.1));
        [x.clone().min(), x.max(), y.clone().min(), y.max()].map(Option::unwrap)
    };
    let near = |a: [u8; 3], b: [u8; 3]| a.iter().zip(b).all(|(a, b)| a.abs_diff(b) < 40);
    let mut clip = Vec::new();
    for time in ["0", "0.35", "0.6"] {
        let words = ["--clip", "Hop", "--time", time];
        // With boxes, the camera frames them too.
        let mask = picture(folder.path(), "mask", &[&words[..], &["--bounds"]].concat());
        let bounds = [&words[..], &["--bounds", "--no-legend"]].concat();
        let shown = picture(folder.path(), "albedo", &bounds);
        let model = extent(&mask, &|p| p[0] > 127);
        // Lines are translucent on black. Where the lines of the other boxes cross, they are darker.
        let white = extent(&shown, &|p| near(p, [0xd4, 0xd8, 0xe0]));
        for (a, b) in model.iter().zip(white) {
            assert!(
                a.abs_diff(b) <= 2,
                "at {time}: the box is at {white:?}, the model at {model:?}"
            );
        }
        clip.push(extent(&shown, &|p| near(p, [0x4f, 0x95, 0xdc])));
    }
    assert!(clip.iter().all(|found| *found == clip[0]), "{clip:?}");
    let with = picture(folder.path(), "albedo", &["--rest", "--bounds"]);
    let without = picture(folder.path(), "albedo", &["--rest", "--bounds", "--no-legend"]);
    let changed = with.enumerate_pixels().filter(|(x, y, p)| without.get_pixel(*x, *y) != *p);
    let places: Vec<_> = changed.map(|(x, y, _)| (x, y)).collect();
    // In a corner of the picture.
    let in_corner = [0, 160].iter().any(|left| {
        let is_in =
            |(x, y): &(u32, u32)| (*left..left + 240).contains(x) && *y.min(&(399 - y)) < 100;
        places.iter().all(is_in)
    });
    assert!(places.len() > 3000 && in_corner, "{} places", places.len());
}
