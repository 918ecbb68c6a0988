//! Events of a random ledger: of any kind, most of them about lessons and decisions that are there.

use super::{Author, CLAIMS};
use lesson_core::{
    Category, Changes, CountedOn, DecisionOutcome, Detection, Drawn, EventKind, FeedbackOutcome,
    Lesson, MatchType, Measured, Millis, Standing, SurfacedContext, SurfacedItem, Text, Trust,
    Verdict,
};
use serde_json::{Value, json};

const SLUGS: [&str; 7] = [
    "strategy-a",
    "warning-b",
    "evolved-c",
    "pattern-d-2",
    "plain",
    "nowhere",
    "Not A Slug",
];
/// Trust that clients claim for a text themselves: an approval is a review's to give, and a server takes it from nobody else.
const CLAIMED: [Trust; 2] = [Trust::Unreviewed, Trust::Quarantined];
/// Nothing is ever recommended for the last.
const DECISIONS: [&str; 6] = ["d1", "d 2", "дec", "", "early", "never"];

impl Author {
    /// Mostly a lesson that is there.
    fn slug(&mut self) -> String {
        let held: Vec<&str> = self.space.lessons().map(|held| &*held.slug).collect();
        if held.is_empty() || self.dice.one_in(10) {
            self.dice.of(&SLUGS).to_owned()
        } else {
            self.dice.of(&held).to_owned()
        }
    }

    fn slugs(&mut self, most: usize) -> Vec<String> {
        (0..self.dice.below(most + 1))
            .map(|_| self.slug())
            .collect()
    }

    /// Mostly a decision that lessons were recommended for.
    fn decision(&mut self) -> String {
        let held: Vec<&str> = self.space.decisions().map(|(id, _)| id).collect();
        if held.is_empty() || self.dice.one_in(12) {
            self.dice.of(&DECISIONS).to_owned()
        } else {
            self.dice.of(&held).to_owned()
        }
    }

    fn maybe_time(&mut self) -> Option<Millis> {
        (!self.dice.one_in(3)).then(|| self.now - self.dice.below(1_000_000_000) as Millis)
    }

    pub fn added(&mut self) -> EventKind {
        let dice = &mut self.dice;
        let title = match dice.below(12) {
            0 => " \u{2003}\n".to_owned(),
            1 => "T".to_owned(),
            _ => format!("t {}", dice.text()),
        };
        let text = Text {
            title,
            description: dice.text(),
            context: dice.text(),
            recommendation: dice.text(),
            category: dice.of(Category::ALL),
            domain: dice.text(),
            project_types: dice.words(),
            tech_stacks: dice.words(),
            tags: dice.words(),
            extra: match dice.one_in(3) {
                true => serde_json::json!({"x": dice.text(), "list": dice.words()}).to_string(),
                false => String::new(),
            },
        };
        let standing = if dice.one_in(2) {
            Standing::default()
        } else {
            Standing {
                confidence: dice.confidence(),
                frequency: dice.count(),
                upvotes: dice.count(),
                downvotes: dice.count(),
                times_surfaced: dice.count(),
                times_helpful: dice.count(),
                times_not_helpful: dice.count(),
                effectiveness: dice.confidence(),
                use_count: dice.count(),
                causal_hits: dice.count(),
                times_applied: dice.count(),
                success_count: dice.count(),
                consecutive_failures: dice.count(),
                trial_from: dice.count(),
                proven_effective: dice.one_in(4),
                lift_mean: dice.confidence() * if dice.one_in(2) { -1.0 } else { 1.0 },
                lift_variance: if dice.one_in(6) {
                    dice.confidence() / 60.0
                } else {
                    0.0144
                },
                ..Standing::default()
            }
        };
        // A part is no more than its whole.
        let standing = Standing {
            causal_hits: standing.causal_hits.min(standing.use_count),
            success_count: standing.success_count.min(standing.times_applied),
            last_used_at: self.maybe_time(),
            last_feedback_at: self.maybe_time(),
            qualified_at: self.maybe_time(),
            lift_at: self.maybe_time(),
            ..standing
        };
        let dice = &mut self.dice;
        let known = if dice.one_in(12) { SLUGS.len() } else { 5 };
        let slug = dice.of(&SLUGS[..known]);
        let lesson = Lesson {
            standing,
            trust: dice.of(&CLAIMED),
            findings: dice.words(),
            // Whatever it says: the event knows who added it.
            by: dice.of(&CLAIMS).to_owned(),
            archived: dice.one_in(10),
            merged_into: dice.one_in(10).then(|| "plain".to_owned()),
            rev: if dice.one_in(10) { dice.count() } else { 1 },
            // The fields that the fold keeps to judge who moves a standing are nobody's to bring.
            approved_by_agent: dice.one_in(10),
            text_at: dice.one_in(10).then_some(self.now),
            pending_standing: dice.one_in(10).then(Box::default),
            counted_on: dice
                .one_in(10)
                .then(|| ("agent:one".to_owned(), CountedOn::default()))
                .into_iter()
                .collect(),
            ..Lesson::new(slug, text, dice.text(), self.now)
        };
        EventKind::LessonAdded {
            lesson: Box::new(lesson),
        }
    }

