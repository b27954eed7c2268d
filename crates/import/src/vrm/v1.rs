//! VRM 1.0: `VRMC_vrm`, `VRMC_springBone` and `VRMC_vrm_animation`.

use std::collections::BTreeMap;

use glam::Vec3;

use super::parts::{Rig, each, morph_bind, or_skipped, range_map, terms, unknown_bone};
use crate::fault::{ImportError, Warnings};
use rigview_document::At;
use rigview_model::{
    Collider, ColliderSide, ColorBind, Expression, FirstPerson, HumanBone, LookAt, Override,
    Spring, SpringJoint, TextureTransformBind, Vrm, VrmMeta,
};

/// Reads an avatar.
pub(super) fn avatar(at: &At, springs: Option<&At>, rig: &Rig, warnings: &mut Warnings) -> Vrm {
    let mut vrm = Vrm { version: version(at), bones: bones(at, warnings), ..Vrm::default() };
    if let Some(meta) = at.get("meta") {
        vrm.meta = or_skipped(read_meta(&meta), &meta, warnings).unwrap_or_default();
    }
    vrm.expressions = expressions(at, warnings, |name, is_preset, at, warnings| {
        let mut expression = Expression { name, is_preset, ..switches(at)? };
        expression.morphs = each(at, "morphTargetBinds", warnings, |bind| {
            let node = bind.required("node")?.index_of("nodes")?;
            let weight = bind.number_at("weight")?.unwrap_or(1.0);
            morph_bind(bind, rig, node, weight)
        });
        expression.colors = each(at, "materialColorBinds", warnings, |bind| {
            let value = bind.numbers("targetValue")?;
            let value = value.ok_or_else(|| bind.error("it has no targetValue"))?;
            let kind = bind.text_at("type")?.unwrap_or("color").to_owned();
            Ok(ColorBind {
                material: bind.required("material")?.index_of("materials")?,
                kind,
                value,
            })
        });
        expression.texture_transforms = each(at, "textureTransformBinds", warnings, |bind| {
            Ok(TextureTransformBind {
                material: bind.required("material")?.index_of("materials")?,
                scale: bind.numbers("scale")?.unwrap_or([1.0; 2]).map(Some),
                offset: bind.numbers("offset")?.unwrap_or([0.0; 2]).map(Some),
            })
        });
        Ok(expression)
    });
    if let Some(seen) = at.get("firstPerson") {
        vrm.first_person = each(&seen, "meshAnnotations", warnings, |at| {
            let node = at.required("node")?.index_of("nodes")?;
            Ok(FirstPerson { node, kind: at.text_at("type")?.unwrap_or("auto").to_owned() })
        });
    }
    if let Some(at) = at.get("lookAt") {
        vrm.look_at = or_skipped(look_at(&at), &at, warnings);
    }
    if let Some(springs) = springs {
        vrm.colliders = colliders(springs, warnings);
        let colliders = vrm.colliders.len();
        let groups = or_skipped(springs.list("colliderGroups"), springs, warnings);
        let groups = groups.unwrap_or_default();
        vrm.springs = each(springs, "springs", warnings, |at| spring(at, &groups, colliders));
    }
    vrm
}

/// Reads the bones of an animation file and the nodes that carry its expressions.
pub(super) fn animation(at: &At, warnings: &mut Warnings) -> Vrm {
    let expressions = expressions(at, warnings, |name, is_preset, at, _| {
        let node = at.required("node")?.index_of("nodes")?;
        Ok(Expression { name, is_preset, node: Some(node), ..Expression::default() })
    });
    let gaze = at.get("lookAt").and_then(|at| or_skipped(at.index("node", "nodes"), &at, warnings));
    let (version, bones) = (version(at), bones(at, warnings));
    Vrm { version, bones, expressions, gaze: gaze.flatten(), ..Vrm::default() }
}

/// Reads how the eyes follow a gaze.
fn look_at(at: &At) -> Result<LookAt, ImportError> {
    let kind = at.text_at("type")?.unwrap_or("bone").to_owned();
    let range = |key| range_map(at, key, ["inputMaxValue", "outputScale"], &kind);
    Ok(LookAt {
        inner: range("rangeMapHorizontalInner")?,
        outer: range("rangeMapHorizontalOuter")?,
        down: range("rangeMapVerticalDown")?,
        up: range("rangeMapVerticalUp")?,
        kind,
    })
}

fn version(at: &At) -> String {
    at.text_at("specVersion").ok().flatten().unwrap_or("1.0").to_owned()
}

fn read_meta(at: &At) -> Result<VrmMeta, ImportError> {
    let authors = at.list("authors")?;
    let authors = authors.iter().map(|author| Ok(author.text()?.to_owned()));
    Ok(VrmMeta {
        name: at.name()?,
        authors: authors.collect::<Result<_, ImportError>>()?,
        licence: at.text_at("licenseUrl")?.map(str::to_owned),
        terms: terms(at, &["name", "licenseUrl"]),
    })
}

