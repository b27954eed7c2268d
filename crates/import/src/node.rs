//! Nodes: the hierarchy, local transforms, and the objects attached to them.

use std::borrow::Cow;
use std::collections::HashMap;

use glam::{Affine3A, DMat3, DQuat, DVec3, Mat4, Quat, Vec3, Vec4};

use super::fault::{ImportError, Warnings};
use rigview_anim::{FixedNode, Hierarchy, LocalPose, Transform, WorldPose};
use rigview_document::{At, Document};
use rigview_model::{Mesh, Node, WarningCode};

/// The nodes of a file.
pub(super) struct Nodes {
    /// In file order.
    pub list: Vec<Node>,
    /// The tree.
    pub hierarchy: Hierarchy,
    /// Local transforms.
    pub transforms: Vec<Transform>,
    /// By node: whether it has a `matrix`.
    pub has_matrix: Vec<bool>,
    /// By mesh: the nodes that use its morph weights because they have none of their own.
    pub weighted_by_mesh: HashMap<usize, Vec<usize>>,
}

/// Reads all nodes and their tree.
pub(super) fn read(
    document: &Document,
    lights: usize,
    warnings: &mut Warnings,
) -> Result<Nodes, ImportError> {
    let places = document.list("nodes")?;
    let mut list = Vec::with_capacity(places.len());
    let mut transforms = Vec::with_capacity(places.len());
    let mut has_matrix = vec![false; places.len()];
    let mut fixed = Vec::new();
    for (i, at) in places.iter().enumerate() {
        list.push(node(at, lights)?);
        transforms.push(match at.get("matrix") {
            Some(matrix) => {
                has_matrix[i] = true;
                let columns = at.numbers::<16>("matrix")?.unwrap_or_default();
                let columns = Mat4::from_cols_array(&columns);
                if ["translation", "rotation", "scale"].iter().any(|key| at.get(key).is_some()) {
                    let message =
                        "matrix beside translation, rotation or scale: the matrix is used";
                    warnings.add_at(&matrix, WarningCode::MatrixAndTrs, message);
                }
                let (transform, exact) = decomposed(&matrix, columns, warnings);
                if !exact {
                    let parent_from_node = Affine3A::from_mat4(columns);
                    fixed.push(FixedNode { node: i as u32, parent_from_node });
                }
                transform
            }
            None => transform(at, warnings)?,
        });
    }
    let parents = parents(&places, warnings)?;
    let hierarchy = Hierarchy::new(parents, fixed).map_err(|e| {
        let message = "it is its own ancestor: nodes form a cycle";
        places
            .get(e.node)
            .map_or_else(|| ImportError::invalid("/nodes", message), |at| at.error(message).into())
    })?;
    let mut weighted_by_mesh: HashMap<usize, Vec<usize>> = HashMap::new();
    for (i, (node, at)) in list.iter().zip(&places).enumerate() {
        if let (Some(mesh), None) = (node.mesh, at.get("weights")) {
            weighted_by_mesh.entry(mesh).or_default().push(i);
        }
    }
    Ok(Nodes { list, hierarchy, transforms, has_matrix, weighted_by_mesh })
}

fn node(at: &At, lights: usize) -> Result<Node, ImportError> {
    let light = match at.extension("KHR_lights_punctual")? {
        Some(extension) => Some(extension.required("light")?.index_below(lights, "lights")?),
        None => None,
    };
    let visibility = at.extension("KHR_node_visibility")?;
    let hidden = match visibility.and_then(|extension| extension.get("visible")) {
        Some(visible) => !visible.truth()?,
        None => false,
    };
    Ok(Node {
        name: at.name()?,
        mesh: at.index("mesh", "meshes")?,
        instances: Vec::new(),
        skin: at.index("skin", "skins")?,
        camera: at.index("camera", "cameras")?,
        light,
        hidden,
    })
}

/// Computes each node's parent from the lists of children.
fn parents(places: &[At], warnings: &mut Warnings) -> Result<Vec<Option<u32>>, ImportError> {
    let mut parents: Vec<Option<u32>> = vec![None; places.len()];
    for (parent, at) in places.iter().enumerate() {
        for child_at in at.list("children")? {
            let child = child_at.index_of("nodes")?;
            match parents[child] {
                Some(first) if first as usize == parent => {
                    let message = format!("child {child} is listed twice: drawn once");
                    warnings.add_at(&child_at, WarningCode::ChildTwice, message);
                }
                Some(first) => {
                    let message =
                        format!("child {child} has two parents, nodes {first} and {parent}");
                    return Err(child_at.error(message).into());
                }
                None if child == parent => {
                    return Err(child_at.error("it is its own child: nodes form a cycle").into());
                }
                None => parents[child] = Some(parent as u32),
            }
        }
    }
    Ok(parents)
}

