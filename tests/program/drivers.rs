//! All drivers draw the same pictures: GL, although its shaders support less, and SwiftShader, although its grid of corners is
//! coarser.

use std::path::Path;

use serde_json::json;

use crate::support::{Shape, command, models_below, rigview, run, say_at_the_end, shared};

/// Draws a picture with a backend.
fn shot(folder: &Path, backend: &str, args: &[&str]) -> image::RgbImage {
    let out = folder.join(format!("{backend}.png"));
    let mut command = command();
    command.args(["screenshot", "--size", "160x160", "--backend", backend, "-o"]).arg(&out);
    run(command.args(args)).done();
    image::open(out).unwrap().to_rgb8()
}

/// Returns the root mean square difference of two pictures, from 0 to 1.
fn difference(a: &image::RgbImage, b: &image::RgbImage) -> f64 {
    let off = |(a, b): (&u8, &u8)| (f64::from(a.abs_diff(*b)) / 255.0).powi(2);
    (a.iter().zip(b.iter()).map(off).sum::<f64>() / a.len() as f64).sqrt()
}

#[test]
#[cfg(target_os = "linux")]
fn pictures_through_gl_are_those_through_vulkan() {
    let folder = tempfile::tempdir().unwrap();
    let glass = folder.path().join("glass.gltf");
    let material = json!({"extensions": {"KHR_materials_transmission": {"transmissionFactor": 1}}});
    std::fs::write(&glass, Shape::ball().material(material).gltf()).unwrap();
    let glass = glass.to_str().unwrap();
    let pictures: [&[&str]; 8] = [
        &[],
        &["--pass", "ambient-occlusion"],
        &["--skeleton", "--joint-names", "--grid"],
        &["--pass", "clay", "--background", "#ffffff"],
        &["--pass", "weights"],
        &["--pass", "normal"],
        &["--pass", "mask"],
        &["--show-environment", glass],
    ];
    for args in pictures {
        let [gl, vulkan] = ["gl", "vulkan"].map(|backend| shot(folder.path(), backend, args));
        let blank = image::RgbImage::from_pixel(160, 160, *vulkan.get_pixel(0, 0));
        let (off, shown) = (difference(&gl, &vulkan), difference(&blank, &vulkan));
        assert!(off < 0.02 && shown > 0.03, "{args:?}: {off} off, {shown} shown");
    }
}

/// Returns the share of the pixels that differ by more than 8 of 255.
fn visible_share(a: &image::RgbImage, b: &image::RgbImage) -> f64 {
    let visible = |(a, b): (&image::Rgb<u8>, &image::Rgb<u8>)| {
        a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > 8)
    };
    let differ = a.pixels().zip(b.pixels()).filter(|pair| visible(*pair)).count();
    differ as f64 / a.pixels().len() as f64
}

/// Shadows, ambient occlusion and the contact shadow are the same on both.
#[test]
#[cfg(target_os = "linux")]
fn the_default_look_through_gl_is_that_through_vulkan() {
    let folder = tempfile::tempdir().unwrap();
    for args in [&["--orbit", "30,25"][..], &["--look", "contrast"]] {
        let [gl, vulkan] = ["gl", "vulkan"].map(|backend| shot(folder.path(), backend, args));
        let share = visible_share(&gl, &vulkan);
        assert!(share <= 0.003, "{args:?}: {share} of the pixels differ");
    }
}

/// Where Debian's package `chromium` has SwiftShader.
const SWIFTSHADER: &str = "/usr/lib/chromium/vk_swiftshader_icd.json";

/// Models of which SwiftShader draws no edge wrongly: it reads depth beside the samples of a pixel, so that a back shows at the
/// edge of a side.
const MODELS: [&str; 8] = [
    "AlphaBlendModeTest",
    "BoxTextured",
    "CesiumMan",
    "CesiumMilkTruck",
    "Fox",
    "NormalTangentTest",
    "OrientationTest",
    "SimpleSkin",
];

