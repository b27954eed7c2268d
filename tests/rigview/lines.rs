//! Lines one pixel wide, measured by the coverage of each pixel.

use std::path::Path;

use rigview::capture::{Crowd, Picture, picture, session};
use rigview::import::{ImportOptions, load_bytes};
use rigview::look::{Look, Pass};
use rigview::model::{Material, Mode};
use rigview::render::Gpu;
use rigview::session::{FileSource, SessionOptions};
use serde_json::{Value, json};

use crate::support::{adapter_choice, floats, rigview};

const SIZE: u32 = 512;
const CREATURE: &[u8] = include_bytes!("../../assets/creature.glb");

/// A file with these lists of numbers, each with its accessor's type, and this JSON. Its camera is orthographic
/// and shows a metre as a pixel, unless the JSON has another one. Only white, even light is used.
fn file(lists: &[(&str, &[f32])], more: Value) -> Value {
    let mut file = json!({
        "asset": {"version": "2.0"},
        "extensionsUsed": ["KHR_materials_unlit"],
        "scene": 0,
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"camera": 0, "translation": [0, 0, 10]}, {"mesh": 0}],
        "cameras": [{"type": "orthographic",
            "orthographic": {"xmag": 256, "ymag": 256, "znear": 1, "zfar": 100}}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 1, "material": 0}]}],
        "materials": [{"extensions": {"KHR_materials_unlit": {}}}],
    });
    for (shape, list) in lists {
        floats(&mut file, shape, list);
    }
    for (key, value) in more.as_object().unwrap() {
        file[key] = value.clone();
    }
    file
}

/// The coverage of each pixel, row by row.
struct Coverage(Vec<f64>);

impl Coverage {
    fn of(file: &Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let (model, out) = (path("lines.gltf"), path("out.png"));
        std::fs::write(&model, file.to_string()).unwrap();
        let words = ["--camera", "0", "--size", "512x512", "--rest", "--background", "#000000"];
        let plain = ["--tone-map", "none", "--environment", "uniform:1", "--lights", "none"];
        rigview([&["screenshot", &model, "-o", &out], &words[..], &plain].concat()).done();
        let picture = image::open(Path::new(&out)).unwrap().into_rgb8();
        assert_eq!(picture.dimensions(), (SIZE, SIZE));
        Self(picture.pixels().map(|pixel| f64::from(pixel.0[0]) / 255.0).collect())
    }

    fn at(&self, x: u32, y: u32) -> f64 {
        self.0[(y * SIZE + x) as usize]
    }

    /// Returns the total coverage of a range of pixels in a row or column, and its centre.
    fn across(&self, upright: bool, along: u32, range: std::ops::Range<u32>) -> (f64, f64) {
        let at = |i| if upright { self.at(i, along) } else { self.at(along, i) };
        let sum: f64 = range.clone().map(at).sum();
        let moment: f64 = range.map(|i| at(i) * (f64::from(i) + 0.5)).sum();
        (sum, moment / sum)
    }
}

/// Converts a point of the picture, with the origin in the upper left corner, to camera space.
fn place(x: f32, y: f32) -> [f32; 3] {
    [x - 256.0, 256.0 - y, 0.0]
}

/// Adapters draw in tiles, and some lose lines that cross the border of a tile.
#[test]
fn a_line_covers_a_pixel_across_wherever_it_lies() {
    // Around each multiple of 64, lines one below the other, each shifted by a sixteenth of a pixel.
    let steps = -24..24i32;
    let all = || (1..8).flat_map(|tile| (-24..24i32).map(move |step| (64 * tile, step)));
    let offset = |step: i32| step as f32 / 16.0;
    let first = |step: i32| 10 * (step - steps.start) as u32 + 16;
    for upright in [true, false] {
        let ends = all().flat_map(|(border, step)| {
            let across = border as f32 + offset(step);
            [first(step), first(step) + 8].map(|along| match upright {
                true => place(across, along as f32),
                false => place(along as f32, across),
            })
        });
        let ends: Vec<f32> = ends.flatten().collect();
        let coverage = Coverage::of(&file(&[("VEC3", &ends)], json!({})));
        for (border, step) in all() {
            let range = border as u32 - 4..border as u32 + 4;
            for along in first(step) + 1..first(step) + 7 {
                let (sum, middle) = coverage.across(upright, along, range.clone());
                let off = middle - f64::from(border as f32 + offset(step));
                let what = format!("upright {upright}, {border} and {}", offset(step));
                assert!((sum - 1.0).abs() < 0.02, "{what}: {sum:.3} pixels");
                assert!(off.abs() < 0.13, "{what}: its middle is {off:.3} pixels off");
            }
        }
    }
}

