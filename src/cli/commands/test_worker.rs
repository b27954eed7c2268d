//! What a worker process of `rigview test` does with an order: it judges one case.

use std::path::Path;

use clap::Parser;

use crate::cli::args::clip::ClipArgs;
use crate::cli::args::look::LookArgs;
use crate::cli::args::scene::CameraArgs;
use crate::cli::args::scene::GpuArgs;
use crate::cli::args::values::EnvironmentName;
use crate::cli::choice::session_options;
use crate::cli::contract_file::read_contract;
use crate::cli::failure::Failure;
use crate::cli::limits::{Limits, Passed, Watch, end_over};
use crate::cli::workers::{Answered, GRACE, WorkerGpu, serve};
use crate::suite::{Case, CaseAnswer, CaseOrder, Judge, Kind};
use rigview_capture::{session, take_pictures, upload};
use rigview_check::{Asset, Contract, findings};
use rigview_import::{ImageDecoding, ImportError, ImportOptions, Progress, load_with_progress};
use rigview_session::FileSource;

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

/// Carries out the orders of standard input.
pub fn run(args: &GpuArgs) -> Result<(), Failure> {
    serve(args, |order: &CaseOrder| watch(&order.case), carry_out)
}

/// Ends the process when a case exceeds its limits for some time. The process that gives the orders does so at once, but
/// may have been stopped. If no thread can be started, nothing is watched.
fn watch(case: &Case) -> Option<Watch> {
    let own = case.clone();
    let over = move |passed| {
        let what = passed_in_words(&own, passed);
        end_over(&Failure::load(Path::new(&own.file), ImportError::other(what)))
    };
    case_limits(case).watch(GRACE, over).ok()
}

/// Returns what a case may take.
pub fn case_limits(case: &Case) -> Limits {
    Limits { time: Some(case.time_limit()), memory: Some(case.memory_limit_bytes()) }
}

/// Says that a case exceeds a limit.
pub fn passed_in_words(case: &Case, passed: Passed) -> String {
    let secs = case.time_limit().as_secs_f64();
    match passed {
        Passed::Time => format!("no result after {secs} s (time_limit)"),
        Passed::Memory(bytes) => {
            format!("it takes {} MiB of {} MiB (memory_limit)", bytes >> 20, case.memory_limit)
        }
    }
}

fn carry_out(order: &CaseOrder, worker_gpu: &mut WorkerGpu) -> Answered<CaseAnswer> {
    let mut judge = Judge::new(order);
    let done = worker_gpu.perform(|worker_gpu| judge_case(order, &mut judge, worker_gpu));
    let no_gpu = done.message.clone().filter(|_| done.has_no_gpu);
    let answer = CaseAnswer { no_gpu, ..judge.answer(done.message) };
    Answered { answer, is_broken: done.is_broken }
}

fn judge_case(
    order: &CaseOrder,
    judge: &mut Judge,
    worker_gpu: &mut WorkerGpu,
) -> Result<(), Failure> {
    let case = &order.case;
    let draws = case.expect.contains(&Kind::Picture);
    let gpu = if draws { Some(worker_gpu.gpu()?) } else { None };
    let images = match case.expect.contains(&Kind::Check) {
        _ if draws => ImageDecoding::Keep,
        true => ImageDecoding::Check,
        false => ImageDecoding::Headers,
    };
    // As `check` has it.
    let all_warnings = case.expect.contains(&Kind::Check);
    let keep_original = order.bless && case.expect.contains(&Kind::Pose);
    let options = ImportOptions { images, all_warnings, keep_original, ..ImportOptions::default() };
    let progress = Progress::default();
    let mut loaded = load_with_progress(&case.path(), &options, &progress)
        .map_err(|e| Failure::load(Path::new(&case.file), e))?;
    if case.expect.contains(&Kind::Check) {
        let contract = contract_of(case)?;
        let bytes = progress.bytes().done;
        judge.findings(findings(Asset::of(&case.file, &loaded, bytes), &contract));
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
        judge.pose(&session);
    }
    if let Some(gpu) = gpu {
        let gpu_model = upload(gpu, &session, images)?;
        let series = worker_gpu.series(gpu, case.size);
        judge.pictures(&mut session, gpu, series, &gpu_model)?;
        gpu.keep_pipelines();
    }
    judge.motion(&session);
    Ok(())
}

/// Reads the contract of a case; one that declares nothing if the case has none.
pub fn contract_of(case: &Case) -> Result<Contract, Failure> {
    let Some(path) = &case.contract else { return Ok(Contract::default()) };
    read_contract(path, None)
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

/// Returns the words of a case's `args` for a command line in the working folder.
pub fn args_elsewhere(case: &Case) -> Result<Vec<String>, Failure> {
    const FILES: [&str; 2] = ["--environment", "--hdri-file"];
    let Some(EnvironmentName::File(file)) = case_args(case)?.look.environment else {
        return Ok(case.args.clone());
    };
    let file = file.to_string_lossy();
    let mut before = "";
    let word = |word: &'_ String| match word.split_once('=') {
        Some((option, _)) if FILES.contains(&option) => format!("{option}={file}"),
        _ => word.clone(),
    };
    let mut words = Vec::with_capacity(case.args.len());
    for own in &case.args {
        words.push(if FILES.contains(&before) { file.clone().into_owned() } else { word(own) });
        before = own;
    }
    Ok(words)
}

fn clip_args(case: &Case) -> Result<ClipArgs, Failure> {
    let options = case.clip_option().into_iter().chain([format!("--fps={}", case.fps)]);
    let parsed = CaseClip::try_parse_from(options);
    parsed.map(|args| args.clip).map_err(|error| Failure::Usage(error.to_string()))
}
