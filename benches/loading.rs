//! From a file to a model ready for upload, beside `gltf::import` on the same file.
//!
//! First a table of all in turn, so that whatever else the machine does meets them alike: medians in
//! milliseconds, their ratios, and the memory of a load. Then the same by criterion. The large file
//! is the one that RIGVIEW_BIG names; the others are shared models.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use criterion::Criterion;
use rigview::import::{ImageDecoding, ImportOptions, load};

/// Bytes held now, and at most since the count began.
static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, counting what is held.
struct Counting;

fn taken(bytes: usize) {
    let held = HELD.fetch_add(bytes, Ordering::Relaxed) + bytes;
    MOST.fetch_max(held, Ordering::Relaxed);
}

// SAFETY: everything is the system allocator's answer to the same question.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Loads a file in some way, and lets it go.
type Loads = fn(&Path);

/// What is timed.
const KINDS: [(&str, Loads); 3] = [
    ("gltf::import", |path| drop(black_box(gltf::import(path).unwrap()))),
    ("all", |path| drop(black_box(load(path, &ImportOptions::DEFAULT).unwrap()))),
    ("geometry alone", |path| {
        let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::DEFAULT };
        drop(black_box(load(path, &options).unwrap()));
    }),
];

fn main() {
    let files = files();
    // `cargo bench` hands on `--bench`, `cargo test` doesn't: then each runs once.
    let measured = std::env::args().any(|arg| arg == "--bench");
    for (name, path, rounds) in &files {
        table(name, path, if measured { *rounds } else { 1 });
    }
    let mut criterion = Criterion::default().configure_from_args();
    for (name, path, rounds) in &files {
        let mut group = criterion.benchmark_group(format!("load/{name}"));
        group.sample_size((*rounds).max(10)).measurement_time(Duration::from_secs(10));
        for (kind, load) in KINDS {
            group.bench_function(kind, |b| b.iter(|| load(path)));
        }
        group.finish();
    }
    criterion.final_summary();
}

/// Names, paths, and how often each is timed.
fn files() -> Vec<(&'static str, PathBuf, usize)> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let models =
        std::env::var_os("RIGVIEW_SHARED").map_or_else(beside, PathBuf::from).join("models");
    let glb = |name: &str| models.join(name).join("glTF-Binary").join(format!("{name}.glb"));
    let mut files =
        vec![("CesiumMan", glb("CesiumMan"), 51), ("DamagedHelmet", glb("DamagedHelmet"), 21)];
    if let Some(big) = std::env::var_os("RIGVIEW_BIG") {
        files.push(("large", big.into(), 7));
    }
    files.retain(|(_, path, _)| {
        let there = path.is_file();
        if !there {
            println!("{} is not there: left out", path.display());
        }
        there
    });
    files
}

/// Medians of all kinds, one of each in turn, and what the first of them is to each.
fn table(name: &str, path: &Path, rounds: usize) {
    let mut times = [const { Vec::new() }; KINDS.len()];
    for _ in 0..rounds {
        for ((_, load), times) in KINDS.iter().zip(&mut times) {
            let start = Instant::now();
            load(path);
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    let medians = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    for ((kind, _), median) in KINDS.iter().zip(medians) {
        println!("{name}, {kind}: {median:.2} ms, {:.2} of gltf::import", median / medians[0]);
    }
    let before = HELD.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let loaded = load(path, &ImportOptions::DEFAULT).unwrap();
    let [held, most] =
        [&HELD, &MOST].map(|n| (n.load(Ordering::Relaxed) - before) as f64 / 1048576.0);
    drop(loaded);
    println!("{name}: {held:.0} MiB decoded, {most:.0} MiB at most: {:.2}", most / held);
}
