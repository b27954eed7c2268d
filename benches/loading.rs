//! From a file to a model ready for upload, compared with `gltf::import` of the same file.
//!
//! The table measures all alternately, so that other load on the machine affects all: medians in
//! milliseconds, their ratios, and the memory of a load. Criterion then measures the same. The
//! environment variable RIGVIEW_BIG names the large file; the others are shared models.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use criterion::Criterion;
use rigview::import::{ImageDecoding, ImportOptions, load};

/// Bytes allocated now, and at the peak since it was reset.
static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, which counts the allocated bytes.
struct Counting;

fn taken(bytes: usize) {
    let held = HELD.fetch_add(bytes, Ordering::Relaxed) + bytes;
    MOST.fetch_max(held, Ordering::Relaxed);
}

// SAFETY: every call is forwarded to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: the caller upholds the contract of the allocator.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: the caller upholds the contract of the allocator.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller upholds the contract of the allocator.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Loads a file and drops the result.
type Loads = fn(&Path);

/// The measured ways to load a file.
const KINDS: [(&str, Loads); 3] = [
    ("gltf::import", |path| drop(black_box(gltf::import(path).unwrap()))),
    ("rigview", |path| drop(black_box(load(path, &ImportOptions::DEFAULT).unwrap()))),
    ("rigview, images not decoded", |path| {
        let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::DEFAULT };
        drop(black_box(load(path, &options).unwrap()));
    }),
];

fn main() {
    let files = files();
    // `cargo bench` passes `--bench`; `cargo test` does not, and then everything runs once.
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

/// Returns names, paths, and the number of rounds.
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
        let exists = path.is_file();
        if !exists {
            println!("{}: not found, skipped", path.display());
        }
        exists
    });
    files
}

/// Prints the medians of all ways, measured alternately, their ratios to the first, and the memory.
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
        println!("{name}, {kind}: {median:.2} ms, {:.2} times gltf::import", median / medians[0]);
    }
    let before = HELD.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let loaded = load(path, &ImportOptions::DEFAULT).unwrap();
    let [held, most] =
        [&HELD, &MOST].map(|n| (n.load(Ordering::Relaxed) - before) as f64 / 1048576.0);
    drop(loaded);
    println!("{name}: {held:.0} MiB loaded, {most:.0} MiB peak, ratio {:.2}", most / held);
}