/// Reads a node's translation, rotation and scale.
fn transform(at: &At, warnings: &mut Warnings) -> Result<Transform, ImportError> {
    let translation = at.numbers::<3>("translation")?.unwrap_or([0.0; 3]);
    let scale = at.numbers::<3>("scale")?.unwrap_or([1.0; 3]);
    let rotation = match at.numbers::<4>("rotation")? {
        Some(rotation) => unit(&at.required("rotation")?, rotation, warnings),
        None => Quat::IDENTITY,
    };
    Ok(Transform { translation: Vec3::from(translation), rotation, scale: Vec3::from(scale) })
}

/// Returns a rotation unchanged if it is of unit length but for rounding; otherwise normalised.
/// Length 0 becomes the identity.
fn unit(at: &At, rotation: [f32; 4], warnings: &mut Warnings) -> Quat {
    let wide = DQuat::from_array(rotation.map(f64::from));
    let length = wide.length();
    if length == 0.0 {
        warnings.add_at(
            at,
            WarningCode::RotationZero,
            "a rotation of length 0 is read as the identity",
        );
        return Quat::IDENTITY;
    }
    if (length - 1.0).abs() > 0.005 {
        let message = format!("a rotation of length {length:.3e} is normalised");
        warnings.add_at(at, WarningCode::RotationNotUnit, message);
        return (wide / length).as_quat();
    }
    Quat::from_array(rotation)
}

/// Decomposes a matrix into translation, rotation and scale. Also returns whether that is exact.
fn decomposed(at: &At, matrix: Mat4, warnings: &mut Warnings) -> (Transform, bool) {
    if matrix.row(3) != Vec4::W {
        let message = "the last row of the matrix is not 0 0 0 1: read as if it were";
        warnings.add_at(at, WarningCode::MatrixProjective, message);
    }
    let axes = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|v| v.truncate().as_dvec3());
    let mut scale = DVec3::new(axes[0].length(), axes[1].length(), axes[2].length());
    let flat = scale.min_element() == 0.0;
    let mut frame = frame(axes);
    if frame.determinant() < 0.0 {
        scale.x = -scale.x;
        frame.x_axis = -frame.x_axis;
    }
    let rotation = DQuat::from_mat3(&orthonormal(frame)).normalize();
    let transform = Transform {
        translation: matrix.w_axis.truncate(),
        rotation: rotation.as_quat(),
        scale: scale.as_vec3(),
    };
    let again = DMat3::from_quat(rotation) * DMat3::from_diagonal(scale);
    let off = [again.x_axis - axes[0], again.y_axis - axes[1], again.z_axis - axes[2]];
    let largest = scale.abs().max_element();
    let exact = off.iter().all(|v| v.length() <= 1e-5 * largest);
    if !exact {
        let message = "the matrix is sheared, so it has no exact translation, rotation and scale: shown as it is";
        warnings.add_at(at, WarningCode::MatrixSheared, message);
    } else if flat {
        warnings.add_at(
            at,
            WarningCode::MatrixSingular,
            "the matrix is singular: it flattens what it carries",
        );
    }
    (transform, exact)
}

/// Normalises three axes; axes of length 0 are made perpendicular to the others.
fn frame(axes: [DVec3; 3]) -> DMat3 {
    let [x, y, z] = axes.map(|axis| axis.try_normalize());
    let (x, y, z) = match (x, y, z) {
        (Some(x), Some(y), Some(z)) => (x, y, z),
        (Some(x), Some(y), None) => (x, y, x.cross(y).normalize_or(x.any_orthonormal_vector())),
        (Some(x), None, Some(z)) => (x, z.cross(x).normalize_or(x.any_orthonormal_vector()), z),
        (None, Some(y), Some(z)) => (y.cross(z).normalize_or(y.any_orthonormal_vector()), y, z),
        (Some(x), None, None) => {
            let (y, z) = x.any_orthonormal_pair();
            (x, y, z)
        }
        (None, Some(y), None) => {
            let (z, x) = y.any_orthonormal_pair();
            (x, y, z)
        }
        (None, None, Some(z)) => {
            let (x, y) = z.any_orthonormal_pair();
            (x, y, z)
        }
        (None, None, None) => (DVec3::X, DVec3::Y, DVec3::Z),
    };
    DMat3::from_cols(x, y, z)
}

/// Returns an orthonormal right-handed frame near one that may be skewed. Its X axis is kept.
fn orthonormal(frame: DMat3) -> DMat3 {
    let x = frame.x_axis;
    let y = (frame.y_axis - x * x.dot(frame.y_axis)).normalize_or(x.any_orthonormal_vector());
    DMat3::from_cols(x, y, x.cross(y))
}

/// Builds the rest pose: the local transforms, and the morph weights of the node or else of its
/// mesh.
pub(super) fn rest(
    document: &Document,
    nodes: &Nodes,
    meshes: &[Mesh],
    warnings: &mut Warnings,
) -> Result<LocalPose, ImportError> {
    let mut weights: Vec<Cow<[f32]>> = Vec::with_capacity(nodes.list.len());
    for (node, at) in nodes.list.iter().zip(document.list("nodes")?) {
        let of_mesh = node.mesh.map_or(&[][..], |mesh| &meshes[mesh].weights);
        weights.push(match at.number_list("weights")? {
            None => Cow::Borrowed(of_mesh),
            Some(mut own) => {
                let targets = of_mesh.len();
                if own.len() != targets {
                    let message = format!("{} weights for {targets} morph targets", own.len());
                    warnings.add_at(&at, WarningCode::WeightsCount, message);
                    own.resize(targets, 0.0);
                }
                Cow::Owned(own)
            }
        });
    }
    Ok(LocalPose::new(nodes.transforms.clone(), &weights))
}

