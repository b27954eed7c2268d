//! Loads two thousand broken files, the same ones on every run, as the window does. None may panic,
//! hang, or allocate by a number that the file claims. A test program of its own, since it counts
//! allocations.
//!
//! | module | holds |
//! |---|---|
//! | [`model`] | six models of different kinds, as document and buffer |
//! | [`mutation`] | the mutations applied to them |
//! | [`other`] | small FBX and BVH files |
//! | [`tally`] | the counting allocator |

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod model;
mod mutation;
mod other;
mod tally;

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rigview::import::{ImportOptions, load_bytes};
use rigview::model::{Stage, clip_hull};
use rigview_test_support::{say_at_the_end, shared};

use mutation::{Random, break_bytes, break_numbers, mutated};
use tally::Tally;

#[global_allocator]
static ALLOCATOR: tally::Counting = tally::Counting;

const SEED: u64 = 0x7269_6776_6965_7721;
const MUTATIONS: usize = 2000;

/// Mutations of each file of another format.
const MUTATIONS_OF_OTHERS: usize = 300;

/// Limit for decoded bytes: more than any of the models needs.
const DECODED_LIMIT: u64 = 16 << 20;

/// Limit for bytes held at one time: decoded data, its source, and the codecs' working memory.
const MOST_HELD: usize = 6 * DECODED_LIMIT as usize;

/// Limit for bytes allocated in total, which an endless loop exceeds.
const MOST_ASKED: usize = 40 * DECODED_LIMIT as usize;

/// Limit for the processor time in seconds. A hang that allocates nothing ends the program by a
/// signal; the file that hung is in the folder of mutations.
const MOST_PROCESSOR_SECS: u64 = 600;

thread_local! {
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

#[test]
fn two_thousand_broken_files_break_nothing() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mutations");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    println!("seed {SEED:#x}; current and failing files are in {}", folder.display());
    limit_processor_time();
    std::panic::set_hook(Box::new(|panic| PANIC.set(panic.to_string())));

    let models = model::six(shared("the shared models in the mutation test").as_deref());
    for model in &models {
        assert_eq!(fault(model.packed()), None, "{} as it is", model.name);
    }
    let next = AtomicUsize::new(0);
    let faults = Mutex::new(Vec::new());
    let loaded = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, |cores| cores.get());
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (next, faults, models, folder, loaded) =
                (&next, &faults, &models, &folder, &loaded);
            scope.spawn(move || {
                // One thread per pool, so that parallel decoding stays on the thread that is
                // counted.
                let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
                let trying = folder.join(format!("trying-{thread}"));
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= MUTATIONS {
                        break;
                    }
                    let model = &models[number % models.len()];
                    let bytes = mutated(model, &mut Random::new(SEED + number as u64));
                    // Saves the file first: if the process is killed, it shows what was tried.
                    std::fs::write(&trying, &bytes).unwrap();
                    let outcome = pool.install(|| outcome(bytes));
                    match outcome {
                        Ok(true) => drop(loaded.fetch_add(1, Ordering::Relaxed)),
                        Ok(false) => {}
                        Err(fault) => {
                            let kept = folder.join(format!("{number}-{}", model.name));
                            std::fs::rename(&trying, &kept).unwrap();
                            faults.lock().unwrap().push(format!("{}: {fault}", kept.display()));
                        }
                    }
                }
                let _ = std::fs::remove_file(&trying);
            });
        }
    });
    let others = break_other_formats(&folder, &faults);
    let _ = std::panic::take_hook();
    let (faults, loaded) = (faults.into_inner().unwrap(), loaded.into_inner());
    assert!(faults.is_empty(), "{} mutations fail:\n{}", faults.len(), faults.join("\n"));
    // If nearly all files were refused, little would be tested.
    assert!((MUTATIONS / 5..MUTATIONS).contains(&loaded), "{loaded} of {MUTATIONS} load");
    for Survivors { name, by_bytes, by_numbers } in &others {
        // A changed byte of a text mostly breaks its syntax, which is refused; a changed number seldom does.
        let each = MUTATIONS_OF_OTHERS / 2;
        println!(
            "{name}: {by_bytes} with broken bytes and {by_numbers} with other numbers of {each} load"
        );
        assert!((each / 2..each).contains(by_numbers), "{name}: {by_numbers} of {each} load");
        assert!((1..each).contains(by_bytes), "{name}: {by_bytes} of {each} load");
    }
    say_at_the_end(format!("{loaded} of {MUTATIONS} broken files load, none fails"));
}

/// How many broken copies of a file of another format load.
struct Survivors {
    name: &'static str,
    by_bytes: usize,
    by_numbers: usize,
}

/// Breaks files of other formats: bytes in half of the copies, numbers in the others.
fn break_other_formats(folder: &Path, faults: &Mutex<Vec<String>>) -> Vec<Survivors> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let mut all = Vec::new();
    for (name, whole) in other::files() {
        assert_eq!(fault(whole.clone()), None, "{name} as it is");
        let mut loaded = [0; 2];
        for number in 0..MUTATIONS_OF_OTHERS {
            let mut bytes = whole.clone();
            let random = &mut Random::new(SEED ^ number as u64);
            match number % 2 {
                0 => break_bytes(&mut bytes, random),
                _ => break_numbers(&mut bytes, random),
            }
            let trying = folder.join(format!("{number}-{name}"));
            std::fs::write(&trying, &bytes).unwrap();
            match pool.install(|| outcome(bytes)) {
                Ok(loads) => {
                    loaded[number % 2] += usize::from(loads);
                    let _ = std::fs::remove_file(&trying);
                }
                Err(fault) => faults.lock().unwrap().push(format!("{}: {fault}", trying.display())),
            }
        }
        all.push(Survivors { name, by_bytes: loaded[0], by_numbers: loaded[1] });
    }
    all
}

/// Loads a file, and poses it if it loads. Returns whether it loads, or what broke.
fn outcome(bytes: Vec<u8>) -> Result<bool, String> {
    let options = ImportOptions { decoded_limit: DECODED_LIMIT, ..ImportOptions::DEFAULT };
    let tally = Tally::start();
    let work = || {
        let Ok(loaded) = load_bytes(bytes, &options) else { return false };
        let model = loaded.model;
        for scene in 0..model.scenes.len().min(2) {
            let mut stage = Stage::new(&model, scene);
            for clip in model.clips.iter().take(2) {
                let _ = clip_hull(&model, &mut stage, Some(clip), None);
            }
        }
        true
    };
    let loads = catch_unwind(AssertUnwindSafe(work)).map_err(|_| PANIC.take())?;
    let (held, asked) = tally.end();
    // What is held can be less than before: the bytes of a file that is refused are freed.
    assert!(asked > 0, "the allocator counts nothing");
    if held > MOST_HELD || asked > MOST_ASKED {
        return Err(format!("{held} bytes held at one time, {asked} allocated in total"));
    }
    Ok(loads)
}

/// Returns what an unbroken file breaks, if anything.
fn fault(bytes: Vec<u8>) -> Option<String> {
    match outcome(bytes) {
        Ok(true) => None,
        Ok(false) => Some("it is refused".into()),
        Err(fault) => Some(fault),
    }
}

fn limit_processor_time() {
    #[cfg(unix)]
    {
        let limit = libc::rlimit { rlim_cur: MOST_PROCESSOR_SECS, rlim_max: libc::RLIM_INFINITY };
        // SAFETY: the call only reads a structure that outlives it.
        let refused = unsafe { libc::setrlimit(libc::RLIMIT_CPU, &limit) };
        assert_eq!(refused, 0, "no limit to the processor's time");
    }
}
