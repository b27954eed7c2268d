//! `rigview test`: runs the cases of a manifest in worker processes and compares them with the goldens.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use globset::{Glob, GlobSet, GlobSetBuilder};

use super::check::explanations;
use super::test_output::{Ran, Tally, failure_lines, print_summary};
use super::test_worker::{
    self, args_elsewhere, case_args, case_limits, contract_of, passed_in_words,
};
use crate::cli::args::scene::GpuArgs;
use crate::cli::args::values::at_least_one;
use crate::cli::failure::Failure;
use crate::cli::output::{
    Inputs, is_same_output, json_line, not_written, print_beside, write_whole,
};
use crate::cli::workers::{self, Finished, Job, JobFailure, Starter, run_jobs};
use crate::suite::{
    Case, CaseAnswer, CaseOrder, CaseResult, RESULTS_FILE, Results, Shard, Status, copy_files,
    golden_names, manifest, markdown, merged, page, stale_goldens, write_junit,
};
use rigview_capture::{is_same_file, is_same_folder};
use rigview_check::Pattern;
use rigview_import::{escaped, read_file};
use rigview_session::ShellWords;

/// The page of a report folder.
const PAGE: &str = "index.html";

/// Size limit of a manifest in bytes; enough for several hundred thousand cases.
const MAX_MANIFEST_BYTES: u64 = 256 << 20;

/// Arguments of `test`.
#[derive(Debug, Args)]
pub struct TestArgs {
    /// The cases, in TOML. Optional with --merge, where it says which results must be there.
    #[arg(value_name = "MANIFEST.toml", required_unless_present_any = ["merge", "worker", "bless"])]
    pub manifest: Option<PathBuf>,
    /// Write the goldens that are missing and replace those that differ, of all cases or of those
    /// whose names match.
    #[arg(long, value_name = "NAME|GLOB", num_args = 0..=1, default_missing_value = "*")]
    pub bless: Option<String>,
    /// Remove the goldens that no case uses.
    #[arg(long)]
    pub prune: bool,
    /// Use this folder of goldens [default: `goldens` beside the manifest].
    #[arg(long, value_name = "DIR")]
    pub goldens: Option<PathBuf>,
    /// Run only the cases whose names match; give it again for more.
    #[arg(long, value_name = "NAME|GLOB")]
    pub only: Vec<String>,
    /// Run this many cases at once [default: one per processor, at most 8].
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub jobs: Option<NonZeroUsize>,
    /// Run only part K of N, K from 1 to N; auto/N takes K from the job array [default: what a Slurm,
    /// GitLab or Kubernetes job array sets, otherwise all cases].
    #[arg(long, value_name = "K/N")]
    pub shard: Option<String>,
    /// Run nothing; join the report folders of parts that ran elsewhere.
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with_all = ["bless", "prune", "only", "jobs", "shard"])]
    pub merge: Vec<PathBuf>,
    /// Write the results as JUnit XML.
    #[arg(long, value_name = "OUT.xml")]
    pub junit: Option<PathBuf>,
    /// Write the results as JSON.
    #[arg(long, value_name = "OUT.json")]
    pub json: Option<PathBuf>,
    /// Write the cases that did not pass as a Markdown table.
    #[arg(long, value_name = "OUT.md")]
    pub markdown: Option<PathBuf>,
    /// Write a report with pictures to this folder.
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Carry out orders from standard input.
    #[arg(long, hide = true)]
    pub worker: bool,
    #[command(flatten)]
    pub gpu: GpuArgs,
}

