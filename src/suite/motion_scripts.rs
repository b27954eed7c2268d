//! The scripts from which the page of a report plays the skin of a case, and that of its golden beside it.
//!
//! A script calls `rigview_motion` with the base64 of a zlib stream: the length of a JSON header, the header, and lists of
//! 32-bit words. Motions are scripts because a page that was opened from disk can't request files. `motion.js` reads it.

use std::collections::HashMap;
use std::io::Write;

use base64::Engine as _;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use glam::{Affine3A, DVec3};
use serde::Serialize;

use rigview_compare::{FarthestPoints, Measuring, Moment};
use rigview_model::{Aabb, Model, Primitive, SkinMotion, Stage, VertexPlace};

/// Frames per second of the finest grid, and the largest distance of frames in frames of it: one second.
const RATE: f64 = 30.0;
const COARSEST: u32 = 30;

/// What the scripts of a case may take: 16 MB before compression, and a second or two of one core for the vertices that are
/// posed over all frames. Frames are left out to keep to it.
const MOST_BYTES: usize = 16 << 20;
const MOST_POSED: usize = 40_000_000;

/// Frames that the box of a motion is made of, at most.
const BOX_FRAMES: usize = 16;

/// Binary digits of the numbers in scripts; the others are 0, and compress to nothing. A figure's vertices are within 0.03 mm.
const DIGITS: u32 = 16;

/// The scripts of one case for the interactive view, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MotionScripts {
    /// The mesh and the motion of the result, or a sentence that says why there is none.
    pub result: String,
    /// Those of the reference, and the distances of the result from it; `None` without one.
    pub reference: Option<String>,
}

/// Returns the scripts of two models that play their first clips in their default scenes, or are at rest.
///
/// The frames are 1/30 s apart, or further if the scripts would take over 16 MB; the page says so.
pub fn motion_scripts(result: &Model, reference: Option<&Model>) -> MotionScripts {
    let leave_out = |left_out: String| MotionScripts {
        result: script(&LeftOut { left_out: &left_out }, &[]),
        reference: None,
    };
    let bytes = mesh_bytes(result) + reference.map_or(0, mesh_bytes);
    let Some(room) = MOST_BYTES.checked_sub(bytes) else {
        let [size, most] = [bytes, MOST_BYTES].map(|bytes| bytes >> 20);
        return leave_out(format!("The mesh takes {size} MB, more than the {most} MB of a case."));
    };
    let mut own = Body::new(result);
    if own.draws.is_empty() {
        return leave_out("The scene draws nothing that could move.".to_owned());
    }
    let mut other = reference.map(Body::new);
    let bodies = || [Some(&own), other.as_ref()].into_iter().flatten();
    let secs = bodies().map(Body::duration_secs).fold(0.0, f64::max);
    let heat = if other.is_some() { own.heat_bytes() } else { 0 };
    let frame_bytes = 4 * bodies().map(Body::stride).sum::<usize>() + heat;
    let vertices: usize = bodies().map(Body::vertices).sum();
    let fits = |grid: &Grid| {
        grid.frames().saturating_mul(frame_bytes) <= room
            && grid.frames().saturating_mul(vertices) <= MOST_POSED
    };
    let Some(grid) = Grid::finest(secs, fits) else {
        let most = MOST_BYTES >> 20;
        return leave_out(format!(
            "A clip of {secs:.1} s takes more than the {most} MB of a case."
        ));
    };
    let origin = own.stage.origin;
    own.sample(grid, origin);
    let reference = other.as_mut().map(|other| {
        other.sample(grid, origin);
        other.script(grid, Distances::new(&own, other, grid))
    });
    MotionScripts { result: own.script(grid, None), reference }
}

/// The times at which a clip is sampled: evenly spaced from 0 to its end. The last step may be shorter.
#[derive(Clone, Copy, Debug)]
struct Grid {
    /// The distance of two frames in units of 1/30 s.
    every: u32,
    duration_secs: f64,
}

impl Grid {
    fn finest(duration_secs: f64, fits: impl Fn(&Self) -> bool) -> Option<Self> {
        (1..=COARSEST).map(|every| Self { every, duration_secs }).find(fits)
    }

    fn frames(&self) -> usize {
        // An end that is a rounding error past a frame is that frame.
        let steps = self.duration_secs * self.rate() - 1e-3;
        1 + steps.max(0.0).ceil() as usize
    }

