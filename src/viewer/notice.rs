//! Lines that the session shows for a while.

use super::Viewer;

/// What a notice says of what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoticeKind {
    /// It is done.
    Done,
    /// It is not, or not all of it.
    Warning,
}

impl NoticeKind {
    /// Its name in a script's state.
    pub fn name(self) -> &'static str {
        match self {
            NoticeKind::Done => "done",
            NoticeKind::Warning => "warning",
        }
    }
}

/// One line for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Notice {
    pub kind: NoticeKind,
    pub text: String,
}

impl Notice {
    /// Something is done.
    pub fn done(text: impl Into<String>) -> Self {
        Self { kind: NoticeKind::Done, text: text.into() }
    }

    /// Something is not as it was asked for.
    pub fn warning(text: impl Into<String>) -> Self {
        Self { kind: NoticeKind::Warning, text: text.into() }
    }
}

impl Viewer {
    /// Adds a notice to the one that is shown, which is part of the same answer.
    pub(super) fn say(&mut self, more: Notice) {
        self.notice = Some(match self.notice.take() {
            // A file that is read again says the same again.
            Some(before) if before.text.ends_with(&more.text) => before,
            Some(Notice { kind, text }) => {
                Notice { kind: kind.max(more.kind), text: format!("{text}; {}", more.text) }
            }
            None => more,
        });
    }
}
