//! Scenes and cameras.

use super::fault::{ImportError, Warnings};
use rigview_anim::Hierarchy;
use rigview_document::{At, Document};
use rigview_model::{Camera, Projection, Scene, WarningCode, quoted};

/// Reads all scenes. Returns at least one, and the index of the default scene.
pub(super) fn read(
    document: &Document,
    hierarchy: &Hierarchy,
    warnings: &mut Warnings,
) -> Result<(Vec<Scene>, usize), ImportError> {
    let mut scenes = Vec::new();
    for at in document.list("scenes")? {
        scenes.push(scene(&at, hierarchy, warnings)?);
    }
    let default = document.root().index("scene", "scenes")?.unwrap_or(0);
    if scenes.is_empty() {
        let roots: Vec<usize> =
            (0..hierarchy.len()).filter(|node| hierarchy.parent(*node).is_none()).collect();
        if !roots.is_empty() {
            let message =
                format!("the file has no scenes: all its root nodes ({}) are shown", roots.len());
            warnings.add(WarningCode::NoScenes, "", message);
        }
        scenes.push(Scene { name: None, roots });
    }
    Ok((scenes, default))
}

fn scene(at: &At, hierarchy: &Hierarchy, warnings: &mut Warnings) -> Result<Scene, ImportError> {
    let mut roots = Vec::new();
    let mut named = std::collections::HashSet::new();
    for place in at.list("nodes")? {
        let node = place.index_of("nodes")?;
        if !named.insert(node) {
            warnings.add_at(
                &place,
                WarningCode::RootTwice,
                format!("node {node} is listed twice: drawn once"),
            );
            continue;
        }
        if let Some(parent) = hierarchy.parent(node) {
            let message =
                format!("node {node} is not a root but a child of node {parent}: drawn once");
            warnings.add_at(&place, WarningCode::RootIsChild, message);
        }
        roots.push(node);
    }
    Ok(Scene { name: at.name()?, roots })
}

/// Reads all cameras.
pub(super) fn cameras(
    document: &Document,
    warnings: &mut Warnings,
) -> Result<Vec<Camera>, ImportError> {
    document.list("cameras")?.iter().map(|at| camera(at, warnings)).collect()
}

fn camera(at: &At, warnings: &mut Warnings) -> Result<Camera, ImportError> {
    let kind = at.required("type")?;
    for (other, own) in [("perspective", "orthographic"), ("orthographic", "perspective")] {
        if kind.value == own && at.get(other).is_some() {
            let message = format!("{other} beside the type {own}: ignored");
            warnings.add_at(at, WarningCode::CameraOdd, message);
        }
    }
    let projection = match kind.text()? {
        "perspective" => perspective(&at.required("perspective")?, warnings)?,
        "orthographic" => orthographic(&at.required("orthographic")?, warnings)?,
        other => {
            return Err(kind.error(format!("camera type {} is unknown", quoted(other))).into());
        }
    };
    Ok(Camera { name: at.name()?, projection })
}

/// Reads a number that must be greater than a limit; otherwise returns `instead`.
fn over(
    at: &At,
    key: &str,
    limit: f32,
    instead: f32,
    warnings: &mut Warnings,
) -> Result<f32, ImportError> {
    let place = at.required(key)?;
    let number = place.number()?;
    if number > limit {
        return Ok(number);
    }
    let message = format!("{key} is {number}, it must be greater than {limit}: {instead} is used");
    warnings.add_at(&place, WarningCode::CameraOdd, message);
    Ok(instead)
}

fn perspective(at: &At, warnings: &mut Warnings) -> Result<Projection, ImportError> {
    let near = over(at, "znear", 0.0, 0.01, warnings)?;
    let far = match at.get("zfar") {
        Some(_) => Some(over(at, "zfar", near, 1e5 * near, warnings)?),
        None => None,
    };
    let aspect = match at.number_at("aspectRatio")? {
        Some(aspect) if aspect <= 0.0 => {
            let message = format!("aspectRatio is {aspect}, it must be above 0: ignored");
            warnings.add_at(at, WarningCode::CameraOdd, message);
            None
        }
        aspect => aspect,
    };
    let mut fov_y = over(at, "yfov", 0.0, 40f32.to_radians(), warnings)?;
    if fov_y >= std::f32::consts::PI {
        warnings.add_at(
            at,
            WarningCode::CameraOdd,
            format!("yfov is {fov_y}, it must be below pi: 3 is used"),
        );
        fov_y = 3.0;
    }
    Ok(Projection::Perspective { fov_y, aspect, near, far })
}

fn orthographic(at: &At, warnings: &mut Warnings) -> Result<Projection, ImportError> {
    let mut half = |key: &str| -> Result<f32, ImportError> {
        let place = at.required(key)?;
        let number = place.number()?;
        if number == 0.0 {
            let message = format!("{key} is 0, which is not allowed: 1 is used");
            warnings.add_at(&place, WarningCode::CameraOdd, message);
            return Ok(1.0);
        }
        if number < 0.0 {
            let message = format!("{key} is {number}, it must be above 0: read without its sign");
            warnings.add_at(&place, WarningCode::CameraOdd, message);
        }
        Ok(number.abs())
    };
    let (half_width, half_height) = (half("xmag")?, half("ymag")?);
    let near = at.required("znear")?.number()?;
    if near < 0.0 {
        let message = format!(
            "znear is {near}, it must not be negative: objects behind the camera are shown"
        );
        warnings.add_at(at, WarningCode::CameraOdd, message);
    }
    let far = over(at, "zfar", near, near.max(0.0) + 1e3, warnings)?;
    Ok(Projection::Orthographic { half_width, half_height, near, far })
}
