//! The acts of people and agents upon what they see.

use crate::config::SECOND;
use crate::dice::Dice;
use crate::server::AGENTS;
use lesson_core::{
    Changes, Decision, DecisionOutcome, Detection, Drawn, EventKind, FeedbackOutcome, Lesson,
    MatchType, Measured, Millis, Proposal, Space, SurfacedContext, SurfacedItem, Text, Trust,
    Verdict,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The kind of writer, which decides the mix of events.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mix {
    /// A person at the app: everything, checked against what is shown.
    Person,
    /// An agent at the edge: lessons, retrievals, ratings and outcomes, not always checked.
    Edge,
}

/// So few lessons that devices meet at them.
const SLUGS: usize = 24;
/// So few decisions are spoken of again that several people speak of the same one.
const SPOKEN_OF: usize = 8;
const SETTINGS: &[&str] = &["tools.core_servers", "review.daily", "theme"];

/// Draws what happens next on a device that shows `space`.
pub fn happening(dice: &mut Dice, mix: Mix, space: &Space, at: Millis) -> EventKind {
    if dice.one_in(14)
        && let Some(proposal) = of_proposals(dice, mix, space)
    {
        return proposal;
    }
    if mix == Mix::Person && dice.one_in(300) {
        return of_voices(dice, space, at);
    }
    match dice.below(12) {
        0..4 => of_decision(dice, space).unwrap_or_else(|| of_lessons(dice, mix, space, at)),
        4 => EventKind::OutcomeRecorded {
            // Nobody asked for a recommendation yet; somebody may later.
            decision_id: format!("decision-{:x}", dice.below(1 << 20)),
            outcome: *dice.of(DecisionOutcome::ALL),
            pnl_percent: None,
        },
        5 if mix == Mix::Person => match dice.one_in(2) {
            true => EventKind::TrialGranted {
                lesson: slug(dice, space),
            },
            false => settings(dice),
        },
        6 => {
            let mut surfaced = surfaced(dice, space);
            if let EventKind::Surfaced { measured, .. } = &mut surfaced {
                *measured = Some(Measured {
                    control: dice.one_in(8),
                    control_q: 0.125,
                    drawn: vec![Drawn {
                        lesson: slug(dice, space),
                        q: 0.125,
                        withheld: dice.one_in(8),
                    }],
                });
            }
            surfaced
        }
        _ => of_lessons(dice, mix, space, at),
    }
}

/// Draws what is said of lessons, or of tools, and their recommendations.
fn of_lessons(dice: &mut Dice, mix: Mix, space: &Space, at: Millis) -> EventKind {
    let kind = match mix {
        Mix::Person => dice.below(100),
        // Agents write lessons, too, and speak of their own.
        Mix::Edge if dice.one_in(12) => 0,
        Mix::Edge => 28 + dice.below(60),
    };
    let lesson = slug(dice, space);
    match kind {
        0..10 => added(dice, at),
        10..20 => edited(dice, space, lesson),
        20..22 => EventKind::LessonArchived { lesson },
        22..24 => restored(dice, space, lesson),
        24..27 => EventKind::LessonReviewed {
            content_hash: space
                .lesson(&lesson)
                .map_or_else(String::new, |held| held.text.content_hash()),
            lesson,
            verdict: *dice.of(Verdict::ALL),
            reason: String::new(),
        },
        27 => EventKind::LessonsMerged {
            into: lesson,
            from: vec![slug(dice, space)],
        },
        28..48 => surfaced(dice, space),
        48..56 => tracked(dice, space),
        56..64 => EventKind::OutcomeRecorded {
            decision_id: decision(dice, space),
            outcome: *dice.of(DecisionOutcome::ALL),
            pnl_percent: dice.one_in(2).then(|| dice.below(100) as f64 / 8.0 - 6.0),
        },
        64..78 => EventKind::Rated {
            lesson,
            helpful: dice.one_in(2),
            decision_id: None,
        },
        78..86 => EventKind::Voted {
            lesson,
            up: dice.one_in(2),
            decision_id: None,
        },
        86..94 => EventKind::FeedbackGiven {
            outcome: *dice.of(FeedbackOutcome::ALL),
            causal: if dice.one_in(2) {
                vec![lesson.clone()]
            } else {
                Vec::new()
            },
            lessons: vec![lesson, slug(dice, space)],
            decision_id: None,
        },
        _ => EventKind::ToolSucceeded {
            query: format!("deploy  part {}", dice.below(6)),
            server: (*dice.of(&["git", "vercel", "project-memory"])).to_owned(),
        },
    }
}

/// A rating, a vote or feedback on a decision: everybody says each once, so that saying it again is
/// nothing new, and saying something else is refused.
fn of_decision(dice: &mut Dice, space: &Space) -> Option<EventKind> {
    let held: Vec<(&str, &Decision)> = space
        .decisions()
        .filter(|(_, decision)| !decision.records.is_empty())
        .take(SPOKEN_OF)
        .collect();
    if held.is_empty() {
        return None;
    }
    let (id, decision) = *dice.of(&held);
    let decision_id = Some(id.to_owned());
    let lesson = dice.of(&decision.records).lesson.clone();
    Some(match dice.below(3) {
        0 => EventKind::Rated {
            lesson,
            helpful: !dice.one_in(4),
            decision_id,
        },
        1 => EventKind::Voted {
            lesson,
            up: !dice.one_in(4),
            decision_id,
        },
        _ => EventKind::FeedbackGiven {
            outcome: *dice.of(&[FeedbackOutcome::Delivered, FeedbackOutcome::Blocked]),
            causal: Vec::new(),
            lessons: vec![lesson],
            decision_id,
        },
    })
}

/// A change that an agent proposes, or a word on one: a person's, or of an agent that takes its own back.
fn of_proposals(dice: &mut Dice, mix: Mix, space: &Space) -> Option<EventKind> {
    let open = space.lessons().flat_map(|lesson| {
        let of = |held: &Proposal| (lesson.slug.clone(), held.id.clone());
        lesson.proposals.iter().map(of)
    });
    let open: Vec<(String, String)> = open.collect();
    if !open.is_empty() && (mix == Mix::Person || dice.one_in(4)) {
        let (lesson, proposal) = dice.of(&open).clone();
        return Some(EventKind::ProposalSettled {
            lesson,
            proposal,
            accepted: mix == Mix::Person && dice.one_in(2),
            reason: String::new(),
        });
    }
    if mix == Mix::Person {
        return None;
    }
    let lesson = slug(dice, space);
    let archive = dice.one_in(5);
    let changes = Changes {
        title: (!archive).then(|| format!("Title {}", dice.below(1_000))),
        ..Changes::default()
    };
    Some(EventKind::ChangeProposed {
        proposal: format!("proposal-{:x}", dice.roll()),
        base_rev: space.lesson(&lesson).map_or(1, |held| held.rev),
        lesson,
        changes: Box::new(changes),
        archive,
        trust: Trust::Unreviewed,
        findings: Vec::new(),
    })
}

/// A voice is withdrawn, from a time on or altogether, or one of those that are is heard again.
fn of_voices(dice: &mut Dice, space: &Space, at: Millis) -> EventKind {
    let silent: Vec<&str> = space.withdrawn().map(|(voice, _)| voice).collect();
    if !silent.is_empty() && dice.one_in(2) {
        return EventKind::VoiceReinstated {
            voice: (*dice.of(&silent)).to_owned(),
        };
    }
    let voice = match dice.one_in(5) {
        true => format!("person:{}", dice.below(3)),
        false => (*dice.of(AGENTS)).to_owned(),
    };
    let since = dice.one_in(2).then(|| at - dice.between(0, 900) * SECOND);
    EventKind::VoiceWithdrawn { voice, since }
}

/// One or two settings, changed or taken back.
fn settings(dice: &mut Dice) -> EventKind {
    let changes: BTreeMap<String, Value> = (0..1 + dice.below(2))
        .map(|_| {
            let value = match dice.below(3) {
                0 => Value::Null,
                1 => json!(dice.below(9)),
                _ => json!(["git", "vercel"]),
            };
            ((*dice.of(SETTINGS)).to_owned(), value)
        })
        .collect();
    EventKind::PolicyChanged { changes }
}

/// Mostly a lesson that is shown.
fn slug(dice: &mut Dice, space: &Space) -> String {
    let held = space.lessons().len();
    if held == 0 || dice.one_in(60) {
        return format!("lesson-{}", dice.below(SLUGS));
    }
    space
        .lessons()
        .nth(dice.below(held))
        .map_or_else(String::new, |lesson| lesson.slug.clone())
}

/// Mostly a decision that is shown.
fn decision(dice: &mut Dice, space: &Space) -> String {
    let held = space.decisions().len();
    if held == 0 || dice.one_in(60) {
        return format!("decision-{}", dice.below(9));
    }
    space
        .decisions()
        .nth(dice.below(held))
        .map_or_else(String::new, |(id, _)| id.to_owned())
}

fn added(dice: &mut Dice, at: Millis) -> EventKind {
    let text = Text {
        title: format!("Title {}", dice.below(1_000)),
        recommendation: "Bind values.".to_owned(),
        ..Text::default()
    };
    let slug = format!("lesson-{}", dice.below(SLUGS));
    EventKind::LessonAdded {
        lesson: Box::new(Lesson::new(slug, text, "simulator", at)),
    }
}

fn edited(dice: &mut Dice, space: &Space, lesson: String) -> EventKind {
    EventKind::LessonEdited {
        base_rev: space.lesson(&lesson).map_or(1, |held| held.rev),
        lesson,
        changes: Box::new(Changes {
            title: Some(format!("Title {}", dice.below(1_000))),
            ..Changes::default()
        }),
        trust: *dice.of(Trust::ALL),
        findings: Vec::new(),
    }
}

/// Archived ones are few; one of them if there is any.
fn restored(dice: &mut Dice, space: &Space, other: String) -> EventKind {
    let archived: Vec<&Lesson> = space.lessons().filter(|lesson| lesson.archived).collect();
    let lesson = match archived.is_empty() {
        true => other,
        false => dice.of(&archived).slug.clone(),
    };
    EventKind::LessonRestored { lesson }
}

fn surfaced(dice: &mut Dice, space: &Space) -> EventKind {
    let items = (1..=1 + dice.below(3) as u32)
        .map(|rank| SurfacedItem {
            lesson: slug(dice, space),
            rank,
            score: 0.5,
            relevance: dice.below(1_000) as f64 / 999.0,
            likelihood: dice.one_in(2).then(|| dice.below(1_000) as f64 / 999.0),
        })
        .collect();
    let known = !dice.one_in(3);
    let decision_id = match dice.below(4) {
        0 => None,
        1 if known => Some(decision(dice, space)),
        _ => Some(format!("decision-{:x}", dice.below(1 << 20))),
    };
    EventKind::Surfaced {
        retrieval_id: format!("{:x}", dice.roll()),
        purpose: "recommend".to_owned(),
        context: SurfacedContext {
            decision_id,
            ..SurfacedContext::default()
        },
        items,
        policy: String::new(),
        measured: None,
    }
}

fn tracked(dice: &mut Dice, space: &Space) -> EventKind {
    let decision_id = decision(dice, space);
    let detections = space
        .decision(&decision_id)
        .map(|held| &held.records[..])
        .unwrap_or_default()
        .iter()
        .take(2)
        .map(|record| Detection {
            lesson: record.lesson.clone(),
            applied: dice.one_in(2),
            match_type: MatchType::Explicit,
            confidence: *dice.of(&[0.95, 0.6]),
            quote: None,
        })
        .collect();
    EventKind::UsageTracked {
        decision_id,
        detections,
    }
}
