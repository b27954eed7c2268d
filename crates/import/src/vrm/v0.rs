//! VRM 0.x: the extension `VRM`. Names become those of VRM 1.0, weights go from 0 to 1.

use std::collections::{BTreeMap, HashMap, HashSet};

use glam::Vec3;

use super::parts::{Rig, each, morph_bind, or_skipped, range_map, terms, unknown_bone};
use crate::fault::{ImportError, Warnings};
use rigview_document::{At, Document};
use rigview_model::{
    Collider, ColliderSide, ColorBind, Expression, FirstPerson, HumanBone, LookAt, Spring,
    SpringJoint, TextureTransformBind, Vrm, VrmMeta, quoted,
};

/// Presets whose names changed.
const PRESETS: [(&str, &str); 17] = [
    ("neutral", "neutral"),
    ("a", "aa"),
    ("i", "ih"),
    ("u", "ou"),
    ("e", "ee"),
    ("o", "oh"),
    ("blink", "blink"),
    ("joy", "happy"),
    ("angry", "angry"),
    ("sorrow", "sad"),
    ("fun", "relaxed"),
    ("lookup", "lookUp"),
    ("lookdown", "lookDown"),
    ("lookleft", "lookLeft"),
    ("lookright", "lookRight"),
    ("blink_l", "blinkLeft"),
    ("blink_r", "blinkRight"),
];

/// Bones at the end of a chain swing as if they were this long, in metres.
const LAST_BONE: f32 = 0.07;

/// Reads an avatar.
///
/// # Errors
/// If its springs and expressions name more nodes than the budget allows.
pub(super) fn avatar(
    document: &Document,
    at: &At,
    rig: &Rig,
    warnings: &mut Warnings,
) -> Result<Vrm, ImportError> {
    let version = at.text_at("specVersion").ok().flatten().unwrap_or("0.0").to_owned();
    let mut vrm = Vrm { version, bones: bones(at, warnings), ..Vrm::default() };
    if let Some(meta) = at.get("meta") {
        vrm.meta = or_skipped(read_meta(&meta), &meta, warnings).unwrap_or_default();
    }
    let names = material_names(document)?;
    if let Some(master) = at.get("blendShapeMaster") {
        let shown = nodes_by_mesh(rig);
        let groups = or_skipped(master.list("blendShapeGroups"), &master, warnings);
        let groups = groups.unwrap_or_default();
        let presets = presets(&groups);
        let mut read = Vec::new();
        for (group, preset) in groups.iter().zip(presets) {
            charge(group, &shown, rig)?;
            let expression = expression(group, preset, &shown, &names, rig, warnings);
            read.extend(or_skipped(expression, group, warnings).map(|it| (it, group)));
        }
        read.sort_by_key(|(expression, _)| !expression.is_preset);
        vrm.expressions = named_once(read, warnings);
    }
    if let Some(seen) = at.get("firstPerson") {
        let shown = nodes_by_mesh(rig);
        let flags = each(&seen, "meshAnnotations", warnings, |at| {
            let kind = at.text_at("firstPersonFlag")?.unwrap_or("Auto");
            let mut letters = kind.chars();
            let first = letters.next().map(|c| c.to_ascii_lowercase());
            let kind: String = first.into_iter().chain(letters).collect();
            let mesh = index_or_none(&at.required("mesh")?, "meshes")?;
            Ok(mesh.map(|mesh| (mesh, kind)))
        });
        for (mesh, kind) in flags.into_iter().flatten() {
            let nodes = shown.get(&mesh).map_or(&[][..], |nodes| nodes);
            rig.budget
                .take(nodes.len(), size_of::<FirstPerson>())
                .map_err(|e| ImportError::over_budget_at(at, e))?;
            let flag = |node: &usize| FirstPerson { node: *node, kind: kind.clone() };
            vrm.first_person.extend(nodes.iter().map(flag));
        }
        vrm.look_at = or_skipped(look_at(&seen), &seen, warnings).flatten();
    }
    if let Some(second) = at.get("secondaryAnimation") {
        swinging(&mut vrm, &second, rig, warnings)?;
    }
    let properties = each(at, "materialProperties", warnings, |at| {
        let is_toon = at.text_at("shader")?.is_some_and(|shader| shader.contains("MToon"));
        Ok(at.text_at("name")?.filter(|_| is_toon).and_then(|name| names.get(name).copied()))
    });
    vrm.mtoon = properties.into_iter().flatten().collect();
    Ok(vrm)
}

