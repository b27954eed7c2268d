//! Skins: joints and inverse bind matrices.

use glam::{Affine3A, Mat4};

use super::accessor::Accessors;
use super::attribute::Attribute;
use super::fault::{ImportError, Warnings};
use rigview_anim::Skin;
use rigview_document::{At, Component, Document, Shape};
use rigview_model::WarningCode;

/// Reads all skins.
pub(super) fn read(
    document: &Document,
    accessors: &Accessors,
    warnings: &mut Warnings,
) -> Result<Vec<Skin>, ImportError> {
    document.list("skins")?.iter().map(|at| skin(at, accessors, warnings)).collect()
}

fn skin(at: &At, accessors: &Accessors, warnings: &mut Warnings) -> Result<Skin, ImportError> {
    let list = at.required("joints")?;
    let items = list.items()?;
    accessors.charge(at, items.len(), size_of::<u32>())?;
    let mut joints = Vec::with_capacity(items.len());
    for joint in &items {
        joints.push(joint.index_of("nodes")? as u32);
    }
    if joints.is_empty() {
        return Err(list.error("it has no joints").into());
    }
    let mut sorted = joints.clone();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|w| w[0] == w[1]) {
        warnings.add_at(
            &list,
            WarningCode::JointTwice,
            format!("node {} is listed as a joint twice", pair[0]),
        );
    }
    at.index("skeleton", "nodes")?;
    let joint_from_mesh = match at.get("inverseBindMatrices") {
        Some(matrices) => inverse_bind_matrices(&matrices, joints.len(), accessors, warnings)?,
        None => vec![Affine3A::IDENTITY; joints.len()],
    };
    Ok(Skin { name: at.name()?, joints, joint_from_mesh })
}

fn inverse_bind_matrices(
    at: &At,
    joints: usize,
    accessors: &Accessors,
    warnings: &mut Warnings,
) -> Result<Vec<Affine3A>, ImportError> {
    let accessor = accessors.named_by(at)?.clone();
    let attribute = Attribute { name: "inverseBindMatrices", at: at.clone(), accessor };
    attribute.require(&[Shape::Mat4], &[Component::F32])?;
    let accessor = &attribute.accessor;
    accessors.warn_if_strided(at, accessor, warnings);
    if accessor.count < joints {
        let message = format!("{} inverse bind matrices for {joints} joints", accessor.count);
        return Err(at.error(message).into());
    }
    accessors.charge(at, joints, size_of::<Affine3A>())?;
    let mut matrices = vec![Affine3A::IDENTITY; joints];
    let (mut odd, mut projective) = (None, None);
    // Matrices without a joint have no effect, and there may be any number of them.
    accessors.floats(&accessor.up_to(joints), |i, columns: [f32; 16]| {
        let Some(out) = matrices.get_mut(i) else { return };
        let matrix = Mat4::from_cols_array(&columns);
        if !matrix.is_finite() {
            odd = Some(i);
        }
        let row = matrix.row(3);
        if (row - glam::Vec4::W).abs().max_element() > 1e-5 {
            projective = Some(i);
        }
        *out = Affine3A::from_mat4(matrix);
    });
    if let Some(i) = odd {
        let message = format!("inverse bind matrix {i} has numbers that are NaN or infinite");
        return Err(at.error(message).into());
    }
    if let Some(i) = projective {
        let message =
            format!("the last row of inverse bind matrix {i} is not 0 0 0 1: read as if it were");
        warnings.add_at(at, WarningCode::MatrixProjective, message);
    }
    Ok(matrices)
}