    fn rate(&self) -> f64 {
        RATE / f64::from(self.every)
    }

    fn time(&self, frame: usize) -> f64 {
        let is_last = frame + 1 >= self.frames();
        if is_last { self.duration_secs } else { frame as f64 / self.rate() }
    }
}

/// A matrix that moves vertices: a joint of a skin, or a node or an instance with a rigid mesh.
struct Bone {
    node: usize,
    /// The inverse bind matrix of a joint, the place of an instance, or the identity.
    node_from_mesh: Affine3A,
}

/// A primitive as a node, or one instance of it, draws it.
#[derive(Serialize)]
struct Draw {
    geometry: usize,
    /// The first bone of the skin, or the only bone of a rigid primitive.
    bone: usize,
    /// Sets of influences per vertex; 0 if it is rigid.
    sets: usize,
    /// The first of the node's morph weights among those of the frame.
    weights: usize,
    /// Number of morph targets that have a weight.
    targets: usize,
    /// The place of the first vertex in a frame's distances.
    heat: usize,
    #[serde(skip)]
    node: usize,
    #[serde(skip)]
    primitive: usize,
}

/// A primitive's part of the lists. Offsets count vertices, indices, sets and deltas.
#[derive(Serialize)]
struct Geometry {
    first: usize,
    vertices: usize,
    first_index: usize,
    indices: usize,
    /// Indices per element: 1 for points, 2 for lines, 3 for triangles.
    corners: usize,
    first_set: usize,
    /// Sets of four influences per vertex; 0 without joints.
    sets: usize,
    first_delta: usize,
    /// The material's base colour in linear RGB.
    color: [f32; 3],
}

/// The header of a script that has no motion.
#[derive(Serialize)]
struct LeftOut<'a> {
    left_out: &'a str,
}

/// The header of a script.
#[derive(Serialize)]
struct Header<'a> {
    rate: f64,
    duration: f64,
    frames: usize,
    stride: usize,
    weights: usize,
    bones: usize,
    geometries: &'a [Geometry],
    draws: &'a [Draw],
    bounds: [[f32; 3]; 2],
    notes: Vec<String>,
    /// The farthest point of each frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    worst: Option<&'a [Worst]>,
    lists: Vec<ListHeader>,
}

/// The farthest point of a frame.
#[derive(Serialize)]
struct Worst {
    distance: f64,
    /// Where it is in the result and in the reference.
    result: [f32; 3],
    reference: [f32; 3],
    /// The node that moves it most.
    bone: String,
    /// The node whose own transform differs most, and the difference of its rotation in degrees.
    cause: Option<String>,
    angle: f64,
}

/// A list of words in a header.
#[derive(Serialize)]
struct ListHeader {
    name: &'static str,
    words: usize,
}

/// A model as the page draws it: the primitives of its scene, and what moves them in each frame.
struct Body<'a> {
    model: &'a Model,
    stage: Stage,
    bones: Vec<Bone>,
    draws: Vec<Draw>,
    /// The nodes with a mesh; their morph weights follow each other in a frame.
    nodes: Vec<usize>,
    weights: usize,
    geometries: Vec<Geometry>,
    positions: Vec<f32>,
    /// X, Y and Z as signed bytes in units of 1/127; 0 for none.
    normals: Vec<u32>,
    indices: Vec<u32>,
    /// Two indices of joints per word, the first in the lower half; two words per set.
    joints: Vec<u32>,
    joint_weights: Vec<f32>,
    /// Three floats per vertex, target after target.
    deltas: Vec<f32>,
    /// Frame by frame: the three rows of each bone's matrix, the morph weights, and 1 or 0 for each draw that is shown or not.
    values: Vec<f32>,
    bounds: Aabb,
}

/// An estimate of the size of a scene's geometry in bytes.
fn mesh_bytes(model: &Model) -> usize {
    let nodes = model.scene_nodes(model.default_scene);
    let mut meshes: Vec<usize> = nodes.iter().filter_map(|node| model.nodes[*node].mesh).collect();
    meshes.sort_unstable();
    meshes.dedup();
    let bytes = |primitive: &Primitive| {
        let sets = primitive.influences.as_ref().map_or(0, |influences| influences.sets);
        let per_vertex = 16 + 24 * sets + 12 * primitive.targets.len();
        4 * primitive.indices.len() + primitive.vertices.len() * per_vertex
    };
    let primitives = meshes.iter().flat_map(|mesh| &model.meshes[*mesh].primitives);
    primitives.map(bytes).fold(0, usize::saturating_add)
}

