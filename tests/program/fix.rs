//! `fix`: files with one defect each are mended, and are then what they were without the defect.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Glb, Run, checkout, rigview};

/// The built-in rig, which has no defect that is mended by default.
fn creature() -> Glb {
    Glb::read(&checkout().join("assets/creature.glb"))
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
        answer.json()
    }

    fn json(&self, args: &[&str], files: &[&str]) -> Value {
        let files = files.iter().map(|file| self.path(file).into_os_string());
        let run = rigview(args.iter().map(std::ffi::OsString::from).chain(files));
        run.json()
    }

    /// Whether the check finds a code in a file.
    fn finds(&self, file: &str, code: &str) -> bool {
        self.level(file, code).is_some()
    }

    /// Returns the level of a code's first finding in a file.
    fn level(&self, file: &str, code: &str) -> Option<String> {
        let found = self.json(&["check", "--json"], &[file]);
        let mut all = found["files"][0]["findings"].as_array().unwrap().iter();
        Some(all.find(|f| f["code"] == code)?["level"].as_str()?.to_owned())
    }

    /// Returns the largest distance of the mended file from the clean one at the skin, in metres.
    fn distance(&self) -> f64 {
        let difference =
            self.json(&["diff", "--json", "--tolerance", "1"], &["clean.glb", "mended.glb"]);
        let clips = difference["clips"].as_array().unwrap().iter();
        clips.map(|clip| clip["distance"].as_f64().unwrap()).fold(0.0, f64::max)
    }
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
    let mut times = glb.floats(&sampler["input"]);
    let mut values = glb.floats(&sampler["output"]).as_chunks::<4>().0.to_vec();
    assert_eq!(times.len(), values.len(), "not cubic");
    edit(&mut times, &mut values);
    let input = glb.put_floats("SCALAR", &times);
    let output = glb.put_floats("VEC4", values.as_flattened());
    let sampler = &mut glb.json["animations"][WALK]["samplers"][at];
    (sampler["input"], sampler["output"]) = (input.into(), output.into());
}

/// Edits the weights of the first primitive, which are bytes, and stores them as floats.
fn edit_weights(glb: &mut Glb, edit: impl FnOnce(&mut [[f32; 4]])) {
    let attributes = &glb.json["meshes"][0]["primitives"][0]["attributes"];
    let accessor = &glb.json["accessors"][attributes["WEIGHTS_0"].as_u64().unwrap() as usize];
    assert_eq!((&accessor["componentType"], &accessor["type"]), (&json!(5121), &json!("VEC4")));
    let bytes = &glb.bin[glb.place(&attributes["WEIGHTS_0"])];
    let vertex = |four: &[u8; 4]| four.map(|byte| f32::from(byte) / 255.0);
    let mut weights: Vec<_> = bytes.as_chunks::<4>().0.iter().map(vertex).collect();
    edit(&mut weights);
    let new = glb.put_floats("VEC4", weights.as_flattened());
    glb.json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] = new.into();
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
        let mut numbers = glb.floats(&glb.json["skins"][0]["inverseBindMatrices"]);
        numbers[16 + 15] = 1.01;
        let new = glb.put_floats("MAT4", &numbers);
        glb.json["skins"][0]["inverseBindMatrices"] = new.into();
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

