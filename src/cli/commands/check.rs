//! `rigview check`: the lint of rigs and clips, for people and for pipelines.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;
use serde::Serialize;

use crate::cli::args::values::level;
use crate::cli::contract_file::read_contract;
use crate::cli::crash;
use crate::cli::failure::Failure;
use crate::cli::findings::checked::{Checked, IMPORT_REMEDY};
use crate::cli::findings::{junit, markdown, sarif, text};
use crate::cli::input::load_input;
use crate::cli::model_files::model_files;
use crate::cli::output::{print, write_json_line};
use rigview_check::{Asset, Code, Contract, Finding, Level, Skeleton, findings};
use rigview_import::{ImageDecoding, ImportError, ImportOptions, Progress, WarningCode, escaped};
use rigview_model::Source;
use rigview_report::counted;

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Models (.glb, .gltf, .vrm, .fbx, .bvh), folders of them, or globs in quotes, such as 'rigs/**/*.glb'; - is standard input.
    #[arg(required_unless_present = "explain", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Check against this contract: limits, skeleton, and clips by name or glob.
    #[arg(long, value_name = "RIG.toml")]
    pub contract: Option<PathBuf>,
    /// Compare the joints with those of this file instead of the contract's reference.
    #[arg(long, value_name = "REF.glb")]
    pub skeleton: Option<PathBuf>,
    /// Silence a code, or all codes that a glob matches. This and --deny override the contract.
    #[arg(long, value_name = "CODE")]
    pub allow: Vec<String>,
    /// Make findings of a code errors.
    #[arg(long, value_name = "CODE")]
    pub deny: Vec<String>,
    /// Make every warning an error. What --allow or the contract silences stays silent.
    #[arg(long)]
    pub deny_warnings: bool,
    /// Leave out findings below this level [default: note; with --junit warning].
    #[arg(long, value_name = "error|warning|note", value_parser = level)]
    pub min_level: Option<Level>,
    /// Print one JSON object.
    #[arg(long, group = "format")]
    pub json: bool,
    /// Print SARIF 2.1.0, for code scanning services.
    #[arg(long, group = "format")]
    pub sarif: bool,
    /// Print Markdown, for a job summary or a comment.
    #[arg(long, group = "format")]
    pub markdown: bool,
    /// Print JUnit XML, one test suite per file; errors are failures.
    #[arg(long, group = "format")]
    pub junit: bool,
    /// Print the reason and the remedy of a code, or without CODE those of all codes.
    #[arg(long, value_name = "CODE", num_args = 0..=1, default_missing_value = "*")]
    #[arg(conflicts_with_all = ["files", "contract", "skeleton", "allow", "deny", "deny_warnings", "min_level", "format"])]
    pub explain: Option<String>,
}

#[derive(Serialize)]
struct Report<'a> {
    files: &'a [Checked],
}

/// Checks files in parallel and prints the findings in the order of the files. Files that can't be loaded are
/// reported after the others.
pub fn run(args: &CheckArgs) -> Result<(), Failure> {
    if let Some(code) = &args.explain {
        return explain(code);
    }
    let contract = contract_of(args)?;
    let (mut files, errors) = check_all(&model_files(&args.files)?, &contract);
    let least = args.min_level.unwrap_or(if args.junit { Level::Warning } else { Level::Note });
    files.iter_mut().for_each(|file| file.findings.retain(|finding| finding.level >= least));
    print(|out| match args {
        CheckArgs { json: true, .. } => write_json_line(out, &Report { files: &files }),
        CheckArgs { sarif: true, .. } => write_json_line(out, &sarif::log_of(&files)),
        CheckArgs { markdown: true, .. } => markdown::write(out, &files),
        CheckArgs { junit: true, .. } => junit::write(out, &files),
        _ => text::write(out, &files),
    })?;
    verdict(&files, errors)
}

/// Returns the failure of the whole run: files that can't be loaded outweigh findings. Each has a line on
/// standard error.
fn verdict(files: &[Checked], errors: Vec<Failure>) -> Result<(), Failure> {
    let mut errors = errors.into_iter().rev();
    if let Some(last) = errors.next() {
        errors.rev().for_each(|error| crash::say(&error.to_string()));
        return Err(last);
    }
    let failed = |file: &&Checked| file.findings.iter().any(|f| f.level == Level::Error);
    let all = files.iter().flat_map(|file| &file.findings);
    match all.filter(|finding| finding.level == Level::Error).count() {
        0 => Ok(()),
        n => {
            let in_files = counted(files.iter().filter(failed).count(), "file");
            Err(Failure::No(format!("{} in {in_files}", counted(n, "error"))))
        }
    }
}

