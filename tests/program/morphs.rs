//! Morph targets of every attribute, with values worked out by hand.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{accessor, floats, rigview};

/// A square two metres wide that faces +Z, with the attributes and morph targets of its only primitive.
struct Morphed {
    json: Value,
    attributes: Value,
    targets: Vec<Value>,
}

/// Repeats an entry for all four vertices.
const ALL: usize = 4;

impl Morphed {
    fn new() -> Self {
        let mut json = json!({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0}],
            "materials": [{"doubleSided": true}],
        });
        let corners = [-1., -1., 0., 1., -1., 0., 1., 1., 0., -1., 1., 0.];
        let attributes = json!({"POSITION": floats(&mut json, "VEC3", &corners)});
        Self { json, attributes, targets: Vec::new() }
    }

    fn even(&mut self, value: &[f32]) -> usize {
        let shape = format!("VEC{}", value.len());
        floats(&mut self.json, &shape, &value.repeat(ALL))
    }

    fn base(mut self, name: &str, value: &[f32]) -> Self {
        self.attributes[name] = json!(self.even(value));
        self
    }

    fn target(mut self, deltas: &[(&str, &[f32])]) -> Self {
        let mut target = json!({});
        for (name, value) in deltas {
            target[*name] = json!(self.even(value));
        }
        self.targets.push(target);
        self
    }

    fn gltf(mut self, weights: &[f32]) -> Vec<u8> {
        let indices = accessor(&mut self.json, 5121, "SCALAR", 6, &[0, 1, 2, 0, 2, 3]);
        let primitive = json!({"attributes": self.attributes, "indices": indices,
            "material": 0, "targets": self.targets});
        self.json["meshes"] = json!([{"primitives": [primitive], "weights": weights}]);
        self.json.to_string().into_bytes()
    }
}

/// Returns the colour in the picture's middle in a pass, and standard error.
fn middle(folder: &Path, gltf: &[u8], pass: &str) -> ([u8; 3], String) {
    let (file, out) = (folder.join("morphed.gltf"), folder.join("morphed.png"));
    std::fs::write(&file, gltf).unwrap();
    let (file, out) = (file.to_str().unwrap(), out.to_str().unwrap());
    let args = "--size 64x64 --eye 0,0,5 --target 0,0,0 --up 0,1,0 --fov-y 40 --near 1 --far 9";
    let args = ["screenshot", file, "-o", out, "--pass", pass].into_iter().chain(args.split(' '));
    let run = rigview(args).done();
    (image::open(out).unwrap().to_rgb8().get_pixel(32, 32).0, run.stderr)
}

#[track_caller]
fn assert_near(found: [u8; 3], want: [u8; 3], what: &str) {
    let off = found.iter().zip(want).map(|(a, b)| a.abs_diff(b)).max();
    assert!(off <= Some(1), "{what}: {found:?}, not {want:?}");
}

/// Two targets with different attributes, so that a mix-up of their deltas shows.
#[test]
fn targets_change_normals_tangents_coordinates_and_colours() {
    let folder = tempfile::tempdir().unwrap();
    let square = Morphed::new()
        .base("NORMAL", &[0.0, 0.0, 1.0])
        .base("TANGENT", &[1.0, 0.0, 0.0, 1.0])
        .base("TEXCOORD_0", &[0.25, 0.5])
        .base("COLOR_0", &[1.0, 0.5, 0.25])
        .target(&[("NORMAL", &[2.0, 0.0, 0.0]), ("COLOR_0", &[-1.0, 0.5, 0.0])])
        .target(&[("TANGENT", &[-1.0, 2.0, 0.0]), ("TEXCOORD_0", &[0.5, -0.5])]);
    let gltf = square.gltf(&[0.5, 0.5]);
    // (1, 0, 1) and (0.5, 1, 0), normalised; the tangent is made orthogonal to the normal.
    let diagonal = (127.5 + 127.5 * 0.5f32.sqrt()) as u8;
    let (normal, said) = middle(folder.path(), &gltf, "normal");
    assert_eq!(said, "");
    assert_near(normal, [diagonal, 128, diagonal], "normal");
    let tangent = [0.25f32, 1.0, -0.25];
    let length = tangent.iter().map(|x| x * x).sum::<f32>().sqrt();
    let tangent = tangent.map(|x| (127.5 + 127.5 * x / length).round() as u8);
    assert_near(middle(folder.path(), &gltf, "tangent").0, tangent, "tangent");
    assert_near(middle(folder.path(), &gltf, "uv").0, [128, 64, 0], "uv");
    // Linear (0.5, 0.75, 0.25) in sRGB.
    assert_near(middle(folder.path(), &gltf, "albedo").0, [188, 225, 137], "albedo");
}

