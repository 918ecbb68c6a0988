//! Making one answer of two stores' answers. Where one of them refuses, its refusal is the answer.

use lesson_core::digest_markdown;
use lesson_types::{
    Body, BulkDone, DecisionView, Digest, FeedbackGiven, Health, LessonLift, LessonRank,
    LiftCounts, LiftReport, LiftVerdict, OutcomeRecorded, Proposals, Response, ReviewCounts,
    ReviewQueue, ReviewReason, SessionRecorded, Stats, Tags, ToolSuggestions, Tracked, WordCounts,
    limits,
};
use serde::Serialize;

/// Joins two answers of one type.
fn join<T: Serialize + Clone + 'static>(
    mut first: Response,
    second: Response,
    with: impl FnOnce(&mut T, T),
) -> Response {
    if first.status != 200 {
        return first;
    }
    if second.status != 200 {
        return second;
    }
    if let (Some(one), Some(two)) = (first.body.get::<T>(), second.body.get::<T>()) {
        let mut one = one.clone();
        with(&mut one, two.clone());
        first.body = Body::json(one);
    }
    first
}

/// Joins what was seen in both stores.
pub(crate) fn tracked(first: Response, second: Response) -> Response {
    join(first, second, |one: &mut Tracked, two| {
        one.recorded |= two.recorded;
        one.detections.extend(two.detections);
    })
}

/// Joins what an outcome moved in both stores.
pub(crate) fn outcomes(first: Response, second: Response) -> Response {
    join(first, second, |one: &mut OutcomeRecorded, two| {
        one.lessons_updated += two.lessons_updated;
        one.effectiveness_recalculated
            .extend(two.effectiveness_recalculated);
        one.uncounted.extend(two.uncounted);
        one.repeated &= two.repeated;
    })
}

/// The lessons of a decision in both.
pub(crate) fn decisions(first: Response, second: Response) -> Response {
    join(first, second, |one: &mut DecisionView, two| {
        one.lessons.extend(two.lessons);
        one.measured = match (one.measured.take(), two.measured) {
            (Some(mut held), Some(more)) => {
                held.withheld.extend(more.withheld);
                Some(held)
            }
            (held, more) => held.or(more),
        };
        one.under_measurement = one.under_measurement.or(two.under_measurement);
        one.feedback.extend(two.feedback);
        one.opinions.extend(two.opinions);
        one.outcome = one.outcome.or(two.outcome);
    })
}

/// Joins what feedback moved in both stores.
pub(crate) fn feedback(first: Response, second: Response) -> Response {
    join(first, second, |one: &mut FeedbackGiven, two| {
        one.updated.extend(two.updated);
        one.repeated &= two.repeated;
    })
}

/// The servers that worked, by the records of both; the best first.
pub(crate) fn suggestions(first: Response, second: Response) -> Response {
    join(first, second, |one: &mut ToolSuggestions, two| {
        let most = one.servers.len().max(two.servers.len());
        for server in two.servers {
            let same = |held: &&mut lesson_types::SuggestedServer| held.server == server.server;
            match one.servers.iter_mut().find(same) {
                Some(held) => {
                    held.score += server.score;
                    held.because.extend(server.because);
                }
                None => one.servers.push(server),
            }
        }
        one.servers
            .sort_by(|one, two| two.score.total_cmp(&one.score));
        one.servers.truncate(most);
        one.records += two.records;
    })
}

/// Puts feedback that the second store took into a session's answer.
pub(crate) fn session(answer: &mut Response, given: &Response) {
    let recorded = answer.body.get::<SessionRecorded>().cloned();
    let given = given.body.get::<FeedbackGiven>().cloned();
    let (Some(mut recorded), Some(given)) = (recorded, given) else {
        return;
    };
    let slugs: Vec<String> = given.updated.iter().map(|one| one.slug.clone()).collect();
    recorded.unknown.retain(|slug| !slugs.contains(slug));
    recorded.injected.extend(slugs);
    match &mut recorded.feedback {
        Some(feedback) => feedback.updated.extend(given.updated),
        None => recorded.feedback = Some(given),
    }
    answer.body = Body::json(recorded);
}

