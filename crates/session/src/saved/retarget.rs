//! How clips of another file are converted, in a session file.

use serde::{Deserialize, Serialize};

use rigview_import::{map_text, parse_map};
use rigview_rig::{MapChoice, RetargetOptions};

/// How clips of another file are converted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SavedRetarget {
    /// `auto`, `exact`, or a table of joints in TOML.
    pub map: String,
    pub align_rest: bool,
    pub pin_feet: bool,
}

impl SavedRetarget {
    pub(super) fn of(options: &RetargetOptions) -> Self {
        let map = match &options.map {
            MapChoice::Auto => "auto".to_owned(),
            MapChoice::Exact => "exact".to_owned(),
            MapChoice::Table(table) => map_text(table),
        };
        Self { map, align_rest: options.align_rest, pin_feet: options.pin_feet }
    }

    /// Returns the options. A table that is none is taken as `auto`.
    pub(crate) fn options(&self) -> RetargetOptions {
        let map = match self.map.as_str() {
            "" | "auto" => MapChoice::Auto,
            "exact" => MapChoice::Exact,
            text => parse_map(text).map_or(MapChoice::Auto, MapChoice::Table),
        };
        RetargetOptions { map, align_rest: self.align_rest, pin_feet: self.pin_feet }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_as_they_were_written() {
        let table = parse_map("base = \"exact\"\n[joints]\n\"Hips\" = \"pelvis\"\n").unwrap();
        for map in [MapChoice::Auto, MapChoice::Exact, MapChoice::Table(table)] {
            let options = RetargetOptions { map, align_rest: true, pin_feet: false };
            let text = serde_json::to_string(&SavedRetarget::of(&options)).unwrap();
            let mut read = serde_json::from_str::<SavedRetarget>(&text).unwrap().options();
            if let (MapChoice::Table(read), MapChoice::Table(own)) = (&mut read.map, &options.map) {
                for (line, own) in read.joints.iter_mut().zip(&own.joints) {
                    line.line = own.line;
                }
            }
            assert_eq!(read, options);
        }
        assert_eq!(SavedRetarget::default().options(), RetargetOptions::default());
    }
}