/// Checks files on all cores, and returns the results in their order with the failures of those that can't be
/// loaded. A thread frees a model before it loads the next: while it waits for others it takes over parts of
/// their models, but never a further file.
fn check_all(paths: &[PathBuf], contract: &Contract) -> (Vec<Checked>, Vec<Failure>) {
    let next = AtomicUsize::new(0);
    let of_threads = rayon::broadcast(|_| {
        let mut results = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = paths.get(at) else { return results };
            results.push((at, check_file(path, contract)));
        }
    });
    let mut results: Vec<_> = of_threads.into_iter().flatten().collect();
    results.sort_by_key(|(at, _)| *at);
    let (mut files, mut failures) = (Vec::new(), Vec::new());
    for ((_, result), path) in results.into_iter().zip(paths) {
        let file = path.to_string_lossy().into_owned();
        files.push(match result {
            Ok(findings) => Checked { file, findings, error: None },
            Err(error) => {
                let message = error.to_string();
                failures.push(Failure::load(path, error));
                Checked { file, findings: Vec::new(), error: Some(message) }
            }
        });
    }
    (files, failures)
}

fn check_file(path: &Path, contract: &Contract) -> Result<Vec<Finding>, ImportError> {
    let images = ImageDecoding::Check;
    let options = ImportOptions { images, all_warnings: true, ..ImportOptions::default() };
    let progress = Progress::default();
    let loaded = load_input(path, &options, &progress)?;
    let file = path.to_string_lossy();
    Ok(findings(Asset::of(&file, &loaded, progress.bytes().done), contract))
}

/// Returns the contract of the arguments, with its reference skeleton.
fn contract_of(args: &CheckArgs) -> Result<Contract, Failure> {
    let reference = args.skeleton.as_deref().map(read_skeleton).transpose()?;
    let mut contract = Contract::default();
    match &args.contract {
        Some(path) => contract = read_contract(path, reference)?,
        None => contract.reference = reference,
    }
    for code in &args.allow {
        contract.allow(code).map_err(|e| unknown_code("--allow", &e))?;
    }
    for code in &args.deny {
        contract.deny(code).map_err(|e| unknown_code("--deny", &e))?;
    }
    if args.deny_warnings {
        contract.deny_warnings();
    }
    Ok(contract)
}

fn read_skeleton(path: &Path) -> Result<Skeleton, Failure> {
    let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
    let loaded =
        load_input(path, &options, &Progress::default()).map_err(|e| Failure::load(path, e))?;
    Ok(Skeleton::of(&loaded.model))
}

fn unknown_code(option: &str, error: &str) -> Failure {
    let error = escaped(error);
    let end = if error.ends_with('?') { "" } else { ";" };
    Failure::Usage(format!("{option}: {error}{end} `rigview check --explain` lists the codes"))
}

fn explain(wanted: &str) -> Result<(), Failure> {
    let wanted = wanted.to_uppercase();
    let own = Code::ALL.iter().filter(|code| wanted == "*" || code.as_str() == wanted);
    let of_import = WarningCode::ALL.iter().filter(|c| wanted == "*" || c.as_str() == wanted);
    let (own, of_import): (Vec<_>, Vec<_>) = (own.collect(), of_import.collect());
    if own.is_empty() && of_import.is_empty() {
        // An empty contract knows the nearest code.
        let error = Contract::default().allow(&wanted).err().unwrap_or_default();
        return Err(unknown_code("--explain", &error));
    }
    print(|out| {
        for code in own {
            let (level, reason, remedy) = (code.level().name(), code.reason(), code.remedy());
            writeln!(out, "{code} ({level})\n  {reason}\n  Remedy: {remedy}")?;
        }
        for code in of_import {
            let level = Level::of_import(*code, Source::GLTF).name();
            writeln!(out, "{code} ({level}, of the import)\n  {}", code.explanation())?;
            writeln!(out, "  Remedy: {IMPORT_REMEDY}")?;
        }
        Ok(())
    })
}

/// Returns the reason and the remedy of each code.
pub fn explanations() -> BTreeMap<String, (String, String)> {
    let own = Code::ALL.iter().map(|code| (code.as_str(), (code.reason(), code.remedy())));
    let of_import =
        WarningCode::ALL.iter().map(|code| (code.as_str(), (code.explanation(), IMPORT_REMEDY)));
    own.chain(of_import)
        .map(|(code, (reason, remedy))| (code.to_owned(), (reason.to_owned(), remedy.to_owned())))
        .collect()
}
