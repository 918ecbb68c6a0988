//! Voices: who has written in a space, and the withdrawal of one, first as a preview.

use crate::handlers::stats::count;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::fault::of_fold;
use crate::http::validate;
use crate::http::voice::voice_of;
use crate::state::plan::Plan;
use crate::state::service_struct::Service;
use lesson_core::{Event, EventKind, Millis, Space, failed_by_one_key, parse_rfc3339, to_rfc3339};
use lesson_sync::Store;
use lesson_types::{
    ApiError, ErrorCode, VoiceView, VoiceWithdrawal, Voices, WithdrawVoice, limits,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) fn list_voices(
        &self,
        _: &RequestContext,
        body: &Value,
    ) -> Result<Answer<Voices>, ApiError> {
        validate::no_body(body)?;
        Ok(Answer::json(Voices {
            voices: voices(&self.state.borrow().space),
        }))
    }

    pub(crate) async fn withdraw_voice(
        &self,
        context: &RequestContext,
        id: &str,
        asked: WithdrawVoice,
    ) -> Result<Answer<VoiceWithdrawal>, ApiError> {
        validate::optional("since", asked.since.as_ref(), limits::ID)?;
        let voice = voice_of(id);
        let since = asked.since.as_deref().map(time).transpose()?;
        if asked.undo && since.is_some() {
            return Err(ApiError::invalid(
                "since",
                "a withdrawal is taken back whole; leave `since` out",
            ));
        }
        let word = if asked.undo {
            EventKind::VoiceReinstated {
                voice: voice.clone(),
            }
        } else {
            EventKind::VoiceWithdrawn {
                voice: voice.clone(),
                since,
            }
        };
        self.may_withdraw(context, &voice, since, &word)?;
        let mut answer = self.preview(context, &voice, word.clone()).await?;
        if asked.confirm {
            self.commit(context, |_, _| Ok((Plan::one(word.clone()), ())))
                .await?;
            // Folding anew takes off what the voice said before; of a linked space, the server does it.
            if self.link().is_none() {
                self.read_again().await?;
            }
            answer.done = true;
        }
        Ok(Answer::json(answer))
    }

    fn may_withdraw(
        &self,
        context: &RequestContext,
        voice: &str,
        since: Option<Millis>,
        word: &EventKind,
    ) -> Result<(), ApiError> {
        let state = self.state.borrow();
        state
            .space
            .check(
                std::slice::from_ref(word),
                context.by(),
                self.host.now(),
                &self.policy,
            )
            .map_err(|(_, error)| of_fold(&error))?;
        let held = state.space.withdrawn().find(|(name, _)| *name == voice);
        let again = match (word, held) {
            (EventKind::VoiceReinstated { .. }, None) => "was not withdrawn",
            (EventKind::VoiceWithdrawn { .. }, Some((_, held))) if held.since == since => {
                "was withdrawn before, from the same time on"
            }
            _ => return Ok(()),
        };
        let message = format!("`{voice}` {again}; nothing changes");
        Err(ApiError::new(ErrorCode::Conflict, message).at("voice"))
    }

    /// Compares the fold of the ledger with one more word of a person to its fold now.
    async fn preview(
        &self,
        context: &RequestContext,
        voice: &str,
        word: EventKind,
    ) -> Result<VoiceWithdrawal, ApiError> {
        let mut events = match self.link() {
            Some(link) => self.whole_ledger(link).await?,
            None => self.own_events(0).await?,
        };
        let (before, _) = Space::of_ledger(&events, &self.policy);
        events.push(Event {
            op_id: "preview".to_owned(),
            actor: String::new(),
            seq: 0,
            at: self.host.now(),
            by: context.by().to_owned(),
            request: None,
            event: word,
        });
        let (after, _) = Space::of_ledger(&events, &self.policy);
        let mut answer = VoiceWithdrawal {
            voice: voice.to_owned(),
            since: None,
            withdrawn: false,
            done: false,
            lessons: Vec::new(),
            lessons_total: 0,
            proposals: 0,
            opinions: 0,
            outcomes: 0,
            feedback: 0,
            moved: Vec::new(),
            moved_total: 0,
        };
        if let Some((_, held)) = after.withdrawn().find(|(name, _)| *name == voice) {
            answer.withdrawn = true;
            answer.since = held.since.map(to_rfc3339);
        }
        for event in events.iter().filter(|event| event.by == voice) {
            let is_turned = before.is_muted(voice, event.at) != after.is_muted(voice, event.at);
            if is_turned {
                match event.event {
                    EventKind::Rated { .. } | EventKind::Voted { .. } => answer.opinions += 1,
                    EventKind::OutcomeRecorded { .. } => answer.outcomes += 1,
                    EventKind::FeedbackGiven { .. } => answer.feedback += 1,
                    _ => {}
                }
            }
        }
        let open = |space: &Space| count(space.proposals_of(voice));
        answer.proposals = open(&before).abs_diff(open(&after));
        for (was, is) in before.lessons().zip(after.lessons()) {
            if was.archived != is.archived {
                answer.lessons.push(is.slug.clone());
            } else if was.standing != is.standing {
                answer.moved.push(is.slug.clone());
            }
        }
        answer.lessons_total = count(answer.lessons.len());
        answer.moved_total = count(answer.moved.len());
        answer.lessons.truncate(limits::PAGE);
        answer.moved.truncate(limits::PAGE);
        Ok(answer)
    }
}

