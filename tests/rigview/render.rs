//! The renderer as a library, on the software adapter: parts, palettes, posed vertices.

use std::path::Path;

use rigview::capture::{Picture, picture, session, session_frame, still};
use rigview::import::{ImportOptions, Loaded, load, load_bytes};
use rigview::look::{Look, Pass};
use rigview::model::{AlphaMode, Model, Stage};
use rigview::render::{
    Enlarge, Fill, Fills, Frame, Gpu, GpuError, GpuModel, Probe, Renderer, Target, read_texture,
};
use rigview::session::{FileSource, Session, SessionOptions};
use serde_json::json;

use crate::support::{Glb, gpu, shared};

const CREATURE: &[u8] = include_bytes!("../../assets/creature.glb");

fn creature(joint_limit: usize) -> Loaded {
    let options = ImportOptions { joint_limit, ..ImportOptions::default() };
    load_bytes(CREATURE.to_vec(), &options).unwrap()
}

/// Rectangles have their places and colours, whether the target encodes sRGB or not. The last one lies on top.
#[test]
fn fills_store_their_colours_in_their_order() {
    use rigview::wgpu::{self, TextureFormat};
    let gpu = gpu();
    let (below, above) = ([0x33, 0x66, 0xff], [0xf0, 0x08, 0x80]);
    let fills =
        [Fill { rect: [1, 0, 2, 3], color: below }, Fill { rect: [2, 2, 2, 2], color: above }];
    for format in [TextureFormat::Rgba8Unorm, TextureFormat::Rgba8UnormSrgb] {
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: 4, height: 4, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let view = texture.create_view(&Default::default());
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: Default::default(),
            })],
            ..Default::default()
        });
        Fills::new(&gpu, format).draw(&mut pass, &fills);
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        let texels = read_texture(&gpu, &texture).unwrap();
        let rows = [" bb ", " bb ", " baa", "  aa"].concat();
        for (i, (texel, letter)) in texels.chunks(4).zip(rows.chars()).enumerate() {
            let want = match letter {
                'a' => above,
                'b' => below,
                _ => [0; 3],
            };
            let off = texel.iter().zip(want).map(|(got, want)| got.abs_diff(want)).max();
            assert!(off <= Some(1), "{format:?}, texel {i}: {texel:?}, not {want:?}");
        }
    }
}

/// A drawing with a quarter of the pixels fills the same rectangle with the same picture, whether the target encodes sRGB or
/// not, and nothing else.
#[test]
fn an_enlarged_drawing_is_the_picture_in_its_rectangle() {
    use rigview::wgpu::{self, TextureFormat};
    let gpu = gpu();
    let mut session = session(
        FileSource::BuiltIn { name: "rig", bytes: CREATURE },
        creature(64),
        SessionOptions::default(),
    );
    session.pose();
    let gpu_model = GpuModel::new(&gpu, &session.playback().document().unwrap().model);
    let (rect, [width, height]) = ([24, 16, 96, 80], [140, 110]);
    for format in [TextureFormat::Rgba8Unorm, TextureFormat::Rgba8UnormSrgb] {
        let draw = |is_enlarged: bool| {
            let usage = wgpu::TextureUsages::COPY_SRC;
            let texture = gpu.texture("target", [width, height], format, usage);
            let view = texture.create_view(&Default::default());
            let target = Target { view: &view, format, rect, part: None };
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            let (view, look) = (session.view(), Look::default());
            let frame = session_frame(&session, &gpu_model, &view, &look).unwrap();
            let mut renderer = Renderer::new(&gpu);
            if is_enlarged {
                let usage = wgpu::TextureUsages::TEXTURE_BINDING;
                let small = gpu.texture("small", [48, 40], format, usage);
                let view = &small.create_view(&Default::default());
                let on = Target { view, format, rect: [0, 0, 48, 40], part: None };
                renderer.draw(&gpu, &mut encoder, &frame, &on).unwrap();
                Enlarge::new(&gpu, format).draw(&gpu, &mut encoder, view, &target);
            } else {
                renderer.draw(&gpu, &mut encoder, &frame, &target).unwrap();
            }
            gpu.queue.submit([encoder.finish()]);
            read_texture(&gpu, &texture).unwrap()
        };
        let [whole, enlarged] = [false, true].map(draw);
        let (mut off, mut shown, mut pixels) = (0.0, 0.0, 0.0);
        for (i, (a, b)) in whole.chunks(4).zip(enlarged.chunks(4)).enumerate() {
            let (x, y) = (i as u32 % width, i as u32 / width);
            if (24..120).contains(&x) && (16..96).contains(&y) {
                let square = |a: u8, b: u8| (f64::from(a.abs_diff(b)) / 255.0).powi(2);
                off += square(a[1], b[1]);
                shown += square(a[1], whole[(4 * (16 * width + 24) + 1) as usize]);
                pixels += 1.0;
            } else {
                assert_eq!((a, b), (&[0, 0, 0, 255][..], &[0, 0, 0, 255][..]), "{x} {y}");
            }
        }
        let [off, shown] = [off, shown].map(|sum: f64| (sum / pixels).sqrt());
        assert!(off < 0.25 * shown && shown > 0.05, "{format:?}: {off} off, {shown} shown");
    }
}

