//! The motion of a test case as data: the golden that `--bless` stores, and the scripts from which the page of a
//! report plays the skin beside its reference.
//!
//! A script calls `rigview_motion` with the base64 of a zlib stream: the length of a JSON header, the header,
//! and lists of 32-bit words in the order of [`pack`]. `player.js` reads it.

mod deviation;
mod grid;
mod mesh;
mod pack;
mod parts;
mod poses;
mod rig;

use base64::Engine as _;
use serde::Serialize;

use self::deviation::{Worst, first_hidden_in_one, worst_frames, worst_joints};
use self::mesh::{Geometry, Mesh, PosedMesh, mesh_bytes};
pub(super) use self::pack::{deflated, inflated, pack, unpack};
use self::poses::DrawnPoses;
use self::rig::{Draw, Rig};
use rigview_anim::Clip;
use rigview_import::escaped;
use rigview_model::{Aabb, Model, Stage};

pub use grid::Grid;
pub(super) use poses::MAGIC as MOTION_MAGIC;
pub use poses::{Poses, PosesError};

/// The scripts of one case for the interactive view, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MotionScripts {
    /// The mesh and the motion of the result, or a sentence that says why there is none.
    pub result: String,
    /// The motion of the reference on the same mesh; `None` without one, or if it does not fit.
    pub reference: Option<String>,
}

/// What a mesh and its motion may take; frames are left out to keep to it.
#[derive(Clone, Copy)]
struct Limits {
    /// Size in bytes.
    bytes: usize,
    /// Number of vertices that are posed, over all frames.
    posed: usize,
}

/// For both scripts of a case: 16 MB, and a second or two of one core.
const SHOWN: Limits = Limits { bytes: 16 << 20, posed: 40_000_000 };

/// For a comparison with a golden, which must see every frame: the time limit of the case bounds its work.
const COMPARED: Limits = Limits { bytes: 512 << 20, posed: usize::MAX };

/// Returns the scripts of a clip, or of the rest pose without one.
///
/// The frames are 1/30 s apart, or further if the scripts would take over 16 MB; the page says so. Without a reference,
/// numbers are rounded to 14 binary digits, a tenth of a millimetre for a figure. The stage is left in another pose.
pub fn motion_scripts(
    model: &Model,
    stage: &mut Stage,
    clip: Option<&Clip>,
    golden: Option<&Poses>,
) -> MotionScripts {
    match Motion::new(model, stage, clip, golden, SHOWN) {
        Ok(motion) => motion.scripts(),
        Err(sentence) => {
            MotionScripts { result: script(&LeftOut { left_out: &sentence }, &[]), reference: None }
        }
    }
}

/// The largest difference of a clip from its golden.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionDifference {
    /// When, in seconds.
    pub time_secs: f64,
    /// The largest distance of a vertex in metres.
    pub distance: f64,
    /// The joint or node whose own transform differs most; `None` if none differs.
    pub cause: Option<String>,
    /// The difference of its rotation in degrees.
    pub angle: f64,
}

/// Compares a clip with its golden at the frames of the golden: all vertices, and the origins of all joints. Returns
/// `None` if all frames are equal. Leaves the stage in another pose.
///
/// # Errors
/// A sentence that says why they can't be compared, such as another number of joints, or which mesh is hidden in one alone.
pub fn motion_difference(
    model: &Model,
    stage: &mut Stage,
    clip: Option<&Clip>,
    golden: &Poses,
) -> Result<Option<MotionDifference>, String> {
    if Poses::new(model, stage, clip).is_ok_and(|poses| poses == *golden) {
        return Ok(None);
    }
    let Motion { rig, result, reference, notes, .. } =
        Motion::new(model, stage, clip, Some(golden), COMPARED)?;
    let Some((reference, frames)) = reference else {
        return Err(notes.into_iter().next_back().unwrap_or_default());
    };
    if let Some((frame, draw)) = first_hidden_in_one(&rig, &result, &reference) {
        let named = |node: &str| format!("the mesh of \"{}\"", escaped(node));
        let name = model.nodes[rig.draws[draw].node].name.as_deref();
        let mesh = name.map_or_else(|| "a mesh without a name".to_owned(), named);
        let secs = result.grid.time(frame);
        let (is, was) = match rig.shows(result.frame(frame), draw) {
            true => ("shown", "hidden"),
            false => ("hidden", "shown"),
        };
        return Err(format!("{mesh} is {is} at {secs:.3} s, and {was} in the golden"));
    }
    let joints = worst_joints(&rig, &result, &reference);
    let worst = (0..).zip(&frames).chain((0..).zip(&joints));
    let worst = worst
        .reduce(|a, b| if b.1.distance > a.1.distance { b } else { a })
        .filter(|(_, worst)| worst.distance > 0.0);
    Ok(worst.map(|(frame, worst)| MotionDifference {
        time_secs: result.grid.time(frame),
        distance: worst.distance.into(),
        cause: worst.cause.map(|bone| rig.bones[bone].name.clone()),
        angle: worst.angle.into(),
    }))
}

