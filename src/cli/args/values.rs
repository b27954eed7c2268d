//! Parsers of argument values: numbers, points, angles, sizes, colours, lights, looks.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use glam::{DVec3, Vec3};

use rigview_check::Level;
use rigview_look::{Backdrop, EnvironmentSource, Pass, Preset, ToneMap};
use rigview_session::MotionQuality;

pub(in crate::cli) fn number(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        _ => Err("not a number".into()),
    }
}

/// Largest exposure in stops: two to this power is a normal number in single precision, and so is its inverse.
const MOST_STOPS: f64 = 126.0;

/// Largest amount of light. The product of two is finite in single precision.
const MOST_LIGHT: f64 = 1e18;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExposureChoice {
    Stops(f64),
    /// Measured, plus a number of stops.
    Auto(f64),
}

pub(in crate::cli) fn exposure(text: &str) -> Result<ExposureChoice, String> {
    let wrong = |_| "expected a number, `auto`, or `auto+EV`".to_owned();
    let stops = |text: &str| match number(text).map_err(wrong)? {
        stops if stops.abs() <= MOST_STOPS => Ok(stops),
        _ => Err(format!("must be from -{MOST_STOPS} to {MOST_STOPS} stops")),
    };
    match text.trim().strip_prefix("auto") {
        None => stops(text).map(ExposureChoice::Stops),
        Some("") => Ok(ExposureChoice::Auto(0.0)),
        Some(more) if more.starts_with(['+', '-']) => stops(more).map(ExposureChoice::Auto),
        Some(_) => Err(wrong(String::new())),
    }
}

/// Reads `NAME=W`, or a name with a weight of 1. A name may contain `=`.
pub(in crate::cli) fn expression(text: &str) -> Result<(String, f32), String> {
    let weighted =
        text.rsplit_once('=').and_then(|(name, weight)| Some((name, number(weight).ok()?)));
    let (name, weight) = weighted.unwrap_or((text, 1.0));
    if !(0.0..=1.0).contains(&weight) {
        return Err("the weight must be from 0 to 1".into());
    }
    Ok((name.to_owned(), weight as f32))
}

pub(in crate::cli) fn whole(
    least: u32,
    most: u32,
) -> impl Fn(&str) -> Result<u32, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.trim().parse().ok();
        number.filter(|number| (least..=most).contains(number)).ok_or_else(|| match most {
            u32::MAX => format!("must be a whole number from {least}"),
            _ => format!("must be a whole number from {least} to {most}"),
        })
    }
}

pub(in crate::cli) fn index(text: &str) -> Result<i64, String> {
    text.trim().parse().map_err(|_| "must be a whole number".into())
}

pub(in crate::cli) fn log_level(text: &str) -> Result<log::LevelFilter, String> {
    text.parse().map_err(|_| "expected off, error, warn, info, debug or trace".into())
}

pub(in crate::cli) fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "must be a whole number, at least 1".into())
}

pub(in crate::cli) fn positive(text: &str) -> Result<f64, String> {
    number(text).and_then(|x| if x > 0.0 { Ok(x) } else { Err("must be greater than 0".into()) })
}

/// A factor in single precision, in which files store it.
pub(in crate::cli) fn factor(text: &str) -> Result<f64, String> {
    let factor = positive(text)?;
    if (factor as f32).is_normal() {
        Ok(factor)
    } else {
        Err("must be from 1.2e-38 to 3.4e38, as files store single precision".into())
    }
}

pub(in crate::cli) fn share(text: &str) -> Result<f64, String> {
    let share = number(text)?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("must be from 0 to 1".into()) }
}

pub(in crate::cli) fn angle(text: &str) -> Result<f64, String> {
    let degrees = positive(text)?;
    if degrees < 180.0 { Ok(degrees) } else { Err("must be less than 180 degrees".into()) }
}

pub(in crate::cli) fn numbers(text: &str) -> Result<Vec<f64>, String> {
    text.split(',').map(number).collect()
}

pub(in crate::cli) fn point(text: &str) -> Result<DVec3, String> {
    match numbers(text)?[..] {
        [x, y, z] => Ok(DVec3::new(x, y, z)),
        _ => Err("expected three numbers: X,Y,Z".into()),
    }
}

pub(in crate::cli) fn direction(text: &str) -> Result<DVec3, String> {
    let direction = point(text)?;
    match direction.try_normalize() {
        Some(_) => Ok(direction),
        None => Err("the direction must not be zero".into()),
    }
}

