//! Findings as SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format"), for code scanning services.

use std::collections::HashMap;
use std::path::{Component, Path};

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Value, json};

use super::checked::{Checked, IMPORT_REMEDY};
use rigview_check::{ChannelTarget, Code, Finding, Level};
use rigview_import::WarningCode;
use rigview_model::Source;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Returns the log of one run.
pub fn log_of(files: &[Checked]) -> Value {
    let (rules, ids) = rules(files);
    let all = files.iter().enumerate();
    let results: Vec<Value> = all.flat_map(|(at, file)| results(file, at, &ids)).collect();
    let broken = files.iter().filter_map(|file| {
        Some(json!({
            "level": "error",
            "message": {"text": file.error.as_ref()?},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri(&file.file)}}}],
        }))
    });
    let broken: Vec<Value> = broken.collect();
    let artifacts = files.iter().map(|file| json!({"location": {"uri": uri(&file.file)}}));
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "rigview",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "invocations": [{
                "executionSuccessful": broken.is_empty(),
                "toolExecutionNotifications": broken,
            }],
            "artifacts": artifacts.collect::<Vec<_>>(),
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// Returns the rules of the check and those of the import that were found, and their codes.
fn rules(files: &[Checked]) -> (Vec<Value>, Vec<&'static str>) {
    let found = |code: &&WarningCode| {
        files.iter().flat_map(|file| &file.findings).any(|f| f.code == code.as_str())
    };
    let rule = |code: &str, reason: &str, remedy: &str, level: &str| {
        // The first sentence, without the dot of an abbreviation or number.
        let short = reason.split_inclusive(". ").next().unwrap_or(reason).trim_end();
        json!({
            "id": code,
            "shortDescription": {"text": short},
            "fullDescription": {"text": reason},
            "help": {"text": remedy},
            "defaultConfiguration": {"level": level},
        })
    };
    let own = Code::ALL.iter().map(|code| {
        let level = code.level().name();
        (rule(code.as_str(), code.reason(), code.remedy(), level), code.as_str())
    });
    let of_import = WarningCode::ALL.iter().filter(found).map(|code| {
        let level = Level::of_import(*code, Source::GLTF).name();
        (rule(code.as_str(), code.explanation(), IMPORT_REMEDY, level), code.as_str())
    });
    own.chain(of_import).unzip()
}

/// Returns the results of a file. Findings about the same thing are told apart by their order.
fn results(file: &Checked, artifact: usize, ids: &[&str]) -> Vec<Value> {
    let mut earlier: HashMap<String, usize> = HashMap::new();
    let mut fingerprint = |finding| {
        let subject = subject(finding);
        let number = earlier.entry(subject.clone()).or_default();
        *number += 1;
        if *number == 1 { subject } else { format!("{subject}:{number}") }
    };
    let of = |finding| result(finding, fingerprint(finding), artifact, ids);
    file.findings.iter().map(of).collect()
}

fn result(finding: &Finding, fingerprint: String, artifact: usize, ids: &[&str]) -> Value {
    let mut location = json!({"physicalLocation": {
        "artifactLocation": {"uri": uri(&finding.file), "index": artifact},
        // Services show only results that have a region.
        "region": {"startLine": 1},
    }});
    let mut logical = serde_json::Map::new();
    if let Some(pointer) = &finding.pointer {
        logical.insert("fullyQualifiedName".into(), json!(pointer));
    }
    if let Some(object) = &finding.object {
        logical.insert("name".into(), json!(object));
    }
    if !logical.is_empty() {
        location["logicalLocations"] = json!([logical]);
    }
    let numbers = json!({
        "object": finding.object, "clip": finding.clip, "time": finding.time,
        "value": finding.value, "limit": finding.limit, "unit": finding.unit,
    });
    let told = numbers.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    let properties: serde_json::Map<_, _> = told.map(|(k, v)| (k.clone(), v.clone())).collect();
    let mut out = json!({
        "ruleId": finding.code,
        "level": finding.level,
        "message": {"text": finding.message},
        "locations": [location],
        // The same defect keeps its identity when numbers change.
        // GitHub knows only the second name, and would hash the first line of the file.
        "partialFingerprints": {"rigview/v1": fingerprint, "primaryLocationLineHash": fingerprint},
    });
    if let Some(index) = ids.iter().position(|id| *id == finding.code) {
        out["ruleIndex"] = json!(index);
    }
    if !properties.is_empty() {
        out["properties"] = Value::Object(properties);
    }
    out
}

/// Returns what a finding is about: its code, clip, object and what a channel drives or, without them, its place.
fn subject(finding: &Finding) -> String {
    let named = [&finding.clip, &finding.object].map(|name| name.as_deref().unwrap_or_default());
    let place = finding.pointer.as_deref().unwrap_or_default();
    let driven = match finding.target {
        Some(ChannelTarget::Node { path, .. }) => format!(":{path}"),
        _ => String::new(),
    };
    match named {
        ["", ""] => format!("{}:{place}", finding.code),
        [clip, object] => format!("{}:{clip}:{object}{}", finding.code, driven),
    }
}

/// Returns a path as a URI reference: relative ones stay relative.
fn uri(file: &str) -> String {
    const KEPT: &AsciiSet = &CONTROLS
        .add(b' ')
        .add(b'"')
        .add(b'#')
        .add(b'%')
        .add(b'<')
        .add(b'>')
        .add(b'?')
        .add(b'[')
        .add(b'\\')
        .add(b']')
        .add(b'^')
        .add(b'`')
        .add(b'{')
        .add(b'|')
        .add(b'}');
    let path = Path::new(file);
    let slashed = if cfg!(windows) { file.replace('\\', "/") } else { file.to_owned() };
    let encoded = utf8_percent_encode(&slashed, KEPT).to_string();
    let has_colon = |part: &Component| part.as_os_str().to_string_lossy().contains(':');
    if path.is_absolute() {
        format!("file://{}{encoded}", if encoded.starts_with('/') { "" } else { "/" })
    } else if path.components().next().as_ref().is_some_and(has_colon) {
        // Otherwise the part before the colon would be a scheme.
        format!("./{encoded}")
    } else {
        encoded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn paths_are_uri_references() {
        assert_eq!(uri("a b/ü#1.glb"), "a%20b/%C3%BC%231.glb");
        assert_eq!(uri("/x/y.glb"), "file:///x/y.glb");
        assert_eq!(uri("rig:1/y.glb"), "./rig:1/y.glb");
    }
}
