//! A lesson: its text, its standing, its life, and what is derived from them at read time.

use crate::instant::{Millis, serde_rfc3339, serde_rfc3339_option};
use crate::learning::lift::{Belief, FIRST_MEAN, FIRST_VARIANCE};
use crate::policy::RankPolicy;
use crate::text::{Changes, Text};
use lesson_types::{Badge, BadgeKind, Kind, LiftWord, Qualification, StandingRule, Trust};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A lesson as the fold keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    /// Reference name in kebab-case, unique in a space; never changes.
    pub slug: String,
    /// The text that people and agents read, and where it fits.
    #[serde(flatten)]
    pub text: Text,
    /// The stored numbers.
    #[serde(flatten)]
    pub standing: Standing,
    /// Its writer or origin, as the writer says.
    #[serde(default)]
    pub source: String,
    /// Maker of the event that added it: see [`crate::Event::by`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// Trust in this very text: approved (by a person, unless `approved_by_agent` is set), unreviewed, or held back.
    #[serde(default = "unreviewed")]
    pub trust: Trust,
    /// Findings of screening in the text; reasons for a quarantine among them.
    #[serde(default)]
    pub findings: Vec<String>,
    /// Out of use; nothing is ever deleted.
    #[serde(default)]
    pub archived: bool,
    /// The lesson that took its place.
    #[serde(default)]
    pub merged_into: Option<String>,
    /// Counts text edits, from 1.
    #[serde(default = "one")]
    pub rev: u32,
    /// When it was added.
    #[serde(with = "serde_rfc3339")]
    pub created_at: Millis,
    /// When its text or life last changed.
    #[serde(with = "serde_rfc3339")]
    pub updated_at: Millis,
    /// When an edit last named its title, description, context or recommendation; `None` while they are as they were added.
    /// What was measured before is of another text.
    #[serde(
        default,
        with = "serde_rfc3339_option",
        skip_serializing_if = "Option::is_none"
    )]
    pub text_at: Option<Millis>,
    /// True if it is an agent's lesson that nobody known to be a person called approved: nobody vouches for it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub approved_by_agent: bool,
    /// The standing as it would be if what its own writer said of it counted; it takes the standing's place when a person
    /// approves the lesson. `None` while nothing waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_standing: Option<Box<Standing>>,
    /// By agent's key: when its rating and its vote last counted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counted_on: BTreeMap<String, CountedOn>,
    /// Changes that wait for a person, in the ledger's order; one of a voice at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposals: Vec<Proposal>,
}

/// A change that waits for a person: see [`crate::EventKind::ChangeProposed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    /// Its id.
    pub id: String,
    /// The voice that proposes: see [`crate::Event::by`].
    pub by: String,
    /// When.
    #[serde(with = "serde_rfc3339")]
    pub at: Millis,
    /// The revision that it started from.
    pub base_rev: u32,
    /// The changes that it would make; none where it would archive the lesson.
    pub changes: Changes,
    /// True if it would take the lesson out of use.
    pub archive: bool,
    /// Result of screening the text as it would be.
    pub trust: Trust,
    /// Findings of screening in that text.
    pub findings: Vec<String>,
}

/// UTC days, since the Unix epoch, on which what a key said of a lesson last counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CountedOn {
    /// Its rating.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rated: Option<i64>,
    /// Its vote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voted: Option<i64>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // The signature that serde asks for.
fn is_false(yes: &bool) -> bool {
    !yes
}

fn unreviewed() -> Trust {
    Trust::Unreviewed
}

fn one() -> u32 {
    1
}

/// The stored numbers of a lesson, every one with the default that an old record gets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Standing {
    /// 0 to 1; ratings and votes keep it within 0.1 to 1.
    pub confidence: f64,
    /// Number of times that the same lesson was learned.
    pub frequency: u32,
    /// Votes up.
    pub upvotes: u32,
    /// Votes down.
    pub downvotes: u32,
    /// Retrievals that returned it, once each (effectiveness tracking).
    pub times_surfaced: u32,
    /// Ratings: helpful (effectiveness tracking).
    pub times_helpful: u32,
    /// Ratings: not helpful (effectiveness tracking).
    pub times_not_helpful: u32,
    /// Causal effectiveness, 0 to 1 (causal feedback).
    pub effectiveness: f64,
    /// Feedbacks that named it (causal feedback).
    pub use_count: u32,
    /// Feedbacks in which it was a cause (causal feedback).
    pub causal_hits: u32,
    /// When it was last named in feedback.
    #[serde(with = "serde_rfc3339_option")]
    pub last_used_at: Option<Millis>,
    /// When it was last a cause.
    #[serde(with = "serde_rfc3339_option")]
    pub last_feedback_at: Option<Millis>,
    /// Decisions with a final outcome in which it was applied (decision recommendations).
    pub times_applied: u32,
    /// Of those, successes.
    pub success_count: u32,
    /// Failures since the last success, or since it got another trial.
    pub consecutive_failures: u32,
    /// Value of `times_applied` when it last got another trial; 0 when it never did.
    #[serde(skip_serializing_if = "is_zero")]
    pub trial_from: u32,
    /// Applied at least three times with a success rate of at least one half.
    pub proven_effective: bool,
    /// When it last became proven.
    #[serde(with = "serde_rfc3339_option")]
    pub qualified_at: Option<Millis>,
    /// The lift: how much more often runs go well in which it is applied, −1 to 1, as far as seen; see [`Belief`].
    #[serde(skip_serializing_if = "is_first_mean")]
    pub lift_mean: f64,
    /// The variance of that.
    #[serde(skip_serializing_if = "is_first_variance")]
    pub lift_variance: f64,
    /// When that last changed; `None` while nothing was seen of it.
    #[serde(with = "serde_rfc3339_option", skip_serializing_if = "Option::is_none")]
    pub lift_at: Option<Millis>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // The signature that serde asks for.
