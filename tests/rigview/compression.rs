//! Smaller forms of clips: the error bound of reduced keys, and the
//! output of the command line.

use glam::{Affine3A, Quat, Vec3};
use proptest::prelude::*;
use rigview::anim::{Channel, Clip, ClipParts, Keys, Skin, Track};
use rigview::import::{ImageDecoding, ImportOptions, load_bytes};
use rigview::model::{Model, Stage};
use rigview::report::{ClipForm, FormOptions, clip_in_form, compression_report};
use serde_json::Value;

use crate::support::{Glb, rigview, shared};

/// The built-in rig.
fn creature() -> Model {
    let bytes = include_bytes!("../../assets/creature.glb").to_vec();
    let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
    load_bytes(bytes, &options).unwrap().model
}

/// A clip that moves all joints of a skin.
fn shaken(skin: &Skin, turns: &[[f32; 3]], moves: &[[f32; 3]], keys: usize) -> Clip {
    let times: Vec<f32> = (0..keys).map(|i| 0.05 * i as f32).collect();
    let mut channels = Vec::new();
    for (i, &joint) in skin.joints.iter().enumerate() {
        let at = |list: &[[f32; 3]], key: usize| {
            // A smooth motion with a little noise, so that some keys can be removed.
            let v = Vec3::from(list[(i + key / 4) % list.len()]);
            let w = Vec3::from(list[(i + key / 4 + 1) % list.len()]);
            v.lerp(w, (key % 4) as f32 / 4.0) + 1e-4 * Vec3::from(list[(i * 7 + key) % list.len()])
        };
        let turn = |key| Quat::from_scaled_axis(0.5 * at(turns, key));
        let turned = Keys::Linear((0..keys).map(turn).collect());
        let moved = Keys::Linear((0..keys).map(|key| 0.1 * at(moves, key)).collect());
        let node = joint as usize;
        channels.extend([
            Channel::Rotation { node, track: Track::new(times.clone(), turned, 1).unwrap() },
            Channel::Translation { node, track: Track::new(times.clone(), moved, 1).unwrap() },
        ]);
    }
    Clip::new(ClipParts { channels, duration_secs: times[keys - 1], ..ClipParts::default() })
}

/// Returns the largest distance between a vertex's positions in two clips at one time, in millimetres.
fn furthest_mm(model: &Model, a: &Clip, b: &Clip, time: f64) -> f64 {
    let mut stages = [Stage::new(model, 0), Stage::new(model, 0)];
    for (stage, clip) in stages.iter_mut().zip([a, b]) {
        stage.pose(model, Some(clip), time);
    }
    let mut worst = 0.0f64;
    for &node in &stages[0].nodes {
        let Some(mesh) = model.nodes[node].mesh else { continue };
        for primitive in 0..model.meshes[mesh].primitives.len() {
            let [a, b] = [0, 1].map(|i| stages[i].deformed(model, node, primitive).unwrap());
            let off = a.iter().zip(&b).map(|(a, b)| f64::from(a.distance(*b)));
            worst = off.fold(worst, f64::max);
        }
    }
    1000.0 * worst
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn reduced_clips_keep_every_vertex_within_their_bound(
        turns in prop::collection::vec(prop::array::uniform3(-1.0f32..1.0), 3..9),
        moves in prop::collection::vec(prop::array::uniform3(-1.0f32..1.0), 3..9),
        bound_mm in prop_oneof![Just(0.1), Just(0.5), Just(5.0)],
    ) {
        let model = creature();
        let clip = shaken(&model.skins[0], &turns, &moves, 25);
        let options = FormOptions { fps: 30.0, bound_mm };
        let few = clip_in_form(&model, &clip, ClipForm::Reduced, options).unwrap();
        let keys = |clip: &Clip| clip.channels().iter().map(|c| c.times().len()).sum::<usize>();
        prop_assert!(keys(&few) < keys(&clip), "{} keys are left", keys(&few));
        // The bound holds for all vertices and times, not only for those that the report measures.
        for i in 0..60 {
            let time = f64::from(clip.duration_secs()) * f64::from(i) / 59.3;
            let off = furthest_mm(&model, &clip, &few, time);
            prop_assert!(off <= bound_mm, "{} mm of {} at {}", off, bound_mm, time);
        }
    }
}

/// Distances are measured at the skin, which a camera does not move.
#[test]
fn reduced_clips_keep_what_moves_no_vertex_within_their_bound() {
    let mut file = Glb::of(include_bytes!("../../assets/creature.glb"));
    let nodes = file.json["nodes"].as_array_mut().unwrap();
    nodes.push(serde_json::json!({"name": "camera"}));
    let camera = nodes.len() - 1;
    file.json["scenes"][0]["nodes"].as_array_mut().unwrap().push(camera.into());
    let model = load_bytes(file.to_bytes(), &ImportOptions::default()).unwrap().model;
    let times: Vec<f32> = (0..100).map(|i| i as f32 / 30.0).collect();
    // A slow way with a shake of 20 mm.
    let places = times.iter().map(|t| Vec3::new(t.sin(), 0.02 * (20.0 * t).sin(), 0.0)).collect();
    let track = Track::new(times.clone(), Keys::Linear(places), 1).unwrap();
    let channels = vec![Channel::Translation { node: camera, track }];
    let clip = Clip::new(ClipParts { channels, duration_secs: times[99], ..ClipParts::default() });
    let bound_mm = 1.0;
    let options = FormOptions { fps: 30.0, bound_mm };
    let few = clip_in_form(&model, &clip, ClipForm::Reduced, options).unwrap();
    let mut stages = [Stage::new(&model, 0), Stage::new(&model, 0)];
    for time in times {
        for (stage, clip) in stages.iter_mut().zip([&clip, &few]) {
            stage.pose(&model, Some(clip), f64::from(time));
        }
        let [a, b] = [0, 1].map(|i| stages[i].position(camera));
        let mm = 1000.0 * f64::from(a.distance(b));
        assert!(mm <= 1.01 * bound_mm, "{mm} mm at {time}");
    }
}

