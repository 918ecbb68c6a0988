//! Counters told from the events alone, without the core's fold.

use lesson_core::{
    DAY, DecisionOutcome, Event, EventKind, Millis, Space, SurfacedContext, SurfacedItem, Trust,
    Verdict,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default, PartialEq, Eq, Debug)]
struct Counted {
    helpful: u32,
    not_helpful: u32,
    upvotes: u32,
    downvotes: u32,
    uses: u32,
    causal: u32,
    surfaced: u32,
    edits: u32,
    archived: bool,
    applied: u32,
    successes: u32,
    failures_in_a_row: u32,
    trial_from: u32,
}

/// A statement about a lesson.
enum Said {
    Helpful(bool),
    Up(bool),
    Use { causal: bool },
    Shown,
    Applied { won: bool },
    Trial,
}

/// A lesson, and all that was said of it.
#[derive(Default)]
struct Spoken<'a> {
    writer: &'a str,
    created_at: Millis,
    vouched: bool,
    edits: u32,
    archived: bool,
    /// With whether it waits for a person's approval.
    said: Vec<(Said, bool)>,
    /// The latest day on which a voice's ratings (`false`) or votes (`true`) counted.
    days: BTreeMap<(&'a str, bool), i64>,
}

impl Spoken<'_> {
    fn counted(&self) -> Counted {
        let mut counted = Counted {
            edits: self.edits,
            archived: self.archived,
            ..Counted::default()
        };
        for (said, waits) in &self.said {
            if *waits {
                continue;
            }
            match said {
                Said::Helpful(true) => counted.helpful += 1,
                Said::Helpful(false) => counted.not_helpful += 1,
                Said::Up(true) => counted.upvotes += 1,
                Said::Up(false) => counted.downvotes += 1,
                Said::Use { causal } => {
                    counted.uses += 1;
                    counted.causal += u32::from(*causal);
                }
                Said::Shown => counted.surfaced += 1,
                Said::Applied { won } => {
                    counted.applied += 1;
                    counted.successes += u32::from(*won);
                    counted.failures_in_a_row = match won {
                        true => 0,
                        false => counted.failures_in_a_row + 1,
                    };
                }
                Said::Trial => {
                    counted.failures_in_a_row = 0;
                    counted.trial_from = counted.applied;
                }
            }
        }
        counted
    }

    /// With a person's approval, what waited counts, each in its place.
    fn trusted(&mut self, is_approved: bool, by: &str) {
        let is_person = by.starts_with("person:") || by == "local";
        self.vouched = is_approved && (is_person || !self.writer.starts_with("agent:"));
        if self.vouched {
            for (_, waits) in &mut self.said {
                *waits = false;
            }
        }
    }
}

/// The ledger as told so far.
#[derive(Default)]
struct Told<'a> {
    lessons: BTreeMap<&'a str, Spoken<'a>>,
    agents: BTreeSet<&'a str>,
    merged: BTreeSet<&'a str>,
    decisions: BTreeMap<&'a str, Decided<'a>>,
    /// Opinions, each counted once: its decision, its voice, its lesson, and if it is a vote.
    opinions: BTreeSet<(&'a str, &'a str, &'a str, bool)>,
    feedback: BTreeSet<(&'a str, &'a str)>,
    settings: BTreeMap<&'a str, &'a Value>,
    /// The last word on each voice: its place in the ledger, and, of a withdrawal, from when on nothing counts.
    voices: BTreeMap<&'a str, (usize, Option<Since>)>,
}

/// From when on a voice counts for nothing; `None` for all that it ever said.
type Since = Option<Millis>;

#[derive(Default)]
struct Decided<'a> {
    outcome: Option<DecisionOutcome>,
    asked_by: Option<&'a str>,
    told_by: &'a str,
    /// In the order in which they were first recommended, and whether they were applied and counted.
    lessons: Vec<(&'a str, bool, bool)>,
}

