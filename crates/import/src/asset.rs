//! The `asset` object: version, generator, metadata; and the extensions that a file uses.

use super::extension;
use super::fault::{ImportError, Warnings};
use super::{extras, unread, xmp};
use rigview_document::{At, Document};
use rigview_model::{Container, Source, WarningCode, quoted};

/// Reads the asset and the extensions.
///
/// # Errors
/// When the version, or an extension that the file requires, is not supported.
pub(super) fn read(
    document: &Document,
    container: Container,
    warnings: &mut Warnings,
) -> Result<Source, ImportError> {
    let asset = document.root().required("asset")?;
    asset.object()?;
    let at = asset.required("version")?;
    match version(&at)? {
        (2, 0) => {}
        (2, _) => {
            let message = format!("version {} is read as 2.0", quoted(at.text()?));
            warnings.add_at(&at, WarningCode::VersionOdd, message);
        }
        _ => {
            let message =
                format!("version {} is not supported, 1.0 and 2.0 are", quoted(at.text()?));
            return Err(ImportError::unsupported_at(&at, message));
        }
    }
    if let Some(at) = asset.get("minVersion")
        && version(&at)? > (2, 0)
    {
        let message = format!("version {} is needed, 2.0 is supported", quoted(at.text()?));
        return Err(ImportError::unsupported_at(&at, message));
    }
    Ok(Source {
        format: Source::GLTF.into(),
        container,
        generator: asset.text_at("generator")?.map(String::from),
        copyright: asset.text_at("copyright")?.map(String::from),
        extensions: extension::read(document, warnings)?,
        metadata: xmp::read(document)?,
        extras: extras::read(document)?,
        unread: unread::read(document)?,
        chunks: Vec::new(),
        samplers: samplers(document)?,
        curve_error: None,
        frame_rate: None,
        original: None,
    })
}

/// Counts the samplers of each animation.
fn samplers(document: &Document) -> Result<Vec<usize>, ImportError> {
    let count = |at: &At| {
        let list = at.value.get("samplers").and_then(serde_json::Value::as_array);
        list.map_or(0, Vec::len)
    };
    Ok(document.list("animations")?.iter().map(count).collect())
}

/// Parses a version: major and minor number.
fn version(at: &At) -> Result<(u32, u32), ImportError> {
    let text = at.text()?;
    text.split_once('.')
        .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)))
        .ok_or_else(|| at.error(format!("version {} is not of the form N.N", quoted(text))).into())
}