pub fn run(args: &TestArgs) -> Result<(), Failure> {
    if args.worker {
        return test_worker::run(&args.gpu);
    }
    if !args.merge.is_empty() {
        return run_merge(args);
    }
    let (path, bless) = manifest_and_bless(args)?;
    let suite = Suite::read(args, path)?;
    check_outputs(args, Some(&suite))?;
    let shard = shard(args)?;
    let wanted = suite.wanted(args)?;
    let bless = bless.map(|glob| suite.to_bless(glob, &wanted)).transpose()?;
    let stale = suite.stale(args.prune)?;
    if let Some(report) = &args.report {
        create_report(report)?;
    }
    check_folders(args)?;
    if args.prune {
        suite.remove(&stale)?;
    }
    // In another folder than that of the manifests they have no goldens of others.
    if let Some(bless) = bless.as_ref().filter(|_| args.goldens.is_none()) {
        suite.warn_of_shared(bless, &wanted);
    }
    let chosen: Vec<&Case> = wanted.iter().copied().filter(|case| shard.has(&case.name)).collect();
    let mut ran = suite.run(args, &chosen, bless.as_ref())?;
    ran.results.part = shard.part();
    print_summary(&ran, &stale, args.prune, wanted.len(), piped(args))?;
    let written = write_results(args, &suite.name, &ran.results, &ran.secs);
    if let Some(what) = ran.no_gpu {
        return Err(Failure::Gpu(what));
    }
    written?;
    if let Some(what) = ran.unwritten.first() {
        return Err(Failure::Output(format!("the report is incomplete: {what}")));
    }
    verdict(&ran.results)
}

/// Returns the output that is standard output.
fn piped(args: &TestArgs) -> Option<&Path> {
    let outputs = [&args.json, &args.junit, &args.markdown];
    outputs.into_iter().flatten().map(PathBuf::as_path).find(|path| *path == Path::new("-"))
}

/// Rejects outputs in folders that can't be read, before anything is run.
fn check_folders(args: &TestArgs) -> Result<(), Failure> {
    for path in [&args.json, &args.junit, &args.markdown].into_iter().flatten() {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            folder.read_dir().map_err(|error| not_written(path, &error))?;
        }
    }
    Ok(())
}

/// Rejects outputs that are one of the suite's files or the same file, before anything is run.
fn check_outputs(args: &TestArgs, suite: Option<&Suite>) -> Result<(), Failure> {
    let files = suite.iter().flat_map(|suite| &suite.cases);
    let files = files.flat_map(|case| [Some(case.path()), case.contract.clone()]);
    let inputs = Inputs::with(files.chain([args.manifest.clone()]));
    let of_report = args.report.iter();
    let of_report = of_report.flat_map(|report| [PAGE, RESULTS_FILE].map(|name| report.join(name)));
    let of_report: Vec<PathBuf> = of_report.collect();
    let outputs =
        [("--json", &args.json), ("--junit", &args.junit), ("--markdown", &args.markdown)];
    let outputs = outputs.into_iter().filter_map(|(name, path)| Some((name, path.as_ref()?)));
    let outputs: Vec<_> = of_report.iter().map(|path| ("--report", path)).chain(outputs).collect();
    for (i, (name, path)) in outputs.iter().enumerate() {
        let wrong = |what: &str| {
            let path = escaped(&path.to_string_lossy());
            Err(Failure::Usage(format!("{name} {path}: {what}; choose another name")))
        };
        inputs.refuse(path)?;
        if suite.is_some_and(|suite| is_below(path, &suite.goldens)) {
            return wrong("this would overwrite a golden");
        }
        // The results of a report are those of --json.
        let is_same = |(other, at): &&(&str, &PathBuf)| {
            is_same_output(at, path)
                && !(*name == "--json" && *other == "--report" && at.ends_with(RESULTS_FILE))
        };
        if let Some((other, _)) = outputs[..i].iter().find(is_same) {
            return wrong(&format!("the same file as {other}"));
        }
    }
    if let (Some(report), Some(suite)) = (&args.report, suite)
        && ["pictures", "motions"].iter().any(|part| is_below(&suite.goldens, &report.join(part)))
    {
        // A picture of the report has the name of its golden.
        let text = format!(
            "--report {}: its pictures would be written over the goldens; choose another folder",
            escaped(&report.to_string_lossy())
        );
        return Err(Failure::Usage(text));
    }
    Ok(())
}

/// Whether a path is in a folder, both as they are on the disk.
fn is_below(path: &Path, folder: &Path) -> bool {
    path.canonicalize().is_ok_and(|p| folder.canonicalize().is_ok_and(|f| p.starts_with(f)))
}