#[test]
fn the_report_counts_bytes_and_millimetres() {
    let model = creature();
    let report = compression_report(&model, FormOptions::default()).unwrap();
    assert_eq!(report.clips.len(), model.clips.len());
    for clip in &report.clips {
        let form = |name: &str| clip.forms.iter().find(|f| f.form == name).unwrap();
        let weights = model.clips[clip.index].channels().iter().map(|channel| match channel {
            Channel::Weights { track, .. } => {
                let values = if matches!(track.keys(), Keys::Cubic { .. }) { 3 } else { 1 };
                track.times().len() * 4 * (1 + values * track.width())
            }
            _ => 0,
        });
        let morph: usize = weights.sum();
        let worst = |name: &str| form(name).error.as_ref().unwrap().worst_mm;
        for (name, bytes) in [("sampled", 40), ("matrices", 48), ("packed", 16)] {
            let form = form(name);
            assert_eq!(form.bytes_a_key, Some(bytes));
            assert_eq!(form.keys, clip.joints * clip.frames);
            assert_eq!(form.bytes - form.keys * bytes, morph, "weights keep their keys");
        }
        assert!(form("source").error.is_none() && form("reduced").bytes <= form("source").bytes);
        assert!(worst("reduced") <= 0.5, "{clip:?}");
        // The error of half floats adds to the error of sampling.
        let packed = form("packed").error.as_ref().unwrap();
        assert!(packed.mean_mm > form("sampled").error.as_ref().unwrap().mean_mm);
        assert!(packed.time <= f64::from(model.clips[clip.index].duration_secs()));
        // A packed key has a single scale for all axes, so the hop loses its non-uniform scale.
        let hop = clip.name.as_deref() == Some("Hop");
        assert_eq!(packed.worst_mm > 30.0, hop, "{packed:?}");
        assert!(packed.node_name.is_some(), "{packed:?}");
    }
}

#[test]
fn a_packed_scale_is_one_for_all_axes() {
    let track = Track::new(vec![0.0], Keys::Step(vec![Vec3::new(1.0, 2.0, 3.0)]), 1).unwrap();
    let model = creature();
    let channels = vec![Channel::Scale { node: 1, track }];
    let clip = Clip::new(ClipParts { channels, ..ClipParts::default() });
    let packed = clip_in_form(&model, &clip, ClipForm::Packed, FormOptions::default()).unwrap();
    let mut pose = model.rest.clone();
    packed.sample(0.0, &mut pose);
    assert_eq!(pose.transform(1).scale, Vec3::splat(2.0));
    let matrix: Affine3A = pose.transform(1).parent_from_node();
    assert!(matrix.is_finite());
}

#[test]
fn info_says_what_compression_costs() {
    let Some(shared) = shared("info_says_what_compression_costs") else { return };
    let man = shared.join("models/CesiumMan/glTF-Binary/CesiumMan.glb");
    let man = man.to_str().unwrap();
    let run = rigview(["info", man, "--json", "--compression", "--fps", "60", "--bound", "0.2"]);
    let info = run.done().json();
    let compression = &info["compression"];
    assert_eq!((&compression["fps"], &compression["bound_mm"]), (&60.0.into(), &0.2.into()));
    let forms = compression["clips"][0]["forms"].as_array().unwrap();
    let names: Vec<&str> = forms.iter().map(|f| f["form"].as_str().unwrap()).collect();
    assert_eq!(names, ["source", "sampled", "matrices", "packed", "reduced"]);
    let reduced = &forms[4];
    assert!(reduced["error"]["worst_mm"].as_f64().unwrap() <= 0.2, "{reduced}");
    assert!(reduced["bytes"].as_u64() < forms[0]["bytes"].as_u64(), "{reduced}");
    let text = rigview(["info", man, "--compression"]).done();
    assert!(text.text().contains("packed") && text.text().contains("worst mm"));
    assert!(rigview(["info", man, "--json"]).done().text().find("compression").is_none());
    assert_eq!(rigview(["info", man, "--bound", "1"]).code, Some(2));
}

#[test]
fn a_pose_can_be_one_of_a_packed_clip() {
    let pose = |form: &str| -> Value {
        let run = rigview(["pose", "--json", "--time", "0.33", "--form", form]).done();
        run.json()
    };
    let worlds = |pose: &Value| -> Vec<f64> {
        let nodes = pose["nodes"].as_array().unwrap().iter();
        nodes.flat_map(|n| n["world"].as_array().unwrap()).map(|x| x.as_f64().unwrap()).collect()
    };
    let (source, packed) = (worlds(&pose("source")), worlds(&pose("packed")));
    let off = source.iter().zip(&packed).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off > 1e-6 && off < 0.05, "{off}");
    assert_eq!(rigview(["pose", "--form", "tiny"]).code, Some(2));
}
