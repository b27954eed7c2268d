//! KTX2 images in block formats that the adapter reads: the chosen format, its mip levels, and that they look
//! like the same images in RGBA.

use std::sync::OnceLock;

use rigview::capture::{Picture, picture, session};
use rigview::import::{ImportOptions, Loaded, load_bytes};
use rigview::model::{BlockFormat, BlockFormats, Pixels};
use rigview::render::{Gpu, GpuModel, TextureLimits};
use rigview::session::{FileSource, SessionOptions};
use serde_json::{Value, json};

use crate::support::{Shape, data_uri, gpu, shared};

const NONE: BlockFormats = BlockFormats { bc7: false, astc: false, etc2: false };
const BC7: BlockFormats = BlockFormats { bc7: true, ..NONE };
const ASTC: BlockFormats = BlockFormats { astc: true, ..NONE };
const ETC2: BlockFormats = BlockFormats { etc2: true, ..NONE };
const ALL: BlockFormats = BlockFormats { bc7: true, astc: true, etc2: true };

/// Images of 40 x 40 pixels with six mip levels, one per codec.
const SMALL: [&str; 2] = ["2d_etc1s.ktx2", "2d_uastc.ktx2"];

/// An unlit square with a KTX2 image.
fn square(ktx2: &[u8], sampler: &Value, formats: BlockFormats) -> Loaded {
    let material = json!({
        "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}},
        "extensions": {"KHR_materials_unlit": {}},
    });
    let square = Shape::square().material(material).texture([0; 4]);
    let mut json: Value = serde_json::from_slice(&square.gltf()).unwrap();
    json["extensionsUsed"] = json!(["KHR_materials_unlit", "KHR_texture_basisu"]);
    json["images"] = json!([{"uri": data_uri(ktx2)}]);
    json["samplers"] = json!([sampler]);
    json["textures"] = json!([{"sampler": 0, "extensions": {"KHR_texture_basisu": {"source": 0}}}]);
    let formats = OnceLock::from(formats);
    let options = ImportOptions { block_formats: Some(&formats), ..ImportOptions::default() };
    let loaded = load_bytes(json.to_string().into_bytes(), &options).unwrap();
    assert_eq!(loaded.warnings, []);
    loaded
}

fn shot(gpu: &Gpu, loaded: Loaded, side: u32) -> Vec<u8> {
    let source = FileSource::BuiltIn { name: "test", bytes: &[] };
    let mut session = session(source, loaded, SessionOptions::default());
    match picture(gpu, &mut session, [side, side]).unwrap() {
        Picture::Rgba8 { bytes, .. } => bytes,
        _ => panic!("not a colour picture"),
    }
}

#[test]
fn each_source_becomes_the_best_form_that_is_taken_with_all_levels() {
    let Some(shared) = shared("each_source_becomes_the_best_form_that_is_taken_with_all_levels")
    else {
        return;
    };
    let want = [
        [(BC7, BlockFormat::Bc7), (ASTC, BlockFormat::Astc), (ALL, BlockFormat::Etc2)],
        [(BC7, BlockFormat::Bc7), (ETC2, BlockFormat::Etc2), (ALL, BlockFormat::Astc)],
    ];
    for (name, cases) in SMALL.iter().zip(want) {
        let bytes = std::fs::read(shared.join("models/TransformTests").join(name)).unwrap();
        for (formats, format) in cases {
            let loaded = square(&bytes, &json!({}), formats);
            let Pixels::Blocks(blocks) = &loaded.model.images[0].pixels else {
                panic!("{name}: {:?}", loaded.model.images[0]);
            };
            assert_eq!(blocks.format, format, "{name}");
            // 40, 20, 10, 5, 2 and 1 pixels.
            let blocks: Vec<usize> = blocks.levels.iter().map(|l| l.len() / 16).collect();
            assert_eq!(blocks, [100, 25, 9, 4, 1, 1], "{name}");
        }
        let loaded = square(&bytes, &json!({}), NONE);
        assert!(matches!(&loaded.model.images[0].pixels, Pixels::Rgba8(p) if p.len() == 6400));
    }
}