/// Returns the manifest, and the cases to bless. In `--bless MANIFEST.toml`, what follows the option is the
/// manifest.
fn manifest_and_bless(args: &TestArgs) -> Result<(&Path, Option<String>), Failure> {
    if args.manifest.as_deref() == Some(Path::new("-")) {
        let text =
            "a manifest can't be standard input, because its files lie beside it; name a file";
        return Err(Failure::Usage(text.into()));
    }
    match (&args.manifest, &args.bless) {
        (Some(manifest), bless) => Ok((manifest, bless.clone())),
        (None, Some(bless)) if bless.ends_with(".toml") => {
            Ok((Path::new(bless), Some("*".to_owned())))
        }
        _ => Err(Failure::Usage("give the manifest: rigview test MANIFEST.toml --bless".into())),
    }
}

/// A manifest that was read, and where its goldens are.
struct Suite {
    /// The manifest's path as given.
    name: String,
    cases: Vec<Case>,
    goldens: PathBuf,
    neighbours: Neighbours,
}

/// The other manifests of the folder, whose goldens are in the same folder unless they say otherwise.
struct Neighbours {
    /// Each with its manifest.
    cases: Vec<(PathBuf, Case)>,
    /// A manifest that can't be read, and why. Which goldens it uses is not known.
    unread: Option<String>,
}

/// Returns the other manifests of a folder.
fn neighbours(path: &Path, folder: &Path) -> Neighbours {
    let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(listed).into_iter().flatten().flatten();
    let others = entries.map(|entry| folder.join(entry.file_name())).filter(|other| {
        other.extension().is_some_and(|e| e == "toml") && !is_same_file(other, path)
    });
    let mut found = Neighbours { cases: Vec::new(), unread: None };
    for other in others {
        match cases_of(&other, folder) {
            Ok(cases) => found.cases.extend(cases.into_iter().map(|case| (other.clone(), case))),
            Err(why) => {
                found.unread = Some(escaped(&format!("{}: {why}", other.to_string_lossy())));
            }
        }
    }
    found
}

/// Returns the cases of a TOML file; none if it is no manifest, such as a contract.
///
/// # Errors
/// In words, if the file can't be read. One that is not valid TOML may be a manifest.
fn cases_of(file: &Path, folder: &Path) -> Result<Vec<Case>, String> {
    if file.is_dir() {
        return Ok(Vec::new());
    }
    let bytes = read_file(file, MAX_MANIFEST_BYTES).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned())?;
    match toml::from_str::<toml::Table>(&text) {
        Ok(table) if !["case", "defaults"].iter().any(|key| table.contains_key(*key)) => {
            Ok(Vec::new())
        }
        _ => manifest(&text, folder).map_err(|error| error.to_string()),
    }
}

impl Suite {
    fn read(args: &TestArgs, path: &Path) -> Result<Self, Failure> {
        let name = escaped(&path.to_string_lossy());
        let bytes = read_file(path, MAX_MANIFEST_BYTES).map_err(|e| Failure::load(path, e))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        for (option, path) in [
            ("", Some(path)),
            ("--goldens ", args.goldens.as_deref()),
            ("--report ", args.report.as_deref()),
        ] {
            // Workers get their orders as JSON.
            if let Some(path) = path.filter(|path| path.to_str().is_none()) {
                let shown = escaped(&path.to_string_lossy());
                let text = format!("{option}{shown}: the path is not UTF-8; rename it");
                return Err(Failure::Usage(text));
            }
        }
        let wrong = |what: String| Failure::Usage(format!("{name}: {}", escaped(&what)));
        let text = String::from_utf8(bytes).map_err(|_| {
            wrong("the manifest is not UTF-8; it is a TOML file of test cases".into())
        })?;
        let cases = manifest(&text, folder).map_err(|e| wrong(e.to_string()))?;
        let mut contracts = HashSet::new();
        for case in &cases {
            case_args(case).map_err(|e| wrong(e.to_string()))?;
            if case.contract.as_ref().is_some_and(|path| contracts.insert(path)) {
                contract_of(case).map_err(|failure| contract_failure(failure, &name, case))?;
            }
        }
        let goldens = args.goldens.clone().unwrap_or_else(|| folder.join("goldens"));
        let neighbours = neighbours(path, folder);
        Ok(Self { name, cases, goldens, neighbours })
    }