/// A GLB with its buffer in a file of its own.
#[test]
fn a_file_without_a_defect_opens_in_another_folder() {
    let folder = Folder::with(&creature());
    let mut outside = creature();
    std::fs::write(folder.path("geo.bin"), &outside.bin).unwrap();
    outside.bin.clear();
    outside.json["buffers"][0]["uri"] = json!("geo.bin");
    outside.json["extensions"] = json!({"EXT_lights_ies": {"lights": [{"uri": "lamp.ies"}]}});
    outside.write(&folder.path("outside.glb"));
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    let run = folder.fix("outside.glb", "copy.glb", &[]).done();
    assert!(run.text().contains("nothing to fix") && run.stderr.is_empty(), "{}", run.ended());
    assert!(read("copy.glb") == read("outside.glb"));
    std::fs::create_dir(folder.path("sub")).unwrap();
    let run = folder.fix("outside.glb", "sub/mended.glb", &[]).done();
    assert!(run.stderr.contains("not carried over: the file \"lamp.ies\""), "{}", run.stderr);
    let difference = folder.json(&["diff", "--json"], &["clean.glb", "sub/mended.glb"]);
    assert_eq!(difference["rest"]["distance"], 0.0);
    assert_eq!(Glb::read(&folder.path("sub/mended.glb")).json["buffers"][0].get("uri"), None);
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
    assert!(reason.contains("beyond the bound of 0.5 mm"), "{reason}");
    // The reason names a bound that is wide enough.
    let bound = reason.split_once("`rigview fix --bound ").unwrap().1.split('`').next().unwrap();
    let answer = folder.mend(&["--only", "LOOP_GAP", "--bound", bound, "--contract", contract]);
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

/// The import lists a few warnings per code; a repair mends all of them.
#[test]
fn many_faults_of_one_kind_are_all_mended() {
    const MANY: usize = 20;
    let mut broken = creature();
    let primitive = broken.json["meshes"][0]["primitives"][0].clone();
    let position = primitive["attributes"]["POSITION"].as_u64().unwrap() as usize;
    let accessor = broken.json["accessors"][position].clone();
    for _ in 0..MANY {
        let accessors = broken.json["accessors"].as_array_mut().unwrap();
        let mut wrong = accessor.clone();
        wrong["max"] = json!([9, 9, 9]);
        accessors.push(wrong);
        let at = accessors.len() - 1;
        let mut again = primitive.clone();
        again["attributes"]["POSITION"] = at.into();
        broken.json["meshes"][0]["primitives"].as_array_mut().unwrap().push(again);
    }
    let folder = Folder::with(&broken);
    let answer = folder.mend(&[]);
    let fixed = answer["fixed"].as_array().unwrap();
    let bounds = fixed.iter().filter(|fixed| fixed["code"] == "BOUNDS_WRONG").count();
    assert_eq!(bounds, MANY, "{answer}");
    assert!(!folder.finds("mended.glb", "BOUNDS_WRONG"));
}

/// Two triangles that share an edge at which the texture is mirrored, with a morph target and data of an application.
fn mirrored(mode: u64) -> Glb {
    let corners: &[u8] = if mode == 5 { &[0, 1, 2, 3] } else { &[0, 1, 2, 1, 3, 2] };
    let delta: Vec<f32> = (0..12u8).map(f32::from).collect();
    let json = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0 }],
        "extensionsUsed": ["KHR_materials_anisotropy"],
        "materials": [{
            "extensions": { "KHR_materials_anisotropy": { "anisotropyStrength": 0.5 } },
        }],
    });
    let mut glb = Glb { json, bin: Vec::new() };
    let position = [-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0];
    let attributes = json!({
        "POSITION": glb.put_floats("VEC3", &position),
        "NORMAL": glb.put_floats("VEC3", &[0.0, 0.0, 1.0].repeat(4)),
        "TEXCOORD_0": glb.put_floats("VEC2", &[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0]),
        "_ID": glb.put_floats("SCALAR", &[10.0, 11.0, 12.0, 13.0]),
    });
    let target = json!({ "POSITION": glb.put_floats("VEC3", &delta) });
    let indices = json!({ "componentType": 5121, "type": "SCALAR", "count": corners.len() });
    let indices = glb.put(indices, corners);
    glb.json["meshes"] = json!([{ "weights": [0.0], "primitives": [{
        "mode": mode, "material": 0, "indices": indices, "targets": [target],
        "attributes": attributes,
    }]}]);
    glb
}

