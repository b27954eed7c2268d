//! Recognises the kind of a file by its content and then by its name: glTF, other formats that can be read, and what to
//! do with the others.

use std::ffi::OsStr;
use std::path::Path;

use image::ImageFormat;

use super::files;
use super::progress::Progress;
use super::text_encoding::text_of;
use rigview_model::quoted;

/// Bytes read to recognise a file.
pub(super) const HEAD: usize = 4096;

/// Characters of unknown text that a message quotes.
const QUOTED: usize = 12;

const GLB: &[u8] = b"glTF";
const BOM: &[u8] = b"\xef\xbb\xbf";

/// The kind of a file, judged by its first bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Binary glTF.
    Glb,
    /// JSON, which may be glTF.
    Json,
    /// Another format that can be read: FBX or BVH.
    Model,
    /// Not glTF, or unreadable.
    Other {
        /// The reason, in one line.
        why: String,
        /// Whether a glTF file may refer to it: an image or a buffer.
        side: bool,
    },
}

/// Reads the first bytes of a file and judges its kind.
pub fn file_kind(path: &Path) -> FileKind {
    let other = |why| FileKind::Other { why, side: false };
    let progress = Progress::default();
    let opened = files::open(path, &progress);
    let (head, len) = match opened.and_then(|mut file| Ok((file.read(HEAD as u64)?, file.len))) {
        Ok(read) => read,
        Err(why) => return other(why),
    };
    // A binary buffer may begin like JSON by chance, but text has no control characters.
    let is_text = |b: &u8| *b >= b' ' || b.is_ascii_whitespace();
    match () {
        () if head.starts_with(GLB) => FileKind::Glb,
        () if begins_as_json(&head) && head.iter().all(is_text) => FileKind::Json,
        () if !head.is_empty() && format_of(&head, Some(path)).is_some() => FileKind::Model,
        () if head.is_empty() => other("the file is empty (0 bytes)".into()),
        () => {
            let side = kind_of(&head, len, Some(path)).is_some_and(|kind| kind.side);
            FileKind::Other { why: complaint(&head, len, Some(path)), side }
        }
    }
}

/// Whether the first character that is not white space may begin a JSON document.
pub(super) fn begins_as_json(head: &[u8]) -> bool {
    let start = if head.starts_with(BOM) { BOM.len() } else { 0 };
    let first = head[start..].iter().find(|b| !b.is_ascii_whitespace());
    matches!(first, Some(b'{' | b'['))
}

/// A format besides glTF that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// BVH.
    Bvh,
    /// FBX.
    #[cfg(feature = "fbx")]
    Fbx,
}

/// Returns the format of a file with these first bytes, if it is not glTF and can be read.
pub(super) fn format_of(head: &[u8], path: Option<&Path>) -> Option<Format> {
    if head.starts_with(GLB) || begins_as_json(head) {
        return None;
    }
    match kind_of(head, u64::MAX, path) {
        Some(BVH) => Some(Format::Bvh),
        #[cfg(feature = "fbx")]
        Some(FBX) => Some(Format::Fbx),
        _ => None,
    }
}

/// Whether a file with these first bytes may be glTF.
pub(super) fn may_be_gltf(head: &[u8]) -> bool {
    let blank = head.strip_prefix(BOM).unwrap_or(head).iter().all(u8::is_ascii_whitespace);
    head.starts_with(GLB) || begins_as_json(head) || blank
}

/// Endings of the names of models that open. A VRM avatar is a GLB.
pub const MODEL_ENDINGS: [&str; 5] = ["glb", "gltf", "vrm", "fbx", "bvh"];

/// Whether a file has the name of a model.
pub fn is_model_name(path: &Path) -> bool {
    has_ending(path, &MODEL_ENDINGS)
}

/// Whether a file's name has one of some endings, in any case.
pub fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let ending = path.extension().unwrap_or_default();
    endings.iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// The formats that open.
