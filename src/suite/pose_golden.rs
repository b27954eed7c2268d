//! The approved pose of one instant, and how far a model is from it.
//!
//! A golden holds what survives when a file is stored in another way: the nodes by name, and the places of all points
//! of the surface at rest and in the pose. It is a line of JSON, the [`Document`]. Its data are the base64 of a zlib
//! stream with 32-bit words ordered by [`pack`]: the three rows of each node's matrix as floats, then for each point
//! its place at rest and in the pose as integers, in multiples of `unit` from `origin`.

use std::collections::HashMap;

use base64::Engine as _;
use glam::{Affine3A, DVec3, Quat, Vec3A};
use serde::{Deserialize, Serialize};

use super::motion::{deflated, inflated, pack, unpack};
use super::results::PoseResult;
use rigview_compare::{Cloud, Places, Surface};
use rigview_model::{Model, Stage};

/// The version of the format.
const FORMAT: u32 = 1;

/// The unit of places as a share of the surface's size, and of the tolerance.
const UNIT: f64 = 1.0 / (1 << 18) as f64;
const UNIT_OF_TOLERANCE: f64 = 1.0 / 16.0;

/// The integer of a coordinate that is no number.
const NO_NUMBER: i32 = i32::MIN;

/// Largest size of the data of a golden in bytes, before compression.
const LARGEST: usize = 1 << 30;

/// A golden of a pose.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: u32,
    /// The model's file as the manifest names it.
    file: String,
    /// The clip's name, if it has one.
    clip: Option<String>,
    /// In seconds.
    time: f64,
    /// The names of the nodes, each once.
    nodes: Vec<String>,
    origin: [f64; 3],
    unit: f64,
    points: usize,
    data: String,
}

/// The pose of a model, to be stored or compared.
pub struct PosedModel<'a> {
    pub model: &'a Model,
    pub stage: &'a Stage,
    pub surface: &'a Surface<'a>,
}

/// A golden that was read.
struct Golden {
    nodes: Vec<String>,
    /// From the nodes' spaces to the scene.
    worlds: Vec<Affine3A>,
    scale: Scale,
    /// The places of each point at rest and in the pose.
    points: Vec<[[i32; 3]; 2]>,
}

/// The integers that places are stored as.
#[derive(Clone, Copy)]
struct Scale {
    origin: DVec3,
    unit: f64,
}

impl Scale {
    fn stored(&self, at: DVec3) -> [i32; 3] {
        if !at.is_finite() {
            return [NO_NUMBER; 3];
        }
        // Conversion saturates; the lowest number is no place.
        ((at - self.origin) / self.unit).to_array().map(|x| (x.round() as i32).max(-i32::MAX))
    }

    /// Returns the distance of two places in metres. It is NaN if only one is a place.
    fn distance(&self, a: [i32; 3], b: [i32; 3]) -> f64 {
        match [a, b].map(|at| at.contains(&NO_NUMBER)) {
            [false, false] => self.unit * wide(a).distance(wide(b)),
            [true, true] => 0.0,
            _ => f64::NAN,
        }
    }

    fn place(&self, stored: [i32; 3]) -> DVec3 {
        if stored.contains(&NO_NUMBER) {
            DVec3::NAN
        } else {
            self.origin + self.unit * wide(stored)
        }
    }
}

fn wide(stored: [i32; 3]) -> DVec3 {
    DVec3::from_array(stored.map(f64::from))
}

/// The instant of a file that a golden is the pose of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoldenInstant<'a> {
    /// The path of the file, as the case has it.
    pub file: &'a str,
    /// The clip's name; `None` for the rest pose.
    pub clip: Option<&'a str>,
    /// The clip's time.
    pub time_secs: f64,
}

