//! Accessors: where their elements are, what replaces them, and the warnings and errors about them.

use serde_json::{Value, json};

use crate::import::{codes, loaded};

const IDENTITY: [f32; 16] = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];

/// A mesh of points with this accessor, which has three of them.
fn points(accessor: Value) -> Value {
    let mut accessor = accessor;
    for (key, value) in
        [("componentType", json!(5126)), ("count", json!(3)), ("type", json!("VEC3"))]
    {
        accessor[key] = value;
    }
    json!({
        "scenes": [{}],
        "meshes": [{"primitives": [{"mode": 0, "attributes": {"POSITION": 0}}]}],
        "accessors": [accessor]
    })
}

#[test]
fn numbers_that_are_not_aligned_in_the_buffer_are_told() {
    let zeros = [0u8; 64];
    let bounds = |offset: usize| json!({"bufferView": 1, "byteOffset": offset, "min": [0, 0, 0], "max": [0, 0, 0]});
    // The view starts at byte 4, and its stride is that of packed elements.
    for (offset, want) in [(0, &[][..]), (4, &[]), (2, &["UNALIGNED"]), (1, &["UNALIGNED"])] {
        let loaded = loaded(&[&[0; 4], &zeros], points(bounds(offset))).unwrap();
        assert_eq!(codes(&loaded), want, "byte {offset}");
    }
}

#[test]
fn sparse_indices_that_do_not_increase_are_told_and_the_last_one_counts() {
    let values = bytemuck::cast_slice(&[1f32, 1., 1., 2., 2., 2.]);
    for (indices, want, at) in [
        ([0u8, 2], &[][..], [1., 0., 2.]),
        ([2, 0], &["SPARSE_UNSORTED"], [2., 0., 1.]),
        ([1, 1], &["SPARSE_UNSORTED"], [0., 2., 0.]),
    ] {
        let accessor = json!({"min": [0, 0, 0], "max": [2, 2, 2], "sparse": {"count": 2,
            "indices": {"bufferView": 0, "componentType": 5121}, "values": {"bufferView": 1}}});
        let loaded = loaded(&[&indices, values], points(accessor)).unwrap();
        assert_eq!(codes(&loaded), want, "{indices:?}");
        let vertices = &loaded.model.meshes[0].primitives[0].vertices;
        let x: Vec<f32> = vertices.iter().map(|vertex| vertex.position[0]).collect();
        assert_eq!(x, at, "{indices:?}");
    }
}

