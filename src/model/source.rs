//! Where a model came from: what its file says about itself.

/// How a file packs its JSON and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Container {
    /// JSON text, bytes beside it or as data URIs.
    #[default]
    Gltf,
    /// The binary container.
    Glb,
}

/// What rigview makes of an extension that a file uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtensionStatus {
    /// All of it counts.
    Supported,
    /// Some of it counts.
    Partly,
    /// The file is shown as if it weren't there.
    Ignored,
}

/// An extension that a file uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Its registered name.
    pub name: String,
    /// Whether the file can't be shown without it.
    pub required: bool,
    /// What rigview makes of it.
    pub status: ExtensionStatus,
}

/// A file as it was, for whoever writes it again: its document with what it names beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Original {
    /// The document of glTF 2.0 as text; a file of 1.0 as the importer made it one.
    pub json: String,
    /// The document's buffers, each as long as it says. None for one without bytes of its own, which only holds the
    /// place of compressed views.
    pub buffers: Vec<Option<Vec<u8>>>,
    /// What the document's images name by a `uri`; none for those in views, and what can't be read.
    pub images: Vec<Option<Vec<u8>>>,
}

/// What a file says about itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// `glTF 2.0` or `glTF 1.0`.
    pub format: String,
    /// How it is packed.
    pub container: Container,
    /// The program that wrote it.
    pub generator: Option<String>,
    /// The extensions it uses, required ones marked.
    pub extensions: Vec<Extension>,
    /// What it says of itself and its things in the words of XMP (KHR_xmp_json_ld).
    pub metadata: Vec<Metadata>,
    /// The file itself, where the import was asked to keep it.
    pub original: Option<Original>,
}

/// What XMP says of one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Which thing: a JSON pointer; `/asset` is the whole file.
    pub about: String,
    /// Properties such as `dc:title`, and what they are, in one line.
    pub entries: Vec<(String, String)>,
}