/// glTF 2.0: "After applying color deltas, all components [...] MUST be clamped."
#[test]
fn colours_stay_colours() {
    let folder = tempfile::tempdir().unwrap();
    let square = Morphed::new()
        .base("COLOR_0", &[1.0, 0.5, 0.25, 1.0])
        .target(&[("COLOR_0", &[9.0, 9.0, 0.0, 0.0])])
        .target(&[("COLOR_0", &[-1.0, 0.0, -1.0, 0.0])]);
    // The sums are 1 + 9 - 9, 0.5 + 9 and 0.25 - 9. They are clamped after the last addition, not in between.
    let (albedo, _) = middle(folder.path(), &square.gltf(&[1.0, 9.0]), "albedo");
    assert_near(albedo, [255, 255, 0], "albedo");
}

/// The second set of texture coordinates is moved by its own deltas.
#[test]
fn each_set_of_coordinates_has_its_deltas() {
    let folder = tempfile::tempdir().unwrap();
    for (set, want) in [("TEXCOORD_0", [191, 128, 0]), ("TEXCOORD_1", [128, 128, 0])] {
        let square = Morphed::new()
            .base("TEXCOORD_0", &[0.5, 0.5])
            .base("TEXCOORD_1", &[0.5, 0.5])
            .target(&[(set, &[0.25, 0.0])]);
        assert_near(middle(folder.path(), &square.gltf(&[1.0]), "uv").0, want, set);
    }
}

/// A target may only change attributes that the primitive has, and tangents need normals.
#[test]
fn deltas_of_what_is_not_there_are_left_out_with_a_word() {
    let folder = tempfile::tempdir().unwrap();
    for (name, delta) in
        [("COLOR_0", &[-1.0, 0.0, 0.0][..]), ("TEXCOORD_0", &[0.5, 0.5]), ("TANGENT", &[1.0; 3])]
    {
        let square = Morphed::new().target(&[(name, delta)]);
        let (albedo, said) = middle(folder.path(), &square.gltf(&[1.0]), "albedo");
        assert_eq!(albedo, [255; 3]);
        assert!(said.contains(&format!("{name} is left out")), "{said}");
    }
}

/// With hundreds of targets, each weight selects its own target.
#[test]
fn hundreds_of_targets_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let mut square = Morphed::new().base("COLOR_0", &[0.0, 0.0, 0.0]);
    for i in 0..400 {
        let green = if i == 17 { 1.0 } else { 0.0 };
        let red = if i == 399 { 1.0 } else { 0.0 };
        square = square.target(&[("COLOR_0", &[red, green, 0.1])]);
    }
    let mut weights = [0.0; 400];
    (weights[17], weights[399]) = (0.25, 0.5);
    let (albedo, _) = middle(folder.path(), &square.gltf(&weights), "albedo");
    assert_near(albedo, [188, 137, 77], "albedo");
}

/// Thousands of targets with small weights are all summed.
#[test]
fn thousands_of_targets_count_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut square = Morphed::new().base("COLOR_0", &[0.0, 0.0, 0.0]);
    for i in 0..2000 {
        let [green, blue] = [i % 2 == 0, i < 400].map(|there| f32::from(u8::from(there)));
        square = square.target(&[("COLOR_0", &[1.0, green, blue])]);
    }
    let weights = [0.5 / 2000.0; 2000];
    let (albedo, said) = middle(folder.path(), &square.gltf(&weights), "albedo");
    assert_near(albedo, [188, 137, 89], "albedo");
    assert_eq!(said, "");
}
