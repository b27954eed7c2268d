//! A clip as it moves the drawn skin: the matrices of joints and nodes with meshes, and morph weights, of every frame.
//! This is also the golden motion of a test case, which has its own format:
//!
//! - the line `rigview motion 2`;
//! - a line of JSON, the [`Header`];
//! - a zlib stream with the values of the rest pose and of all frames as 32-bit floats, ordered by [`pack`].

use std::collections::{HashMap, HashSet};

use glam::{DVec3, Vec3A};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::grid::Grid;
use super::pack::{deflated, inflated, pack, unpack};
use super::rig::{Rig, matrix, rows};
use crate::anim::Clip;
use crate::model::{Model, Stage};

/// A clip of a scene, sampled over a [`Grid`].
#[derive(Clone, Debug, PartialEq)]
pub struct Poses {
    /// The times of the frames.
    pub grid: Grid,
    /// The point of the scene that all matrices are relative to.
    pub origin: DVec3,
    /// The names of the matrices: joints of skins, nodes and instances with rigid meshes.
    pub bones: Vec<String>,
    /// Number of morph weights.
    pub weights: usize,
    /// Number of nodes with a mesh; of drawn values, the number of draws.
    pub shown: usize,
    /// The values of the rest pose, like those of a frame.
    pub rest: Vec<f32>,
    /// The values frame by frame: the three rows of each matrix, the morph weights, and 1 or 0 for each
    /// node with a mesh that is shown or not.
    pub values: Vec<f32>,
}

