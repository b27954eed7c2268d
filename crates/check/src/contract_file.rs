//! Contracts that are files: reading them and the reference that they name.

use std::path::{Path, PathBuf};

use super::{Contract, Skeleton};
use rigview_import::{ImageDecoding, ImportError, ImportOptions, load, read_file};

/// Largest contract that is read, in bytes.
const LARGEST_CONTRACT: u64 = 1 << 20;

/// Why a contract can't be read from a file.
#[derive(Debug, thiserror::Error)]
pub enum ContractFileError {
    /// The contract, or the reference that it names, can't be loaded.
    #[error("{}: {error}", file.display())]
    Load {
        /// The contract or its reference.
        file: PathBuf,
        /// The fault.
        error: ImportError,
    },
    /// The file is not a contract.
    #[error("{}: {message}", file.display())]
    Text {
        /// The contract.
        file: PathBuf,
        /// What is wrong, with line and column. It may contain names of the file, with any characters.
        message: String,
    },
}

impl Contract {
    /// Reads a contract from a file, and the reference skeleton that it names, whose path is relative to the
    /// contract.
    ///
    /// # Errors
    /// If one of the two files can't be loaded, or the contract is wrong ([`Contract::parse`]) or compares weights with
    /// no reference.
    pub fn read(path: &Path) -> Result<Self, ContractFileError> {
        Self::read_with(path, None)
    }

    /// Reads a contract from a file, with a reference skeleton instead of the one that it names.
    ///
    /// # Errors
    /// Those of [`Contract::read`].
    pub fn read_with(path: &Path, reference: Option<Skeleton>) -> Result<Self, ContractFileError> {
        let fails = |file: &Path, error| ContractFileError::Load { file: file.to_owned(), error };
        let wrong = |message| ContractFileError::Text { file: path.to_owned(), message };
        let bytes = read_file(path, LARGEST_CONTRACT).map_err(|error| fails(path, error))?;
        let text =
            String::from_utf8(bytes).map_err(|_| wrong("the contract is not UTF-8".to_owned()))?;
        let mut contract = Self::parse(&text).map_err(|error| wrong(error.to_string()))?;
        contract.reference = reference;
        if let (None, Some(reference)) = (&contract.reference, &contract.skeleton.reference) {
            let file = path.with_file_name(reference);
            let options =
                ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
            let loaded = load(&file, &options).map_err(|error| fails(&file, error))?;
            contract.reference = Some(Skeleton::of(&loaded.model));
        }
        if contract.skeleton.weights && contract.reference.is_none() {
            let text = "`weights = true` needs a reference: set `reference` in [skeleton]";
            return Err(wrong(text.to_owned()));
        }
        Ok(contract)
    }
}