#[test]
fn a_line_covers_its_length_in_every_direction() {
    const LENGTH: f32 = 24.5;
    // Twelve lines per direction, each shifted by a twelfth of a pixel, because with four samples per pixel the
    // coverage depends on the position.
    let all = || (0..16u32).flat_map(|way| (0..12u32).map(move |step| (way, step)));
    let cell = |way: u32, step: u32| {
        let cell = 12 * way + step;
        [cell % 14, cell / 14].map(|at| 36 * at)
    };
    let ends = all().flat_map(|(way, step)| {
        let (sin, cos) = (std::f32::consts::TAU * way as f32 / 16.0).sin_cos();
        let moved = step as f32 / 12.0;
        let [x, y] = cell(way, step).map(|at| at as f32 + 18.2);
        [-0.5, 0.5].map(|end| {
            let along = LENGTH * end;
            place(x + along * cos - moved * sin, y + along * sin + moved * cos)
        })
    });
    let ends: Vec<f32> = ends.flatten().collect();
    let coverage = Coverage::of(&file(&[("VEC3", &ends)], json!({})));
    let mut sums = [0.0; 16];
    for (way, step) in all() {
        let [x, y] = cell(way, step);
        let pixels = (y..y + 36).flat_map(|y| (x..x + 36).map(move |x| (x, y)));
        sums[way as usize] += pixels.map(|(x, y)| coverage.at(x, y)).sum::<f64>() / 12.0;
    }
    let off = |sum: f64| sum / f64::from(LENGTH) - 1.0;
    for (way, sum) in sums.into_iter().enumerate() {
        assert!(off(sum).abs() < 0.1, "direction {way}: {sum:.2} pixels");
    }
    let mean = sums.into_iter().sum::<f64>() / 16.0;
    assert!(off(mean).abs() < 0.01, "{mean:.2} pixels");
}

/// A line from behind the camera to far ahead, and one that is completely behind it.
#[test]
fn a_line_is_cut_where_the_camera_begins_to_see() {
    let (behind, ahead) = ([0.1, -0.3, 3.0], [0.1, -0.3, -1000.0]);
    let unseen = [[-0.2, 0.2, 3.0], [-0.4, 0.4, 0.5]];
    for ends in [[behind, ahead], [ahead, behind]] {
        let ends: Vec<f32> = [ends, unseen].as_flattened().concat();
        let camera = json!({"nodes": [{"camera": 0}, {"mesh": 0}],
            "cameras": [{"type": "perspective", "perspective":
                {"yfov": std::f32::consts::FRAC_PI_2, "znear": 1, "zfar": 2000}}]});
        let coverage = Coverage::of(&file(&[("VEC3", &ends)], camera));
        // At a distance of one metre the line is below the middle by three tenths of half the picture, and to the
        // right by one tenth.
        let [down, right] = [0.3, 0.1].map(|part| part * 256.0f64);
        for y in 0..SIZE {
            let (sum, middle) = coverage.across(true, y, 0..SIZE);
            let below = f64::from(y) + 0.5 - 256.0;
            if (2.0..down - 2.0).contains(&below) {
                let off = middle - (256.0 + below / 3.0);
                assert!(sum > 0.4 && off.abs() < 0.4, "row {y}: {sum:.2}, {off:.2} off");
            } else if !(-2.0..down + 2.0).contains(&below) {
                assert_eq!(sum, 0.0, "row {y}");
            }
        }
        let (sum, length) = (coverage.0.iter().sum::<f64>(), down.hypot(right));
        assert!((sum - length).abs() < 0.1 * length, "{sum:.2} pixels of {length:.2}");
    }
}