    pub fn happening(&mut self) -> EventKind {
        // A lesson that waits for a person's approval often gets it.
        let waiting = self
            .space
            .lessons()
            .find(|held| held.pending_standing.is_some());
        if let Some(held) = waiting
            && self.dice.one_in(8)
        {
            return EventKind::LessonReviewed {
                lesson: held.slug.clone(),
                verdict: Verdict::Approve,
                content_hash: held.text.content_hash(),
                reason: String::new(),
            };
        }
        let lesson = self.slug();
        match self.dice.below(41) {
            0 | 1 => self.added(),
            2 | 3 => self.edited(lesson),
            4 => EventKind::LessonArchived { lesson },
            5 => EventKind::LessonRestored { lesson },
            6 | 7 => {
                let held = self.space.lesson(&lesson);
                let mut hash = held.map_or_else(String::new, |held| held.text.content_hash());
                if self.dice.one_in(5) {
                    hash.push('0');
                }
                EventKind::LessonReviewed {
                    lesson,
                    verdict: self.dice.of(Verdict::ALL),
                    content_hash: hash,
                    reason: "It tells of an attack and orders none.".to_owned(),
                }
            }
            8 => EventKind::LessonsMerged {
                into: lesson,
                from: self.slugs(3),
            },
            9..=12 => self.surfaced(),
            13..=16 => {
                let decision_id = self.decision();
                EventKind::UsageTracked {
                    detections: self.detections(&decision_id),
                    decision_id,
                }
            }
            17..=19 => EventKind::OutcomeRecorded {
                decision_id: self.decision(),
                outcome: self.dice.of(DecisionOutcome::ALL),
                pnl_percent: match self.dice.below(5) {
                    0 => None,
                    1 => Some(-0.0),
                    2 => Some(self.dice.share() * 1e300),
                    _ => Some(self.dice.share() * 200.0 - 100.0),
                },
            },
            20..=23 => self.feedback(),
            24..=26 => {
                let (lesson, decision_id) = self.about(lesson);
                EventKind::Rated {
                    lesson,
                    helpful: self.dice.one_in(2),
                    decision_id,
                }
            }
            27..=29 => {
                let (lesson, decision_id) = self.about(lesson);
                EventKind::Voted {
                    lesson,
                    up: self.dice.one_in(2),
                    decision_id,
                }
            }
            30 => EventKind::TrialGranted { lesson },
            31 => self.settings(),
            32..=34 => self.proposed(lesson),
            35 => self.settled(lesson),
            36 => self.withdrawn(),
            _ => EventKind::ToolSucceeded {
                query: match self.dice.below(4) {
                    0 => " deploy\u{2003}the\n APP\u{a0}".to_owned(),
                    1 => "Deploy the app".to_owned(),
                    _ => self.dice.text(),
                },
                server: self
                    .dice
                    .of(&["git", "Vercel", "project-memory", "system-control", ""])
                    .to_owned(),
            },
        }
    }

