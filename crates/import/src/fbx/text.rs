//! The form of text FBX files: braces, names and lists. ufbx takes the end of a text for the end of all that is open in it,
//! and a brace too many for the end of the file, without a word.

use super::tokens::{Token, Tokens};
use crate::fault::{ImportError, Warnings};
use rigview_model::{WarningCode, quoted};

/// What the user can do about a line.
const WAY_OUT: &str = "mend it or export the file again";

/// Longest part of a line that a message quotes, in bytes.
const QUOTED: usize = 40;

/// Refuses a text whose braces are not balanced, since ufbx would leave out what follows, and warns of sections that are
/// absent and of a list of another length than it states.
pub(super) fn check(text: &[u8], warnings: &mut Warnings) -> Result<(), ImportError> {
    let form = Form::of(text);
    if let Some(broken) = &form.broken {
        return Err(form.odd.as_ref().unwrap_or(broken).error());
    }
    let mut warn = |message: &str| warnings.add(WarningCode::FileDefect, "", message);
    match form.objects {
        None => warn("the file has no section \"Objects\": it is empty or cut short"),
        Some(1..) if !form.has_connections => warn(
            "the file has no section \"Connections\", which says what belongs together: it may be cut short; copy or \
             export it again",
        ),
        Some(_) => {}
    }
    if let Some(length) = &form.odd_length {
        let Place { line, what } = length;
        warn(&format!("line {line} {what}"));
    }
    Ok(())
}

/// Returns an error that names the first place of a text which can't be read; `None` if it has the form that it should.
pub(super) fn first_fault(text: &[u8]) -> Option<ImportError> {
    let form = Form::of(text);
    form.odd.or(form.broken).or(form.odd_length).map(|place| place.error())
}

/// A fault of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    /// Counted from 1.
    line: usize,
    /// What is wrong in that line, without a subject.
    what: String,
}

impl Place {
    fn error(&self) -> ImportError {
        let Self { line, what } = self;
        ImportError::container(format!("the FBX file can't be read: line {line} {what}"))
    }
}

/// What a text has, apart from its meaning.
#[derive(Debug, Default)]
struct Form {
    /// The first place that is not in the grammar.
    odd: Option<Place>,
    /// The place where the text ends too early, or where a brace closes nothing.
    broken: Option<Place>,
    /// The first list that does not have as many values as it states.
    odd_length: Option<Place>,
    /// The number of objects; `None` without their section.
    objects: Option<usize>,
    has_connections: bool,
}

/// A list that states its length: `Vertices: *9 {`.
#[derive(Clone, Copy)]
struct List {
    line: usize,
    stated: usize,
    found: usize,
}

/// The state of reading a text.
#[derive(Default)]
struct Reader<'a> {
    /// The number of open braces.
    depth: usize,
    /// The name of the section that the text is in, and its first line.
    section: &'a [u8],
    section_line: usize,
    list: Option<List>,
    form: Form,
}

impl Form {
    fn of(text: &[u8]) -> Self {
        let mut reader = Reader::default();
        let mut tokens = Tokens::new(text);
        let mut before = Token::Close;
        // The lines of the last text that goes over several.
        let mut long_text = 0..=0;
        while let Some(start) = tokens.skip_space() {
            let first_line = tokens.line;
            let token = tokens.next(before);
            let found = &text[start..tokens.at];
            // What is cut short is not odd.
            let is_cut = tokens.at == text.len() && reader.depth > 0;
            if reader.form.odd.is_none() && !is_cut && !token.may_follow(before) {
                let (line, what) = match *long_text.end() == first_line {
                    // The next text of the file closes one that lacks its quote.
                    true => (*long_text.start(), format!("lacks a closing quote; {WAY_OUT}")),
                    false => (first_line, odd_text(&text[start..], before)),
                };
                reader.form.odd = Some(Place { line, what });
            }
            reader.take(token, found, first_line);
            if reader.form.broken.is_some() {
                return reader.form;
            }
            if token == Token::Text && tokens.line > first_line {
                long_text = first_line..=tokens.line;
            }
            before = token;
        }
        if reader.depth > 0 || before == Token::Unclosed {
            let section = quoted(&String::from_utf8_lossy(reader.section));
            let what = format!(
                "ends within the section {section} of line {}: the file is cut short, or a closing brace is missing; copy or \
                 export it again",
                reader.section_line
            );
            reader.form.broken = Some(Place { line: tokens.line, what });
        }
        reader.form
    }
}

/// Returns what is said of the rest of a text that can't follow a token.
fn odd_text(rest: &[u8], before: Token) -> String {
    let line = rest.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let start = String::from_utf8_lossy(&line[..line.len().min(QUOTED)]);
    let start = quoted(start.trim_end());
    match before.is_value() {
        true => format!("lacks a comma or a quote before {start}; {WAY_OUT}"),
        false => format!("has {start} where a name, a value or a brace belongs; {WAY_OUT}"),
    }
}

impl<'a> Reader<'a> {
    fn take(&mut self, token: Token, found: &'a [u8], line: usize) {
        match token {
            Token::Name => self.name(found, line),
            Token::Count => {
                let stated = str::from_utf8(found).ok().and_then(|digits| digits.parse().ok());
                self.list = stated.map(|stated| List { line, stated, found: 0 });
            }
            Token::Number | Token::Word | Token::Text => {
                if let Some(list) = &mut self.list {
                    list.found += 1;
                }
            }
            Token::Open => self.depth += 1,
            Token::Close => self.close(line),
            Token::Nul => {
                let what = "has a character of code 0, after which nothing is read; copy or export the file again";
                self.form.broken = Some(Place { line, what: what.to_owned() });
            }
            Token::Comma | Token::Star | Token::Unclosed | Token::Other => {}
        }
    }

    fn name(&mut self, found: &'a [u8], line: usize) {
        let objects = &mut self.form.objects;
        if self.depth == 1 && self.section == b"Objects" {
            *objects = objects.map(|count| count + 1);
        }
        if self.depth == 0 {
            self.section = found.strip_suffix(b":").unwrap_or(found).trim_ascii_end();
            self.section_line = line;
            match self.section {
                b"Objects" => *objects = objects.or(Some(0)),
                b"Connections" => self.form.has_connections = true,
                _ => {}
            }
        }
    }

    fn close(&mut self, line: usize) {
        if let Some(List { line, stated, found }) = self.list.take()
            && stated != found
            && self.form.odd_length.is_none()
        {
            let what = format!("states a list of {stated} values and has {found}; {WAY_OUT}");
            self.form.odd_length = Some(Place { line, what });
        }
        match self.depth.checked_sub(1) {
            Some(depth) => self.depth = depth,
            None => {
                let what = format!(
                    "has a closing brace that nothing opens: it is one too many, or an opening one is missing before it; {WAY_OUT}"
                );
                self.form.broken = Some(Place { line, what });
            }
        }
    }
}
