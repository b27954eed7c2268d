//! The tokens of text FBX files, as ufbx reads them.

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A word, or a text in quotes, with a colon after it.
    Name,
    Word,
    Number,
    /// A text in quotes.
    Text,
    Comma,
    /// The asterisk before the length of a list.
    Star,
    /// The length of a list.
    Count,
    Open,
    Close,
    /// A text whose closing quote is absent.
    Unclosed,
    /// A character of code 0, which ends the text for ufbx, before other content.
    Nul,
    /// A character that can't be there, or a number that is none.
    Other,
}

impl Token {
    /// Whether this is a value of a name.
    pub fn is_value(self) -> bool {
        matches!(self, Self::Word | Self::Number | Self::Text)
    }

    /// Whether a token may come after another one. The beginning of the file counts as a closing brace.
    pub fn may_follow(self, before: Self) -> bool {
        let is_list = matches!(before, Self::Name | Self::Comma);
        match self {
            Self::Name | Self::Close => before != Self::Star,
            Self::Word | Self::Number | Self::Text | Self::Star => is_list,
            Self::Comma => before == Self::Name || before.is_value(),
            Self::Open => is_list || before == Self::Count || before.is_value(),
            Self::Count => before == Self::Star,
            // The text ends there, whatever is before.
            Self::Nul => true,
            Self::Unclosed | Self::Other => false,
        }
    }
}

/// Splits a text.
pub(super) struct Tokens<'a> {
    text: &'a [u8],
    /// Bytes that were read.
    pub at: usize,
    /// The line of the next byte, counted from 1.
    pub line: usize,
}

impl<'a> Tokens<'a> {
    pub fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, line: 1 }
    }

    /// Skips white space and comments, and returns where the next token begins; `None` at the end.
    pub fn skip_space(&mut self) -> Option<usize> {
        while let Some(byte) = self.text.get(self.at) {
            match byte {
                b'\n' => {
                    self.line += 1;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                b';' => self.skip_while(|byte| byte != b'\n'),
                0 if self.text[self.at..].iter().all(|b| *b == 0 || b.is_ascii_whitespace()) => {
                    return None;
                }
                _ => return Some(self.at),
            }
        }
        None
    }

    /// Returns the token that begins here, after another one.
    pub fn next(&mut self, before: Token) -> Token {
        let first = self.text[self.at];
        match first {
            b'"' => return self.text(),
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => return self.word(),
            b'0'..=b'9' | b'-' | b'+' | b'.' => {
                return match (self.is_number(), before) {
                    (false, _) => Token::Other,
                    (true, Token::Star) => Token::Count,
                    (true, _) => Token::Number,
                };
            }
            _ => {}
        }
        self.at += 1;
        match first {
            b',' => Token::Comma,
            b'*' => Token::Star,
            b'{' => Token::Open,
            b'}' => Token::Close,
            0 => Token::Nul,
            _ => Token::Other,
        }
    }

    fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        let rest = self.text[self.at..].iter();
        self.at += rest.take_while(|byte| wanted(**byte)).count();
    }

    fn is_next(&self, byte: u8) -> bool {
        self.text.get(self.at) == Some(&byte)
    }

    /// Reads a text. There is no escape for quotes in it.
    fn text(&mut self) -> Token {
        self.at += 1;
        let start = self.at;
        self.skip_while(|byte| byte != b'"');
        self.line += self.text[start..self.at].iter().filter(|byte| **byte == b'\n').count();
        if !self.is_next(b'"') {
            return Token::Unclosed;
        }
        self.at += 1;
        if !self.is_next(b':') {
            return Token::Text;
        }
        self.at += 1;
        Token::Name
    }

    fn word(&mut self) -> Token {
        let is_letter =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'(' | b')');
        self.skip_while(is_letter);
        let (end, line) = (self.at, self.line);
        // The colon may be apart.
        self.skip_space();
        if self.is_next(b':') {
            self.at += 1;
            return Token::Name;
        }
        (self.at, self.line) = (end, line);
        Token::Word
    }

    /// Reads a number, also one that is not finite: `1.#INF`. Whether it is one.
    fn is_number(&mut self) -> bool {
        let (mut digits, mut dots, mut is_odd, mut before) = (0, 0, false, b'e');
        while let Some(byte) = self.text.get(self.at).copied() {
            match byte {
                b'0'..=b'9' => digits += 1,
                b'.' => dots += 1,
                b'-' | b'+' => is_odd |= !matches!(before, b'e' | b'E'),
                b'e' | b'E' => is_odd |= digits == 0,
                _ => break,
            }
            before = byte;
            self.at += 1;
        }
        let start = self.at;
        self.skip_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'#' | b'(' | b')'));
        self.at > start
            || !is_odd && digits > 0 && dots <= 1 && !matches!(before, b'e' | b'E' | b'-' | b'+')
    }
}
