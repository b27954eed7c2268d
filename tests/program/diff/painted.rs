//! Triangles and primitives that have another material.

use serde_json::{Value, json};

use super::{Models, floats, kinds};
use crate::support::accessor;

/// Vertices and squares along an edge of the sheet.
const ROW: usize = 5;
const SQUARES: usize = ROW - 1;

/// A part of a sheet: the index of its material and its triangles, of which the sheet has 32.
type Part = (usize, Vec<usize>);

/// Gives the mesh of a model these primitives, which share the vertices of one sheet, and these materials.
fn painted(json: &mut Value, materials: &[&str], parts: &[Part]) {
    let places: Vec<f32> = (0..ROW * ROW)
        .flat_map(|i| {
            let (x, y) = ((i % ROW) as f32, (i / ROW) as f32);
            [x, y, 0.1 * x * y]
        })
        .collect();
    let positions = floats(json, "VEC3", &places);
    let primitives: Vec<Value> = parts
        .iter()
        .map(|(material, triangles)| {
            let corners: Vec<u8> = triangles.iter().flat_map(|i| corners(*i)).collect();
            let indices = accessor(json, 5121, "SCALAR", corners.len(), &corners);
            json!({"attributes": {"POSITION": positions}, "indices": indices, "material": material})
        })
        .collect();
    json["meshes"][0] = json!({"name": "sheet", "primitives": primitives});
    let material = |name: &&str| {
        let red = u8::from(name.starts_with("red"));
        json!({"name": name, "pbrMetallicRoughness": {"baseColorFactor": [red, 0, 0, 1]}})
    };
    json["materials"] = materials.iter().map(material).collect();
}

/// Returns the corners of a triangle of the sheet.
fn corners(triangle: usize) -> [u8; 3] {
    let square = triangle / 2;
    let first = square / SQUARES * ROW + square % SQUARES;
    let of = if triangle.is_multiple_of(2) { [0, 1, ROW + 1] } else { [0, ROW + 1, ROW] };
    of.map(|i| (first + i) as u8)
}

/// Gives each corner of each triangle a vertex of its own.
fn unrolled(json: &mut Value, parts: &[Part]) {
    for (i, (_, triangles)) in parts.iter().enumerate() {
        let place = |i: u8| {
            let (x, y) = (f32::from(i % ROW as u8), f32::from(i / ROW as u8));
            [x, y, 0.1 * x * y]
        };
        let places: Vec<f32> = triangles.iter().flat_map(|i| corners(*i)).flat_map(place).collect();
        let positions = floats(json, "VEC3", &places);
        let primitive = &mut json["meshes"][0]["primitives"][i];
        *primitive = json!({"attributes": {"POSITION": positions},
            "material": primitive["material"]});
    }
}

const NAMES: [&str; 2] = ["red", "blue"];

/// Returns all that is said of the mesh.
fn said(got: &Value) -> String {
    assert!(kinds(got).iter().all(|kind| *kind == "mesh"), "{got}");
    let changes = got["structure"].as_array().unwrap().iter();
    changes.map(|change| change["what"].as_str().unwrap()).collect::<Vec<_>>().join("; ")
}

