//! `GET /v1/review`: the queue.

use crate::convert::Reading;
use crate::handlers::lift_view::of_effect;
use crate::handlers::stats::count;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::validate;
use crate::state::service_struct::Service;
use lesson_core::learning::Effects;
use lesson_core::{
    Lesson, LiftVerdict, ReviewReason, SALT_SETTING, StandingRule, contradiction, pair_key,
    to_rfc3339,
};
use lesson_sync::Store;
use lesson_types::{ApiError, Keepable, NearDuplicate, ReviewCounts, ReviewQuery, limits};
use serde_json::Value;

/// Lessons in the answer when the request does not say.
const PAGE: u32 = 50;

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) async fn review_queue(
        &self,
        _: &RequestContext,
        query: &ReviewQuery,
        body: &Value,
    ) -> Result<Answer<lesson_types::ReviewQueue>, ApiError> {
        validate::no_body(body)?;
        let mut queue = self.queue_of_lessons(query)?;
        queue.outcomes = self.suggested().await?;
        Ok(Answer::json(queue))
    }

    /// The queue without the outcomes that are suggested beside it.
    pub(crate) fn queue_of_lessons(
        &self,
        query: &ReviewQuery,
    ) -> Result<lesson_types::ReviewQueue, ApiError> {
        let limit = match query.limit {
            Some(0) => 0,
            limit => validate::limit(limit, PAGE, limits::PAGE).map_err(|error| {
                ApiError::invalid("limit", error.message.replace("1 to", "0 to"))
            })?,
        };
        validate::optional("q", query.q.as_ref(), limits::WORD)?;
        let words = query.q.as_deref().map(str::trim).unwrap_or_default();
        let wanted = Wanted {
            reason: query.reason,
            words: words.to_lowercase(),
            limit,
        };
        let state = self.state.borrow();
        state.look_for_near(&self.policy.review, limit == 0);
        let near = state.near.borrow();
        let pairs = near.as_ref().map_or(&[][..], |near| &near.pairs);
        let policy = state.in_force(&self.policy);
        let reading = self.reading(&state);
        let answer = |effects: Option<&Effects>| {
            let most = if wanted.is_all() { limit } else { usize::MAX };
            let queue = lesson_core::review_queue_with(
                &state.space,
                pairs,
                most,
                &policy,
                effects,
                reading.now,
            );
            answer(wanted.of(queue), &reading, effects)
        };
        // Where nothing was ever measured there is nothing to read of it.
        let mut answer = if state.space.setting(SALT_SETTING).is_none() {
            answer(None)
        } else {
            state.with_effects(|effects| answer(Some(effects)))
        };
        let one_key = state.failed_by_one_key();
        for item in &mut answer.items {
            if item.reasons.contains(&ReviewReason::Disqualified) && one_key.contains(&item.slug) {
                item.remedy = Some(ONE_AGENT.to_owned());
            }
        }
        Ok(answer)
    }
}

/// The lessons of the queue that are asked for.
struct Wanted {
    reason: Option<ReviewReason>,
    /// In small letters; empty for all.
    words: String,
    limit: usize,
}

impl Wanted {
    /// True if every lesson of the queue fits.
    fn is_all(&self) -> bool {
        self.reason.is_none() && self.words.is_empty()
    }

    /// The queue with the first lessons that fit, and how many fit in all.
    fn of<'a>(
        &self,
        mut queue: lesson_core::ReviewQueue<'a>,
    ) -> (lesson_core::ReviewQueue<'a>, u32) {
        if self.is_all() {
            let fits = queue.total.saturating_sub(queue.proposals);
            return (queue, fits);
        }
        let has = |text: &str| text.to_lowercase().contains(&self.words);
        queue.items.retain(|item| {
            self.reason
                .is_none_or(|reason| item.reasons.contains(&reason))
                && (has(&item.lesson.text.title) || has(&item.lesson.slug))
        });
        let fits = count(queue.items.len());
        queue.items.truncate(self.limit);
        (queue, fits)
    }
}