impl<'a> Body<'a> {
    fn new(model: &'a Model) -> Self {
        let stage = Stage::new(model, model.default_scene);
        let mut body = Self {
            model,
            bones: Vec::new(),
            draws: Vec::new(),
            nodes: Vec::new(),
            weights: 0,
            geometries: Vec::new(),
            positions: Vec::new(),
            normals: Vec::new(),
            indices: Vec::new(),
            joints: Vec::new(),
            joint_weights: Vec::new(),
            deltas: Vec::new(),
            values: Vec::new(),
            bounds: Aabb::EMPTY,
            stage,
        };
        let (mut skins, mut geometries, mut heat) = (HashMap::new(), HashMap::new(), 0);
        for node in body.stage.nodes.clone() {
            let Some(mesh) = model.nodes[node].mesh else { continue };
            let mut rigid = None;
            for (primitive, own) in model.meshes[mesh].primitives.iter().enumerate() {
                let geometry =
                    *geometries.entry((mesh, primitive)).or_insert_with(|| body.add_geometry(own));
                let skin = model.nodes[node].skin.filter(|_| own.influences.is_some());
                let sets = if skin.is_some() { body.geometries[geometry].sets } else { 0 };
                let bones = match skin {
                    Some(skin) => {
                        let first = *skins.entry(skin).or_insert_with(|| body.add_skin(skin));
                        first..first + 1
                    }
                    None => rigid.get_or_insert_with(|| body.add_rigid(node)).clone(),
                };
                // A primitive may have more or fewer targets than the mesh has weights.
                let targets = own.targets.len().min(model.rest.weights(node).len());
                let weights = body.weights;
                let draw =
                    |bone| Draw { geometry, bone, sets, weights, targets, heat, node, primitive };
                body.draws.extend(bones.map(draw));
                heat += own.vertices.len();
            }
            body.weights += model.rest.weights(node).len();
            body.nodes.push(node);
        }
        body
    }

    /// Adds the joints of a skin and returns the first one's index.
    fn add_skin(&mut self, skin: usize) -> usize {
        let first = self.bones.len();
        let skin = &self.model.skins[skin];
        let joints = skin.joints.iter().zip(&skin.joint_from_mesh);
        self.bones.extend(
            joints.map(|(joint, bind)| Bone { node: *joint as usize, node_from_mesh: *bind }),
        );
        first
    }

    /// Adds the bones of a node with a rigid mesh: one, or one per instance.
    fn add_rigid(&mut self, node: usize) -> std::ops::Range<usize> {
        let first = self.bones.len();
        let one = [Affine3A::IDENTITY];
        let instances = &self.model.nodes[node].instances[..];
        let instances = if instances.is_empty() { &one } else { instances };
        let bones = instances.iter().map(|place| Bone { node, node_from_mesh: *place });
        self.bones.extend(bones);
        first..self.bones.len()
    }

    fn add_geometry(&mut self, primitive: &Primitive) -> usize {
        let material = primitive.material.map(|material| &self.model.materials[material]);
        let [r, g, b, _] = material.map_or([1.0; 4], |material| material.base_color);
        self.geometries.push(Geometry {
            first: self.positions.len() / 3,
            vertices: primitive.vertices.len(),
            first_index: self.indices.len(),
            indices: primitive.indices.len(),
            corners: primitive.mode.topology().corners(),
            first_set: self.joints.len() / 2,
            sets: primitive.influences.as_ref().map_or(0, |influences| influences.sets),
            first_delta: self.deltas.len() / 3,
            color: [r, g, b],
        });
        for vertex in &primitive.vertices {
            self.positions.extend(vertex.position);
            let byte = |x: f32| u32::from((x.clamp(-1.0, 1.0) * 127.0).round() as i8 as u8);
            let [x, y, z] = vertex.normal.map(byte);
            self.normals.push(x | y << 8 | z << 16);
        }
        self.indices.extend(&primitive.indices);
        self.add_influences(primitive);
        for target in &primitive.targets {
            if target.positions.is_empty() {
                self.deltas.extend(std::iter::repeat_n(0.0, 3 * primitive.vertices.len()));
            } else {
                self.deltas.extend(target.positions.as_flattened());
            }
        }
        self.geometries.len() - 1
    }

