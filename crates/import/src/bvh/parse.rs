//! The text of a file: a hierarchy of joints, and the numbers of its frames.

use std::collections::HashMap;

use super::words::{COMMENT, Words};
use crate::fault::{ImportError, Warnings};
use rigview_model::{WarningCode, quoted};

/// Limit for the joints of a file.
const JOINTS: usize = 100_000;

/// Limit for the depth of joints, beyond which following parents takes quadratic time.
const DEPTH: usize = 4096;

/// Limit for the lines of other text before the hierarchy.
const TITLE: usize = 100;

/// Frame times that are believed, in seconds.
const FRAME_SECS: std::ops::Range<f64> = 1e-6..1e6;

/// The frame time in seconds from which on it is probably a number of frames per second.
const LIKE_A_RATE: f64 = 10.0;

/// One number of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    /// The position along an axis, which replaces that of the offset.
    Position(usize),
    /// A rotation about an axis, in degrees.
    Rotation(usize),
    /// The scale along an axis, which is not read.
    Scale,
}

/// A joint.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Joint {
    /// Its name; empty for an end site.
    pub name: String,
    /// Whether it is an end site, which only states the end of a bone.
    pub is_end: bool,
    pub parent: Option<usize>,
    pub offset: [f64; 3],
    /// The channels in the order in which their matrices are multiplied.
    pub channels: Vec<Channel>,
}

/// A parsed file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Parsed {
    /// Parents before children.
    pub joints: Vec<Joint>,
    /// Seconds per frame.
    pub frame_secs: f64,
    /// The numbers of all frames.
    pub numbers: Vec<f64>,
    /// Numbers per frame.
    pub per_frame: usize,
    /// Complete frames.
    pub frames: usize,
}

/// Parses a file. A motion that is cut short, or absent, gives the frames that are there.
pub(super) fn parse(text: &str, warnings: &mut Warnings) -> Result<Parsed, ImportError> {
    // Editors of DOS and padded records end with control characters.
    let text = text.trim_end_matches(|c: char| c.is_control() || c.is_whitespace());
    let mut words = Words { text, at: 0 };
    skip_title(&mut words, warnings);
    words.expect("HIERARCHY")?;
    let mut parsed = Parsed::default();
    hierarchy(&mut words, &mut parsed, warnings)?;
    parsed.per_frame = parsed.joints.iter().map(|joint| joint.channels.len()).sum();
    match words.is_next("MOTION") {
        true => motion(&mut words, &mut parsed, warnings)?,
        false => warn(warnings, "the file has no MOTION: its skeleton is shown"),
    }
    Ok(parsed)
}

/// Skips lines of other text before the hierarchy, such as the name of the program that wrote the file.
fn skip_title(words: &mut Words, warnings: &mut Warnings) {
    let is_start = |line: &str| {
        line.trim_start().get(..9).is_some_and(|it| it.eq_ignore_ascii_case("HIERARCHY"))
    };
    let mut at = 0;
    for line in words.text.split_inclusive('\n').take(TITLE) {
        if is_start(line) {
            words.at = at;
            if !words.text[..at].trim().is_empty() {
                warn(warnings, "the text before HIERARCHY is ignored");
            }
            break;
        }
        at += line.len();
    }
}

fn warn(warnings: &mut Warnings, what: impl AsRef<str>) {
    warnings.add(WarningCode::FileDefect, "", what);
}

