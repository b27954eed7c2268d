//! A clip as it moves the drawn skin: the matrices of joints and nodes with meshes, and morph weights, of every frame.
//! This is also the golden motion of a test case, which has its own format:
//!
//! - the line `rigview motion 3`;
//! - a line of JSON, the [`Header`];
//! - a line for each of its looks, the golden of a pose: the skin at a frame that differs much from those that are compared anyway,
//!   because the same matrices move other weights or morph targets elsewhere;
//! - a zlib stream with the values of the rest pose and of all frames as 32-bit floats, ordered by [`pack`].

use std::collections::HashSet;

use glam::{DVec3, Vec3A};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::grid::Grid;
use super::pack::{deflated, inflated, pack, unpack};
use super::parts::{Part, found_in};
use super::rig::{Rig, matrix, rows};
use rigview_anim::Clip;
use rigview_model::{Model, Stage};

/// A clip of a scene, sampled over a [`Grid`].
#[derive(Clone, Debug, PartialEq)]
pub struct Poses {
    /// The times of the frames.
    pub grid: Grid,
    /// The point of the scene that all matrices are relative to.
    pub origin: DVec3,
    /// What moves the skin: joints, and nodes with a rigid mesh, once for each instance.
    pub movers: Vec<Part>,
    /// The nodes with a mesh.
    pub drawers: Vec<Part>,
    /// The number of morph weights of each of these.
    pub weights: Vec<usize>,
    /// The values of the rest pose, like those of a frame.
    pub rest: Vec<f32>,
    /// The values frame by frame: the three rows of each mover's matrix, the morph weights, and 1 or 0 for each
    /// node with a mesh that is shown or not.
    pub values: Vec<f32>,
}

/// What is drawn of some poses, frame by frame.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnPoses {
    /// The times of the frames.
    pub grid: Grid,
    /// Number of values per frame.
    pub stride: usize,
    /// The values of all frames ([`Rig::draw`]).
    pub values: Vec<f32>,
}

impl DrawnPoses {
    /// Returns the values of a frame; of the last one if there are fewer.
    pub fn frame(&self, frame: usize) -> &[f32] {
        let at = frame.min(self.grid.frames() - 1) * self.stride;
        &self.values[at..at + self.stride]
    }
}

/// The line of a golden that describes its values.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    every: u32,
    duration: f64,
    frames: usize,
    origin: [f64; 3],
    movers: Vec<Part>,
    drawers: Vec<Part>,
    weights: Vec<usize>,
    looks: usize,
}

/// A clip that can't be stored, or a golden that can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PosesError {
    /// The file is none, or was written by another version.
    #[error("no motion of rigview, or one of another version: write it again with --bless")]
    NotAMotion,
    /// The file is broken.
    #[error("the motion is broken ({0}): write it again with --bless")]
    Broken(String),
    /// The golden is of another rig.
    #[error("the reference has {was}, the result {is}")]
    OtherRig {
        /// The golden's count, with its noun.
        was: String,
        /// The result's count, with its noun.
        is: String,
    },
    /// No frame rate brings the clip below the limit.
    #[error("a clip of {secs} s with {bones} takes over {limit} MiB at one frame per second")]
    TooLarge {
        /// The clip's duration in seconds, as text.
        secs: String,
        /// The number of matrices, with its noun.
        bones: String,
        /// The limit.
        limit: usize,
    },
}

/// The first bytes of the file.
pub const MAGIC: &[u8] = b"rigview motion 3\n";

/// Largest size of the values of one golden in bytes, before compression.
const LARGEST: usize = 64 << 20;

/// Largest length of the header in bytes.
const LARGEST_HEADER: usize = 16 << 20;

