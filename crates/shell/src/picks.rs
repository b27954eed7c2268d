//! Questions about what the picture shows, and those that the GPU is working on. Nothing waits for an answer.

use std::time::Duration;

use super::painter::Painter;
use super::resident::FrameModels;
use rigview_model::Touched;
use rigview_render::{Gpu, ReadBack};
use rigview_session::{Effect, PickAnswer, PickRequest, Purpose};

/// Polling interval while the GPU works on an answer.
pub(super) const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// After a name was asked for, the next one waits for this multiple of the time that the answer took, so that moving
/// the pointer over a large model takes little of the GPU's time.
const REST: u32 = 4;

/// The questions that are open.
#[derive(Default)]
pub(super) struct Picks {
    questions: Vec<PickRequest>,
    asked: Vec<Asked>,
    /// When the next name may be asked for.
    rested: Option<Duration>,
}

/// A question that the GPU is working on.
struct Asked {
    pick: ReadBack<Option<Touched>>,
    /// Without what was touched.
    answer: PickAnswer,
    since: Duration,
}

impl Picks {
    /// Adds a question. Of several names, only the last is asked for.
    pub fn add(&mut self, question: PickRequest) {
        if question.purpose == Purpose::Name {
            self.questions.retain(|other| other.purpose != Purpose::Name);
        }
        self.questions.push(question);
    }

    /// Takes the questions out of a list of effects.
    pub fn take(&mut self, effects: &mut Vec<Effect>) {
        effects.retain(|effect| match effect {
            Effect::Pick(question) => {
                self.add(*question);
                false
            }
            _ => true,
        });
    }

    /// Passes the questions that are due to the GPU. The pose is that of the last frame, so the answer is about what
    /// a person saw. Questions that cannot be asked, because no model is shown, are dropped.
    pub fn ask(&mut self, painter: &mut Painter, models: FrameModels<'_>, now: Duration) {
        let rests = self.rests(now);
        for question in std::mem::take(&mut self.questions) {
            if question.purpose == Purpose::Name && rests {
                self.questions.push(question);
                continue;
            }
            let Some(document) = models.session.playback().document() else { continue };
            let Some(pick) = painter.pick(models, &question) else { continue };
            let stage = models.session.playback().stage();
            let stage = stage.filter(|_| question.purpose != Purpose::Name).cloned();
            let answer = PickAnswer { question, load: document.load, stage, touched: None };
            self.asked.push(Asked { pick, answer, since: now });
        }
    }

    /// Returns the answers that have come.
    pub fn answers(&mut self, gpu: &Gpu, now: Duration) -> Vec<PickAnswer> {
        let mut answers = Vec::new();
        for mut asked in std::mem::take(&mut self.asked) {
            match asked.pick.poll(gpu) {
                None => self.asked.push(asked),
                Some(found) => {
                    let took = now.saturating_sub(asked.since);
                    log::debug!("a pick took {took:.1?}");
                    if asked.answer.question.purpose == Purpose::Name {
                        self.rested = now.checked_add(REST * took);
                    }
                    match found {
                        Ok(touched) => answers.push(PickAnswer { touched, ..asked.answer }),
                        Err(error) => log::debug!("{error}"),
                    }
                }
            }
        }
        answers
    }

    /// Whether a name would have to wait: for the answer to the one before, or to rest.
    fn rests(&self, now: Duration) -> bool {
        let is_name = |asked: &Asked| asked.answer.question.purpose == Purpose::Name;
        self.rested.is_some_and(|at| now < at) || self.asked.iter().any(is_name)
    }

    /// The time at which to look for answers, or to ask a question that rests.
    pub fn next_look(&self, now: Duration) -> Option<Duration> {
        if !self.asked.is_empty() {
            return now.checked_add(LOOK_AGAIN);
        }
        if self.questions.is_empty() { None } else { self.rested.max(Some(now)) }
    }

    /// Whether the GPU works on a question.
    pub fn is_asking(&self) -> bool {
        !self.asked.is_empty()
    }

    /// Whether an answer that changes the selection is still to come.
    pub fn selects(&self) -> bool {
        let asked = self.asked.iter().map(|asked| &asked.answer.question);
        self.questions.iter().chain(asked).any(|question| question.purpose != Purpose::Name)
    }
}
