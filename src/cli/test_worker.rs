//! A worker process of `rigview test`: carries out one order after another on a GPU that stays open.

use std::cell::OnceCell;
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use clap::Parser;

use super::camera_args::CameraArgs;
use super::check::{findings_of, read_contract};
use super::choice::{adapter, session_options};
use super::clip_args::ClipArgs;
use super::crash::{end, internal_error};
use super::failure::Failure;
use super::gpu_args::GpuArgs;
use super::limits::{Limits, Passed, Watch, end_over};
use super::look_args::LookArgs;
use super::output::{standard_output_failed, write_json_line};
use super::values::EnvironmentName;
use crate::capture::{PictureSeries, session, take_pictures, upload};
use crate::check::Contract;
use crate::import::{ImageDecoding, ImportError, ImportOptions, Progress, guarded, load_telling};
use crate::render::{AdapterChoice, Gpu, GpuError};
use crate::session::FileSource;
use crate::suite::{Answer, Case, Judge, Kind, LAST, Order, late, too_large};

/// The options that a case's `args` may have.
#[derive(Debug, Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
pub struct CaseArgs {
    #[command(flatten)]
    pub camera: CameraArgs,
    #[command(flatten)]
    pub look: LookArgs,
}

/// The clip of a case as the options that choose it elsewhere.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct CaseClip {
    #[command(flatten)]
    clip: ClipArgs,
}

/// Reads orders from standard input, a line each, and answers each with a line. Ends with the process that gives the
/// orders, even if that is killed, and enforces the limits of each case for the case that nobody else does.
pub fn run(args: &GpuArgs) -> Result<(), Failure> {
    end_with_parent();
    let orders = orders().map_err(|e| Failure::Output(format!("no thread can be started: {e}")))?;
    let choice = adapter(args);
    let gpu = OnceCell::new();
    let mut worker = Worker { choice: &choice, gpu: &gpu, series: None, is_broken: false };
    let mut out = io::stdout().lock();
    for line in orders {
        let order: Order = serde_json::from_str(&line)
            .map_err(|e| Failure::Usage(format!("standard input: not an order: {e}")))?;
        let watch = watch(&order.case);
        let answer = worker.carry_out(&order);
        drop(watch);
        let mark = if worker.is_broken { LAST.to_string() } else { String::new() };
        out.write_all(mark.as_bytes())
            .and_then(|()| write_json_line(&mut out, &answer))
            .and_then(|()| out.flush())
            .map_err(standard_output_failed)?;
        if worker.is_broken {
            break;
        }
    }
    // Dropping the device takes longer than ending the process, which frees it too.
    std::mem::forget(gpu);
    Ok(())
}

/// Lets the system kill this process when the thread that started it ends. Elsewhere than on Linux, the end of
/// standard input has to do.
fn end_with_parent() {
    #[cfg(target_os = "linux")]
    // SAFETY: this only sets an attribute of the process.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
}

/// Reads the lines of standard input on a thread. The process ends where the input does, also in the middle of an order:
/// nobody reads the answer any more.
fn orders() -> io::Result<Receiver<String>> {
    let (send, lines) = channel();
    std::thread::Builder::new().name("orders".into()).spawn(move || {
        for line in io::stdin().lines() {
            if line.is_ok_and(|line| send.send(line).is_ok()) {
                continue;
            }
            break;
        }
        end(0);
    })?;
    Ok(lines)
}

/// How much later than the process that gives the orders this one enforces the limits of a case.
const GRACE: Duration = Duration::from_secs(1);

/// Ends the process when a case exceeds its limits for some time. The process that gives the orders does so at once, but
/// may have been stopped. If no thread can be started, nothing is watched.
fn watch(case: &Case) -> Option<Watch> {
    let limits = Limits { time: case.time_limit(), memory: case.memory_limit_bytes() };
    let case = case.clone();
    let over = move |passed| {
        let what = match passed {
            Passed::Time => late(limits.time),
            Passed::Memory(bytes) => too_large(bytes, limits.memory),
        };
        end_over(&Failure::load(Path::new(&case.file), ImportError::other(what)))
    };
    limits.watch(GRACE, over).ok()
}

struct Worker<'a> {
    choice: &'a AdapterChoice,
    gpu: &'a OnceCell<Gpu>,
    /// Draws pictures of the size of the last case.
    series: Option<([u32; 2], PictureSeries<'a>)>,
    /// Whether the process is in a state that may spoil further cases.
    is_broken: bool,
}