impl Poses {
    /// Samples a clip, or the rest pose without one, to be stored as a golden. Frames are 1/30 s apart, or
    /// further if the clip is very long. Leaves the stage in another pose.
    ///
    /// # Errors
    /// If even one frame per second is too much.
    pub fn new(model: &Model, stage: &mut Stage, clip: Option<&Clip>) -> Result<Self, PosesError> {
        let rig = Rig::new(model, stage);
        let secs = clip.map_or(0.0, |clip| f64::from(clip.duration_secs()));
        let fits = |grid: &Grid| grid.frames() < LARGEST / 4 / rig.stride().max(1);
        match Grid::finest(secs, 1, fits) {
            Some(grid) => Ok(Self::sampled(model, stage, clip, &rig, grid)),
            None => Err(PosesError::too_large(secs, &rig, LARGEST)),
        }
    }

    /// Whether the scene draws nothing that could move.
    pub fn is_empty(&self) -> bool {
        self.movers.is_empty()
    }

    /// Samples a clip at the times of a grid. A clip that ends earlier holds its last pose.
    pub(super) fn sampled(
        model: &Model,
        stage: &mut Stage,
        clip: Option<&Clip>,
        rig: &Rig,
        grid: Grid,
    ) -> Self {
        let mut rest = Vec::with_capacity(rig.stride());
        stage.pose(model, None, 0.0);
        rig.write(stage, &mut rest);
        let [movers, drawers] = rig.parts(model, stage);
        let weights = rig.nodes.iter().map(|node| stage.local.weights(*node).len()).collect();
        let mut values = Vec::with_capacity(grid.frames() * rig.stride());
        for frame in 0..grid.frames() {
            stage.pose(model, clip, grid.time(frame));
            rig.write(stage, &mut values);
        }
        Self { grid, origin: rig.origin, movers, drawers, weights, rest, values }
    }

    /// Number of values per frame.
    pub fn stride(&self) -> usize {
        self.shown() + self.drawers.len()
    }

    /// The places in a frame: of the morph weights, and of whether nodes with a mesh are shown.
    fn morphs(&self) -> usize {
        12 * self.movers.len()
    }

    fn shown(&self) -> usize {
        self.morphs() + self.weights.iter().sum::<usize>()
    }

    /// Returns the values of a frame; of the last one if there are fewer.
    pub fn frame(&self, frame: usize) -> &[f32] {
        let at = frame.min(self.grid.frames() - 1) * self.stride();
        &self.values[at..at + self.stride()]
    }

    /// Returns the frames, at most two, that differ most from the rest pose, from those at these times in seconds, and from each
    /// other.
    pub(in crate::suite) fn telling_frames(&self, known_secs: &[f64]) -> Vec<usize> {
        const MOST: usize = 2;
        /// The largest difference of a matrix or a weight, in metres and as a number.
        const LEAST: f32 = 1e-3;
        let apart = |a: &[f32], b: &[f32]| {
            let apart = a.iter().zip(b).map(|(a, b)| (a - b).abs());
            apart.fold(0.0, f32::max)
        };
        let frames = || 0..self.grid.frames();
        let mut nearest: Vec<f32> =
            frames().map(|frame| apart(self.frame(frame), &self.rest)).collect();
        let mut out = Vec::new();
        let mut known: Vec<usize> =
            known_secs.iter().map(|secs| self.grid.frame_at(*secs)).collect();
        loop {
            for known in known.drain(..) {
                let least = |frame: usize| apart(self.frame(frame), self.frame(known));
                frames().zip(&mut nearest).for_each(|(frame, near)| *near = near.min(least(frame)));
            }
            let farthest = frames().max_by(|a, b| nearest[*a].total_cmp(&nearest[*b]));
            match farthest.filter(|frame| nearest[*frame] > LEAST && out.len() < MOST) {
                Some(frame) => {
                    out.push(frame);
                    known.push(frame);
                }
                None => return out,
            }
        }
    }

