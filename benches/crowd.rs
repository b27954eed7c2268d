//! CPU time of a frame of up to a thousand characters, from the times in the clip to the submitted GPU
//! work: rigview compared with a plain loop of one buffer write, one bind group and one draw call per
//! character and pass.
//!
//! Both use the same sampler and draw a shadow map and the scene. Each mesh is cut to one triangle: the
//! number of triangles does not affect the CPU time, but a software adapter would draw for minutes. The
//! table measures both alternately, so that other load on the machine affects both: medians and their
//! ratio. Criterion then measures the same.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod plain_crowd;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion};
use plain_crowd::PlainCrowd;
use rigview::capture::Crowd;
use rigview::import::{ImageDecoding, ImportOptions, load};
use rigview::model::Model;
use rigview::render::{AdapterChoice, Gpu};

const SIZE: [u32; 2] = [1024, 768];

fn main() {
    let gpu = match Gpu::headless(&AdapterChoice::default()) {
        Ok(gpu) => gpu,
        Err(error) => return println!("skipped: {error}"),
    };
    println!("adapter: {}", gpu.adapter_name());
    let rigs = rigs();
    // `cargo bench` passes `--bench`; `cargo test` does not, and then everything runs once.
    table(&gpu, &rigs, if std::env::args().any(|arg| arg == "--bench") { 101 } else { 1 });
    let mut criterion = Criterion::default().configure_from_args();
    for (name, model) in &rigs {
        by_criterion(&gpu, &mut criterion, name, model);
    }
    criterion.final_summary();
}

/// Returns CesiumMan and Fox with one triangle each, if the shared models are available.
fn rigs() -> Vec<(&'static str, Model)> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let shared = std::env::var_os("RIGVIEW_SHARED").map_or_else(beside, PathBuf::from);
    let mut rigs = Vec::new();
    for (name, file) in [("CesiumMan", "CesiumMan.glb"), ("Fox", "Fox.glb")] {
        let path = shared.join("models").join(name).join("glTF-Binary").join(file);
        let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
        let Ok(loaded) = load(&path, &options) else {
            println!("{}: not found, skipped", path.display());
            continue;
        };
        let mut model = loaded.model;
        let parts =
            model.meshes.iter_mut().flat_map(|m| &mut m.primitives).flat_map(|p| &mut p.parts);
        parts.for_each(|part| part.indices.end = part.indices.start + 3);
        rigs.push((name, model));
    }
    rigs
}

/// Two ways to draw the same frame.
struct Both<'a> {
    gpu: &'a Gpu,
    times: Vec<f64>,
    duration: f64,
    fast: Crowd<'a>,
    plain: PlainCrowd<'a>,
}

impl<'a> Both<'a> {
    fn new(gpu: &'a Gpu, model: &'a Model, count: usize) -> Self {
        let duration = f64::from(model.clips[0].duration_secs());
        let fast = Crowd::new(gpu, model, model.clips.first(), count, SIZE).unwrap();
        let times = (0..count).map(|i| (0.618_034 * i as f64).fract() * duration).collect();
        Self { gpu, times, duration, fast, plain: PlainCrowd::new(gpu, model, count, SIZE) }
    }

    /// Draws the next frame and returns its CPU time.
    fn frame(&mut self, fast: bool) -> Duration {
        let start = Instant::now();
        for time in &mut self.times {
            *time = (*time + 1.0 / 60.0) % self.duration;
        }
        if fast {
            self.fast.times_secs.copy_from_slice(&self.times);
            self.fast.draw(self.gpu).unwrap();
        } else {
            self.plain.draw(self.gpu, &self.times);
        }
        let took = start.elapsed();
        // The GPU's work must not delay the next frame.
        self.gpu.wait();
        took
    }
}

fn table(gpu: &Gpu, rigs: &[(&str, Model)], rounds: usize) {
    println!("{:10} {:>10}  plain ms   fast ms   ratio", "rig", "characters");
    for (name, model) in rigs {
        for count in [1, 100, 1000] {
            let mut both = Both::new(gpu, model, count);
            let mut took = [Vec::new(), Vec::new()];
            for round in 0..rounds + 3 {
                for (fast, took) in [false, true].into_iter().zip(&mut took) {
                    let frame = both.frame(fast);
                    // The first frames create the resources of the others.
                    if round >= 3 {
                        took.push(frame.as_secs_f64() * 1e3);
                    }
                }
            }
            gpu.check().unwrap();
            let [plain, fast] = took.map(|mut list| {
                list.sort_by(f64::total_cmp);
                list[list.len() / 2]
            });
            println!("{name:10} {count:>10} {plain:>9.3} {fast:>9.3} {:>7.3}", fast / plain);
        }
    }
}

fn by_criterion(gpu: &Gpu, criterion: &mut Criterion, name: &str, model: &Model) {
    let mut group = criterion.benchmark_group(format!("crowd/{name}"));
    group.sample_size(20);
    let mut both = Both::new(gpu, model, 1000);
    for (kind, fast) in [("plain", false), ("fast", true)] {
        group.bench_function(BenchmarkId::new(kind, 1000), |bencher| {
            bencher.iter_custom(|frames| (0..frames).map(|_| both.frame(fast)).sum());
        });
    }
    group.finish();
}