#[test]
fn tangents_are_added_and_vertices_at_a_mirrored_seam_are_copied() {
    for mode in [4, 5] {
        let broken = mirrored(mode);
        let folder = Folder::with(&broken);
        assert!(folder.finds("broken.glb", "TANGENT_MISSING"));
        let answer = folder.mend(&["--also", "TANGENT_MISSING"]);
        assert_eq!(answer["fixed"][0]["count"], 6, "{mode}: {answer}");
        assert!(!folder.finds("mended.glb", "TANGENT_MISSING"));
        let mended = Glb::read(&folder.path("mended.glb"));
        let primitive = &mended.json["meshes"][0]["primitives"][0];
        assert_eq!(primitive["mode"], 4);
        let read = |name: &str| mended.floats(&primitive["attributes"][name]);
        let (ids, tangents) = (read("_ID"), read("TANGENT"));
        assert_eq!(ids, [10.0, 11.0, 12.0, 13.0, 11.0, 12.0], "{mode}");
        let bytes = &mended.bin[mended.place(&primitive["indices"])];
        let corner = |i: usize| u16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]) as usize;
        for (i, id) in [10.0, 11.0, 12.0, 11.0, 13.0, 12.0].into_iter().enumerate() {
            // The left triangle's U grows to the left, the right one's to the right.
            let side = if i < 3 { -1.0 } else { 1.0 };
            assert_eq!(ids[corner(i)], id, "{mode}: corner {i}");
            let tangent = &tangents[4 * corner(i)..][..4];
            assert_eq!(&tangent[..3], [side, 0.0, 0.0], "{mode}: corner {i}");
            assert_eq!(tangent[3].abs(), 1.0);
        }
        let delta = mended.floats(&primitive["targets"][0]["POSITION"]);
        assert_eq!(delta[12..], [3.0, 4.0, 5.0, 6.0, 7.0, 8.0], "{mode}");
        folder.fix("mended.glb", "again.glb", &["--also", "TANGENT_MISSING"]).done();
        let [mended, again] =
            ["mended.glb", "again.glb"].map(|file| std::fs::read(folder.path(file)).unwrap());
        assert!(mended == again, "a second run changes the file");
    }
}

#[test]
fn tangents_that_nothing_defines_are_left_with_the_reason() {
    for (attribute, says) in [("NORMAL", "no normals"), ("TEXCOORD_0", "no texture coordinates")] {
        let mut broken = mirrored(4);
        let attributes = &mut broken.json["meshes"][0]["primitives"][0]["attributes"];
        attributes.as_object_mut().unwrap().remove(attribute);
        let folder = Folder::with(&broken);
        let answer = folder.mend(&["--only", "TANGENT_MISSING"]);
        assert_eq!(answer["fixed"], json!([]), "{answer}");
        assert!(answer["left"][0]["reason"].as_str().unwrap().contains(says), "{answer}");
    }
}

/// A vertex of the seam would be copied, and with it the error.
#[test]
fn tangents_of_vertices_that_are_no_numbers_are_left_with_the_reason() {
    let mut broken = mirrored(4);
    let attributes = broken.json["meshes"][0]["primitives"][0]["attributes"].clone();
    let mut uvs = broken.floats(&attributes["TEXCOORD_0"]);
    uvs[0] = f32::NAN;
    let uvs = broken.put_floats("VEC2", &uvs);
    broken.json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = uvs.into();
    let folder = Folder::with(&broken);
    let answer = folder.mend(&["--only", "TANGENT_MISSING"]);
    assert_eq!(answer["fixed"], json!([]), "{answer}");
    assert!(answer["left"][0]["reason"].as_str().unwrap().contains("NaN"), "{answer}");
}

/// A flat triangle may use a vertex that nothing else draws, far from the skin.
#[test]
fn flat_triangles_are_removed_although_their_vertices_are_no_longer_drawn() {
    let mut broken = mirrored(4);
    let primitive = broken.json["meshes"][0]["primitives"][0].clone();
    // A vertex in line with two others.
    let mut place = broken.floats(&primitive["attributes"]["POSITION"]);
    place[9..12].copy_from_slice(&[0.0, 2.0, 0.0]);
    let position = broken.put_floats("VEC3", &place);
    let primitive = &mut broken.json["meshes"][0]["primitives"][0];
    primitive["attributes"]["POSITION"] = position.into();
    // The target could open the triangle.
    primitive.as_object_mut().unwrap().remove("targets");
    broken.json["meshes"][0].as_object_mut().unwrap().remove("weights");
    let folder = Folder::with(&broken);
    let answer = folder.mend(&["--also", "TRIANGLES_FLAT"]);
    assert_eq!(answer["fixed"][0]["code"], "TRIANGLES_FLAT", "{answer}");
    assert_eq!(answer["distance_mm"], 0.0, "{answer}");
    assert!(!folder.finds("mended.glb", "TRIANGLES_FLAT"));
}

/// A picture of one pixel.
const PIXEL: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// The check finds no fault in a normal map without tangents, since players compute some.
#[test]
fn a_normal_map_gets_tangents_on_request() {
    let mut broken = mirrored(4);
    broken.json.as_object_mut().unwrap().remove("extensionsUsed");
    broken.json["materials"] = json!([{ "normalTexture": { "index": 0 } }]);
    broken.json["textures"] = json!([{ "source": 0 }]);
    broken.json["images"] = json!([{ "uri": PIXEL }]);
    let folder = Folder::with(&broken);
    let answer = folder.mend(&["--also", "TANGENT_MISSING"]);
    assert_eq!(answer["fixed"][0]["code"], "TANGENT_MISSING", "{answer}");
    let mended = Glb::read(&folder.path("mended.glb"));
    assert!(mended.json["meshes"][0]["primitives"][0]["attributes"].get("TANGENT").is_some());
}

