//! `fix`: files with one defect each are mended, and are then what they were without the defect.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Glb, Run, rigview};

/// The built-in rig, which has no defect that is mended by default.
fn creature() -> Glb {
    Glb::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/creature.glb"))
}

/// A folder with a clean file, a broken one, and the mended one.
struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    /// Writes the broken file.
    fn with(broken: &Glb) -> Self {
        let folder = Self { folder: tempfile::tempdir().unwrap() };
        creature().write(&folder.path("clean.glb"));
        broken.write(&folder.path("broken.glb"));
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs `fix` on the broken file, or on another one.
    fn fix(&self, input: &str, output: &str, more: &[&str]) -> Run {
        let (input, output) = (self.path(input), self.path(output));
        let mut args =
            vec!["fix".into(), input.into_os_string(), "-o".into(), output.into_os_string()];
        args.extend(more.iter().map(Into::into));
        rigview(args)
    }

    /// Mends the broken file, and returns the answer.
    fn mend(&self, more: &[&str]) -> Value {
        let answer = self.fix("broken.glb", "mended.glb", &[&["--json"], more].concat()).done();
        serde_json::from_str(answer.text()).unwrap()
    }

    fn json(&self, args: &[&str], files: &[&str]) -> Value {
        let files = files.iter().map(|file| self.path(file).into_os_string());
        let run = rigview(args.iter().map(std::ffi::OsString::from).chain(files));
        serde_json::from_str(run.text()).unwrap()
    }

    /// Whether the check finds a code in a file.
    fn finds(&self, file: &str, code: &str) -> bool {
        let found = self.json(&["check", "--json"], &[file]);
        found["files"][0]["findings"].as_array().unwrap().iter().any(|f| f["code"] == code)
    }

    /// Returns the largest distance of the mended file from the clean one at the skin, in metres.
    fn distance(&self) -> f64 {
        let difference =
            self.json(&["diff", "--json", "--tolerance", "1"], &["clean.glb", "mended.glb"]);
        let clips = difference["clips"].as_array().unwrap().iter();
        clips.map(|clip| clip["distance"].as_f64().unwrap()).fold(0.0, f64::max)
    }
}

/// Reads an accessor of floats.
fn floats(glb: &Glb, accessor: usize) -> Vec<f32> {
    let accessor = &glb.json["accessors"][accessor];
    assert_eq!(accessor["componentType"], 5126);
    let width = match accessor["type"].as_str().unwrap() {
        "SCALAR" => 1,
        "VEC3" => 3,
        "VEC4" => 4,
        _ => 16,
    };
    let view = &glb.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    assert!(view.get("byteStride").is_none());
    let offset = |of: &Value| of.get("byteOffset").and_then(Value::as_u64).unwrap_or(0) as usize;
    let start = offset(view) + offset(accessor);
    let count = accessor["count"].as_u64().unwrap() as usize * width;
    let bytes = &glb.bin[start..start + 4 * count];
    bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
}

/// Appends floats as an accessor like another one, and returns its index.
fn append(glb: &mut Glb, like: usize, values: &[f32]) -> Value {
    glb.bin.resize(glb.bin.len().next_multiple_of(4), 0);
    let (start, before) = (glb.bin.len(), glb.json["accessors"][like].clone());
    glb.bin.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    let length = glb.bin.len();
    let add = |list: &mut Value, item: Value| {
        list.as_array_mut().unwrap().push(item);
        list.as_array().unwrap().len() - 1
    };
    let view = json!({ "buffer": 0, "byteOffset": start, "byteLength": length - start });
    let view = add(&mut glb.json["bufferViews"], view);
    glb.json["buffers"][0]["byteLength"] = length.into();
    let width = match before["type"].as_str().unwrap() {
        "SCALAR" => 1,
        "VEC3" => 3,
        "VEC4" => 4,
        _ => 16,
    };
    let mut new = json!({
        "bufferView": view, "componentType": 5126, "count": values.len() / width, "type": before["type"],
    });
    if before.get("min").is_some() {
        let edge = |pick: fn(f32, f32) -> f32| -> Value {
            (0..width)
                .map(|k| values[k..].iter().step_by(width).copied().reduce(pick).unwrap())
                .map(Value::from)
                .collect()
        };
        (new["min"], new["max"]) = (edge(f32::min), edge(f32::max));
    }
    add(&mut glb.json["accessors"], new).into()
}

