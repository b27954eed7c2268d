//! Materials of FBX files: textures that glTF has in one picture, and transparency.

use std::path::Path;

use rigview::import::{ImageDecoding, ImportOptions, Loaded, WarningCode, load};
use rigview::model::{AlphaMode, Pixels, TextureSlot};

use crate::support::Fbx;

const TRIANGLE: [[f64; 3]; 3] = [[0., 0., 0.], [100., 0., 0.], [0., 100., 0.]];

/// Properties that tell a material of 3ds Max with metalness and roughness.
const MAX: &str = "P: \"3dsMax|ClassIDa\", \"int\", \"Integer\", \"\",-804315648\n\
    P: \"3dsMax|ClassIDb\", \"int\", \"Integer\", \"\",-1099438848\n";

/// Writes a picture of one colour.
fn picture(folder: &Path, name: &str, side: u32, color: &[u8]) {
    let file = std::fs::File::create(folder.join(name)).unwrap();
    let mut encoder = png::Encoder::new(file, side, side);
    encoder.set_color(match color.len() {
        1 => png::ColorType::Grayscale,
        3 => png::ColorType::Rgb,
        _ => png::ColorType::Rgba,
    });
    let pixels = color.repeat((side * side) as usize);
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
}

/// Reads a file with a material of these properties, and pictures connected to its properties.
fn with(folder: &Path, model: &str, properties: &str, pictures: &[(&str, &str)]) -> Loaded {
    let mut file = Fbx::new();
    let node = file.node("mesh", "Mesh", 0, &[]);
    file.polygon(node, &TRIANGLE);
    let content =
        format!("Version: 102\nShadingModel: \"{model}\"\nProperties70:  {{\n{properties}}}");
    let material = file.object("Material", "Material::skin", "", &content);
    file.connect(material, node);
    for (property, picture) in pictures {
        let content = format!("FileName: \"{picture}\"\nRelativeFilename: \"{picture}\"");
        let texture = file.object("Texture", "Texture::t", "", &content);
        file.connect_property(texture, material, property);
    }
    let path = folder.join("model.fbx");
    std::fs::write(&path, file.bytes()).unwrap();
    let options = ImportOptions { images: ImageDecoding::Keep, ..ImportOptions::default() };
    load(&path, &options).unwrap()
}

/// Returns the size of the picture in a slot of the first material, and its first pixel.
fn pixel(loaded: &Loaded, slot: TextureSlot) -> ([u32; 2], [u8; 4]) {
    let model = &loaded.model;
    let texture = model.materials[0].textures[slot].expect("a texture").texture;
    let image = &model.images[model.textures[texture].image.unwrap()];
    let Pixels::Rgba8(pixels) = &image.pixels else { panic!("{:?}", loaded.warnings) };
    ([image.width, image.height], pixels[..4].try_into().unwrap())
}

#[test]
fn roughness_and_metalness_become_one_texture() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    picture(folder, "rough.png", 2, &[60]);
    picture(folder, "metal.png", 4, &[200]);
    let (rough, metal) =
        (("3dsMax|main|roughness_map", "rough.png"), ("3dsMax|main|metalness_map", "metal.png"));
    let both = with(folder, "unknown", MAX, &[rough, metal]);
    assert_eq!(pixel(&both, TextureSlot::MetallicRoughness), ([4, 4], [255, 60, 200, 255]));
    let material = &both.model.materials[0];
    assert_eq!((material.metallic, material.roughness), (1.0, 1.0));
    let is_left_out = both.warnings.iter().any(|w| w.code == WarningCode::NotShown);
    assert!(!is_left_out, "{:?}", both.warnings);
    // The other property stays a number.
    let half = format!("{MAX}P: \"3dsMax|main|metalness\", \"Float\", \"\", \"A\",0.5\n");
    let one = with(folder, "unknown", &half, &[rough]);
    assert_eq!(pixel(&one, TextureSlot::MetallicRoughness), ([2, 2], [255, 60, 255, 255]));
    assert_eq!((one.model.materials[0].metallic, one.model.materials[0].roughness), (0.5, 1.0));
    // One picture for both is one of glTF's kind.
    let same = [rough, ("3dsMax|main|metalness_map", "rough.png")];
    let same = with(folder, "unknown", MAX, &same);
    assert_eq!(pixel(&same, TextureSlot::MetallicRoughness).1, [60, 60, 60, 255]);
    assert_eq!(same.model.images.len(), 1);
}

