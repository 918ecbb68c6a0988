//! A lesson's standing explained: for each number the formula as the policy has it, what went in, and what it says of
//! this lesson in a sentence.

use crate::instant::Millis;
use crate::learning::lift::Belief;
use crate::lesson::{Lesson, Standing};
use crate::policy::{FoldPolicy, Policy, RankPolicy};
use lesson_types::{LiftWord, Qualification, StandingRule, Term, TermNumber};

/// Explains the standing of `lesson` at `now`: what ranking goes by first. The values are those that it uses, to the bit.
pub fn explain(lesson: &Lesson, policy: &Policy, now: Millis) -> Vec<Term> {
    let held = &lesson.standing;
    let (fold, rank) = (&policy.fold, &policy.rank);
    let of_sources = vec![
        proven(held, fold),
        qualification(held, rank),
        success_rate(held),
        helpfulness(held),
        confidence(held, fold),
        effective_confidence(held, rank),
        effectiveness(held, fold),
        causal_adjusted(held, rank),
        rank_factor(held, rank),
    ];
    let lift = lift(held, now);
    match rank.standing {
        StandingRule::Lift => std::iter::once(lift).chain(of_sources).collect(),
        StandingRule::Seeds => of_sources.into_iter().chain([lift]).collect(),
    }
}

fn lift(held: &Standing, now: Millis) -> Term {
    let belief = held.lift().at(now);
    let (low, high) = belief.interval();
    let (stands, first) = (belief.optimism(), Belief::default().optimism());
    let said = match belief.verdict() {
        LiftWord::Helps => "It helps",
        LiftWord::Hurts => "It hurts",
        LiftWord::Unsure => "It is not known yet whether it helps",
    };
    let then = if held.harms(now) {
        "It is left out; another trial brings it back.".to_owned()
    } else {
        format!(
            "By it, relevance is multiplied by {}.",
            number(stands / first)
        )
    };
    Term {
        name: "lift".into(),
        value: Some(belief.mean),
        formula: "how much more often runs go well in which it is applied, learned from each by a filter (Kalman 1960) that forgets half in 180 days; ranking adds 0.2 standard deviations for doubt".to_owned(),
        numbers: vec![
            plain("low", Some(low)),
            plain("high", Some(high)),
            plain("times_applied", Some(f64::from(held.times_applied))),
            plain("with_doubt", Some(stands)),
            plain("with_doubt_at_first", Some(first)),
        ],
        sentence: format!("{said}: {}. {then}", held.lift_words(now)),
    }
}

fn proven(held: &Standing, policy: &FoldPolicy) -> Term {
    let rate = held.success_rate();
    let enough = held.times_applied >= policy.proven_min_applied;
    let well = rate.is_some_and(|rate| rate >= policy.proven_min_rate);
    let share = rate.map(percent).unwrap_or_default();
    let went = format!(
        "applied {}, {} went well",
        times(held.times_applied),
        held.success_count
    );
    let sentence = match (held.proven_effective, enough, well) {
        (true, true, true) => format!("It is qualified by use: {went} ({share})."),
        (true, _, _) => format!(
            "It came here as qualified by use. By its own counts it would not be: {went}, and {} are needed.",
            policy.proven_min_applied
        ),
        (false, false, _) => format!(
            "It is not qualified by use yet: {went}. {} more with a known outcome are needed.",
            policy.proven_min_applied - held.times_applied
        ),
        (false, true, false) => format!(
            "It is not qualified by use: {went} ({share}), and {} are needed.",
            percent(policy.proven_min_rate)
        ),
        (false, true, true) => {
            format!(
                "It came here as not qualified by use, though {went} ({share}). The next outcome decides."
            )
        }
    };
    Term {
        name: "proven".into(),
        value: Some(f64::from(u8::from(held.proven_effective))),
        formula: format!(
            "applied in at least {} decisions with a known outcome, of which at least {} went well",
            policy.proven_min_applied,
            percent(policy.proven_min_rate)
        ),
        numbers: vec![
            TermNumber {
                name: "times_applied".into(),
                value: Some(f64::from(held.times_applied)),
                wanted: Some(format!("at least {}", policy.proven_min_applied)),
                met: Some(enough),
            },
            TermNumber {
                name: "success_rate".into(),
                value: rate,
                wanted: Some(format!("at least {}", percent(policy.proven_min_rate))),
                met: Some(well),
            },
        ],
        sentence,
    }
}

