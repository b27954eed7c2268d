//! Reads the glTF document that a file of another format was converted to.

use super::assemble::assemble;
use super::asset;
use super::buffer::{Buffers, Given};
use super::draft::Draft;
use super::fault::{ImportError, Warnings};
use super::files::Folder;
use super::options::ImportOptions;
use rigview_document::Document;
use rigview_model::Loaded;
use rigview_model::{Container, Metadata};

/// What a file that is not glTF says about itself.
#[derive(Debug)]
pub(super) struct Origin {
    /// The format with its version.
    pub format: String,
    /// Whether the file is text or binary.
    pub container: Container,
    /// The program that wrote the file.
    pub generator: Option<String>,
    /// Facts about the file: their names and values.
    pub facts: Vec<(String, String)>,
    /// See [`rigview_model::Source::curve_error`].
    pub curve_error: Option<f64>,
    /// Frames per second, as the file says.
    pub frame_rate: f64,
}

/// Returns a frame rate from 1 to 1000, a whole one without the rounding of the file.
fn plain_rate(rate: f64) -> Option<f64> {
    const ROUNDING: f64 = 0.01;
    let whole = rate.round();
    let rate = if (rate - whole).abs() < ROUNDING { whole } else { rate };
    (1.0..=1000.0).contains(&rate).then_some(rate)
}

/// Reads a converted document. Messages about it name things, but no places, which the file does not have.
pub(super) fn load(
    draft: Draft,
    origin: Origin,
    folder: &Folder,
    options: &ImportOptions,
    mut warnings: Warnings,
) -> Result<Loaded, ImportError> {
    let own = warnings.count(options.all_warnings);
    let budget = draft.budget();
    let (root, bytes) = draft.finish(origin.generator.as_deref());
    let bin = (!bytes.is_empty()).then_some(bytes.as_slice());
    let read = |warn: &mut Warnings| {
        let document = Document::new(root)?;
        let mut source = asset::read(&document, origin.container, warn)?;
        source.format = origin.format;
        source.curve_error = origin.curve_error;
        source.frame_rate = plain_rate(origin.frame_rate);
        source.extensions.clear();
        source.metadata = vec![Metadata { about: "/asset".into(), entries: origin.facts }];
        let buffers = Buffers::read(&document, Given { bin, folder, budget }, warn)?;
        assemble(&document, source, buffers, options, warn)
    };
    match read(&mut warnings) {
        Ok(model) => {
            let mut warnings = warnings.finish(options.all_warnings);
            warnings.iter_mut().skip(own).for_each(|warning| warning.pointer.clear());
            Ok(Loaded { model, warnings })
        }
        Err(mut error) => {
            error.move_to("");
            Err(error)
        }
    }
}
