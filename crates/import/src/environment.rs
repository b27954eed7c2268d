//! Environment lighting from a panorama: a cube map whose levels are prefiltered for rising
//! roughness, and the irradiance, both computed once when the file is loaded.
//!
//! Prefiltering follows Karis, "Real Shading in Unreal Engine 4" (2013). Less likely samples are
//! taken from smaller levels (Krivanek and Colbert, "Real-time Shading with Filtered Importance
//! Sampling", 2008), so that few samples give no noise.

use std::f32::consts::PI;
use std::path::Path;

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::fault::ImportError;
use super::panorama::Panorama;
use rigview_model::{Environment, escaped, face_direction, rgb9e5};

/// Edge of the first level in pixels.
const SIZE: usize = 512;

/// Number of levels. The last one, for alpha 1, is 8 pixels wide.
const LEVELS: usize = 7;

/// Samples per pixel of a prefiltered level.
const SAMPLES: usize = 48;

/// Reads an equirectangular Radiance (.hdr) or OpenEXR (.exr) image: +X is in its middle, +Y at its
/// top. Takes about half a second on two cores, whatever the size.
///
/// # Errors
/// When the file can't be read, has neither format, or has more than 2^26 pixels.
pub fn load_environment(path: &Path) -> Result<Environment, ImportError> {
    let panorama = Panorama::read(path)?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let read = from_panorama(escaped(&name), &panorama);
    Ok(Environment { path: Some(path.to_owned()), ..read })
}

fn from_panorama(name: String, panorama: &Panorama) -> Environment {
    let mut plain = vec![mirrored(panorama)];
    while plain[plain.len() - 1].size > 1 {
        plain.push(plain[plain.len() - 1].halved());
    }
    let mut levels = vec![plain[0].encoded()];
    for level in 1..LEVELS {
        let alpha = 0.5f32.powi((LEVELS - 1 - level) as i32);
        levels.push(gathered(&plain, SIZE >> level, alpha).encoded());
    }
    let irradiance = irradiance(&plain[3]);
    Environment { name, path: None, size: SIZE as u32, levels, irradiance }
}

/// A cube map, its faces in the order and orientation of [`face_direction`].
struct Cube {
    size: usize,
    texels: Vec<Vec3>,
}

impl Cube {
    fn new(size: usize, texel: impl Fn(Vec3) -> Vec3 + Sync) -> Self {
        let texels = (0..6 * size * size)
            .into_par_iter()
            .map(|i| {
                let CubePoint { face, u, v } = texel_center(size, i);
                texel(face_direction(face, u, v).normalize())
            })
            .collect();
        Self { size, texels }
    }

    fn halved(&self) -> Self {
        let size = self.size / 2;
        let average = |i: usize| {
            let (face, x, y) = (i / (size * size), 2 * (i % size), 2 * (i / size % size));
            let at = face * self.size * self.size + y * self.size + x;
            let row = |at: usize| self.texels[at] + self.texels[at + 1];
            0.25 * (row(at) + row(at + self.size))
        };
        Self { size, texels: (0..6 * size * size).into_par_iter().map(average).collect() }
    }

    /// Returns the colour in a direction, interpolated between the four nearest texels of the face.
    fn sample(&self, direction: Vec3) -> Vec3 {
        let CubePoint { face, u, v } = face_of(direction);
        let last = (self.size - 1) as f32;
        let at = (0.5 * (Vec2::new(u, v) + 1.0) * self.size as f32 - 0.5)
            .clamp(Vec2::ZERO, Vec2::splat(last));
        let (x, y) = (at.x as usize, at.y as usize);
        let (right, below) = ((x + 1).min(self.size - 1), (y + 1).min(self.size - 1));
        let texel = |x: usize, y: usize| self.texels[(face * self.size + y) * self.size + x];
        let t = at - at.floor();
        let row = |y: usize| texel(x, y).lerp(texel(right, y), t.x);
        row(y).lerp(row(below), t.y)
    }

    fn encoded(&self) -> Vec<u32> {
        self.texels.par_iter().map(|color| rgb9e5(*color)).collect()
    }
}

/// A point on a cube.
struct CubePoint {
    /// Index of the face.
    face: usize,
    /// Position on the face, -1 to 1.
    u: f32,
    v: f32,
}

