//! Links the icon and the manifest into the program for Windows. Other systems need no build script.

fn main() {
    println!("cargo::rerun-if-changed=packaging/windows");
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("OS") != "windows" {
        return;
    }
    let form = match (target("ENV").as_str(), target("ARCH").as_str()) {
        ("msvc", _) => "res",
        ("gnu", "x86_64") => "o",
        // No compiled form fits the linker; the program works without its icon.
        _ => return,
    };
    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    println!("cargo::rustc-link-arg-bins={folder}/packaging/windows/rigview.{form}");
}
