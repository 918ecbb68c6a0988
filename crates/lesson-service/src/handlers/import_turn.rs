//! `POST /v1/import/turn`: an import taken back or brought again, for whoever keeps a list of imports.

use crate::handlers::bulk::edited;
use crate::handlers::lessons::known;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::validate;
use crate::state::plan::Plan;
use crate::state::service_struct::Service;
use crate::state::snapshot::State;
use lesson_core::{EventKind, Revision, Text};
use lesson_sync::Store;
use lesson_types::{ApiError, ImportTurned, ImportedLesson, TurnImport};
use std::collections::{BTreeMap, BTreeSet};

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) async fn turn_import(
        &self,
        context: &RequestContext,
        mut turn: TurnImport,
    ) -> Result<Answer<ImportTurned>, ApiError> {
        let slugs: Vec<String> = turn.lessons.iter().map(|one| one.slug.clone()).collect();
        validate::slugs("lessons", &slugs, 1)?;
        let mut named = BTreeSet::new();
        turn.lessons.retain(|one| named.insert(one.slug.clone()));
        let texts = self.imported_texts(&turn).await?;
        let done = self
            .commit(context, |state, _| {
                let mut done = ImportTurned::default();
                let mut own = Vec::new();
                for lesson in &turn.lessons {
                    let mut lesson = lesson.clone();
                    let text = texts.get(&lesson.slug);
                    match step(state, turn.redo, &lesson, text) {
                        Step::Nothing => {}
                        Step::Left => done.left += 1,
                        Step::Life(happening) => {
                            done.archived += 1;
                            own.push(*happening);
                            lesson.taken_back = (!turn.redo).then_some(lesson.rev);
                        }
                        Step::Text(happening, rev) => {
                            done.restored += 1;
                            own.extend(happening);
                            if turn.redo {
                                lesson.rev = rev;
                            } else {
                                lesson.taken_back = Some(rev);
                            }
                        }
                    }
                    if turn.redo {
                        lesson.taken_back = None;
                    }
                    done.lessons.push(lesson);
                }
                Ok((Plan::of(own), done))
            })
            .await?;
        Ok(Answer::json(done))
    }

    /// The texts that this turn puts back, by slug; a lesson or a revision that is gone has none.
    async fn imported_texts(&self, turn: &TurnImport) -> Result<BTreeMap<String, Text>, ApiError> {
        let wanted: BTreeMap<&str, u32> = {
            let state = self.state.borrow();
            let of = |one: &&ImportedLesson| !one.added && state.space.lesson(&one.slug).is_some();
            let lessons = turn.lessons.iter().filter(of);
            lessons.map(|one| (one.slug.as_str(), one.rev)).collect()
        };
        let mut found: BTreeMap<String, Revision> = BTreeMap::new();
        if self.link().is_some() {
            for (slug, rev) in &wanted {
                let events = self.ledger_of(slug).await?.events;
                let one = BTreeMap::from([(*slug, *rev)]);
                found.extend(lesson_core::revisions(&events, &one, &self.policy));
            }
        } else if !wanted.is_empty() {
            let events = self.own_events(0).await?;
            found = lesson_core::revisions(&events, &wanted, &self.policy);
        }
        let text = |held: Revision| match turn.redo {
            true => Some(held.text),
            false => held.before,
        };
        let texts = found.into_iter();
        Ok(texts
            .filter_map(|(slug, held)| Some((slug, text(held)?)))
            .collect())
    }
}

/// Effect of a turn on one lesson.
enum Step {
    /// It is so already, or the turn before left it.
    Nothing,
    /// It changed since, and stays.
    Left,
    /// It is archived, or taken into use again.
    Life(Box<EventKind>),
    /// Its text is put back by these events, with the revision that it has then.
    Text(Vec<EventKind>, u32),
}

fn step(state: &State, redo: bool, lesson: &ImportedLesson, text: Option<&Text>) -> Step {
    if redo != lesson.taken_back.is_some() {
        return Step::Nothing;
    }
    let Ok(held) = known(state, &lesson.slug) else {
        return Step::Left;
    };
    if lesson.added {
        let slug = held.slug.clone();
        return match (redo, held.archived, lesson.archived) {
            (false, false, false) => {
                Step::Life(Box::new(EventKind::LessonArchived { lesson: slug }))
            }
            (true, true, _) => Step::Life(Box::new(EventKind::LessonRestored { lesson: slug })),
            _ => Step::Nothing,
        };
    }
    let Some(text) = text.filter(|_| held.rev == lesson.taken_back.unwrap_or(lesson.rev)) else {
        return Step::Left;
    };
    if *text == held.text {
        return Step::Text(Vec::new(), held.rev);
    }
    // A text that is out of today's bounds can't be put back.
    match edited(held, text) {
        Ok(happening) => Step::Text(happening, held.rev.saturating_add(1)),
        Err(_) => Step::Left,
    }
}
