//! Loads a 1.0 document by converting it to 2.0, and maps messages back to the file.

use serde_json::Value;

use super::convert::{Converted, convert};
use super::data;
use crate::assemble::assemble;
use crate::asset;
use crate::buffer::{Buffers, Given};
use crate::fault::{ImportError, Warnings};
use crate::options::ImportOptions;
use rigview_document::Document;
use rigview_model::Loaded;
use rigview_model::{Container, Source};

/// Loads a 1.0 document. `given.bin` is the body of its container.
pub(crate) fn load(
    root: Value,
    container: Container,
    given: Given,
    options: &ImportOptions,
    mut warnings: Warnings,
) -> Result<Loaded, ImportError> {
    let warn = &mut warnings;
    let converted = convert(Document::new(root)?, given.bin, warn)?;
    let own = warn.count(options.all_warnings);
    let Converted { root, derived, extensions, origin } = converted;
    let read = |warn: &mut Warnings| {
        let document = Document::new(root)?;
        let mut source = asset::read(&document, container, warn)?;
        source.format = Source::GLTF1.into();
        source.extensions = extensions;
        let mut buffers = Buffers::read(&document, given, warn)?;
        let document = data::derive(document, &mut buffers, &derived)?;
        assemble(&document, source, buffers, options, warn)
    };
    match read(warn) {
        Ok(model) => {
            let all = warnings.finish(options.all_warnings);
            Ok(Loaded { model, warnings: origin.of_warnings(all, own) })
        }
        Err(error) => Err(origin.of_error(error)),
    }
}