/// Warns of nodes whose world matrix in the rest pose exceeds single precision.
pub(super) fn check_finite(hierarchy: &Hierarchy, rest: &LocalPose, warnings: &mut Warnings) {
    let mut world = WorldPose::default();
    hierarchy.resolve(rest, DVec3::ZERO, &mut world);
    let odd = |node: &usize| !world.world_from_node(*node).is_finite();
    let count = (0..rest.len()).filter(odd).count();
    if let Some(first) = (0..rest.len()).find(odd) {
        let nodes = if count == 1 { "node has" } else { "nodes have" };
        let message = format!(
            "{count} {nodes} a NaN or infinite world matrix, node {first} first: not drawn"
        );
        warnings.add(WarningCode::WorldNotFinite, &format!("/nodes/{first}"), message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn nodes(value: serde_json::Value) -> (Result<Nodes, ImportError>, Vec<&'static str>) {
        let document = Document::new(json!({ "nodes": value })).unwrap();
        let mut warnings = Warnings::default();
        let nodes = read(&document, 0, &mut warnings);
        (nodes, warnings.finish(false).iter().map(|w| w.code.as_str()).collect())
    }

    fn with_matrix(matrix: Mat4) -> (Nodes, Vec<&'static str>) {
        let (nodes, codes) = nodes(json!([{ "matrix": matrix.to_cols_array() }]));
        (nodes.unwrap(), codes)
    }

    #[test]
    fn a_matrix_becomes_translation_rotation_and_scale() {
        let rotation = Quat::from_euler(glam::EulerRot::XYZ, 0.3, -1.1, 2.0);
        for scale in [Vec3::new(1.0, 2.0, 3.0), Vec3::new(-1.0, 2.0, 3.0), Vec3::new(2.0, 0.0, 1.0)]
        {
            let matrix = Mat4::from_scale_rotation_translation(scale, rotation, Vec3::X);
            let (nodes, _) = with_matrix(matrix);
            let again = Mat4::from(nodes.transforms[0].parent_from_node());
            assert!(again.abs_diff_eq(matrix, 1e-5), "{again} is not {matrix}");
        }
    }

    #[test]
    fn matrices_that_cannot_be_decomposed_are_kept_with_a_warning() {
        let mut shear = Mat4::IDENTITY;
        shear.y_axis.x = 1.0;
        let (nodes, codes) = with_matrix(shear);
        let mut world = rigview_anim::WorldPose::default();
        let pose = LocalPose::new(nodes.transforms, &[vec![]]);
        nodes.hierarchy.resolve(&pose, DVec3::ZERO, &mut world);
        assert_eq!(Mat4::from(*world.world_from_node(0)), shear);
        assert_eq!(codes, ["MATRIX_SHEARED"]);
        let (nodes, codes) = with_matrix(Mat4::ZERO);
        assert_eq!(nodes.transforms[0].scale, Vec3::ZERO);
        assert!(nodes.transforms[0].rotation.is_finite());
        assert_eq!(codes, ["MATRIX_PROJECTIVE", "MATRIX_SINGULAR"]);
    }

    #[test]
    fn rotations_of_any_length_are_normalised() {
        let (read, codes) = nodes(json!([
            {"rotation": [0, 0, 0, 0]},
            {"rotation": [0, 0, 1e30, 1e30]},
            {"rotation": [0, 0, 1e-30, 0]},
        ]));
        let q = read.unwrap().transforms.iter().map(|t| t.rotation).collect::<Vec<_>>();
        assert_eq!(q[0], Quat::IDENTITY);
        assert!((q[1].length() - 1.0).abs() < 1e-6 && (q[2].length() - 1.0).abs() < 1e-6);
        assert_eq!(codes, ["ROTATION_ZERO", "ROTATION_NOT_UNIT", "ROTATION_NOT_UNIT"]);
    }

    #[test]
    fn only_trees_are_accepted() {
        let refused = |value| nodes(value).0.err().map(|e| e.to_string()).unwrap_or_default();
        assert!(refused(json!([{"children": [1]}, {"children": [0]}])).contains("cycle"));
        assert!(refused(json!([{"children": [0]}])).contains("cycle"));
        let two = refused(json!([{"children": [2]}, {"name": "B", "children": [2]}, {}]));
        assert_eq!(
            two,
            "node \"B\": child 2 has two parents, nodes 0 and 1 at /nodes/1/children/0"
        );
        let (twice, codes) = nodes(json!([{"children": [1, 1]}, {}]));
        assert_eq!(twice.unwrap().hierarchy.parent(1), Some(0));
        assert_eq!(codes, ["CHILD_TWICE"]);
    }
}