/// Returns the text of a golden, without a line break. Places are exact to a sixteenth of the tolerance.
pub fn golden_text(posed: &PosedModel, of: GoldenInstant<'_>, tolerance: f64) -> String {
    let PosedModel { model, stage, surface } = *posed;
    let named = named_nodes(model, stage);
    let mut nodes: Vec<(&str, usize)> = named.into_iter().collect();
    nodes.sort_by_key(|(_, node)| *node);
    let scale = scale(surface, tolerance);
    let place = |point: usize| [surface.at_rest(point), surface.posed(point)];
    let mut points: Vec<[[i32; 3]; 2]> =
        (0..surface.len()).map(|point| place(point).map(|at| scale.stored(at))).collect();
    // Neighbours follow each other, so that their differences are small; and the order of the file does not count.
    points.sort_by_cached_key(|[rest, posed]| (curve(*rest), *rest, *posed));
    let matrices = nodes.iter().flat_map(|(_, node)| rows(&stage.scene_from_node(*node)));
    let matrices: Vec<u32> = matrices.map(f32::to_bits).collect();
    let places = points.iter().flatten().flatten().map(|x| *x as u32);
    let mut packed = Vec::new();
    pack(&matrices, 12, &mut packed);
    pack(&places.collect::<Vec<_>>(), 6, &mut packed);
    let document = Document {
        format: FORMAT,
        file: of.file.to_owned(),
        clip: of.clip.map(str::to_owned),
        time: of.time_secs,
        nodes: nodes.iter().map(|(name, _)| (*name).to_owned()).collect(),
        origin: scale.origin.to_array(),
        unit: scale.unit,
        points: points.len(),
        data: base64::engine::general_purpose::STANDARD.encode(deflated(&packed)),
    };
    // Numbers and strings always serialise.
    serde_json::to_string(&document).unwrap_or_default()
}

/// Returns the scale in which a surface is stored.
fn scale(surface: &Surface, tolerance: f64) -> Scale {
    let places =
        (0..surface.len()).flat_map(|point| [surface.at_rest(point), surface.posed(point)]);
    let places = places.filter(|at| at.is_finite());
    let (min, max) = places
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(min, max), at| (min.min(at), max.max(at)));
    let extent = (max - min).max_element();
    let mut unit = UNIT * f64::from(surface.size());
    if tolerance > 0.0 {
        unit = unit.min(UNIT_OF_TOLERANCE * tolerance);
    }
    // A place far away must fit, too.
    unit = unit.max(extent / f64::from(i32::MAX / 2));
    let is_scale = unit.is_finite() && unit > 0.0 && min.is_finite();
    if is_scale { Scale { origin: min, unit } } else { Scale { origin: DVec3::ZERO, unit: 1e-6 } }
}

/// Returns a place's position on a curve that fills space: the bits of its coordinates in turn.
fn curve(at: [i32; 3]) -> u128 {
    let mut along = 0;
    for bit in (0..32).rev() {
        for x in at {
            along = along << 1 | u128::from((x as u32 ^ 1 << 31) >> bit & 1);
        }
    }
    along
}

/// Returns the nodes of a scene whose names occur once.
fn named_nodes<'a>(model: &'a Model, stage: &Stage) -> HashMap<&'a str, usize> {
    let mut places: HashMap<&str, Option<usize>> = HashMap::new();
    for node in &stage.nodes {
        if let Some(name) = model.nodes[*node].name.as_deref().filter(|name| !name.is_empty()) {
            places.entry(name).and_modify(|place| *place = None).or_insert(Some(*node));
        }
    }
    places.into_iter().filter_map(|(name, place)| Some((name, place?))).collect()
}

/// Returns the three rows of a matrix.
fn rows(matrix: &Affine3A) -> [f32; 12] {
    let [x, y, z] = [0, 1, 2].map(|axis| matrix.matrix3.col(axis).to_array());
    let t = matrix.translation.to_array();
    [x[0], y[0], z[0], t[0], x[1], y[1], z[1], t[1], x[2], y[2], z[2], t[2]]
}

