//! Meshes whose triangles are spread over nodes or primitives in another way, while what is drawn stays the same.

use serde_json::{Value, json};

use super::{Models, floats, kinds, text};

/// The corners of a tetrahedron, and those of its faces. Each face touches three of the four places, so that two faces have
/// all places of the whole.
const CORNERS: [[f32; 3]; 4] = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

/// The faces that are changed: elsewhere on their texture, or wound the other way round.
#[derive(Clone, Copy, Default)]
struct Changed<'a> {
    moved: &'a [usize],
    turned: &'a [usize],
}

/// Faces with normals and texture coordinates of their own.
fn primitive(json: &mut Value, faces: &[usize], changed: Changed<'_>, material: usize) -> Value {
    let Changed { moved, turned } = changed;
    let order = |face: usize| if turned.contains(&face) { [0, 2, 1] } else { [0, 1, 2] };
    let places = |face: usize| order(face).map(|corner| CORNERS[FACES[face][corner]]);
    let places: Vec<f32> = faces.iter().flat_map(|face| places(*face)).flatten().collect();
    let normal =
        |face: usize| [[0., 0., -1.], [0., -1., 0.], [-1., 0., 0.], [0.577, 0.577, 0.577]][face];
    let normals: Vec<f32> = faces.iter().flat_map(|f| normal(*f).repeat(3)).collect();
    let uv = |face: usize| {
        let x = 0.1 * face as f32 + if moved.contains(&face) { 0.02 } else { 0.0 };
        order(face).map(|corner| [[x, 0.], [x + 0.05, 0.], [x, 0.05]][corner])
    };
    let uvs: Vec<f32> = faces.iter().flat_map(|face| uv(*face)).flatten().collect();
    let attributes = json!({
        "POSITION": floats(json, "VEC3", &places),
        "NORMAL": floats(json, "VEC3", &normals),
        "TEXCOORD_0": floats(json, "VEC2", &uvs),
    });
    json!({"attributes": attributes, "material": material})
}

/// Writes a model whose nodes draw these faces: by node, those of its primitives. The `moved` ones are elsewhere on their texture.
fn write(models: &Models, name: &str, nodes: &[&[&[usize]]], moved: &[usize]) {
    write_changed(models, name, nodes, Changed { moved, turned: &[] });
}

fn write_changed(models: &Models, name: &str, nodes: &[&[&[usize]]], changed: Changed<'_>) {
    models.write(name, &[], |json| {
        json["materials"] = json!([{"name": "tin"}, {"name": "glass", "doubleSided": true}]);
        let mut meshes = Vec::new();
        for (i, primitives) in nodes.iter().enumerate() {
            let each = primitives.iter().enumerate();
            let each: Vec<Value> =
                each.map(|(m, faces)| primitive(json, faces, changed, m)).collect();
            meshes.push(json!({"name": format!("part {i}"), "primitives": each}));
        }
        json["meshes"] = json!(meshes);
        let node = |i: usize| json!({"name": format!("node {i}"), "mesh": i});
        json["nodes"] = (0..nodes.len()).map(node).collect();
        json["scenes"][0]["nodes"] = (0..nodes.len()).collect();
    });
}

/// Returns what `diff` says of changed objects with what is different.
fn said(got: &Value) -> Vec<&str> {
    let all = got["structure"].as_array().unwrap().iter();
    all.map(|change| change["what"].as_str().unwrap()).filter(|what| !what.is_empty()).collect()
}

#[test]
fn a_mesh_that_was_cut_into_nodes_has_no_holes_and_other_attributes() {
    let models = Models::new();
    write(&models, "whole.gltf", &[&[&[0, 1, 2, 3]]], &[]);
    write(&models, "cut.gltf", &[&[&[0, 1]], &[&[2, 3]]], &[]);
    for (a, b, counts) in [
        ("whole.gltf", "cut.gltf", "triangles 4 -> 2"),
        ("cut.gltf", "whole.gltf", "triangles 2 -> 4"),
    ] {
        let got = models.json(a, b, 1);
        // The parts that were added or removed, and the number of triangles of the other one.
        assert_eq!(kinds(&got), ["node", "mesh", "mesh"], "{got}");
        assert_eq!(said(&got), [counts], "{got}");
        assert_eq!(super::distance(&got["rest"]), 0.0, "{got}");
    }
}