/// A sampled clip with its mesh, and its reference.
struct Motion {
    rig: Rig,
    mesh: Mesh,
    result: DrawnPoses,
    reference: Option<(DrawnPoses, Vec<Worst>)>,
    /// The box of the result over all frames, extended by that of the reference.
    bounds: Aabb,
    notes: Vec<String>,
}

/// The header of a script that has no motion.
#[derive(Serialize)]
struct LeftOut<'a> {
    left_out: &'a str,
}

/// The header of a result's script.
#[derive(Serialize)]
struct ResultHeader<'a> {
    rate: f64,
    duration: f64,
    frames: usize,
    stride: usize,
    weights: usize,
    bones: Vec<&'a str>,
    geometries: &'a [Geometry],
    draws: Vec<DrawHeader>,
    bounds: [[f32; 3]; 2],
    notes: &'a [String],
    lists: Vec<ListHeader>,
}

/// A draw in a header.
#[derive(Serialize)]
struct DrawHeader {
    geometry: usize,
    bone: usize,
    sets: usize,
    weights: usize,
    targets: usize,
}

/// The header of a reference's script.
#[derive(Serialize)]
struct ReferenceHeader {
    lists: Vec<ListHeader>,
}

/// A list of words in a header.
#[derive(Serialize)]
struct ListHeader {
    name: &'static str,
    words: usize,
    stride: usize,
}

/// A list of words in a script.
struct List<'a> {
    name: &'static str,
    words: &'a [u32],
    /// The distance of words that are alike.
    stride: usize,
}

impl Motion {
    /// Samples a clip. An error is a sentence that says why its mesh and motion exceed the limits.
    fn new(
        model: &Model,
        stage: &mut Stage,
        clip: Option<&Clip>,
        golden: Option<&Poses>,
        limits: Limits,
    ) -> Result<Self, String> {
        let rig = Rig::new(model, stage);
        if rig.draws.is_empty() {
            return Err("The scene draws nothing that could move.".to_owned());
        }
        let largest = limits.bytes;
        let room = largest.checked_sub(mesh_bytes(model, &rig)).ok_or_else(|| {
            let size = mesh_bytes(model, &rig) >> 20;
            format!("The mesh takes {size} MB, more than the {} MB of a case.", largest >> 20)
        })?;
        let mesh = Mesh::new(model, &rig);
        let own_secs = clip.map_or(0.0, |clip| f64::from(clip.duration_secs()));
        let secs = golden.map_or(own_secs, |golden| own_secs.max(golden.grid.duration_secs));
        let vertices: usize =
            mesh.of_draw.iter().map(|geometry| mesh.geometries[*geometry].vertices).sum();
        let copies = 1 + usize::from(golden.is_some());
        let fits = |grid: &Grid| {
            let stride = rig.stride() + rig.drawn_stride();
            let bytes = grid.frames().saturating_mul(4 * copies * stride);
            bytes <= room && grid.frames().saturating_mul(copies * vertices) <= limits.posed
        };
        let every = golden.map_or(1, |golden| golden.grid.every);
        let grid = Grid::finest(secs, every, fits)
            .ok_or_else(|| format!("{}.", PosesError::too_large(secs, &rig, largest)))?;
        let sampled = Poses::sampled(model, stage, clip, &rig, grid);
        let result = sampled.drawn(&rig);
        let mut motion =
            Self { rig, mesh, result, reference: None, bounds: Aabb::EMPTY, notes: Vec::new() };
        if grid.every > 1 {
            let rate = (grid.rate() * 10.0).round() / 10.0;
            motion.notes.push(format!("Shown at {rate} frames per second to limit its size."));
        }
        golden.into_iter().for_each(|golden| motion.add_reference(golden, &sampled));
        motion.measure();
        Ok(motion)
    }

    fn add_reference(&mut self, golden: &Poses, sampled: &Poses) {
        match golden.matched(sampled) {
            Ok(reference) => {
                let reference = reference.drawn(&self.rig);
                let worst = worst_frames(&self.rig, &self.mesh, &self.result, &reference);
                self.reference = Some((reference, worst));
            }
            Err(error) => {
                self.notes.push(format!("The reference can't be drawn on this mesh: {error}."));
            }
        }
    }

