//! Writes small FBX files as text, version 7.4.

use std::fmt::Write;

/// Ticks per second.
const SECOND: f64 = 46_186_158_000.0;

/// A bone, its place when it was bound, and the weights of vertices.
type Cluster<'a> = (u64, [f64; 3], &'a [(u32, f64)]);

/// A file in the making.
pub struct Fbx {
    settings: String,
    objects: String,
    connections: String,
    next: u64,
    /// The last take.
    stack: u64,
}

/// How a curve goes from key to key.
#[derive(Clone, Copy)]
pub enum Curve {
    /// The value of the key before.
    Constant,
    /// A straight line from key to key.
    Linear,
    /// With flat tangents.
    Cubic,
    /// Cubic, with tangents that are as steep as the line between the neighbours.
    Smooth,
}

fn list(name: &str, numbers: &[f64]) -> String {
    let text: Vec<_> = numbers.iter().map(f64::to_string).collect();
    format!("{name}: *{} {{\na: {}\n}}\n", numbers.len(), text.join(","))
}

impl Fbx {
    /// A file in centimetres, Y up.
    pub fn new() -> Self {
        Self {
            settings: String::new(),
            objects: String::new(),
            connections: String::new(),
            next: 100,
            stack: 0,
        }
    }

    /// Adds a global setting: `"UpAxis", "int", "Integer", "",2`.
    pub fn setting(mut self, property: &str) -> Self {
        writeln!(self.settings, "P: {property}").unwrap();
        self
    }

    /// Adds an object with its content, and returns its ID.
    pub fn object(&mut self, kind: &str, name: &str, class: &str, content: &str) -> u64 {
        self.next += 1;
        let id = self.next;
        writeln!(self.objects, "{kind}: {id}, \"{name}\", \"{class}\" {{\n{content}\n}}").unwrap();
        id
    }

    /// Connects an object to another; 0 is the scene.
    pub fn connect(&mut self, child: u64, parent: u64) {
        writeln!(self.connections, "C: \"OO\",{child},{parent}").unwrap();
    }

    /// Connects an object to a property of another.
    pub fn connect_property(&mut self, child: u64, parent: u64, property: &str) {
        writeln!(self.connections, "C: \"OP\",{child},{parent}, \"{property}\"").unwrap();
    }

    /// Adds a node with properties, one per line without their `P: `.
    pub fn node(&mut self, name: &str, class: &str, parent: u64, properties: &[&str]) -> u64 {
        let properties: String = properties.iter().map(|p| format!("P: {p}\n")).collect();
        let content = format!("Version: 232\nProperties70:  {{\n{properties}}}");
        let id = self.object("Model", &format!("Model::{name}"), class, &content);
        self.connect(id, parent);
        id
    }

    /// Adds a mesh of one polygon below a node.
    pub fn polygon(&mut self, node: u64, points: &[[f64; 3]]) -> u64 {
        let last = points.len() - 1;
        let corners: Vec<f64> =
            (0..points.len()).map(|i| if i == last { -1.0 - i as f64 } else { i as f64 }).collect();
        let content = format!(
            "{}{}GeometryVersion: 124",
            list("Vertices", points.as_flattened()),
            list("PolygonVertexIndex", &corners),
        );
        let id = self.object("Geometry", "Geometry::", "Mesh", &content);
        self.connect(id, node);
        id
    }

    /// Adds a take from `begin` to `end` in seconds, and returns its layer.
    pub fn take(&mut self, name: &str, begin: f64, end: f64) -> u64 {
        let time = |name: &str, secs: f64| {
            format!("P: \"{name}\", \"KTime\", \"Time\", \"\",{}\n", (secs * SECOND).round())
        };
        let span = time("LocalStart", begin) + &time("LocalStop", end);
        let content = format!("Properties70:  {{\n{span}}}");
        self.stack = self.object("AnimationStack", &format!("AnimStack::{name}"), "", &content);
        self.layer("BaseLayer", "")
    }

    /// Adds a layer to the last take, above those that it has, with a property: `"Mute", "bool", "", "",1`.
    pub fn layer(&mut self, name: &str, property: &str) -> u64 {
        let content = match property {
            "" => String::new(),
            property => format!("Properties70:  {{\nP: {property}\n}}"),
        };
        let layer = self.object("AnimationLayer", &format!("AnimLayer::{name}"), "", &content);
        self.connect(layer, self.stack);
        layer
    }

    /// Animates one component of a property: `"Lcl Rotation"` and `"d|X"`.
    pub fn animate(
        &mut self,
        layer: u64,
        object: u64,
        [property, component]: [&str; 2],
        how: Curve,
        keys: &[[f64; 2]],
    ) {
        self.animate_all(layer, object, property, &[(component, how)], keys);
    }

