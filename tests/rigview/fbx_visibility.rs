//! FBX nodes that appear, disappear and fade.

use rigview::import::Loaded;

use crate::fbx::{TRIANGLE, node, posed, read};
use crate::support::{Curve, Fbx};

/// A skinned mesh hangs on a node of its own, which appears and disappears with the nodes above it.
#[test]
fn nodes_appear_and_disappear_as_their_curves_say() {
    let mut file = Fbx::new();
    let bone = file.node("bone", "LimbNode", 0, &[]);
    let seen = "\"Visibility\", \"Visibility\", \"\", \"A\",1";
    let group = file.node("group", "Null", 0, &[seen]);
    let up = "\"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",0,0,700";
    let mesh = file.node("mesh", "Mesh", group, &[up]);
    let geometry = file.polygon(mesh, &TRIANGLE);
    file.skin(geometry, &[(bone, [0.0; 3], &[(0, 1.0), (1, 1.0), (2, 1.0)])]);
    let take = file.take("Blink", 1.0, 4.0);
    let visible = ["Visibility", "d|Visibility"];
    file.animate(take, group, visible, Curve::Constant, &[[1.0, 1.0], [2.0, 0.0], [3.0, 1.0]]);
    let Loaded { model, warnings, .. } = read(&file);
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(model.clips[0].duration_secs(), 3.0);
    let drawn = model.nodes.iter().position(|node| node.mesh.is_some()).unwrap();
    assert_ne!(drawn, node(&model, "mesh"));
    for (time, shown) in [(0.0, true), (0.99, true), (1.01, false), (1.99, false), (2.01, true)] {
        let stage = posed(&model, Some(time));
        for node in [drawn, node(&model, "mesh"), node(&model, "group")] {
            assert_eq!(stage.visible[node], shown, "{node} at {time}");
        }
        assert!(stage.visible[node(&model, "bone")]);
    }
}

/// A skinned mesh that hangs on a node of its own does not have the name of another node, hidden or not.
#[test]
fn nodes_of_skinned_meshes_have_names_of_their_own() {
    for visible in [0, 1] {
        let mut file = Fbx::new();
        let bone = file.node("bone", "LimbNode", 0, &[]);
        let seen = format!("\"Visibility\", \"Visibility\", \"\", \"A\",{visible}");
        let up = "\"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",0,0,700";
        let mesh = file.node("mesh", "Mesh", 0, &[up, &seen]);
        let geometry = file.polygon(mesh, &TRIANGLE);
        file.skin(geometry, &[(bone, [0.0; 3], &[(0, 1.0), (1, 1.0), (2, 1.0)])]);
        let model = read(&file).model;
        let names: Vec<_> = model.nodes.iter().map(|node| node.name.as_deref().unwrap()).collect();
        assert_eq!(names.iter().filter(|name| **name == "mesh").count(), 1, "{names:?}");
        assert!(names.contains(&"mesh (skin)"), "{names:?}");
    }
}

/// The number that shows a node counts while it is above 0, and a warning names nodes where it is in between.
#[test]
fn nodes_that_fade_are_shown_until_nothing_of_them_is_left() {
    for (value, take_too) in [("0.5", false), ("1", true)] {
        let mut file = Fbx::new();
        let seen = format!("\"Visibility\", \"Visibility\", \"\", \"A\",{value}");
        let ghost = file.node("ghost", "Mesh", 0, &[&seen]);
        file.polygon(ghost, &TRIANGLE);
        if take_too {
            let take = file.take("Fade", 0.0, 3.0);
            let visible = ["Visibility", "d|Visibility"];
            file.animate(take, ghost, visible, Curve::Linear, &[[1.0, 1.0], [2.0, 0.0]]);
        }
        let Loaded { model, warnings, .. } = read(&file);
        let said: Vec<_> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains("while their visibility is above 0: \"ghost\""), "{said:?}");
        assert!(posed(&model, None).visible[node(&model, "ghost")]);
        for (time, shown) in [(0.5, true), (1.5, true), (1.99, true), (2.01, false)] {
            let stage = posed(&model, Some(time));
            let shown = shown || !take_too;
            assert_eq!(stage.visible[node(&model, "ghost")], shown, "{value} at {time}");
        }
    }
}
