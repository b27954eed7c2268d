//! Rust source as words and signs: enough to find paths, without comments, strings, characters
//! and numbers, so that nothing said in prose counts as code.

/// What is left of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// An identifier or a keyword.
    Word(String),
    /// `::`
    Separator,
    /// Any other sign.
    Sign(char),
    /// A string, character or number.
    Literal,
}

/// A token and the line it stands on, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    pub token: Token,
    pub line: usize,
}

/// Reads the whole of a file. Source that does not compile gives tokens too, just odd ones.
pub fn tokens(source: &str) -> Vec<Placed> {
    let mut lexer = Lexer { rest: source, line: 1 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blanks_and_comments();
        let line = lexer.line;
        match lexer.next() {
            Some(token) => tokens.push(Placed { token, line }),
            None => return tokens,
        }
    }
}

struct Lexer<'a> {
    rest: &'a str,
    line: usize,
}

impl Lexer<'_> {
    fn skip_blanks_and_comments(&mut self) {
        loop {
            if self.rest.starts_with(char::is_whitespace) {
                let blanks = self.rest.len() - self.rest.trim_start().len();
                self.advance(blanks);
            } else if self.rest.starts_with("//") {
                self.advance(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if self.rest.starts_with("/*") {
                self.skip_block_comment();
            } else {
                return;
            }
        }
    }

    /// Block comments nest.
    fn skip_block_comment(&mut self) {
        let mut depth = 0;
        loop {
            if self.rest.starts_with("/*") {
                depth += 1;
                self.advance(2);
            } else if self.rest.starts_with("*/") {
                depth -= 1;
                self.advance(2);
                if depth == 0 {
                    return;
                }
            } else if let Some(c) = self.rest.chars().next() {
                self.advance(c.len_utf8());
            } else {
                return;
            }
        }
    }

    fn next(&mut self) -> Option<Token> {
        let first = self.rest.chars().next()?;
        if first == '_' || first.is_alphabetic() {
            return Some(self.word_or_prefixed_string());
        }
        if first.is_ascii_digit() {
            let digits = word_length(self.rest);
            self.advance(digits);
            return Some(Token::Literal);
        }
        if self.rest.starts_with("::") {
            self.advance(2);
            return Some(Token::Separator);
        }
        match first {
            '"' => {
                self.skip_quoted('"');
                Some(Token::Literal)
            }
            '\'' => Some(self.character_or_lifetime()),
            sign => {
                self.advance(sign.len_utf8());
                Some(Token::Sign(sign))
            }
        }
    }

    /// `r"…"`, `br#"…"#`, `c"…"`, `b'x'` and `r#type` begin like words.
    fn word_or_prefixed_string(&mut self) -> Token {
        let length = word_length(self.rest);
        let word = &self.rest[..length];
        let after = &self.rest[length..];
        let hashes = after.len() - after.trim_start_matches('#').len();
        let raw = matches!(word, "r" | "br" | "cr");
        if raw && after[hashes..].starts_with('"') {
            self.advance(length + hashes + 1);
            let end = format!("\"{}", "#".repeat(hashes));
            let text = self.rest.find(&end).map_or(self.rest.len(), |at| at + end.len());
            self.advance(text);
            return Token::Literal;
        }
        if word == "r" && hashes == 1 {
            self.advance(2);
            let name = &self.rest[..word_length(self.rest)];
            let token = Token::Word(name.to_owned());
            self.advance(name.len());
            return token;
        }
        let token = Token::Word(word.to_owned());
        if matches!(token, Token::Word(ref w) if w == "b" || w == "c") {
            if after.starts_with('"') {
                self.advance(length);
                self.skip_quoted('"');
                return Token::Literal;
            }
            if after.starts_with('\'') {
                self.advance(length);
                self.skip_quoted('\'');
                return Token::Literal;
            }
        }
        self.advance(length);
        token
    }

    /// `'a` without a closing quote is a lifetime or a label.
    fn character_or_lifetime(&mut self) -> Token {
        let inside = &self.rest[1..];
        let mut chars = inside.chars();
        let (first, second) = (chars.next(), chars.next());
        if first == Some('\\') || second == Some('\'') {
            self.skip_quoted('\'');
            return Token::Literal;
        }
        let name = word_length(inside);
        self.advance(1 + name);
        Token::Sign('\'')
    }

    /// Skips to behind the closing quote; a backslash hides the character after it.
    fn skip_quoted(&mut self, quote: char) {
        let mut hidden = false;
        let end = self.rest.char_indices().skip(1).find_map(|(at, c)| {
            if hidden {
                hidden = false;
            } else if c == '\\' {
                hidden = true;
            } else if c == quote {
                return Some(at + c.len_utf8());
            }
            None
        });
        self.advance(end.unwrap_or(self.rest.len()));
    }

    fn advance(&mut self, bytes: usize) {
        let (passed, rest) = self.rest.split_at(bytes);
        self.line += passed.matches('\n').count();
        self.rest = rest;
    }
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tokens as text, literals as `#`.
    fn shown(source: &str) -> String {
        let show = |placed: &Placed| match &placed.token {
            Token::Word(word) => word.clone(),
            Token::Separator => "::".to_owned(),
            Token::Sign(sign) => sign.to_string(),
            Token::Literal => "#".to_owned(),
        };
        tokens(source).iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_are_no_code() {
        assert_eq!(shown("a // wgpu::X\n/// egui::Y\nb /* c /* nested */ wgpu::Z */ d"), "a b d");
    }

    #[test]
    fn strings_are_no_code() {
        assert_eq!(shown(r##"f("a \" wgpu::X", r#"b " egui::Y"#, b"c", c"d", r"\");g"##), {
            "f ( # , # , # , # , # ) ; g"
        });
    }

    #[test]
    fn a_comment_sign_in_a_string_opens_nothing() {
        assert_eq!(shown(r#"("//", "/*") a"#), "( # , # ) a");
    }

    #[test]
    fn characters_and_lifetimes_differ() {
        assert_eq!(shown(r"('a', '\'', '\\', b'\'', '\u{1b}', '/')"), "( # , # , # , # , # , # )");
        assert_eq!(shown("&'a str: 'static, 'outer: x"), "& ' str : ' , ' : x");
    }

    #[test]
    fn numbers_and_raw_names() {
        assert_eq!(shown("1.0e-3_f32 + x.0 r#type 0..n"), "# . # - # + x . # type # . . n");
    }

    #[test]
    fn lines_are_counted_through_everything() {
        let last = tokens("/*\n*/ \"\n\" r#\"\n\n\"# 'x'\nend").pop();
        assert_eq!(last, Some(Placed { token: Token::Word("end".to_owned()), line: 6 }));
    }
}