fn hierarchy(
    words: &mut Words,
    parsed: &mut Parsed,
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    // The open joints, from the root to the innermost.
    let mut open: Vec<usize> = Vec::new();
    let (mut odd, mut is_scaled) = (0, false);
    loop {
        let Some(word) = words.peek() else {
            if !open.is_empty() {
                warn(warnings, "a joint's brace is never closed");
            }
            break;
        };
        let word = word.to_ascii_uppercase();
        match word.as_str() {
            "ROOT" | "JOINT" | "END" | "ENDSITE" => {
                let joint = joint(words, parsed, &open, word.starts_with("END"))?;
                parsed.joints.push(joint);
                open.push(parsed.joints.len() - 1);
            }
            "OFFSET" => {
                words.next();
                let offset = [words.number()?, words.number()?, words.number()?];
                let offset = offset.map(|number| in_range(number, &mut odd));
                let Some(joint) = open.last() else {
                    return Err(words.error("OFFSET outside of a joint"));
                };
                parsed.joints[*joint].offset = offset;
            }
            "CHANNELS" => {
                let list = counted_channels(words, open.is_empty())?;
                is_scaled |= list.contains(&Channel::Scale);
                if let Some(joint) = open.last() {
                    parsed.joints[*joint].channels.extend(list);
                }
            }
            "}" => {
                words.next();
                if open.pop().is_none() {
                    return Err(words.error("a closing brace without an opening one"));
                }
            }
            "MOTION" => {
                if !open.is_empty() {
                    warn(warnings, "a joint's brace is never closed");
                }
                break;
            }
            _ => {
                return Err(words.error(format!("{} is not a keyword of BVH", quoted(&word))));
            }
        }
    }
    if odd > 0 {
        warn(warnings, not_finite(odd, "offsets"));
    }
    if is_scaled {
        warn(warnings, "channels of scale are not read: joints keep their size");
    }
    match parsed.joints.iter().any(|joint| !joint.is_end) {
        true => Ok(()),
        false => Err(words.error("the hierarchy has no joints")),
    }
}

/// Reads the name of a joint and its opening brace.
fn joint(
    words: &mut Words,
    parsed: &Parsed,
    open: &[usize],
    is_end: bool,
) -> Result<Joint, ImportError> {
    if open.len() >= DEPTH {
        return Err(words.error(format!("joints are nested more than {DEPTH} deep")));
    }
    if parsed.joints.len() >= JOINTS {
        return Err(words.error(format!("more than {JOINTS} joints")));
    }
    words.next();
    let name = words.name().to_owned();
    words.expect("{")?;
    let name = if is_end { String::new() } else { name };
    Ok(Joint { name, is_end, parent: open.last().copied(), ..Joint::default() })
}

/// Reads the channels of a joint, after their number.
fn counted_channels(words: &mut Words, is_outside: bool) -> Result<Vec<Channel>, ImportError> {
    words.next();
    let count = words.number()?;
    let stated_at = words.at;
    if is_outside {
        return Err(words.error("CHANNELS outside of a joint"));
    }
    let list = channels(words);
    if list.len() as f64 == count {
        return Ok(list);
    }
    let unknown = words.peek().filter(|word| *word != "{" && *word != "}");
    if let Some(word) = unknown
        && words.line_at(words.at) == words.line_at(stated_at)
    {
        let what = format!(
            "{} is no channel: they are Xposition to Zposition, Xrotation to Zrotation and Xscale to Zscale",
            quoted(word)
        );
        return Err(words.error(what));
    }
    let what = format!("CHANNELS {}, but {} names follow", short(count), list.len());
    Err(words.error_at(stated_at, what))
}

/// Reads names of channels as long as they are such.
fn channels(words: &mut Words) -> Vec<Channel> {
    let mut list = Vec::new();
    while let Some(channel) = words.peek().and_then(channel) {
        words.next();
        list.push(channel);
    }
    list
}

fn channel(word: &str) -> Option<Channel> {
    let lower = word.to_ascii_lowercase();
    let axis = match lower.as_bytes().first()? {
        b'x' => 0,
        b'y' => 1,
        b'z' => 2,
        _ => return None,
    };
    match &lower[1..] {
        "position" => Some(Channel::Position(axis)),
        "rotation" => Some(Channel::Rotation(axis)),
        "scale" => Some(Channel::Scale),
        _ => None,
    }
}

/// Returns a number as text without hundreds of zeros.
fn short(number: f64) -> String {
    match number == 0.0 || (1e-6..1e15).contains(&number.abs()) {
        true => number.to_string(),
        false => format!("{number:e}"),
    }
}

/// Reads the number of frames and the seconds per frame.
fn frames_and_time(words: &mut Words) -> Result<(f64, f64), ImportError> {
    words.expect_field("Frames")?;
    let frames = words.number()?;
    words.expect_field("Frame Time")?;
    Ok((frames, words.number()?))
}