    /// Returns a golden's file, given its looks, of one line each.
    pub fn to_bytes(&self, looks: &[String]) -> Vec<u8> {
        let header = Header {
            every: self.grid.every,
            duration: self.grid.duration_secs,
            frames: self.grid.frames(),
            origin: self.origin.to_array(),
            movers: self.movers.clone(),
            drawers: self.drawers.clone(),
            weights: self.weights.clone(),
            looks: looks.len(),
        };
        let mut out = MAGIC.to_vec();
        // Numbers and strings always serialise.
        out.extend(serde_json::to_vec(&header).unwrap_or_default());
        out.push(b'\n');
        for look in looks {
            out.extend(look.as_bytes());
            out.push(b'\n');
        }
        let all = [&self.rest[..], &self.values].concat();
        let mut packed = Vec::with_capacity(4 * all.len());
        pack(bytemuck::cast_slice(&all), self.stride(), &mut packed);
        out.extend(deflated(&packed));
        out
    }

    /// Reads a golden's file, with its looks.
    ///
    /// # Errors
    /// If it is none, or broken in any way. A header can't ask for more memory than the limit.
    pub fn from_bytes(bytes: &[u8]) -> Result<(Self, Vec<String>), PosesError> {
        let broken = |what: &str| PosesError::Broken(what.to_owned());
        let rest = bytes.strip_prefix(MAGIC).ok_or(PosesError::NotAMotion)?;
        let end = rest.iter().take(LARGEST_HEADER).position(|byte| *byte == b'\n');
        let end = end.ok_or_else(|| broken("it has no header"))?;
        let header: Header = serde_json::from_slice(&rest[..end])
            .map_err(|error| PosesError::Broken(format!("its header: {error}")))?;
        let grid = Grid::new(header.every, header.duration)
            .filter(|grid| grid.frames() == header.frames)
            .ok_or_else(|| broken("its times are out of range"))?;
        let origin = DVec3::from(header.origin);
        if !origin.is_finite() {
            return Err(broken("its origin is not finite"));
        }
        if header.weights.len() != header.drawers.len() {
            return Err(broken("it has morph weights of other nodes"));
        }
        let stride = header.movers.len().checked_mul(12);
        let mut counts = header.weights.iter().copied().chain([header.drawers.len()]);
        let stride = stride.and_then(|n| counts.try_fold(n, |n, count| n.checked_add(count)));
        let rows = header.frames.checked_add(1);
        let length =
            stride.zip(rows).and_then(|(stride, rows)| stride.checked_mul(rows)?.checked_mul(4));
        let (Some(stride), Some(length)) = (stride, length.filter(|length| *length <= LARGEST))
        else {
            return Err(broken("it is too large"));
        };
        let mut packed = &rest[end + 1..];
        let mut looks = Vec::new();
        for _ in 0..header.looks {
            let end = packed.iter().position(|byte| *byte == b'\n');
            let (look, more) = end
                .map(|end| packed.split_at(end + 1))
                .ok_or_else(|| broken("it has too few looks"))?;
            looks.push(String::from_utf8_lossy(&look[..look.len() - 1]).into_owned());
            packed = more;
        }
        let packed =
            inflated(packed, length).ok_or_else(|| broken("its numbers are cut or changed"))?;
        let mut rest: Vec<f32> = unpack(&packed, stride).into_iter().map(f32::from_bits).collect();
        let values = rest.split_off(stride);
        let Header { movers, drawers, weights, .. } = header;
        Ok((Self { grid, origin, movers, drawers, weights, rest, values }, looks))
    }