fn time(text: &str) -> Result<Millis, ApiError> {
    parse_rfc3339(text).ok_or_else(|| {
        ApiError::invalid(
            "since",
            "since has to be an RFC 3339 time such as 2026-11-22T08:30:00Z",
        )
    })
}

/// Lists the voices that have lessons or proposals here, or were withdrawn.
fn voices(space: &Space) -> Vec<VoiceView> {
    let mut found: BTreeMap<&str, VoiceView> = BTreeMap::new();
    let fails = failed_alone(space);
    let names = fails.keys().copied();
    for name in names.chain(space.withdrawn().map(|(name, _)| name)) {
        found.insert(name, bare(name));
    }
    for lesson in space.lessons() {
        if !lesson.archived && lesson.by.contains(':') {
            let held = found
                .entry(lesson.by.as_str())
                .or_insert_with(|| bare(&lesson.by));
            held.lessons += 1;
            held.unreviewed += u32::from(!lesson.is_vouched_for());
        }
        for proposal in lesson.proposals.iter().filter(|one| one.by.contains(':')) {
            found
                .entry(proposal.by.as_str())
                .or_insert_with(|| bare(&proposal.by))
                .proposals += 1;
        }
    }
    for (name, slugs) in fails {
        if let Some(held) = found.get_mut(name) {
            held.fails_alone = slugs.into_iter().map(str::to_owned).collect();
        }
    }
    for (name, withdrawal) in space.withdrawn() {
        if let Some(held) = found.get_mut(name) {
            held.withdrawn = true;
            held.since = withdrawal.since.map(to_rfc3339);
        }
    }
    let mut voices: Vec<VoiceView> = found.into_values().collect();
    voices.sort_by(|a, b| (b.lessons, &a.voice).cmp(&(a.lessons, &b.voice)));
    voices.truncate(limits::PAGE);
    voices
}

/// Approved lessons that one key alone says fail, by the key.
fn failed_alone(space: &Space) -> BTreeMap<&str, BTreeSet<&str>> {
    let lessons = failed_by_one_key(space);
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (_, decision) in space.decisions() {
        if decision.outcome != Some(lesson_types::DecisionOutcome::Failure) {
            continue;
        }
        for record in decision.records.iter().filter(|record| record.settled) {
            if lessons.contains(&record.lesson) {
                let slugs = found.entry(decision.outcome_by.as_str()).or_default();
                slugs.insert(record.lesson.as_str());
            }
        }
    }
    found
}

fn bare(voice: &str) -> VoiceView {
    VoiceView {
        voice: voice.to_owned(),
        lessons: 0,
        unreviewed: 0,
        proposals: 0,
        fails_alone: Vec::new(),
        withdrawn: false,
        since: None,
    }
}