    /// Computes the bounds from some frames of both motions.
    fn measure(&mut self) {
        const FRAMES: usize = 16;
        let frames = self.result.grid.frames();
        let reference = self.reference.as_ref().map(|(poses, _)| poses);
        for poses in [&self.result].into_iter().chain(reference) {
            for frame in (0..frames).step_by(frames.div_ceil(FRAMES)).chain([frames - 1]) {
                let values = poses.frame(frame);
                let posed = PosedMesh { rig: &self.rig, mesh: &self.mesh, values };
                for draw in 0..self.rig.draws.len() {
                    let places = (0..posed.vertices(draw)).map(|v| posed.position(draw, v));
                    places.filter(|at| at.is_finite()).for_each(|at| self.bounds.add(at));
                }
            }
        }
    }

    fn scripts(&self) -> MotionScripts {
        let stride = self.result.stride;
        let mesh = &self.mesh;
        // Beside a reference, the smallest difference counts.
        let rounded = self.reference.is_none();
        let digits = |digits: u32| if rounded { digits } else { f32::MANTISSA_DIGITS };
        let rounded = |list: &[f32], digits: u32| -> Vec<u32> {
            list.iter().map(|x| rounded_bits(*x, digits)).collect()
        };
        let positions = rounded(&mesh.positions, digits(14));
        let weights = rounded(&mesh.weights, digits(10));
        let deltas = rounded(&mesh.deltas, digits(10));
        let values = rounded(&self.result.values, digits(14));
        let lists = [
            List { name: "positions", words: &positions, stride: 3 },
            List { name: "normals", words: &mesh.normals, stride: 1 },
            List { name: "indices", words: &mesh.indices, stride: 1 },
            List { name: "joints", words: &mesh.joints, stride: 2 },
            List { name: "weights", words: &weights, stride: 4 },
            List { name: "deltas", words: &deltas, stride: 3 },
            List { name: "values", words: &values, stride },
        ];
        let draw = |(i, draw): (usize, &Draw)| DrawHeader {
            geometry: mesh.of_draw[i],
            bone: draw.bone,
            sets: mesh.sets(i, draw),
            weights: draw.weights,
            targets: draw.targets,
        };
        let header = ResultHeader {
            rate: self.result.grid.rate(),
            duration: self.result.grid.duration_secs,
            frames: self.result.grid.frames(),
            stride,
            weights: self.rig.weights,
            bones: self.rig.bones.iter().map(|bone| bone.name.as_str()).collect(),
            geometries: &mesh.geometries,
            draws: self.rig.draws.iter().enumerate().map(draw).collect(),
            bounds: [self.bounds.min, self.bounds.max].map(|corner| corner.to_array()),
            notes: &self.notes,
            lists: list_headers(&lists),
        };
        let reference = self.reference.as_ref();
        MotionScripts {
            result: script(&header, &lists),
            reference: reference.map(|(poses, worst)| reference_script(poses, worst)),
        }
    }
}

/// Returns the bits of a number of so many binary digits: those behind them are 0, and compress to nothing.
fn rounded_bits(x: f32, digits: u32) -> u32 {
    let unused = f32::MANTISSA_DIGITS - digits;
    let half = (1 << unused) >> 1;
    match x.is_finite() {
        true => x.to_bits().wrapping_add(half) & (u32::MAX << unused),
        false => x.to_bits(),
    }
}

/// Returns the script of a reference: its values and, for each frame, six words about the worst vertex.
fn reference_script(poses: &DrawnPoses, worst: &[Worst]) -> String {
    let number = |index: Option<usize>| index.map_or(u32::MAX, |index| index as u32);
    let row = |worst: &Worst| {
        let place = [worst.draw, worst.vertex, worst.bone].map(|index| number(Some(index)));
        let [draw, vertex, bone] = place;
        let (distance, angle) = (worst.distance.to_bits(), worst.angle.to_bits());
        [distance, draw, vertex, bone, number(worst.cause), angle]
    };
    let worst: Vec<u32> = worst.iter().flat_map(row).collect();
    let values = bytemuck::cast_slice(&poses.values);
    let lists = [
        List { name: "values", words: values, stride: poses.stride },
        List { name: "worst", words: &worst, stride: 6 },
    ];
    script(&ReferenceHeader { lists: list_headers(&lists) }, &lists)
}

fn list_headers(lists: &[List<'_>]) -> Vec<ListHeader> {
    let header = |list: &List<'_>| ListHeader {
        name: list.name,
        words: list.words.len(),
        stride: list.stride,
    };
    lists.iter().map(header).collect()
}

/// Returns a script that hands a header and its lists to the page.
fn script(header: &impl Serialize, lists: &[List<'_>]) -> String {
    // Numbers and strings always serialise.
    let header = serde_json::to_vec(header).unwrap_or_default();
    let mut bytes = (header.len() as u32).to_le_bytes().to_vec();
    bytes.extend(header);
    lists.iter().for_each(|list| pack(list.words, list.stride, &mut bytes));
    let data = base64::engine::general_purpose::STANDARD.encode(deflated(&bytes));
    format!("rigview_motion(\"{data}\");\n")
}
