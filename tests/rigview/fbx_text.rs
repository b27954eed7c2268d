//! Text FBX files that are cut short or badly edited.

use rigview::import::{ImportOptions, Loaded, WarningCode, load_bytes};

use crate::fbx::{TRIANGLE, read};
use crate::support::{Curve, Fbx, rigview};

/// A turning triangle.
fn sound() -> String {
    let mut file = Fbx::new();
    let node = file.node("flag", "Mesh", 0, &[]);
    file.polygon(node, &TRIANGLE);
    let take = file.take("Wave", 0.0, 1.0);
    file.animate(take, node, ["Lcl Rotation", "d|Z"], Curve::Linear, &[[0.0, 0.0], [1.0, 40.0]]);
    let Loaded { model, warnings, .. } = read(&file);
    assert_eq!((model.meshes.len(), model.clips.len(), warnings.len()), (1, 1, 0));
    file.text()
}

fn load(text: &str) -> Result<Loaded, String> {
    load_bytes(text.as_bytes().to_vec(), &ImportOptions::default()).map_err(|e| e.to_string())
}

/// Returns the number of the first line that has some text, and the text with another one in its place.
fn edited(text: &str, before: &str, after: &str) -> (usize, String) {
    let at = text.find(before).unwrap_or_else(|| panic!("no {before}"));
    (1 + text[..at].matches('\n').count(), text.replacen(before, after, 1))
}

/// Only between two sections is a part of a file a file.
#[test]
fn a_text_that_is_cut_short_is_refused() {
    let text = sound();
    let (mut open, mut last) = (0, ' ');
    for (at, c) in text.char_indices() {
        // A part of a number or of a name may be one.
        if open > 0 && !c.is_alphanumeric() && c != last {
            let error = load(&text[..at]).unwrap_err();
            let line = text[..at].matches('\n').count() + 1;
            assert!(error.contains(&format!("line {line} ")), "{at}: {error}");
            assert!(error.contains("the file is cut short, or a closing"), "{at}: {error}");
        }
        match c {
            '{' => open += 1,
            '}' => open -= 1,
            _ => {}
        }
        last = c;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.fbx");
    std::fs::write(&path, &text[..text.len() - 3]).unwrap();
    let path = path.to_str().unwrap();
    for command in
        [&["info", path][..], &["check", path], &["convert", path, "-o", "unwritten.glb"]]
    {
        let run = rigview(command);
        assert_eq!(run.code, Some(3), "{}", run.ended());
        let said = format!("{}{}", run.text(), run.stderr);
        assert!(said.contains("ends within the section \"Connections\" of line"), "{said}");
    }
}

#[test]
fn a_text_without_one_of_its_sections_has_a_warning() {
    let text = sound();
    let codes = |text: &str| {
        let warnings = load(text).unwrap().warnings.into_iter();
        warnings.map(|warning| (warning.code, warning.message)).collect::<Vec<_>>()
    };
    for (section, said) in [
        ("Connections:", "the file has no section \"Connections\""),
        ("Objects:", "the file has no section \"Objects\""),
    ] {
        let found = codes(&text[..text.find(section).unwrap()]);
        let [(WarningCode::FileDefect, message)] = &found[..] else { panic!("{found:?}") };
        assert!(message.starts_with(said), "{message}");
    }
    // A scene without objects has nothing to connect.
    let empty = Fbx::new().text();
    assert_eq!(codes(&empty), []);
    assert_eq!(codes(&empty[..empty.find("Connections:").unwrap()]), []);
}

#[test]
fn braces_that_do_not_match_are_refused_with_a_line() {
    let text = sound();
    let (_, more) = edited(&text, "Version: 232", "Version: 232 }");
    // It closes the node, the node's own brace closes the section, and that of the section nothing.
    let line = more[..more.find("Connections").unwrap()].matches('\n').count();
    let error = load(&more).unwrap_err();
    assert!(error.contains(&format!("line {line} has a closing brace")), "{error}");
    let (_, fewer) = edited(&text, "\"Mesh\" {", "\"Mesh\"");
    let error = load(&fewer).unwrap_err();
    assert!(error.contains("has a closing brace that nothing opens"), "{error}");
    let error = load(&format!("{text}}}\n")).unwrap_err();
    assert!(error.contains(&format!("line {} has a closing", text.lines().count() + 1)), "{error}");
    // Braces in texts and comments are none.
    let (_, named) = edited(&text, "Model::flag", "Model::} flag {{ ; \u{e9}");
    let (_, named) = edited(&named, "Objects:  {\n", "Objects:  {\n; a } brace \"\n");
    let loaded = load(&named).unwrap();
    assert_eq!(loaded.model.nodes[0].name.as_deref(), Some("} flag {{ ; \u{e9}"));
    assert_eq!(loaded.warnings, []);
}

#[test]
fn a_text_that_is_damaged_is_refused() {
    let text = sound();
    let cases = [
        ("Objects:  {", "<<<<<<< HEAD\nObjects:  {"),
        ("\"Model::flag\"", "\"Model::flag"),
        ("Version: 232", "Version: 23.2.1"),
        ("Version: 232", "Version 232"),
    ];
    for (before, after) in cases {
        let (_, broken) = edited(&text, before, after);
        let error = load(&broken).unwrap_err();
        assert!(error.contains("export"), "{after}: {error}");
    }
    let (line, hole) = edited(&text, "Geometry:", "\0\0\0\nGeometry:");
    let error = load(&hole).unwrap_err();
    assert!(error.contains(&format!("line {line} has a character of code 0")), "{error}");
    // Padding after the end is none.
    assert_eq!(load(&format!("{text}\n\0\0\0")).unwrap().warnings, []);
}