    /// Returns these poses as they move another rig: with the frames, the order of the parts and the origin of
    /// `other`. So the values of both can be compared one by one.
    ///
    /// Parts are matched by name, and otherwise by their place at rest. Nodes with rigid meshes are moved as far from their own rest
    /// pose as these poses are from theirs, because the node of a quantized mesh has another scale. A node with a mesh that these
    /// poses do not have is shown.
    ///
    /// # Errors
    /// If one of both lacks a joint or a rigid part of the other, or morph weights.
    pub(super) fn matched(&self, other: &Self) -> Result<Self, PosesError> {
        let offset = self.origin - other.origin;
        let found = found_in(&other.movers, &self.movers, -offset);
        if self.movers.len() != other.movers.len() || found.contains(&None) {
            return Err(self.other_rig(other));
        }
        let places: Vec<usize> = found.into_iter().flatten().collect();
        let drawers = found_in(&other.drawers, &self.drawers, -offset);
        let own_weights = |drawer: &Option<usize>| drawer.map_or(0, |own| self.weights[own]);
        let same =
            drawers.iter().zip(&other.weights).all(|(own, count)| own_weights(own) == *count);
        let [was, is] = [self, other].map(|poses| poses.weights.iter().sum::<usize>());
        if !same || was != is {
            let [was, is] = [was, is].map(|count| counted(count, "morph weight"));
            return Err(PosesError::OtherRig { was, is });
        }
        // The place of the first morph weight of each own node.
        let firsts: Vec<usize> = self
            .weights
            .iter()
            .scan(self.morphs(), |next, count| Some(std::mem::replace(next, *next + count)))
            .collect();
        let first_shown = self.shown();
        let offset = offset.as_vec3a();
        let at = |values: &[f32], place: usize, offset: Vec3A| {
            let mut world = matrix(&values[12 * place..12 * place + 12]);
            world.translation += offset;
            world
        };
        let frame = |frame: usize| {
            let own = self.frame(self.grid.frame_at(other.grid.time(frame)));
            let shown = &own[first_shown..];
            let mut out = Vec::with_capacity(other.stride());
            for (i, (place, mover)) in places.iter().zip(&other.movers).enumerate() {
                let world = at(own, *place, offset);
                let rests = [at(&self.rest, *place, offset), at(&other.rest, i, Vec3A::ZERO)];
                // Far from the origin, the product of a matrix and its inverse is not the identity.
                let is_as_stored = mover.is_joint || rests[0] == rests[1];
                let moved =
                    if is_as_stored { world } else { world * rests[0].inverse() * rests[1] };
                out.extend(rows(if moved.is_finite() { &moved } else { &world }));
            }
            for drawer in drawers.iter().flatten() {
                out.extend(&own[firsts[*drawer]..firsts[*drawer] + self.weights[*drawer]]);
            }
            let is_shown = |drawer: &Option<usize>| drawer.map_or(1.0, |own| shown[own]);
            out.extend(drawers.iter().map(is_shown));
            out
        };
        let frames: Vec<Vec<f32>> = (0..other.grid.frames()).into_par_iter().map(frame).collect();
        Ok(Self { values: frames.concat(), ..other.clone() })
    }

    /// Returns what is drawn of these poses of a rig.
    pub(super) fn drawn(&self, rig: &Rig) -> DrawnPoses {
        let stride = rig.drawn_stride();
        let mut values = Vec::with_capacity(self.grid.frames() * stride);
        (0..self.grid.frames()).for_each(|frame| rig.draw(self.frame(frame), &mut values));
        DrawnPoses { grid: self.grid, stride, values }
    }

    /// Describes how the parts of two rigs differ.
    fn other_rig(&self, other: &Self) -> PosesError {
        let described = |poses: &Self, others: &Self| {
            let count = counted(poses.movers.len(), "joint or rigid part");
            let known = |part: &Part| (part.name.clone(), part.is_joint);
            let others: HashSet<(String, bool)> = others.movers.iter().map(known).collect();
            let mut only = poses.movers.iter().filter(|part| !others.contains(&known(part)));
            match only.find(|part| !part.name.is_empty()) {
                Some(first) => format!("{count}, among them \"{}\"", first.name),
                None => count,
            }
        };
        PosesError::OtherRig { was: described(self, other), is: described(other, self) }
    }
}

impl PosesError {
    /// The error of a clip that exceeds a limit in bytes.
    pub(super) fn too_large(secs: f64, rig: &Rig, limit: usize) -> Self {
        let bones = counted(rig.movers.len(), "joint or rigid part");
        Self::TooLarge { secs: format!("{secs:.1}"), bones, limit: limit >> 20 }
    }
}

fn counted(count: usize, noun: &str) -> String {
    // "joints or rigid parts"
    let plural = noun.replace(" or ", "s or ");
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {plural}s"),
    }
}
