//! A replica as bytes, to be had again at once: its rows and the words of its lessons, without
//! taking JSON apart and without counting words anew.
//!
//! Of 10,000 lessons these are some 7 MB. They are read by the version that wrote them only:
//! [`packed_shape`] tells versions apart.

mod wire;

use crate::event::{Drawn, Measured, SurfacedContext};
use crate::fold::Withdrawal;
use crate::instant::Millis;
use crate::keyword::KeywordIndex;
use crate::lesson::{CountedOn, Lesson, Proposal, Standing};
use crate::optimistic_overlay::OptimisticOverlay;
use crate::space::{Decision, DecisionFeedback, DomainBase, Opinion, Recommendation, Space};
use crate::text::Changes;
use crate::text::Text;
use crate::tools::{ToolBook, ToolRecord};
use lesson_types::{Category, DecisionOutcome, FeedbackOutcome, MatchType, Trust};
use std::collections::BTreeMap;
use wire::Packed;
pub(crate) use wire::{Reader, Writer};

/// Comes last, so that bytes that were cut are told from whole ones.
const END: u64 = 0x656e_6421;

wire::structs! {
    Text { title, description, context, recommendation, category, domain, project_types, tech_stacks, tags, extra }
    Standing {
        confidence, frequency, upvotes, downvotes, times_surfaced, times_helpful, times_not_helpful, effectiveness,
        use_count, causal_hits, last_used_at, last_feedback_at, times_applied, success_count, consecutive_failures,
        trial_from, proven_effective, qualified_at, lift_mean, lift_variance, lift_at
    }
    Lesson {
        slug, text, standing, source, by, trust, findings, archived, merged_into, rev, created_at, updated_at,
        text_at, approved_by_agent, pending_standing, counted_on, proposals
    }
    Proposal { id, by, at, base_rev, changes, archive, trust, findings }
    Changes { title, description, context, recommendation, category, domain, project_types, tech_stacks, tags, extra }
    Withdrawal { since, ahead, lifted }
    CountedOn { rated, voted }
    Recommendation {
        lesson, domain, relevance, likelihood, was_presented, was_applied, match_type, confidence, agent_quote,
        trade_outcome, pnl_percent, contributed_to_success, settled, learned, at
    }
    SurfacedContext { decision_id, query, domain, project_type, tech_stack, phase }
    Drawn { lesson, q, withheld }
    Measured { control, control_q, drawn }
    DecisionFeedback { by, at, outcome, lessons, causal }
    Opinion { by, at, lesson, is_vote, is_positive }
    Decision {
        context, by, at, measured, outcome, pnl_percent, outcome_by, outcome_at, taught, feedback, opinions, records
    }
    DomainBase { rate, variance, runs, successes }
    ToolRecord { query, server, at, query_hash }
}
wire::vocabularies!(Category, Trust, MatchType, DecisionOutcome, FeedbackOutcome);

/// Describes in words the format in which this version writes a replica; another version has another text.
pub fn packed_shape() -> String {
    let mut shape = "replica 5: ".to_owned();
    Lesson::shape(&mut shape);
    Decision::shape(&mut shape);
    ToolRecord::shape(&mut shape);
    DomainBase::shape(&mut shape);
    crate::keyword::packed_shape(&mut shape);
    shape
}

/// Bytes that the lessons' texts and the decisions take at least, to know before anything is
/// written whether it is too much. Costs a look at each.
pub fn packed_size(space: &Space) -> usize {
    let lessons: usize = space
        .lessons()
        .map(|Lesson { slug, text, .. }| {
            let long = [&text.description, &text.context, &text.recommendation];
            slug.len()
                + text.title.len()
                + text.extra.len()
                + long.map(String::len).iter().sum::<usize>()
                + 200
        })
        .sum();
    let records: usize = space.decisions().map(|(_, one)| one.records.len()).sum();
    lessons + records * 100
}

/// Writes a replica with nothing on top ([`OptimisticOverlay::is_bare`]) and the index of its lessons; `out`
/// gets the bytes piece by piece.
pub fn pack(
    space: &Space,
    replica: &OptimisticOverlay,
    index: &KeywordIndex,
    out: &mut dyn FnMut(&[u8]),
) {
    let mut to = Writer::new(out);
    to.number(space.lessons.len() as u64);
    for lesson in space.lessons() {
        lesson.put(&mut to);
    }
    index.put(&mut to);
    to.number(space.decisions.len() as u64);
    for (id, decision) in &space.decisions {
        to.text(id);
        decision.put(&mut to);
        let places = replica.places.get(id);
        places.cloned().unwrap_or_default().put(&mut to);
    }
    to.number(replica.tool_rows.len() as u64);
    for (place, record) in &replica.tool_rows {
        place.put(&mut to);
        record.put(&mut to);
    }
    to.number(replica.feedback_rows.len() as u64);
    for (place, at) in &replica.feedback_rows {
        place.put(&mut to);
        at.put(&mut to);
    }
    to.number(space.settings.len() as u64);
    for (name, value) in &space.settings {
        to.text(name);
        to.text(&value.to_string());
    }
    to.number(space.activity.len() as u64);
    for (day, events) in &space.activity {
        day.put(&mut to);
        events.put(&mut to);
    }
    space.agents.put(&mut to);
    to.number(space.bases.len() as u64);
    for (domain, base) in &space.bases {
        to.text(domain);
        base.put(&mut to);
    }
    space.withdrawn.put(&mut to);
    END.put(&mut to);
    to.flush();
}