fn motion(
    words: &mut Words,
    parsed: &mut Parsed,
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    words.expect("MOTION")?;
    let header = frames_and_time(words);
    if header.is_err() && words.peek().is_none() {
        warn(warnings, "the file ends before the first frame: its skeleton is shown");
        return Ok(());
    }
    let (claimed, frame_secs) = header?;
    parsed.frame_secs = match FRAME_SECS.contains(&frame_secs) {
        true => frame_secs,
        false => {
            warn(warnings, format!("frame time {} is read as 1/30 s", short(frame_secs)));
            1.0 / 30.0
        }
    };
    if parsed.frame_secs >= LIKE_A_RATE {
        let secs = short(parsed.frame_secs);
        let what = format!(
            "a frame takes {secs} s: if {secs} frames per second are meant, the frame time is {:.6}",
            1.0 / parsed.frame_secs
        );
        warn(warnings, what);
    }
    let per_frame = parsed.per_frame;
    let per_line = numbers_per_line(&words.text[words.at..], per_frame, claimed);
    if let Some(there) = per_line.filter(|there| *there != per_frame) {
        words.skip_space();
        let what = format!("each line has {there} numbers, the channels are {per_frame}");
        if there < per_frame {
            let line = words.text[words.at..].lines().next().unwrap_or_default();
            let way_out = match line.contains(',') {
                true => "separate them by spaces instead of commas",
                false => "export the file again",
            };
            return Err(words.error(format!("{what}; {way_out}")));
        }
        warn(warnings, format!("{what}: the first {per_frame} are read"));
    }
    numbers(words, parsed, per_line, warnings)?;
    let there = parsed.numbers.len();
    parsed.frames = there.checked_div(parsed.per_frame).unwrap_or(0);
    let over = there - parsed.frames * parsed.per_frame;
    if over > 0 && parsed.per_frame > 0 {
        let of = parsed.per_frame;
        warn(warnings, format!("the last frame has {over} of {of} numbers: it is left out"));
    }
    if parsed.frames as f64 > claimed {
        let more = parsed.frames;
        let claimed = short(claimed);
        warn(warnings, format!("{claimed} frames are claimed, {more} are there: all are read"));
    } else if (parsed.frames as f64) < claimed {
        let less = parsed.frames;
        warn(warnings, format!("{} frames are claimed, {less} are there", short(claimed)));
    }
    Ok(())
}

/// Returns the numbers of most lines, if each line is a frame: most of them, or the first one and a third of all, have as many as a
/// frame, or there are about as many lines as frames are claimed. Otherwise a single line may hold all frames, and a frame may
/// take several lines: of such text only the last line is shorter, and all numbers together are those of the claimed frames,
/// but for at most a line.
fn numbers_per_line(text: &str, per_frame: usize, claimed: f64) -> Option<usize> {
    let uncommented =
        |line: &str| line.split(COMMENT).next().map(|it| it.split_whitespace().count());
    let lengths = text.split(['\n', '\r']).filter_map(uncommented).filter(|length| *length > 0);
    let (mut lines, mut total, mut of_length) = (0usize, 0usize, HashMap::<usize, usize>::new());
    let (mut first, mut last) = (None, 0);
    for length in lengths {
        first.get_or_insert(length);
        last = length;
        lines += 1;
        total += length;
        *of_length.entry(length).or_default() += 1;
    }
    let whole = of_length.get(&per_frame).copied().unwrap_or(0);
    if 2 * whole > lines || (first == Some(per_frame) && 3 * whole >= lines) {
        return Some(per_frame);
    }
    let (length, _) = of_length.into_iter().find(|(_, count)| 2 * count > lines)?;
    let are_frames = (lines as f64 - claimed).abs() <= (0.1 * claimed).max(1.0);
    let off = (total as f64 - claimed * per_frame as f64).abs();
    // Lines that are little longer than a frame rather have a number too many each.
    let has_extra = length > per_frame && 10 * length <= 11 * per_frame;
    let is_cut = last < length && !has_extra && lines as f64 != claimed;
    let are_wrapped = off == 0.0 || is_cut && off <= length as f64;
    (lines > 1 && are_frames && !are_wrapped && per_frame > 0).then_some(length)
}

