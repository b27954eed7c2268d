//! A plain ray cast of a posed scene: every triangle is projected to the picture, and a pixel's centre is tested
//! against each. It says when rounding could change the answer.

use rigview::glam::{DVec2, DVec3, Vec3};
use rigview::look::View;
use rigview::model::{Model, Stage, Topology};

use super::alpha::{Alpha, Surface};

/// Distance in pixels from an edge within which a pixel may be on either side: rasterisers round corners to 1/256
/// of a pixel.
const EDGE: f64 = 0.01;

/// Relative difference of depths, and of distances to corners, that rounding may reverse.
const TIE: f64 = 1e-4;

/// What is at a pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    Nothing,
    /// The nearest vertex of the nearest triangle, by the file's numbering.
    Vertex {
        node: usize,
        primitive: usize,
        vertex: u32,
    },
    /// Rounding could change the answer.
    Unsure,
}

/// The triangles of a scene in a picture.
pub struct Cast<'a> {
    model: &'a Model,
    triangles: Vec<Triangle>,
    whole: bool,
    fades: bool,
}

struct Triangle {
    node: usize,
    primitive: usize,
    /// Indices of the primitive's vertices.
    corners: [u32; 3],
    /// In the scene.
    places: [DVec3; 3],
    /// In the picture.
    pixels: [DVec2; 3],
    /// Distances in front of the camera.
    ahead: [f64; 3],
    /// Whether its front is seen.
    front: bool,
}

/// A triangle that may cover a pixel.
struct Candidate {
    ahead: f64,
    sure: bool,
    answer: Answer,
}

impl<'a> Cast<'a> {
    /// Projects all triangles. The whole scene must be in front of a perspective camera.
    pub fn new(model: &'a Model, stage: &Stage, view: &View, size: [u32; 2]) -> Self {
        let mut triangles = Vec::new();
        for &node in stage.nodes.iter().filter(|node| stage.visible[**node]) {
            let Some(mesh) = model.nodes[node].mesh else { continue };
            for (number, primitive) in model.meshes[mesh].primitives.iter().enumerate() {
                if primitive.mode.topology() != Topology::Triangles {
                    continue;
                }
                let skinned = model.nodes[node].skin.is_some() && primitive.influences.is_some();
                for (positions, mirrored) in posed(model, stage, node, number, skinned) {
                    for corners in primitive.indices.chunks_exact(3) {
                        let corners = [corners[0], corners[1], corners[2]];
                        let at = |i: u32| positions[i as usize].as_dvec3() + stage.origin;
                        let places = corners.map(at);
                        let pixels = places.map(|at| pixel_of(view, size, at));
                        let [a, b, c] = pixels;
                        // Y is down, so a front is clockwise.
                        let front = ((b - a).perp_dot(c - a) < 0.0) != mirrored;
                        let camera = view.world_from_camera.inverse();
                        let ahead = places.map(|at| -camera.transform_point3(at).z);
                        assert!(ahead.iter().all(|ahead| *ahead > 0.0), "behind the camera");
                        triangles.push(Triangle {
                            node,
                            primitive: number,
                            corners,
                            places,
                            pixels,
                            ahead,
                            front,
                        });
                    }
                }
            }
        }
        Self { model, triangles, whole: false, fades: true }
    }

    /// Shows both sides of every triangle, without alpha.
    pub fn show_whole(&mut self) {
        self.whole = true;
    }

    /// Shows blended surfaces without alpha too.
    pub fn do_not_fade(&mut self) {
        self.fades = false;
    }

    /// Returns the part of a picture that the triangles are in, with a margin: left, top, right, bottom.
    pub fn part_of(&self, [width, height]: [u32; 2]) -> [u32; 4] {
        let all = self.triangles.iter().flat_map(|triangle| triangle.pixels);
        let bounds = (DVec2::MAX, DVec2::MIN);
        let (least, most) = all.fold(bounds, |(least, most), p| (least.min(p), most.max(p)));
        let end = DVec2::new(width.into(), height.into()) - 1.0;
        let (least, most) = (least - 5.0, most + 5.0);
        let [least, most] = [least, most].map(|p| p.clamp(DVec2::ZERO, end).as_uvec2());
        [least.x, least.y, most.x, most.y]
    }

    /// Returns what the centre of a pixel shows.
    pub fn at(&self, [x, y]: [u32; 2]) -> Answer {
        let center = DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
        let candidates: Vec<Candidate> =
            self.triangles.iter().filter_map(|triangle| self.candidate(triangle, center)).collect();
        let sure = candidates.iter().filter(|c| c.sure);
        let Some(first) = sure.min_by(|a, b| a.ahead.total_cmp(&b.ahead)) else {
            return if candidates.is_empty() { Answer::Nothing } else { Answer::Unsure };
        };
        let rivals = candidates.iter().filter(|c| c.ahead <= first.ahead * (1.0 + TIE));
        let contested = rivals.into_iter().any(|c| c.answer != first.answer);
        if contested { Answer::Unsure } else { first.answer }
    }