/// Every vertex of the built-in rig has the same position on the GPU and on the CPU, over all clips.
#[test]
fn the_gpu_poses_every_vertex_where_the_cpu_does() {
    let gpu = gpu();
    let model = creature(100).model;
    let (uploaded, mut probe) = (GpuModel::new(&gpu, &model), Probe::new(&gpu));
    let mut stage = Stage::new(&model, model.default_scene);
    let mut compared = 0;
    for clip in &model.clips {
        for part in [0.15, 0.6, 0.95] {
            stage.pose(&model, Some(clip), f64::from(clip.duration_secs()) * part);
            for posed in probe.positions(&model, &uploaded, &stage).unwrap().wait(&gpu).unwrap() {
                let cpu = stage.deformed(&model, posed.node, posed.primitive).unwrap();
                assert_eq!(cpu.len(), posed.positions.len());
                for (i, (cpu, gpu)) in cpu.iter().zip(&posed.positions).enumerate() {
                    let off = cpu.distance(glam::Vec3::from(*gpu));
                    assert!(off < 1e-5, "{:?} vertex {i}: {cpu} and {gpu:?}", clip.name());
                }
                compared += cpu.len();
            }
        }
    }
    assert!(compared > 9 * 4000, "{compared} vertices");
}

/// Drawing in pieces, as software adapters do with large models, changes no byte of a picture.
#[test]
fn pieces_make_the_picture_of_one_submission() {
    let gpu = gpu();
    let mut files = vec![CREATURE.to_vec()];
    if let Some(shared) = shared("pieces_make_the_picture_of_one_submission") {
        let names = [
            "TransmissionTest/glTF-Binary/TransmissionTest.glb",
            "AlphaBlendModeTest/glTF-Binary/AlphaBlendModeTest.glb",
            "CesiumMan/glTF-Binary/CesiumMan.glb",
            "MeshPrimitiveModes/glTF-Embedded/MeshPrimitiveModes.gltf",
        ];
        files.extend(names.map(|name| std::fs::read(shared.join("models").join(name)).unwrap()));
    }
    let mut renderer = Renderer::new(&gpu);
    for bytes in files {
        let loaded = load_bytes(bytes.clone(), &ImportOptions::default()).unwrap();
        let source = FileSource::BuiltIn { name: "model", bytes: bytes.leak() };
        let mut session = session(source, loaded, SessionOptions::default());
        session.pose();
        let (document, stage) =
            (session.playback().document().unwrap(), session.playback().stage().unwrap());
        let gpu_model = GpuModel::new(&gpu, &document.model);
        for pass in [Pass::Shaded, Pass::Wireframe] {
            let look = Look { pass, ..Look::default() };
            let view = session.view();
            let frame = Frame {
                model: &document.model,
                gpu_model: &gpu_model,
                stage,
                others: &[],
                ghosts: &[],
                view: &view,
                look: &look,
                bounds: session.camera().bounds(),
                metered: None,
            };
            let mut drawn = |primitives| {
                renderer.draw_in_pieces(primitives);
                still(&gpu, &mut renderer, &frame, [96, 72]).unwrap()
            };
            let whole = drawn(u64::MAX);
            for primitives in [200, 1111] {
                assert!(drawn(primitives) == whole, "{} {pass:?} {primitives}", document.name);
            }
        }
    }
}

/// Neither a session without a model nor a target without pixels is a failure of the GPU.
#[test]
fn nothing_to_draw_is_an_error_of_its_own() {
    let gpu = gpu();
    let empty = picture(&gpu, &mut Session::new(SessionOptions::default()), [8, 8]).unwrap_err();
    assert_eq!(empty.to_string(), "nothing to draw: no model is open");

    let model = creature(100).model;
    let (gpu_model, stage) = (GpuModel::new(&gpu, &model), Stage::new(&model, 0));
    let session = Session::new(SessionOptions::default());
    let texture = gpu.device.create_texture(&rigview::wgpu::TextureDescriptor {
        label: Some("target"),
        size: Default::default(),
        mip_level_count: 1,
        sample_count: 1,
        dimension: rigview::wgpu::TextureDimension::D2,
        format: rigview::wgpu::TextureFormat::Rgba8Unorm,
        usage: rigview::wgpu::TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    });
    let frame = Frame {
        model: &model,
        gpu_model: &gpu_model,
        stage: &stage,
        others: &[],
        ghosts: &[],
        view: &session.view(),
        look: &Look::default(),
        bounds: session.camera().bounds(),
        metered: None,
    };
    let (view, format) = (texture.create_view(&Default::default()), texture.format());
    let draw = |rect| {
        let target = Target { view: &view, format, rect, part: None };
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        Renderer::new(&gpu).draw(&gpu, &mut encoder, &frame, &target)
    };
    assert!(matches!(draw([0, 0, 0, 1]), Err(GpuError::NothingToDraw(_))));
    draw([0, 0, 1, 1]).unwrap();
}