    /// A change, or that the lesson be archived, under an id that is mostly new.
    fn proposed(&mut self, lesson: String) -> EventKind {
        let archive = self.dice.one_in(4);
        let EventKind::LessonEdited {
            changes, base_rev, ..
        } = self.edited(lesson.clone())
        else {
            return self.settings();
        };
        let changes = match archive && !self.dice.one_in(6) {
            true => Box::default(),
            false => changes,
        };
        EventKind::ChangeProposed {
            proposal: match self.dice.below(12) {
                0 => String::new(),
                1 => self.open_proposal(&lesson),
                _ => format!("p-{}", self.next),
            },
            lesson,
            base_rev,
            changes,
            archive,
            trust: self.dice.of(&CLAIMED),
            findings: self.dice.words(),
        }
    }

    fn settled(&mut self, lesson: String) -> EventKind {
        EventKind::ProposalSettled {
            proposal: self.open_proposal(&lesson),
            lesson,
            accepted: self.dice.one_in(2),
            reason: String::new(),
        }
    }

    /// The id of an open proposal of the lesson, or one that is none.
    fn open_proposal(&mut self, lesson: &str) -> String {
        let held = self.space.lesson(lesson);
        let ids: Vec<String> = held.map_or_else(Vec::new, |held| {
            held.proposals.iter().map(|one| one.id.clone()).collect()
        });
        if ids.is_empty() || self.dice.one_in(6) {
            "p-0".to_owned()
        } else {
            self.dice.of(&ids)
        }
    }

    /// A voice is withdrawn, from some time on or whole, or reinstated.
    fn withdrawn(&mut self) -> EventKind {
        let voices = [
            "agent:one",
            "agent:two",
            "agent:one",
            "person:ben",
            "person:ada",
            "agent:",
            "",
        ];
        let voice = self.dice.of(&voices).to_owned();
        if self.dice.one_in(4) {
            return EventKind::VoiceReinstated { voice };
        }
        EventKind::VoiceWithdrawn {
            voice,
            since: self.maybe_time(),
        }
    }

    /// A lesson, and a decision that it is judged in: mostly one that it was recommended for.
    fn about(&mut self, lesson: String) -> (String, Option<String>) {
        if self.dice.one_in(4) {
            return (lesson, None);
        }
        let id = self.decision();
        let held: Vec<String> = self.space.decision(&id).map_or_else(Vec::new, |decision| {
            let records = decision.records.iter();
            records.map(|record| record.lesson.clone()).collect()
        });
        let lesson = if held.is_empty() || self.dice.one_in(8) {
            lesson
        } else {
            self.dice.of(&held)
        };
        (lesson, Some(id))
    }

    fn feedback(&mut self) -> EventKind {
        let decision_id = (!self.dice.one_in(3)).then(|| self.decision());
        let decision = decision_id
            .as_deref()
            .and_then(|id| self.space.decision(id));
        let before = decision.map_or(&[][..], |held| &held.feedback);
        // The same again, by whoever it is, in another order and twice.
        if !before.is_empty() && self.dice.one_in(2) {
            let held = self.dice.of(before);
            let mut lessons = held.lessons.clone();
            lessons.extend(held.lessons.iter().rev().cloned());
            lessons.reverse();
            return EventKind::FeedbackGiven {
                outcome: held.outcome,
                lessons,
                causal: held.causal,
                decision_id,
            };
        }
        let mut lessons = self.slugs(4);
        let mut causal = self.slugs(2);
        if !self.dice.one_in(6) {
            causal.retain(|slug| lessons.contains(slug));
        }
        if let Some(id) = &decision_id
            && !self.dice.one_in(6)
        {
            let decision = self.space.decision(id);
            let is_in = |slug: &String| decision.is_some_and(|held| held.record(slug).is_some());
            lessons.retain(is_in);
            causal.retain(is_in);
        }
        EventKind::FeedbackGiven {
            outcome: self.dice.of(FeedbackOutcome::ALL),
            lessons,
            causal,
            decision_id,
        }
    }