    fn candidate(&self, triangle: &Triangle, center: DVec2) -> Option<Candidate> {
        let Triangle { node, primitive: number, corners, places, pixels, ahead, front } = triangle;
        let (least, most) = pixels
            .iter()
            .fold((DVec2::MAX, DVec2::MIN), |(least, most), p| (least.min(*p), most.max(*p)));
        let room = DVec2::splat(EDGE);
        if (center + room).cmplt(least).any() || (center - room).cmpgt(most).any() {
            return None;
        }
        let mesh = &self.model.meshes[self.model.nodes[*node].mesh?];
        let primitive = &mesh.primitives[*number];
        let material = primitive.material.map(|m| &self.model.materials[m]);
        if !(self.whole || *front || material.is_some_and(|m| m.double_sided)) {
            return None;
        }
        let [a, b, c] = *pixels;
        let area = (b - a).perp_dot(c - a);
        let twice = [(b, c), (c, a), (a, b)].map(|(from, to)| {
            let edge = (to - from).perp_dot(center - from) * area.signum();
            (edge, edge / (to - from).length())
        });
        let inside = twice.iter().map(|(_, pixels)| *pixels).fold(f64::INFINITY, f64::min);
        if inside.is_nan() || area == 0.0 || inside < -EDGE {
            return None;
        }
        // Linear in the picture are the reciprocals of distances.
        let weights = [0, 1, 2].map(|i| twice[i].0 / area.abs() / ahead[i]);
        let sum: f64 = weights.iter().sum();
        let shares = weights.map(|weight| weight / sum);
        let surface = Surface { model: self.model, primitive, corners: *corners };
        let slope = |by: DVec2| self.shares_at(triangle, center + by);
        let around = [slope(DVec2::X), slope(DVec2::Y)];
        let alpha = match self.whole {
            true => Alpha::Shown,
            false => surface.alpha(shares, around, self.fades),
        };
        if alpha == Alpha::Hidden {
            return None;
        }
        let place: DVec3 = (0..3).map(|i| shares[i] * places[i]).sum();
        let mut far = [0, 1, 2].map(|i| (places[i].distance(place), corners[i]));
        far.sort_by(|a, b| a.0.total_cmp(&b.0));
        let tie = far[1].0 - far[0].0 < TIE * far[2].0
            && primitive.index_in_file(far[0].1) != primitive.index_in_file(far[1].1);
        let vertex = primitive.index_in_file(far[0].1);
        let vertex = Answer::Vertex { node: *node, primitive: *number, vertex };
        Some(Candidate {
            ahead: 1.0 / sum,
            sure: inside > EDGE && alpha == Alpha::Shown,
            answer: if tie { Answer::Unsure } else { vertex },
        })
    }

    /// Returns the corners' shares in the place that a position of the picture shows.
    fn shares_at(&self, triangle: &Triangle, at: DVec2) -> [f64; 3] {
        let [a, b, c] = triangle.pixels;
        let twice = [(b, c), (c, a), (a, b)].map(|(from, to)| (to - from).perp_dot(at - from));
        let weights = [0, 1, 2].map(|i| twice[i] / triangle.ahead[i]);
        let sum: f64 = weights.iter().sum();
        weights.map(|weight| weight / sum)
    }
}

/// Returns where the picture shows a place of the scene.
pub fn pixel_of(view: &View, [width, height]: [u32; 2], place: DVec3) -> DVec2 {
    let aspect = f64::from(width) / f64::from(height);
    let to_picture = view.projection_matrix(aspect) * view.camera_from_world(DVec3::ZERO);
    let at = to_picture.project_point3(place);
    DVec2::new(0.5 + 0.5 * at.x, 0.5 - 0.5 * at.y) * DVec2::new(width.into(), height.into())
}

/// Returns the posed vertices of a primitive, once per instance, and whether they are mirrored.
fn posed(
    model: &Model,
    stage: &Stage,
    node: usize,
    primitive: usize,
    skinned: bool,
) -> Vec<(Vec<Vec3>, bool)> {
    let world = *stage.world.world_from_node(node);
    let instances = &model.nodes[node].instances;
    if skinned || instances.is_empty() {
        let mirrored = !skinned && world.matrix3.determinant() < 0.0;
        return vec![(stage.deformed(model, node, primitive).unwrap(), mirrored)];
    }
    let primitive = &model.meshes[model.nodes[node].mesh.unwrap()].primitives[primitive];
    assert!(primitive.targets.is_empty(), "instances with morph targets");
    let place = |matrix: rigview::glam::Affine3A| {
        let at = |v: &rigview::model::Vertex| matrix.transform_point3(v.position.into());
        (primitive.vertices.iter().map(at).collect(), matrix.matrix3.determinant() < 0.0)
    };
    instances.iter().map(|instance| place(world * *instance)).collect()
}
