//! Images of extensions: the choice between a texture's sources, and the pixels of KTX2.

use rigview::import::{ImportError, ImportOptions, Loaded, load_bytes};
use rigview::model::Pixels;
use serde_json::{Value, json};

use crate::support::{data_uri, shared};

const RED: [u8; 4] = [255, 0, 0, 255];
const BLUE: [u8; 4] = [0, 0, 255, 255];

/// A file with these images and one texture, which the material of a mesh uses.
fn loaded(pictures: &[&[u8]], texture: &Value) -> Result<Loaded, ImportError> {
    loaded_with(
        pictures,
        texture,
        &json!({"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "material": 0}),
    )
}

/// The same with this primitive.
fn loaded_with(
    pictures: &[&[u8]],
    texture: &Value,
    primitive: &Value,
) -> Result<Loaded, ImportError> {
    let picture = |bytes: &&[u8]| json!({"uri": data_uri(bytes)});
    let json = json!({
        "asset": {"version": "2.0"},
        "extensionsUsed": texture["extensions"].as_object().map(|e| e.keys().collect::<Vec<_>>()),
        "scenes": [{}],
        "images": pictures.iter().map(picture).collect::<Vec<_>>(),
        "textures": [texture],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "meshes": [{"primitives": [primitive]}],
        "accessors": [
            {"componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [0, 0, 0]},
            {"componentType": 5126, "count": 3, "type": "VEC2"},
        ],
    });
    load_bytes(json.to_string().into_bytes(), &ImportOptions::default())
}

fn webp(color: [u8; 4]) -> Vec<u8> {
    let mut bytes = Vec::new();
    image::codecs::webp::WebPEncoder::new_lossless(&mut bytes)
        .encode(&color, 1, 1, image::ExtendedColorType::Rgba8)
        .unwrap();
    bytes
}

fn png(color: [u8; 4]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 1, 1);
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header().unwrap().write_image_data(&color).unwrap();
    bytes
}

/// Returns the image that the texture shows, and the codes of the warnings.
fn shown(loaded: &Loaded) -> (Option<&Pixels>, Vec<&'static str>) {
    let image = loaded.model.textures[0].image;
    let codes = loaded.warnings.iter().map(|w| w.code.as_str()).collect();
    (image.map(|i| &loaded.model.images[i].pixels), codes)
}

#[test]
fn an_extensions_picture_goes_before_the_textures_own_if_it_can_be_read() {
    let texture = json!({"source": 1, "extensions": {"EXT_texture_webp": {"source": 0}}});
    let (first, second) = (webp(RED), png(BLUE));
    let both = loaded(&[&first, &second], &texture).unwrap();
    assert_eq!(shown(&both), (Some(&Pixels::Rgba8(RED.to_vec())), vec![]));
    assert_eq!(both.model.images[1].pixels, Pixels::Header, "nothing shows it");
    let broken = loaded(&[&first[..first.len() - 4], &second], &texture).unwrap();
    assert_eq!(shown(&broken), (Some(&Pixels::Rgba8(BLUE.to_vec())), vec!["IMAGE_BROKEN"]));
    let neither = loaded(&[&first[..14], b"GIF89a"], &texture).unwrap();
    let missing = vec!["IMAGE_MISSING", "IMAGE_MISSING"];
    assert_eq!(shown(&neither), (Some(&Pixels::Missing), missing));
}

#[test]
fn a_picture_is_decoded_only_for_what_is_drawn_with_it() {
    let pixels = |primitive: Value| {
        let loaded =
            loaded_with(&[&png(RED)], &json!({"source": 0, "extensions": {}}), &primitive).unwrap();
        loaded.model.images.into_iter().next().map(|image| image.pixels)
    };
    let own = json!({"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "material": 0});
    assert_eq!(pixels(own), Some(Pixels::Rgba8(RED.to_vec())));
    let of_a_variant = json!({"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "extensions": {
        "KHR_materials_variants": {"mappings": [{"material": 0, "variants": []}]}}});
    assert_eq!(pixels(of_a_variant), Some(Pixels::Rgba8(RED.to_vec())));
    assert_eq!(
        pixels(json!({"attributes": {"POSITION": 0, "TEXCOORD_0": 1}})),
        Some(Pixels::Header)
    );
}

#[test]
fn a_picture_of_another_kind_than_its_extension_promises_is_shown_with_a_word() {
    let texture = json!({"extensions": {"KHR_texture_basisu": {"source": 0}}});
    let odd = loaded(&[&png(BLUE)], &texture).unwrap();
    assert_eq!(shown(&odd), (Some(&Pixels::Rgba8(BLUE.to_vec())), vec!["TEXTURE_SOURCE_ODD"]));
}

#[test]
fn ktx2_pictures_of_both_codecs_are_one_picture() {
    let Some(shared) = shared("ktx2_pictures_of_both_codecs_are_one_picture") else { return };
    let texture = json!({"extensions": {"KHR_texture_basisu": {"source": 0}}});
    let pictures = ["2d_etc1s.ktx2", "2d_uastc.ktx2"].map(|name| {
        let bytes = std::fs::read(shared.join("models/TransformTests").join(name)).unwrap();
        let loaded = loaded(&[&bytes], &texture).unwrap();
        assert_eq!((loaded.model.images[0].width, loaded.model.images[0].height), (40, 40));
        for end in [0, 79, 200, bytes.len() - 1] {
            let cut = self::loaded(&[&bytes[..end]], &texture).unwrap();
            assert_eq!(shown(&cut).0, Some(&Pixels::Missing), "{name} cut at {end}");
        }
        match shown(&loaded) {
            (Some(Pixels::Rgba8(rgba)), codes) if codes.is_empty() => rgba.clone(),
            other => panic!("{name}: {other:?}"),
        }
    });
    let off: u32 =
        pictures[0].iter().zip(&pictures[1]).map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
    assert_eq!(pictures[0].len(), 40 * 40 * 4);
    let mean = f64::from(off) / pictures[0].len() as f64;
    assert!(mean < 16.0, "{mean}");
    assert!(pictures[0].iter().any(|byte| *byte != pictures[0][0]), "it is of one colour");
}
