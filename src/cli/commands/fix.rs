//! `rigview fix`: mends what the check finds, in a copy of the file.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use serde_json::Value;

use crate::cli::contract_file::read_contract;
use crate::cli::failure::Failure;
use crate::cli::input::{is_standard_input, load_input, standard_input};
use crate::cli::model_output::{
    Beside, are_in_one_folder, buffer_to_replace, expect_gltf, is_data_uri, is_document,
    warn_of_instances, warn_of_losses, write_changed, write_document,
};
use crate::cli::output::{Inputs, print_beside, write_json_line, write_whole};
use rigview_check::{Asset, Code, Contract, findings};
use rigview_compare::ComparisonError;
use rigview_export::{Changed, ExportError, data_uri, glb, relative_uris};
use rigview_fix::{
    Document, FixError, FixOptions, Fixed, Mended, Remedy, Taken, Unmended, fix,
    largest_distance_text,
};
use rigview_import::{ImageDecoding, ImportError, ImportOptions, WarningCode, escaped};
use rigview_model::{Container, Model, three_digits};
use rigview_report::counted;
use rigview_rig::BoneNames;

/// Arguments of `fix`.
#[derive(Debug, Args)]
pub struct FixArgs {
    /// A model (.glb, .gltf, .vrm, .fbx, .bvh); - is standard input.
    #[arg(value_name = "IN")]
    pub file: PathBuf,
    /// Write the mended file here, as .glb, or as .gltf with a .bin beside it; - writes a GLB to standard output, and
    /// the answer to standard error.
    #[arg(short, long, value_name = "OUT", required_unless_present_any = ["in_place", "dry_run"])]
    pub output: Option<PathBuf>,
    /// Replace IN, and keep each replaced file with .bak appended to its name.
    #[arg(long, conflicts_with = "output")]
    pub in_place: bool,
    /// Print what would be mended, and write nothing.
    #[arg(long, conflicts_with = "in_place")]
    pub dry_run: bool,
    /// Mend these codes only.
    #[arg(long, value_name = "CODE", value_delimiter = ',', conflicts_with = "also")]
    pub only: Vec<String>,
    /// Mend these codes too, which are left alone by default; `all` stands for all of them.
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    pub also: Vec<String>,
    /// Rename the joints of a humanoid by a convention: mixamo, unreal, vrm, unity, vroid, rigify, biped, cmu or daz.
    #[arg(long, value_name = "CONVENTION", value_parser = names)]
    pub rename: Option<&'static BoneNames>,
    /// Leave what would move the skin by more than this, in millimetres.
    #[arg(long, value_name = "MM", default_value_t = 0.1, value_parser = crate::cli::args::values::positive)]
    pub bound: f64,
    /// Judge by this contract: which clips loop or travel.
    #[arg(long, value_name = "RIG.toml")]
    pub contract: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    file: String,
    output: Option<String>,
    bound_mm: f64,
    distance_mm: f64,
    fixed: &'a [Mended],
    left: &'a [Unmended],
}

/// Mends a file and prints what was done.
pub fn run(args: &FixArgs) -> Result<(), Failure> {
    let remedies = remedies(args)?;
    let inputs = Inputs::with([args.contract.clone()]);
    let target = match args.in_place {
        true => Some(args.file.clone()),
        false => args.output.clone(),
    };
    let import = ImportOptions {
        images: ImageDecoding::Check,
        keep_original: true,
        all_warnings: true,
        ..ImportOptions::default()
    };
    if args.in_place && is_standard_input(&args.file) {
        return Err(Failure::Usage("--in-place: standard input can't be replaced".into()));
    }
    // The repairs say what the warnings of the import would.
    let loaded = load_input(&args.file, &import, &inputs.progress)
        .map_err(|error| Failure::load(&args.file, error))?;
    match &target {
        Some(_) if args.in_place => refuse_foreign(&args.file, &loaded.model)?,
        Some(target) => {
            expect_gltf(target)?;
            inputs.refuse(target)?;
        }
        None => {}
    }
    let contract = match &args.contract {
        Some(path) => read_contract(path, None)?,
        None => Contract::default(),
    };
    let name = args.file.to_string_lossy();
    let findings = findings(Asset::of(&name, &loaded, inputs.progress.bytes().done), &contract);
    let bound = 1e-3 * args.bound;
    let options = FixOptions { remedies, bound, names: args.rename, contract };
    let fixed =
        fix(&loaded.model, &findings, &options).map_err(|error| failed(&args.file, error))?;
    if !fixed.fixed.is_empty() {
        warn_of_instances(&escaped(&name), &loaded.model);
    }
    if let Some(target) = target.as_ref().filter(|_| !args.dry_run) {
        match args.in_place {
            true => replace(&fixed, &loaded.model, target)?,
            false => write(&fixed, &loaded.model, &args.file, target, &inputs)?,
        }
    }
    let target = target.filter(|_| !args.dry_run);
    let report = Report {
        file: name.into_owned(),
        output: target.as_ref().map(|path| path.to_string_lossy().into_owned()),
        bound_mm: args.bound,
        distance_mm: fixed.distance_mm,
        fixed: &fixed.fixed,
        left: &fixed.left,
    };
    print_beside(target.as_deref(), |out| match args.json {
        true => write_json_line(out, &report),
        false => write_text(out, &report),
    })
}

