//! All vertices of a scene posed at many instants, compared with those of one primitive at a time.

use std::path::Path;

use glam::Vec3;
use rigview::import::{ImageDecoding, ImportOptions, load};
use rigview::model::{Aabb, Model, PointPositions, SkinMotion, Stage};

use crate::support::{checkout, for_each, models_below, say_at_the_end, shared};

/// The largest difference, relative to the size of the scene.
const NEAR: f32 = 1e-5;

#[test]
fn every_vertex_of_the_shared_models_is_posed_as_by_the_stage() {
    let Some(shared) = shared("every_vertex_of_the_shared_models_is_posed_as_by_the_stage") else {
        return;
    };
    let models = models_below(&shared.join("models"));
    let counts = for_each(&models, |path| compare(path));
    let [vertices, points] = [0, 1].map(|i| counts.iter().map(|c| c[i]).sum::<usize>());
    assert!(points > 0 && points <= vertices, "{points} points of {vertices} vertices");
    say_at_the_end(format!("{vertices} vertices of shared models are posed as {points} points"));
}

/// Returns the numbers of vertices and of points of a model's default scene.
fn compare(path: &Path) -> [usize; 2] {
    let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
    // The module `import` tests which models load.
    let Ok(loaded) = load(path, &options) else { return [0, 0] };
    let model = loaded.model;
    let mut stage = Stage::new(&model, model.default_scene);
    let motion = SkinMotion::new(&model, &stage.nodes).unwrap();
    let mut pose = PointPositions::default();
    let mut vertices = 0;
    let (rest, mut at_rest) = (stage.clone(), PointPositions::default());
    motion.pose(&model, &rest, &mut at_rest);
    // Only the first clips: some files have hundreds of equal kind.
    for clip in [None].into_iter().chain(model.clips.iter().take(3).map(Some)) {
        for share in if clip.is_some() { &[0.0, 0.37, 1.0][..] } else { &[0.0] } {
            let end = clip.map_or(0.0, |clip| f64::from(clip.duration_secs()));
            stage.pose(&model, clip, share * end);
            motion.pose(&model, &stage, &mut pose);
            vertices = compare_pose(&model, &stage, (&motion, &pose), path);
            compare_boxes(&model, &stage, (&motion, &pose), path);
            let offset = Vec3::new(*share as f32, 0.0, 0.01);
            let found = motion.farthest_apart(&model, [&rest, &stage], offset);
            assert_eq!(found, farthest_apart([&at_rest, &pose], offset), "{}", path.display());
        }
    }
    [vertices, motion.len()]
}

/// Returns the number of compared vertices.
fn compare_pose(
    model: &Model,
    stage: &Stage,
    (motion, pose): (&SkinMotion, &PointPositions),
    path: &Path,
) -> usize {
    assert_eq!(pose.positions().len(), motion.len());
    let size = stage.bounds(model).size().length().max(f32::MIN_POSITIVE);
    let mut vertices = 0;
    for &node in &stage.nodes {
        let Some(mesh) = model.nodes[node].mesh else { continue };
        for primitive in 0..model.meshes[mesh].primitives.len() {
            let plain = stage.deformed(model, node, primitive).unwrap();
            let points = motion.points_of(node, primitive);
            assert_eq!(points.len(), plain.len());
            for (vertex, (point, at)) in points.zip(plain).enumerate() {
                let Some(point) = point else { continue };
                vertices += 1;
                let off = pose.positions()[point].distance(at);
                let same = off <= NEAR * size || !at.is_finite();
                assert!(same, "{}: node {node}, vertex {vertex}: {off} m", path.display());
                let place = motion.place(point);
                assert_eq!((place.node, place.primitive), (node, primitive));
                assert!(place.vertex as usize <= vertex);
            }
        }
    }
    vertices
}

/// The box of what leaves another box is that of all points outside of it.
fn compare_boxes(
    model: &Model,
    stage: &Stage,
    (motion, pose): (&SkinMotion, &PointPositions),
    path: &Path,
) {
    if pose.positions().iter().any(|at| !at.is_finite()) {
        return;
    }
    let boxed = |within: &Aabb| {
        let mut all = Aabb::EMPTY;
        pose.positions().iter().filter(|at| !within.has(**at)).for_each(|at| all.add(*at));
        all
    };
    let whole = boxed(&Aabb::EMPTY);
    let inner = [0.5, 0.9].map(|share| {
        let (middle, half) = (whole.center(), 0.5 * share * whole.size());
        Aabb { min: middle - half, max: middle + half }
    });
    for within in [Aabb::EMPTY].iter().chain(&inner) {
        let mut scratch = PointPositions::default();
        let outside = motion.box_outside(model, stage, &stage.nodes, within, &mut scratch);
        assert_eq!(outside, boxed(within), "{} outside of {within:?}", path.display());
    }
}

/// Returns the last of the points that are farthest apart in two poses, their distance and their first position.
fn farthest_apart(poses: [&PointPositions; 2], offset: Vec3) -> Option<(usize, f64, Vec3)> {
    let [a, b] = poses.map(PointPositions::positions);
    let apart = a.iter().zip(b).enumerate().map(|(point, (a, b))| {
        let distance = (*a + offset).as_dvec3().distance(b.as_dvec3());
        (point, distance, *a)
    });
    apart.filter(|(_, distance, _)| distance.is_finite()).max_by(|x, y| x.1.total_cmp(&y.1))
}

#[test]
fn vertices_that_differ_only_in_their_normals_are_one_point() {
    let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
    let model = load(&checkout().join("assets/creature.glb"), &options).unwrap().model;
    let stage = Stage::new(&model, model.default_scene);
    let motion = SkinMotion::new(&model, &stage.nodes).unwrap();
    for &node in stage.nodes.iter().filter(|node| model.nodes[**node].mesh.is_some()) {
        let mesh = &model.meshes[model.nodes[node].mesh.unwrap()];
        for (i, primitive) in mesh.primitives.iter().enumerate() {
            let mut first = std::collections::HashMap::new();
            for (vertex, point) in motion.points_of(node, i).enumerate() {
                let influences = primitive.influences.as_ref().map(|i| i.of_vertex(vertex));
                let deltas = primitive.targets.iter().map(|t| t.positions.get(vertex));
                let moves = format!("{influences:?} {:?}", deltas.collect::<Vec<_>>());
                let key = (primitive.vertices[vertex].position.map(f32::to_bits), moves);
                assert_eq!(*first.entry(key).or_insert(point), point, "vertex {vertex}");
            }
        }
    }
}
