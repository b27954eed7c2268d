//! `rigview gpus`, and the choice of an adapter that does not exist.

use crate::support::{command, rigview, run};

#[test]
fn gpus_lists_adapters_with_driver_and_limits() {
    let printed = rigview(["gpus", "--json"]).done();
    let list = printed.json();
    assert_eq!(printed.text().lines().count(), 1);
    let adapters = list["adapters"].as_array().unwrap();
    assert!(!adapters.is_empty());
    let text = rigview(["gpus"]).done();
    for adapter in adapters {
        for key in ["name", "backend", "kind", "driver", "driver_info"] {
            assert!(adapter[key].is_string(), "{key} of {adapter}");
        }
        let limits = adapter["limits"].as_object().unwrap();
        assert!(limits.values().all(|limit| limit.as_u64() > Some(0)), "{adapter}");
        let side = &adapter["limits"]["max_texture_size"];
        let [name, backend] = ["name", "backend"].map(|key| adapter[key].as_str().unwrap());
        assert!(text.text().contains(&format!("{name} ({backend})")), "{}", text.text());
        assert!(text.text().contains(&format!("{side}x{side}")), "{}", text.text());
    }
}

#[test]
fn an_adapter_that_is_not_there_is_4_in_one_line() {
    for args in [
        &["gpus", "--adapter", "no such adapter"][..],
        &["gpus", "--adapter", "no such adapter", "--json"],
        &["screenshot", "-o", "-", "--adapter", "no such adapter"],
    ] {
        let run = rigview(args).failed(4);
        assert!(run.stderr.contains("no such adapter"), "{args:?}: {}", run.stderr);
        assert_eq!(run.text(), "", "{args:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn without_any_adapter_gpus_is_4_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = command();
    command.env("VK_DRIVER_FILES", "/dev/null").env("__EGL_VENDOR_LIBRARY_DIRS", folder.path());
    command.env("__EGL_VENDOR_LIBRARY_FILENAMES", "/dev/null").env_remove("RIGVIEW_ADAPTER");
    let gpus = run(command.args(["gpus", "--backend", "vulkan"])).failed(4);
    assert!(gpus.stderr.contains("driver"), "what to do: {}", gpus.stderr);
    // This system has no Direct3D.
    let gpus = rigview(["gpus", "--backend", "dx12"]).failed(4);
    assert!(gpus.stderr.contains("--backend"), "{}", gpus.stderr);
}

#[test]
fn a_picture_above_the_adapters_limit_is_2_and_names_it() {
    let list = rigview(["gpus", "--json"]).done().json();
    let limit = list["adapters"][0]["limits"]["max_texture_size"].as_u64().unwrap();
    if limit >= 65_536 {
        return;
    }
    let size = format!("{}x1", limit + 1);
    for args in [&["screenshot", "-o", "-", "--size", &size][..], &["bench", "--size", &size]] {
        let run = rigview(args).failed(2);
        assert!(run.stderr.contains(&limit.to_string()), "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains("--size"), "{args:?}: {}", run.stderr);
    }
}