/// The clip "Walk", which has linear keys.
const WALK: usize = 1;

/// The sampler of the first rotation channel of that clip with more than eight keys.
fn sampler(glb: &Glb) -> usize {
    let clip = &glb.json["animations"][WALK];
    let channels = clip["channels"].as_array().unwrap().iter();
    let is_long = |sampler: usize| {
        let input = clip["samplers"][sampler]["input"].as_u64().unwrap() as usize;
        glb.json["accessors"][input]["count"].as_u64().unwrap() > 8
    };
    let rotations = channels.filter(|channel| channel["target"]["path"] == "rotation");
    let mut samplers = rotations.map(|channel| channel["sampler"].as_u64().unwrap() as usize);
    samplers.find(|sampler| is_long(*sampler)).expect("a rotation with many keys")
}

/// Edits the times and the rotations of the [`sampler`].
fn edit_keys(glb: &mut Glb, edit: impl FnOnce(&mut Vec<f32>, &mut Vec<[f32; 4]>)) {
    let at = sampler(glb);
    let sampler = glb.json["animations"][WALK]["samplers"][at].clone();
    let [input, output] = ["input", "output"].map(|key| sampler[key].as_u64().unwrap() as usize);
    let mut times = floats(glb, input);
    let mut values = floats(glb, output).as_chunks::<4>().0.to_vec();
    assert_eq!(times.len(), values.len(), "not cubic");
    edit(&mut times, &mut values);
    let input = append(glb, input, &times);
    let output = append(glb, output, values.as_flattened());
    let sampler = &mut glb.json["animations"][WALK]["samplers"][at];
    (sampler["input"], sampler["output"]) = (input, output);
}

/// Edits the weights of the first primitive, which are bytes, and stores them as floats.
fn edit_weights(glb: &mut Glb, edit: impl FnOnce(&mut [[f32; 4]])) {
    let attributes = &glb.json["meshes"][0]["primitives"][0]["attributes"];
    let [old, like] =
        ["WEIGHTS_0", "POSITION"].map(|key| attributes[key].as_u64().unwrap() as usize);
    let accessor = &glb.json["accessors"][old];
    assert_eq!((&accessor["componentType"], &accessor["type"]), (&json!(5121), &json!("VEC4")));
    let view = &glb.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let number =
        |of: &Value, key: &str, or: usize| of.get(key).map_or(or, |n| n.as_u64().unwrap() as usize);
    let start = number(view, "byteOffset", 0) + number(accessor, "byteOffset", 0);
    let stride = number(view, "byteStride", 4);
    let vertex = |i: usize| {
        let four: [u8; 4] = glb.bin[start + i * stride..][..4].try_into().unwrap();
        four.map(|byte| f32::from(byte) / 255.0)
    };
    let mut weights: Vec<[f32; 4]> = (0..number(accessor, "count", 0)).map(vertex).collect();
    edit(&mut weights);
    let new = append(glb, like, weights.as_flattened());
    let at = new.as_u64().unwrap() as usize;
    glb.json["accessors"][at] = json!({
        "bufferView": glb.json["accessors"][at]["bufferView"], "componentType": 5126,
        "count": weights.len(), "type": "VEC4",
    });
    glb.json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] = new;
}

type Edit = fn(&mut Glb);