/// The centre of texel `i` of a cube whose faces are `size` texels wide.
fn texel_center(size: usize, i: usize) -> CubePoint {
    let at = |n: usize| (2 * n + 1) as f32 / size as f32 - 1.0;
    CubePoint { face: i / (size * size), u: at(i % size), v: at(i / size % size) }
}

/// The inverse of [`face_direction`].
fn face_of(d: Vec3) -> CubePoint {
    let a = d.abs();
    let (face, u, v) = if a.x >= a.y && a.x >= a.z {
        if d.x > 0.0 { (0, -d.z / a.x, -d.y / a.x) } else { (1, d.z / a.x, -d.y / a.x) }
    } else if a.y >= a.z {
        if d.y > 0.0 { (2, d.x / a.y, d.z / a.y) } else { (3, d.x / a.y, -d.z / a.y) }
    } else if d.z > 0.0 {
        (4, d.x / a.z, -d.y / a.z)
    } else {
        (5, -d.x / a.z, -d.y / a.z)
    };
    CubePoint { face, u, v }
}

/// Projects a panorama onto a cube map.
fn mirrored(panorama: &Panorama) -> Cube {
    Cube::new(SIZE, |direction| panorama.sample(direction))
}

/// A sample of the lobe around +Z.
struct Sample {
    direction: Vec3,
    weight: f32,
    /// The cube map level to read.
    level: usize,
}

/// Prefilters a cube map with the GGX lobe of an alpha, viewed along the normal.
fn gathered(plain: &[Cube], size: usize, alpha: f32) -> Cube {
    let samples = lobe(alpha, plain.len());
    let all: f32 = samples.iter().map(|s| s.weight).sum();
    Cube::new(size, |normal| {
        let (tangent, bitangent) = normal.any_orthonormal_pair();
        let light = |s: &Sample| {
            let d = s.direction;
            s.weight * plain[s.level].sample(d.x * tangent + d.y * bitangent + d.z * normal)
        };
        samples.iter().map(light).sum::<Vec3>() / all
    })
}

fn lobe(alpha: f32, levels: usize) -> Vec<Sample> {
    let texel = 4.0 * PI / (6 * SIZE * SIZE) as f32;
    let of_half_vector = |i: usize| {
        let x = (i as f32 + 0.5) / SAMPLES as f32;
        let turn = 2.0 * PI * (i as u32).reverse_bits() as f32 / 2f32.powi(32);
        let cos2 = (1.0 - x) / (1.0 + (alpha * alpha - 1.0) * x);
        let (cos, sin) = (cos2.sqrt(), (1.0 - cos2).max(0.0).sqrt());
        // The view direction, +Z, reflected at the half vector.
        let direction =
            Vec3::new(2.0 * cos * sin * turn.cos(), 2.0 * cos * sin * turn.sin(), 2.0 * cos2 - 1.0);
        let d = cos2 * (alpha * alpha - 1.0) + 1.0;
        let density = alpha * alpha / (PI * d * d) / 4.0;
        let covered = 1.0 / (SAMPLES as f32 * density);
        let level = (0.5 * (covered / texel).log2() + 0.5).round().max(0.0) as usize;
        Sample { direction, weight: direction.z, level: level.min(levels - 1) }
    };
    (0..SAMPLES).map(of_half_vector).filter(|s| s.weight > 0.0).collect()
}

/// Computes the irradiance as spherical harmonics, premultiplied for evaluation: Ramamoorthi and
/// Hanrahan, "An Efficient Representation for Irradiance Environment Maps" (2001).
fn irradiance(cube: &Cube) -> [[f32; 3]; 9] {
    let mut sums = [Vec3::ZERO; 9];
    let mut whole = 0.0;
    for (i, light) in cube.texels.iter().enumerate() {
        let CubePoint { face, u, v } = texel_center(cube.size, i);
        let weight = (1.0 + u * u + v * v).powf(-1.5);
        let d = face_direction(face, u, v).normalize();
        whole += weight;
        for (sum, value) in sums.iter_mut().zip(harmonics(d)) {
            *sum += weight * value * *light;
        }
    }
    // The squared normalisation factors of the harmonics, times those of the cosine lobe over pi:
    // 1, 2/3 and 1/4.
    let factor = |i: usize| match i {
        0 => 0.282_095f32.powi(2),
        1..=3 => 0.488_603f32.powi(2) * 2.0 / 3.0,
        6 => 0.315_392f32.powi(2) / 4.0,
        8 => 0.546_274f32.powi(2) / 4.0,
        _ => 1.092_548f32.powi(2) / 4.0,
    };
    std::array::from_fn(|i| (4.0 * PI / whole * factor(i) * sums[i]).to_array())
}

