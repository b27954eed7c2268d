//! The words of a command for a POSIX shell.

/// The options of a command, and what no option describes.
#[derive(Debug, Default)]
pub struct ShellWords {
    words: Vec<String>,
    /// What the command leaves out, because no option describes it.
    pub left_out: Vec<&'static str>,
}

impl ShellWords {
    /// Adds an option without a value.
    pub fn flag(&mut self, name: &str) {
        self.words.push(name.to_owned());
    }

    /// Adds an option with a value. A value that starts with a minus is joined to the option's name.
    pub fn option(&mut self, name: &str, value: impl ToString) {
        let value = value.to_string();
        if value.starts_with('-') {
            self.words.push(format!("{name}={value}"));
        } else {
            self.words.extend([name.to_owned(), value]);
        }
    }

    /// Adds a file. One whose name starts with a minus is no option.
    pub fn file(&mut self, name: &str) {
        self.words.push(if name.starts_with('-') { format!("./{name}") } else { name.to_owned() });
    }

    /// Notes something that no option describes, if it is so.
    pub fn leave_out_if(&mut self, is_so: bool, what: &'static str) {
        if is_so {
            self.left_out.push(what);
        }
    }

    /// The number of words.
    pub fn count(&self) -> usize {
        self.words.len()
    }

    /// Returns the words as one line.
    pub fn text(&self) -> String {
        let words: Vec<String> = self.words.iter().map(|word| shell_word(word)).collect();
        words.join(" ")
    }

    /// Appends the words of others.
    pub fn extend(&mut self, other: ShellWords) {
        self.words.extend(other.words);
        self.left_out.extend(other.left_out);
    }
}

/// Returns a word as a POSIX shell reads it.
fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_start_with_a_minus_are_no_options() {
        let mut words = ShellWords::default();
        words.file("-fox.glb");
        words.option("--bless", "-fox");
        words.option("--bless", "fox");
        assert_eq!(words.text(), "./-fox.glb --bless=-fox --bless fox");
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        assert_eq!(shell_word("a/b-c_1.png"), "a/b-c_1.png");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("~/a b"), "'~/a b'");
        assert_eq!(shell_word("a'b$c"), r"'a'\''b$c'");
        let mut words = ShellWords::default();
        words.option("--clip", "-Run");
        assert_eq!(words.words, ["--clip=-Run"]);
    }
}