#[test]
fn what_sparse_elements_replace_is_not_judged() {
    let up = [0f32, 1., 0.];
    let vectors = |normals: &[[f32; 3]], bad: &str| {
        let indices: Vec<u8> = (0..normals.len() as u8).collect();
        let sparse = json!({"count": normals.len(),
            "indices": {"bufferView": 0, "componentType": 5121}, "values": {"bufferView": 1}});
        let document = json!({
            "scenes": [{}],
            "meshes": [{"primitives": [{"mode": 0, "attributes": {"POSITION": 0, bad: 1}}]}],
            "accessors": [
                {"componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [0, 0, 0]},
                {"componentType": 5126, "count": 3, "type": "VEC3", "sparse": sparse}
            ]
        });
        loaded(&[&indices, bytemuck::cast_slice(normals)], document).unwrap()
    };
    let all = vectors(&[up; 3], "NORMAL");
    assert_eq!(codes(&all), [""; 0]);
    assert!(all.model.meshes[0].primitives[0].vertices.iter().all(|vertex| vertex.normal == up));
    let two = vectors(&[up; 2], "NORMAL");
    assert_eq!(codes(&two), ["DIRECTION_ZERO"]);
    assert!(two.warnings[0].message.contains("1 of 3 entries"), "{}", two.warnings[0].message);
    let three = vectors(&[up, up, [2., 0., 0.]], "COLOR_0");
    assert_eq!(codes(&three), ["COLOR_RANGE"]);
    assert!(three.warnings[0].message.contains("1 numbers of"), "{}", three.warnings[0].message);

    let (matrices, mut document) = skin(&[IDENTITY; 2]);
    document["accessors"][0] = json!({"componentType": 5126, "count": 2, "type": "MAT4",
        "sparse": {"count": 2, "indices": {"bufferView": 0, "componentType": 5121},
        "values": {"bufferView": 1}}});
    assert_eq!(codes(&loaded(&[&[0, 1], &matrices], document).unwrap()), [""; 0]);
}

#[test]
fn stated_bounds_are_compared_with_the_numbers() {
    let positions = bytemuck::cast_slice(&[0f32, 0., 0., 1., 2., 3., 0., 0., 0.]);
    for (accessor, want) in [
        (json!({"bufferView": 0, "min": [0, 0, 0], "max": [1, 2, 3]}), &[][..]),
        (json!({"bufferView": 0, "min": [0, 0, 0], "max": [1, 2, 4]}), &["BOUNDS_WRONG"]),
        (json!({"bufferView": 0, "min": [0, 0, 0]}), &["BOUNDS_MISSING"]),
        (json!({"bufferView": 0, "min": [0, 0], "max": [1, 2, 3]}), &["BOUNDS_ODD"]),
    ] {
        let loaded = loaded(&[positions], points(accessor.clone())).unwrap();
        assert_eq!(codes(&loaded), want, "{accessor}");
    }
}

/// Two joints with these inverse bind matrices.
fn skin(matrices: &[[f32; 16]]) -> (Vec<u8>, Value) {
    let document = json!({
        "scenes": [{"nodes": [0]}],
        "nodes": [{"children": [1]}, {}],
        "skins": [{"joints": [0, 1], "inverseBindMatrices": 0}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": matrices.len(), "type": "MAT4"}]
    });
    (bytemuck::cast_slice(matrices).to_vec(), document)
}

/// Without a view, an accessor has as many elements as it says, and a file of some hundred bytes says anything.
#[test]
fn matrices_without_a_joint_are_not_read() {
    let (_, mut document) = skin(&[IDENTITY; 2]);
    document["accessors"] =
        json!([{"componentType": 5126, "count": 9_000_000_000_000_000_u64, "type": "MAT4"}]);
    let loaded = loaded(&[], document).unwrap();
    assert_eq!(loaded.model.skins[0].joint_from_mesh.len(), 2);
}

#[test]
fn only_the_matrices_of_joints_count() {
    let (mut nan, mut projective, mut moved) = (IDENTITY, IDENTITY, IDENTITY);
    nan[5] = f32::NAN;
    projective[11] = 0.5;
    moved[12] = 7.0;
    for (matrices, want) in [
        (&[IDENTITY, moved][..], &[][..]),
        (&[IDENTITY, moved, nan, projective], &[]),
        (&[projective, moved], &["MATRIX_PROJECTIVE"]),
    ] {
        let (bytes, document) = skin(matrices);
        let loaded = loaded(&[&bytes], document).unwrap();
        assert_eq!(codes(&loaded), want, "{matrices:?}");
        let joints = &loaded.model.skins[0].joint_from_mesh;
        assert_eq!((joints.len(), joints[1].translation.x), (2, 7.0));
    }
    for (matrices, why) in [
        (&[IDENTITY][..], "1 inverse bind matrices for 2 joints"),
        (&[IDENTITY, nan], "inverse bind matrix 1 has numbers that are NaN or infinite"),
        (&[nan, IDENTITY, nan], "inverse bind matrix 0 has numbers that are NaN or infinite"),
    ] {
        let (bytes, document) = skin(matrices);
        let error = loaded(&[&bytes], document).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn faults_of_a_skins_joints_are_said() {
    for (joints, skeleton, why) in [
        (json!([]), 0, "it has no joints at /skins/0/joints"),
        (json!([0, 1]), 9, "at /skins/0/skeleton"),
        (json!([0, 9]), 0, "at /skins/0/joints/1"),
    ] {
        let (bytes, mut document) = skin(&[IDENTITY; 2]);
        document["skins"][0]["joints"] = joints;
        document["skins"][0]["skeleton"] = skeleton.into();
        let error = loaded(&[&bytes], document).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    let (bytes, mut document) = skin(&[IDENTITY; 3]);
    document["skins"][0]["joints"] = json!([1, 0, 1]);
    assert_eq!(codes(&loaded(&[&bytes], document).unwrap()), ["JOINT_TWICE"]);
}
