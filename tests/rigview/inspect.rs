//! The facts that the inspector shows, against the pose as `pose` prints it and against the vertices themselves.

use std::path::Path;

use glam::DVec3;
use rigview::import::{ImageDecoding, ImportOptions, load};
use rigview::model::{DrawnPrimitive, Model, Primitive, Stage};
use rigview::report::{
    JointOf, joint_facts, mesh_facts, node_facts, pose_report, posed_joint, posed_node,
    vertex_facts,
};

use crate::support::{checkout, for_each, models_below, say_at_the_end, shared};

/// Vertices per primitive that are looked at.
const VERTICES: u32 = 25;

fn model_of(path: &Path) -> Option<Model> {
    let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
    // The module `import` tests which models load.
    load(path, &options).ok().map(|loaded| loaded.model)
}

/// Returns stages of a model: in the middle of its first clip, and at rest.
fn stages(model: &Model) -> [Stage; 2] {
    let rest = Stage::new(model, model.default_scene);
    let mut posed = rest.clone();
    if let Some(clip) = model.clips.first() {
        posed.pose(model, Some(clip), 0.41 * f64::from(clip.duration_secs()));
    }
    [posed, rest]
}

#[test]
fn what_joints_add_to_a_vertex_sums_to_where_it_is() {
    let Some(shared) = shared("what_joints_add_to_a_vertex_sums_to_where_it_is") else { return };
    let counts = for_each(&models_below(&shared.join("models")), |path| sums(path));
    let count: usize = counts.iter().sum();
    assert!(count > 1000, "{count}");
    say_at_the_end(format!("contributions of joints sum to the place of {count} vertices"));
}

/// Compares some vertices of each primitive. Returns the number of those that joints move.
fn sums(path: &Path) -> usize {
    let Some(model) = model_of(path) else { return 0 };
    let [posed, rest] = stages(&model);
    let size = f64::from(posed.bounds(&model).size().max_element()).max(1.0);
    let mut moved = 0;
    for &node in &posed.nodes {
        let Some(mesh) = model.nodes[node].mesh else { continue };
        for (p, primitive) in model.meshes[mesh].primitives.iter().enumerate() {
            let drawn = DrawnPrimitive { node, primitive: p };
            for index in (0..primitive.source_vertices).step_by(stride(primitive)) {
                let Some(facts) = vertex_facts(&model, [&posed, &rest], drawn, index) else {
                    continue;
                };
                let at = glam::Vec3::from(facts.posed).as_dvec3();
                if facts.joints.is_empty() || !at.is_finite() {
                    continue;
                }
                let sum: DVec3 = facts.joints.iter().map(|j| DVec3::from(j.contribution)).sum();
                let off = (sum - at).length();
                assert!(off <= 1e-6 * size, "{}: vertex {index}: {sum} {at}", path.display());
                moved += 1;
            }
        }
    }
    moved
}

fn stride(primitive: &Primitive) -> usize {
    (primitive.source_vertices / VERTICES).max(1) as usize
}

#[test]
fn numbers_of_nodes_and_joints_are_those_of_the_pose() {
    let Some(shared) = shared("numbers_of_nodes_and_joints_are_those_of_the_pose") else { return };
    for name in ["CesiumMan", "Fox", "RecursiveSkeletons", "BoxAnimated"] {
        for path in models_below(&shared.join("models").join(name)) {
            let Some(model) = model_of(&path) else { continue };
            let [posed, _] = stages(&model);
            let report = pose_report(&model, &posed);
            for node in &report.nodes {
                assert_eq!(posed_node(&model, &posed, node.index).pose, *node, "{name}");
            }
            for skin in &report.skins {
                for (joint, matrix) in skin.joint_matrices.iter().enumerate() {
                    let place = JointOf { skin: skin.index, joint };
                    let shown = posed_joint(&model, &posed, place).joint_matrix;
                    assert_eq!(shown[..], matrix[..], "{name}");
                }
            }
        }
    }
}

#[test]
fn joints_and_meshes_count_the_vertices_of_the_file() {
    let model = model_of(&checkout().join("assets/creature.glb")).unwrap();
    let rest = Stage::new(&model, model.default_scene);
    let drawn = model.nodes.iter().position(|node| node.skin.is_some()).unwrap();
    let (mesh, skin) = (model.nodes[drawn].mesh.unwrap(), model.nodes[drawn].skin.unwrap());
    let mut expected = vec![(0, 0.0_f32); model.skins[skin].joints.len()];
    let mut influences = vec![0; 5];
    for (p, primitive) in model.meshes[mesh].primitives.iter().enumerate() {
        for index in 0..primitive.source_vertices {
            let place = DrawnPrimitive { node: drawn, primitive: p };
            let facts = vertex_facts(&model, [&rest, &rest], place, index).unwrap();
            assert_eq!(facts.rest, facts.posed);
            influences[facts.joints.len()] += 1;
            for joint in &facts.joints {
                let (count, largest) = &mut expected[joint.joint];
                (*count, *largest) = (*count + 1, largest.max(joint.used_weight));
            }
        }
    }
    for (joint, (count, largest)) in expected.into_iter().enumerate() {
        let facts = joint_facts(&model, &rest, JointOf { skin, joint });
        assert_eq!((facts.vertices, facts.largest_weight), (count, largest), "joint {joint}");
        assert!(facts.rest_to_bind_mm.is_some_and(|mm| mm < 1.0), "{facts:?}");
        let node = node_facts(&model, model.skins[skin].joints[joint] as usize);
        assert_eq!(node.joint_of, [JointOf { skin, joint }]);
        assert_eq!(node.parent, model.hierarchy.parent(node.index));
    }
    let facts = mesh_facts(&model, mesh);
    let counted = facts.primitives.iter().fold(vec![0; 5], |mut sum: Vec<usize>, primitive| {
        primitive.influences.iter().enumerate().for_each(|(i, n)| sum[i] += n);
        sum
    });
    assert_eq!(counted, influences);
    assert_eq!(facts.nodes, [drawn]);
}
