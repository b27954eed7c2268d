//! Values of saved looks and sessions that a later version may have written.

use serde::{Deserialize, Deserializer};

/// Reads a value. One that this version does not know is the default.
pub(crate) fn known<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Read<T> {
        Known(T),
        Unknown(serde::de::IgnoredAny),
    }
    Ok(match Read::deserialize(from)? {
        Read::Known(value) => value,
        Read::Unknown(_) => T::default(),
    })
}