/// Reads how the eyes follow a gaze. The curves of their ranges are taken to be straight lines.
fn look_at(at: &At) -> Result<Option<LookAt>, ImportError> {
    let kind = match at.text_at("lookAtTypeName")? {
        None => return Ok(None),
        Some("BlendShape") => "expression".to_owned(),
        Some(other) => other.to_lowercase(),
    };
    let range = |key| range_map(at, key, ["xRange", "yRange"], &kind);
    Ok(Some(LookAt {
        inner: range("lookAtHorizontalInner")?,
        outer: range("lookAtHorizontalOuter")?,
        down: range("lookAtVerticalDown")?,
        up: range("lookAtVerticalUp")?,
        kind,
    }))
}

fn read_meta(at: &At) -> Result<VrmMeta, ImportError> {
    let text = |key| Ok::<_, ImportError>(at.text_at(key)?.filter(|t| !t.is_empty()));
    let (name, author) = (text("title")?, text("author")?);
    let other = text("otherLicenseUrl")?.filter(|_| at.get("licenseName").is_some());
    let licence = text("licenseName")?.filter(|name| *name != "Other" || other.is_none());
    Ok(VrmMeta {
        name: name.map(str::to_owned),
        authors: author.map(str::to_owned).into_iter().collect(),
        licence: licence.or(other).map(str::to_owned),
        terms: terms(at, &["title", "author", "licenseName", "otherLicenseUrl"]),
    })
}

fn bones(at: &At, warnings: &mut Warnings) -> BTreeMap<HumanBone, usize> {
    let Some(humanoid) = at.get("humanoid") else { return BTreeMap::new() };
    let bones = each(&humanoid, "humanBones", warnings, |at| {
        let Some(node) = index_or_none(&at.required("node")?, "nodes")? else { return Ok(None) };
        let name = at.required("bone")?.text()?;
        // The joints of the thumb moved by one.
        let thumb = ["Metacarpal", "Proximal"];
        let renamed = [("ThumbProximal", thumb[0]), ("ThumbIntermediate", thumb[1])];
        let renamed = renamed
            .iter()
            .find_map(|(old, new)| name.strip_suffix(old).map(|side| format!("{side}Thumb{new}")));
        let name = renamed.as_deref().unwrap_or(name);
        let bone = HumanBone::named(name).ok_or_else(|| unknown_bone(at, name))?;
        Ok(Some((bone, node)))
    });
    bones.into_iter().flatten().collect()
}

/// Returns an index of a list of the document; `None` for -1, which UniVRM writes where nothing was chosen.
fn index_or_none(at: &At, list: &str) -> Result<Option<usize>, ImportError> {
    match at.value.as_i64() {
        Some(-1) => Ok(None),
        _ => Ok(Some(at.index_of(list)?)),
    }
}

/// Returns the first material of each name.
fn material_names(document: &Document) -> Result<HashMap<String, usize>, ImportError> {
    let mut names = HashMap::new();
    for (index, material) in document.list("materials")?.iter().enumerate() {
        if let Some(name) = material.name()? {
            names.entry(name).or_insert(index);
        }
    }
    Ok(names)
}

/// Returns the nodes that show each mesh.
fn nodes_by_mesh(rig: &Rig) -> HashMap<usize, Vec<usize>> {
    let mut shown: HashMap<usize, Vec<usize>> = HashMap::new();
    for (index, node) in rig.nodes.iter().enumerate() {
        if let Some(mesh) = node.mesh {
            shown.entry(mesh).or_default().push(index);
        }
    }
    shown
}

/// Charges the morph weights of an expression: one per node that shows the mesh of a bind.
fn charge(at: &At, shown: &HashMap<usize, Vec<usize>>, rig: &Rig) -> Result<(), ImportError> {
    let binds = at.list("binds").unwrap_or_default();
    let meshes = binds.iter().filter_map(|bind| bind.index("mesh", "meshes").ok().flatten());
    let count: usize = meshes.filter_map(|mesh| shown.get(&mesh)).map(Vec::len).sum();
    rig.budget
        .take(count, size_of::<rigview_model::MorphBind>())
        .map_err(|e| ImportError::over_budget_at(at, e))
}

