//! Likelihood: how probable it is that a lesson is the right one for a query.
//!
//! A match alone does not say: of lessons with a good match most are the second best for something that another lesson
//! answers. `p = 1 / (1 + e^−z)`, `z = a · match + b · match ÷ best − c`, where `best` is the best match of the answer: a
//! logistic regression on the labelled queries of `cargo xtask bench relevance`, whose reliability table says how well it
//! holds. With the model and by words alone the constants differ, as their matches do. A lesson with a weak match may well be
//! the best of nothing: it reads low.

use super::order::Scored;
use super::relevance;
use super::situation::Context;
use crate::policy::RankPolicy;
use lesson_types::RelevanceWord;

/// Most that a weak match comes to, as a share of the likelihood that reads *medium*: low, and still in the answer.
const WEAK: f64 = 0.9;

/// The numbers by which the likelihood of each lesson of an answer is reckoned.
#[derive(Debug, Clone, Copy)]
pub(super) struct Likelihood<'p> {
    /// The best match of the answer, above 0.
    best: f64,
    /// The bar that a lesson has to reach beside it.
    bar: Bar,
    /// The same of the best match of a lesson that is no unreviewed one of an agent's key.
    bar_vouched: Bar,
    /// Of match, lead and base.
    weights: [f64; 3],
    is_semantic: bool,
    policy: &'p RankPolicy,
}

/// The bar that a lesson has to reach beside the best one.
#[derive(Debug, Clone, Copy)]
struct Bar {
    /// The match of the best one.
    best: f64,
    /// The least likelihood.
    least: f64,
    /// Its z.
    z: f64,
}

/// So near the bar a lesson's likelihood is reckoned: farther off its z says the same, without an exponential of each lesson.
const NEAR_BAR: f64 = 1e-6;

impl<'p> Likelihood<'p> {
    /// By the best match of those that may be answered; `None` where none of them matches. `is_semantic` says if meaning
    /// takes part in the matches.
    pub fn of_best(best: f64, is_semantic: bool, policy: &'p RankPolicy) -> Option<Self> {
        let weights = if is_semantic {
            [
                policy.likelihood_match,
                policy.likelihood_lead,
                policy.likelihood_base,
            ]
        } else {
            [
                policy.words_likelihood_match,
                policy.words_likelihood_lead,
                policy.words_likelihood_base,
            ]
        };
        let none = Bar {
            best,
            least: 0.0,
            z: 0.0,
        };
        let mut found = Self {
            best,
            bar: none,
            bar_vouched: none,
            weights,
            is_semantic,
            policy,
        };
        found.bar = found.bar_beside(best);
        found.bar_vouched = found.bar;
        (best > 0.0).then_some(found)
    }

