//! Cases of the shared reference pictures: a model, its pose and the camera that sees it, as the references have them.

use std::path::Path;

use serde_json::Value;

/// Returns the arguments of `screenshot` that draw what a case shows; `models` is the folder of its model.
pub fn case_arguments(case: &Value, models: &Path) -> Vec<String> {
    let model = models.join(case["model"].as_str().unwrap());
    let mut args = vec![model.to_str().unwrap().to_owned()];
    args.push(format!("--size={}x{}", case["width"], case["height"]));
    if case["camera"].is_null() {
        args.extend(["eye", "target", "up"].map(|key| format!("--{key}={}", numbers(&case[key]))));
        for (name, key) in [("fov-y", "fov_y_deg"), ("near", "near"), ("far", "far")] {
            args.push(format!("--{name}={}", case[key]));
        }
    } else {
        args.push(format!("--camera={}", case["camera"]));
    }
    if case["clip"].is_null() {
        args.push("--rest".to_owned());
    } else {
        args.push(format!("--clip={}", case["clip"].to_string().trim_matches('"')));
        args.push(format!("--time={}", case["time"]));
    }
    args
}

/// Returns a list of numbers as options have it.
pub fn numbers(list: &Value) -> String {
    let list = list.as_array().unwrap();
    list.iter().map(Value::to_string).collect::<Vec<_>>().join(",")
}