fn matrix(rows: &[u32]) -> Affine3A {
    let number = |i: usize| f32::from_bits(rows[i]);
    let column = |i: usize| Vec3A::new(number(i), number(4 + i), number(8 + i));
    Affine3A {
        matrix3: glam::Mat3A::from_cols(column(0), column(1), column(2)),
        translation: column(3),
    }
}

impl Golden {
    /// Returns the points, relative to the origin of the scale.
    fn cloud(&self) -> Cloud {
        let places = |i: usize| {
            let place = |point: &[[i32; 3]; 2]| self.scale.place(point[i]) - self.scale.origin;
            self.points.iter().map(move |point| place(point).as_vec3()).collect::<Vec<_>>()
        };
        let mut cloud = Cloud::new(places(0));
        cloud.pose(&places(1));
        cloud
    }

    /// Reads the text of a golden.
    fn read(text: &[u8]) -> Result<Self, String> {
        let again = "write it again with --bless";
        let document: Document = serde_json::from_slice(text)
            .map_err(|error| format!("the golden is no pose of this version ({error}): {again}"))?;
        let broken = || format!("the golden is broken: {again}");
        let Document { format, nodes, origin, unit, points, data, .. } = document;
        if format != FORMAT {
            return Err(format!("the golden has format {format}, not {FORMAT}: {again}"));
        }
        let origin = DVec3::from(origin);
        if !(origin.is_finite() && unit.is_finite() && unit > 0.0) {
            return Err(broken());
        }
        let matrices = nodes.len().checked_mul(12 * 4).ok_or_else(broken)?;
        let length = points.checked_mul(6 * 4).and_then(|bytes| bytes.checked_add(matrices));
        let length = length.filter(|length| *length <= LARGEST).ok_or_else(broken)?;
        let packed =
            base64::engine::general_purpose::STANDARD.decode(data).map_err(|_| broken())?;
        let bytes = inflated(&packed, length).ok_or_else(broken)?;
        let (of_nodes, of_points) = bytes.split_at(matrices);
        let words = unpack(of_points, 6);
        let place = |words: &[u32]| std::array::from_fn(|i| words[i] as i32);
        Ok(Self {
            worlds: unpack(of_nodes, 12).chunks_exact(12).map(matrix).collect(),
            points: words.chunks_exact(6).map(|w| [place(&w[..3]), place(&w[3..])]).collect(),
            scale: Scale { origin, unit },
            nodes,
        })
    }
}

/// Compares a pose with the text of a golden. The distance is the largest of a point of either surface from the same
/// point of the other one, or of a joint's origin. The node is the one whose own transform moves that point most.
///
/// # Errors
/// In words, if the golden can't be read, if a node is missing, or if vertices were added.
pub fn compare_with_golden(text: &[u8], posed: &PosedModel) -> Result<PoseResult, String> {
    let golden = Golden::read(text)?;
    let named = named_nodes(posed.model, posed.stage);
    let missing = |name: &String| format!("node \"{name}\" of the golden is missing");
    let partners: Result<Vec<usize>, String> = golden
        .nodes
        .iter()
        .map(|name| named.get(name.as_str()).copied().ok_or_else(|| missing(name)))
        .collect();
    let partners = partners?;
    let (distance, worst) = surface_distance(&golden, posed)?;
    let mut worst = Worst { distance, point: worst };
    let mut result = PoseResult { distance, node: None, angle: 0.0 };
    for (node, world) in partners.iter().zip(&golden.worlds) {
        // The node of a mesh may hold the scale of its quantized vertices.
        if posed.model.nodes[*node].mesh.is_none() {
            let own = posed.stage.scene_from_node(*node).translation;
            let apart = f64::from(own.distance(world.translation));
            if apart > worst.distance {
                worst = Worst { distance: apart, point: None };
            }
        }
    }
    result.distance = worst.distance;
    if let Some((node, angle)) = cause(&golden, posed, &partners, worst.point) {
        result.node = Some(posed.model.node_name(node).into_owned());
        result.angle = angle;
    }
    Ok(result)
}