const OPENED: &str = if cfg!(feature = "fbx") {
    "rigview opens .gltf, .glb, .vrm, .fbx and .bvh"
} else {
    "rigview opens .gltf, .glb, .vrm and .bvh"
};

/// Describes a file of `len` bytes that is not glTF: what it is, and what to do with it.
pub(super) fn complaint(head: &[u8], len: u64, path: Option<&Path>) -> String {
    if let Some(Kind { name, advice, .. }) = kind_of(head, len, path) {
        let colon = if advice.is_empty() { "" } else { ": " };
        return format!("not a glTF file but {name}{colon}{advice}; {OPENED}");
    }
    let text = std::str::from_utf8(&head[..head.len().min(QUOTED)]);
    match text.map(str::trim) {
        Ok(text) if !text.is_empty() && !text.contains(char::is_control) => {
            format!(
                "not a glTF file: it starts with {}, which is neither JSON nor a GLB header; {OPENED}",
                quoted(text)
            )
        }
        _ => format!("not a glTF file: neither JSON nor a GLB header; {OPENED}"),
    }
}

/// A kind of file that is not glTF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind {
    /// Name, with its article.
    name: &'static str,
    /// What the user can do; may be empty.
    advice: &'static str,
    /// Whether a glTF file may refer to it.
    side: bool,
}

const fn model(name: &'static str, advice: &'static str) -> Kind {
    Kind { name, advice, side: false }
}

const BLENDER: &str =
    "convert it, for example in Blender: import it, then File > Export > glTF 2.0";
const AROUND: &str =
    "it can light a scene: drop it, or name it with --environment, as a .hdr or .exr";

const FBX: Kind =
    model("an FBX model", "this build of rigview can't read it; use one with the feature `fbx`");
const BVH: Kind = model("a BVH motion capture", "");
const OBJ: Kind = model("a Wavefront OBJ model", BLENDER);
const COLLADA: Kind = model("a COLLADA model", BLENDER);
const STL: Kind = model("an STL model", BLENDER);
const PLY: Kind = model("a PLY model", BLENDER);
const USD: Kind = model("a USD scene", BLENDER);
const BLEND: Kind = model("a Blender file", "open it in Blender and use File > Export > glTF 2.0");
const MAYA: Kind = model("a Maya scene", "export it as glTF 2.0 or FBX from Maya");
const ZIP: Kind = model("a ZIP archive", "unpack it first");
const HTML: Kind = model("an HTML page", "a page about the model was saved instead of the model");
const LFS: Kind = model("a Git LFS pointer", "fetch the file itself with `git lfs pull`");
const PICTURE: Kind = Kind {
    name: "a picture",
    advice: "open the model that uses it; `rigview compare` compares pictures",
    side: true,
};
const ENVIRONMENT: Kind = Kind { name: "a picture of light", advice: AROUND, side: true };
const MATERIALS: Kind = Kind { name: "an OBJ model's material library", advice: "", side: true };
const BUFFER: Kind = Kind {
    name: "a buffer, judging by its name",
    advice: "open the .gltf file that it belongs to",
    side: true,
};

/// The first bytes of what Git LFS leaves in the place of a file that was not fetched.
pub const LFS_POINTER: &[u8] = b"version https://git-lfs";

/// Kinds by their first bytes. The image crate knows those of pictures.
const BEGINNINGS: [(&[u8], Kind); 11] = [
    (b"Kaydara FBX Binary", FBX),
    (b"ply\n", PLY),
    (b"ply\r", PLY),
    (b"#usda", USD),
    (b"PXR-USDC", USD),
    (b"BLENDER", BLEND),
    (b"//Maya ASCII", MAYA),
    (b"FOR4", MAYA),
    (b"FOR8", MAYA),
    (b"\xabKTX ", PICTURE),
    (LFS_POINTER, LFS),
];

