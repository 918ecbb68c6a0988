//! The closed vocabularies of the domain, spelled as they are stored.

use serde::{Deserialize, Serialize};

macro_rules! vocabulary {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal $(or $alias:literal)?),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $word $(, alias = $alias)?)] $variant),+
        }

        impl $name {
            /// Every variant, in declaration order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word as it is stored.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The variant with this word, if there is one.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word $(| $alias)? => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

vocabulary!(
    /// What a lesson is about.
    #[derive(Default)]
    Category {
        /// System shape and boundaries.
        Architecture = "architecture",
        /// How work is done; the default.
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
    /// What form a lesson takes.
    Kind {
        /// Do this.
        Strategy = "strategy",
        /// Beware of this.
        Warning = "warning",
        /// This tends to happen, or to work; the default.
        Pattern = "pattern",
        /// Distilled from other lessons; fits every domain.
        Evolved = "evolved",
    }
);
vocabulary!(
    /// Whether a person stands behind a lesson's text.
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
    /// A person's verdict.
    Verdict {
        /// Stand behind this text.
        Approve = "approve",
        /// Hold it back.
        Quarantine = "quarantine",
    }
);
vocabulary!(
    /// How a lesson was seen in an agent's reasoning.
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
    /// What came of a decision. Ledgers of version 1 say `profit` and `loss`, which are read as the same.
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
    /// What came of a session.
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
    /// How the likeness of two lessons was measured.
    Measure {
        /// The cosine of their vectors.
        Meaning = "meaning",
        /// The share of their words that both have.
        Words = "words",
    }
);

impl Kind {
    /// The kind that a slug's prefix says, `Pattern` when it says none.
    ///
    /// ```
    /// use lesson_core::Kind;
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
    /// Whether this outcome settles a decision.
    pub fn is_final(self) -> bool {
        self != Self::Pending
    }
}
