//! The review queue: which lessons a person should look at, why, and in which order.

use crate::apart::{ApartPairs, pair_key};
use crate::doubles::{NearPair, is_merge_candidate};
use crate::instant::Millis;
use crate::learning::Effects;
use crate::lesson::Lesson;
use crate::policy::{Policy, ReviewPolicy};
use crate::space::Space;
use crate::stats::{is_never_rated, prunable, worst};
use lesson_types::{LiftVerdict, Measure, Qualification, ReviewReason, Trust};
use sha2::{Digest, Sha256};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Lessons of the same content that are named for one item.
const OTHERS: usize = 5;

/// A lesson to look at.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewItem<'a> {
    /// The lesson.
    pub lesson: &'a Lesson,
    /// Why, the weightiest reason first; at least one.
    pub reasons: Vec<ReviewReason>,
    /// The lessons that say almost the same and have more behind them, most alike first; at most
    /// five.
    pub others: Vec<Other<'a>>,
    /// Names the question: another one when the text, the other lessons or the numbers that speak
    /// for a review have changed. It does not depend on trust, which a person's answer changes.
    pub key: String,
}

/// A lesson that says almost the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Other<'a> {
    /// The lesson.
    pub lesson: &'a Lesson,
    /// 0 to 1.
    pub similarity: f64,
    /// The kind of similarity: by meaning or by words.
    pub measure: Measure,
}

/// Number of lessons in the queue for each reason; a lesson may have several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReviewCounts {
    /// Held back.
    pub quarantined: u32,
    /// Much like another lesson.
    pub near_duplicate: u32,
    /// Measured to hurt.
    pub hurts: u32,
    /// Kept from being recommended by outcomes.
    pub disqualified: u32,
    /// Candidates for pruning.
    pub pruning: u32,
    /// Among the five worst.
    pub bottom_five: u32,
    /// Shown often, never rated.
    pub never_rated: u32,
    /// Nobody has looked at them.
    pub unreviewed: u32,
}

/// The queue.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReviewQueue<'a> {
    /// Its first lessons.
    pub items: Vec<ReviewItem<'a>>,
    /// All that waits: lessons and open proposals.
    pub total: u32,
    /// The open proposals among it.
    pub proposals: u32,
    /// Number of lessons for each reason.
    pub counts: ReviewCounts,
    /// The lessons whose text a person approved before, as (slug, key): those that may be kept as
    /// they are. In the order of the queue.
    pub keepable: Vec<Keepable<'a>>,
}

/// A lesson that may be kept as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keepable<'a> {
    /// Its slug.
    pub slug: &'a str,
    /// The key of its item.
    pub key: String,
    /// The names of its pairs, where that it is much like others is all that is asked; else none.
    pub pairs: Vec<String>,
}

/// Why a lesson is in the queue.
struct Case<'a> {
    lesson: &'a Lesson,
    reasons: Vec<ReviewReason>,
    others: Vec<Other<'a>>,
}

/// The lessons to review: held back first, then near duplicates, those that outcomes keep out,
/// candidates for pruning, the five worst, those often shown and never rated, and those that nobody
/// has looked at, the most shown and newest first. A lesson is in the queue once, with all its
/// reasons. Archived lessons are not.
///
/// `near` are the pairs that [`crate::near_duplicates`] found; pairs with a lesson that is archived, held
/// back or gone by now don't count. Of a pair the lesson with less behind it is in the queue.
///
/// The queue has at most as many lessons for each of these reasons as the policy says: the next
/// ones follow when these are dealt with. Costs a few passes over the lessons.
pub fn review_queue<'a>(
    space: &'a Space,
    near: &[NearPair],
    limit: usize,
    policy: &Policy,
) -> ReviewQueue<'a> {
    review_queue_with(space, near, limit, policy, None, 0)
}

