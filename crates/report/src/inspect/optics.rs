//! Skins, cameras and lights.

use serde::Serialize;

use rigview_model::{Camera, Light, LightKind, Model, Projection};

/// A skin.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SkinFacts {
    /// Its index.
    pub index: usize,
    /// Its name.
    pub name: Option<String>,
    /// The nodes that are its joints, in its order.
    pub joints: Vec<usize>,
    /// Whether the file has inverse bind matrices other than the identity.
    pub bound: bool,
    /// The nodes whose meshes it moves.
    pub nodes: Vec<usize>,
}

/// A camera in the present pose.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CameraFacts {
    /// Its index.
    pub index: usize,
    /// Its name.
    pub name: Option<String>,
    /// `perspective` or `orthographic`.
    pub kind: &'static str,
    /// The vertical field of view in degrees.
    pub fov_y_degrees: Option<f32>,
    /// The ratio of width to height that the file gives.
    pub aspect: Option<f32>,
    /// Half the width and half the height of an orthographic view.
    pub half_size: Option<[f32; 2]>,
    /// Distance of the near plane.
    pub near: f32,
    /// Distance of the far plane; `None` is infinitely far.
    pub far: Option<f32>,
    /// The nodes that place it.
    pub nodes: Vec<usize>,
}

/// A light in the present pose.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LightFacts {
    /// Its index.
    pub index: usize,
    /// Its name.
    pub name: Option<String>,
    /// `directional`, `point` or `spot`.
    pub kind: &'static str,
    /// Colour in linear RGB.
    pub color: [f32; 3],
    /// Lux for directional lights, candela for the others.
    pub intensity: f32,
    /// The unit of the intensity.
    pub unit: &'static str,
    /// Distance in metres at which it ends; `None` is unlimited.
    pub range: Option<f32>,
    /// The angles of a spot's cone, from its axis, in degrees: of full intensity, and of none.
    pub cone_degrees: Option<[f32; 2]>,
    /// The nodes that place it.
    pub nodes: Vec<usize>,
}

/// Returns the facts of a skin in the file.
///
/// # Panics
/// If there is no such skin.
pub fn skin_facts(model: &Model, index: usize) -> SkinFacts {
    let skin = &model.skins[index];
    SkinFacts {
        index,
        name: skin.name.clone(),
        joints: skin.joints.iter().map(|joint| *joint as usize).collect(),
        bound: skin.joint_from_mesh.iter().any(|m| *m != glam::Affine3A::IDENTITY),
        nodes: (0..model.nodes.len()).filter(|n| model.nodes[*n].skin == Some(index)).collect(),
    }
}

/// Returns the facts of a camera, as the model or a pose's properties have it.
pub fn camera_facts(model: &Model, index: usize, camera: &Camera) -> CameraFacts {
    let facts = CameraFacts {
        index,
        name: camera.name.clone(),
        kind: "orthographic",
        fov_y_degrees: None,
        aspect: None,
        half_size: None,
        near: 0.0,
        far: None,
        nodes: (0..model.nodes.len()).filter(|n| model.nodes[*n].camera == Some(index)).collect(),
    };
    match camera.projection {
        Projection::Perspective { fov_y, aspect, near, far } => CameraFacts {
            kind: "perspective",
            fov_y_degrees: Some(fov_y.to_degrees()),
            aspect,
            near,
            far,
            ..facts
        },
        Projection::Orthographic { half_width, half_height, near, far } => CameraFacts {
            half_size: Some([half_width, half_height]),
            near,
            far: Some(far),
            ..facts
        },
    }
}

/// Returns the facts of a light, as the model or a pose's properties have it.
pub fn light_facts(model: &Model, index: usize, light: &Light) -> LightFacts {
    LightFacts {
        index,
        name: light.name.clone(),
        kind: light.kind.name(),
        color: light.color,
        intensity: light.intensity,
        unit: if light.kind == LightKind::Directional { "lx" } else { "cd" },
        range: light.range,
        cone_degrees: match light.kind {
            LightKind::Spot { inner, outer } => Some([inner, outer].map(f32::to_degrees)),
            LightKind::Directional | LightKind::Point => None,
        },
        nodes: (0..model.nodes.len()).filter(|n| model.nodes[*n].light == Some(index)).collect(),
    }
}