#[test]
fn a_face_that_a_cut_mesh_lost_is_missing() {
    let models = Models::new();
    write(&models, "whole.gltf", &[&[&[0, 1, 2, 3]]], &[]);
    write(&models, "lost.gltf", &[&[&[0, 1]], &[&[2]]], &[]);
    let got = models.json("whole.gltf", "lost.gltf", 1);
    let what = said(&got).join("\n");
    assert!(what.contains("1 of 4 triangles are missing"), "{what}");
    assert!(what.contains("the first one is triangle 3"), "{what}");
}

#[test]
fn a_face_of_a_cut_mesh_that_is_turned_over_is_said() {
    let models = Models::new();
    write(&models, "whole.gltf", &[&[&[0, 1, 2, 3]]], &[]);
    // One face of the part that keeps its node, and one of the part that has another.
    for turned in [[1], [3]] {
        let changed = Changed { moved: &[], turned: &turned };
        write_changed(&models, "cut.gltf", &[&[&[0, 1]], &[&[2, 3]]], changed);
        for [a, b] in [["whole.gltf", "cut.gltf"], ["cut.gltf", "whole.gltf"]] {
            let got = models.json(a, b, 1);
            let what = said(&got).join("\n");
            assert!(what.contains("1 of "), "{a} {b} {turned:?}: {got}");
        }
    }
}

#[test]
fn what_changed_on_the_rest_of_a_cut_mesh_is_told() {
    let models = Models::new();
    write(&models, "whole.gltf", &[&[&[0, 1, 2, 3]]], &[]);
    write(&models, "cut.gltf", &[&[&[0, 1]], &[&[2, 3]]], &[1]);
    for [a, b] in [["whole.gltf", "cut.gltf"], ["cut.gltf", "whole.gltf"]] {
        let got = models.json(a, b, 1);
        assert_eq!(kinds(&got), ["node", "mesh", "mesh", "uv"], "{got}");
        let [_, what] = said(&got)[..] else { panic!("{got}") };
        let (whole, rest) = ("3 of 12 vertices", "3 of 6 vertices");
        assert!(what.starts_with(if a == "whole.gltf" { whole } else { rest }), "{what}");
        assert!(what.contains(" differ in TEXCOORD_0 by up to 0.0200;"), "{what}");
    }
}

#[test]
fn a_triangle_of_another_primitive_has_another_material_and_no_other_attributes() {
    let models = Models::new();
    write(&models, "a.gltf", &[&[&[0, 1, 2], &[3]]], &[]);
    write(&models, "b.gltf", &[&[&[0, 1], &[2, 3]]], &[]);
    let got = models.json("a.gltf", "b.gltf", 1);
    assert_eq!(kinds(&got), ["mesh"], "{got}");
    let what =
        "1 of 4 triangles have material \"glass\" instead of \"tin\"; the first one is triangle 2";
    assert_eq!(said(&got), [what]);
    write(&models, "moved.gltf", &[&[&[0, 1], &[2, 3]]], &[0]);
    let got = models.json("a.gltf", "moved.gltf", 1);
    assert_eq!(kinds(&got), ["mesh", "uv"], "{got}");
}

/// Without a counterpart, half of the faces would be grey.
#[test]
fn the_parts_of_a_cut_mesh_have_a_colour_in_the_picture() {
    let models = Models::new();
    write(&models, "whole.gltf", &[&[&[0, 1, 2, 3]]], &[]);
    write(&models, "cut.gltf", &[&[&[0, 1]], &[&[2, 3]]], &[]);
    let blue_pixels = |b: &str, code: i32| {
        let out = models.path("heat.png");
        let run = models.diff("whole.gltf", b, &["-o", text(&out), "--size", "200x160"]);
        assert_eq!(run.code, Some(code), "{}", run.ended());
        let reader = std::io::BufReader::new(std::fs::File::open(&out).unwrap());
        let mut reader = png::Decoder::new(reader).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        let is_blue = |pixel: &&[u8]| pixel[2] > 90 && pixel[0] < 50 && pixel[1] < 50;
        bytes.chunks_exact(info.color_type.samples()).filter(is_blue).count()
    };
    let (whole, cut) = (blue_pixels("whole.gltf", 0), blue_pixels("cut.gltf", 1));
    assert!(whole > 2000 && cut.abs_diff(whole) < whole / 50, "{cut} of {whole} pixels are blue");
}