/// The channel can't be played, so that nothing is gained by new keys that are no numbers either.
#[test]
fn keys_that_are_no_numbers_are_left_with_the_reason() {
    let mut broken = creature();
    edit_keys(&mut broken, |times, values| {
        times.swap(2, 5);
        (values[3][0], values[4]) = (f32::NAN, values[4].map(|x| -x));
    });
    let folder = Folder::with(&broken);
    let answer = folder.mend(&["--also", "all"]);
    let place = |it: &Value| it["pointer"].as_str().unwrap_or_default().to_owned();
    let left: Vec<&Value> = answer["left"].as_array().unwrap().iter().collect();
    let of_channel: Vec<_> = left.iter().filter(|it| it["code"] == "CHANNEL_LEFT_OUT").collect();
    let [of_channel] = of_channel[..] else { panic!("{answer}") };
    assert!(of_channel["reason"].as_str().unwrap().contains("NaN"), "{answer}");
    let fixed = answer["fixed"].as_array().unwrap();
    assert!(!fixed.iter().any(|it| place(it) == place(of_channel)), "{answer}");
}

/// Without a normal map nothing says how players compute the tangents, so the official validator asks for them.
#[test]
fn a_clearcoat_with_a_normal_map_of_its_own_needs_tangents() {
    let mut broken = mirrored(4);
    broken.json["extensionsUsed"] = json!(["KHR_materials_clearcoat"]);
    let clearcoat = json!({ "clearcoatFactor": 1, "clearcoatNormalTexture": { "index": 0 } });
    broken.json["materials"] = json!([{ "extensions": { "KHR_materials_clearcoat": clearcoat } }]);
    broken.json["textures"] = json!([{ "source": 0 }]);
    broken.json["images"] = json!([{ "uri": PIXEL }]);
    let folder = Folder::with(&broken);
    assert_eq!(folder.level("broken.glb", "TANGENT_MISSING").as_deref(), Some("error"));
    folder.mend(&["--also", "TANGENT_MISSING"]);
    assert_eq!(folder.level("mended.glb", "TANGENT_MISSING"), None);
}

/// glTF allows no difference of 16-bit weights, however small. The last bit of floats is rounding.
#[test]
fn sums_of_weights_are_exact_but_for_the_rounding_of_floats() {
    let scaled = |factor: f32| {
        let mut glb = creature();
        edit_weights(&mut glb, |all| all.iter_mut().flatten().for_each(|weight| *weight *= factor));
        Folder::with(&glb)
    };
    let folder = scaled(1.0 - 1.0 / 65535.0);
    assert_eq!(folder.level("broken.glb", "WEIGHTS_SUM").as_deref(), Some("error"));
    folder.mend(&[]);
    assert_eq!(folder.level("mended.glb", "WEIGHTS_SUM"), None);
    assert_eq!(scaled(1.0 - f32::EPSILON / 2.0).level("broken.glb", "WEIGHTS_SUM"), None);
}

