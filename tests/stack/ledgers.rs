//! Writes random ledgers, each with what the core folds it into, as JSON lines: the other fold is held against them.
//!
//! Usage: `ledgers COUNT SEED [START [BY]]`. The events are given as text, so that a reader passes them on with every
//! digit. START is the time of the first ones, in milliseconds; without it, the start of 2026. BY is who makes all of
//! them; without it, two persons and an edge do, and most claim to be somebody else. `person:ada` and the like stand for
//! ids that the reader puts in their place.

#[path = "space_json.rs"]
mod space_json;

use lesson_core::{
    Category, Changes, DecisionOutcome, Detection, Drawn, Event, FeedbackOutcome, Happening,
    Lesson, MatchType, Measured, Millis, Policy, Space, Standing, SurfacedContext, SurfacedItem,
    Text, Trust, Verdict,
};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::Write;

// This file lies outside its package, so cargo knows it by its whole path. Where several clones share a target directory,
// another clone's program would pass for this one's: a build for another clone is another build.
const _: Option<&str> = option_env!("LESSONLOOP_ROOT");

/// 2026-01-01, when no other is asked for.
const START: Millis = 1_767_225_600_000;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok());
    let (Some(count), Some(seed)) = (number(0), number(1)) else {
        eprintln!("usage: ledgers COUNT SEED [START [BY]]");
        std::process::exit(2);
    };
    let start = number(2).and_then(|at| at.try_into().ok());
    let start = start.unwrap_or(START);
    let only = words.get(3);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    // The first is the one that outgrows the book of tools.
    for number in 0..count {
        let seed = seed.wrapping_mul(1_000_003).wrapping_add(number);
        let mut author = Author::new(seed, start, only.cloned());
        if number == 0 {
            author.many_tools();
        } else {
            author.write();
        }
        if writeln!(out, "{}", author.line()).is_err() {
            return; // Whoever reads has had enough.
        }
    }
}