#[test]
fn primitives_over_one_vertex_buffer_that_exchange_their_materials_are_changed() {
    let models = Models::new();
    let halves = |materials: [usize; 2]| -> [Part; 2] {
        [(materials[0], (0..16).collect()), (materials[1], (16..32).collect())]
    };
    models.write("a.gltf", &[], |json| painted(json, &NAMES, &halves([0, 1])));
    models.write("b.gltf", &[], |json| painted(json, &NAMES, &halves([1, 0])));
    let what = said(&models.json("a.gltf", "b.gltf", 1));
    assert_eq!(
        what,
        "16 of 32 triangles have material \"red\" instead of \"blue\"; the first one is triangle 16; \
         16 of 32 triangles have material \"blue\" instead of \"red\"; the first one is triangle 0"
    );
    // Every other triangle: both primitives fill the sheet.
    let mixed = |materials: [usize; 2]| {
        [0, 1].map(|i| (materials[i], (i..32).step_by(2).collect::<Vec<usize>>()))
    };
    models.write("c.gltf", &[], |json| painted(json, &NAMES, &mixed([0, 1])));
    models.write("d.gltf", &[], |json| painted(json, &NAMES, &mixed([1, 0])));
    let what = said(&models.json("c.gltf", "d.gltf", 1));
    assert!(
        what.contains("16 of 32 triangles have material \"blue\" instead of \"red\""),
        "{what}"
    );
    assert!(
        what.contains("16 of 32 triangles have material \"red\" instead of \"blue\""),
        "{what}"
    );
}

/// Three triangles on either side of the middle change places, so that no count differs.
#[test]
fn triangles_that_two_primitives_exchange_are_counted() {
    let models = Models::new();
    let before: [Part; 2] = [(0, (0..16).collect()), (1, (16..32).collect())];
    let after: [Part; 2] =
        [(0, (0..13).chain(16..19).collect()), (1, (13..16).chain(19..32).collect())];
    let write = |name: &str, parts: &[Part], is_unrolled: bool| {
        models.write(name, &[], |json| {
            painted(json, &NAMES, parts);
            if is_unrolled {
                unrolled(json, parts);
            }
        });
    };
    for is_unrolled in [false, true] {
        write("a.gltf", &before, is_unrolled);
        write("b.gltf", &after, is_unrolled);
        let what = said(&models.json("a.gltf", "b.gltf", 1));
        assert_eq!(
            what,
            "3 of 32 triangles have material \"red\" instead of \"blue\"; the first one is triangle \
             16; 3 of 32 triangles have material \"blue\" instead of \"red\"; the first one is \
             triangle 13"
        );
    }
    models.diff("a.gltf", "b.gltf", &["--ignore", "mesh"]).done();
}

/// The triangles of the second file have the same materials; all else about these is another.
#[test]
fn materials_and_primitives_may_be_renumbered_split_and_merged() {
    let models = Models::new();
    let (low, high) = ((0..16).collect::<Vec<usize>>(), (16..32).collect::<Vec<usize>>());
    let write = |name: &str, materials: &[&str], parts: &[Part]| {
        models.write(name, &[], |json| painted(json, materials, parts));
    };
    write("a.gltf", &NAMES, &[(0, low.clone()), (1, high.clone())]);
    write("order.gltf", &["blue", "red"], &[(0, high.clone()), (1, low.clone())]);
    models.json("a.gltf", "order.gltf", 0);
    models.json("order.gltf", "a.gltf", 0);
    let backwards = |list: &[usize]| list.iter().rev().copied().collect::<Vec<usize>>();
    write("triangles.gltf", &NAMES, &[(0, backwards(&low)), (1, backwards(&high))]);
    models.json("a.gltf", "triangles.gltf", 0);
    write("renamed.gltf", &["blue", "red.001"], &[(1, low.clone()), (0, high.clone())]);
    models.diff("a.gltf", "renamed.gltf", &["--ignore", "names"]).done();
    let parts = [(1, high[..6].to_vec()), (0, low.clone()), (1, high[6..].to_vec())];
    write("split.gltf", &NAMES, &parts);
    for pair in [["a.gltf", "split.gltf"], ["split.gltf", "a.gltf"]] {
        let what = said(&models.json(pair[0], pair[1], 1));
        assert!(what.starts_with("primitives ") && !what.contains("material"), "{what}");
    }
    // Which of two equal materials a primitive has does not show.
    write("twins.gltf", &["red", "red"], &[(0, low.clone()), (1, high.clone())]);
    write("exchanged.gltf", &["red", "red"], &[(1, low), (0, high)]);
    models.json("twins.gltf", "exchanged.gltf", 0);
}