fn is_first_mean(mean: &f64) -> bool {
    mean.to_bits() == FIRST_MEAN.to_bits()
}

#[allow(clippy::trivially_copy_pass_by_ref)] // The signature that serde asks for.
fn is_first_variance(variance: &f64) -> bool {
    variance.to_bits() == FIRST_VARIANCE.to_bits()
}

#[allow(clippy::trivially_copy_pass_by_ref)] // The signature that serde asks for.
fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Default for Standing {
    fn default() -> Self {
        Self {
            confidence: 0.5,
            frequency: 1,
            upvotes: 0,
            downvotes: 0,
            times_surfaced: 0,
            times_helpful: 0,
            times_not_helpful: 0,
            effectiveness: 0.5,
            use_count: 0,
            causal_hits: 0,
            last_used_at: None,
            last_feedback_at: None,
            times_applied: 0,
            success_count: 0,
            consecutive_failures: 0,
            trial_from: 0,
            proven_effective: false,
            qualified_at: None,
            lift_mean: FIRST_MEAN,
            lift_variance: FIRST_VARIANCE,
            lift_at: None,
        }
    }
}

impl Standing {
    /// Returns the belief about its lift.
    pub fn lift(&self) -> Belief {
        Belief {
            mean: self.lift_mean,
            variance: self.lift_variance,
            at: self.lift_at,
        }
    }

    /// Keeps what is believed of its lift.
    pub fn believe(&mut self, lift: Belief) {
        self.lift_mean = lift.mean;
        self.lift_variance = lift.variance;
        self.lift_at = lift.at;
    }

    /// helpful / (helpful + not helpful), from two ratings on (effectiveness tracking).
    pub fn effectiveness_score(&self) -> Option<f64> {
        let rated = u64::from(self.times_helpful) + u64::from(self.times_not_helpful);
        (rated >= 2).then(|| f64::from(self.times_helpful) / rated as f64)
    }

    /// success_count / times_applied, once applied (decision recommendations).
    pub fn success_rate(&self) -> Option<f64> {
        (self.times_applied > 0)
            .then(|| f64::from(self.success_count) / f64::from(self.times_applied))
    }

    /// Effectiveness times `max(floor, causal_hits / use_count)` from `min_uses` uses on, else
    /// effectiveness as it is (causal feedback).
    pub fn causal_adjusted(&self, policy: &RankPolicy) -> f64 {
        if self.use_count < policy.causal_min_uses {
            return self.effectiveness;
        }
        let ratio = f64::from(self.causal_hits) / f64::from(self.use_count);
        self.effectiveness
            * if ratio > policy.causal_floor {
                ratio
            } else {
                policy.causal_floor
            }
    }

    /// Counts how often it was applied since it last got another trial; all its life when it never did.
    pub fn times_tried(&self) -> u32 {
        self.times_applied.saturating_sub(self.trial_from)
    }

    /// Judges by outcomes if it may be recommended (decision recommendations). Given another trial, it is tried like a new one.
    pub fn qualification(&self, policy: &RankPolicy) -> Qualification {
        let tried = self.times_tried();
        if self.consecutive_failures >= policy.max_consecutive_failures {
            Qualification::Excluded
        } else if self.proven_effective || tried < policy.qualify_min_applied {
            Qualification::Qualified
        } else {
            Qualification::Pending
        }
    }

    /// Judges if it is recommended at `now`, as far as what came of it goes: by its lift or by the sources' rules, as the
    /// policy says.
    pub fn qualification_at(&self, policy: &RankPolicy, now: Millis) -> Qualification {
        match policy.standing {
            StandingRule::Seeds => self.qualification(policy),
            StandingRule::Lift if self.harms(now) => Qualification::Excluded,
            StandingRule::Lift => Qualification::Qualified,
        }
    }

    /// True if it harms, as far as seen: not even doubt speaks for its lift. Doubt grows back, so this ends.
    pub fn harms(&self, now: Millis) -> bool {
        // Only a lift below 0 can be as low as that, and few are.
        self.lift_mean < 0.0 && self.lift().at(now).optimism() <= 0.0
    }