/// Xorshift: a fixed seed gives the same ledgers everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.roll() >> 11) as usize % end
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    fn of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    /// Between 0 and 1, with all 53 bits in use.
    fn share(&mut self) -> f64 {
        (self.roll() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Mostly a share; sometimes a bound, the smallest of numbers, or one that is out of bounds.
    fn confidence(&mut self) -> f64 {
        match self.below(24) {
            0 => 0.0,
            1 => 1.0,
            2 => -0.0,
            3 => 5e-324,
            4 => 1e-310,
            5 => 1.000_000_000_000_000_2,
            6 => -1e-9,
            7 => 0.1,
            8 => 0.99,
            _ => self.share(),
        }
    }

    fn count(&mut self) -> u32 {
        match self.below(12) {
            0 => u32::MAX,
            1 => u32::MAX - 1,
            2 => self.roll() as u32,
            _ => self.below(9) as u32,
        }
    }

    fn text(&mut self) -> String {
        self.of(&[
            "",
            "Bind values",
            "never \"splice\" \\ them",
            "zwei\nZeilen\tTab",
            "数据库 🚀",
            " \u{a0}\u{2003} ",
            "ÀÉ İ ΑΣ ß",
            "\u{1f}\u{1e}\u{7f}",
        ])
        .to_owned()
    }

    fn words(&mut self) -> Vec<String> {
        (0..self.below(3)).map(|_| self.text()).collect()
    }
}

/// A ledger under way.
struct Author {
    dice: Dice,
    policy: Policy,
    space: Space,
    now: Millis,
    next: u64,
    seqs: [u64; 3],
    only: Option<String>,
    op_ids: Vec<String>,
    /// The request of each event that was taken, by its `op_id`.
    requests: HashMap<String, Option<String>>,
    batches: Vec<(usize, Vec<String>)>,
    refused: Vec<Value>,
}

/// The last is an edge's.
const ACTORS: [&str; 3] = ["phone", "läptop", "isolate"];
const PERSONS: [&str; 2] = ["person:ada", "person:ben"];
/// Keys of the space; the second was revoked.
const AGENTS: [&str; 2] = ["agent:one", "agent:two"];
/// What a client may say of itself.
const CLAIMS: [&str; 9] = [
    "",
    "local",
    "person:ada",
    "person:ben",
    "agent:one",
    "agent:two",
    "agent:two",
    "agent:foreign",
    "agent:Ω'",
];
const SLUGS: [&str; 7] = [
    "strategy-a",
    "warning-b",
    "evolved-c",
    "pattern-d-2",
    "plain",
    "nowhere",
    "Not A Slug",
];
/// Nothing is ever recommended for the last.
const DECISIONS: [&str; 6] = ["d1", "d 2", "дec", "", "early", "never"];

impl Author {
    fn new(seed: u64, start: Millis, only: Option<String>) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            dice.roll();
        }
        Self {
            dice,
            policy: Policy::default(),
            space: Space::new(),
            now: start,
            next: 0,
            seqs: [0; 3],
            only,
            op_ids: Vec::new(),
            requests: HashMap::new(),
            batches: Vec::new(),
            refused: Vec::new(),
        }
    }

    /// Any kind of event, most of them about lessons and decisions that are there.
    fn write(&mut self) {
        for _ in 0..5 {
            let event = self.added();
            self.tell(event);
        }
        for _ in 0..8 + self.dice.below(42) {
            let event = self.happening();
            self.tell(event);
        }
    }

    fn many_tools(&mut self) {
        for number in 0..10_050 {
            let query = format!("Task  {}", number % 10_020);
            let server = self.dice.of(&["git", "vercel"]).to_owned();
            self.tell(Happening::ToolSucceeded { query, server });
        }
    }

    fn tell(&mut self, event: Happening) {
        self.now += match self.dice.below(20) {
            0 => -90_000_000,
            1 => 100_000_000,
            2 => 0,
            _ => self.dice.below(100_000) as Millis,
        };
        let who = match self.batches.last() {
            Some((who, _)) if !self.dice.one_in(15) => *who,
            _ => self.dice.below(ACTORS.len()),
        };
        self.next += 1;
        let op_id = if self.dice.one_in(25) && !self.op_ids.is_empty() {
            self.dice.of(&self.op_ids)
        } else if self.dice.one_in(80) {
            String::new()
        } else {
            format!("op-{}", self.next)
        };
        self.op_ids.push(op_id.clone());
        self.seqs[who] += 1;
        let at = if self.dice.one_in(60) {
            -self.now
        } else {
            self.now
        };
        let (claim, by) = self.who(who);
        let request = match self.dice.below(3) {
            _ if self.only.is_some() => None,
            0 => None,
            n => Some(n.to_string().repeat(64)),
        };
        let event = Event {
            op_id,
            actor: ACTORS[who].to_owned(),
            seq: self.seqs[who],
            at,
            by,
            request,
            event,
        };
        if let Some(field) = self.fold(&event) {
            self.refused.push(
                json!({ "actor": event.actor, "seq": event.seq, "op_id": event.op_id, "field": field }),
            );
        }
        let old_words = self.dice.one_in(3);
        let event = Event { by: claim, ..event };
        // Texts and numbers only, which is all that could fail here.
        let mut text = serde_json::to_string(&event).unwrap_or_default();
        if old_words && matches!(event.event, Happening::OutcomeRecorded { .. }) {
            text = text.replace(r#""outcome":"success""#, r#""outcome":"profit""#);
            text = text.replace(r#""outcome":"failure""#, r#""outcome":"loss""#);
        }
        match self.batches.last_mut() {
            Some((last, batch)) if *last == who && batch.len() < 500 => batch.push(text),
            _ => self.batches.push((who, vec![text])),
        }
    }

    /// Who an actor says it is, and who it is.
    fn who(&mut self, actor: usize) -> (String, String) {
        if let Some(only) = &self.only {
            return (only.clone(), only.clone());
        }
        let claim = self.dice.of(&CLAIMS);
        let by = match PERSONS.get(actor) {
            Some(person) => person,
            None if AGENTS.contains(&claim) => claim,
            None => "",
        };
        (claim.to_owned(), by.to_owned())
    }

    /// Folds an event; answers the field for which a server sets it aside.
    fn fold(&mut self, event: &Event) -> Option<&'static str> {
        let held = self.requests.get(&event.op_id).cloned().flatten();
        // Folding it is no error: only a server holds requests against each other.
        if held.is_some() && event.request.is_some() && held != event.request {
            return Some("request");
        }
        if let Err(error) = self.space.fold(event, &self.policy) {
            return Some(error.field());
        }
        self.requests
            .entry(event.op_id.clone())
            .or_insert_with(|| event.request.clone());
        None
    }

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

    fn added(&mut self) -> Happening {
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
                ..Standing::default()
            }
        };
        let standing = Standing {
            last_used_at: self.maybe_time(),
            last_feedback_at: self.maybe_time(),
            qualified_at: self.maybe_time(),
            ..standing
        };
        let dice = &mut self.dice;
        let known = if dice.one_in(12) { SLUGS.len() } else { 5 };
        let slug = dice.of(&SLUGS[..known]);
        let lesson = Lesson {
            standing,
            trust: dice.of(Trust::ALL),
            findings: dice.words(),
            // Whatever it says: the event knows who added it.
            by: dice.of(&CLAIMS).to_owned(),
            archived: dice.one_in(10),
            merged_into: dice.one_in(10).then(|| "plain".to_owned()),
            rev: if dice.one_in(10) { dice.count() } else { 1 },
            ..Lesson::new(slug, text, dice.text(), self.now)
        };
        Happening::LessonAdded {
            lesson: Box::new(lesson),
        }
    }

    fn happening(&mut self) -> Happening {
        let lesson = self.slug();
        match self.dice.below(36) {
            0 | 1 => self.added(),
            2 | 3 => self.edited(lesson),
            4 => Happening::LessonArchived { lesson },
            5 => Happening::LessonRestored { lesson },
            6 | 7 => {
                let held = self.space.lesson(&lesson);
                let mut hash = held.map_or_else(String::new, |held| held.text.content_hash());
                if self.dice.one_in(5) {
                    hash.push('0');
                }
                Happening::LessonReviewed {
                    lesson,
                    verdict: self.dice.of(Verdict::ALL),
                    content_hash: hash,
                }
            }
            8 => Happening::LessonsMerged {
                into: lesson,
                from: self.slugs(3),
            },
            9..=12 => self.surfaced(),
            13..=16 => {
                let decision_id = self.decision();
                Happening::UsageTracked {
                    detections: self.detections(&decision_id),
                    decision_id,
                }
            }
            17..=19 => Happening::OutcomeRecorded {
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
                Happening::Rated {
                    lesson,
                    helpful: self.dice.one_in(2),
                    decision_id,
                }
            }
            27..=29 => {
                let (lesson, decision_id) = self.about(lesson);
                Happening::Voted {
                    lesson,
                    up: self.dice.one_in(2),
                    decision_id,
                }
            }
            30 => Happening::TrialGranted { lesson },
            31 => self.settings(),
            _ => Happening::ToolSucceeded {
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

    fn feedback(&mut self) -> Happening {
        let decision_id = (!self.dice.one_in(3)).then(|| self.decision());
        let decision = decision_id.as_deref().and_then(|id| self.space.decision(id));
        let before = decision.map_or(&[][..], |held| &held.feedback);
        // The same again, by whoever it is, in another order and twice.
        if !before.is_empty() && self.dice.one_in(2) {
            let held = self.dice.of(before);
            let mut lessons = held.lessons.clone();
            lessons.extend(held.lessons.iter().rev().cloned());
            lessons.reverse();
            return Happening::FeedbackGiven {
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
        Happening::FeedbackGiven {
            outcome: self.dice.of(FeedbackOutcome::ALL),
            lessons,
            causal,
            decision_id,
        }
    }

    fn settings(&mut self) -> Happening {
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
        Happening::PolicyChanged { changes }
    }

    fn edited(&mut self, lesson: String) -> Happening {
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
        };
        Happening::LessonEdited {
            lesson,
            base_rev: if dice.one_in(6) { dice.count() } else { rev },
            changes: Box::new(changes),
            trust: dice.of(Trust::ALL),
            findings: dice.words(),
        }
    }

    fn surfaced(&mut self) -> Happening {
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
            })
            .collect();
        let measured = self.dice.one_in(3).then(|| Measured {
            control: self.dice.one_in(2),
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
        Happening::Surfaced {
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

    /// The ledger in batches, and what the core makes of it.
    fn line(&self) -> Value {
        let batches: Vec<Value> = self
            .batches
            .iter()
            .map(|(who, events)| {
                json!({ "actor": ACTORS[*who], "events": format!("[{}]", events.join(",")) })
            })
            .collect();
        let last_seq: serde_json::Map<String, Value> = ACTORS
            .iter()
            .filter(|actor| self.space.last_seq(actor) > 0)
            .map(|actor| ((*actor).to_owned(), json!(self.space.last_seq(actor))))
            .collect();
        let mut line = space_json::of(&self.space);
        line["batches"] = json!(batches);
        line["last_seq"] = json!(last_seq);
        line["refused"] = json!(self.refused);
        line
    }
}