/// Bytes are too coarse to be divided by their sum.
#[test]
fn mended_weights_of_bytes_are_stored_in_16_bits() {
    let mut glb = creature();
    // Bytes whose sums are halves lose so much by rounding that their repair moves the skin.
    let mut coarse = glb.json["meshes"][0]["primitives"][0].clone();
    let place = glb.place(&coarse["attributes"]["WEIGHTS_0"]);
    let bytes: Vec<u8> = glb.bin[place].iter().map(|byte| byte / 16).collect();
    let form = json!({"componentType": 5121, "normalized": true, "type": "VEC4",
        "count": bytes.len() / 4});
    coarse["attributes"]["WEIGHTS_0"] = glb.put(form, &bytes).into();
    // Floats are shown as their shares already.
    edit_weights(&mut glb, |all| all.iter_mut().flatten().for_each(|weight| *weight *= 1.5));
    let nodes = glb.json["nodes"].as_array_mut().unwrap();
    let mut node = nodes.iter().find(|node| node["skin"].is_u64()).unwrap().clone();
    (node["mesh"], node["name"]) = (1.into(), "Coarse".into());
    nodes.push(node);
    let index = nodes.len() - 1;
    glb.json["scenes"][0]["nodes"].as_array_mut().unwrap().push(index.into());
    // Primitives that share their weights go on sharing them.
    let mesh = json!({"name": "coarse", "primitives": [coarse.clone(), coarse]});
    glb.json["meshes"].as_array_mut().unwrap().push(mesh);
    let folder = Folder::with(&glb);
    let answer = folder.mend(&["--only", "WEIGHTS_SUM", "--bound", "0.01"]);
    assert_eq!(answer["left"], json!([]), "{answer}");
    assert!(answer["distance_mm"].as_f64().unwrap() <= 0.01, "{answer}");
    let mended = Glb::read(&folder.path("mended.glb")).json;
    let accessor = |mesh: usize, primitive: usize| {
        let attributes = &mended["meshes"][mesh]["primitives"][primitive]["attributes"];
        attributes["WEIGHTS_0"].as_u64().unwrap() as usize
    };
    let coarse = &mended["accessors"][accessor(1, 0)];
    assert_eq!((&coarse["componentType"], &coarse["normalized"]), (&json!(5123), &json!(true)));
    assert_eq!(accessor(1, 0), accessor(1, 1));
    assert_eq!(mended["accessors"][accessor(0, 0)]["componentType"], 5126);
    assert!(!folder.finds("mended.glb", "WEIGHTS_SUM"));
    // The repair is made as a whole or not at all.
    let answer = folder.mend(&["--only", "WEIGHTS_SUM", "--bound", "0.0001"]);
    assert_eq!((&answer["fixed"], answer["left"].as_array().unwrap().len()), (&json!([]), 3));
}

/// Weights that are no numbers count as none, and their repair binds the vertex too.
#[test]
fn what_another_repair_mended_is_not_left() {
    let mut broken = creature();
    edit_weights(&mut broken, |all| all[3] = [f32::NAN, 0.0, 0.0, 0.0]);
    let folder = Folder::with(&broken);
    assert!(
        folder.finds("broken.glb", "WEIGHTS_ZERO") && folder.finds("broken.glb", "WEIGHTS_ODD")
    );
    let answer = folder.mend(&[]);
    assert_eq!(answer["fixed"][0]["code"], "WEIGHTS_ODD", "{answer}");
    assert_eq!(answer["left"], json!([]), "{answer}");
    assert!(!folder.finds("mended.glb", "WEIGHTS_ZERO"));
}

#[test]
fn chunks_that_gltf_does_not_define_stay() {
    let mut broken = creature();
    edit_weights(&mut broken, |weights| weights[0][0] *= 0.5);
    let folder = Folder::with(&broken);
    let mut bytes = std::fs::read(folder.path("broken.glb")).unwrap();
    let chunk = b"\x08\0\0\0ACMEtheirown";
    bytes.extend(chunk);
    let length = u32::try_from(bytes.len()).unwrap();
    bytes[8..12].copy_from_slice(&length.to_le_bytes());
    std::fs::write(folder.path("broken.glb"), bytes).unwrap();
    folder.mend(&[]);
    let mended = std::fs::read(folder.path("mended.glb")).unwrap();
    assert!(mended.ends_with(chunk));
    let said = u32::from_le_bytes(mended[8..12].try_into().unwrap());
    assert_eq!(said as usize, mended.len());
    assert!(!folder.finds("mended.glb", "WEIGHTS_SUM"));

    let [from, kept, lost] = ["broken.glb", "kept.glb", "lost.gltf"].map(|name| folder.path(name));
    let write = |command: &str, options: &[&str], to: &Path| {
        let paths = [from.to_str().unwrap(), "-o", to.to_str().unwrap()];
        rigview([command].into_iter().chain(paths).chain(options.iter().copied())).done().stderr
    };
    for (command, options) in [("fix", &[][..]), ("bake", &["--clip", "Hop"]), ("convert", &[])] {
        assert!(!write(command, options, &kept).contains("ACME"), "{command}");
        assert!(std::fs::read(&kept).unwrap().ends_with(chunk), "{command}");
        let said = write(command, options, &lost);
        assert!(said.contains("can't hold the GLB's 1 further chunk (ACME)"), "{command}: {said}");
        std::fs::remove_file(&lost).unwrap();
        std::fs::remove_file(lost.with_extension("bin")).unwrap();
    }
}