/// The same at `now`, with the lessons of which [`Effects`] says that they hurt, right after those that are held back; the strongest
/// evidence first.
pub fn review_queue_with<'a>(
    space: &'a Space,
    near: &[NearPair],
    limit: usize,
    policy: &Policy,
    effects: Option<&Effects>,
    now: Millis,
) -> ReviewQueue<'a> {
    let mut counts = ReviewCounts::default();
    let mut asked = Asked::default();
    for lesson in hurting(space, effects, policy) {
        counts.hurts += 1;
        asked.about(lesson, ReviewReason::Hurts);
    }
    for (lesson, others) in doubled(space, near, &policy.review) {
        counts.near_duplicate += 1;
        asked.about(lesson, ReviewReason::NearDuplicate).others = others;
    }
    for lesson in disqualified(space, policy, now) {
        counts.disqualified += 1;
        asked.about(lesson, ReviewReason::Disqualified);
    }
    let mut pruning = prunable(space, policy);
    pruning.truncate(policy.review.judged_most as usize);
    for lesson in pruning {
        counts.pruning += 1;
        asked.about(lesson, ReviewReason::Pruning);
    }
    for (lesson, _) in worst(space, policy) {
        counts.bottom_five += 1;
        asked.about(lesson, ReviewReason::BottomFive);
    }
    let mut never_rated = Vec::new();
    let mut held_back = Vec::new();
    let mut unreviewed = Vec::new();
    let mut proposals = 0;
    for lesson in space.lessons() {
        proposals += lesson.proposals.len();
        if lesson.archived {
            continue;
        }
        match lesson.trust {
            Trust::Quarantined => held_back.push(lesson),
            Trust::Unreviewed => unreviewed.push(lesson),
            Trust::Approved => {}
        }
        if is_never_rated(lesson, policy) {
            never_rated.push(lesson);
        }
    }
    first(
        &mut never_rated,
        policy.review.never_rated_most as usize,
        |lesson| (Reverse(lesson.standing.times_surfaced), &lesson.slug),
    );
    for lesson in never_rated {
        counts.never_rated += 1;
        asked.about(lesson, ReviewReason::NeverRated);
    }
    counts.quarantined = count(held_back.len());
    counts.unreviewed = count(unreviewed.len());

    // Lessons without another question: few of them are shown, however many there are.
    unreviewed.retain(|lesson| !asked.knows(lesson));
    let total = asked.cases.iter().filter(|case| !case.is_held_back());
    let total = count(total.count() + held_back.len() + unreviewed.len() + proposals);
    first(&mut held_back, limit, |lesson| {
        (Reverse(lesson.updated_at), &lesson.slug)
    });
    first(&mut unreviewed, limit, |lesson| {
        (
            Reverse((lesson.standing.times_surfaced, lesson.created_at)),
            &lesson.slug,
        )
    });
    let keepable = asked.cases.iter();
    let keepable = keepable
        .filter(|case| case.lesson.trust == Trust::Approved)
        .map(|case| Keepable {
            slug: &case.lesson.slug,
            key: case.key(),
            pairs: case.pairs(),
        })
        .collect();
    let mut queue: Vec<Case<'a>> = Vec::with_capacity(limit.min(total as usize));
    for lesson in held_back {
        let mut case = asked.take(lesson).unwrap_or_else(|| Case::of(lesson));
        case.reasons.insert(0, ReviewReason::Quarantined);
        queue.push(case);
    }
    for mut case in asked.cases {
        match case.lesson.trust {
            Trust::Quarantined => continue,
            Trust::Unreviewed => case.reasons.push(ReviewReason::Unreviewed),
            Trust::Approved => {}
        }
        queue.push(case);
    }
    for lesson in unreviewed {
        let mut case = Case::of(lesson);
        case.reasons.push(ReviewReason::Unreviewed);
        queue.push(case);
    }
    ReviewQueue {
        total,
        proposals: count(proposals),
        counts,
        keepable,
        items: queue
            .into_iter()
            .take(limit)
            .map(|case| ReviewItem {
                key: case.key(),
                lesson: case.lesson,
                reasons: case.reasons,
                others: case.others,
            })
            .collect(),
    }
}

/// Keeps the first `most` in this order, in order.
fn first<'a, K: Ord>(lessons: &mut Vec<&'a Lesson>, most: usize, order: impl Fn(&'a Lesson) -> K) {
    let compare = |a: &&'a Lesson, b: &&'a Lesson| order(a).cmp(&order(b));
    if most < lessons.len() {
        if most > 0 {
            lessons.select_nth_unstable_by(most - 1, compare);
        }
        lessons.truncate(most);
    }
    lessons.sort_unstable_by(compare);
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Lessons with a question beside that of trust, in the order in which they were asked about.
#[derive(Default)]
struct Asked<'a> {
    cases: Vec<Case<'a>>,
    places: BTreeMap<&'a str, usize>,
}

