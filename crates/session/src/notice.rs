//! Messages that are shown until they are dismissed, or for some seconds.

use std::path::{Path, PathBuf};

use rigview_report::counted;

rigview_anim::named_enum! {
    /// The kind of a notice.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum NoticeKind {
        /// A request was carried out.
        Done = "done",
        /// A request was refused or carried out only in part.
        Warning = "warning",
    }
}

/// A message of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Notice {
    pub kind: NoticeKind,
    pub text: String,
    /// The file that was written.
    pub saved: Option<PathBuf>,
}

impl Notice {
    pub fn new(kind: NoticeKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), saved: None }
    }

    pub fn done(text: impl Into<String>) -> Self {
        Self::new(NoticeKind::Done, text)
    }

    pub fn warning(text: impl Into<String>) -> Self {
        Self::new(NoticeKind::Warning, text)
    }

    /// Returns the notice that the shown file lacks an expression.
    pub fn no_expression(name: &str) -> Self {
        Self::warning(format!("the file has no expression \"{name}\""))
    }

    /// Returns the notice that values set by hand are lost, given the number of nodes that had them; `None` for 0.
    pub fn lost_pose(nodes: usize) -> Option<Self> {
        let lost = counted(nodes, "node");
        let text = format!(
            "the values by hand of {lost} are lost, because nothing in the file takes them"
        );
        (nodes > 0).then(|| Self::warning(text))
    }

    /// Returns the notice that a file was written. It names the whole path.
    pub fn saved(path: &Path) -> Self {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Self { saved: Some(path.clone()), ..Self::done(format!("Saved {}", path.display())) }
    }
}

/// The notice that is shown, until it is dismissed.
#[derive(Debug, Default)]
pub(super) struct Notices {
    shown: Option<Notice>,
}

impl Notices {
    /// The notice that is shown.
    pub fn shown(&self) -> Option<&Notice> {
        self.shown.as_ref()
    }

    /// Removes the notice.
    pub fn dismiss(&mut self) {
        self.shown = None;
    }

    /// Replaces the notice, if another one is given.
    pub fn replace(&mut self, notice: impl Into<Option<Notice>>) {
        self.shown = notice.into().or(self.shown.take());
    }

    /// Adds a notice to the one that is shown, because both answer the same request.
    pub fn add(&mut self, more: impl Into<Option<Notice>>) {
        let Some(more) = more.into() else { return };
        self.shown = Some(match self.shown.take() {
            // A reloaded file reports the same again.
            Some(before) if before.text.ends_with(&more.text) => before,
            Some(Notice { kind, text, saved }) => Notice {
                kind: kind.max(more.kind),
                text: format!("{}; {}", text.trim_end_matches('.'), more.text),
                saved: more.saved.or(saved),
            },
            None => more,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_about_one_request_are_joined_and_a_warning_prevails() {
        let mut notices = Notices::default();
        notices.add(Notice::warning("a.fbx is left out."));
        notices.add(Notice::done("Lit by sky.hdr"));
        notices.add(Notice::done("Lit by sky.hdr"));
        let joined = Notice::warning("a.fbx is left out; Lit by sky.hdr");
        assert_eq!(notices.shown(), Some(&joined));
        notices.replace(None);
        assert_eq!(notices.shown(), Some(&joined), "no notice replaces nothing");
        notices.replace(Notice::done("Saved a.png"));
        assert_eq!(notices.shown(), Some(&Notice::done("Saved a.png")));
    }
}