    fn add_influences(&mut self, primitive: &Primitive) {
        let Some(influences) = &primitive.influences else { return };
        for part in &primitive.parts {
            // An unused influence may have an invalid joint ID.
            let joint = |id: u8| u32::from(part.joints.get(usize::from(id)).copied().unwrap_or(0));
            for vertex in part.vertices.clone() {
                for set in influences.of_vertex(vertex as usize) {
                    let [a, b, c, d] = set.joints.map(joint);
                    self.joints.extend([a | b << 16, c | d << 16]);
                    self.joint_weights.extend(set.weights);
                }
            }
        }
    }

    fn duration_secs(&self) -> f64 {
        self.model.clips.first().map_or(0.0, |clip| f64::from(clip.duration_secs()))
    }

    /// Number of values per frame.
    fn stride(&self) -> usize {
        12 * self.bones.len() + self.weights + self.draws.len()
    }

    /// Number of vertices that are drawn, those of instances once.
    fn vertices(&self) -> usize {
        self.draws.iter().map(|draw| self.geometries[draw.geometry].vertices).sum()
    }

    /// Number of bytes of a frame's distances, a multiple of four.
    fn heat_bytes(&self) -> usize {
        let end = |draw: &Draw| draw.heat + self.geometries[draw.geometry].vertices;
        self.draws.last().map_or(0, end).next_multiple_of(4)
    }

    /// Samples the motion. All places become relative to `origin`.
    fn sample(&mut self, grid: Grid, origin: DVec3) {
        let Self { model, stage, bones, draws, nodes, values, bounds, .. } = self;
        let offset = (stage.origin - origin).as_vec3a();
        let step = grid.frames().div_ceil(BOX_FRAMES);
        for frame in 0..grid.frames() {
            stage.pose(model, model.clips.first(), grid.time(frame));
            for bone in bones.iter() {
                let mut place = *stage.world.world_from_node(bone.node) * bone.node_from_mesh;
                place.translation += offset;
                values.extend(rows(&place));
            }
            nodes.iter().for_each(|node| values.extend(stage.local.weights(*node)));
            values.extend(draws.iter().map(|draw| f32::from(stage.visible[draw.node])));
            if frame % step == 0 || frame + 1 == grid.frames() {
                let own = stage.bounds(model);
                for corner in [own.min, own.max] {
                    bounds.add(corner + glam::Vec3::from(offset));
                }
            }
        }
    }

    fn script(&self, grid: Grid, distances: Option<Distances>) -> String {
        let rounded = |list: &[f32]| list.iter().map(|x| rounded_bits(*x)).collect::<Vec<u32>>();
        let mut lists = vec![
            ("positions", rounded(&self.positions)),
            ("normals", self.normals.clone()),
            ("indices", self.indices.clone()),
            ("joints", self.joints.clone()),
            ("weights", rounded(&self.joint_weights)),
            ("deltas", rounded(&self.deltas)),
            ("values", rounded(&self.values)),
        ];
        lists.extend(distances.as_ref().map(|distances| ("heat", distances.heat.clone())));
        let mut notes = Vec::new();
        if grid.every > 1 {
            let rate = (grid.rate() * 10.0).round() / 10.0;
            notes.push(format!("Shown at {rate} frames per second to limit its size."));
        }
        let header = Header {
            rate: grid.rate(),
            duration: grid.duration_secs,
            frames: grid.frames(),
            stride: self.stride(),
            weights: self.weights,
            bones: self.bones.len(),
            geometries: &self.geometries,
            draws: &self.draws,
            bounds: [self.bounds.min, self.bounds.max].map(|corner| corner.to_array()),
            notes,
            worst: distances.as_ref().map(|distances| &distances.worst[..]),
            lists: lists
                .iter()
                .map(|(name, words)| ListHeader { name, words: words.len() })
                .collect(),
        };
        let words: Vec<&[u32]> = lists.iter().map(|(_, words)| &words[..]).collect();
        script(&header, &words)
    }
}

