//! The way from ufbx's scene to the model, on the shared files: all vertices and nodes between the keys of all takes,
//! compared with ufbx's own evaluation.

use std::path::PathBuf;

use glam::Vec3;
use ufbx::{EvaluateOpts, SceneRoot};

use super::curves::{Span, key_count};
use super::stack::Stack;
use super::{mesh, scene};
use crate::draft::Draft;
use crate::fault::Warnings;
use crate::progress::Progress;
use crate::{ImageDecoding, ImportOptions, load_bytes};
use rigview_anim::Clip;
use rigview_model::{Budget, DrawnPrimitive, Model, Stage};

/// The allowed distance in metres, and relative to the size of the scene, for rounding.
const MOST: f32 = 1e-5;
const ROUNDING: f32 = 2e-6;

/// Instants per take, at uneven fractions.
const INSTANTS: usize = 13;

fn files() -> Vec<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared");
    let shared = std::env::var_os("RIGVIEW_SHARED").map_or(PathBuf::from(beside), PathBuf::from);
    let list = std::fs::read_dir(shared.join("characters/fbx")).into_iter().flatten().flatten();
    let mut files: Vec<_> = list.map(|entry| entry.path()).collect();
    files.sort();
    files
}

#[test]
fn vertices_are_within_a_hundredth_of_a_millimetre_of_those_of_ufbx() {
    let mut faults = Vec::new();
    for file in files() {
        let bytes = std::fs::read(&file).unwrap();
        let scene = scene::read(&bytes, &Budget::default(), &Progress::default()).unwrap();
        let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
        let model = load_bytes(bytes, &options).unwrap().model;
        let stacks = Stack::all(&scene).unwrap();
        let takes = stacks.iter().filter(|stack| key_count(stack) > 0);
        for (stack, clip) in takes.zip(&model.clips) {
            let Span { begin, end } = Span::of(stack);
            for i in 0..INSTANTS {
                let time = (end - begin) * (i as f64 + 0.37) / INSTANTS as f64;
                let options = EvaluateOpts { evaluate_skinning: true, ..EvaluateOpts::default() };
                let wanted =
                    ufbx::evaluate_scene(&scene, &stack.anim, begin + time, options).unwrap();
                if let Some(fault) = fault(&model, clip, time, &wanted) {
                    faults.push(format!("{}: {fault}", file.display()));
                    break;
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn fault(model: &Model, clip: &Clip, time: f64, wanted: &SceneRoot) -> Option<String> {
    let mut stage = Stage::new(model, 0);
    stage.pose(model, Some(clip), time);
    let origin = stage.origin.as_vec3();
    let vector = |v: ufbx::Vec3| Vec3::new(v.x as f32, v.y as f32, v.z as f32);
    let mut worst = (0f32, String::new());
    let mut size = 0f32;
    let mut compare = |found: Vec3, wanted: Vec3, what: &str| {
        size = size.max(wanted.length());
        let off = found.distance(wanted);
        if off > worst.0 {
            worst = (off, format!("{what} at {time} s: {found} instead of {wanted}"));
        }
    };
    for node in wanted.nodes.iter().skip(1) {
        let index = node.element.typed_id as usize - 1;
        let m = &node.node_to_world;
        let place = Vec3::new(m.m03 as f32, m.m13 as f32, m.m23 as f32);
        compare(stage.scene_from_node(index).translation.into(), place, &node.element.name);
        let Some(mesh) = &node.mesh else { continue };
        let is_linear = mesh.skin_deformers.iter().all(|skin| {
            !matches!(
                skin.skinning_method,
                ufbx::SkinningMethod::DualQuaternion | ufbx::SkinningMethod::BlendedDqLinear
            )
        });
        // ufbx poses vertices without bones by the first node that shows the mesh.
        if !is_linear || mesh.element.instances.len() > 1 {
            continue;
        }
        let apart = format!("{} (skin)", &*node.element.name);
        let shown = match model.nodes[index].mesh {
            Some(_) => Some(index),
            None => model.nodes.iter().position(|n| n.name.as_deref() == Some(apart.as_str())),
        };
        let Some(shown) = shown else { continue };
        let budget = Budget::default();
        let mut draft = Draft::new(&budget);
        let surfaces = mesh::surfaces(mesh, None, &mut draft, &mut Warnings::default()).unwrap();
        for (primitive, surface) in surfaces.iter().enumerate() {
            let data = &model.meshes[model.nodes[shown].mesh?].primitives[primitive];
            let which: Vec<u32> = (0..data.vertices.len() as u32).collect();
            let drawn = DrawnPrimitive { node: shown, primitive };
            let found = stage.deformed_at(model, drawn, &which).unwrap();
            for (vertex, found) in which.iter().zip(found) {
                let point = surface.points[data.index_in_file(*vertex) as usize] as usize;
                let at = mesh.skinned_position.values[point];
                let at = match mesh.skinned_is_local {
                    true => ufbx::transform_position(&node.geometry_to_world, at),
                    false => at,
                };
                compare(found + origin, vector(at), &node.element.name);
            }
        }
    }
    (worst.0 > MOST + ROUNDING * size).then_some(worst.1)
}