#[test]
fn a_picture_without_levels_is_in_blocks_only_where_none_are_shown() {
    let Some(shared) = shared("a_picture_without_levels_is_in_blocks_only_where_none_are_shown")
    else {
        return;
    };
    let file = "AnisotropyBarnLamp/glTF-KTX2-Basisu/AnisotropyBarnLamp_anisotropy.ktx2";
    let bytes = std::fs::read(shared.join("models").join(file)).unwrap();
    let plain = square(&bytes, &json!({"minFilter": 9729}), ALL);
    let Pixels::Blocks(blocks) = &plain.model.images[0].pixels else { panic!("no blocks") };
    assert_eq!((blocks.levels.len(), blocks.levels[0].len()), (1, 2048 * 2048));
    let filtered = square(&bytes, &json!({"minFilter": 9987}), ALL);
    assert!(matches!(&filtered.model.images[0].pixels, Pixels::Rgba8(_)));
}

/// Tests every format that the adapter supports. That is at least BC7 on the software adapter, for which the
/// program itself chooses RGBA.
#[test]
fn blocks_look_as_their_picture_does() {
    let Some(shared) = shared("blocks_look_as_their_picture_does") else { return };
    let gpu = gpu();
    let features = gpu.device.features();
    let forms = [
        (BC7, features.contains(wgpu::Features::TEXTURE_COMPRESSION_BC)),
        (ASTC, features.contains(wgpu::Features::TEXTURE_COMPRESSION_ASTC)),
        (ETC2, features.contains(wgpu::Features::TEXTURE_COMPRESSION_ETC2)),
    ];
    assert!(forms[0].1 || !cfg!(target_os = "linux"), "{features:?}");
    assert!(!gpu.is_software() || gpu.block_formats() == NONE);
    for name in SMALL {
        let bytes = std::fs::read(shared.join("models/TransformTests").join(name)).unwrap();
        let forms = forms.iter().filter(|(_, taken)| *taken).map(|(form, _)| *form);
        let forms: Vec<BlockFormats> = forms.collect();
        // Magnified images match RGBA. Minified ones, which show the file's own mip levels, match each other.
        let plain = shot(&gpu, square(&bytes, &json!({}), NONE), 128);
        let different = plain.chunks(4).filter(|pixel| pixel[..3] != plain[..3]).count();
        assert!(different > 1000, "the square is in the picture");
        let small = shot(&gpu, square(&bytes, &json!({}), forms[0]), 24);
        for form in forms {
            for (side, want) in [(128, &plain), (24, &small)] {
                let got = shot(&gpu, square(&bytes, &json!({}), form), side);
                gpu.check().unwrap();
                let off = want.iter().zip(&got).map(|(a, b)| f64::from(a.abs_diff(*b)));
                let mean = off.sum::<f64>() / want.len() as f64;
                assert!(mean < 2.0, "{name} at {side}: {form:?} is {mean} levels off");
            }
        }
    }
}

/// An image in blocks starts at the first mip level that fits the adapter, or is left out. wgpu reports no error.
#[test]
fn an_adapter_that_takes_only_small_pictures_gets_a_lower_level() {
    let Some(shared) = shared("an_adapter_that_takes_only_small_pictures_gets_a_lower_level")
    else {
        return;
    };
    let gpu = gpu();
    let bytes = std::fs::read(shared.join("models/TransformTests/2d_uastc.ktx2")).unwrap();
    let loaded = square(&bytes, &json!({}), BC7);
    for side in [40, 20, 19, 1] {
        let limits = TextureLimits { side, ..TextureLimits::new(&gpu) };
        let _uploaded = GpuModel::with_limits(&gpu, &loaded.model, limits);
        gpu.check().unwrap();
    }
}
