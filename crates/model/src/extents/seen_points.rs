//! The outermost points of a primitive that a texture's alpha leaves visible, for framing by a camera.

use super::joint_hulls::JointHulls;
use glam::{Affine2, Vec2, Vec3};

use super::bounds::SeenPoint;
use super::hull::{FineHull, Hull};
use crate::texture::Wrap;
use crate::{AlphaMode, Image, Material, Model, Pixels, Primitive, TextureSlot, Topology};

/// Cells of a grid of alpha along each side.
const CELLS: usize = 64;

/// Alpha from which a blended surface counts as seen: less than 3 of 255 levels.
const FAINT: f32 = 0.01;

/// Upper limit of tested points between vertices per primitive, which bounds the time; of further triangles only the
/// corners are tested.
const MOST_POINTS: usize = 200_000;

impl Model {
    /// Finds the outermost visible points of all primitives that a texture's alpha cuts. Needs decoded images.
    pub fn find_seen_points(&mut self) {
        let Self { meshes, materials, textures, images, .. } = self;
        let image_of = |material: &Material| {
            let used = material.textures[TextureSlot::BaseColor]?;
            let texture = textures.get(used.texture)?;
            Some((texture.sampler, images.get(texture.image?)?))
        };
        let cuts: Vec<Option<Cut>> = materials.iter().map(|m| Cut::new(m, image_of)).collect();
        let primitives = meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives);
        for primitive in primitives.filter(|p| p.mode.topology() == Topology::Triangles) {
            // A material without such a texture shows the whole primitive.
            let all = primitive.materials().map(|material| cuts.get(material)?.as_ref());
            let own = all.collect::<Option<Vec<&Cut>>>().filter(|_| primitive.material.is_some());
            primitive.bounds.seen = own.map(|cuts| outermost(primitive, &cuts));
        }
    }
}

/// The alpha of a material's texture.
struct Cut {
    /// Whether anything is seen in each cell, row by row.
    visible: Vec<bool>,
    /// Cells across and down.
    cells: [usize; 2],
    wraps: [Wrap; 2],
    /// From texture coordinates of a set to those of the texture.
    uv_set: usize,
    from_uv: Affine2,
}

impl Cut {
    /// Returns the cut of a material; `None` if its texture hides nothing, or its pixels are not known.
    fn new<'a>(
        material: &Material,
        image_of: impl Fn(&Material) -> Option<(crate::TextureSampler, &'a Image)>,
    ) -> Option<Self> {
        let factor = match material.base_color[3] {
            // Something else than the texture hides the surface, or a clip shows it.
            alpha if alpha <= 0.0 => 1.0,
            alpha => alpha,
        };
        let least = match material.alpha_mode {
            AlphaMode::Opaque => return None,
            AlphaMode::Mask { cutoff } => cutoff,
            AlphaMode::Blend => FAINT,
        };
        let (sampler, image) = image_of(material)?;
        let Pixels::Rgba8(rgba) = &image.pixels else { return None };
        let [width, height] = [image.width, image.height].map(|edge| edge as usize);
        if width == 0 || height == 0 || rgba.len() < 4 * width * height {
            return None;
        }
        let least = (255.0 * least / factor).ceil().clamp(0.0, 256.0) as u16;
        let is_seen = |texel: &[u8; 4]| u16::from(texel[3]) >= least;
        let (texels, _) = rgba.as_chunks::<4>();
        if texels.iter().all(is_seen) {
            return None;
        }
        let cells = [width.min(CELLS), height.min(CELLS)];
        let mut visible = vec![false; cells[0] * cells[1]];
        for (y, row) in texels.chunks_exact(width).enumerate().take(height) {
            let start = y * cells[1] / height * cells[0];
            for (x, visible) in visible[start..start + cells[0]].iter_mut().enumerate() {
                let (first, end) = (x * width / cells[0], (x + 1) * width / cells[0]);
                *visible |= row[first..end].iter().any(is_seen);
            }
        }
        let used = material.textures[TextureSlot::BaseColor]?;
        let wraps = [sampler.wrap_u, sampler.wrap_v];
        let (uv_set, from_uv) = (used.uv_set.min(1) as usize, used.transform.matrix());
        Some(Self { visible, cells, wraps, uv_set, from_uv })
    }

    /// Returns the place of a vertex in the texture, in cells.
    fn cell_position(&self, primitive: &Primitive, vertex: u32) -> Vec2 {
        let uv = Vec2::from(primitive.vertices[vertex as usize].uv[self.uv_set]);
        let at = self.from_uv.transform_point2(uv).clamp(Vec2::splat(-1e6), Vec2::splat(1e6));
        at * Vec2::new(self.cells[0] as f32, self.cells[1] as f32)
    }