/// It is counted for the mesh that was cut and for the part, which the other file does not have.
#[test]
fn what_changed_on_a_part_that_was_cut_away_is_told() {
    let models = Models::new();
    write(&models, "whole.gltf", &[&[&[0, 1, 2, 3]]], &[]);
    write(&models, "cut.gltf", &[&[&[0, 1]], &[&[2, 3]]], &[2]);
    for [a, b] in [["whole.gltf", "cut.gltf"], ["cut.gltf", "whole.gltf"]] {
        let got = models.json(a, b, 1);
        assert_eq!(kinds(&got), ["node", "mesh", "mesh", "uv", "uv"], "{got}");
        let [_, of_whole, of_part] = said(&got)[..] else { panic!("{got}") };
        assert!(of_whole.starts_with("3 of 12 vertices differ in TEXCOORD_0"), "{of_whole}");
        assert!(of_part.starts_with("3 of 6 vertices differ in TEXCOORD_0"), "{of_part}");
    }
}

#[test]
fn another_material_of_a_part_that_was_cut_away_is_told() {
    let models = Models::new();
    write(&models, "whole.gltf", &[&[&[0, 1, 2, 3]]], &[]);
    write(&models, "cut.gltf", &[&[&[0, 1]], &[&[2], &[3]]], &[]);
    let got = models.json("whole.gltf", "cut.gltf", 1);
    assert_eq!(kinds(&got), ["node", "mesh", "mesh", "mesh"], "{got}");
    let what = said(&got).join("\n");
    assert!(what.contains("1 of 4 triangles have material \"glass\" instead of \"tin\""), "{what}");
}

/// The copy lies on the original at rest and stays there, while the clip moves the original away.
#[test]
fn an_added_copy_of_a_mesh_is_no_part_of_it() {
    let models = Models::new();
    let add_copy = |json: &mut Value| {
        let copy = json!({"name": "copy", "mesh": json["nodes"][0]["mesh"]});
        json["nodes"].as_array_mut().unwrap().push(copy);
        let index = json["nodes"].as_array().unwrap().len() - 1;
        json["scenes"][0]["nodes"].as_array_mut().unwrap().push(json!(index));
    };
    models.write("a.gltf", &["Turn"], |_| ());
    models.write("b.gltf", &["Turn"], add_copy);
    for [a, b] in [["a.gltf", "b.gltf"], ["b.gltf", "a.gltf"]] {
        let got = models.json(a, b, 1);
        assert_eq!(kinds(&got), ["node"], "{got}");
        assert_eq!(super::distance(&got["clips"][0]), 0.0, "{got}");
    }
}

/// Beside the cut, the whole has vertices that lie nearly at those which its rest keeps there.
#[test]
fn vertices_near_a_cut_are_those_of_the_part_that_was_cut_away() {
    let models = Models::new();
    let write = |name: &str, strips: &[&[f32]]| {
        models.write(name, &[], |json| {
            let strip = |xs: &&[f32]| {
                let places: Vec<f32> = xs
                    .windows(2)
                    .flat_map(|x| {
                        let ([l, t], [r, b]) = ([x[0], 0.0], [x[1], 1.0]);
                        [l, t, 0., r, t, 0., r, b, 0., l, t, 0., r, b, 0., l, b, 0.]
                    })
                    .collect();
                let position = floats(json, "VEC3", &places);
                json!({"primitives": [{"attributes": {"POSITION": position}}]})
            };
            json["meshes"] = strips.iter().map(strip).collect();
            let node = |i: usize| json!({"name": format!("node {i}"), "mesh": i});
            json["nodes"] = (0..strips.len()).map(node).collect();
            json["scenes"][0]["nodes"] = (0..strips.len()).collect();
        });
    };
    write("whole.gltf", &[&[0.0, 0.5, 0.5008, 1.0]]);
    write("cut.gltf", &[&[0.0, 0.5], &[0.5, 0.5008, 1.0]]);
    for [a, b] in [["whole.gltf", "cut.gltf"], ["cut.gltf", "whole.gltf"]] {
        let got = models.json(a, b, 1);
        assert_eq!(super::distance(&got["rest"]), 0.0, "{got}");
    }
}