/// Vertical lines from the middle upwards: moved by a joint of the first and of the second set, by a morph
/// target, and by two instances.
#[test]
fn lines_go_where_their_vertices_do() {
    let line: [f32; 6] = [0.0, 0.0, 0.0, 0.0, 20.0, 0.0];
    let joints: [u8; 8] = [1, 0, 0, 0, 1, 0, 0, 0];
    let joints: [f32; 2] = bytemuck::cast(joints);
    let none = [0.0f32; 8];
    let whole = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0f32];
    let delta = [200.5, 0.0, 0.0, 200.5, 0.0, 0.0f32];
    let places = [-150.0, 60.0, 0.0, -90.0, 60.0, 0.0f32];
    let lists: [(&str, &[f32]); 6] = [
        ("VEC3", &line),
        ("SCALAR", &joints),
        ("VEC4", &none),
        ("VEC4", &whole),
        ("VEC3", &delta),
        ("VEC3", &places),
    ];
    let skinned = |sets: Value| {
        let mut attributes = sets;
        attributes["POSITION"] = json!(0);
        json!({"primitives": [{"attributes": attributes, "mode": 1, "material": 0}]})
    };
    let rigid = json!({"primitives": [{"attributes": {"POSITION": 0}, "mode": 1, "material": 0,
        "targets": [{"POSITION": 4}]}], "weights": [0.5]});
    let instanced =
        json!({"primitives": [{"attributes": {"POSITION": 0}, "mode": 1, "material": 0}]});
    let joint = |x: f32, y: f32| json!({"translation": [x, y, 0]});
    let mut file = file(
        &lists,
        json!({
            "extensionsUsed": ["KHR_materials_unlit", "EXT_mesh_gpu_instancing"],
            "scenes": [{"nodes": [0, 1, 2, 3, 4, 5, 6, 7]}],
            "nodes": [
                {"camera": 0, "translation": [0, 0, 10]},
                joint(0.0, 0.0), joint(30.25, 0.0), joint(-70.5, -60.0),
                {"mesh": 0, "skin": 0}, {"mesh": 1, "skin": 1}, {"mesh": 2}, {"mesh": 3,
                "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 5}}}},
            ],
            "skins": [{"joints": [1, 2]}, {"joints": [1, 3]}],
            "meshes": [
                skinned(json!({"JOINTS_0": 1, "WEIGHTS_0": 3})),
                skinned(json!({"JOINTS_0": 1, "WEIGHTS_0": 2, "JOINTS_1": 1, "WEIGHTS_1": 3})),
                rigid,
                instanced,
            ],
        }),
    );
    file["accessors"][1] =
        json!({"bufferView": 1, "componentType": 5121, "count": 2, "type": "VEC4"});
    let coverage = Coverage::of(&file);
    let mut expected = 0.0;
    for (x, y) in [(30.25, 0.0), (-70.5, -60.0), (100.25, 0.0), (-150.0, 60.0), (-90.0, 60.0)] {
        let (column, row) = (256.0 + x, (256.0 - y) as u32);
        let range = column as u32 - 5..column as u32 + 5;
        for row in row - 19..row - 1 {
            let (sum, middle) = coverage.across(true, row, range.clone());
            assert!((sum - 1.0).abs() < 0.02, "{x} {y}: {sum:.3} pixels");
            assert!((middle - column).abs() < 0.13, "{x} {y}: {:.3} off", middle - column);
        }
        expected += 20.0;
    }
    let sum: f64 = coverage.0.iter().sum();
    assert!((sum - expected).abs() < 1.0, "{sum} pixels are covered, not {expected}");
}

/// Opens a device, optionally one whose vertex shaders can't read storage buffers. On that one, the adapter
/// draws the lines.
fn gpu(lists: bool) -> Gpu {
    let gpu = Gpu::headless_within(&adapter_choice(), |limits| match lists {
        true => limits,
        false => wgpu::Limits { max_storage_buffers_per_shader_stage: 0, ..limits },
    });
    gpu.unwrap()
}

/// If vertex shaders can't read storage buffers, the adapter draws the lines.
#[test]
fn an_adapter_without_storage_draws_lines_too() {
    let gpu = gpu(false);
    let ends = [place(100.0, 100.5), place(400.0, 100.5)].concat();
    let lines = file(&[("VEC3", &ends)], json!({})).to_string().into_bytes();
    let creature = CREATURE.to_vec();
    for (file, pass, least) in [(lines, Pass::Shaded, 50), (creature, Pass::Wireframe, 1000)] {
        let loaded = load_bytes(file, &ImportOptions::default()).unwrap();
        let look = Look { pass, ..Look::default() };
        let options = SessionOptions { look, ..SessionOptions::default() };
        let source = FileSource::BuiltIn { name: "lines", bytes: &[] };
        let mut session = session(source, loaded, options);
        let Picture::Rgba8 { bytes, .. } = picture(&gpu, &mut session, [256, 256]).unwrap() else {
            panic!("not a colour picture")
        };
        gpu.check().unwrap();
        let bright = bytes.chunks(4).filter(|pixel| pixel[0] > 120).count();
        assert!(bright >= least, "{pass:?}: {bright} pixels");
    }
}