pub(in crate::cli) fn orbit(text: &str) -> Result<[f64; 3], String> {
    match numbers(text)?[..] {
        [azimuth, elevation] => Ok([azimuth, elevation, 1.0]),
        [azimuth, elevation, zoom] if zoom > 0.0 => Ok([azimuth, elevation, zoom]),
        _ => {
            Err("expected two or three numbers, ZOOM greater than 0: AZIMUTH,ELEVATION[,ZOOM]"
                .into())
        }
    }
}

pub(in crate::cli) fn size(text: &str) -> Result<[u32; 2], String> {
    let (w, h) =
        text.split_once(['x', 'X', ',']).ok_or("expected two numbers, such as 1024x768")?;
    match (w.trim().parse(), h.trim().parse()) {
        (Ok(w @ 1..=65536), Ok(h @ 1..=65536)) => Ok([w, h]),
        _ => Err("expected two numbers from 1 to 65536, such as 1024x768".into()),
    }
}

pub(in crate::cli) fn colour(text: &str) -> Result<[u8; 4], String> {
    let wrong = || "expected `transparent`, #rrggbb or #rrggbbaa".to_string();
    if text == "transparent" {
        return Ok([0; 4]);
    }
    let hex = text.strip_prefix('#').ok_or_else(wrong)?;
    if !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(wrong());
    }
    let value = u32::from_str_radix(hex, 16).map_err(|_| wrong())?;
    match hex.len() {
        6 => Ok((value << 8 | 0xff).to_be_bytes()),
        8 => Ok(value.to_be_bytes()),
        _ => Err(wrong()),
    }
}

/// Returns a value that was found by its name, or an error with the names that there are.
pub(in crate::cli) fn one_of<T>(found: Option<T>, names: &[&str]) -> Result<T, String> {
    found.ok_or_else(|| format!("expected one of {}", names.join(", ")))
}

pub(in crate::cli) fn level(text: &str) -> Result<Level, String> {
    let mut names = Level::ALL.map(Level::name);
    names.reverse();
    one_of(Level::from_name(text), &names)
}

pub(in crate::cli) fn pass(text: &str) -> Result<Pass, String> {
    one_of(Pass::from_name(text), &Pass::ALL.map(Pass::name))
}

pub(in crate::cli) fn preset(text: &str) -> Result<Preset, String> {
    one_of(Preset::from_name(text), &Preset::ALL.map(Preset::name))
}

pub(in crate::cli) fn motion_quality(text: &str) -> Result<MotionQuality, String> {
    one_of(MotionQuality::from_name(text), &MotionQuality::ALL.map(MotionQuality::name))
}

pub(in crate::cli) fn samples(text: &str) -> Result<u32, String> {
    match text {
        "1" => Ok(1),
        "4" => Ok(4),
        "16" => Ok(16),
        _ => Err("expected 1, 4 or 16".into()),
    }
}

/// An environment as given; its file is not read yet.
#[derive(Clone, Debug)]
pub enum EnvironmentName {
    Known(EnvironmentSource),
    File(PathBuf),
}

pub(in crate::cli) fn environment(text: &str) -> Result<EnvironmentName, String> {
    let Some(list) = text.strip_prefix("uniform:") else {
        return match EnvironmentSource::named(text) {
            Some(known) => Ok(EnvironmentName::Known(known)),
            None if is_picture(text) => Ok(EnvironmentName::File(text.into())),
            None => {
                let names = EnvironmentSource::NAMES.join(", ");
                Err(format!("expected {names}, FILE.hdr, FILE.exr, uniform:R or uniform:R,G,B"))
            }
        };
    };
    let list = list.split(',').map(amount_of_light).collect::<Result<Vec<_>, _>>()?;
    let list: Vec<f32> = list.into_iter().map(|radiance| radiance as f32).collect();
    let same = match list[..] {
        [all] => Vec3::splat(all),
        [r, g, b] => Vec3::new(r, g, b),
        _ => return Err("expected one or three numbers after uniform:".into()),
    };
    Ok(EnvironmentName::Known(EnvironmentSource::Uniform(same)))
}

fn is_picture(text: &str) -> bool {
    let extension = std::path::Path::new(text).extension().map(|e| e.to_ascii_lowercase());
    extension.is_some_and(|e| e == "hdr" || e == "exr")
}