/// Reads the numbers of all frames. If each line is a frame, of `per_line` numbers, the first ones are read, and a line with
/// fewer or more numbers holds the frame before, or at the beginning the one after it, so that all others keep their time.
fn numbers(
    words: &mut Words,
    parsed: &mut Parsed,
    per_line: Option<usize>,
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    let too_long = per_line.is_some_and(|there| there > parsed.per_frame);
    let (mut odd, mut left_out, mut first_left_out, mut leading) = (0, 0, 0, 0);
    while words.peek().is_some() {
        let end = words.text[words.at..].find(['\n', '\r']).map(|end| words.at + end);
        let (begin, end) = (words.at, end.unwrap_or(words.text.len()));
        let mut line = Words { text: &words.text[..end], at: begin };
        let before = parsed.numbers.len();
        while line.peek().is_some() {
            match line.number() {
                Ok(number) => parsed.numbers.push(in_range(number, &mut odd)),
                // A file may be cut within a number.
                Err(_) if line.at == line.text.len() && end == words.text.len() => {}
                Err(error) => return Err(error),
            }
        }
        words.at = end;
        if too_long {
            parsed.numbers.truncate(before + parsed.per_frame);
        }
        let count = parsed.numbers.len() - before;
        if per_line.is_some() && count != parsed.per_frame && words.peek().is_some() {
            // Those after it keep their time.
            parsed.numbers.truncate(before);
            match before.checked_sub(parsed.per_frame) {
                Some(last) => parsed.numbers.extend_from_within(last..),
                None => leading += 1,
            }
            if left_out == 0 {
                first_left_out = words.line_at(begin);
            }
            left_out += 1;
        }
    }
    if let Some(first) = parsed.numbers.get(..parsed.per_frame) {
        let held = first.repeat(leading);
        parsed.numbers.splice(0..0, held);
    }
    if odd > 0 {
        warn(warnings, not_finite(odd, "the motion"));
    }
    if left_out > 0 {
        let of = parsed.per_frame;
        let what = match left_out {
            1 => format!(
                "line {first_left_out} does not have the {of} numbers of a frame: a frame beside it is held in its place"
            ),
            _ => format!(
                "{left_out} lines do not have the {of} numbers of a frame, line {first_left_out} first: a frame beside them is held in their place"
            ),
        };
        warn(warnings, what);
    }
    Ok(())
}

/// Returns what is said about numbers that are not finite.
fn not_finite(count: usize, of: &str) -> String {
    match count {
        1 => format!("1 number of {of} is not finite: read as 0"),
        _ => format!("{count} numbers of {of} are not finite: read as 0"),
    }
}