/// Kinds by file name extension, for content that is not recognised.
const ENDINGS: [(&[&str], Kind); 12] = [
    (&["fbx"], FBX),
    (&["bvh"], BVH),
    (&["obj"], OBJ),
    (&["dae"], COLLADA),
    (&["stl"], STL),
    (&["ply"], PLY),
    (&["usd", "usda", "usdc", "usdz"], USD),
    (&["blend", "blend1"], BLEND),
    (&["ma", "mb"], MAYA),
    (&["mtl"], MATERIALS),
    (&["png", "jpg", "jpeg", "webp", "ktx2", "basis", "dds", "tga"], PICTURE),
    (&["bin"], BUFFER),
];

/// Kinds that wrap others; their file name says more than their content.
const WRAPPERS: [(&[u8], Kind); 2] = [(b"PK\x03\x04", ZIP), (b"<", model("XML text", ""))];

/// Returns the kind of a file of `len` bytes, if it is known.
fn kind_of(head: &[u8], len: u64, path: Option<&Path>) -> Option<Kind> {
    let begins = |list: &[(&[u8], Kind)]| {
        list.iter().find(|(bytes, _)| head.starts_with(bytes)).map(|(_, kind)| *kind)
    };
    let inside = text_kind(head).or_else(|| is_binary_stl(head, len).then_some(STL));
    let named = || {
        let ending = path.and_then(Path::extension).and_then(OsStr::to_str)?.to_ascii_lowercase();
        ENDINGS.iter().find(|(list, _)| list.contains(&&*ending)).map(|(_, kind)| *kind)
    };
    let known = inside.or_else(|| begins(&BEGINNINGS)).or_else(|| picture(head));
    known.or_else(named).or_else(|| begins(&WRAPPERS))
}

/// Recognises pictures by their first bytes.
fn picture(head: &[u8]) -> Option<Kind> {
    Some(match image::guess_format(head).ok()? {
        ImageFormat::Hdr | ImageFormat::OpenExr => ENVIRONMENT,
        ImageFormat::Png => Kind { name: "a PNG picture", ..PICTURE },
        ImageFormat::Jpeg => Kind { name: "a JPEG picture", ..PICTURE },
        _ => PICTURE,
    })
}

/// Recognises text formats by their keywords.
fn text_kind(head: &[u8]) -> Option<Kind> {
    let text = text_of(head).text;
    let text = text.trim_start();
    if text.starts_with('<') {
        let lower = text.to_ascii_lowercase();
        let words = [("<collada", COLLADA), ("<html", HTML), ("<!doctype html", HTML)];
        return words.iter().find(|(word, _)| lower.contains(word)).map(|(_, kind)| *kind);
    }
    if text.starts_with("solid") && text.contains("facet") {
        return Some(STL);
    }
    if text.get(..9).is_some_and(|word| word.eq_ignore_ascii_case("HIERARCHY")) {
        return Some(BVH);
    }
    // Comments of FBX begin with a semicolon.
    let mut statements = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = statements.find(|line| !line.starts_with(';'));
    if text.starts_with("; FBX ")
        || first.is_some_and(|line| line.starts_with("FBXHeaderExtension"))
    {
        return Some(FBX);
    }
    let lines =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let words = lines.map(|line| line.split_whitespace().collect::<Vec<_>>());
    let mut words = words.skip_while(|line| {
        matches!(line[0], "o" | "g" | "s" | "vt" | "vn" | "usemtl") && line.len() > 1
    });
    match words.next()?[..] {
        ["mtllib", ..] => Some(OBJ),
        ["v", x, y, z, ..] if [x, y, z].iter().all(|n| n.parse::<f64>().is_ok()) => Some(OBJ),
        _ => None,
    }
}

