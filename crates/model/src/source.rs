//! The origin of a model: format, container, extensions and metadata of its file.

/// The container format of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Container {
    /// JSON text, with external or embedded buffers.
    #[default]
    Gltf,
    /// The binary container GLB.
    Glb,
    /// Text of another format.
    Text,
    /// A binary file of another format.
    Binary,
}

/// How well rigview supports an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtensionStatus {
    /// Fully supported.
    Supported,
    /// Partly supported.
    Partly,
    /// Not supported: the file is shown without it.
    Ignored,
}

/// An extension that a file uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    /// The extension's registered name.
    pub name: String,
    /// Whether the file lists it as required.
    pub required: bool,
    /// How well rigview supports it.
    pub status: ExtensionStatus,
}

/// The original document of a file with its buffers and images, for export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Original {
    /// The glTF 2.0 document as text; a file of another format after conversion by the importer.
    pub json: String,
    /// The document's buffers, each of its declared length. `None` for a fallback buffer of compressed
    /// views, which has no bytes.
    pub buffers: Vec<Option<Vec<u8>>>,
    /// The bytes of images with a `uri`; `None` for images in buffer views, and for those that can't be
    /// read.
    pub images: Vec<Option<Vec<u8>>>,
}

/// The origin of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// `glTF 2.0` or `glTF 1.0`, or another format with its version, such as `FBX 7.4`.
    pub format: String,
    /// The container format.
    pub container: Container,
    /// The program that wrote the file.
    pub generator: Option<String>,
    /// Who owns the rights, as the file says.
    pub copyright: Option<String>,
    /// The extensions that the file uses.
    pub extensions: Vec<Extension>,
    /// XMP metadata of the file and its objects (KHR_xmp_json_ld), and what files of other formats say about
    /// themselves.
    pub metadata: Vec<Metadata>,
    /// What applications have stored in the file's objects.
    pub extras: Vec<Extras>,
    /// What extensions that rigview does not read have stored in the file's objects: by object, an object with a key per
    /// extension.
    pub unread: Vec<Extras>,
    /// The chunks of a GLB that glTF does not define, if the import was asked to keep them.
    pub chunks: Vec<Chunk>,
    /// The number of samplers of each animation.
    pub samplers: Vec<usize>,
    /// The largest distance, in metres at the skin, between the curves of a file of another format and the keys that they
    /// were converted to; `None` if the file has keys itself, or it is not known.
    pub curve_error: Option<f64>,
    /// Frames per second, as a file of another format says; `None` if it does not say a usual number.
    pub frame_rate: Option<f64>,
    /// The original file, if the import was asked to keep it.
    pub original: Option<Original>,
}

impl Source {
    /// The format of files whose data the rules of glTF 2.0 are about.
    pub const GLTF: &str = "glTF 2.0";
    /// The format of files of glTF 1.0.
    pub const GLTF1: &str = "glTF 1.0";
    /// The format of BVH files.
    pub const BVH: &str = "BVH";

    /// Whether the file is one of glTF 2.0.
    pub fn is_gltf2(&self) -> bool {
        self.format == Self::GLTF
    }

    /// Whether the file is one of glTF 1.0.
    pub fn is_gltf1(&self) -> bool {
        self.format == Self::GLTF1
    }

    /// Whether the file is one of BVH.
    pub fn is_bvh(&self) -> bool {
        self.format == Self::BVH
    }

    /// Whether the keys of the clips are those of the file. The curves of an FBX file were sampled by the import.
    pub fn has_own_keys(&self) -> bool {
        !self.format.starts_with("FBX")
    }

    /// Keeps what is said of these animations, which become the file's animations in this order.
    pub fn keep_animations(&mut self, wanted: &[usize]) {
        let moved = |about: &str| -> Vec<String> {
            let Some(rest) = about.strip_prefix("/animations/") else { return vec![about.into()] };
            let (index, part) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
            let is_it = |(_, old): &(usize, &usize)| index == old.to_string();
            let new = wanted.iter().enumerate().filter(is_it);
            new.map(|(new, _)| format!("/animations/{new}{part}")).collect()
        };
        for list in [&mut self.extras, &mut self.unread] {
            let all = list.iter().map(|old| (moved(&old.about), old));
            let all = all.flat_map(|(places, old)| {
                places.into_iter().map(|about| Extras { about, json: old.json.clone() })
            });
            *list = all.collect();
        }
        let all = self.metadata.iter().map(|old| (moved(&old.about), old));
        let all = all.flat_map(|(places, old)| {
            places.into_iter().map(|about| Metadata { about, entries: old.entries.clone() })
        });
        self.metadata = all.collect();
        self.samplers = wanted.iter().filter_map(|old| self.samplers.get(*old).copied()).collect();
    }

    /// Returns the extras of the object at a JSON pointer, as JSON in one line.
    pub fn extras_of(&self, pointer: &str) -> Option<&str> {
        let found = self.extras.iter().find(|extras| extras.about == pointer)?;
        Some(&found.json)
    }
}

/// What applications have stored in one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extras {
    /// JSON pointer to the object; empty for the whole file.
    pub about: String,
    /// The value, as JSON in one line.
    pub json: String,
}

/// A chunk of a GLB that glTF does not define.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The four bytes of its type.
    pub kind: [u8; 4],
    /// Its data.
    pub bytes: Vec<u8>,
}

/// XMP metadata of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// JSON pointer to the object; `/asset` is the whole file.
    pub about: String,
    /// Properties such as `dc:title` and their values, each in one line.
    pub entries: Vec<(String, String)>,
}