fn bones(at: &At, warnings: &mut Warnings) -> BTreeMap<HumanBone, usize> {
    let mut bones = BTreeMap::new();
    let Some(list) = at.get("humanoid").and_then(|at| at.get("humanBones")) else { return bones };
    for (name, at) in or_skipped(list.entries(), &list, warnings).unwrap_or_default() {
        let node = || -> Result<_, ImportError> {
            let bone = HumanBone::named(name).ok_or_else(|| unknown_bone(&at, name))?;
            Ok((bone, at.required("node")?.index_of("nodes")?))
        };
        bones.extend(or_skipped(node(), &at, warnings));
    }
    bones
}

/// Reads the expressions of presets, then the file's own.
fn expressions(
    at: &At,
    warnings: &mut Warnings,
    read: impl Fn(String, bool, &At, &mut Warnings) -> Result<Expression, ImportError>,
) -> Vec<Expression> {
    let mut found = Vec::new();
    let Some(all) = at.get("expressions") else { return found };
    for (key, is_preset) in [("preset", true), ("custom", false)] {
        let Some(list) = all.get(key) else { continue };
        for (name, at) in or_skipped(list.entries(), &list, warnings).unwrap_or_default() {
            let expression = read(name.to_owned(), is_preset, &at, warnings);
            found.extend(or_skipped(expression, &at, warnings));
        }
    }
    found
}

fn switches(at: &At) -> Result<Expression, ImportError> {
    let read = |key: &str| match at.text_at(key)? {
        Some("block") => Ok::<_, ImportError>(Override::Block),
        Some("blend") => Ok(Override::Blend),
        _ => Ok(Override::None),
    };
    Ok(Expression {
        is_binary: at.flag("isBinary")?,
        override_blink: read("overrideBlink")?,
        override_look_at: read("overrideLookAt")?,
        override_mouth: read("overrideMouth")?,
        ..Expression::default()
    })
}

fn colliders(at: &At, warnings: &mut Warnings) -> Vec<Collider> {
    // A collider that can't be read keeps its place, since others are numbered after it.
    let list = or_skipped(at.list("colliders"), at, warnings).unwrap_or_default();
    let nothing = Collider {
        node: 0,
        offset: Vec3::ZERO,
        tail: None,
        radius: f32::NEG_INFINITY,
        side: ColliderSide::Outside,
    };
    list.iter().map(|at| or_skipped(collider(at), at, warnings).unwrap_or(nothing)).collect()
}

/// Reads a collider: a sphere or capsule, or the shape that `VRMC_springBone_extended_collider` puts in its place.
fn collider(at: &At) -> Result<Collider, ImportError> {
    let extended = at.extension("VRMC_springBone_extended_collider")?;
    let shape = extended.as_ref().unwrap_or(at).required("shape")?;
    let (shape, tail, side) = if let Some(plane) = shape.get("plane").filter(|_| extended.is_some())
    {
        let normal = plane.numbers("normal")?.unwrap_or([0.0, 0.0, 1.0]);
        (plane, None, ColliderSide::Above(Vec3::from_array(normal)))
    } else if let Some(sphere) = shape.get("sphere") {
        (sphere, None, ColliderSide::Outside)
    } else if let Some(capsule) = shape.get("capsule") {
        let tail = capsule.numbers("tail")?.unwrap_or_default();
        (capsule, Some(Vec3::from_array(tail)), ColliderSide::Outside)
    } else {
        return Err(shape.error("neither a sphere nor a capsule").into());
    };
    let is_inside = extended.is_some() && shape.flag("inside")?;
    Ok(Collider {
        node: at.required("node")?.index_of("nodes")?,
        offset: Vec3::from_array(shape.numbers("offset")?.unwrap_or_default()),
        tail,
        radius: shape.number_at("radius")?.unwrap_or_default().max(0.0),
        side: if is_inside { ColliderSide::Inside } else { side },
    })
}

fn spring(at: &At, groups: &[At], colliders: usize) -> Result<Spring, ImportError> {
    let joints = at.list("joints")?;
    let joints = joints.iter().map(|at| {
        Ok(SpringJoint {
            node: at.required("node")?.index_of("nodes")?,
            tail: None,
            hit_radius: at.number_at("hitRadius")?.unwrap_or_default().max(0.0),
            stiffness: at.number_at("stiffness")?.unwrap_or(1.0).max(0.0),
            gravity_power: at.number_at("gravityPower")?.unwrap_or_default(),
            gravity_dir: Vec3::from_array(at.numbers("gravityDir")?.unwrap_or([0.0, -1.0, 0.0])),
            drag_force: at.number_at("dragForce")?.unwrap_or(0.5).clamp(0.0, 1.0),
        })
    });
    let mut hits = Vec::new();
    for group in at.list("colliderGroups")? {
        let group = &groups[group.index_below(groups.len(), "colliderGroups")?];
        for collider in group.list("colliders")? {
            hits.push(collider.index_below(colliders, "colliders")?);
        }
    }
    hits.sort_unstable();
    hits.dedup();
    Ok(Spring {
        name: at.name()?,
        joints: joints.collect::<Result<_, ImportError>>()?,
        colliders: hits,
        center: at.index("center", "nodes")?,
    })
}