/// Parses the name of a convention.
fn names(name: &str) -> Result<&'static BoneNames, String> {
    let all = || BoneNames::all_names().collect::<Vec<_>>().join(", ");
    BoneNames::named(name).ok_or_else(|| format!("no such convention; there are: {}", all()))
}

/// Returns the remedies that the arguments ask for.
fn remedies(args: &FixArgs) -> Result<BTreeSet<Remedy>, Failure> {
    let mut all = FixOptions::default().remedies;
    if !args.only.is_empty() {
        all = args.only.iter().map(|code| remedy(code)).collect::<Result<_, _>>()?;
    }
    for code in &args.also {
        match code.as_str() {
            "all" => {
                let with_names = |remedy: &&Remedy| remedy.taken() == Taken::WithNames;
                all.extend(Remedy::ALL.iter().filter(|remedy| !with_names(remedy)));
            }
            code => {
                all.insert(remedy(code)?);
            }
        }
    }
    if args.rename.is_some() {
        all.insert(Remedy::Names);
    } else if all.contains(&Remedy::Names) {
        let text = "NAMES: joints are renamed by a convention; name it with --rename";
        return Err(Failure::Usage(text.into()));
    }
    Ok(all)
}

fn remedy(code: &str) -> Result<Remedy, Failure> {
    let upper = code.to_uppercase();
    if let Some(remedy) = Remedy::of(&upper) {
        return Ok(remedy);
    }
    let by_hand = Code::named(&upper).map(Code::remedy);
    let by_hand = by_hand.or_else(|| {
        let known = WarningCode::ALL.iter().any(|code| code.as_str() == upper);
        known.then_some("Mend it in the program that wrote the file.")
    });
    let text = match by_hand {
        Some(remedy) => format!("{upper} is not mended, because that needs a decision. {remedy}"),
        None => {
            let codes: Vec<&str> = Remedy::ALL.iter().map(|remedy| remedy.code()).collect();
            format!("no code {}; these can be mended: {}", escaped(code), codes.join(", "))
        }
    };
    Err(Failure::Usage(text))
}

/// Refuses to replace a file of a format that can't be written.
fn refuse_foreign(file: &Path, model: &Model) -> Result<(), Failure> {
    if matches!(model.source.container, Container::Gltf | Container::Glb) {
        return Ok(());
    }
    let (name, format) = (escaped(&file.to_string_lossy()), escaped(&model.source.format));
    Err(Failure::Usage(format!(
        "--in-place: {name} is {format}, which is read only; write a copy with -o OUT.glb"
    )))
}

/// Replaces the input with the mended file, and keeps each replaced file with `.bak` appended to its name. Of the files that
/// it names only the one whose buffer new data was appended to is written.
fn replace(fixed: &Fixed, model: &Model, file: &Path) -> Result<(), Failure> {
    let Some(document) = &fixed.document else { return Ok(()) };
    let parts = document.parts();
    let mut root = parts.root.clone();
    let mut beside = Vec::new();
    if let Some(grown) = document.grown() {
        let uri = root["buffers"][grown].get("uri").and_then(Value::as_str);
        let bytes = parts.buffers[grown].as_deref().unwrap_or_default();
        let uri = match uri {
            None if model.source.container == Container::Glb => None,
            Some(uri) if is_data_uri(uri) => Some(data_uri(bytes)),
            uri => {
                let (path, uri) = buffer_to_replace(file, uri);
                beside.push(Beside { path, bytes });
                Some(uri)
            }
        };
        if let Some(uri) = uri {
            root["buffers"][grown]["uri"] = uri.into();
        }
    }
    let written = match model.source.container {
        Container::Glb => {
            let is_chunk = root["buffers"][0].get("uri").is_none();
            let chunk = parts.buffers.first().cloned().flatten().filter(|_| is_chunk);
            glb(&root, chunk.unwrap_or_default(), &model.source.chunks)
                .map_err(|error| failed(file, error.into()))?
        }
        _ => format!("{root}\n").into_bytes(),
    };
    let paths = std::iter::once(file).chain(beside.iter().map(|file| file.path.as_path()));
    keep_backups(&paths.filter(|path| path.exists()).collect::<Vec<_>>())?;
    // The files are replaced on purpose.
    write_document(file, &Inputs::default(), &written, &beside)
}