/// Counts of both. A lesson that both stores have counts twice, as each keeps a record of it.
pub(crate) fn stats(first: Response, second: Response) -> Response {
    join(first, second, |one: &mut Stats, two| {
        let Stats {
            lessons,
            archived,
            unreviewed,
            quarantined,
            proven,
            total_surfaced,
            total_rated,
            lessons_surfaced,
            lessons_rated,
            top,
            bottom,
            pruning,
            disqualified,
            never_rated,
            activity,
            measured,
        } = one;
        match (measured.as_mut(), two.measured) {
            (Some(held), Some(more)) => add(held, &more),
            (None, more) => *measured = more,
            (Some(_), None) => {}
        }
        for (sum, more) in [
            (lessons, two.lessons),
            (archived, two.archived),
            (unreviewed, two.unreviewed),
            (quarantined, two.quarantined),
            (proven, two.proven),
            (total_surfaced, two.total_surfaced),
            (total_rated, two.total_rated),
            (lessons_surfaced, two.lessons_surfaced),
            (lessons_rated, two.lessons_rated),
            (disqualified, two.disqualified),
        ] {
            *sum = sum.saturating_add(more);
        }
        top.extend(two.top);
        top.sort_by(|a, b| score(b).total_cmp(&score(a)));
        top.truncate(RANKS);
        bottom.extend(two.bottom);
        bottom.sort_by(|a, b| score(a).total_cmp(&score(b)));
        bottom.truncate(RANKS);
        pruning.extend(two.pruning);
        never_rated.extend(two.never_rated);
        for day in two.activity {
            match activity.binary_search_by(|held| held.day.cmp(&day.day)) {
                Ok(at) => {
                    if let Some(held) = activity.get_mut(at) {
                        held.events = held.events.saturating_add(day.events);
                    }
                }
                Err(at) => activity.insert(at, day),
            }
        }
        let old = activity.len().saturating_sub(DAYS);
        activity.drain(..old);
    })
}

/// Lessons in [`Stats::top`] and [`Stats::bottom`].
const RANKS: usize = 5;
/// Days in [`Stats::activity`].
const DAYS: usize = 30;

fn score(rank: &LessonRank) -> f64 {
    rank.effectiveness_score.unwrap_or(rank.effectiveness)
}

/// The condition of both: the worse of each. An issue of the second store says so.
pub(crate) fn health(first: Response, second: Response) -> Response {
    join(first, second, |one: &mut Health, two| {
        let causes = |held: &Health| held.causal_ratio.unwrap_or(0.0) * f64::from(held.uses);
        let hits = causes(one) + causes(&two);
        one.uses = one.uses.saturating_add(two.uses);
        one.causal_ratio = (one.uses > 0).then(|| hits / f64::from(one.uses));
        one.status = one.status.max(two.status);
        let known: Vec<String> = one.issues.iter().map(|held| held.code.clone()).collect();
        for mut issue in two.issues {
            // The model is one for both.
            if issue.code == "no_model" && known.contains(&issue.code) {
                continue;
            }
            issue.message = format!("In your own store: {}", issue.message);
            one.issues.push(issue);
        }
        one.issues
            .sort_by_key(|issue| std::cmp::Reverse(issue.severity));
        if let (Some(held), Some(more)) = (&mut one.sessions, two.sessions) {
            // The first store keeps every decision.
            held.in_last_7_days = held.in_last_7_days.max(more.in_last_7_days);
            held.silent = held.silent.max(more.silent);
            held.last_silent = held.last_silent.take().or(more.last_silent);
        }
        // The first store keeps every run.
        one.supply.lessons += two.supply.lessons;
        one.supply.left_out += two.supply.left_out;
        one.feedback_last_7_days += two.feedback_last_7_days;
        one.bands.consistently_unhelpful += two.bands.consistently_unhelpful;
        one.bands.mixed_or_new += two.bands.mixed_or_new;
        one.bands.generally_helpful += two.bands.generally_helpful;
        one.bands.consistently_helpful += two.bands.consistently_helpful;
        one.funnel.surfaced += two.funnel.surfaced;
        one.funnel.applied += two.funnel.applied;
        one.funnel.outcome += two.funnel.outcome;
        one.funnel.success += two.funnel.success;
        one.model.embedded += two.model.embedded;
        one.model.pending += two.model.pending;
        one.store.events += two.store.events;
        one.store.unsaved += two.store.unsaved;
        one.store.error = one.store.error.take().or(two.store.error);
    })
}