    /// Animates several components of a property with the same keys.
    pub fn animate_all(
        &mut self,
        layer: u64,
        object: u64,
        property: &str,
        components: &[(&str, Curve)],
        keys: &[[f64; 2]],
    ) {
        let node = self.animated(layer, object, property, "");
        for (component, how) in components {
            self.curve(node, component, *how, keys);
        }
    }

    /// Lets a layer animate a property, whose values without curves are properties, one per line.
    pub fn animated(&mut self, layer: u64, object: u64, property: &str, values: &str) -> u64 {
        let content = match values {
            "" => String::new(),
            values => format!("Properties70:  {{\n{values}\n}}"),
        };
        let node = self.object("AnimationCurveNode", "AnimCurveNode::", "", &content);
        self.connect(node, layer);
        self.connect_property(node, object, property);
        node
    }

    /// Adds a curve to a component of an animated property.
    pub fn curve(&mut self, animated: u64, component: &str, how: Curve, keys: &[[f64; 2]]) {
        let times: Vec<f64> = keys.iter().map(|key| (key[0] * SECOND).round()).collect();
        let values: Vec<f64> = keys.iter().map(|key| key[1]).collect();
        let flags = match how {
            Curve::Constant => 2.0,
            Curve::Linear => 4.0,
            Curve::Cubic => 1032.0,
            Curve::Smooth => 264.0,
        };
        let content = format!(
            "Default: 0\nKeyVer: 4008\n{}{}{}{}{}",
            list("KeyTime", &times),
            list("KeyValueFloat", &values),
            list("KeyAttrFlags", &[flags]),
            list("KeyAttrDataFloat", &[0.0, 0.0, 0.0, 0.0]),
            list("KeyAttrRefCount", &[keys.len() as f64]),
        );
        let curve = self.object("AnimationCurve", "AnimCurve::", "", &content);
        self.connect_property(curve, animated, component);
    }

    /// Adds a blend shape that moves points, with a channel of these shapes at full weights in percent.
    pub fn channel(&mut self, geometry: u64, name: &str, shapes: &[(f64, u32, [f64; 3])]) -> u64 {
        let deformer = self.object("Deformer", "Deformer::", "BlendShape", "Version: 100");
        self.connect(deformer, geometry);
        let full: Vec<f64> = shapes.iter().map(|shape| shape.0).collect();
        let content = format!("Version: 100\nDeformPercent: 0\n{}", list("FullWeights", &full));
        let channel = format!("SubDeformer::{name}");
        let channel = self.object("Deformer", &channel, "BlendShapeChannel", &content);
        self.connect(channel, deformer);
        for (_, point, offset) in shapes {
            let content = format!(
                "Version: 100\n{}{}",
                list("Indexes", &[f64::from(*point)]),
                list("Vertices", offset),
            );
            let shape = self.object("Geometry", "Geometry::shape", "Shape", &content);
            self.connect(shape, channel);
        }
        channel
    }

    /// Adds a skin whose clusters hold points with weights, each bound by a translation of the bone.
    pub fn skin(&mut self, geometry: u64, clusters: &[Cluster]) {
        let skin = self.object("Deformer", "Deformer::", "Skin", "Version: 101");
        self.connect(skin, geometry);
        for (bone, at, weights) in clusters {
            let matrix = |at: [f64; 3]| {
                let [x, y, z] = at;
                [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., x, y, z, 1.]
            };
            let indices: Vec<f64> = weights.iter().map(|w| f64::from(w.0)).collect();
            let values: Vec<f64> = weights.iter().map(|w| w.1).collect();
            let content = format!(
                "Version: 100\n{}{}{}{}",
                list("Indexes", &indices),
                list("Weights", &values),
                list("Transform", &matrix(at.map(|x| -x))),
                list("TransformLink", &matrix(*at)),
            );
            let cluster = self.object("Deformer", "SubDeformer::", "Cluster", &content);
            self.connect(cluster, skin);
            self.connect(*bone, cluster);
        }
    }

    /// Returns the file's text.
    pub fn text(&self) -> String {
        format!(
            "; FBX 7.4.0 project file\nFBXHeaderExtension:  {{\nFBXHeaderVersion: 1003\nFBXVersion: 7400\n}}\n\
             GlobalSettings:  {{\nVersion: 1000\nProperties70:  {{\n{}}}\n}}\n\
             Objects:  {{\n{}}}\nConnections:  {{\n{}}}\n",
            self.settings, self.objects, self.connections,
        )
    }

    /// Returns the file's bytes.
    pub fn bytes(&self) -> Vec<u8> {
        self.text().into_bytes()
    }
}