/// Returns the time of a golden in seconds.
///
/// # Errors
/// In words, if it can't be read.
pub fn golden_time(text: &[u8]) -> Result<f64, String> {
    let document: Result<Document, serde_json::Error> = serde_json::from_slice(text);
    document.map(|document| document.time).map_err(|error| error.to_string())
}

struct Worst {
    distance: f64,
    point: Option<usize>,
}

/// Returns the largest distance of a point of either surface from the other one, and a point of the model there.
fn surface_distance(golden: &Golden, posed: &PosedModel) -> Result<(f64, Option<usize>), String> {
    let surface = posed.surface;
    let own: Vec<[i32; 3]> =
        (0..surface.len()).map(|point| golden.scale.stored(surface.posed(point))).collect();
    // For each point of the model, its distance from the nearest of its places in the golden.
    let mut least = vec![f64::INFINITY; surface.len()];
    let (mut most, mut worst) = (0.0f64, None);
    let mut add = |distance: f64, point: Option<usize>| {
        if distance.is_nan() || distance > most {
            most = if most.is_nan() { most } else { distance };
            worst = point;
        }
    };
    for [rest, place] in &golden.points {
        if rest.contains(&NO_NUMBER) {
            continue;
        }
        match surface.find(golden.scale.place(*rest), golden.scale.place(*place)) {
            Places::Points(points) => {
                let mut nearest: Option<(f64, usize)> = None;
                for point in points.into_iter().map(|point| point as usize) {
                    let apart = golden.scale.distance(*place, own[point]);
                    // Infinity was not measured yet. NaN, of a place that is no number, gives way to any number.
                    if least[point].is_infinite() || least[point].is_nan() || apart < least[point] {
                        least[point] = apart;
                    }
                    if nearest.is_none_or(|(least, _)| apart < least || least.is_nan()) {
                        nearest = Some((apart, point));
                    }
                }
                let (apart, point) = nearest.unzip();
                add(apart.unwrap_or(0.0), point);
            }
            Places::Foot(corners, shares) => {
                let places = corners.map(|corner| surface.posed(corner as usize));
                let at: DVec3 = (0..3).map(|i| f64::from(shares[i]) * places[i]).sum();
                let apart = golden.scale.distance(*place, golden.scale.stored(at));
                add(apart, Some(corners[0] as usize));
            }
            Places::Nowhere => return Err("the model draws nothing; the golden does".to_owned()),
        }
    }
    let was_not_found =
        |point: &usize| least[*point] == f64::INFINITY && surface.at_rest(*point).is_finite();
    let mut new: Vec<usize> = (0..surface.len()).filter(was_not_found).collect();
    if !new.is_empty() {
        // Each may still be at the place of a point that found another one, such as one that was rounded less.
        let known = golden.cloud();
        let relative = |at: DVec3| (at - golden.scale.origin).as_vec3();
        new.retain(|point| {
            let [rest, posed] = [surface.at_rest(*point), surface.posed(*point)].map(relative);
            let apart = known
                .find(rest, posed)
                .into_iter()
                .map(|other| golden.scale.distance(golden.points[other as usize][1], own[*point]));
            let nearest = apart.reduce(|a, b| if b < a || a.is_nan() { b } else { a });
            nearest.inspect(|nearest| least[*point] = *nearest).is_none()
        });
    }
    if let Some(first) = new.first() {
        let at = surface.at_rest(*first);
        let [x, y, z] = at.to_array();
        return Err(format!(
            "{} of {} points of the surface are not in the golden, the first at {x:.4} {y:.4} {z:.4} at rest",
            new.len(),
            surface.len()
        ));
    }
    for (point, apart) in least.into_iter().enumerate().filter(|(_, apart)| !apart.is_infinite()) {
        add(apart, Some(point));
    }
    Ok((most, worst))
}