impl Worker<'_> {
    fn carry_out(&mut self, order: &Order) -> Answer {
        let mut judge = Judge::new(order);
        let done = guarded(|| self.judge(order, &mut judge));
        let (failure, no_gpu) = match done {
            Ok(Ok(())) => return judge.answer(None),
            Ok(Err(failure)) => {
                let is_gpu = matches!(failure, Failure::Gpu(_));
                // A device that was lost stays lost, but another process can open it again.
                self.is_broken |= is_gpu && self.gpu.get().is_some();
                let failure = failure.to_string();
                (failure.clone(), (is_gpu && self.gpu.get().is_none()).then_some(failure))
            }
            Err(panic) => {
                self.is_broken = true;
                (internal_error(&*panic, ""), None)
            }
        };
        Answer { no_gpu, ..judge.answer(Some(failure)) }
    }

    fn judge(&mut self, order: &Order, judge: &mut Judge) -> Result<(), Failure> {
        let case = &order.case;
        let draws = case.expect.contains(&Kind::Picture);
        let gpu = if draws { Some(self.gpu()?) } else { None };
        let images = match case.expect.contains(&Kind::Check) {
            _ if draws => ImageDecoding::Keep,
            true => ImageDecoding::Check,
            false => ImageDecoding::Headers,
        };
        let options = ImportOptions { images, ..ImportOptions::default() };
        let progress = Progress::default();
        let mut loaded = load_telling(&case.path(), &options, &progress)
            .map_err(|e| Failure::load(Path::new(&case.file), e))?;
        if case.expect.contains(&Kind::Check) {
            let contract = contract_of(case)?;
            let bytes = progress.bytes().done;
            judge.findings(findings_of(&case.file, &loaded, bytes, &contract));
        }
        let mut options = {
            let CaseArgs { camera, look } = case_args(case)?;
            session_options(&clip_args(case)?, &camera, &look, Some(&loaded.model))?
        };
        options.time_secs = Some(case.instants[0].secs);
        let images = take_pictures(&mut loaded.model);
        let mut session = session(FileSource::Path(case.path()), loaded, options);
        judge.set_clip(&session);
        judge.check_instants(&session).map_err(Failure::Usage)?;
        if case.expect.contains(&Kind::Pose) {
            let over = |over| {
                let error = ImportError::over_budget("the pose", over);
                Failure::load(Path::new(&case.file), error)
            };
            judge.poses(&mut session).map_err(over)?;
        }
        if let Some(gpu) = gpu {
            let gpu_model = upload(gpu, &session, images)?;
            let series = self.series(gpu, case.size);
            judge.pictures(&mut session, gpu, series, &gpu_model)?;
            gpu.keep_pipelines();
        }
        judge.motion(&session);
        Ok(())
    }
}

impl<'a> Worker<'a> {
    /// Returns the GPU, which is opened for the first case that is drawn.
    fn gpu(&self) -> Result<&'a Gpu, GpuError> {
        match self.gpu.get() {
            Some(gpu) => Ok(gpu),
            None => {
                let gpu = Gpu::headless(self.choice)?;
                Ok(self.gpu.get_or_init(|| gpu))
            }
        }
    }

    fn series(&mut self, gpu: &'a Gpu, size: [u32; 2]) -> &mut PictureSeries<'a> {
        let last = self.series.take().filter(|(of, _)| *of == size);
        let series = last.unwrap_or_else(|| (size, PictureSeries::new(gpu, size)));
        &mut self.series.insert(series).1
    }
}

/// Reads the contract of a case; one that declares nothing if the case has none.
pub fn contract_of(case: &Case) -> Result<Contract, Failure> {
    case.contract.as_deref().map_or(Ok(Contract::default()), read_contract)
}

/// Parses the `args` of a case. Paths are relative to the manifest.
pub fn case_args(case: &Case) -> Result<CaseArgs, Failure> {
    const OWN: [&str; 3] = ["--size", "--resolution", "--output"];
    let is_own = |arg: &&String| OWN.iter().any(|own| arg.split('=').next() == Some(own));
    let failed = |what: &str| {
        Failure::Usage(format!("args of case \"{}\" at line {}: {what}", case.name, case.line))
    };
    if let Some(own) = case.args.iter().find(is_own) {
        return Err(failed(&format!("{own} is no option of a case; use the key `size`")));
    }
    let mut args = CaseArgs::try_parse_from(&case.args).map_err(|error| {
        let text = error.to_string();
        let line = text.lines().next().unwrap_or_default();
        failed(line.trim_start_matches("error: "))
    })?;
    if let Some(EnvironmentName::File(file)) = &mut args.look.environment {
        *file = case.folder.join(&*file);
    }
    Ok(args)
}

fn clip_args(case: &Case) -> Result<ClipArgs, Failure> {
    let clip = case.clip.iter().map(|clip| format!("--clip={clip}"));
    let options = clip.chain([format!("--fps={}", case.fps)]);
    let parsed = CaseClip::try_parse_from(options);
    parsed.map(|args| args.clip).map_err(|error| Failure::Usage(error.to_string()))
}