/// Checks that every lesson's counters are the number of the events that moved them, and that only
/// those are archived that somebody archived, or merged, last. Counters that a merge added up are
/// left out.
///
/// # Errors
/// Names the lesson.
pub fn hold(space: &Space, ledger: &[Event]) -> Result<(), String> {
    let mut told = Told::default();
    for (place, event) in ledger.iter().enumerate() {
        match &event.event {
            EventKind::VoiceWithdrawn { voice, since } => {
                told.voices.insert(voice, (place, Some(*since)));
            }
            EventKind::VoiceReinstated { voice } => {
                told.voices.insert(voice, (place, None));
            }
            _ => {}
        }
    }
    for (place, event) in ledger.iter().enumerate() {
        told.count(place, event);
    }
    if !told.settings.into_iter().eq(space.settings()) {
        return Err("the settings are not what was set last".to_owned());
    }
    let (lessons, merged) = (told.lessons, told.merged);
    for lesson in space.lessons() {
        let Some(mut counted) = lessons.get(&*lesson.slug).map(Spoken::counted) else {
            return Err(format!("`{}` came from nowhere", lesson.slug));
        };
        let held = &lesson.standing;
        let mut found = Counted {
            helpful: held.times_helpful,
            not_helpful: held.times_not_helpful,
            upvotes: held.upvotes,
            downvotes: held.downvotes,
            uses: held.use_count,
            causal: held.causal_hits,
            surfaced: held.times_surfaced,
            edits: lesson.rev - 1,
            archived: lesson.archived,
            applied: held.times_applied,
            successes: held.success_count,
            failures_in_a_row: held.consecutive_failures,
            trial_from: held.trial_from,
        };
        if merged.contains(&*lesson.slug) {
            found = Counted {
                edits: found.edits,
                archived: found.archived,
                ..Counted::default()
            };
            counted = Counted {
                edits: counted.edits,
                archived: counted.archived,
                ..Counted::default()
            };
        }
        if found != counted {
            return Err(format!(
                "`{}` has {found:?}, but its events say {counted:?}",
                lesson.slug
            ));
        }
    }
    Ok(())
}