/// Joins the lifts of both stores' lessons. The loop as a whole is told by the first store, which keeps every decision.
pub(crate) fn lift(first: Response, second: Response, most: usize) -> Response {
    join(first, second, |one: &mut LiftReport, two| {
        one.lessons.extend(two.lessons);
        let weight = |held: &LessonLift| match held.verdict {
            LiftVerdict::Hurts => 0,
            LiftVerdict::Helps => 1,
            LiftVerdict::NoDifference => 2,
            LiftVerdict::Unknown => 3,
        };
        // Stable: within a verdict each store's stay in their order.
        one.lessons.sort_by_key(weight);
        one.lessons.truncate(most);
        one.total = one.total.saturating_add(two.total);
        add(&mut one.counts, &two.counts);
    })
}

fn add(one: &mut LiftCounts, two: &LiftCounts) {
    one.helps += two.helps;
    one.no_difference += two.no_difference;
    one.hurts += two.hurts;
    one.unknown += two.unknown;
}

/// Joins the review queues of both stores, at most so many lessons. Of a slug that both stores have, the first one's
/// lesson is the one that is shown.
pub(crate) fn review(
    first: Response,
    second: Response,
    most: usize,
    is_shown: impl Fn(&str) -> bool,
) -> Response {
    join(first, second, |one: &mut ReviewQueue, two| {
        add_counts(&mut one.counts, two.counts);
        for (sum, more) in [
            (&mut one.total, two.total),
            (&mut one.proposals, two.proposals),
            (&mut one.fits, two.fits),
        ] {
            *sum = sum.saturating_add(more);
        }
        for item in two.items {
            if is_shown(&item.slug) {
                one.items.push(item);
                continue;
            }
            one.total = one.total.saturating_sub(1);
            one.fits = one.fits.saturating_sub(1);
            for reason in &item.reasons {
                let count = counted(&mut one.counts, *reason);
                *count = count.saturating_sub(1);
            }
        }
        // Stable: within a reason each store's stay in their order.
        one.items.sort_by_key(|item| item.reasons.first().copied());
        one.items.truncate(most);
        let theirs = two.keepable.into_iter();
        one.keepable
            .extend(theirs.filter(|lesson| is_shown(&lesson.slug)));
    })
}

fn counted(counts: &mut ReviewCounts, reason: ReviewReason) -> &mut u32 {
    match reason {
        ReviewReason::Quarantined => &mut counts.quarantined,
        ReviewReason::Hurts => &mut counts.hurts,
        ReviewReason::NearDuplicate => &mut counts.near_duplicate,
        ReviewReason::Disqualified => &mut counts.disqualified,
        ReviewReason::Pruning => &mut counts.pruning,
        ReviewReason::BottomFive => &mut counts.bottom_five,
        ReviewReason::NeverRated => &mut counts.never_rated,
        ReviewReason::Unreviewed => &mut counts.unreviewed,
    }
}