    /// The same, where something is asked in words.
    pub fn of_query(
        context: &Context<'_>,
        scored: &[Scored<'_>],
        is_semantic: bool,
        policy: &'p RankPolicy,
    ) -> Option<Self> {
        context.query?;
        let best = best_of(scored.iter().map(|one| one.matched));
        let vouched = scored.iter().filter(|one| one.of.facts.key == 0);
        let found = Self::of_best(best, is_semantic, policy)?;
        let best_vouched = best_of(vouched.map(|one| one.matched));
        Some(Self {
            bar_vouched: found.bar_beside(best_vouched),
            ..found
        })
    }

    /// The likelihood of a lesson by its match, 0 to 1.
    pub fn of(&self, matched: f64) -> f64 {
        self.beside(matched, self.best)
    }

    /// The likelihood by match and lead alone.
    fn reckoned(&self, matched: f64, best: f64) -> f64 {
        1.0 / (1.0 + libm::exp(-self.z(matched, best)))
    }

    fn z(&self, matched: f64, best: f64) -> f64 {
        let [by_match, by_lead, base] = self.weights;
        let lead = if matched >= best { 1.0 } else { matched / best };
        -(base - by_match * matched - by_lead * lead)
    }

    fn bar_beside(&self, best: f64) -> Bar {
        let least = self.least(best);
        Bar {
            best,
            least,
            z: libm::log(least / (1.0 - least)),
        }
    }

    /// Returns the least likelihood to stay beside this best one. The less sure that one is, the more others stay, by the
    /// square of its likelihood. By words alone a best one that is not sure says that nothing fits, so there it takes no part.
    fn least(&self, best: f64) -> f64 {
        if !self.is_semantic {
            return self.policy.min_likelihood;
        }
        let sure = self.reckoned(best, best);
        self.policy.min_likelihood * sure * sure
    }

    fn beside(&self, matched: f64, best: f64) -> f64 {
        let likelihood = self.reckoned(matched, best);
        if self.is_weak(matched) {
            likelihood.min(self.weak())
        } else {
            likelihood
        }
    }

    /// True if a match is one that questions get which no lesson answers.
    fn is_weak(&self, matched: f64) -> bool {
        matched < self.policy.match_medium
    }

    /// The most that a weak match comes to.
    fn weak(&self) -> f64 {
        WEAK * self.policy.likely_medium
    }

    /// True if a lesson stays in the answer. An unreviewed lesson of an agent's key puts none out but such lessons: else a copy
    /// that is padded with the words of a question would put out what it copies.
    pub fn keeps(&self, one: &Scored<'_>) -> bool {
        let bar = if one.of.facts.key == 0 {
            &self.bar_vouched
        } else {
            &self.bar
        };
        self.stays(one.matched, bar)
    }

    fn stays(&self, matched: f64, bar: &Bar) -> bool {
        let above = self.z(matched, bar.best) - bar.z;
        if bar.z.is_finite() && above < -NEAR_BAR {
            return false;
        }
        self.beside(matched, bar.best) >= bar.least
    }

    /// Writes out the calculation of a likelihood, for a person.
    pub fn formula(&self, matched: f64) -> String {
        let [by_match, by_lead, base] = self.weights;
        let most = if self.is_weak(matched) {
            let least = self.policy.match_medium;
            format!(
                "; at most {:.3}, as it matches less than {least}",
                self.weak()
            )
        } else {
            String::new()
        };
        format!(
            "1 / (1 + e^−z), z = {by_match} × {matched:.3} + {by_lead} × {matched:.3} / {:.3} − {base}{most}",
            self.best
        )
    }

    /// Why a lesson is left out, for a person.
    pub fn why_not(&self, matched: f64) -> String {
        format!(
            "its likelihood to be the right one is {:.4}, below {:.4} beside the best lesson: it matches {matched:.2}, that one {:.2}",
            self.of(matched),
            self.bar.least,
            self.best
        )
    }
}

/// The best of these matches; 0 without any.
pub(super) fn best_of(matches: impl Iterator<Item = f64>) -> f64 {
    matches.fold(
        0.0,
        |best, matched| if matched > best { matched } else { best },
    )
}

/// The word for a lesson where something was asked in words: low where no lesson matches.
pub(super) fn word(
    likelihood: Option<&Likelihood<'_>>,
    matched: f64,
    policy: &RankPolicy,
) -> RelevanceWord {
    policy.likelihood_word(likelihood.map_or(0.0, |likelihood| likelihood.of(matched)))
}

/// The likelihood of a lesson beside those of another space that are in the answer, too, its word, and whether it stays: `matched`
/// is what counted of its match, `best` the most of all. `is_semantic` says if meaning took part. `None` where none matches.
pub fn likelihood_beside(
    matched: f64,
    best: f64,
    is_semantic: bool,
    policy: &RankPolicy,
) -> Option<(f64, RelevanceWord, bool)> {
    let reckoning = Likelihood::of_best(best, is_semantic, policy)?;
    let likelihood = reckoning.of(matched);
    let word = policy.likelihood_word(likelihood);
    Some((likelihood, word, reckoning.stays(matched, &reckoning.bar)))
}

impl RankPolicy {
    /// The word for a likelihood, by the thresholds `likely_…`.
    pub fn likelihood_word(&self, likelihood: f64) -> RelevanceWord {
        let bins = [self.likely_very_high, self.likely_high, self.likely_medium];
        relevance::word(likelihood, bins)
    }
}
