//! GL draws the same pictures as Vulkan, although its shaders support less.

use std::path::Path;

use serde_json::json;

use crate::support::{Shape, command, run};

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

/// Shadows, ambient occlusion and the contact shadow are the same on both.
#[test]
#[cfg(target_os = "linux")]
fn the_default_look_through_gl_is_that_through_vulkan() {
    let folder = tempfile::tempdir().unwrap();
    for args in [&["--orbit", "30,25"][..], &["--look", "contrast"]] {
        let [gl, vulkan] = ["gl", "vulkan"].map(|backend| shot(folder.path(), backend, args));
        let visible = |(a, b): (&image::Rgb<u8>, &image::Rgb<u8>)| {
            a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > 8)
        };
        let differ = gl.pixels().zip(vulkan.pixels()).filter(|pair| visible(*pair)).count();
        assert!(differ as f64 <= 0.003 * 160.0 * 160.0, "{args:?}: {differ} pixels differ");
    }
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