/// Returns the names in VRM 1.0 of those expressions that are presets: those that state one, and as in UniVRM those whose own name is
/// that of a preset that no other one states.
fn presets(groups: &[At]) -> Vec<Option<&'static str>> {
    let named = |at: &At, key| {
        let old = at.text_at(key).ok().flatten()?.to_lowercase();
        PRESETS.iter().find(|(name, _)| *name == old).map(|(_, name)| *name)
    };
    let stated: Vec<_> = groups.iter().map(|group| named(group, "presetName")).collect();
    let by_name = |group| named(group, "name").filter(|name| !stated.contains(&Some(name)));
    groups.iter().zip(&stated).map(|(group, stated)| stated.or_else(|| by_name(group))).collect()
}

/// Leaves out expressions without a name, and those whose name another one has before them: nothing could refer to them. An
/// application's own one with the name that VRM 1.0 gives to a preset of the file is named apart from it.
fn named_once(read: Vec<(Expression, &At)>, warnings: &mut Warnings) -> Vec<Expression> {
    let mut known = HashSet::new();
    let mut kept = Vec::with_capacity(read.len());
    for (mut expression, at) in read {
        let is_of_preset = |known: &Expression| known.is_preset && known.name == expression.name;
        if !expression.is_preset && kept.iter().any(is_of_preset) {
            expression.name += " (custom)";
        }
        let mut is_new = || match expression.name.as_str() {
            "" => Err(at.error("an expression without a name")),
            name if !known.insert(name.to_owned()) => {
                Err(at.error(format!("a second expression {}", quoted(name))))
            }
            _ => Ok(()),
        };
        if or_skipped(is_new(), at, warnings).is_some() {
            kept.push(expression);
        }
    }
    kept
}

fn expression(
    at: &At,
    preset: Option<&str>,
    shown: &HashMap<usize, Vec<usize>>,
    materials: &HashMap<String, usize>,
    rig: &Rig,
    warnings: &mut Warnings,
) -> Result<Expression, ImportError> {
    let name = preset.map_or(at.text_at("name")?.unwrap_or_default(), |name| name);
    let mut out = Expression {
        name: name.to_owned(),
        is_preset: preset.is_some(),
        is_binary: at.flag("isBinary")?,
        ..Expression::default()
    };
    let morphs = each(at, "binds", warnings, |bind| {
        let mesh = index_or_none(&bind.required("mesh")?, "meshes")?;
        let weight = bind.number_at("weight")?.unwrap_or(100.0) / 100.0;
        let nodes = mesh.and_then(|mesh| shown.get(&mesh)).map_or(&[][..], |nodes| nodes);
        nodes.iter().map(|node| morph_bind(bind, rig, *node, weight)).collect()
    });
    out.morphs = morphs.into_iter().flat_map(|binds: Vec<_>| binds).collect();
    for (material, property, value) in each(at, "materialValues", warnings, |at| {
        let name = at.required("materialName")?.text()?;
        let material = materials.get(name).copied();
        let material = material.ok_or_else(|| at.error("no such material"))?;
        let property = at.required("propertyName")?.text()?.to_owned();
        let value = at.numbers::<4>("targetValue")?;
        Ok((material, property, value.ok_or_else(|| at.error("it has no targetValue"))?))
    }) {
        match property.strip_prefix("_MainTex_ST") {
            Some(axes @ ("" | "_S" | "_T")) => {
                let [x, y, s, t] = value;
                // Unity's V goes upwards.
                let offset = [s, 1.0 - t - y];
                let axes = match axes {
                    "_S" => [true, false],
                    "_T" => [false, true],
                    _ => [true; 2],
                };
                let of = |values: [f32; 2]| [0, 1].map(|axis| axes[axis].then_some(values[axis]));
                let (scale, offset) = (of([x, y]), of(offset));
                out.texture_transforms.push(TextureTransformBind { material, scale, offset });
            }
            _ => {
                let kind = match property.as_str() {
                    "_Color" => "color",
                    "_EmissionColor" => "emissionColor",
                    "_ShadeColor" => "shadeColor",
                    "_RimColor" => "rimColor",
                    "_OutlineColor" => "outlineColor",
                    other => other,
                };
                out.colors.push(ColorBind { material, kind: kind.to_owned(), value });
            }
        }
    }
    Ok(out)
}

