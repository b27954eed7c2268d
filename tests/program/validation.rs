//! The driver's validation layer finds no fault in what rigview asks of Vulkan.
//!
//! It checks every command against the specification and the order of all accesses to memory. A fault that one
//! driver forgives draws a wrong picture, or none, with another.

use std::path::Path;

use serde_json::json;

use crate::support::{Shape, command, for_each, run, say_at_the_end};

const LAYER: &str = "VK_LAYER_KHRONOS_validation";

/// Runs the program with the layer, and returns what the layer wrote, or `None` if it isn't installed.
fn findings(folder: &Path, args: &[&str]) -> Option<String> {
    let own = tempfile::tempdir_in(folder).unwrap();
    let [settings, log, output] =
        ["vk_layer_settings.txt", "log", "output.png"].map(|name| own.path().join(name));
    let lines = [
        ("debug_action", "VK_DBG_LAYER_ACTION_LOG_MSG"),
        ("report_flags", "error,warn"),
        ("enables", "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT"),
        ("log_filename", log.to_str().unwrap()),
    ];
    let lines = lines.map(|(name, value)| format!("khronos_validation.{name} = {value}\n"));
    std::fs::write(&settings, lines.concat()).unwrap();
    let mut command = command();
    command.env("VK_INSTANCE_LAYERS", LAYER).env("VK_LAYER_SETTINGS_PATH", settings);
    command.env("RIGVIEW_BACKEND", "vulkan").args(args);
    if args[0] == "screenshot" {
        command.args(["--size", "160x160", "-o"]).arg(output);
    }
    run(&mut command).done();
    // The layer makes this file when the program opens Vulkan, and writes nothing if it finds nothing.
    std::fs::read_to_string(log).ok()
}

#[test]
#[cfg(target_os = "linux")]
fn the_validation_layer_finds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: Vec<u8>| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let glass = json!({"extensions": {"KHR_materials_transmission": {"transmissionFactor": 1}}});
    let glass = write("glass.gltf", Shape::ball().material(glass).gltf());
    let blended =
        write("blended.gltf", Shape::ball().material(json!({"alphaMode": "BLEND"})).gltf());
    let runs: &[&[&str]] = &[
        &["screenshot"],
        &["screenshot", "--no-background", "--samples", "16", "--look", "contrast"],
        &["screenshot", "--skeleton", "--joint-names", "--grid", "--bounds", "--onion-skin", "2"],
        &["screenshot", "--pass", "wireframe", "--normals", "--trail", "head"],
        &["screenshot", "--pass", "weights", "--ambient-occlusion", "off"],
        &["screenshot", "--pass", "mask"],
        &["screenshot", "--show-environment", &glass],
        &["screenshot", "--lights", "none", &blended],
        &["pose", "--gpu", "--compare"],
        &["bench", "--instances", "9", "--size", "320x240"],
    ];
    let found = for_each(runs, |args| findings(folder.path(), args));
    if found.iter().all(Option::is_none) {
        say_at_the_end(format!("{LAYER}: not installed, so no command was validated"));
        return;
    }
    for (args, found) in runs.iter().zip(found) {
        assert_eq!(found.as_deref(), Some(""), "{args:?}");
    }
}