/// Whether a file has the length that a binary STL states.
fn is_binary_stl(head: &[u8], len: u64) -> bool {
    let count = head.get(80..84).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes);
    count.is_some_and(|triangles| triangles > 0 && 84 + 50 * u64::from(triangles) == len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(head: &[u8], name: &str) -> String {
        complaint(head, head.len() as u64, Some(Path::new(name)))
    }

    #[test]
    fn content_takes_precedence_over_the_name() {
        for (head, name, says) in [
            (&b"Kaydara FBX Binary  \0\x1a\0"[..], "walk.glb", "an FBX model"),
            (b"; FBX 7.3.0 project file", "walk", "an FBX model"),
            (b"\n; made by hand\nFBXHeaderExtension:  {\n", "walk", "an FBX model"),
            (b" hierarchy\r\nROOT Hips\r\n", "walk", "a BVH motion capture"),
            (b"# cube\nmtllib cube.mtl\no Cube\n", "cube", "Wavefront OBJ"),
            (b"# cube\n\no Cube\nv 1.0 -1 1e-3\n", "cube.txt", "Wavefront OBJ"),
            (b"<?xml version=\"1.0\"?>\n<COLLADA xmlns=\"x\">", "a.xml", "a COLLADA model"),
            (b"solid cube\n facet normal 0 0 1", "a", "an STL model"),
            (b"#usda 1.0\n", "a", "a USD scene"),
            (b"BLENDER-v300", "a", "a Blender file"),
            (b"\x89PNG\r\n\x1a\n", "a.gltf", "a PNG picture"),
            (b"\xff\xd8\xff\xe0", "a.glb", "a JPEG picture"),
            (b"RIFF\x10\0\0\0WEBPVP8 ", "a", "a picture"),
            (b"#?RADIANCE\n", "a.txt", "--environment"),
            (b"version https://git-lfs.github.com/spec/v1\n", "a.glb", "git lfs pull"),
            (b"<!DOCTYPE html>\n<title>404</title>", "a.glb", "an HTML page"),
            (b"PK\x03\x04", "a", "a ZIP archive: unpack it first"),
        ] {
            let line = said(head, name);
            assert!(line.starts_with("not a glTF file but a"), "{name}: {line}");
            assert!(line.contains(says), "{name}: {line}");
            assert!(line.ends_with(OPENED), "{name}: {line}");
            assert!(!line.contains(char::is_control) && !line.contains("\\u"), "{line}");
        }
    }

    #[test]
    fn the_name_decides_where_the_content_is_not_recognised() {
        assert!(said(b"\0\x01\x02", "WALK.FBX").contains("an FBX model"));
        assert!(said(b"PK\x03\x04", "a.usdz").contains("a USD scene"));
        assert!(said(b"\x28\xb5\x2f\xfd\0", "a.blend").contains("a Blender file"));
        assert!(said(b"\0\x01\x02", "a.bin").contains("open the .gltf file"));
        assert_eq!(
            said(b"\0\x01\x02", "a"),
            "not a glTF file: neither JSON nor a GLB header; rigview opens .gltf, .glb, .vrm, .fbx and .bvh"
        );
        assert!(said(b"hello, world", "a").contains("it starts with \"hello, world\""));
    }

    #[test]
    fn a_binary_stl_is_recognised_by_its_length() {
        let mut bytes = vec![0; 84 + 50];
        bytes[80] = 1;
        assert!(said(&bytes, "a").contains("an STL model"));
        assert!(!said(&bytes[..100], "a").contains("an STL model"));
    }

    #[test]
    fn a_buffer_that_begins_like_json_is_not_json() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.bin");
        std::fs::write(&path, b"{\0\0\0\x01\0\0\0").unwrap();
        assert!(matches!(file_kind(&path), FileKind::Other { side: true, .. }));
        std::fs::write(&path, b"\xef\xbb\xbf {}").unwrap();
        assert_eq!(file_kind(&path), FileKind::Json);
        let gone = folder.path().join("gone.glb");
        assert_eq!(file_kind(&gone), FileKind::Other { why: "not found".into(), side: false });
    }
}