fn answer(
    (queue, fits): (lesson_core::ReviewQueue<'_>, u32),
    reading: &Reading,
    effects: Option<&Effects>,
) -> lesson_types::ReviewQueue {
    lesson_types::ReviewQueue {
        items: queue
            .items
            .into_iter()
            .map(|one| item(one, reading, effects))
            .collect(),
        total: queue.total,
        proposals: queue.proposals,
        fits,
        counts: ReviewCounts {
            quarantined: queue.counts.quarantined,
            hurts: queue.counts.hurts,
            near_duplicate: queue.counts.near_duplicate,
            disqualified: queue.counts.disqualified,
            pruning: queue.counts.pruning,
            bottom_five: queue.counts.bottom_five,
            never_rated: queue.counts.never_rated,
            unreviewed: queue.counts.unreviewed,
        },
        keepable: queue
            .keepable
            .into_iter()
            .map(|one| Keepable {
                slug: one.slug.to_owned(),
                key: one.key,
                pairs: one.pairs,
            })
            .collect(),
        outcomes: Vec::new(),
    }
}

fn item(
    item: lesson_core::ReviewItem<'_>,
    reading: &Reading,
    effects: Option<&Effects>,
) -> lesson_types::ReviewItem {
    let lesson = item.lesson;
    let hurts = effects
        .and_then(|effects| effects.lesson(&lesson.slug))
        .filter(|held| held.verdict == LiftVerdict::Hurts)
        .map(of_effect);
    let held = &lesson.standing;
    lesson_types::ReviewItem {
        qualification: reading.qualification(held),
        times_applied: held.times_applied,
        success_count: held.success_count,
        effectiveness: held.effectiveness,
        causal_hits: held.causal_hits,
        remedy: remedy(&item.reasons, reading.policy.rank.standing).map(str::to_owned),
        lift: reading.lift(held),
        hurts,
        key: item.key,
        slug: lesson.slug.clone(),
        title: lesson.text.title.clone(),
        reasons: item.reasons,
        trust: lesson.trust,
        badge: reading.badge(&lesson.standing),
        findings: lesson.findings.clone(),
        duplicates: item
            .others
            .into_iter()
            .map(|other| duplicate(lesson, other, reading))
            .collect(),
        times_surfaced: lesson.standing.times_surfaced,
        times_helpful: lesson.standing.times_helpful,
        times_not_helpful: lesson.standing.times_not_helpful,
        updated_at: to_rfc3339(lesson.updated_at),
        content_hash: lesson.text.content_hash(),
    }
}

/// Remedy for a lesson that measuring says hurts.
const HURTS: &str = "Decisions go well less often with it than without, as withholding it at random shows. Archive it, or edit what misleads: an edit begins its measurement anew.";

/// Remedy for an approved lesson that one agent's key alone says fails.
const ONE_AGENT: &str = "One agent says it fails, and nobody else: it is still recommended, at half its score. Archive it if the agent is right; if not, give it another trial.";

/// Finds the remedy for a lesson that what happened speaks against.
fn remedy(reasons: &[ReviewReason], standing: StandingRule) -> Option<&'static str> {
    reasons.iter().find_map(|reason| match reason {
        ReviewReason::Hurts => Some(HURTS),
        ReviewReason::Disqualified if standing == StandingRule::Lift => Some(
            "It harms, as far as seen. Give it another trial, which forgets what was learned of it; edit what misleads, which keeps half of that; or archive it. Without a word from you it is tried again when enough time has passed.",
        ),
        ReviewReason::Disqualified => Some(
            "Give it another trial, which forgives its streak and keeps its counts; archive it, or write what its outcomes taught into a lesson of its own: an edit keeps its counts, which keep it out.",
        ),
        ReviewReason::Pruning => Some(
            "Archive it, or edit what made it a cause of work that got stuck.",
        ),
        _ => None,
    })
}

fn duplicate(of: &Lesson, other: lesson_core::Other<'_>, reading: &Reading) -> NearDuplicate {
    NearDuplicate {
        pair: pair_key(of, other.lesson),
        contradicts: contradiction(&of.text, &other.lesson.text),
        slug: other.lesson.slug.clone(),
        title: other.lesson.text.title.clone(),
        badge: reading.badge(&other.lesson.standing),
        trust: other.lesson.trust,
        similarity: other.similarity,
        measure: other.measure,
    }
}