#[test]
#[cfg(target_os = "linux")]
fn the_default_look_of_models_is_that_of_other_drivers() {
    const TEST: &str = "the_default_look_of_models_is_that_of_other_drivers";
    let Some(shared) = shared(TEST) else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = |model: &str| {
        let files = models_below(&shared.join("models").join(model));
        files.into_iter().next().unwrap_or_else(|| panic!("no model {model}"))
    };
    let out = |driver: &str, model: &str| folder.path().join(format!("{model}.{driver}.png"));
    let draw = |driver: &str, backend: &str, files: Option<&str>| {
        let line =
            |model: &str| json!({"args": [file(model), "-o", out(driver, model)]}).to_string();
        let list = folder.path().join(format!("{driver}.jsonl"));
        std::fs::write(&list, MODELS.map(line).join("\n")).unwrap();
        let mut command = command();
        files.map(|files| command.env("VK_DRIVER_FILES", files));
        command.args(["screenshot", "--size", "256x256", "--backend", backend, "--list"]).arg(list);
        run(&mut command).done();
    };
    let mut others = vec!["gl"];
    draw("vulkan", "vulkan", None);
    draw("gl", "gl", None);
    if Path::new(SWIFTSHADER).is_file() {
        others.push("swiftshader");
        draw("swiftshader", "vulkan", Some(SWIFTSHADER));
    } else {
        say_at_the_end(format!("{TEST}: no SwiftShader at {SWIFTSHADER}"));
    }
    for model in MODELS {
        let open = |driver: &str| image::open(out(driver, model)).unwrap().to_rgb8();
        for driver in &others {
            let share = visible_share(&open(driver), &open("vulkan"));
            assert!(share <= 0.003, "{model}: {share} of the pixels differ through {driver}");
        }
    }
}

/// A corner that moved to the grid without its depth would tilt its surface by more than the distance of a decal.
#[test]
fn a_thin_layer_is_before_its_surface_although_corners_lie_on_a_grid() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("layer.gltf");
    let mut model: serde_json::Value = serde_json::from_slice(&Shape::square().gltf()).unwrap();
    let mut layer = model["meshes"][0].clone();
    layer["primitives"][0]["material"] = json!(1);
    model["meshes"].as_array_mut().unwrap().push(layer);
    let unlit = |color: [f32; 4]| {
        json!({"extensions": {"KHR_materials_unlit": {}},
            "pbrMetallicRoughness": {"baseColorFactor": color}})
    };
    model["materials"] = json!([unlit([1.0, 0.0, 0.0, 1.0]), unlit([0.0, 0.0, 1.0, 1.0])]);
    model["extensionsUsed"] = json!(["KHR_materials_unlit"]);
    model["scenes"][0]["nodes"] = json!([0, 1]);
    let mut blue = |distance: f64, orbit: &str| {
        model["nodes"] = json!([{"mesh": 0},
            {"mesh": 1, "translation": [0.013, 0.007, distance], "scale": [0.371, 0.433, 1]}]);
        std::fs::write(&file, model.to_string()).unwrap();
        let out = folder.path().join("layer.png");
        let [file, out] = [&file, &out].map(|path| path.to_str().unwrap());
        let args = ["screenshot", file, "-o", out, "--orbit", orbit, "--size", "256x256"];
        rigview(args.into_iter().chain(["--samples", "1"])).done();
        let picture = image::open(out).unwrap().to_rgb8();
        picture.pixels().filter(|pixel| pixel.0[2] > 180 && pixel.0[0] < 90).count()
    };
    for orbit in ["40,20", "62,11", "-55,33", "71,-8"] {
        let [near, far] = [1e-4, 2e-3].map(|distance| blue(distance, orbit));
        assert!(far > 500 && near.abs_diff(far) * 50 <= far, "{orbit}: {near} of {far} pixels");
    }
}