/// Returns the node whose transform, relative to the nearest node above it that the golden has, moves a point most if
/// it is exchanged for that of the golden, and the difference of its rotation in degrees.
fn cause(
    golden: &Golden,
    posed: &PosedModel,
    partners: &[usize],
    point: Option<usize>,
) -> Option<(usize, f64)> {
    let PosedModel { model, stage, surface } = *posed;
    let place: HashMap<usize, usize> = partners.iter().enumerate().map(|(i, n)| (*n, i)).collect();
    let shares = point.map(|point| surface.shares(point));
    let at = point.map(|point| surface.posed(point).as_vec3a());
    let rounding = 2e-6 * surface.size().max(f32::MIN_POSITIVE);
    let mut found: Option<(f32, usize, f64)> = None;
    for node in stage.nodes.iter().filter(|node| place.contains_key(*node)) {
        let share = shares.as_ref().map_or(1.0, |shares| shares[*node]);
        if share <= 0.0 {
            continue;
        }
        let above = model.hierarchy.ancestors(*node).find(|above| place.contains_key(above));
        let world = stage.scene_from_node(*node);
        let parent = above.map_or(Affine3A::IDENTITY, |parent| stage.scene_from_node(parent));
        let golden_parent =
            above.map_or(Affine3A::IDENTITY, |parent| golden.worlds[place[&parent]]);
        let exchanged = golden_parent.inverse() * golden.worlds[place[node]];
        let own = parent.inverse() * world;
        // Without a point, a node counts by how far it moves its own origin.
        let inside = at.map_or(Vec3A::ZERO, |at| world.inverse().transform_point3a(at));
        let off = exchanged.transform_point3a(inside) - own.transform_point3a(inside);
        let moved = share * parent.transform_vector3a(off).length();
        if moved > rounding && found.is_none_or(|(most, ..)| moved > most * 1.001) {
            let between = turn(&own).conjugate() * turn(&exchanged);
            let angle = 2.0 * f64::from(between.xyz().length().atan2(between.w.abs()));
            found = Some((moved, *node, angle.to_degrees()));
        }
    }
    found.map(|(_, node, angle)| (node, angle))
}