#[test]
fn transparency_becomes_alpha_of_the_base_colour() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    picture(folder, "skin.png", 2, &[10, 20, 30]);
    picture(folder, "hair.png", 2, &[10, 20, 30, 40]);
    picture(folder, "clear.png", 2, &[55]);
    let (skin, clear) = (("DiffuseColor", "skin.png"), ("TransparentColor", "clear.png"));
    // A picture of transparency is black where the surface is opaque.
    let apart = with(folder, "phong", "", &[skin, clear]);
    assert_eq!(pixel(&apart, TextureSlot::BaseColor).1, [10, 20, 30, 200]);
    assert_eq!(apart.model.materials[0].alpha_mode, AlphaMode::Blend);
    // One picture for both has it in its alpha channel, if it has one.
    for (name, mode) in [("hair.png", AlphaMode::Blend), ("skin.png", AlphaMode::Opaque)] {
        let same = with(folder, "phong", "", &[("DiffuseColor", name), ("TransparentColor", name)]);
        assert_eq!(same.model.materials[0].alpha_mode, mode, "{name}");
        assert_eq!(same.model.images.len(), 1);
    }
    let opacity = ("3dsMax|main|opacity_map", "clear.png");
    let only = with(folder, "unknown", MAX, &[opacity]);
    assert_eq!(pixel(&only, TextureSlot::BaseColor).1, [255, 255, 255, 55]);
    // Numbers: colour times factor is the transparency.
    let number = |color: f64, factor: f64, more: &str| {
        let properties = format!(
            "P: \"TransparentColor\", \"Color\", \"\", \"A\",{color},{color},{color}\n\
             P: \"TransparencyFactor\", \"Number\", \"\", \"A\",{factor}\n{more}"
        );
        with(folder, "lambert", &properties, &[]).model.materials[0].base_color[3]
    };
    assert!((number(0.5, 0.5, "") - 0.75).abs() < 1e-6);
    assert_eq!(number(0.0, 1.0, ""), 1.0);
    assert_eq!(number(1.0, 0.0, ""), 1.0);
    // Invisible materials are opaque ones of programs that write the number the other way round.
    assert_eq!(number(1.0, 1.0, ""), 1.0);
    assert_eq!(number(1.0, 1.0, "P: \"Opacity\", \"double\", \"Number\", \"\",0.25\n"), 0.25);
}

/// Returns what the import says is not shown.
fn not_shown(loaded: &Loaded) -> Vec<&str> {
    let warnings = loaded.warnings.iter().filter(|w| w.code == WarningCode::NotShown);
    warnings.map(|warning| &*warning.message).collect()
}

#[test]
fn textures_that_are_not_shown_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    picture(folder, "skin.png", 2, &[10, 20, 30]);
    picture(folder, "other.png", 2, &[10, 20, 30]);
    let other = |property| (property, "other.png");
    let pictures = [
        ("DiffuseColor", "skin.png"),
        other("AmbientColor"),
        other("ReflectionColor"),
        other("SpecularFactor"),
    ];
    let loaded = with(folder, "phong", "", &pictures);
    let said = not_shown(&loaded);
    let wanted =
        "material \"skin\": textures for ambient colour, reflection, SpecularFactor are not shown";
    assert_eq!(said, [wanted]);
}

/// The pictures of a layered texture are blended in FBX.
#[test]
fn one_picture_of_a_layered_texture_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut file = Fbx::new();
    let node = file.node("mesh", "Mesh", 0, &[]);
    file.polygon(node, &TRIANGLE);
    let content = "Version: 102\nShadingModel: \"phong\"";
    let material = file.object("Material", "Material::skin", "", content);
    file.connect(material, node);
    let content = "LayeredTexture: 100\nBlendModes: *2 {\na: 0,2\n}\nAlphas: *2 {\na: 1,0.5\n}";
    let layered = file.object("LayeredTexture", "LayeredTexture::both", "", content);
    file.connect_property(layered, material, "DiffuseColor");
    for name in ["low.png", "high.png"] {
        picture(folder, name, 2, &[10, 20, 30]);
        let content = format!("FileName: \"{name}\"\nRelativeFilename: \"{name}\"");
        let texture = file.object("Texture", "Texture::t", "", &content);
        file.connect(texture, layered);
    }
    let path = folder.join("model.fbx");
    std::fs::write(&path, file.bytes()).unwrap();
    let loaded = load(&path, &ImportOptions::default()).unwrap();
    assert_eq!(loaded.model.images.len(), 1);
    let said = not_shown(&loaded);
    let wanted = "material \"skin\": only the first of the 2 pictures of texture \"both\" is shown";
    assert_eq!(said, [wanted]);
}
