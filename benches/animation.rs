//! From a time in a clip to a palette: the evaluator compared with the plain baseline.
//!
//! The table measures both alternately, so that other load on the machine affects both: medians in
//! nanoseconds per joint and frame, and their ratio. Criterion then measures the same.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod baseline;
mod rig;

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use baseline::Plain;
use criterion::{BenchmarkId, Criterion, Throughput};
use glam::{DVec3, Mat4};
use rig::{Rig, hundred_joints};
use rigview::anim::{Cursor, LocalPose, WorldPose};
use rigview::import::{ImageDecoding, ImportOptions, load};

fn main() {
    let rigs = rigs();
    // `cargo bench` passes `--bench`; `cargo test` does not, and then everything runs once.
    let measured = std::env::args().any(|arg| arg == "--bench");
    table(&rigs, if measured { 301 } else { 1 });
    scaling(&rigs, if measured { 101 } else { 1 });
    let mut criterion = Criterion::default().configure_from_args();
    for (name, rig) in &rigs {
        by_criterion(&mut criterion, name, rig);
    }
    criterion.final_summary();
}

/// Returns the generated rig, and CesiumMan and Fox if the shared models are available.
fn rigs() -> Vec<(&'static str, Rig)> {
    let mut rigs = vec![("hundred joints", hundred_joints())];
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let shared = std::env::var_os("RIGVIEW_SHARED").map_or_else(beside, PathBuf::from);
    for (name, file) in [("CesiumMan", "CesiumMan.glb"), ("Fox", "Fox.glb")] {
        let path = shared.join("models").join(name).join("glTF-Binary").join(file);
        let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
        let Ok(loaded) = load(&path, &options) else {
            println!("{}: not found, skipped", path.display());
            continue;
        };
        let mut model = loaded.model;
        rigs.push((
            name,
            Rig {
                rest: model.rest,
                tree: model.hierarchy,
                skin: model.skins.swap_remove(0),
                clip: model.clips.swap_remove(0),
            },
        ));
    }
    rigs
}

/// Characters, each at its own time in the clip. Per evaluator they share one set of poses.
struct Crowd<'a> {
    rig: &'a Rig,
    scrub: bool,
    times: Vec<f64>,
    joints: Vec<u16>,
    plain: Plain<'a>,
    plain_palettes: Vec<Vec<Mat4>>,
    local: LocalPose,
    world: WorldPose,
    fast: Vec<Character>,
}

/// What each character needs for the fast evaluator.
#[derive(Clone)]
struct Character {
    cursor: Cursor,
    palette: Vec<Mat4>,
}

impl<'a> Crowd<'a> {
    fn new(rig: &'a Rig, count: usize, scrub: bool) -> Self {
        let joints = rig.skin.joints.len();
        let palette = vec![Mat4::IDENTITY; joints];
        Self {
            rig,
            scrub,
            times: (0..count)
                .map(|i| 0.37 * i as f64 % f64::from(rig.clip.duration_secs()))
                .collect(),
            joints: (0..joints as u16).collect(),
            plain: Plain::new(rig),
            plain_palettes: vec![palette.clone(); count],
            local: rig.rest.clone(),
            world: WorldPose::default(),
            fast: vec![Character { cursor: Cursor::default(), palette }; count],
        }
    }

    /// Returns the number of characters multiplied by that of their joints.
    fn joints(&self) -> usize {
        self.times.len() * self.joints.len()
    }

    /// Advances every character by a sixtieth of a second, or jumps elsewhere if scrubbing.
    fn advance(&mut self) {
        let duration = f64::from(self.rig.clip.duration_secs());
        let step = if self.scrub { 0.618 * duration } else { 1.0 / 60.0 };
        for time in &mut self.times {
            *time += step;
            // A division would take a tenth of the measured time.
            if *time >= duration {
                *time -= duration;
            }
        }
    }

    fn pose_plainly(&mut self) {
        for (palette, time) in self.plain_palettes.iter_mut().zip(&self.times) {
            self.plain.pose(black_box(*time) as f32, palette);
            black_box(&palette);
        }
    }

    fn pose_fast(&mut self) {
        let Rig { rest, tree, skin, clip } = self.rig;
        let (local, world) = (&mut self.local, &mut self.world);
        for (Character { cursor, palette }, time) in self.fast.iter_mut().zip(&self.times) {
            clip.pose(black_box(*time), rest, cursor, local);
            tree.resolve(local, DVec3::ZERO, world);
            skin.write_palette(&self.joints, world, palette);
            black_box(&palette);
        }
    }
}

fn table(rigs: &[(&str, Rig)], rounds: usize) {
    println!("{:16} {:>7} {:>10}   plain    fast   ratio", "rig", "mode", "characters");
    for (name, rig) in rigs {
        for (mode, scrub) in [("forward", false), ("scrub", true)] {
            for count in [1, 1000] {
                let mut crowd = Crowd::new(rig, count, scrub);
                let frames = (50 / count).max(1);
                let mut took = [Vec::new(), Vec::new()];
                for _ in 0..rounds {
                    for (took, pose) in took.iter_mut().zip([Crowd::pose_plainly, Crowd::pose_fast])
                    {
                        let start = Instant::now();
                        for _ in 0..frames {
                            crowd.advance();
                            pose(&mut crowd);
                        }
                        let joints = (frames * crowd.joints()) as f64;
                        took.push(start.elapsed().as_secs_f64() * 1e9 / joints);
                    }
                }
                let [plain, fast] = took.map(median);
                let ratio = fast / plain;
                println!("{name:16} {mode:>7} {count:>10} {plain:>7.2} {fast:>7.2} {ratio:>7.3}");
            }
        }
    }
}

/// Compares a thousand characters on one thread with five hundred on each of two threads.
fn scaling(rigs: &[(&str, Rig)], rounds: usize) {
    for (name, rig) in rigs {
        let mut all = Crowd::new(rig, 1000, false);
        let mut halves = [Crowd::new(rig, 500, false), Crowd::new(rig, 500, false)];
        let mut took = [Vec::new(), Vec::new()];
        for _ in 0..rounds {
            // Several frames, so that waking a thread does not count.
            let play = |crowd: &mut Crowd| {
                for _ in 0..20 {
                    crowd.advance();
                    crowd.pose_fast();
                }
            };
            let start = Instant::now();
            play(&mut all);
            took[0].push(start.elapsed().as_secs_f64());
            let start = Instant::now();
            let [a, b] = &mut halves;
            rayon::join(|| play(a), || play(b));
            took[1].push(start.elapsed().as_secs_f64());
        }
        let [one, two] = took.map(median);
        println!("{name:16} two threads are {:.2} times as fast as one", one / two);
    }
}

fn median(mut list: Vec<f64>) -> f64 {
    list.sort_by(f64::total_cmp);
    list[list.len() / 2]
}

fn by_criterion(criterion: &mut Criterion, name: &str, rig: &Rig) {
    for (mode, scrub) in [("forward", false), ("scrub", true)] {
        let mut group = criterion.benchmark_group(format!("{name}, {mode}"));
        for count in [1, 1000] {
            let mut crowd = Crowd::new(rig, count, scrub);
            group.throughput(Throughput::Elements(crowd.joints() as u64));
            group.bench_function(BenchmarkId::new("plain", count), |bencher| {
                bencher.iter(|| {
                    crowd.advance();
                    crowd.pose_plainly();
                });
            });
            group.bench_function(BenchmarkId::new("fast", count), |bencher| {
                bencher.iter(|| {
                    crowd.advance();
                    crowd.pose_fast();
                });
            });
        }
        group.finish();
    }
}