fn qualification(held: &Standing, policy: &RankPolicy) -> Term {
    let state = held.qualification(policy);
    let few = held.times_tried() < policy.qualify_min_applied;
    let sentence = match state {
        Qualification::Qualified if held.proven_effective => {
            "It may be recommended: it is qualified by use.".to_owned()
        }
        Qualification::Qualified if held.trial_from > 0 => format!(
            "It may be recommended: it was given another trial, and applied {} since.",
            times(held.times_tried())
        ),
        Qualification::Qualified => format!(
            "It may be recommended: applied {}, it has not had its chance yet.",
            times(held.times_applied)
        ),
        Qualification::Pending => format!(
            "It is not recommended: applied {} and not qualified by use. Another success can change that.",
            times(held.times_applied)
        ),
        Qualification::Excluded => format!(
            "It is not recommended: it failed {} in a row.",
            times(held.consecutive_failures)
        ),
    };
    Term {
        name: "qualification".into(),
        value: Some(f64::from(u8::from(state == Qualification::Qualified))),
        formula: format!(
            "qualified by use, or applied fewer than {} times since it was given a trial; and fewer than {} failures in a row",
            policy.qualify_min_applied, policy.max_consecutive_failures
        ),
        numbers: vec![
            TermNumber {
                name: "proven".into(),
                value: Some(f64::from(u8::from(held.proven_effective))),
                wanted: None,
                met: None,
            },
            TermNumber {
                name: (if held.trial_from > 0 {
                    "times_applied since its trial"
                } else {
                    "times_applied"
                })
                .into(),
                value: Some(f64::from(held.times_tried())),
                wanted: Some(format!(
                    "fewer than {}, or qualified by use",
                    policy.qualify_min_applied
                )),
                met: Some(few || held.proven_effective),
            },
            TermNumber {
                name: "consecutive_failures".into(),
                value: Some(f64::from(held.consecutive_failures)),
                wanted: Some(format!("fewer than {}", policy.max_consecutive_failures)),
                met: Some(held.consecutive_failures < policy.max_consecutive_failures),
            },
        ],
        sentence,
    }
}

fn success_rate(held: &Standing) -> Term {
    let value = held.success_rate();
    Term {
        name: "success_rate".into(),
        value,
        formula: "went well ÷ applied, over decisions with a known outcome".to_owned(),
        numbers: counts([
            ("success_count", held.success_count),
            ("times_applied", held.times_applied),
        ]),
        sentence: match value {
            Some(rate) => format!(
                "{} ÷ {} = {}.",
                held.success_count,
                held.times_applied,
                percent(rate)
            ),
            None => "No decision in which it was applied has an outcome yet.".to_owned(),
        },
    }
}

fn helpfulness(held: &Standing) -> Term {
    let value = held.effectiveness_score();
    let ratings = u64::from(held.times_helpful) + u64::from(held.times_not_helpful);
    Term {
        name: "effectiveness_score".into(),
        value,
        formula: "helpful ratings ÷ all ratings, from two ratings on".to_owned(),
        numbers: counts([
            ("times_helpful", held.times_helpful),
            ("times_not_helpful", held.times_not_helpful),
        ]),
        sentence: match value {
            Some(share) => format!("{} ÷ {ratings} = {}.", held.times_helpful, percent(share)),
            None if ratings == 0 => "Nobody has rated it yet.".to_owned(),
            None => "It has one rating; two are needed.".to_owned(),
        },
    }
}

fn confidence(held: &Standing, policy: &FoldPolicy) -> Term {
    Term {
        name: "confidence".into(),
        value: Some(held.confidence),
        formula: format!(
            "each helpful rating adds {}, each rating of not helpful takes {}, each vote adds or takes {}; between {} and {}",
            policy.helpful_step,
            policy.not_helpful_step,
            policy.vote_step,
            policy.confidence_min,
            policy.confidence_max
        ),
        numbers: counts([
            ("times_helpful", held.times_helpful),
            ("times_not_helpful", held.times_not_helpful),
            ("upvotes", held.upvotes),
            ("downvotes", held.downvotes),
        ]),
        sentence: format!("It stands at {}.", number(held.confidence)),
    }
}