/// Returns a number; 0 for one that is not finite in 32 bits, and counts it.
fn in_range(number: f64, odd: &mut usize) -> f64 {
    if (number as f32).is_finite() {
        return number;
    }
    *odd += 1;
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: &str = "HIERARCHY\nROOT My Hips\n{\n OFFSET 1 2 3\n CHANNELS 2 Yrotation Xposition\n\
        \tJOINT a:b {OFFSET 0 1 0 CHANNELS 1 Zrotation\n End Site\r\n{ OFFSET 0 .5 0 } } }\n\
        MOTION\r\nFrames:\t2\nFrame Time: .5\n1 2\n3 4 5 6";

    #[test]
    fn odd_layouts_are_read() {
        let mut warnings = Warnings::default();
        let parsed = parse(SHORT, &mut warnings).unwrap();
        let names: Vec<_> = parsed.joints.iter().map(|joint| joint.name.as_str()).collect();
        assert_eq!(names, ["My Hips", "a:b", ""]);
        assert_eq!(parsed.joints[0].channels, [Channel::Rotation(1), Channel::Position(0)]);
        assert_eq!(parsed.joints[2].offset, [0.0, 0.5, 0.0]);
        assert_eq!((parsed.frames, parsed.per_frame, parsed.frame_secs), (2, 3, 0.5));
        assert!(warnings.finish(false).is_empty());
    }

    #[test]
    fn headers_need_no_white_space_and_files_may_end_with_control_characters() {
        let end = |text: String| text + "\r\n\u{1a}\0";
        for text in [
            SHORT.replace("Frames:\t2", "Frames:2"),
            SHORT.replace("Frames:\t2", "frames : 2"),
            SHORT.replace("Frame Time: .5", "Frame Time:.5"),
            SHORT.replace("Frame Time: .5", "FrameTime :.5"),
            end(SHORT.to_owned()),
        ] {
            let mut warnings = Warnings::default();
            let parsed = parse(&text, &mut warnings).unwrap_or_else(|e| panic!("{e} in {text}"));
            assert_eq!((parsed.frames, parsed.frame_secs), (2, 0.5));
            assert_eq!(parsed.numbers, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
            assert!(warnings.finish(false).is_empty(), "{text}");
        }
        let error = parse(&SHORT.replace("Frames:", "Pictures:"), &mut Warnings::default());
        let error = error.unwrap_err().to_string();
        assert_eq!(error, "BVH, line 10: Frames: expected, not \"Pictures:\"");
    }

    #[test]
    fn numbers_that_are_not_finite_are_read_as_0() {
        for word in ["nan", "-1.#IND", "1.#QNAN00", "1.#INF", "-nan(ind)", "inf"] {
            let mut warnings = Warnings::default();
            let text = SHORT.replace("4 5 6", &format!("4 {word} 6"));
            let parsed = parse(&text, &mut warnings).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(parsed.numbers, [1.0, 2.0, 3.0, 4.0, 0.0, 6.0]);
            let said = warnings.finish(false);
            assert!(said[0].message.starts_with("1 number of the motion is not finite"));
        }
    }

    #[test]
    fn what_is_missing_is_said_and_what_is_wrong_has_a_line() {
        let said = |text: &str| {
            let mut warnings = Warnings::default();
            let result = parse(text, &mut warnings).map(|parsed| parsed.frames);
            let said = warnings.finish(false).into_iter().map(|w| w.message).collect::<Vec<_>>();
            (result.map_err(|e| e.to_string()), said.join("; "))
        };
        let (frames, text) = said(&SHORT.replace("3 4 5 6", "3 4 nan"));
        assert_eq!(frames, Ok(1));
        assert!(
            text.contains("not finite") && text.contains("the last frame has 2 of 3"),
            "{text}"
        );
        let (_, text) = said(&SHORT.replace("Frames:\t2", "Frames: 999999999"));
        assert!(text.contains("999999999 frames are claimed, 2 are there"), "{text}");
        let error = said(&SHORT.replace("CHANNELS 2", "CHANNELS 4000000000")).0.unwrap_err();
        assert_eq!(error, "BVH, line 5: CHANNELS 4000000000, but 2 names follow");
        let error = said(&SHORT.replace("Xposition", "Wposition")).0.unwrap_err();
        assert!(
            error.starts_with("BVH, line 5: \"Wposition\" is no channel: they are X"),
            "{error}"
        );
        let error = said(&SHORT.replace(".5\n1", ".5\none")).0.unwrap_err();
        assert!(error.contains("a number expected, not \"one\""), "{error}");
        assert!(said("HIERARCHY\nMOTION\n").0.is_err());
        let deep = "JOINT a { OFFSET 0 0 0 ".repeat(DEPTH + 1);
        let error = said(&format!("HIERARCHY {deep}")).0.unwrap_err();
        assert!(error.contains("deep"), "{error}");
    }

    #[test]
    fn a_line_of_the_wrong_length_does_not_shift_the_frames_after_it() {
        let file = SHORT.replace("1 2\n3 4 5 6", "1 2 3\n4 5\n6 7 8 9\n10 11 12\n13 14");
        let file = file.replace("Frames:\t2", "Frames:\t4");
        let mut warnings = Warnings::default();
        let parsed = parse(&file, &mut warnings).unwrap();
        let held = [[1.0, 2.0, 3.0]; 3];
        assert_eq!(parsed.numbers[..12], [held.as_flattened(), &[10.0, 11.0, 12.0]].concat());
        assert_eq!(parsed.frames, 4);
        let said: Vec<_> = warnings.finish(false).into_iter().map(|w| w.message).collect();
        assert_eq!(
            said,
            [
                "2 lines do not have the 3 numbers of a frame, line 13 first: a frame beside them is held in their place",
                "the last frame has 2 of 3 numbers: it is left out",
            ]
        );
        let mut warnings = Warnings::default();
        parse(&SHORT.replace("1 2\n3 4 5 6", "1 2 3\n4 5\n6 7 8"), &mut warnings).unwrap();
        let said = &warnings.finish(false)[0].message;
        assert!(said.starts_with("line 13 does not have the 3 numbers of a frame"), "{said}");
    }

    #[test]
    fn most_lines_tell_how_many_numbers_a_frame_has() {
        let parsed = |lines: &[&str], claimed: usize| {
            let file = SHORT.replace("1 2\n3 4 5 6", &lines.join("\n"));
            let file = file.replace("Frames:\t2", &format!("Frames:\t{claimed}"));
            parse(&file, &mut Warnings::default()).map(|parsed| parsed.numbers)
        };
        let [a, b, c] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]];
        // The first line lacks a number: it holds the second one.
        let short = parsed(&["1 2", "4 5 6", "7 8 9"], 3).unwrap();
        assert_eq!(short, [b, b, c].concat());
        // Lines of four numbers, of which the last one is cut, and another number of frames is claimed.
        let lines = ["1 2 3 0", "4 5 6 0", "7 8 9 0", "1 2 3 0", "4 5"];
        let long = parsed(&lines, 4).unwrap();
        assert_eq!(long[..12], [a, b, c, a].concat());
        let error = parsed(&["1 2", "3 4", "5 6", "7 8", "9"], 4).unwrap_err().to_string();
        assert!(
            error.ends_with("each line has 2 numbers, the channels are 3; export the file again")
        );
        let error = parsed(&["1,2,3", "4,5,6", "7,8,9"], 3).unwrap_err().to_string();
        assert!(error.ends_with("separate them by spaces instead of commas"), "{error}");
        // Lines that are wrapped after four numbers.
        let wrapped = parsed(&["1 2 3 4", "5 6 7 8", "9 1 2 3"], 4).unwrap();
        assert_eq!(wrapped, [a, b, c, a].concat());
        // The same cut, and lines of two numbers that are cut.
        let cut = parsed(&["1 2 3 4", "5 6 7 8", "9 1"], 4).unwrap();
        assert_eq!(cut, [&[a, b, c].concat()[..], &[1.0]].concat());
        assert_eq!(parsed(&["1 2", "3 4", "5"], 2).unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0]);
        // With more numbers than claimed frames have.
        let more = parsed(&["1 2 3 4", "5 6 7 8", "9 1 2 3", "4 5 6 7", "8 9 1"], 6).unwrap();
        assert_eq!(more, [&[a, b, c, a, b, c].concat()[..], &[1.0]].concat());
        // One line of a frame does not make thousands of others frames.
        let lines = [vec!["1 2 3"], vec!["1"; 3000]].concat();
        assert_eq!(parsed(&lines, 1001).unwrap().len(), 3003);
    }

    #[test]
    fn names_on_the_next_line_and_commas_between_numbers_are_read() {
        let file = SHORT.replace("ROOT My Hips", "ROOT\n\tMy Hips");
        let file = file.replace("OFFSET 1 2 3", "OFFSET 1.0, 2,0, 3;").replace("3 4 5", "3, 4, 5");
        let mut warnings = Warnings::default();
        let parsed = parse(&file, &mut warnings).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(
            (&*parsed.joints[0].name, parsed.joints[0].offset),
            ("My Hips", [1.0, 2.0, 3.0])
        );
        assert_eq!(parsed.numbers, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert!(warnings.finish(false).is_empty());
    }

    #[test]
    fn numbers_beyond_32_bits_are_read_as_0_and_a_file_may_end_before_its_frames() {
        let said = |text: &str| {
            let mut warnings = Warnings::default();
            let parsed = parse(text, &mut warnings).unwrap_or_else(|e| panic!("{e}"));
            let said = warnings.finish(false).into_iter().map(|w| w.message).collect::<Vec<_>>();
            (parsed, said.join("; "))
        };
        let (parsed, text) = said(&SHORT.replace("OFFSET 1 2", "OFFSET 1e39 nan"));
        assert_eq!(parsed.joints[0].offset, [0.0, 0.0, 3.0]);
        assert_eq!(text, "2 numbers of offsets are not finite: read as 0");
        let (parsed, text) = said(&SHORT.replace("3 4 5", "3 -1e300 5"));
        assert_eq!(parsed.numbers[3], 0.0);
        assert_eq!(text, "1 number of the motion is not finite: read as 0");
        let (parsed, text) = said(&SHORT.replace("Time: .5", "Time: 1e300"));
        assert_eq!(parsed.frame_secs, 1.0 / 30.0);
        assert_eq!(text, "frame time 1e300 is read as 1/30 s");
        let (parsed, text) = said(&SHORT.replace("3 4 5 6", "3 4 5 -"));
        assert_eq!((parsed.frames, parsed.numbers.len()), (1, 5));
        assert!(text.contains("the last frame has 2 of 3 numbers"), "{text}");
        for end in ["Frames:", "Frame Time:", ".5\n1"] {
            let (parsed, text) = said(SHORT.split(end).next().unwrap());
            assert_eq!(parsed.frames, 0);
            assert_eq!(
                text, "the file ends before the first frame: its skeleton is shown",
                "{end}"
            );
        }
    }
}