/// The changes that are proposed in both, the oldest first. Each is settled in its own store, also where the other has a
/// lesson of the same slug.
pub(crate) fn proposals(first: Response, second: Response) -> Response {
    join(first, second, |one: &mut Proposals, two| {
        one.total = one.total.saturating_add(two.total);
        one.proposals.extend(two.proposals);
        one.proposals
            .sort_by(|a, b| (&a.proposal.at, &a.slug).cmp(&(&b.proposal.at, &b.slug)));
        one.proposals.truncate(limits::PAGE);
    })
}

/// The first store's days, with what waits in both.
pub(crate) fn digest(first: Response, second: Response) -> Response {
    let add = |one: &mut Option<u32>, two: Option<u32>| {
        if let (Some(sum), Some(more)) = (one, two) {
            *sum = sum.saturating_add(more);
        }
    };
    join(first, second, |one: &mut Digest, two| {
        let (here, there) = (&mut one.waiting, two.waiting);
        add(&mut here.total, there.total);
        add(&mut here.lessons, there.lessons);
        add(&mut here.proposals, there.proposals);
        for (sum, more) in [
            (&mut here.quarantined, there.quarantined),
            (&mut here.disqualified, there.disqualified),
            (&mut here.unreviewed, there.unreviewed),
        ] {
            *sum = sum.saturating_add(more);
        }
        if let (Some(here), Some(there)) = (&mut here.reasons, there.reasons) {
            add_counts(here, there);
        }
        one.markdown = digest_markdown(one);
    })
}

fn add_counts(one: &mut ReviewCounts, two: ReviewCounts) {
    let ReviewCounts {
        quarantined,
        hurts,
        near_duplicate,
        disqualified,
        pruning,
        bottom_five,
        never_rated,
        unreviewed,
    } = one;
    for (sum, more) in [
        (quarantined, two.quarantined),
        (hurts, two.hurts),
        (near_duplicate, two.near_duplicate),
        (disqualified, two.disqualified),
        (pruning, two.pruning),
        (bottom_five, two.bottom_five),
        (never_rated, two.never_rated),
        (unreviewed, two.unreviewed),
    ] {
        *sum = sum.saturating_add(more);
    }
}

/// Joins what an act changed in both stores.
pub(crate) fn bulk(first: Response, second: Response) -> Response {
    join(first, second, |one: &mut BulkDone, two| {
        one.changed = one.changed.saturating_add(two.changed);
        one.unchanged = one.unchanged.saturating_add(two.unchanged);
        one.refused.extend(two.refused);
        one.undo.extend(two.undo);
    })
}

/// The words of both.
pub(crate) fn tags(first: Response, second: Response) -> Response {
    join(first, second, |one: &mut Tags, two| {
        for (held, more) in [
            (&mut one.tags, two.tags),
            (&mut one.domains, two.domains),
            (&mut one.project_types, two.project_types),
            (&mut one.tech_stacks, two.tech_stacks),
            (&mut one.categories, two.categories),
        ] {
            words(held, more);
        }
    })
}

fn words(one: &mut WordCounts, two: WordCounts) {
    let most = one.words.len().max(two.words.len());
    // Of words beyond those that are told, nobody can say which are the same.
    let (more, told) = (two.total, two.words.len());
    let mut new = more.saturating_sub(u32::try_from(told).unwrap_or(u32::MAX));
    for word in two.words {
        match one.words.iter_mut().find(|held| held.word == word.word) {
            Some(held) => held.lessons = held.lessons.saturating_add(word.lessons),
            None => {
                new = new.saturating_add(1);
                one.words.push(word);
            }
        }
    }
    one.total = one.total.saturating_add(new);
    one.words
        .sort_by(|a, b| (b.lessons.cmp(&a.lessons)).then_with(|| a.word.cmp(&b.word)));
    one.words.truncate(most.max(WORDS));
}

/// Words of each field in the answer to `GET /v1/tags`.
const WORDS: usize = 200;