pub(in crate::cli) fn backdrop(text: &str) -> Result<Backdrop, String> {
    let shown = Backdrop::from_name(text).filter(|backdrop| *backdrop != Backdrop::None);
    shown.ok_or_else(|| "expected sharp or blurred".into())
}

pub(in crate::cli) fn not_negative(text: &str) -> Result<f64, String> {
    number(text).and_then(|x| if x >= 0.0 { Ok(x) } else { Err("must not be negative".into()) })
}

/// An amount of light, which is drawn in single precision.
pub(in crate::cli) fn amount_of_light(text: &str) -> Result<f64, String> {
    let amount = not_negative(text)?;
    if amount <= MOST_LIGHT {
        Ok(amount)
    } else {
        Err(format!("light must be at most {MOST_LIGHT:e}"))
    }
}

pub(in crate::cli) fn tone_map(text: &str) -> Result<ToneMap, String> {
    one_of(ToneMap::from_name(text), &ToneMap::ALL.map(ToneMap::name))
}

pub(in crate::cli) fn light(text: &str) -> Result<[f32; 4], String> {
    let (x, y, z, lux) = match numbers(text)?[..] {
        [x, y, z] => (x, y, z, std::f64::consts::PI),
        [x, y, z, lux] if lux >= 0.0 => (x, y, z, lux),
        _ => return Err("expected three or four numbers, LUX not negative: X,Y,Z[,LUX]".into()),
    };
    if lux > MOST_LIGHT {
        return Err(format!("LUX must be at most {MOST_LIGHT:e}"));
    }
    let given = DVec3::new(x, y, z);
    let largest = given.abs().max_element();
    if largest == 0.0 {
        return Err("the direction must not be zero".into());
    }
    // Single precision can't hold the square of a length beyond these.
    let scale = if (1e-15..1e15).contains(&largest) { 1.0 } else { largest };
    let [x, y, z] = (given / scale).to_array();
    Ok([x, y, z, lux].map(|x| x as f32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_is_a_name_a_file_or_a_uniform_light() {
        let known = |text: &str| matches!(environment(text), Ok(EnvironmentName::Known(_)));
        assert!(known("studio") && known("uniform:1") && known("uniform:0.5,1,2"));
        assert!(matches!(environment("a/sky.HDR"), Ok(EnvironmentName::File(_))));
        for wrong in ["", "beach", "sky.png", "uniform:", "uniform:-1", "uniform:1,2"] {
            assert!(environment(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn light_is_within_single_precision() {
        assert_eq!(light("1e38,0,0,3"), Ok([1.0, 0.0, 0.0, 3.0]));
        assert_eq!(light("0,-1e-300,0,3"), Ok([0.0, -1.0, 0.0, 3.0]));
        assert_eq!(light("1,2,3,4"), Ok([1.0, 2.0, 3.0, 4.0]));
        for wrong in ["0,0,0", "1,0,0,1e19", "1,0,0,-1", "1,0"] {
            assert!(light(wrong).is_err(), "{wrong}");
        }
        assert!(environment("uniform:1e18").is_ok() && environment("uniform:1,1e19,1").is_err());
        assert!(amount_of_light("1e39").is_err() && amount_of_light("0").is_ok());
        assert_eq!(exposure("126"), Ok(ExposureChoice::Stops(126.0)));
        for wrong in ["128", "-127", "auto+128", "auto-1e9"] {
            let said = exposure(wrong).unwrap_err();
            assert_eq!(said, "must be from -126 to 126 stops", "{wrong}");
        }
    }

    #[test]
    fn a_factor_is_a_normal_number_in_single_precision() {
        assert_eq!((factor("0.01"), factor("1e38")), (Ok(0.01), Ok(1e38)));
        for wrong in ["1e39", "1e-40", "1e-50", "0", "-1", "inf", "x"] {
            assert!(factor(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn colours_are_exact_bytes() {
        assert_eq!(colour("#12345678"), Ok([0x12, 0x34, 0x56, 0x78]));
        assert_eq!(colour("#808080"), Ok([0x80, 0x80, 0x80, 0xff]));
        assert_eq!(colour("transparent"), Ok([0; 4]));
        for wrong in ["808080", "#fff", "#+12345", "red", "#1234567"] {
            assert!(colour(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn both_ways_to_write_a_size_are_read() {
        assert_eq!(size("640x480"), Ok([640, 480]));
        assert_eq!(size("640,480"), Ok([640, 480]));
        for wrong in ["640", "0x480", "640x", "-1x4", "99999x1"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