    /// Returns the cases of `--only`.
    fn wanted(&self, args: &TestArgs) -> Result<Vec<&Case>, Failure> {
        for glob in &args.only {
            let only = globs(std::slice::from_ref(glob))?;
            if !self.cases.iter().any(|case| only.is_match(&case.name)) {
                return Err(self.no_case(&format!("--only {glob}")));
            }
        }
        let only = globs(&args.only)?;
        let is_wanted = |case: &&Case| args.only.is_empty() || only.is_match(&case.name);
        Ok(self.cases.iter().filter(is_wanted).collect())
    }

    /// Returns which of the wanted cases are blessed.
    fn to_bless(&self, glob: String, wanted: &[&Case]) -> Result<GlobSet, Failure> {
        let option = escaped(&format!("--bless {glob}"));
        let names = globs(&[glob])?;
        let is_blessed = |case: &Case| names.is_match(&case.name);
        if wanted.iter().any(|case| is_blessed(case)) {
            return Ok(names);
        }
        match self.cases.iter().any(is_blessed) {
            true => {
                Err(Failure::Usage(format!("{option}: --only leaves out all cases of such a name")))
            }
            false => Err(self.no_case(&option)),
        }
    }

    /// Returns the error for an option that names no case.
    fn no_case(&self, option: &str) -> Failure {
        let names: Vec<&str> = self.cases.iter().take(20).map(|c| c.name.as_str()).collect();
        let more = if self.cases.len() > names.len() { ", ..." } else { "" };
        Failure::Usage(format!(
            "{}: no case has such a name; the manifest has: {}{more}",
            escaped(option),
            names.join(", ")
        ))
    }

    /// Returns the goldens that no case uses. If they are to be removed, it is an error that they are not known.
    fn stale(&self, prune: bool) -> Result<Vec<String>, Failure> {
        if let Some(what) = &self.neighbours.unread {
            let text = format!("--prune: which goldens are used is not known: {what}");
            return if prune { Err(Failure::Usage(text)) } else { Ok(Vec::new()) };
        }
        let others = self.neighbours.cases.iter().map(|(_, case)| case);
        stale_goldens(&self.goldens, self.cases.iter().chain(others))
            .map_err(|error| not_pruned(&self.goldens, &error))
    }

    /// Removes goldens.
    fn remove(&self, stale: &[String]) -> Result<(), Failure> {
        stale.iter().map(|name| self.goldens.join(name)).try_for_each(|path| {
            std::fs::remove_file(&path).map_err(|error| not_pruned(&path, &error))
        })
    }

    /// Warns of blessed goldens that are those of another case in another manifest.
    fn warn_of_shared(&self, blessed: &GlobSet, wanted: &[&Case]) {
        let blessed = wanted.iter().filter(|case| blessed.is_match(&case.name));
        let blessed: HashMap<&str, &Case> =
            blessed.map(|case| (case.name.as_str(), *case)).collect();
        for (manifest, other) in &self.neighbours.cases {
            let Some(own) = blessed.get(other.name.as_str()) else { continue };
            let same = Case { line: own.line, ..other.clone() };
            let theirs = golden_names(other);
            let shares = golden_names(own).iter().any(|name| theirs.contains(name));
            if shares && same != **own {
                let (name, manifest) = (&own.name, escaped(&manifest.to_string_lossy()));
                log::warn!(
                    "--bless: {manifest} has another case \"{name}\" with the same goldens; rename one of both, or \
                     give one manifest another --goldens"
                );
            }
        }
    }