/// Reads what [`pack`] wrote; `None` for anything else, such as half of it.
pub fn unpack(bytes: &[u8]) -> Option<(Space, OptimisticOverlay, KeywordIndex)> {
    let mut from = Reader(bytes);
    let mut space = Space::new();
    let mut replica = OptimisticOverlay::new();
    let lessons: Vec<Lesson> = Packed::take(&mut from)?;
    space.lessons = lessons.into_iter().collect();
    let index = KeywordIndex::take(&mut from)?;
    if index.len() != space.lessons.len() {
        return None;
    }
    for _ in 0..from.count()? {
        let id = String::take(&mut from)?;
        let decision = Decision::take(&mut from)?;
        let places: Vec<u32> = Packed::take(&mut from)?;
        if places.len() != decision.records.len() {
            return None;
        }
        replica.places.insert(id.clone(), places);
        space.decisions.insert(id, decision);
    }
    for _ in 0..from.count()? {
        let place = u64::take(&mut from)?;
        let record = ToolRecord::take(&mut from)?;
        replica.tool_places.insert(record.query_hash.clone(), place);
        replica.tool_rows.insert(place, record);
    }
    let records: Vec<ToolRecord> = replica.tool_rows.values().cloned().collect();
    space.tools = ToolBook::from(records);
    let feedback: BTreeMap<u64, Millis> = pairs(&mut from)?;
    space.feedback_at = feedback.values().copied().collect();
    replica.feedback_rows = feedback;
    for _ in 0..from.count()? {
        let name = String::take(&mut from)?;
        let value = serde_json::from_str(from.text()?).ok()?;
        space.settings.insert(name, value);
    }
    space.activity = pairs(&mut from)?;
    space.agents = Packed::take(&mut from)?;
    space.bases = pairs(&mut from)?;
    space.withdrawn = Packed::take(&mut from)?;
    (u64::take(&mut from)? == END && from.0.is_empty()).then_some((space, replica, index))
}

/// Writes the fold of a whole ledger and the index of its lessons, as [`pack`] does a replica. What has been folded goes
/// along, so that no event counts twice after it is read again.
pub fn pack_ledger(space: &Space, index: &KeywordIndex, out: &mut dyn FnMut(&[u8])) {
    let mut to = Writer::new(out);
    to.number(space.seen.len() as u64);
    for op_id in &space.seen {
        to.text(op_id);
    }
    to.number(space.last_seq.len() as u64);
    for (actor, seq) in &space.last_seq {
        to.text(actor);
        to.number(*seq);
    }
    to.number(space.retrievals.len() as u64);
    for (id, lessons) in &space.retrievals {
        to.text(id);
        to.number(lessons.len() as u64);
        for lesson in lessons {
            to.text(lesson);
        }
    }
    to.flush();
    drop(to);
    // A replica keeps the order of these by their places.
    let mut replica = OptimisticOverlay::new();
    for (place, record) in (0..).zip(space.tools.records()) {
        replica.tool_rows.insert(place, record.clone());
    }
    replica.feedback_rows = (0..).zip(space.feedback_at.iter().copied()).collect();
    for (id, decision) in &space.decisions {
        let places = (1..).zip(&decision.records).map(|(place, _)| place);
        replica.places.insert(id.clone(), places.collect());
    }
    pack(space, &replica, index, out);
}

/// Reads what [`pack_ledger`] wrote; `None` for anything else.
pub fn unpack_ledger(bytes: &[u8]) -> Option<(Space, KeywordIndex)> {
    let mut from = Reader(bytes);
    let seen = (0..from.count()?)
        .map(|_| from.text().map(str::to_owned))
        .collect::<Option<_>>()?;
    let last_seq: BTreeMap<String, u64> = pairs(&mut from)?;
    let retrievals = (0..from.count()?)
        .map(|_| {
            let id = String::take(&mut from)?;
            let lessons = (0..from.count()?)
                .map(|_| from.text().map(str::to_owned))
                .collect::<Option<_>>()?;
            Some((id, lessons))
        })
        .collect::<Option<_>>()?;
    let (space, _, index) = unpack(from.0)?;
    let space = Space {
        seen,
        last_seq,
        retrievals,
        ..space
    };
    Some((space, index))
}

fn pairs<K: Packed + Ord, V: Packed>(from: &mut Reader<'_>) -> Option<BTreeMap<K, V>> {
    (0..from.count()?)
        .map(|_| Some((K::take(from)?, V::take(from)?)))
        .collect()
}
