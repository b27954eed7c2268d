//! A generated `.gltf` file with one mesh, one material and at most one texture, all embedded.

use serde_json::{Value, json};
use std::path::Path;

use super::{accessor, data_uri, floats};

/// A square two metres wide that faces +Z, or a ball of one metre's radius.
pub struct Shape {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    indices: Vec<u32>,
    left_out: Vec<&'static str>,
    mode: u32,
    material: Value,
    /// The texture's file, or `None` for no texture.
    picture: Option<Vec<u8>>,
}

impl Shape {
    /// Returns the square.
    pub fn square() -> Self {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0f32]];
        Self {
            positions: corners.map(|[x, y]| [x, y, 0.0]).into(),
            normals: vec![[0.0, 0.0, 1.0]; 4],
            uvs: corners.map(|[x, y]| [0.5 + 0.5 * x, 0.5 - 0.5 * y]).into(),
            indices: vec![0, 1, 2, 0, 2, 3],
            left_out: Vec::new(),
            mode: 4,
            material: json!({}),
            picture: None,
        }
    }

    /// Returns the ball.
    pub fn ball() -> Self {
        let (rows, columns) = (48, 64);
        let mut ball = Self { positions: Vec::new(), uvs: Vec::new(), ..Self::square() };
        for row in 0..=rows {
            for column in 0..=columns {
                let [u, v] = [column as f32 / columns as f32, row as f32 / rows as f32];
                let (sin_a, cos_a) = (std::f32::consts::TAU * u).sin_cos();
                let (sin_b, cos_b) = (std::f32::consts::PI * v).sin_cos();
                ball.positions.push([cos_a * sin_b, cos_b, -sin_a * sin_b]);
                ball.uvs.push([u, v]);
            }
        }
        ball.normals = ball.positions.clone();
        let corner = |row: u32, column: u32| row * (columns + 1) + column;
        ball.indices = (0..rows)
            .flat_map(|row| (0..columns).map(move |column| (row, column)))
            .flat_map(|(row, column)| {
                let [a, b] = [corner(row, column), corner(row + 1, column)];
                [a, b, b + 1, a, b + 1, a + 1]
            })
            .collect();
        ball
    }

    /// Removes an attribute.
    pub fn without(mut self, attribute: &'static str) -> Self {
        self.left_out.push(attribute);
        self
    }

    /// Replaces every triangle by a line between its first two corners.
    pub fn lines(mut self) -> Self {
        self.indices = self.indices.chunks(3).flat_map(|t| [t[0], t[1]]).collect();
        self.mode = 1;
        self
    }

    /// Sets the material.
    pub fn material(mut self, material: Value) -> Self {
        self.material = material;
        self
    }

    /// Sets texture 0 to one pixel.
    pub fn texture(self, pixel: [u8; 4]) -> Self {
        self.sized_texture(1, pixel)
    }

    /// Sets texture 0 to one colour, with this many pixels per side.
    pub fn sized_texture(self, side: u32, pixel: [u8; 4]) -> Self {
        self.wide_texture(side, side, pixel)
    }

    /// Sets texture 0 to one colour, with this width and height in pixels.
    pub fn wide_texture(mut self, width: u32, height: u32, pixel: [u8; 4]) -> Self {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgba);
        let pixels = pixel.repeat((width * height) as usize);
        encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
        self.picture = Some(bytes);
        self
    }

    /// Sets texture 0 to an image that can't be read.
    pub fn missing_texture(self) -> Self {
        self.picture(b"no picture")
    }

    /// Sets texture 0 to this file.
    pub fn picture(mut self, file: &[u8]) -> Self {
        self.picture = Some(file.to_vec());
        self
    }

    /// Returns the file.
    pub fn gltf(&self) -> Vec<u8> {
        let lists: [(&str, &str, &[u8], usize); 4] = [
            ("POSITION", "VEC3", bytemuck::cast_slice(&self.positions), self.positions.len()),
            ("NORMAL", "VEC3", bytemuck::cast_slice(&self.normals), self.normals.len()),
            ("TEXCOORD_0", "VEC2", bytemuck::cast_slice(&self.uvs), self.uvs.len()),
            ("", "SCALAR", bytemuck::cast_slice(&self.indices), self.indices.len()),
        ];
        let (mut bytes, mut views, mut accessors) = (Vec::new(), Vec::new(), Vec::new());
        let mut attributes = json!({});
        for (i, (name, shape, list, count)) in lists.into_iter().enumerate() {
            views.push(json!({"buffer": 0, "byteOffset": bytes.len(), "byteLength": list.len()}));
            let kind = if name.is_empty() { 5125 } else { 5126 };
            accessors.push(json!({"bufferView": i, "componentType": kind, "count": count,
                "type": shape}));
            if name == "POSITION" {
                (accessors[i]["min"], accessors[i]["max"]) = self.extent();
            }
            if !name.is_empty() && !self.left_out.contains(&name) {
                attributes[name] = json!(i);
            }
            bytes.extend(list);
        }
        let mut file = json!({
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": attributes, "indices": 3, "material": 0, "mode": self.mode}]}],
            "materials": [self.material],
            "accessors": accessors,
            "bufferViews": views,
            "buffers": [{"byteLength": bytes.len(), "uri": data_uri(&bytes)}],
        });
        if let Some(used) = self.material["extensions"].as_object().filter(|used| !used.is_empty())
        {
            file["extensionsUsed"] = used.keys().cloned().collect();
        }
        if let Some(picture) = &self.picture {
            file["images"] = json!([{"uri": data_uri(picture)}]);
            file["textures"] = json!([{"source": 0}]);
        }
        file.to_string().into_bytes()
    }

    /// Writes the shape, and returns the arguments that draw it on a picture of this name.
    pub fn arguments(&self, folder: &Path, name: &str, args: &[&str]) -> Vec<String> {
        let [file, out] = ["gltf", "png"].map(|ending| folder.join(format!("{name}.{ending}")));
        std::fs::write(&file, self.gltf()).unwrap();
        let paths = [file.to_str().unwrap(), "-o", out.to_str().unwrap()];
        let view =
            ["--size", "200x200", "--orbit", "0,0", "--orthographic", "4", "--lights", "none"];
        [&paths[..], &view, args].concat().into_iter().map(str::to_owned).collect()
    }

    fn extent(&self) -> (Value, Value) {
        let fold = |of: fn(f32, f32) -> f32| {
            let start = self.positions[0];
            let all = self.positions.iter();
            all.fold(start, |a, b| [of(a[0], b[0]), of(a[1], b[1]), of(a[2], b[2])])
        };
        (json!(fold(f32::min)), json!(fold(f32::max)))
    }
}

/// Gives all vertices of a generated file these joints and each its weights. Nodes and skins are the caller's.
pub fn put_weights(file: &mut Value, joints: [u8; 4], weights: &[[f32; 4]]) {
    let count = weights.len();
    let at = accessor(file, 5121, "VEC4", count, &joints.repeat(count));
    let weights = floats(file, "VEC4", weights.as_flattened());
    let attributes = &mut file["meshes"][0]["primitives"][0]["attributes"];
    (attributes["JOINTS_0"], attributes["WEIGHTS_0"]) = (json!(at), json!(weights));
}
