//! A person's decision about a lesson of the queue, and how far it is on its way.

use super::Act;
use super::pending_actions::PendingAction;

/// An answer to a lesson of the queue.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Names it.
    pub(super) id: String,
    /// The lesson.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// Names the question, where there is one to be remembered; and the pairs of texts that it asks about.
    pub key: Option<String>,
    pub(super) pairs: Vec<String>,
    /// The answer.
    pub act: Act,
    /// True if the lesson is dealt with.
    pub(super) gone: bool,
}

/// An act on its way.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct UnderWay {
    pub(super) held: PendingAction,
    /// True if the lesson is dealt with.
    pub(super) gone: bool,
    /// True if it is written down.
    pub(super) written: bool,
    /// True if it was sent already.
    pub(super) sent: bool,
}

/// Result of taking an answer back.
pub enum Undone {
    /// There is none.
    Nothing,
    /// It is as if it had not been given.
    Done(Answer),
    /// It is stored, and no event takes it back.
    TooLate(Answer),
}