/// Reads the springs and what they collide with.
fn swinging(vrm: &mut Vrm, at: &At, rig: &Rig, warnings: &mut Warnings) -> Result<(), ImportError> {
    // Vectors are those of Unity, whose axes are left-handed; UniVRM reverses Z of both kinds as it migrates files to 1.0.
    let vector = |at: Option<At>, usual: Vec3| -> Result<Vec3, ImportError> {
        let Some(at) = at else { return Ok(usual) };
        let number = |key| Ok::<_, ImportError>(at.number_at(key)?.unwrap_or_default());
        Ok(Vec3::new(number("x")?, number("y")?, -number("z")?))
    };
    let list = or_skipped(at.list("colliderGroups"), at, warnings).unwrap_or_default();
    let mut ranges = Vec::with_capacity(list.len());
    for at in &list {
        let node = at.required("node").map_err(ImportError::from);
        let node = node.and_then(|node| index_or_none(&node, "nodes"));
        let node = or_skipped(node, at, warnings).flatten();
        let read = |at: &At| {
            let offset = vector(at.get("offset"), Vec3::ZERO)?;
            let radius = at.number_at("radius")?.unwrap_or_default().max(0.0);
            let node = node.unwrap_or_default();
            Ok(Collider { node, offset, tail: None, radius, side: ColliderSide::Outside })
        };
        let start = vrm.colliders.len();
        if node.is_some() {
            vrm.colliders.extend(each(at, "colliders", warnings, read));
        }
        // A group that can't be read keeps its place, since others are numbered after it.
        ranges.push(start..vrm.colliders.len());
    }
    let children = children(rig);
    let list = or_skipped(at.list("boneGroups"), at, warnings).unwrap_or_default();
    for at in &list {
        let read = || {
            let joint = SpringJoint {
                node: 0,
                tail: None,
                hit_radius: at.number_at("hitRadius")?.unwrap_or_default().max(0.0),
                stiffness: at.number_at("stiffiness")?.unwrap_or(1.0).max(0.0),
                gravity_power: at.number_at("gravityPower")?.unwrap_or_default(),
                gravity_dir: vector(at.get("gravityDir"), Vec3::NEG_Y)?,
                drag_force: at.number_at("dragForce")?.unwrap_or(0.5).clamp(0.0, 1.0),
            };
            let roots = at.list("bones")?;
            let roots = roots.iter().map(|root| index_or_none(root, "nodes"));
            let roots = roots.collect::<Result<Vec<_>, ImportError>>()?;
            let roots: Vec<usize> = roots.into_iter().flatten().collect();
            let mut hits = Vec::new();
            let groups = at.list("colliderGroups")?;
            for group in groups.iter().filter(|group| group.value.as_i64() != Some(-1)) {
                hits.extend(ranges[group.index_below(ranges.len(), "colliderGroups")?].clone());
            }
            // -1 stands for the scene.
            let center = at.get("center").and_then(|center| center.index_of("nodes").ok());
            Ok::<_, ImportError>((
                joint,
                roots,
                hits,
                center,
                at.text_at("comment")?.map(str::to_owned),
            ))
        };
        let Some((joint, roots, colliders, center, name)) = or_skipped(read(), at, warnings) else {
            continue;
        };
        for root in roots {
            for chain in chains(root, &children) {
                let size = size_of::<SpringJoint>();
                let count = chain.len() + colliders.len();
                rig.budget.take(count, size).map_err(|e| ImportError::over_budget_at(at, e))?;
                let joints = chain.iter().map(|node| SpringJoint { node: *node, ..joint });
                let mut joints: Vec<SpringJoint> = joints.collect();
                end(&mut joints, rig, &children);
                let (name, colliders) = (name.clone(), colliders.clone());
                vrm.springs.push(Spring { name, joints, colliders, center });
            }
        }
    }
    Ok(())
}

/// Gives the last joint of a chain a bone that goes on as the one before it.
fn end(joints: &mut [SpringJoint], rig: &Rig, children: &[Vec<usize>]) {
    if let Some(last) = joints.last_mut()
        && children[last.node].is_empty()
    {
        let along = rig.rest.transform(last.node).translation;
        last.tail = Some(along.try_normalize().unwrap_or(Vec3::Y) * LAST_BONE);
    }
}

fn children(rig: &Rig) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); rig.nodes.len()];
    for node in 0..rig.nodes.len() {
        if let Some(parent) = (rig.parents)(node) {
            children[parent].push(node);
        }
    }
    children
}

/// Returns the chains of all nodes from a root on: each begins at the root or at a joint that branches, and follows
/// first children.
fn chains(root: usize, children: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut chains = Vec::new();
    let mut starts = vec![vec![root]];
    while let Some(mut chain) = starts.pop() {
        while let Some(at) = chain.last().copied()
            && let [first, others @ ..] = &children[at][..]
        {
            starts.extend(others.iter().map(|other| vec![*other]));
            chain.push(*first);
        }
        chains.push(chain);
    }
    chains
}