fn effective_confidence(held: &Standing, policy: &RankPolicy) -> Term {
    let value = held.effective_confidence(policy);
    let penalty = held.rating_penalty(policy);
    let sentence = if penalty < 1.0 {
        format!(
            "{} × {} = {}.",
            number(held.confidence),
            number(penalty),
            number(value)
        )
    } else {
        "Nothing is taken off: it reads as confidence does.".to_owned()
    };
    Term {
        name: "effective_confidence".into(),
        value: Some(value),
        formula: format!(
            "confidence, × {} when fewer than {} of its ratings are helpful, × {} when it was shown {} times or more and never found helpful",
            policy.low_score_factor,
            percent(policy.low_score_below),
            policy.unhelpful_factor,
            policy.unhelpful_from_surfaced
        ),
        numbers: vec![
            plain("confidence", Some(held.confidence)),
            plain("effectiveness_score", held.effectiveness_score()),
            plain("times_surfaced", Some(f64::from(held.times_surfaced))),
            plain("times_helpful", Some(f64::from(held.times_helpful))),
        ],
        sentence,
    }
}

fn effectiveness(held: &Standing, policy: &FoldPolicy) -> Term {
    Term {
        name: "effectiveness".into(),
        value: Some(held.effectiveness),
        formula: format!(
            "a cause of good work: × {keep} + {gain}; a cause of blocked work: × {keep}; only at hand: {} of the way back to {}",
            percent(policy.erosion),
            percent(policy.neutral),
            keep = policy.effectiveness_keep,
            gain = policy.effectiveness_gain,
        ),
        numbers: counts([
            ("use_count", held.use_count),
            ("causal_hits", held.causal_hits),
        ]),
        sentence: if held.use_count == 0 {
            format!(
                "No feedback names it yet; it stands at {}.",
                percent(held.effectiveness)
            )
        } else {
            format!(
                "Named in feedback {}, as a cause {}: it stands at {}.",
                times(held.use_count),
                times(held.causal_hits),
                percent(held.effectiveness)
            )
        },
    }
}

fn causal_adjusted(held: &Standing, policy: &RankPolicy) -> Term {
    let value = held.causal_adjusted(policy);
    let sentence = if held.use_count < policy.causal_min_uses {
        format!(
            "Used {}: below {} uses effectiveness counts as it is, {}.",
            times(held.use_count),
            policy.causal_min_uses,
            percent(value)
        )
    } else {
        format!(
            "{} × the greater of {} and {} ÷ {} = {}.",
            number(held.effectiveness),
            policy.causal_floor,
            held.causal_hits,
            held.use_count,
            number(value)
        )
    };
    Term {
        name: "causal_adjusted".into(),
        value: Some(value),
        formula: format!(
            "effectiveness × the greater of {} and causes ÷ uses, from {} uses on",
            policy.causal_floor, policy.causal_min_uses
        ),
        numbers: vec![
            plain("effectiveness", Some(held.effectiveness)),
            plain("causal_hits", Some(f64::from(held.causal_hits))),
            plain("use_count", Some(f64::from(held.use_count))),
        ],
        sentence,
    }
}

fn rank_factor(held: &Standing, policy: &RankPolicy) -> Term {
    let adjusted = held.causal_adjusted(policy);
    let causal = policy.causal_base + policy.causal_weight * adjusted;
    let penalty = held.rating_penalty(policy);
    let value = causal * penalty;
    let taken = if penalty < 1.0 {
        format!(" × {}", number(penalty))
    } else {
        String::new()
    };
    Term {
        name: "rank_factor".into(),
        value: Some(value),
        formula: format!(
            "({} + {} × adjusted for cause) × what poor ratings take off",
            policy.causal_base, policy.causal_weight
        ),
        numbers: vec![
            plain("causal_adjusted", Some(adjusted)),
            plain("rating_penalty", Some(penalty)),
        ],
        sentence: format!(
            "({} + {} × {}){taken} = {}: its relevance is multiplied by this.",
            policy.causal_base,
            policy.causal_weight,
            number(adjusted),
            number(value)
        ),
    }
}

fn plain(name: &'static str, value: Option<f64>) -> TermNumber {
    TermNumber {
        name: name.into(),
        value,
        wanted: None,
        met: None,
    }
}

fn counts<const N: usize>(list: [(&'static str, u32); N]) -> Vec<TermNumber> {
    list.into_iter()
        .map(|(name, n)| plain(name, Some(f64::from(n))))
        .collect()
}

fn times(n: u32) -> String {
    match n {
        1 => "once".to_owned(),
        n => format!("{n} times"),
    }
}

/// Up to four decimals, no trailing zeros.
fn number(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Whole percent, or with one decimal when it needs one.
fn percent(share: f64) -> String {
    let text = format!("{:.1}", share * 100.0);
    format!("{}%", text.trim_end_matches(".0"))
}
