//! What `convert` says about a file that it wrote.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use rigview_anim::Clip;
use rigview_compare::Distances;
use rigview_import::escaped;
use rigview_model::{Model, four_digits, three_digits};

/// Bytes of a file from which on an option that makes it smaller is named.
const MANY_BYTES: u64 = 16 << 20;

/// What was converted.
#[derive(Default, Serialize)]
pub struct Answer {
    pub input: String,
    pub output: String,
    pub format: String,
    /// The unit of the source's lengths, in words; absent if its format has one only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Bytes of the file that was written, with its buffer.
    pub bytes: u64,
    /// The largest distance of a vertex between source and result, in the rest pose and over all clips; `None` if
    /// nothing is drawn and no node moves.
    pub largest_mm: Option<f64>,
    /// The distance that keys keep from the source's curves, which they were converted from; `None` if it has keys
    /// itself.
    pub curves_mm: Option<f64>,
    pub clips: Vec<ClipAnswer>,
    /// What could not be carried over, in words.
    pub not_carried_over: Vec<String>,
}

/// A clip that was converted.
#[derive(Serialize)]
pub struct ClipAnswer {
    pub name: String,
    pub duration_secs: f32,
    pub largest_mm: Option<f64>,
}

impl Answer {
    /// Returns what is known of a file by its model, of the result by the model that it is read as, and by the distances between
    /// both in metres of the source. `mm` are the millimetres of the result per metre of the source.
    pub fn measured(
        [file, path]: [&Path; 2],
        [model, written]: [&Model; 2],
        distances: Option<&Distances>,
        mm: f64,
    ) -> Self {
        let in_mm = |metres: Option<f64>| metres.map(|metres| metres * mm);
        // Clips that play the same on the same rig are not measured.
        let of_clip = |clip: usize| distances.map(|it| it.clips.get(&clip).copied().unwrap_or(0.0));
        let clip = |(i, clip): (usize, &Clip)| ClipAnswer {
            name: clip.name().unwrap_or_default().into(),
            duration_secs: clip.duration_secs(),
            largest_mm: in_mm(of_clip(i)),
        };
        Self {
            input: file.to_string_lossy().into_owned(),
            output: path.to_string_lossy().into_owned(),
            format: model.source.format.clone(),
            unit: fact(model, "unit").map(str::to_owned),
            largest_mm: in_mm(distances.map(Distances::largest)),
            curves_mm: in_mm(model.source.curve_error),
            clips: written.clips.iter().enumerate().map(clip).collect(),
            ..Self::default()
        }
    }

    /// Writes the answer for people. `bounded`: the error of keys was given.
    pub fn write_text(&self, out: &mut dyn Write, bounded: bool) -> io::Result<()> {
        let Self { input, output, format, unit, bytes, largest_mm, curves_mm, .. } = self;
        let off = |mm: Option<f64>| match mm {
            Some(mm) => format!("largest distance {} mm", three_digits(mm, 4)),
            None => "nothing to measure".into(),
        };
        let (input, output) = (escaped(input), escaped(output));
        writeln!(out, "{input} ({format}) -> {output}: {bytes} bytes, {}", off(*largest_mm))?;
        if let Some(unit) = unit {
            writeln!(out, "  unit: {}", escaped(unit))?;
        }
        if let Some(mm) = curves_mm {
            let hint = match *bytes > MANY_BYTES && !bounded {
                true => format!("; `--bound {}` needs fewer", three_digits(10.0 * mm, 6)),
                false => String::new(),
            };
            writeln!(out, "  curves became keys within {} mm{hint}", three_digits(*mm, 6))?;
        }
        for clip in &self.clips {
            let ClipAnswer { name, duration_secs, largest_mm } = clip;
            let duration_secs = four_digits(f64::from(*duration_secs), 1.0);
            writeln!(out, "  clip \"{}\", {duration_secs} s: {}", escaped(name), off(*largest_mm))?;
        }
        for what in &self.not_carried_over {
            writeln!(out, "  not carried over: {}", escaped(what))?;
        }
        Ok(())
    }
}

/// Returns what the import noted of a file under a name.
pub fn fact<'a>(model: &'a Model, name: &str) -> Option<&'a str> {
    let mut facts = model.source.metadata.iter().flat_map(|metadata| &metadata.entries);
    facts.find(|(of, _)| of == name).map(|(_, what)| what.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_file_of_keys_from_curves_names_the_option_that_makes_it_smaller() {
        let text = |bytes: u64, bounded: bool| {
            let answer = Answer {
                input: "a.fbx".into(),
                output: "a.glb".into(),
                format: "FBX 7.4".into(),
                unit: None,
                bytes,
                largest_mm: None,
                curves_mm: Some(0.01),
                clips: Vec::new(),
                not_carried_over: Vec::new(),
            };
            let mut out = Vec::new();
            answer.write_text(&mut out, bounded).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert!(text(MANY_BYTES + 1, false).contains("within 0.01 mm; `--bound 0.1` needs fewer"));
        assert!(!text(MANY_BYTES, false).contains("--bound"));
        assert!(!text(MANY_BYTES + 1, true).contains("--bound"));
    }
}
