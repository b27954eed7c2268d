//! The distances of `diff` compared with those of all vertices at many instants.

use rigview::compare::models;
use rigview::import::{ImportOptions, load};
use rigview::model::{Model, PointPositions, SkinMotion, Stage};

use crate::support::checkout;

/// Places, weights, bind matrices and the rest pose are changed alone and together. The distances are those of all
/// vertices at 60 instants per second.
#[test]
fn bounds_leave_out_no_vertex_that_is_farther() {
    let file = checkout().join("assets/creature.glb");
    let a = load(&file, &ImportOptions::default()).unwrap().model;
    for changes in [1, 2, 4, 8, 15] {
        let mut b = a.clone();
        for primitive in b.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
            if changes & 1 != 0 {
                for (i, vertex) in primitive.vertices.iter_mut().enumerate() {
                    vertex.position[i % 3] += 1e-4 * (i % 13) as f32;
                }
            }
            let influences = primitive.influences.iter_mut().filter(|_| changes & 2 != 0);
            for set in influences.flat_map(|influences| &mut influences.list) {
                let [x, y, ..] = &mut set.weights;
                (*x, *y) = (*x - 0.1 * (*x - *y), *y + 0.1 * (*x - *y));
            }
        }
        if changes & 4 != 0 {
            b.skins[0].joint_from_mesh[5].translation.x += 0.01;
        }
        if changes & 8 != 0 {
            let joint = b.skins[0].joints[3] as usize;
            let rest = b.rest.transform(joint);
            b.rest.set_translation(joint, 1.02 * rest.translation);
        }
        let got = models(&a, &b).unwrap().clips[0].distance.unwrap();
        let frames = (60.0 * a.clips[0].duration_secs()) as u32;
        let most = largest_distance(&a, &b, (0..=frames).map(|frame| f64::from(frame) / 60.0));
        assert!(got >= 0.99 * most - 5e-5 && got <= 1.01 * most + 5e-5, "{changes}: {got} {most}");
        // At keys it is exact, but for rounding.
        let at_keys = largest_distance(&a, &b, a.clips[0].key_times().map(f64::from));
        assert!(got >= at_keys - 1e-5, "{changes}: {got} {at_keys}");
    }
}

/// Returns the largest distance between vertices of the same index, at some instants of the first clip.
fn largest_distance(a: &Model, b: &Model, times: impl Iterator<Item = f64>) -> f64 {
    let [mut of_a, mut of_b] = [a, b].map(|model| {
        let stage = Stage::new(model, model.default_scene);
        let motion = SkinMotion::new(model, &stage.nodes).unwrap();
        (model, stage, motion, PointPositions::default())
    });
    let mut most = 0.0f32;
    for time in times {
        for (model, stage, motion, places) in [&mut of_a, &mut of_b] {
            stage.pose(model, model.clips.first(), time);
            motion.pose(model, stage, places);
        }
        let places = [&of_a, &of_b].map(|(.., places)| places.positions());
        assert_eq!(places[0].len(), places[1].len());
        let apart = places[0].iter().zip(places[1]).map(|(x, y)| x.distance(*y));
        most = apart.fold(most, f32::max);
    }
    f64::from(most)
}