/// Copies files to their names with `.bak` appended.
fn keep_backups(files: &[&Path]) -> Result<(), Failure> {
    let backup = |file: &&Path| {
        let mut backup = file.as_os_str().to_owned();
        backup.push(".bak");
        PathBuf::from(backup)
    };
    let backups: Vec<PathBuf> = files.iter().map(backup).collect();
    if let Some(there) = backups.iter().find(|backup| backup.exists()) {
        let name = escaped(&there.to_string_lossy());
        return Err(Failure::Output(format!(
            "{name}: the backup of an earlier run is here; remove or rename it"
        )));
    }
    let mut pairs = files.iter().zip(&backups);
    pairs.try_for_each(|(file, backup)| copy(file, backup, &Inputs::default()))
}

fn copy(from: &Path, to: &Path, inputs: &Inputs) -> Result<(), Failure> {
    if is_standard_input(from) {
        let bytes = standard_input().map_err(|error| Failure::load(from, error))?;
        return write_whole(to, inputs, |out| out.write_all(bytes));
    }
    write_whole(to, inputs, |out| std::io::copy(&mut File::open(from)?, out).map(drop))
}

/// Writes the mended file. A GLB without a change is copied byte for byte, if the copy opens as it does.
fn write(
    fixed: &Fixed,
    model: &Model,
    source: &Path,
    target: &Path,
    inputs: &Inputs,
) -> Result<(), Failure> {
    let failed = |error: ExportError| failed(source, error.into());
    let document = match &fixed.document {
        Some(document) => document,
        None => &Document::of(model).map_err(failed)?,
    };
    let opens_there =
        || relative_uris(&document.parts().root).is_empty() || are_in_one_folder(source, target);
    let is_glb = model.source.container == Container::Glb && model.source.is_gltf2();
    if fixed.document.is_none() && is_glb && !is_document(target) && opens_there() {
        return copy(source, target, inputs);
    }
    let file = document.parts().gathered();
    warn_of_losses(model, [source, target], &file);
    let changed = Changed { file, ..Changed::default() };
    write_changed(target, inputs, changed, &model.source.chunks, failed).map(drop)
}

fn failed(file: &Path, error: FixError) -> Failure {
    let name = escaped(&file.to_string_lossy());
    match error {
        FixError::Unmeasured(ComparisonError::OverBudget(over)) => {
            Failure::load(file, ImportError::over_budget("measuring the skin", over))
        }
        FixError::Unmeasured(error) => Failure::load(file, ImportError::other(error.to_string())),
        error => Failure::Output(format!("{name}: {}", escaped(&error.to_string()))),
    }
}

/// Prints a line per repair, and one about the whole.
fn write_text(out: &mut dyn std::io::Write, report: &Report) -> std::io::Result<()> {
    let place = |pointer: &str, object: &Option<String>, clip: &Option<String>| {
        let object = object.as_ref().map(|name| format!(" \"{}\"", escaped(name)));
        let clip = clip.as_ref().map(|name| format!(" in clip \"{}\"", escaped(name)));
        format!("{pointer}{}{}", object.unwrap_or_default(), clip.unwrap_or_default())
    };
    for it in report.fixed {
        let at = place(&it.pointer, &it.object, &it.clip);
        writeln!(
            out,
            "fixed {} {at}: {} changed, {} mm at the skin",
            it.code,
            it.count,
            three_digits(it.error_mm, 4)
        )?;
    }
    for it in report.left {
        let at = place(it.pointer.as_deref().unwrap_or("the file"), &it.object, &it.clip);
        writeln!(out, "left {} {at}: {}", it.code, escaped(&it.reason))?;
    }
    let name = escaped(&report.file);
    match (report.fixed.len(), report.left.len()) {
        (0, 0) => writeln!(out, "{name}: nothing to fix"),
        (0, left) => writeln!(out, "{name}: nothing fixed, {left} left"),
        (n, left) => writeln!(
            out,
            "{name}: {}, {left} left; {}",
            counted(n, "repair"),
            largest_distance_text(report.fixed, report.distance_mm)
        ),
    }
}
