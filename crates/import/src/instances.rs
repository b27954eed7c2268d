//! EXT_mesh_gpu_instancing: the instances of a node's mesh.

use glam::{Affine3A, Quat, Vec3};

use super::accessor::Accessors;
use super::attribute::{self, Attribute, DIRECTION_TYPES};
use super::fault::{ImportError, Warnings};
use rigview_document::{At, Component, Document, Shape};
use rigview_model::{Mesh, Node, WarningCode};

/// Limit for the primitives drawn by all instances of a file, counted per instance. A matrix is
/// written for each in every frame.
const MOST_DRAWN: usize = 4 << 20;

/// Reads the instances of all nodes. Must run after `skinned_nodes::drop_idle_skins`.
pub(super) fn read(
    document: &Document,
    nodes: &mut [Node],
    meshes: &[Mesh],
    accessors: &Accessors,
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    let mut drawn = 0usize;
    for (at, node) in document.list("nodes")?.iter().zip(nodes) {
        let Some(extension) = at.extension("EXT_mesh_gpu_instancing")? else { continue };
        let Some(attributes) = extension.get("attributes") else {
            warnings.add_at(
                &extension,
                WarningCode::InstancesNone,
                "it has no attributes: drawn once",
            );
            continue;
        };
        let list = attribute::list(&attributes, accessors)?;
        let Some(first) = list.first() else {
            warnings.add_at(
                &attributes,
                WarningCode::InstancesNone,
                "it has no instances: drawn once",
            );
            continue;
        };
        let count = first.accessor.count;
        if let Some(other) = list.iter().find(|a| a.accessor.count != count) {
            let (name, entries) = (rigview_model::quoted(other.name), other.accessor.count);
            let message = format!("{name} has {entries} entries for {count} instances");
            return Err(other.at.error(message).into());
        }
        let Some(mesh) = node.mesh else {
            warnings.add_at(&extension, WarningCode::InstancesIdle, "its node has no mesh to draw");
            continue;
        };
        if node.skin.is_some() {
            let message = "instances of a skinned mesh: drawn once, where its joints are";
            warnings.add_at(&extension, WarningCode::InstancesSkinned, message);
            continue;
        }
        drawn = drawn.saturating_add(count.saturating_mul(meshes[mesh].primitives.len()));
        if drawn > MOST_DRAWN {
            let message = format!(
                "{count} instances exceed the limit of {MOST_DRAWN} drawn primitives per file"
            );
            return Err(extension.error(message).into());
        }
        accessors.charge(&extension, count, size_of::<Affine3A>())?;
        node.instances = matrices(&extension, &list, count, accessors, warnings)?;
    }
    Ok(())
}

/// The transform of an instance, as in the file.
#[derive(Clone, Copy)]
struct InstanceTransform {
    translation: [f32; 3],
    rotation: [f32; 4],
    scale: [f32; 3],
}

fn matrices(
    at: &At,
    attributes: &[Attribute],
    count: usize,
    accessors: &Accessors,
    warnings: &mut Warnings,
) -> Result<Vec<Affine3A>, ImportError> {
    let none = InstanceTransform {
        translation: [0.0; 3],
        rotation: [0.0, 0.0, 0.0, 1.0],
        scale: [1.0; 3],
    };
    let mut places = vec![none; count];
    for attribute in attributes {
        let accessor = &attribute.accessor;
        match attribute.name {
            "TRANSLATION" => {
                attribute.require(&[Shape::Vec3], &[Component::F32])?;
                accessors.floats(accessor, |i, value| places[i].translation = value);
            }
            "ROTATION" => {
                attribute.require(&[Shape::Vec4], DIRECTION_TYPES)?;
                let accessor = attribute.as_fractions(warnings);
                accessors.floats(&accessor, |i, value| places[i].rotation = value);
            }
            "SCALE" => {
                attribute.require(&[Shape::Vec3], &[Component::F32])?;
                accessors.floats(accessor, |i, value| places[i].scale = value);
            }
            // Other attributes are application-specific.
            _ => {}
        }
    }
    let (mut matrices, mut turned) = (Vec::with_capacity(count), 0);
    for place in &places {
        let rotation = Quat::from_array(place.rotation);
        let unit = rotation.length_squared().sqrt();
        turned += usize::from((unit - 1.0).abs() > 0.01);
        let rotation = match unit > 0.0 {
            true => Quat::from_vec4(glam::Vec4::from(rotation) / unit),
            false => Quat::IDENTITY,
        };
        let [scale, translation] = [place.scale, place.translation].map(Vec3::from);
        let matrix = Affine3A::from_scale_rotation_translation(scale, rotation, translation);
        if matrix.is_finite() && unit.is_finite() {
            matrices.push(matrix);
        }
    }
    if turned > 0 {
        let message = format!("{turned} of {count} rotations are not of length 1: normalised");
        warnings.add_at(at, WarningCode::RotationNotUnit, message);
    }
    let odd = count - matrices.len();
    if odd > 0 {
        let message = format!("{odd} of {count} instances are NaN or infinite: left out");
        warnings.add_at(at, WarningCode::InstancesNotFinite, message);
    }
    if matrices.is_empty() {
        warnings.add_at(
            at,
            WarningCode::InstancesNone,
            "no instance is finite: drawn once, at the node",
        );
    }
    Ok(matrices)
}