/// How far a result is from its reference, frame by frame.
struct Distances {
    worst: Vec<Worst>,
    /// A byte per vertex of the result's draws, 255 for the largest distance of all frames and for what has no counterpart.
    heat: Vec<u32>,
}

impl Distances {
    /// Returns `None` if they can't be measured.
    fn new(result: &Body, reference: &Body, grid: Grid) -> Option<Self> {
        let mut measuring = Measuring::new(reference.model, result.model).ok()?;
        let motion = SkinMotion::new(result.model, &result.stage.nodes).ok()?;
        let points: Vec<Vec<Option<usize>>> = result
            .draws
            .iter()
            .map(|draw| measuring.points_of_b(draw.node, draw.primitive))
            .collect();
        let clip = |body: &Body| (!body.model.clips.is_empty()).then_some(0);
        let clips = [clip(reference), clip(result)];
        let width = result.heat_bytes();
        let (mut worst, mut all) = (Vec::new(), Vec::new());
        for frame in 0..grid.frames() {
            let apart = measuring.apart(Moment { clips, time_secs: grid.time(frame) });
            let farthest = apart.farthest?;
            let FarthestPoints { distance, vertices: [_, vertex], places } = farthest;
            let [of_reference, of_result] =
                places.map(|at| (at - result.stage.origin).as_vec3().to_array());
            let bone = heaviest_node(result.model, &motion, vertex);
            worst.push(Worst {
                distance,
                result: of_result,
                reference: of_reference,
                bone: result.model.node_name(bone).into_owned(),
                cause: apart.cause.map(|node| reference.model.node_name(node).into_owned()),
                angle: apart.angle,
            });
            let mut row = vec![0.0; width];
            for (draw, points) in result.draws.iter().zip(&points) {
                for (out, point) in row[draw.heat..].iter_mut().zip(points) {
                    // A vertex that no triangle uses is not drawn.
                    *out =
                        point.map_or(0.0, |point| apart.points[1][point].unwrap_or(f32::INFINITY));
                }
            }
            all.push(row);
        }
        let finite = worst.iter().map(|worst| worst.distance).filter(|x| x.is_finite());
        let largest = finite.fold(f64::MIN_POSITIVE, f64::max) as f32;
        let byte = |distance: &f32| (255.0 * (distance / largest).min(1.0)).round() as u8;
        let bytes: Vec<u8> = all.iter().flatten().map(byte).collect();
        let heat = bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
        Some(Self { worst, heat: heat.collect() })
    }
}

/// Returns the node with the largest weight on a vertex.
fn heaviest_node(model: &Model, motion: &SkinMotion, vertex: VertexPlace) -> usize {
    let mut heaviest = (vertex.node, 0.0);
    if let Some(point) = motion.point_of(vertex) {
        motion.for_each_mover(model, point, |node, weight| {
            if weight > heaviest.1 {
                heaviest = (node, weight);
            }
        });
    }
    heaviest.0
}

/// Returns the three rows of a matrix.
fn rows(matrix: &Affine3A) -> [f32; 12] {
    let [x, y, z, t] =
        [matrix.matrix3.x_axis, matrix.matrix3.y_axis, matrix.matrix3.z_axis, matrix.translation]
            .map(|column| column.to_array());
    [x[0], y[0], z[0], t[0], x[1], y[1], z[1], t[1], x[2], y[2], z[2], t[2]]
}

/// Returns the bits of a number of [`DIGITS`] binary digits.
fn rounded_bits(x: f32) -> u32 {
    let unused = f32::MANTISSA_DIGITS - DIGITS;
    let half = (1 << unused) >> 1;
    if x.is_finite() { x.to_bits().wrapping_add(half) & (u32::MAX << unused) } else { x.to_bits() }
}

/// Returns a script that hands a header and its lists to the page.
fn script(header: &impl Serialize, lists: &[&[u32]]) -> String {
    // Numbers and strings always serialise, and writing to memory can't fail.
    let header = serde_json::to_vec(header).unwrap_or_default();
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let _ = encoder.write_all(&(header.len() as u32).to_le_bytes());
    let _ = encoder.write_all(&header);
    for words in lists {
        let _ = encoder.write_all(bytemuck::cast_slice(words));
    }
    let data =
        base64::engine::general_purpose::STANDARD.encode(encoder.finish().unwrap_or_default());
    format!("rigview_motion(\"{data}\");\n")
}