/// Rasterizers have grids of their own, which would differ by driver.
#[test]
fn corners_lie_on_a_grid_of_sixteenths_of_a_pixel() {
    let folder = tempfile::tempdir().unwrap();
    // A square whose corners lie on corners of pixels, and whose edges are slanted.
    const PIXELS_PER_METRE: f64 = 128.0;
    let mask = |shift: f64| {
        let [file, out] = ["square.gltf", "mask.png"].map(|name| folder.path().join(name));
        let mut square: serde_json::Value =
            serde_json::from_slice(&Shape::square().gltf()).unwrap();
        let [a, b, x] = [96.0, 29.0, shift].map(|at| at / PIXELS_PER_METRE);
        square["nodes"][0]["matrix"] = json!([a, b, 0, 0, -b, a, 0, 0, 0, 0, 1, 0, x, 0, 0, 1]);
        std::fs::write(&file, square.to_string()).unwrap();
        let [file, out] = [file, out].map(|path| path.to_str().unwrap().to_owned());
        let camera = ["--eye=0,0,5", "--target=0,0,0", "--orthographic", "4", "--size", "512x512"];
        let args = ["screenshot", &file, "-o", &out, "--samples", "1"];
        rigview(args.into_iter().chain(camera)).done();
        image::open(out)
            .unwrap()
            .to_rgb8()
            .pixels()
            .map(|pixel| pixel.0[1] > 140)
            .collect::<Vec<_>>()
    };
    let still = mask(0.0);
    assert_eq!(mask(0.025), still);
    assert_eq!(mask(-0.025), still);
    assert_ne!(mask(0.125), still);
    assert!(still.contains(&true) && still.contains(&false));
}

/// A program with Mesa's GL of an older version, with or without compute shaders.
fn old_gl(computes: bool) -> std::process::Command {
    let mut command = command();
    command.env("MESA_GL_VERSION_OVERRIDE", "3.3").env("MESA_GLSL_VERSION_OVERRIDE", "330");
    if !computes {
        command.env("MESA_EXTENSION_OVERRIDE", "-GL_ARB_compute_shader");
    }
    command
}

#[test]
#[cfg(target_os = "linux")]
fn gl_3_draws_the_pictures_of_gl_4() {
    let folder = tempfile::tempdir().unwrap();
    for args in [&["--time", "0.5"][..], &["--skeleton", "--bounds", "--pass", "weights"]] {
        let gl_4 = shot(folder.path(), "gl", args);
        let out = folder.path().join("gl_3.png");
        let mut command = old_gl(false);
        command.args(["screenshot", "--size", "160x160", "--backend", "gl", "-o"]).arg(&out);
        run(command.args(args)).done();
        assert_eq!(image::open(out).unwrap().to_rgb8(), gl_4, "{args:?}");
    }
}

/// NVIDIA's driver offers GL 3.3 with compute shaders, for which wgpu binds resources wrongly.
#[test]
#[cfg(target_os = "linux")]
fn a_version_of_gl_that_draws_wrong_pictures_is_left_out() {
    let refused = run(old_gl(true).args(["gpus", "--backend", "gl"])).failed(4);
    for part in ["no GPU adapter for backend `gl`", "llvmpipe", "left out"] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    // Where others are used, it is named in the list, and no warning is printed.
    let text = run(old_gl(true).arg("gpus")).done();
    assert_eq!(text.stderr, "");
    assert!(text.text().contains("(gl) is left out"), "{}", text.text());
    let list = run(old_gl(true).args(["gpus", "--json"])).done().json();
    assert_eq!(list["left_out"].as_array().unwrap().len(), 1, "{list}");
    assert!(list["adapters"].as_array().unwrap().iter().all(|a| a["backend"] != "gl"), "{list}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_picture_that_gl_does_not_draw_is_refused_in_one_line() {
    let out = tempfile::tempdir().unwrap();
    let mut command = command();
    command.args(["screenshot", "--pass", "depth", "--backend", "gl", "-o"]);
    let run = run(command.arg(out.path().join("depth.png")));
    // Some GL adapters support it.
    if run.code != Some(0) {
        assert!(run.failed(4).stderr.contains("the gl adapter cannot draw the pass depth"));
    }
}