    /// Returns the cell along an axis at a place that may be outside of the texture.
    fn wrapped(&self, axis: usize, cell: i64) -> usize {
        let count = self.cells[axis] as i64;
        let cell = match self.wraps[axis] {
            Wrap::Repeat => cell.rem_euclid(count),
            Wrap::MirroredRepeat => match cell.rem_euclid(2 * count) {
                cell if cell < count => cell,
                cell => 2 * count - 1 - cell,
            },
            Wrap::ClampToEdge => cell.clamp(0, count - 1),
        };
        cell as usize
    }

    /// Whether anything is seen in a cell.
    fn shows(&self, [x, y]: [i64; 2]) -> bool {
        self.visible[self.wrapped(1, y) * self.cells[0] + self.wrapped(0, x)]
    }

    /// Whether anything is seen in a rectangle.
    fn shows_between(&self, low: Vec2, high: Vec2) -> bool {
        let [across, down] = [0, 1].map(|axis| {
            let first = low[axis].floor() as i64;
            let most = first + 2 * self.cells[axis] as i64;
            first..=(high[axis].floor() as i64).min(most)
        });
        down.into_iter().any(|y| across.clone().any(|x| self.shows([x, y])))
    }
}

/// Returns the outermost visible points of triangles that all of these materials cut, at rest and with one morph target
/// at a time.
fn outermost(primitive: &Primitive, cuts: &[&Cut]) -> Vec<SeenPoint> {
    let mut hulls = Hulls::default();
    let mut left = MOST_POINTS;
    let mut taken = vec![false; primitive.vertices.len()];
    for triangle in primitive.indices.as_chunks::<3>().0 {
        for cut in cuts {
            let places = triangle.map(|vertex| cut.cell_position(primitive, vertex));
            let low = places[0].min(places[1]).min(places[2]);
            let high = places[0].max(places[1]).max(places[2]);
            if !cut.shows_between(low, high) {
                continue;
            }
            let divisions = (2.0 * (high - low).max_element()).ceil() as usize;
            let points = (divisions + 1) * (divisions + 2) / 2;
            if divisions <= 2 || points > left {
                for &vertex in triangle {
                    if !std::mem::replace(&mut taken[vertex as usize], true) {
                        hulls.add(primitive, [vertex; 3], [1.0, 0.0, 0.0]);
                    }
                }
                continue;
            }
            left -= points;
            for i in 0..=divisions {
                for j in 0..=divisions - i {
                    let [a, b] = [i, j].map(|part| part as f32 / divisions as f32);
                    let shares = [a, b, 1.0 - a - b];
                    let at: Vec2 = places.iter().zip(shares).map(|(at, share)| share * *at).sum();
                    // Points lie half a cell apart.
                    if cut.shows_between(at - 0.25, at + 0.25) {
                        hulls.add(primitive, *triangle, shares);
                    }
                }
            }
        }
    }
    hulls.finish()
}

/// The outermost points of those that each joint moves most; of a rigid primitive, of all.
#[derive(Default)]
struct Hulls {
    rigid: FineHull<SeenPoint>,
    by_joint: JointHulls<Hull<SeenPoint>>,
}

impl Hulls {
    fn add(&mut self, primitive: &Primitive, corners: [u32; 3], shares: [f32; 3]) {
        let point = SeenPoint { corners, shares };
        let rest =
            point.interpolate(|vertex| Vec3::from(primitive.vertices[vertex as usize].position));
        let deltas = primitive.targets.iter().map(|target| {
            let delta = |vertex: u32| target.positions.get(vertex as usize).copied();
            point.interpolate(|vertex| Vec3::from(delta(vertex).unwrap_or_default()))
        });
        let moved = deltas.filter(|delta| *delta != Vec3::ZERO).map(|delta| rest + delta);
        let places = std::iter::once(rest).chain(moved);
        match primitive.leading_joint(corners[0]) {
            None => places.for_each(|at| self.rigid.add(at, point)),
            Some(joint) => {
                let hull = self.by_joint.hull_mut(usize::from(joint));
                places.for_each(|at| hull.add(at, point));
            }
        }
    }

    fn finish(self) -> Vec<SeenPoint> {
        let mut points: Vec<SeenPoint> = self.rigid.furthest().collect();
        points.extend(self.by_joint.iter().flat_map(Hull::furthest));
        points.sort_by(|a, b| {
            let shares = a.shares.iter().zip(b.shares).map(|(a, b)| a.total_cmp(&b));
            shares.fold(a.corners.cmp(&b.corners), std::cmp::Ordering::then)
        });
        points.dedup();
        points
    }
}
