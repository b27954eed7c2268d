//! Values of saved looks and sessions that a later version may have written.

use serde::{Deserialize, Deserializer};

/// Reads a value. One that this version does not know is the default.
pub fn known<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Read::deserialize(from)?.known().unwrap_or_default())
}

/// Reads the values of a list, if there is one. Values that this version does not know are left out.
pub fn known_items<'de, D, T>(from: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let items = Option::<Vec<Read<T>>>::deserialize(from)?;
    Ok(items.map(|items| items.into_iter().filter_map(Read::known).collect()))
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Read<T> {
    Known(T),
    Unknown(serde::de::IgnoredAny),
}

impl<T> Read<T> {
    fn known(self) -> Option<T> {
        match self {
            Read::Known(value) => Some(value),
            Read::Unknown(_) => None,
        }
    }
}