    fn settings(&mut self) -> EventKind {
        let dice = &mut self.dice;
        let mut changes = std::collections::BTreeMap::new();
        for _ in 0..dice.below(5) {
            let name = match dice.below(30) {
                0 => "Upper".to_owned(),
                1 => String::new(),
                2 => "x".repeat(65),
                3 => "line\n".to_owned(),
                _ => dice
                    .of(&["tools.core_servers", "measure.share", "a_1", "rank.top"])
                    .to_owned(),
            };
            let value = match dice.below(30) {
                0 => json!({ "deep": 1 }),
                1 => json!([1]),
                2 => json!("x".repeat(1_001)),
                3 => json!(vec!["x"; 101]),
                4..=9 => Value::Null,
                10 => json!(-0.0),
                11 => json!(5e-324),
                12 => json!(1.7e308),
                13 => json!(dice.roll()),
                14 => json!("🚀".repeat(1_000)),
                15 => json!(dice.one_in(2)),
                16..=20 => json!(dice.text()),
                21..=25 => json!(dice.words()),
                _ => json!(dice.share()),
            };
            changes.insert(name, value);
        }
        EventKind::PolicyChanged { changes }
    }

    fn edited(&mut self, lesson: String) -> EventKind {
        let rev = self.space.lesson(&lesson).map_or(1, |held| held.rev);
        let dice = &mut self.dice;
        let changes = Changes {
            title: dice.one_in(3).then(|| dice.text()),
            description: dice.one_in(3).then(|| dice.text()),
            context: dice.one_in(3).then(|| dice.text()),
            recommendation: dice.one_in(3).then(|| dice.text()),
            category: dice.one_in(3).then(|| dice.of(Category::ALL)),
            domain: dice.one_in(3).then(|| dice.text()),
            project_types: dice.one_in(3).then(|| dice.words()),
            tech_stacks: dice.one_in(3).then(|| dice.words()),
            tags: dice.one_in(3).then(|| dice.words()),
            extra: dice.one_in(3).then(|| match dice.one_in(3) {
                true => String::new(),
                false => serde_json::json!({"x": dice.text()}).to_string(),
            }),
        };
        EventKind::LessonEdited {
            lesson,
            base_rev: if dice.one_in(6) { dice.count() } else { rev },
            changes: Box::new(changes),
            trust: dice.of(&CLAIMED),
            findings: dice.words(),
        }
    }

    fn surfaced(&mut self) -> EventKind {
        let decision_id = (!self.dice.one_in(5)).then(|| self.dice.of(&DECISIONS[..5]).to_owned());
        let items = self
            .slugs(4)
            .into_iter()
            .zip(1..)
            .map(|(lesson, rank)| SurfacedItem {
                lesson,
                rank,
                score: self.dice.share(),
                relevance: self.dice.confidence(),
                likelihood: self.dice.one_in(2).then(|| self.dice.share()),
            })
            .collect();
        let measured = self.dice.one_in(3).then(|| Measured {
            control: self.dice.one_in(2),
            control_q: self.dice.confidence(),
            drawn: self
                .slugs(3)
                .into_iter()
                .map(|lesson| Drawn {
                    lesson,
                    q: self.dice.confidence(),
                    withheld: self.dice.one_in(2),
                })
                .collect(),
        });
        let dice = &mut self.dice;
        EventKind::Surfaced {
            retrieval_id: dice
                .of(&["r1", "r2", "r3", "r4", "r5", "r6", "r7", ""])
                .to_owned(),
            purpose: "recommend".to_owned(),
            context: SurfacedContext {
                decision_id,
                query: dice.one_in(2).then(|| dice.text()),
                domain: dice.one_in(2).then(|| dice.text()),
                project_type: dice.one_in(4).then(|| dice.text()),
                tech_stack: dice.words(),
                phase: dice.one_in(4).then(|| dice.text()),
            },
            items,
            policy: "p".to_owned(),
            measured,
        }
    }

    fn detections(&mut self, decision: &str) -> Vec<Detection> {
        let mut seen = self.slugs(4);
        if !self.dice.one_in(6) {
            let decision = self.space.decision(decision);
            seen.retain(|slug| decision.is_some_and(|held| held.record(slug).is_some()));
        }
        seen.into_iter()
            .map(|lesson| Detection {
                lesson,
                applied: self.dice.one_in(2),
                match_type: self.dice.of(MatchType::ALL),
                confidence: if self.dice.one_in(6) {
                    self.dice.confidence()
                } else {
                    self.dice.of(&[0.95, 0.6, 0.3])
                },
                quote: self.dice.one_in(2).then(|| self.dice.text()),
            })
            .collect()
    }
}
