//! Contracts that are files: reading them and the reference that they name.

use std::path::Path;

use super::failure::Failure;
use rigview_check::{Contract, Skeleton};
use rigview_import::{ImageDecoding, ImportOptions, escaped, load, read_file};

/// Largest contract that is read, in bytes.
const LARGEST_CONTRACT: u64 = 1 << 20;

/// Reads a contract from a file, with a reference skeleton, or the one that it names, whose path is relative to the
/// contract.
///
/// # Errors
/// If one of the two files can't be loaded, or the contract is wrong ([`Contract::parse`]) or compares weights with no
/// reference.
pub fn read_contract(path: &Path, reference: Option<Skeleton>) -> Result<Contract, Failure> {
    let wrong = |message: &str| Failure::Usage(escaped(&format!("{}: {message}", path.display())));
    let bytes = read_file(path, LARGEST_CONTRACT).map_err(|error| Failure::load(path, error))?;
    let text = String::from_utf8(bytes).map_err(|_| wrong("the contract is not UTF-8"))?;
    let mut contract = Contract::parse(&text).map_err(|error| wrong(&error.to_string()))?;
    contract.reference = reference;
    if let (None, Some(reference)) = (&contract.reference, &contract.skeleton.reference) {
        let file = path.with_file_name(reference);
        let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
        let loaded = load(&file, &options).map_err(|error| Failure::load(&file, error))?;
        contract.reference = Some(Skeleton::of(&loaded.model));
    }
    if contract.skeleton.weights && contract.reference.is_none() {
        return Err(wrong("`weights = true` needs a reference: set `reference` in [skeleton]"));
    }
    Ok(contract)
}
