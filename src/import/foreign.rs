//! Recognises files that are not glTF, by their content and then by their name: those that can be read too, and
//! what to do with the others.

use std::ffi::OsStr;
use std::path::Path;

use super::file;
use super::progress::Progress;
use crate::model::quoted;

/// Bytes read to recognise a file.
pub(super) const HEAD: usize = 4096;

/// Characters of unknown text that a message quotes.
const QUOTED: usize = 12;

const GLB: &[u8] = b"glTF";
const BOM: &[u8] = b"\xef\xbb\xbf";

/// The kind of a file, judged by its first bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Looks {
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
pub fn looks_of(path: &Path) -> Looks {
    let other = |why| Looks::Other { why, side: false };
    let progress = Progress::default();
    let opened = file::open(path, &progress);
    let (head, len) = match opened.and_then(|mut file| Ok((file.read(HEAD as u64)?, file.len))) {
        Ok(read) => read,
        Err(why) => return other(why),
    };
    // A binary buffer may begin like JSON by chance, but text has no control characters.
    let is_text = |b: &u8| *b >= b' ' || b.is_ascii_whitespace();
    match () {
        () if head.starts_with(GLB) => Looks::Glb,
        () if begins_as_json(&head) && head.iter().all(is_text) => Looks::Json,
        () if !head.is_empty() && format_of(&head, Some(path)).is_some() => Looks::Model,
        () if head.is_empty() => other("the file is empty (0 bytes)".into()),
        () => {
            let side = kind_of(&head, len, Some(path)).is_some_and(|kind| kind.side);
            Looks::Other { why: complaint(&head, len, Some(path)), side }
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

/// Describes a file of `len` bytes that is not glTF: what it is, and what to do with it.
pub(super) fn complaint(head: &[u8], len: u64, path: Option<&Path>) -> String {
    if let Some(Kind { name, advice, .. }) = kind_of(head, len, path) {
        let colon = if advice.is_empty() { "" } else { ": " };
        return format!("not a glTF file but {name}{colon}{advice}");
    }
    let text = std::str::from_utf8(&head[..head.len().min(QUOTED)]);
    match text.map(str::trim) {
        Ok(text) if !text.is_empty() && !text.contains(char::is_control) => {
            format!(
                "not a glTF file: it starts with {}, which is neither JSON nor a GLB header",
                quoted(text)
            )
        }
        _ => "not a glTF file: neither JSON nor a GLB header".into(),
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

const fn picture(name: &'static str) -> Kind {
    Kind { name, advice: "", side: true }
}

const BLENDER: &str =
    "convert it, for example in Blender: import it, then File > Export > glTF 2.0";
const ASSIMP: &str = "convert it, for example with `assimp export FILE out.glb`";
const SOURCE: &str = "export it as glTF 2.0 from the program that wrote it";
const UNPACK: &str = "unpack it first";
const AROUND: &str =
    "it can light a scene: drop it, or name it with --environment, as a .hdr or .exr";

const FBX: Kind =
    model("an FBX model", "this build of rigview can't read it; use one with the feature `fbx`");
const OBJ: Kind = model(
    "a Wavefront OBJ model",
    "convert it, for example with obj2gltf, or in Blender: import it, then File > Export > glTF 2.0",
);
const COLLADA: Kind = model(
    "a COLLADA model",
    "convert it, for example with COLLADA2GLTF or `assimp export FILE out.glb`",
);
const STL: Kind = model("an STL model", BLENDER);
const PLY: Kind = model("a PLY model", BLENDER);
const USD: Kind = model("a USD scene", BLENDER);
const USDZ: Kind = model("a USDZ package", BLENDER);
const BLEND: Kind = model("a Blender file", "open it in Blender and use File > Export > glTF 2.0");
const MAYA: Kind = model("a Maya scene", SOURCE);
const ALEMBIC: Kind = model("an Alembic cache", BLENDER);
const BVH: Kind = model("a BVH motion capture", "");
const MMD: Kind =
    model("a MikuMikuDance file", "convert it, for example in Blender with MMD Tools");
const THREE_DS: Kind = model("a 3DS model", ASSIMP);
const DIRECT_X: Kind = model("a DirectX model", ASSIMP);
const LIGHTWAVE: Kind = model("a LightWave model", ASSIMP);
const VRML: Kind = model("a VRML or X3D scene", BLENDER);
const CAD: Kind = model("a CAD model", SOURCE);
const TILE: Kind =
    model("a 3D Tiles tile", "unpack the .glb in it, for example with 3d-tiles-tools");
const DRACO: Kind =
    model("a bare Draco mesh", "convert it with draco_transcoder or gltf-transform");
const PLAIN: Kind = model("an OFF model", ASSIMP);
const THREE_MF: Kind = model("a 3MF package", ASSIMP);
const QUAKE: Kind = model("a Quake or Half-Life model", ASSIMP);
const VOXELS: Kind = model("a MagicaVoxel file", SOURCE);
const MATERIALS: Kind = Kind { name: "an OBJ model's material library", advice: "", side: true };
const BUFFER: Kind = Kind {
    name: "a buffer, judging by its name",
    advice: "open the .gltf file that it belongs to",
    side: true,
};
const RADIANCE: Kind = Kind { name: "a Radiance HDR picture", advice: AROUND, side: true };
const OPEN_EXR: Kind = Kind { name: "an OpenEXR picture", advice: AROUND, side: true };
const UTF_16: Kind = model("UTF-16 text", "glTF is UTF-8");
const ZIP: Kind = model("a ZIP archive", UNPACK);
const HTML: Kind = model("an HTML page", "a page about the model was saved instead of the model");
const LFS: Kind = model("a Git LFS pointer", "fetch the file itself with `git lfs pull`");
const VIDEO: Kind = model("a video", "");
const SOUND: Kind = model("a sound", "");
const DOCUMENT: Kind = model("a PDF document", "");
const PROGRAM: Kind = model("a program", "");

/// Kinds by their first bytes. A longer prefix comes before its own prefixes.
const BEGINNINGS: [(&[u8], Kind); 58] = [
    (b"Kaydara FBX Binary", FBX),
    (b"ply\n", PLY),
    (b"ply\r", PLY),
    (b"#usda", USD),
    (b"PXR-USDC", USD),
    (b"BLENDER", BLEND),
    (b"//Maya ASCII", MAYA),
    (b"Ogawa", ALEMBIC),
    (b"PMX ", MMD),
    (b"Pmd", MMD),
    (b"Vocaloid Motion Data", MMD),
    (b"xof 0", DIRECT_X),
    (b"#VRML", VRML),
    (b"#X3D", VRML),
    (b"ISO-10303-21", CAD),
    (b"b3dm", TILE),
    (b"i3dm", TILE),
    (b"pnts", TILE),
    (b"cmpt", TILE),
    (b"DRACO", DRACO),
    (b"OFF\n", PLAIN),
    (b"OFF\r", PLAIN),
    (b"IDP2", QUAKE),
    (b"IDP3", QUAKE),
    (b"IDST", QUAKE),
    (b"MD5Version", QUAKE),
    (b"VOX ", VOXELS),
    (b"newmtl ", MATERIALS),
    (b"\x89PNG", picture("a PNG picture")),
    (b"\xff\xd8\xff", picture("a JPEG picture")),
    (b"GIF8", picture("a GIF picture")),
    (b"\xabKTX 20\xbb", picture("a KTX2 picture")),
    (b"\xabKTX ", picture("a KTX picture")),
    (b"sB\x13\0", picture("a Basis picture")),
    (b"DDS ", picture("a DDS picture")),
    (b"II*\0", picture("a TIFF picture")),
    (b"MM\0*", picture("a TIFF picture")),
    (b"8BPS", picture("a Photoshop picture")),
    (b"qoif", picture("a QOI picture")),
    (b"#?RADIANCE", RADIANCE),
    (b"#?RGBE", RADIANCE),
    (b"v/1\x01", OPEN_EXR),
    (b"version https://git-lfs", LFS),
    (b"\xff\xfe", UTF_16),
    (b"\xfe\xff", UTF_16),
    (b"%PDF", DOCUMENT),
    (b"\x7fELF", PROGRAM),
    (b"MZ\x90", PROGRAM),
    (b"#!", model("a script", "")),
    (b"\x1aE\xdf\xa3", VIDEO),
    (b"OggS", SOUND),
    (b"fLaC", SOUND),
    (b"ID3", SOUND),
    (b"Rar!", model("a RAR archive", UNPACK)),
    (b"7z\xbc\xaf", model("a 7-Zip archive", UNPACK)),
    (b"BZh", model("bzip2 data", UNPACK)),
    (b"\xfd7zXZ", model("xz data", UNPACK)),
    (b"SQLite format 3", model("an SQLite database", "")),
];

/// Kinds by file name extension, for content that is not recognised.
const ENDINGS: [(&[&str], Kind); 27] = [
    (&["fbx"], FBX),
    (&["obj"], OBJ),
    (&["dae"], COLLADA),
    (&["stl"], STL),
    (&["ply"], PLY),
    (&["usd", "usda", "usdc"], USD),
    (&["usdz"], USDZ),
    (&["blend", "blend1"], BLEND),
    (&["ma", "mb"], MAYA),
    (&["abc"], ALEMBIC),
    (&["bvh"], BVH),
    (&["pmx", "pmd", "vmd"], MMD),
    (&["3ds"], THREE_DS),
    (&["x"], DIRECT_X),
    (&["lwo", "lws"], LIGHTWAVE),
    (&["wrl", "x3d", "x3db"], VRML),
    (&["step", "stp", "iges", "igs", "dxf", "dwg", "3dm", "skp", "sldprt"], CAD),
    (&["max"], model("a 3ds Max scene", SOURCE)),
    (&["c4d"], model("a Cinema 4D scene", SOURCE)),
    (&["3mf"], THREE_MF),
    (&["md2", "md3", "mdl", "smd", "md5mesh", "md5anim"], QUAKE),
    (&["vox"], VOXELS),
    (&["off"], PLAIN),
    (&["drc"], DRACO),
    (&["mtl"], MATERIALS),
    (&["tga"], picture("a TGA picture")),
    (&["bin"], BUFFER),
];

/// Kinds that wrap others; their file name says more than their content.
const WRAPPERS: [(&[u8], Kind); 4] = [
    (b"PK\x03\x04", ZIP),
    (b"\x1f\x8b", model("gzip data", UNPACK)),
    (b"\x28\xb5\x2f\xfd", model("Zstandard data", UNPACK)),
    (b"<", model("XML text", "")),
];

/// Returns the kind of a file of `len` bytes, if it is known.
fn kind_of(head: &[u8], len: u64, path: Option<&Path>) -> Option<Kind> {
    let begins = |list: &[(&[u8], Kind)]| {
        list.iter().find(|(bytes, _)| head.starts_with(bytes)).map(|(_, kind)| *kind)
    };
    let inside = riff_or_iff(head).or_else(|| text_kind(head)).or_else(|| binary_kind(head, len));
    let named = || {
        let ending = path.and_then(Path::extension).and_then(OsStr::to_str)?.to_ascii_lowercase();
        ENDINGS.iter().find(|(list, _)| list.contains(&&*ending)).map(|(_, kind)| *kind)
    };
    inside.or_else(|| begins(&BEGINNINGS)).or_else(named).or_else(|| begins(&WRAPPERS))
}

/// Recognises containers whose type is at the fifth or ninth byte.
fn riff_or_iff(head: &[u8]) -> Option<Kind> {
    let word = |at: usize| head.get(at..at + 4).unwrap_or_default();
    match (word(0), word(4), word(8)) {
        (b"RIFF", _, b"WEBP") => Some(picture("a WebP picture")),
        (b"RIFF", _, b"WAVE") => Some(SOUND),
        (b"RIFF", ..) => Some(VIDEO),
        (b"FOR4" | b"FOR8", ..) => Some(MAYA),
        (b"FORM", _, b"LWO2" | b"LWOB" | b"LWO3") => Some(LIGHTWAVE),
        (_, b"ftyp", b"avif" | b"avis") => Some(picture("an AVIF picture")),
        (_, b"ftyp", b"heic" | b"heix" | b"mif1") => Some(picture("a HEIC picture")),
        (_, b"ftyp", _) => Some(VIDEO),
        _ => None,
    }
}

/// Recognises text formats by their keywords.
fn text_kind(head: &[u8]) -> Option<Kind> {
    let text = String::from_utf8_lossy(head.strip_prefix(BOM).unwrap_or(head));
    let text = text.trim_start();
    if text.starts_with('<') {
        let lower = text.to_ascii_lowercase();
        let words = [("<collada", COLLADA), ("<x3d", VRML), ("<svg", picture("an SVG picture"))];
        let known = words.iter().find(|(word, _)| lower.contains(word)).map(|(_, kind)| *kind);
        return known
            .or(lower.contains("<html").then_some(HTML))
            .or(lower.starts_with("<!doctype html").then_some(HTML));
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

/// Recognises binary formats by their structure.
fn binary_kind(head: &[u8], len: u64) -> Option<Kind> {
    let word = |at: usize| Some(u32::from_le_bytes(head.get(at..at + 4)?.try_into().ok()?));
    let half = |at: usize| Some(u16::from_le_bytes(head.get(at..at + 2)?.try_into().ok()?));
    if head.starts_with(b"PK\x03\x04") {
        // The name of the first file in the archive.
        let name = head.get(30..30 + usize::from(half(26)?))?.to_ascii_lowercase();
        let package = [&b".usd"[..], b".usda", b".usdc"].iter().any(|end| name.ends_with(end));
        return package.then_some(USDZ);
    }
    // 3DS, BMP and binary STL state the length of the file.
    if head.starts_with(b"MM") && word(2).map(u64::from) == Some(len) {
        return Some(THREE_DS);
    }
    if head.starts_with(b"BM") && word(2).map(u64::from) == Some(len) {
        return Some(picture("a BMP picture"));
    }
    let triangles = word(80).filter(|n| *n > 0).map(u64::from)?;
    (84 + 50 * triangles == len).then_some(STL)
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
            (b"RIFF\x10\0\0\0WEBPVP8 ", "a", "a WebP picture"),
            (b"#?RADIANCE\n", "a.txt", "--environment"),
            (b"version https://git-lfs.github.com/spec/v1\n", "a.glb", "git lfs pull"),
            (b"<!DOCTYPE html>\n<title>404</title>", "a.glb", "an HTML page"),
            (b"PK\x03\x04", "a", "a ZIP archive: unpack it first"),
        ] {
            let line = said(head, name);
            assert!(line.starts_with("not a glTF file but a"), "{name}: {line}");
            assert!(line.contains(says), "{name}: {line}");
            assert!(!line.contains(char::is_control) && !line.contains("\\u"), "{line}");
        }
    }

    #[test]
    fn the_name_decides_where_the_content_is_not_recognised() {
        assert!(said(b"\0\x01\x02", "WALK.FBX").contains("an FBX model"));
        assert!(said(b"PK\x03\x04", "a.3mf").contains("a 3MF package"));
        assert!(said(b"\x28\xb5\x2f\xfd\0", "a.blend").contains("a Blender file"));
        assert!(said(b"\0\x01\x02", "a.bin").contains("open the .gltf file"));
        assert_eq!(said(b"\0\x01\x02", "a"), "not a glTF file: neither JSON nor a GLB header");
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
        assert!(matches!(looks_of(&path), Looks::Other { side: true, .. }));
        std::fs::write(&path, b"\xef\xbb\xbf {}").unwrap();
        assert_eq!(looks_of(&path), Looks::Json);
        let gone = folder.path().join("gone.glb");
        assert_eq!(looks_of(&gone), Looks::Other { why: "not found".into(), side: false });
    }
}
