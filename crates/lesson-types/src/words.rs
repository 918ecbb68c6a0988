//! The closed vocabularies, spelled as they are stored and as they stand in JSON.

use serde::{Deserialize, Serialize};

macro_rules! vocabulary {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal $(or $alias:literal)?),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $word $(, alias = $alias)?)] $variant),+
        }

        impl crate::Typed for $name {
            const TYPE: crate::FieldType = crate::FieldType::Word;
        }

        impl $name {
            /// Every word, in the order people are shown them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word as it stands in JSON.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The variant with this word, if there is one.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word $(| $alias)? => Some(Self::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

vocabulary!(
    /// The subject area of a lesson.
    #[derive(Default)]
    Category {
        /// System shape and boundaries.
        Architecture = "architecture",
        /// Ways of working; the default.
        #[default]
        Workflow = "workflow",
        /// Attack and defence.
        Security = "security",
        /// Speed and cost.
        Performance = "performance",
        /// Tests and their upkeep.
        Testing = "testing",
        /// Tools and their use.
        Tooling = "tooling",
        /// Talking with people and agents.
        Communication = "communication",
        /// Knowledge of a field.
        Domain = "domain",
    }
);
vocabulary!(
    /// The effect of a bulk act on each lesson.
    BulkAct {
        /// A person stands behind the text.
        Approve = "approve",
        /// Held back until a person approves it.
        Quarantine = "quarantine",
        /// A verdict is taken back: the lesson stands as screening sees its text.
        Unreview = "unreview",
        /// Out of use.
        Archive = "archive",
        /// Into use again.
        Restore = "restore",
        /// Tags are added. As any edit does, this takes an approval back.
        Tag = "tag",
        /// Tags are taken away. As any edit does, this takes an approval back.
        Untag = "untag",
    }
);
vocabulary!(
    /// The form of a lesson; read from the prefix of its slug.
    Kind {
        /// Do this.
        Strategy = "strategy",
        /// Beware of this.
        Warning = "warning",
        /// This tends to happen, or to work.
        Pattern = "pattern",
        /// Distilled from other lessons; fits every domain.
        Evolved = "evolved",
    }
);
vocabulary!(
    /// State of a lesson's approval by a person.
    Trust {
        /// Nobody has looked at this text yet.
        Unreviewed = "unreviewed",
        /// A person approved this very text.
        Approved = "approved",
        /// Held back: never recommended until a person approves it.
        Quarantined = "quarantined",
    }
);
vocabulary!(
    /// A person's verdict on a lesson.
    Verdict {
        /// Stand behind this text.
        Approve = "approve",
        /// Hold it back.
        Quarantine = "quarantine",
    }
);
vocabulary!(
    /// The badge that a lesson wears.
    BadgeKind {
        /// Applied at least three times with a success rate of at least one half.
        Proven = "proven",
        /// Applied, not proven yet.
        Testing = "testing",
        /// Never applied.
        New = "new",
    }
);
vocabulary!(
    /// A lesson's fitness to be recommended, by its outcomes.
    Qualification {
        /// It may be recommended.
        Qualified = "qualified",
        /// Applied three times or more below a success rate of one half.
        Pending = "pending",
        /// Five failures in a row, or more.
        Excluded = "excluded",
    }
);
vocabulary!(
    /// Relevance in words, as people see it.
    RelevanceWord {
        /// At least 0.8.
        VeryHigh = "very high",
        /// At least 0.6.
        High = "high",
        /// At least 0.45.
        Medium = "medium",
        /// Below that.
        Low = "low",
    }
);
vocabulary!(
    /// The kind of match of a lesson in an agent's reasoning.
    MatchType {
        /// Named by its slug.
        Explicit = "explicit",
        /// Three or more of its key phrases appear.
        Implicit = "implicit",
        /// Named, but in a negated clause.
        Mentioned = "mentioned",
        /// Not seen.
        None = "none",
    }
);
vocabulary!(
    /// The outcome of a decision. `profit` and `loss` are read as `success` and `failure`.
    DecisionOutcome {
        /// It went well.
        Success = "success" or "profit",
        /// It went badly.
        Failure = "failure" or "loss",
        /// Not known yet.
        Pending = "pending",
    }
);
vocabulary!(
    /// The outcome of a session.
    FeedbackOutcome {
        /// The work was delivered.
        Delivered = "delivered",
        /// The plan was completed.
        PlanComplete = "plan_complete",
        /// The work got stuck.
        Blocked = "blocked",
    }
);
vocabulary!(
    /// Why a lesson is in the review queue, the weightiest reason first.
    ReviewReason {
        /// Held back until a person approves it.
        Quarantined = "quarantined",
        /// Withholding it at random shows that decisions go well less often with it.
        Hurts = "hurts",
        /// Another lesson says almost the same.
        NearDuplicate = "near_duplicate",
        /// Outcomes keep it from being recommended.
        Disqualified = "disqualified",
        /// A candidate for pruning: often a cause, and mostly of work that got stuck.
        Pruning = "pruning",
        /// Among the five worst by ratings.
        BottomFive = "bottom_five",
        /// Shown ten times or more and never rated.
        NeverRated = "never_rated",
        /// Nobody has looked at it.
        Unreviewed = "unreviewed",
    }
);
vocabulary!(
    /// The store, of a machine's two, that something lies in.
    StoreName {
        /// The project's.
        Project = "project",
        /// The person's own.
        Personal = "personal",
    }
);
vocabulary!(
    /// The condition of a space.
    HealthStatus {
        /// Nothing has to be done.
        Ok = "ok",
        /// It works, but something is missing or left out.
        Degraded = "degraded",
        /// Events written now may be lost.
        Failing = "failing",
    }
);
vocabulary!(
    /// The weight of an issue.
    Severity {
        /// Worth knowing; the status stays `ok`.
        Notice = "notice",
        /// The status is `degraded`.
        Warning = "warning",
        /// The status is `failing`.
        Error = "error",
    }
);
vocabulary!(
    /// The measure of the likeness of two lessons.
    Measure {
        /// The cosine of their vectors.
        Meaning = "meaning",
        /// The share of their words that both have.
        Words = "words",
    }
);
vocabulary!(
    /// The size of price moves.
    Volatility {
        /// Calm.
        Low = "low",
        /// As usual.
        Normal = "normal",
        /// Rough.
        High = "high",
    }
);
vocabulary!(
    /// Where prices go.
    Trend {
        /// Up.
        Bullish = "bullish",
        /// Down.
        Bearish = "bearish",
        /// Neither.
        Sideways = "sideways",
    }
);
vocabulary!(
    /// The rule by which past use changes a lesson's relevance.
    #[derive(Default)]
    StandingRule {
        /// The belief about the lesson's lift.
        #[default]
        Lift = "lift",
        /// The rules of the sources: ratings, surfacings, causal feedback, qualification.
        Seeds = "seeds",
    }
);
vocabulary!(
    /// The verdict on a lesson's lift that the measurement allows.
    #[derive(Default)]
    LiftVerdict {
        /// Decisions go well more often with it.
        Helps = "helps",
        /// It is known well enough to say that it does little either way.
        NoDifference = "no_difference",
        /// Decisions go well more often without it.
        Hurts = "hurts",
        /// Too little is known.
        #[default]
        Unknown = "unknown",
    }
);
vocabulary!(
    /// The reading of a lesson's lift, by its interval.
    #[derive(Default)]
    LiftWord {
        /// The interval lies above 0.
        Helps = "helps",
        /// It holds 0.
        #[default]
        Unsure = "unsure",
        /// It lies below 0.
        Hurts = "hurts",
    }
);
vocabulary!(
    /// State of an interval: given, or the reason why it is not.
    #[derive(Default)]
    LiftGuard {
        /// It is given.
        Given = "given",
        /// Fewer than 20 decisions with an outcome in an arm, or fewer than 5 successes or 5 failures.
        #[default]
        TooFew = "too_few",
        /// Lessons are shown and withheld in other shares than were drawn, so that nothing can be told.
        Ratio = "ratio",
    }
);

vocabulary!(
    /// The kind of value that a constant holds.
    ConstantKind {
        /// A number.
        Number = "number",
        /// A whole number.
        Count = "count",
        /// True or false.
        Flag = "flag",
        /// One of some words.
        Word = "word",
        /// A list of words.
        Words = "words",
    }
);

impl LiftVerdict {
    /// Puts the verdict in words, as people read it; `more_runs` is that of [`crate::LessonLift`].
    ///
    /// ```
    /// use lesson_types::LiftVerdict;
    /// assert_eq!(LiftVerdict::Hurts.in_words(None), "hurts");
    /// assert_eq!(LiftVerdict::Unknown.in_words(Some(1_200)), "not known yet: about 1,200 more runs");
    /// ```
    pub fn in_words(self, more_runs: Option<u32>) -> String {
        match (self, more_runs) {
            (Self::Helps, _) => "helps".to_owned(),
            (Self::NoDifference, _) => "no difference seen".to_owned(),
            (Self::Hurts, _) => "hurts".to_owned(),
            (Self::Unknown, None) => "not known yet".to_owned(),
            (Self::Unknown, Some(1)) => "not known yet: about 1 more run".to_owned(),
            (Self::Unknown, Some(runs)) => {
                let digits = runs.to_string();
                let mut grouped = String::new();
                for (at, digit) in digits.chars().enumerate() {
                    if at > 0 && (digits.len() - at).is_multiple_of(3) {
                        grouped.push(',');
                    }
                    grouped.push(digit);
                }
                format!("not known yet: about {grouped} more runs")
            }
        }
    }
}

impl Kind {
    /// The kind that a slug's prefix says, `Pattern` when it says none.
    ///
    /// ```
    /// use lesson_types::Kind;
    /// assert_eq!(Kind::of_slug("warning-dlmm-low-tvl"), Kind::Warning);
    /// assert_eq!(Kind::of_slug("warnings"), Kind::Pattern);
    /// ```
    pub fn of_slug(slug: &str) -> Self {
        slug.split_once('-')
            .and_then(|(prefix, _)| Self::parse(prefix))
            .unwrap_or(Self::Pattern)
    }
}

impl DecisionOutcome {
    /// True if this outcome settles a decision.
    pub fn is_final(self) -> bool {
        self != Self::Pending
    }
}