    fn run(
        &self,
        args: &TestArgs,
        cases: &[&Case],
        bless: Option<&GlobSet>,
    ) -> Result<Ran, Failure> {
        let jobs = cases.iter().map(|case| self.job(args, case, bless));
        let jobs: Vec<Job<CaseOrder>> = jobs.collect::<Result<_, _>>()?;
        let starter = Starter::new(vec!["-q".into(), "test".into()], &args.gpu)?;
        let (start, workers) = (|| starter.process(), workers::count(args.jobs));
        let mut ran = Ran { secs: vec![None; cases.len()], ..Ran::default() };
        let mut tally = Tally::new(cases.len(), piped(args));
        run_jobs(&jobs, workers, start, |Finished { job, answer, secs }| {
            let answer = case_answer(cases[job], answer);
            ran.secs[job] = Some(secs);
            ran.blessed.extend(answer.blessed);
            ran.unwritten.extend(answer.unwritten);
            ran.no_gpu = ran.no_gpu.take().or(answer.no_gpu);
            tally.add(job, answer.result) && ran.no_gpu.is_none()
        });
        ran.results.cases = tally.finish();
        ran.results.count();
        ran.blessed.sort_unstable();
        Ok(ran)
    }

    fn job(
        &self,
        args: &TestArgs,
        case: &Case,
        bless: Option<&GlobSet>,
    ) -> Result<Job<CaseOrder>, Failure> {
        let order = CaseOrder {
            case: case.clone(),
            goldens: self.goldens.clone(),
            report: args.report.clone(),
            bless: bless.is_some_and(|names| names.is_match(&case.name)),
            bless_command: bless_command(args, &self.name, &case.name),
            draw_args: args_elsewhere(case)?,
        };
        Ok(Job { order, limits: case_limits(case) })
    }
}

/// Converts an error of the folder of goldens.
fn not_pruned(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Output(format!("{}: {error}", escaped(&path.to_string_lossy())))
}

/// Says whose contract can't be loaded.
fn contract_failure(failure: Failure, manifest: &str, case: &Case) -> Failure {
    let Failure::Load { file, error } = failure else { return failure };
    let (case, line) = (&case.name, case.line);
    Failure::Load { file: format!("{manifest}: line {line}: case \"{case}\": {file}"), error }
}

/// Returns the command line that makes the goldens of a case where this run looks for them.
fn bless_command(args: &TestArgs, manifest: &str, case: &str) -> String {
    let goldens = args.goldens.as_ref().map(|folder| folder.to_string_lossy().into_owned());
    let GpuArgs { adapter, backend } = &args.gpu;
    let options = [
        ("--goldens", &goldens, ""),
        ("--adapter", adapter, "RIGVIEW_ADAPTER"),
        ("--backend", backend, "RIGVIEW_BACKEND"),
    ];
    // What the environment says, it says to the next command too.
    let is_given = |value: &str, variable| std::env::var(variable).as_deref() != Ok(value);
    let options = options.into_iter().filter_map(|(name, value, variable)| {
        value.as_deref().filter(|value| is_given(value, variable)).map(|value| [name, value])
    });
    let mut words = ShellWords::default();
    words.flag("rigview");
    words.flag("test");
    words.file(manifest);
    words.option("--bless", case);
    for [name, value] in options {
        words.option(name, value);
    }
    words.text()
}

/// Returns a worker's answer; for a lost one, an error of the case.
fn case_answer(case: &Case, answer: Result<CaseAnswer, JobFailure>) -> CaseAnswer {
    let failed = |message: String| CaseAnswer {
        result: CaseResult {
            name: case.name.clone(),
            file: case.file.clone(),
            status: Status::Error,
            clip: None,
            message: Some(message),
            checks: Vec::new(),
            motion: None,
            commands: None,
        },
        blessed: Vec::new(),
        unwritten: Vec::new(),
        no_gpu: None,
    };
    match answer {
        Ok(answer) if answer.result.name == case.name => answer,
        Ok(answer) => {
            let name = escaped(&answer.result.name);
            failed(format!("the worker answered for the case {name}"))
        }
        Err(JobFailure::Over(passed)) => failed(passed_in_words(case, passed)),
        Err(JobFailure::Lost(why)) => failed(why),
    }
}

fn verdict(results: &Results) -> Result<(), Failure> {
    match results.failed {
        0 => Ok(()),
        1 => Err(Failure::No("1 case failed".into())),
        failed => Err(Failure::No(format!("{failed} cases failed"))),
    }
}