    /// Its lift at `now` in words, such as `lift −12 points (−20 to −4) from 7 runs`.
    pub fn lift_words(&self, now: Millis) -> String {
        let held = self.lift().at(now);
        let (low, high) = held.interval();
        let runs = self.times_applied;
        format!(
            "lift {} points ({} to {}) from {runs} run{}",
            points(held.mean),
            points(low),
            points(high),
            if runs == 1 { "" } else { "s" }
        )
    }

    /// Its effectiveness score, where it is so low that it is penalised (effectiveness tracking).
    pub fn low_rating(&self, policy: &RankPolicy) -> Option<f64> {
        self.effectiveness_score()
            .filter(|score| *score < policy.low_score_below)
    }

    /// True if it is penalised for being surfaced often and never found helpful (effectiveness tracking).
    pub fn never_helpful(&self, policy: &RankPolicy) -> bool {
        self.times_surfaced >= policy.unhelpful_from_surfaced && self.times_helpful == 0
    }

    /// Both penalties as one factor, 0 to 1.
    pub fn rating_penalty(&self, policy: &RankPolicy) -> f64 {
        let mut factor = 1.0;
        if self.low_rating(policy).is_some() {
            factor *= policy.low_score_factor;
        }
        if self.never_helpful(policy) {
            factor *= policy.unhelpful_factor;
        }
        factor
    }

    /// Confidence as it reads after [`Standing::rating_penalty`]; stored confidence is untouched.
    pub fn effective_confidence(&self, policy: &RankPolicy) -> f64 {
        self.confidence * self.rating_penalty(policy)
    }

    /// The badge at `now`, as the policy says: by its lift it is proven where that is above 0 with a chance of 95 %.
    pub fn badge_at(&self, policy: &RankPolicy, now: Millis) -> Badge {
        let held = self.lift().at(now);
        match policy.standing {
            StandingRule::Lift if held.verdict() == LiftWord::Helps => Badge {
                kind: BadgeKind::Proven,
                text: format!("✅ Proven ({})", self.lift_words(now)),
            },
            // Uses are counted alike; the sources' rate proves nothing here.
            StandingRule::Lift => Self {
                proven_effective: false,
                ..self.clone()
            }
            .badge(),
            StandingRule::Seeds => self.badge(),
        }
    }

    /// The badge of the sources' rules: proven, testing or new.
    pub fn badge(&self) -> Badge {
        let uses = |n: u32| {
            if n == 1 {
                "1 use".to_owned()
            } else {
                format!("{n} uses")
            }
        };
        let applied = self.times_applied;
        if self.proven_effective {
            let percent = percent(self.success_count, applied);
            Badge {
                kind: BadgeKind::Proven,
                text: format!("✅ Proven ({percent}% success, {})", uses(applied)),
            }
        } else if applied > 0 {
            Badge {
                kind: BadgeKind::Testing,
                text: format!("📊 Testing ({})", uses(applied)),
            }
        } else {
            Badge {
                kind: BadgeKind::New,
                text: "🆕 New".to_owned(),
            }
        }
    }
}

/// A lift in whole points, such as `+8` or `−12`.
fn points(lift: f64) -> String {
    let whole = (lift * 100.0).round() as i64;
    match whole {
        0 => "0".to_owned(),
        1.. => format!("+{whole}"),
        _ => format!("−{}", whole.unsigned_abs()),
    }
}

/// `part` of `whole` in whole percent, halves up; 0 when there is no whole.
fn percent(part: u32, whole: u32) -> u64 {
    if whole == 0 {
        return 0;
    }
    (u64::from(part) * 200 + u64::from(whole)) / (2 * u64::from(whole))
}

impl Lesson {
    /// A lesson with this text, nothing counted yet.
    pub fn new(slug: impl Into<String>, text: Text, source: impl Into<String>, at: Millis) -> Self {
        Self {
            slug: slug.into(),
            text,
            standing: Standing::default(),
            source: source.into(),
            by: String::new(),
            trust: Trust::Unreviewed,
            findings: Vec::new(),
            archived: false,
            merged_into: None,
            rev: 1,
            created_at: at,
            updated_at: at,
            text_at: None,
            approved_by_agent: false,
            pending_standing: None,
            counted_on: BTreeMap::new(),
            proposals: Vec::new(),
        }
    }

    /// True if a person stands behind this very text.
    pub fn is_vouched_for(&self) -> bool {
        self.trust == Trust::Approved && !self.approved_by_agent
    }

    /// The agent's key that wrote it, while no person stands behind its text.
    pub fn unvouched_key(&self) -> Option<&str> {
        (is_agent(&self.by) && !self.is_vouched_for()).then_some(&*self.by)
    }

    /// The kind that its slug's prefix says.
    pub fn kind(&self) -> Kind {
        Kind::of_slug(&self.slug)
    }
}

/// Says if `by` is an agent's key.
pub(crate) fn is_agent(by: &str) -> bool {
    by.starts_with("agent:")
}