/// Characters made of lines, in parts of eight joints, with and without morph targets, each at its own time:
/// they match the adapter's own lines except for fractions of pixels.
#[test]
fn a_crowd_of_lines_stands_where_each_does() {
    let options = ImportOptions { joint_limit: 8, ..ImportOptions::default() };
    for morphs in [true, false] {
        let mut model = load_bytes(CREATURE.to_vec(), &options).unwrap().model;
        let white = Material { unlit: true, ..Material::default() };
        model.materials.fill(white);
        for primitive in model.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
            primitive.mode = Mode::Lines;
            for part in &mut primitive.parts {
                // Indices are pairs now, not triples.
                part.indices = part.indices.start.next_multiple_of(2)..part.indices.end / 2 * 2;
            }
            if !morphs {
                primitive.targets.clear();
            }
        }
        let shown = |lists: bool, seconds: f64| {
            let gpu = gpu(lists);
            let mut crowd = Crowd::new(&gpu, &model, model.clips.first(), 13, [400, 300]).unwrap();
            let times = crowd.times_secs.iter_mut().enumerate();
            times.for_each(|(i, time)| *time = seconds + 0.07 * i as f64);
            crowd.draw(&gpu).unwrap();
            let Picture::Rgba8 { bytes, .. } = crowd.picture(&gpu).unwrap() else {
                panic!("not a colour picture")
            };
            gpu.check().unwrap();
            bytes
        };
        // Pixels whose coverage differs by more than half.
        let differ = |a: &[u8], b: &[u8]| {
            let far = |(a, b): (&[u8], &[u8])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 130);
            a.chunks(4).zip(b.chunks(4)).filter(|pair| far(*pair)).count()
        };
        let ours = shown(true, 0.0);
        let moved = differ(&ours, &shown(true, 0.4));
        let off = differ(&ours, &shown(false, 0.0));
        assert!(moved > 1000 && 20 * off < moved, "{off} pixels are off, {moved} moved");
    }
}

/// Points in the middle of pixels, at rest, skinned, and instanced.
#[test]
fn points_are_three_pixels_wide_in_the_default_look_only() {
    let points: [f32; 6] =
        [place(100.5, 100.5), place(300.5, 200.5)].as_flattened().try_into().unwrap();
    let joints: [f32; 2] = bytemuck::cast([0u8; 8]);
    let weights = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0f32];
    let places = [0.0, 30.0, 0.0, 0.0, 60.0, 0.0f32];
    let lists: [(&str, &[f32]); 4] =
        [("VEC3", &points), ("SCALAR", &joints), ("VEC4", &weights), ("VEC3", &places)];
    let mesh = |attributes: Value| json!({"primitives": [{"attributes": attributes, "mode": 0, "material": 0}]});
    let mut file = file(
        &lists,
        json!({
            "extensionsUsed": ["KHR_materials_unlit", "EXT_mesh_gpu_instancing"],
            "scenes": [{"nodes": [0, 1, 2, 3, 4]}],
            "nodes": [{"camera": 0, "translation": [0, 0, 10]}, {"mesh": 0}, {"translation": [0, -40, 0]},
                {"mesh": 1, "skin": 0}, {"mesh": 0,
                "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 3}}}}],
            "skins": [{"joints": [2]}],
            "meshes": [mesh(json!({"POSITION": 0})),
                mesh(json!({"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}))],
        }),
    );
    file["accessors"][1] =
        json!({"bufferView": 1, "componentType": 5121, "count": 2, "type": "VEC4"});
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (model, out) = (path("points.gltf"), path("out.png"));
    std::fs::write(&model, file.to_string()).unwrap();
    let covered = |args: &[&str]| {
        let words = ["--camera", "0", "--size", "512x512", "--rest", "--background", "#000000"];
        rigview([&["screenshot", &model, "-o", &out], &words[..], args].concat()).done();
        let picture = image::open(Path::new(&out)).unwrap().into_rgb8();
        let bright = picture.enumerate_pixels().filter(|(_, _, p)| p.0[0] > 128);
        bright.map(|(x, y, _)| [x, y]).collect::<Vec<_>>()
    };
    let centres: Vec<[u32; 2]> = [-60, -30, 0, 40]
        .into_iter()
        .flat_map(|down| {
            [[100, 100 + down], [300, 200 + down]].map(|at: [i32; 2]| at.map(|n| n as u32))
        })
        .collect();
    let sorted = |mut pixels: Vec<[u32; 2]>| {
        pixels.sort_unstable();
        pixels
    };
    let square = |[x, y]: &[u32; 2]| {
        let (x, y) = (*x, *y);
        (x - 1..=x + 1).flat_map(move |x| (y - 1..=y + 1).map(move |y| [x, y])).collect::<Vec<_>>()
    };
    let wide: Vec<[u32; 2]> = centres.iter().flat_map(square).collect();
    assert_eq!(sorted(covered(&[])), sorted(wide));
    let narrow = sorted(centres);
    assert_eq!(sorted(covered(&["--environment", "uniform:1"])), narrow);
    assert_eq!(sorted(covered(&["--lights", "none"])), narrow);
    assert_eq!(sorted(covered(&["--pass", "albedo"])), narrow);
}