fn run_merge(args: &TestArgs) -> Result<(), Failure> {
    if let Some(report) = &args.report
        && args.merge.iter().any(|folder| is_same_folder(folder, report))
    {
        let text = "this is one of the folders to merge; choose another --report";
        return Err(Failure::Usage(format!("{}: {text}", escaped(&report.to_string_lossy()))));
    }
    let suite = args.manifest.as_deref().map(|path| Suite::read(args, path)).transpose()?;
    check_outputs(args, suite.as_ref())?;
    let merged = merged(&args.merge, suite.as_ref().map(|suite| &suite.cases[..]));
    let merged = merged.map_err(|what| Failure::Usage(format!("--merge: {what}")))?;
    let lines: String = merged.results.cases.iter().map(failure_lines).collect();
    let Results { passed, failed, .. } = merged.results;
    print_beside(piped(args), |out| {
        write!(out, "{lines}")?;
        for what in &merged.unread {
            writeln!(out, "no results {what}")?;
        }
        writeln!(out, "{passed} passed, {failed} failed")
    })?;
    let mut copied = Ok(());
    if let Some(report) = &args.report {
        create_report(report)?;
        copied = copy_files(&merged, report).map_err(|e| not_written(report, &e));
    }
    let name = suite.map_or_else(|| "merged".to_owned(), |suite| suite.name);
    write_results(args, &name, &merged.results, &[])?;
    copied?;
    verdict(&merged.results)?;
    match (&merged.unread[..], args.manifest.is_some()) {
        // With a manifest, a lost part has failed cases, and an empty one has none to lose.
        ([], _) | (_, true) => Ok(()),
        ([what, ..], false) => Err(Failure::No(what.clone())),
    }
}

/// Writes the results in the forms that the arguments name. What can't be written keeps no other form from being written.
fn write_results(
    args: &TestArgs,
    name: &str,
    results: &Results,
    secs: &[Option<f64>],
) -> Result<(), Failure> {
    let inputs = Inputs::with([args.manifest.clone()]);
    let json = json_line(results)?;
    let mut done = Vec::new();
    let json_files = args.report.iter().map(|report| report.join(RESULTS_FILE));
    for path in json_files.chain(args.json.clone()) {
        done.push(write_whole(&path, &inputs, |out| out.write_all(json.as_bytes())));
    }
    if let Some(report) = &args.report {
        let (page, path) = (page(results, &explanations()), report.join(PAGE));
        done.push(write_whole(&path, &inputs, |out| out.write_all(page.as_bytes())));
    }
    if let Some(path) = &args.junit {
        done.push(write_whole(path, &inputs, |out| write_junit(results, name, secs, out)));
    }
    if let Some(path) = &args.markdown {
        let table = markdown(results);
        done.push(write_whole(path, &inputs, |out| out.write_all(table.as_bytes())));
    }
    done.into_iter().collect()
}

/// Creates the report folder and checks that files can be written there, before anything is run. The results of an earlier
/// run are removed, so that they are not taken for those of this one if it is stopped.
fn create_report(report: &Path) -> Result<(), Failure> {
    let created = std::fs::create_dir_all(report).and_then(|()| tempfile::tempfile_in(report));
    created.map_err(|error| not_written(report, &error))?;
    for path in [RESULTS_FILE, PAGE].map(|name| report.join(name)) {
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(not_written(&path, &error));
            }
            _ => {}
        }
    }
    Ok(())
}

fn shard(args: &TestArgs) -> Result<Shard, Failure> {
    let variable = |name: &str| std::env::var(name).ok();
    if let Some(text) = &args.shard {
        return Shard::parse(text, variable).map_err(Failure::Usage);
    }
    let Some((shard, array)) = Shard::of_job_array(variable).map_err(Failure::Usage)? else {
        return Ok(Shard::WHOLE);
    };
    log::warn!("running part {} of {} ({array})", shard.index + 1, shard.count);
    Ok(shard)
}

fn globs(patterns: &[String]) -> Result<GlobSet, Failure> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        // The limits of all globs.
        Pattern::new(pattern).map_err(Failure::Usage)?;
        let glob = Glob::new(pattern)
            .map_err(|error| Failure::Usage(format!("{}: {}", escaped(pattern), error.kind())))?;
        set.add(glob);
    }
    set.build().map_err(|error| Failure::Usage(error.to_string()))
}