/// Defects that are mended by default, with their codes.
const DEFECTS: [(&str, Edit); 8] = [
    ("CHANNEL_LEFT_OUT", |glb| {
        edit_keys(glb, |times, values| {
            times.swap(2, 5);
            values.swap(2, 5);
        });
    }),
    ("CHANNEL_LEFT_OUT", |glb| {
        edit_keys(glb, |times, values| {
            times.insert(4, times[4]);
            values.insert(4, [0.0, 1.0, 0.0, 0.0]);
        });
    }),
    ("ROTATION_KEYS_NOT_UNIT", |glb| {
        edit_keys(glb, |_, values| values.iter_mut().flatten().for_each(|x| *x *= 1.3));
    }),
    ("KEYS_FLIP", |glb| {
        edit_keys(glb, |_, values| values[3].iter_mut().for_each(|x| *x = -*x));
    }),
    ("WEIGHTS_SUM", |glb| {
        edit_weights(glb, |all| {
            all.iter_mut().step_by(3).flatten().for_each(|weight| *weight *= 0.5)
        });
    }),
    ("MATRIX_PROJECTIVE", |glb| {
        let accessor = glb.json["skins"][0]["inverseBindMatrices"].as_u64().unwrap() as usize;
        let mut numbers = floats(glb, accessor);
        numbers[16 + 15] = 1.01;
        let new = append(glb, accessor, &numbers);
        glb.json["skins"][0]["inverseBindMatrices"] = new;
    }),
    ("CHANNEL_TWICE", |glb| {
        let clip = &mut glb.json["animations"][WALK];
        let mut first = clip["channels"][1].clone();
        let path = first["target"]["path"].clone();
        let other = |channel: &&Value| channel["target"]["path"] == path && **channel != first;
        let other = clip["channels"].as_array().unwrap().iter().find(other).unwrap();
        first["sampler"] = other["sampler"].clone();
        clip["channels"].as_array_mut().unwrap().insert(0, first);
    }),
    ("BOUNDS_WRONG", |glb| {
        let attributes = &glb.json["meshes"][0]["primitives"][0]["attributes"];
        let accessor = attributes["POSITION"].as_u64().unwrap() as usize;
        glb.json["accessors"][accessor]["max"] = json!([9, 9, 9]);
    }),
];

#[test]
fn defects_that_the_specification_forbids_are_mended_by_default() {
    for (number, (code, edit)) in DEFECTS.into_iter().enumerate() {
        let mut broken = creature();
        edit(&mut broken);
        let folder = Folder::with(&broken);
        let new = code == "KEYS_FLIP";
        assert!(new || folder.finds("broken.glb", code), "{number} {code}: is not found before");
        let answer = folder.mend(&[]);
        let fixed = answer["fixed"].as_array().unwrap();
        assert!(fixed.iter().any(|fixed| fixed["code"] == code), "{number} {code}: {answer}");
        assert!(!folder.finds("mended.glb", code), "{number} {code}: is found after");
        let distance = folder.distance();
        assert!(distance < 1e-5, "{number} {code}: {distance} m from the clean file");
        // Nothing else of the document changes, and a second run changes nothing.
        let mut mended = Glb::read(&folder.path("mended.glb"));
        for key in ["nodes", "materials", "scenes", "images", "asset"] {
            assert_eq!(mended.json[key], broken.json[key], "{number} {code}: {key}");
        }
        mended.bin.truncate(broken.bin.len());
        assert_eq!(mended.bin, broken.bin, "{number} {code}: data is rewritten");
        folder.fix("mended.glb", "again.glb", &[]).done();
        let [mended, again] =
            ["mended.glb", "again.glb"].map(|file| std::fs::read(folder.path(file)).unwrap());
        assert!(mended == again, "{number} {code}: a second run changes the file");
    }
}

#[test]
fn a_file_without_a_defect_is_copied_byte_for_byte() {
    let folder = Folder::with(&creature());
    let answer = folder.mend(&[]);
    assert_eq!((&answer["fixed"], &answer["left"]), (&json!([]), &json!([])));
    let [clean, mended] =
        ["clean.glb", "mended.glb"].map(|file| std::fs::read(folder.path(file)).unwrap());
    assert!(clean == mended);
}