fn turn(matrix: &Affine3A) -> Quat {
    let [x, y, z] = [0, 1, 2].map(|axis| matrix.matrix3.col(axis).normalize_or_zero());
    Quat::from_mat3a(&glam::Mat3A::from_cols(x, y, z)).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_import::{ImportOptions, load_bytes};

    const CREATURE: &[u8] = include_bytes!("../../assets/creature.glb");

    fn creature() -> Model {
        load_bytes(CREATURE.to_vec(), &ImportOptions::default()).unwrap().model
    }

    /// Calls `with` with the pose of a model at a time of its first clip.
    fn posed<T>(model: &Model, time: f64, with: impl FnOnce(&PosedModel) -> T) -> T {
        let mut stage = Stage::new(model, 0);
        let mut surface = Surface::new(model, &mut stage).unwrap();
        stage.pose(model, model.clips.first(), time);
        surface.pose(&stage);
        with(&PosedModel { model, stage: &stage, surface: &surface })
    }

    fn golden(model: &Model, time: f64) -> String {
        let of = GoldenInstant { file: "a.glb", clip: Some("Walk"), time_secs: time };
        posed(model, time, |posed| golden_text(posed, of, 1e-4))
    }

    fn compare(golden: &str, model: &Model, time: f64) -> Result<PoseResult, String> {
        posed(model, time, |posed| compare_with_golden(golden.as_bytes(), posed))
    }

    #[test]
    fn a_pose_equals_its_golden_and_differs_from_another() {
        let model = creature();
        let text = golden(&model, 0.25);
        let same = compare(&text, &model, 0.25).unwrap();
        assert_eq!((same.distance, same.node), (0.0, None));
        let later = compare(&text, &model, 0.4).unwrap();
        assert!(later.distance > 0.01 && later.node.is_some() && later.angle > 0.1, "{later:?}");
    }

    #[test]
    fn a_pose_without_numbers_is_off_and_not_new() {
        let model = creature();
        let text = golden(&model, 0.25);
        let result = posed(&model, 0.25, |posed| {
            let mut stage = posed.stage.clone();
            let root = model.skins[0].joints[0] as usize;
            stage.local.set_translation(root, glam::Vec3::NAN);
            let local = stage.local.clone();
            stage.pose_with(&model, rigview_model::PoseSource::Transforms(&local), None, |_| {});
            let mut surface = Surface::new(&model, &mut Stage::new(&model, 0)).unwrap();
            surface.pose(&stage);
            let posed = PosedModel { model: &model, stage: &stage, surface: &surface };
            compare_with_golden(text.as_bytes(), &posed)
        });
        assert!(result.unwrap().distance.is_nan());
    }

    #[test]
    fn a_golden_is_compact_and_names_its_format() {
        let model = creature();
        let text = golden(&model, 0.25);
        assert!(text.starts_with("{\"format\":1,"), "{}", &text[..40]);
        let points = posed(&model, 0.25, |posed| posed.surface.len());
        assert!(text.len() < 4000 + 20 * points, "{} bytes for {points} points", text.len());
    }

    #[test]
    fn vertices_in_another_order_are_the_same_pose() {
        let model = creature();
        let text = golden(&model, 0.25);
        let mut turned = model.clone();
        for primitive in turned.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
            // Within one part, so that joint indices stay right.
            let last = primitive.vertices.len() as u32 - 1;
            assert_eq!(primitive.parts.len(), 1);
            primitive.vertices.reverse();
            primitive.indices.iter_mut().for_each(|index| *index = last - *index);
            primitive.targets.iter_mut().for_each(|target| target.positions.reverse());
            if let Some(influences) = &mut primitive.influences {
                let sets: Vec<_> =
                    influences.list.chunks(influences.sets).rev().flatten().copied().collect();
                influences.list = sets;
            }
        }
        let same = compare(&text, &turned, 0.25).unwrap();
        assert!(same.distance < 1e-6, "{same:?}");
    }

    #[test]
    fn a_stray_vertex_and_a_missing_node_are_failures() {
        let model = creature();
        let text = golden(&model, 0.25);
        let mut stray = model.clone();
        let primitive = &mut stray.meshes[0].primitives[0];
        let vertex = primitive.indices[primitive.indices.len() / 2] as usize;
        primitive.vertices[vertex].position[1] += 9.0;
        let said = match compare(&text, &stray, 0.25) {
            Ok(found) => format!("{}", found.distance > 8.0),
            Err(said) => said,
        };
        assert!(said == "true" || said.contains("not in the golden"), "{said}");
        let mut renamed = model.clone();
        let node = model.skins[0].joints[1] as usize;
        let name = renamed.nodes[node].name.replace("Else".into()).unwrap();
        let said = compare(&text, &renamed, 0.25).unwrap_err();
        assert_eq!(said, format!("node \"{name}\" of the golden is missing"));
    }

    #[test]
    fn other_files_are_no_goldens() {
        let model = creature();
        let text = golden(&model, 0.25);
        let cut = text.replace("\"data\":\"", "\"data\":\"AAAA");
        let later = text.replace("\"format\":1", "\"format\":2");
        let huge = text.replace("\"points\":", "\"points\":99999999999");
        for (text, what) in
            [("{}", "no pose"), (&cut, "broken"), (&later, "format 2"), (&huge, "broken")]
        {
            let said = compare(text, &model, 0.25).unwrap_err();
            assert!(said.contains(what) && said.contains("--bless"), "{said}");
        }
    }
}