fn harmonics(d: Vec3) -> [f32; 9] {
    let Vec3 { x, y, z } = d;
    [1.0, y, z, x, x * y, y * z, 3.0 * z * z - 1.0, x * z, x * x - y * y]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panorama(light: impl Fn(Vec3) -> Vec3) -> Panorama {
        let (width, height) = (256, 128);
        let pixels = (0..width * height)
            .map(|i| {
                let across = 2.0 * PI * ((i % width) as f32 + 0.5) / width as f32 - PI;
                let down = PI * ((i / width) as f32 + 0.5) / height as f32;
                let level = down.sin();
                light(Vec3::new(level * across.cos(), down.cos(), level * across.sin()))
            })
            .collect();
        Panorama { width, height, pixels }
    }

    fn diffuse(environment: &Environment, normal: Vec3) -> Vec3 {
        let sum = |(c, h): (&[f32; 3], f32)| h * Vec3::from(*c);
        environment.irradiance.iter().zip(harmonics(normal)).map(sum).sum()
    }

    fn decoded(bits: u32) -> Vec3 {
        let scale = 2f32.powi((bits >> 27) as i32 - 24);
        Vec3::from_array([0, 9, 18].map(|shift| (bits >> shift & 511) as f32 * scale))
    }

    #[test]
    fn the_same_from_everywhere_is_the_same_in_every_level() {
        let color = Vec3::new(0.25, 1.0, 3.0);
        let made = from_panorama("even".into(), &panorama(|_| color));
        for (i, level) in made.levels.iter().enumerate() {
            assert_eq!(level.len(), 6 * (SIZE >> i) * (SIZE >> i));
            for texel in level {
                assert!((decoded(*texel) - color).abs().max_element() < 0.01, "level {i}");
            }
        }
        for normal in [Vec3::X, Vec3::NEG_Y, Vec3::ONE.normalize()] {
            assert!((diffuse(&made, normal) - color).abs().max_element() < 1e-3);
        }
    }

    /// Light that falls with the cosine from above: its irradiance is known in closed form.
    #[test]
    fn a_bright_sky_lights_what_faces_it() {
        let made = from_panorama("sky".into(), &panorama(|d| Vec3::splat(1.0 + d.y)));
        // 1 + 2/3 y, over pi.
        for (normal, expected) in [(Vec3::Y, 5.0 / 3.0), (Vec3::NEG_Y, 1.0 / 3.0), (Vec3::X, 1.0)] {
            let light = diffuse(&made, normal).x;
            assert!((light - expected).abs() < 5e-3, "{normal}: {light}");
        }
    }

    #[test]
    fn every_face_shows_its_own_side() {
        let made = from_panorama("axes".into(), &panorama(|d| d.max(Vec3::ZERO)));
        let middle = |face: usize| {
            let at = face * SIZE * SIZE + SIZE * SIZE / 2 + SIZE / 2;
            decoded(made.levels[0][at])
        };
        let axes = [Vec3::X, Vec3::ZERO, Vec3::Y, Vec3::ZERO, Vec3::Z, Vec3::ZERO];
        for (face, color) in axes.into_iter().enumerate() {
            assert!((middle(face) - color).abs().max_element() < 0.02, "face {face}");
        }
    }

    #[test]
    fn texels_are_found_where_they_were_put() {
        for i in (0..6 * 64 * 64).step_by(37) {
            let CubePoint { face, u, v } = texel_center(64, i);
            let again = face_of(face_direction(face, u, v).normalize());
            assert_eq!(face, again.face);
            assert!((u - again.u).abs() + (v - again.v).abs() < 1e-5);
        }
    }
}