/// Every buffer and texture says what it is, in the allocator's report as in a driver's messages.
#[test]
fn gpu_resources_are_labelled() {
    let gpu = gpu();
    let mut model = creature(100).model;
    model.meshes[0].name = Some("Bo\ndy".into());
    let gpu_model = GpuModel::new(&gpu, &model);
    gpu.flush();
    // Only some backends have a report.
    let Some(report) = gpu.device.generate_allocator_report() else { return };
    let names: Vec<&str> = report.allocations.iter().map(|a| a.name.as_str()).collect();
    let body = "mesh 0 \"Bo\\ndy\" primitive 0 vertices, influences, indices";
    assert!(names.contains(&body), "{names:?}");
    assert!(names.iter().all(|name| !name.starts_with("Unlabeled")), "{names:?}");
    drop(gpu_model);
}

/// The picture does not depend on the number of joints per draw.
#[test]
fn a_limit_of_8_joints_gives_the_same_pictures() {
    let gpu = gpu();
    compare(&gpu, "creature", &creature);
    // With blending, the order of triangles matters, and that of back and front faces.
    compare(&gpu, "blended creature", &blended_creature);
    let Some(shared) = shared("render::a_limit_of_8_joints_gives_the_same_pictures") else {
        return;
    };
    for name in ["CesiumMan/glTF-Binary/CesiumMan.glb", "Fox/glTF-Binary/Fox.glb"] {
        let path = shared.join("models").join(name);
        compare(&gpu, name, &|joint_limit| from(&path, joint_limit));
    }
    // 143 joints exceed both limits, 100 and 8.
    let path = shared.join("models/Synth/SynthRig143/SynthRig143.glb");
    compare(&gpu, "SynthRig143", &|joint_limit| from(&path, joint_limit));
}

fn from(path: &Path, joint_limit: usize) -> Loaded {
    load(path, &ImportOptions { joint_limit, ..ImportOptions::default() }).unwrap()
}

/// The creature with two transparent materials, so that the import cuts it as blended.
fn blended_creature(joint_limit: usize) -> Loaded {
    let mut glb = Glb::of(CREATURE);
    for material in glb.json["materials"].as_array_mut().unwrap() {
        material["alphaMode"] = "BLEND".into();
        material["doubleSided"] = true.into();
        material["pbrMetallicRoughness"]["baseColorFactor"] = json!([1.0, 1.0, 1.0, 0.6]);
    }
    let options = ImportOptions { joint_limit, ..ImportOptions::default() };
    let loaded = load_bytes(glb.to_bytes(), &options).unwrap();
    assert_eq!(loaded.model.materials[0].alpha_mode, AlphaMode::Blend);
    loaded
}

fn most_parts(model: &Model) -> usize {
    let primitives = model.meshes.iter().flat_map(|m| &m.primitives);
    primitives.map(|p| p.parts.len()).max().unwrap_or(0)
}

fn compare(gpu: &Gpu, name: &str, load: &dyn Fn(usize) -> Loaded) {
    let (whole, cut) = (load(100), load(8));
    assert!(most_parts(&cut.model) > most_parts(&whole.model), "{name} is not cut");
    let [whole, cut] = [whole, cut].map(|loaded| shot(gpu, loaded));
    let Picture::Rgba8 { bytes, .. } = &whole else { panic!("{name}: not a colour picture") };
    let background = &bytes[..4];
    let drawn = bytes.chunks_exact(4).filter(|p| *p != background).count();
    assert!(drawn > 1000, "{name}: only {drawn} pixels are drawn");
    assert!(whole == cut, "{name}: the picture changes with the number of palettes");
}

fn shot(gpu: &Gpu, loaded: Loaded) -> Picture {
    let options = SessionOptions { time_secs: Some(0.3), ..SessionOptions::default() };
    let source = FileSource::BuiltIn { name: "test", bytes: &[] };
    picture(gpu, &mut session(source, loaded, options), [256, 256]).unwrap()
}