impl<'a> Asked<'a> {
    fn about(&mut self, lesson: &'a Lesson, reason: ReviewReason) -> &mut Case<'a> {
        let place = *self.places.entry(&lesson.slug).or_insert_with(|| {
            self.cases.push(Case::of(lesson));
            self.cases.len() - 1
        });
        let case = &mut self.cases[place];
        case.reasons.push(reason);
        case
    }

    fn knows(&self, lesson: &Lesson) -> bool {
        self.places.contains_key(lesson.slug.as_str())
    }

    /// The case of a lesson; nothing stays of it but an empty place.
    fn take(&mut self, lesson: &'a Lesson) -> Option<Case<'a>> {
        let case = self
            .cases
            .get_mut(*self.places.get(lesson.slug.as_str())?)?;
        Some(std::mem::replace(case, Case::of(lesson)))
    }
}

impl<'a> Case<'a> {
    fn of(lesson: &'a Lesson) -> Self {
        Self {
            lesson,
            reasons: Vec::new(),
            others: Vec::new(),
        }
    }

    fn is_held_back(&self) -> bool {
        self.lesson.trust == Trust::Quarantined
    }

    fn pairs(&self) -> Vec<String> {
        if self.reasons != [ReviewReason::NearDuplicate] {
            return Vec::new();
        }
        let others = self.others.iter();
        others
            .map(|other| pair_key(self.lesson, other.lesson))
            .collect()
    }

    fn key(&self) -> String {
        let mut hasher = Sha256::new();
        let mut say = |part: &str| {
            hasher.update(part);
            hasher.update([0]);
        };
        say(&self.lesson.slug);
        say(&self.lesson.text.content_hash());
        let held = &self.lesson.standing;
        for reason in &self.reasons {
            match reason {
                // The text is in the key already: an edit begins its measurement anew.
                ReviewReason::Hurts => say("hurts"),
                ReviewReason::Quarantined | ReviewReason::Unreviewed => {}
                ReviewReason::NearDuplicate => {
                    for other in &self.others {
                        say(&other.lesson.slug);
                        say(&other.lesson.text.content_hash());
                    }
                }
                // Another outcome is a new question.
                ReviewReason::Disqualified => say(&held.times_applied.to_string()),
                // Twice as many uses are, too.
                ReviewReason::Pruning => {
                    say(&held.causal_hits.checked_ilog2().unwrap_or(0).to_string());
                }
                ReviewReason::BottomFive => say(&format!(
                    "{} of {}",
                    held.times_helpful, held.times_not_helpful
                )),
                // Shown twice as often is a new question.
                ReviewReason::NeverRated => {
                    say(&held.times_surfaced.checked_ilog2().unwrap_or(0).to_string());
                }
            }
        }
        hex::encode(&hasher.finalize()[..8])
    }
}

/// Lessons in use that outcomes keep from being recommended: after the longest row of failures
/// first, then after the most uses.
fn disqualified<'a>(space: &'a Space, policy: &Policy, now: Millis) -> Vec<&'a Lesson> {
    let mut lessons: Vec<&Lesson> = space
        .lessons()
        .filter(|lesson| !lesson.archived)
        .filter(|lesson| {
            lesson.standing.qualification_at(&policy.rank, now) != Qualification::Qualified
        })
        .collect();
    let most = policy.review.judged_most as usize;
    first(&mut lessons, most, |lesson| {
        let held = &lesson.standing;
        let failed = (held.consecutive_failures, held.times_applied);
        (Reverse(failed), &lesson.slug)
    });
    lessons
}

/// Lessons in use that measuring says hurt, the strongest evidence first.
fn hurting<'a>(space: &'a Space, effects: Option<&Effects>, policy: &Policy) -> Vec<&'a Lesson> {
    let mut found: Vec<(f64, &Lesson)> = effects
        .iter()
        .flat_map(|effects| &effects.lessons)
        .filter(|held| held.verdict == LiftVerdict::Hurts)
        .filter_map(|held| Some((held.running.hurts.ln, space.lesson(&held.slug)?)))
        .filter(|(_, lesson)| !lesson.archived)
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.slug.cmp(&b.1.slug)));
    found.truncate(policy.review.judged_most as usize);
    found.into_iter().map(|(_, lesson)| lesson).collect()
}

/// Lessons that say almost the same as others with more behind them, the most alike first.
fn doubled<'a>(
    space: &'a Space,
    near: &[NearPair],
    policy: &ReviewPolicy,
) -> Vec<(&'a Lesson, Vec<Other<'a>>)> {
    let mut found: BTreeMap<&'a str, (&'a Lesson, Vec<Other<'a>>)> = BTreeMap::new();
    let apart = ApartPairs::of(space);
    for pair in near {
        let known = |slug| {
            space
                .lesson(slug)
                .filter(|lesson| is_merge_candidate(lesson))
        };
        let (Some(one), Some(two)) = (known(&pair.first), known(&pair.second)) else {
            continue;
        };
        if apart.has(one, two) {
            continue;
        }
        let (stays, goes) = if behind(one) >= behind(two) {
            (one, two)
        } else {
            (two, one)
        };
        let (_, others) = found
            .entry(&goes.slug)
            .or_insert_with(|| (goes, Vec::new()));
        others.push(Other {
            lesson: stays,
            similarity: pair.similarity,
            measure: pair.measure,
        });
    }
    let mut found: Vec<(&Lesson, Vec<Other<'a>>)> = found
        .into_values()
        .map(|(lesson, mut others)| {
            others.sort_by(|a, b| {
                b.similarity
                    .total_cmp(&a.similarity)
                    .then_with(|| behind(b.lesson).cmp(&behind(a.lesson)))
            });
            others.truncate(OTHERS);
            (lesson, others)
        })
        .collect();
    let most = |others: &[Other<'_>]| others.first().map_or(0.0, |other| other.similarity);
    found.sort_by(|a, b| most(&b.1).total_cmp(&most(&a.1)));
    found.truncate(policy.near_most as usize);
    found
}

/// Returns the grounds for keeping a lesson rather than another one that says the same, greatest first: what it achieved, how
/// often it was used and shown, that a person approved it, and its age.
fn behind(lesson: &Lesson) -> (bool, u32, u32, bool, u32, i64, Reverse<&str>) {
    let held = &lesson.standing;
    (
        held.proven_effective,
        held.times_applied,
        held.times_helpful,
        lesson.trust == Trust::Approved,
        held.times_surfaced,
        -lesson.created_at,
        Reverse(&lesson.slug),
    )
}