/// The line of a golden that describes its values.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    every: u32,
    duration: f64,
    frames: usize,
    origin: [f64; 3],
    bones: Vec<String>,
    weights: usize,
    shown: usize,
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
pub const MAGIC: &[u8] = b"rigview motion 2\n";

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
        self.bones.is_empty()
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
        let mut values = Vec::with_capacity(grid.frames() * rig.stride());
        for frame in 0..grid.frames() {
            stage.pose(model, clip, grid.time(frame));
            rig.write(stage, &mut values);
        }
        Self {
            grid,
            origin: rig.origin,
            bones: rig.bones.iter().map(|bone| bone.name.clone()).collect(),
            weights: rig.weights,
            shown: rig.nodes.len(),
            rest,
            values,
        }
    }

    /// Number of values per frame.
    pub fn stride(&self) -> usize {
        12 * self.bones.len() + self.weights + self.shown
    }

    /// Returns the values of a frame; of the last one if there are fewer.
    pub fn frame(&self, frame: usize) -> &[f32] {
        let at = frame.min(self.grid.frames() - 1) * self.stride();
        &self.values[at..at + self.stride()]
    }

    /// Returns a golden's file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            every: self.grid.every,
            duration: self.grid.duration_secs,
            frames: self.grid.frames(),
            origin: self.origin.to_array(),
            bones: self.bones.clone(),
            weights: self.weights,
            shown: self.shown,
        };
        let mut out = MAGIC.to_vec();
        // Numbers and strings always serialise.
        out.extend(serde_json::to_vec(&header).unwrap_or_default());
        out.push(b'\n');
        let all = [&self.rest[..], &self.values].concat();
        let mut packed = Vec::with_capacity(4 * all.len());
        pack(bytemuck::cast_slice(&all), self.stride(), &mut packed);
        out.extend(deflated(&packed));
        out
    }

    /// Reads a golden's file.
    ///
    /// # Errors
    /// If it is none, or broken in any way. A header can't ask for more memory than the limit.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PosesError> {
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
        let stride = header.bones.len().checked_mul(12);
        let stride = stride.and_then(|n| n.checked_add(header.weights)?.checked_add(header.shown));
        let rows = header.frames.checked_add(1);
        let length =
            stride.zip(rows).and_then(|(stride, rows)| stride.checked_mul(rows)?.checked_mul(4));
        let (Some(stride), Some(length)) = (stride, length.filter(|length| *length <= LARGEST))
        else {
            return Err(broken("it is too large"));
        };
        let packed = inflated(&rest[end + 1..], length)
            .ok_or_else(|| broken("its numbers are cut or changed"))?;
        let mut rest: Vec<f32> = unpack(&packed, stride).into_iter().map(f32::from_bits).collect();
        let values = rest.split_off(stride);
        let Header { bones, weights, shown, .. } = header;
        Ok(Self { grid, origin, bones, weights, shown, rest, values })
    }

    /// Returns these poses as they move another rig: with the frames, the order of the matrices and the origin of
    /// `other`, which are poses of `rig`. So the values of both can be compared one by one.
    ///
    /// Matrices are matched by name if both have the same names, otherwise by their order. Nodes with rigid meshes are
    /// moved as far from their own rest pose as these poses are from theirs, because the node of a quantized mesh has
    /// another scale.
    ///
    /// # Errors
    /// If the numbers of matrices or morph weights differ.
    pub(super) fn matched(&self, other: &Self, rig: &Rig) -> Result<Self, PosesError> {
        if self.bones.len() != other.bones.len() {
            return Err(self.other_rig(other));
        }
        if self.weights != other.weights {
            let [was, is] = [self, other].map(|poses| counted(poses.weights, "morph weight"));
            return Err(PosesError::OtherRig { was, is });
        }
        let offset = (self.origin - other.origin).as_vec3a();
        let places = self.places(&other.bones);
        let at = |values: &[f32], place: usize, offset: Vec3A| {
            let mut world = matrix(&values[12 * place..12 * place + 12]);
            world.translation += offset;
            world
        };
        let frame = |frame: usize| {
            let own = self.frame(self.grid.frame_at(other.grid.time(frame)));
            let mut out = Vec::with_capacity(other.stride());
            for (i, (place, bone)) in places.iter().zip(&rig.bones).enumerate() {
                let world = at(own, *place, offset);
                let moved = world * at(&self.rest, *place, offset).inverse();
                let moved = moved * at(&other.rest, i, Vec3A::ZERO);
                out.extend(rows(if bone.is_joint || !moved.is_finite() { &world } else { &moved }));
            }
            let (weights, shown) = own[12 * self.bones.len()..].split_at(self.weights);
            out.extend(weights);
            match self.shown == other.shown {
                true => out.extend(shown),
                false => out.extend(&other.frame(frame)[12 * other.bones.len() + other.weights..]),
            }
            out
        };
        let frames: Vec<Vec<f32>> = (0..other.grid.frames()).into_par_iter().map(frame).collect();
        Ok(Self { values: frames.concat(), ..other.clone() })
    }

    /// Returns the values with which a rig, to which these poses belong, is drawn ([`Rig::draw`]).
    pub(super) fn drawn(&self, rig: &Rig) -> Self {
        let mut values = Vec::with_capacity(self.values.len());
        (0..self.grid.frames()).for_each(|frame| rig.draw(self.frame(frame), &mut values));
        Self { shown: rig.draws.len(), values, rest: Vec::new(), ..self.clone() }
    }

    /// For each name, the matrix that has it; its own place if the names are not the same.
    fn places(&self, names: &[String]) -> Vec<usize> {
        let own: HashMap<&str, usize> =
            self.bones.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
        let by_name: Option<Vec<usize>> =
            names.iter().map(|name| own.get(name.as_str()).copied()).collect();
        let all = own.len() == self.bones.len();
        by_name.filter(|_| all).unwrap_or_else(|| (0..names.len()).collect())
    }

    /// Describes how the matrices of two rigs differ.
    fn other_rig(&self, other: &Self) -> PosesError {
        let described = |poses: &Self, others: &Self| {
            let count = counted(poses.bones.len(), "joint or rigid part");
            let others: HashSet<&String> = others.bones.iter().collect();
            let mut only = poses.bones.iter().filter(|name| !others.contains(name));
            match only.next() {
                Some(first) => format!("{count}, among them \"{first}\""),
                None => count,
            }
        };
        PosesError::OtherRig { was: described(self, other), is: described(other, self) }
    }
}

impl PosesError {
    /// The error of a clip that exceeds a limit in bytes.
    pub(super) fn too_large(secs: f64, rig: &Rig, limit: usize) -> Self {
        let bones = counted(rig.bones.len(), "joint or rigid part");
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