#[test]
fn a_repair_that_moves_the_skin_too_far_is_taken_back() {
    let mut broken = creature();
    edit_keys(&mut broken, |_, values| {
        let last = values.len() - 1;
        let turn = glam::Quat::from_array(values[last]) * glam::Quat::from_rotation_x(0.05);
        values[last] = turn.to_array();
    });
    let folder = Folder::with(&broken);
    let contract = folder.path("walk.toml");
    std::fs::write(&contract, "[clips.Walk]\nloop = true\n").unwrap();
    let contract = contract.to_str().unwrap();
    let answer = folder.mend(&["--only", "LOOP_GAP", "--bound", "0.5", "--contract", contract]);
    assert_eq!(answer["fixed"], json!([]), "{answer}");
    let reason = answer["left"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("--bound allows 0.5"), "{reason}");
    let answer = folder.mend(&["--only", "LOOP_GAP", "--bound", "500", "--contract", contract]);
    assert_eq!(answer["fixed"][0]["code"], "LOOP_GAP", "{answer}");
    let again = folder
        .fix("mended.glb", "again.glb", &["--only", "LOOP_GAP", "--contract", contract])
        .done();
    assert!(again.text().contains("nothing to fix"), "{}", again.text());
}

#[test]
fn a_single_bad_key_is_removed_on_request() {
    let mut broken = creature();
    edit_keys(&mut broken, |times, values| {
        // A key on every frame, so that a bad one is a pop.
        let (old, rotations) = (times.clone(), values.clone());
        let frames = (old[old.len() - 1] * 30.0) as usize;
        times.clear();
        values.clear();
        for frame in 0..=frames {
            let time = frame as f32 / 30.0;
            let key = old.partition_point(|key| *key <= time).clamp(1, old.len() - 1) - 1;
            let u = (time - old[key]) / (old[key + 1] - old[key]);
            let [a, b] = [key, key + 1].map(|key| glam::Quat::from_array(rotations[key]));
            times.push(time);
            values.push(a.slerp(b, u.clamp(0.0, 1.0)).to_array());
        }
        let turned = glam::Quat::from_array(values[9]) * glam::Quat::from_rotation_x(2.0);
        values[9] = turned.to_array();
    });
    let folder = Folder::with(&broken);
    let answer = folder.mend(&["--only", "POP"]);
    assert_eq!(answer["fixed"][0]["count"], 1, "{answer}");
    assert!(answer["fixed"][0]["error_mm"].as_f64().unwrap() > 1.0, "{answer}");
    assert!(folder.distance() < 5e-3, "{}", folder.distance());
}

#[test]
fn wrong_calls_say_what_to_do_and_write_nothing() {
    let folder = Folder::with(&creature());
    let same = folder.fix("broken.glb", "broken.glb", &[]).failed(2);
    assert!(same.stderr.contains("input"), "{}", same.stderr);
    let unknown = folder.fix("broken.glb", "out.glb", &["--also", "KEYS_SPURIOUS"]).failed(2);
    assert!(unknown.stderr.contains("KEYS_SPARE"), "{}", unknown.stderr);
    let never = folder.fix("broken.glb", "out.glb", &["--also", "FOOT_SLIDES"]).failed(2);
    assert!(never.stderr.contains("FOOT_SLIDES"), "{}", never.stderr);
    std::fs::write(folder.path("cut.glb"), b"glTF\x02\0\0\0\x10\0\0\0").unwrap();
    folder.fix("cut.glb", "out.glb", &[]).failed(3);
    assert!(!folder.path("out.glb").exists());
}

#[test]
fn in_place_keeps_a_backup_and_never_overwrites_one() {
    let mut broken = creature();
    DEFECTS[2].1(&mut broken);
    let folder = Folder::with(&broken);
    let before = std::fs::read(folder.path("broken.glb")).unwrap();
    let run =
        || rigview(["fix".into(), folder.path("broken.glb").into_os_string(), "--in-place".into()]);
    run().done();
    assert!(std::fs::read(folder.path("broken.glb.bak")).unwrap() == before);
    assert!(!folder.finds("broken.glb", "ROTATION_KEYS_NOT_UNIT"));
    // Nothing is left to mend, so nothing is written.
    run().done();
    broken.write(&folder.path("broken.glb"));
    run().failed(5);
    assert!(std::fs::read(folder.path("broken.glb")).unwrap() == before);
}