impl<'a> Told<'a> {
    fn lesson(&mut self, slug: &'a str) -> &mut Spoken<'a> {
        self.lessons.entry(slug).or_default()
    }

    /// Adds what these say of a lesson: it waits when one of them is an agent and wrote it, and nobody vouches for it.
    fn say(&mut self, slug: &'a str, by: &[&str], said: Said) {
        let shared = self.agents.len() >= 2;
        let spoken = self.lesson(slug);
        let own = |by: &&str| by.starts_with("agent:") && *by == spoken.writer;
        let waits = shared && !spoken.vouched && by.iter().any(own);
        spoken.said.push((said, waits));
    }

    /// True if a rating or a vote is an agent's first of the day; always for people, and with fewer than two agents.
    fn is_of_new_day(&mut self, event: &'a Event, slug: &'a str, vote: bool) -> bool {
        if self.agents.len() < 2 || !event.by.starts_with("agent:") {
            return true;
        }
        let day = event.at.div_euclid(DAY);
        let days = &mut self.lesson(slug).days;
        let is_new = days.get(&(&*event.by, vote)).is_none_or(|last| *last < day);
        if is_new {
            days.insert((&event.by, vote), day);
        }
        is_new
    }

    fn count(&mut self, place: usize, event: &'a Event) {
        let by = &*event.by;
        match self.withdrawn_at(event) {
            Some(withdrawn) => self.count_muted(event, by, withdrawn < place),
            None => self.count_one(event, by),
        }
        if let EventKind::VoiceWithdrawn { voice, .. } = &event.event
            && let Some((last, Some(since))) = self.voices.get(&**voice).copied()
            && last == place
        {
            let lessons = self.lessons.values_mut();
            let own = lessons.filter(|held| held.writer == voice);
            for held in own.filter(|held| since.is_none_or(|since| held.created_at >= since)) {
                held.archived = true;
            }
        }
        if by.starts_with("agent:") {
            self.agents.insert(by);
        }
    }

    /// Where in the ledger the event's voice is withdrawn, if nothing counts that it says here.
    fn withdrawn_at(&self, event: &Event) -> Option<usize> {
        let (place, since) = self.voices.get(&*event.by)?;
        let since = (*since)?;
        since
            .is_none_or(|since| event.at >= since)
            .then_some(*place)
    }

    /// Texts and lives stay as a withdrawn voice made them, but for its own lessons; nothing else counts.
    fn count_muted(&mut self, event: &'a Event, by: &'a str, is_past: bool) {
        match &event.event {
            EventKind::LessonAdded { lesson } => {
                self.count_one(event, by);
                self.lesson(&lesson.slug).archived |= is_past;
            }
            EventKind::LessonRestored { .. } if is_past => {}
            EventKind::LessonEdited { .. }
            | EventKind::LessonArchived { .. }
            | EventKind::LessonRestored { .. }
            | EventKind::LessonsMerged { .. }
            | EventKind::VoiceWithdrawn { .. }
            | EventKind::VoiceReinstated { .. }
            | EventKind::LessonReviewed {
                verdict: Verdict::Quarantine,
                ..
            } => self.count_one(event, by),
            EventKind::OutcomeRecorded { decision_id, .. } => {
                self.decisions.entry(decision_id).or_default();
            }
            EventKind::Surfaced { items, context, .. } => self.decide(items, context, by),
            _ => {}
        }
    }

    fn count_one(&mut self, event: &'a Event, by: &'a str) {
        match &event.event {
            EventKind::LessonAdded { lesson } => {
                let spoken = self.lesson(&lesson.slug);
                spoken.writer = by;
                spoken.created_at = lesson.created_at;
                spoken.trusted(lesson.trust == Trust::Approved, by);
            }
            EventKind::LessonEdited { lesson, trust, .. } => {
                let spoken = self.lesson(lesson);
                spoken.edits += 1;
                spoken.trusted(*trust == Trust::Approved, by);
            }
            EventKind::LessonReviewed {
                lesson, verdict, ..
            } => {
                let is_approved = *verdict == Verdict::Approve;
                self.lesson(lesson).trusted(is_approved, by);
            }
            EventKind::LessonArchived { lesson } => self.lesson(lesson).archived = true,
            EventKind::LessonRestored { lesson } => self.lesson(lesson).archived = false,
            EventKind::LessonsMerged { into, from } => {
                self.merged.insert(into);
                for slug in from {
                    self.merged.insert(slug);
                    self.lesson(slug).archived = true;
                }
            }
            EventKind::Surfaced { items, context, .. } => {
                let slugs: BTreeSet<&str> = items.iter().map(|item| &*item.lesson).collect();
                for slug in slugs {
                    self.say(slug, &[], Said::Shown);
                }
                self.decide(items, context, by);
            }
            EventKind::UsageTracked {
                decision_id,
                detections,
            } => {
                let decided = self.decisions.entry(decision_id).or_default();
                for (slug, applied, _) in &mut decided.lessons {
                    *applied |= detections
                        .iter()
                        .any(|seen| seen.applied && seen.lesson == *slug);
                }
                self.settle(decision_id, by);
            }
            EventKind::OutcomeRecorded {
                decision_id,
                outcome,
                ..
            } => {
                let decided = self.decisions.entry(decision_id).or_default();
                if decided.outcome.is_none() && outcome.is_final() {
                    decided.outcome = Some(*outcome);
                    decided.told_by = by;
                }
                self.settle(decision_id, by);
            }
            EventKind::FeedbackGiven {
                lessons,
                causal,
                decision_id,
                ..
            } => {
                if let Some(id) = decision_id
                    && !self.feedback.insert((id, by))
                {
                    return;
                }
                let named: BTreeSet<&str> = lessons.iter().map(|slug| &**slug).collect();
                for slug in named {
                    let causal = causal.iter().any(|one| one == slug);
                    self.say(slug, &[by], Said::Use { causal });
                }
            }
            EventKind::Rated {
                lesson,
                helpful,
                decision_id,
            } => {
                if self.is_new(decision_id.as_deref(), by, lesson, false)
                    && self.is_of_new_day(event, lesson, false)
                {
                    self.say(lesson, &[by], Said::Helpful(*helpful));
                }
            }
            EventKind::Voted {
                lesson,
                up,
                decision_id,
            } => {
                if self.is_new(decision_id.as_deref(), by, lesson, true)
                    && self.is_of_new_day(event, lesson, true)
                {
                    self.say(lesson, &[by], Said::Up(*up));
                }
            }
            EventKind::TrialGranted { lesson } => self.say(lesson, &[by], Said::Trial),
            EventKind::PolicyChanged { changes } => {
                for (name, value) in changes {
                    match value {
                        Value::Null => self.settings.remove(&**name),
                        value => self.settings.insert(name, value),
                    };
                }
            }
            EventKind::ToolSucceeded { .. }
            | EventKind::ChangeProposed { .. }
            | EventKind::ProposalSettled { .. }
            | EventKind::VoiceWithdrawn { .. }
            | EventKind::VoiceReinstated { .. } => {}
        }
    }

    /// Lessons are recommended for a decision.
    fn decide(&mut self, items: &'a [SurfacedItem], context: &'a SurfacedContext, by: &'a str) {
        let Some(id) = &context.decision_id else {
            return;
        };
        let decided = self.decisions.entry(id).or_default();
        decided.asked_by.get_or_insert(by);
        for item in items {
            let mut held = decided.lessons.iter();
            if !held.any(|(slug, ..)| *slug == item.lesson) {
                decided.lessons.push((&item.lesson, false, false));
            }
        }
    }

    fn is_new(&mut self, id: Option<&'a str>, by: &'a str, lesson: &'a str, vote: bool) -> bool {
        id.is_none_or(|id| self.opinions.insert((id, by, lesson, vote)))
    }

    /// Counts a final outcome in the lessons that were applied.
    fn settle(&mut self, id: &str, by: &str) {
        let Some(decided) = self.decisions.get_mut(id) else {
            return;
        };
        let Some(outcome) = decided.outcome else {
            return;
        };
        let speakers = [decided.asked_by.unwrap_or_default(), decided.told_by, by];
        let mut settled = Vec::new();
        for (slug, applied, counted) in &mut decided.lessons {
            if *applied && !std::mem::replace(counted, true) {
                settled.push(*slug);
            }
        }
        let won = outcome == DecisionOutcome::Success;
        for slug in settled {
            self.say(slug, &speakers, Said::Applied { won });
        }
    }
}
