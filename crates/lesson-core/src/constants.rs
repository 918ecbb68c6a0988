//! The constants that a space may change: what each does, in a sentence, and within which bounds.

use crate::policy::Policy;
use crate::settings::{MEASURE_SETTING, MOST_WITHHELD, RANK_SETTING};
use lesson_types::{Constant, ConstantKind, StandingRule};
use serde_json::Value;

/// A row: name, greatest value, sentence. The least value is 0, but of counts that have to be 1.
type Row = (&'static str, f64, &'static str);

const ANY: f64 = u32::MAX as f64;

#[rustfmt::skip]
const RANK: &[Row] = &[
    ("standing", 0.0, "What past use does to a lesson's place: its lift, as far as it is known, or the rules of ratings and outcomes."),
    ("approved_only", 0.0, "Whether only lessons that a person approved are recommended."),
    ("match_weight", 1.0, "How much the match of situation and lesson counts in a project's relevance."),
    ("metadata_weight", 1.0, "How much project type and technologies count in it."),
    ("confidence_weight", 1.0, "How much a lesson's confidence counts in it."),
    ("meaning_weight", 1.0, "How much meaning counts in a match; words have the rest."),
    ("words_alone", 1.0, "What words count for where a lesson has no vector or no model is loaded."),
    ("meaning_from", 1.0, "The similarity of meaning up to which a lesson is about something else."),
    ("meaning_to", 1.0, "The similarity of meaning from which it says the same; above meaning_from."),
    ("meaning_min_covered", 1.0, "The share of lessons that need vectors for meaning to take part."),
    ("match_floor", 1.0, "A match below this counts as none."),
    ("english_match_floor", 1.0, "The same for a query in English, with a model that reads many languages; never below match_floor."),
    ("tech_mismatch_factor", 1.0, "What is left of a match when both sides name technologies and share none."),
    ("project_weight", 1.0, "How much the project type counts beside technologies."),
    ("tech_weight", 1.0, "How much technologies count beside the project type; at most 1 with project_weight."),
    ("unnamed", 1.0, "What a side that names no project type or technology counts for."),
    ("decision_base", 1.0, "Where the relevance for a decision begins."),
    ("strategy_bonus", 1.0, "What a strategy gains in a decision."),
    ("warning_after_loss_bonus", 1.0, "What a warning gains after recent losses."),
    ("pattern_no_position_bonus", 1.0, "What a pattern gains while no positions are open."),
    ("evolved_bonus", 1.0, "What an evolved lesson gains."),
    ("warning_volatility_bonus", 1.0, "What a warning gains in high volatility."),
    ("bearish_exit_bonus", 1.0, "What a text that speaks of exit or loss gains in a bearish trend."),
    ("decision_cap", 1.0, "The most that relevance for a decision comes to."),
    ("relevance_min", 1.0, "A lesson of less relevance is left out, whatever its standing."),
    ("low_score_below", 1.0, "A lesson rated below this is moved down."),
    ("low_score_factor", 1.0, "By this factor."),
    ("unhelpful_from_surfaced", ANY, "A lesson shown this often and never rated helpful is moved down."),
    ("unhelpful_factor", 1.0, "By this factor."),
    ("causal_base", 1.0, "What a lesson's score keeps whatever feedback says of it."),
    ("causal_weight", 1.0, "What feedback adds to that at most; at most 1 with causal_base."),
    ("causal_floor", 1.0, "The share of uses in which a lesson was a cause counts for at least this."),
    ("causal_min_uses", ANY, "Feedback counts from this many uses on."),
    ("qualify_min_applied", ANY, "A lesson applied less often than this is recommended whatever came of it."),
    ("max_consecutive_failures", ANY, "So many failures in a row keep a lesson out."),
    ("top_decision", 100.0, "Lessons in an answer to a decision."),
    ("top_project", 100.0, "Lessons in an answer to a project alone."),
    ("top_patterns", 100.0, "Lessons in an answer to a feature."),
    ("top_search", 100.0, "Lessons in an answer to a search."),
    ("search_match_weight", 1.0, "How much the match counts in a search."),
    ("search_confidence_weight", 1.0, "How much confidence counts in a search."),
    ("likelihood_match", 100.0, "How much a lesson's match counts in its likelihood, 1 / (1 + e^−z): z gains this by a full match."),
    ("likelihood_lead", 100.0, "How much its match beside the best of the answer counts in it: z gains this where it is the best."),
    ("likelihood_base", 100.0, "What is taken from z."),
    ("words_likelihood_match", 100.0, "The same as likelihood_match where lessons are matched by words alone."),
    ("words_likelihood_lead", 100.0, "The same as likelihood_lead there."),
    ("words_likelihood_base", 100.0, "The same as likelihood_base there."),
    ("min_likelihood", 1.0, "With a query, a lesson less likely than this is left out; with the model, than this times the square of the best lesson's likelihood."),
    ("likely_very_high", 1.0, "The likelihood from which a lesson reads very high."),
    ("likely_high", 1.0, "The likelihood from which it reads high."),
    ("likely_medium", 1.0, "The likelihood from which it reads medium."),
    ("match_medium", 1.0, "A match below this reads low even where it is the best."),
    ("word_very_high", 1.0, "The relevance from which it reads very high where nothing was asked in words."),
    ("word_high", 1.0, "The relevance from which it reads high there."),
    ("word_medium", 1.0, "The relevance from which it reads medium there."),
];

#[rustfmt::skip]
const MEASURE: &[Row] = &[
    ("control_runs", MOST_WITHHELD, "The share of decisions that get no lessons, so that runs with lessons can be compared with them; 0 is off."),
    ("withhold", MOST_WITHHELD, "How often a lesson that would be shown is left out, so that what it does can be told; 0 is off."),
    ("explore", MOST_WITHHELD, "How often the last place goes to one of the next five lessons; 0 is off."),
    ("always", 100.0, "Lessons that are never left out, such as those for safety or law."),
];

/// The constants that a space may change, ranking first; `base` holds the defaults. Those that hosts set and those of the
/// fold are the same for everybody and not here.
pub fn constants(base: &Policy) -> Vec<Constant> {
    let sections = [
        (RANK_SETTING, RANK, serde_json::to_value(&base.rank)),
        (
            MEASURE_SETTING,
            MEASURE,
            serde_json::to_value(&base.measure),
        ),
    ];
    let rows = sections.into_iter().flat_map(|(prefix, rows, held)| {
        let held = held.unwrap_or_default();
        rows.iter().map(move |row| constant(prefix, row, &held))
    });
    let servers = Constant {
        name: "tools.core_servers".to_owned(),
        about:
            "Tool servers that are always at hand, so that they are neither recorded nor suggested."
                .to_owned(),
        kind: ConstantKind::Words,
        default: Value::Array(Vec::new()),
        least: None,
        most: None,
        words: Vec::new(),
    };
    rows.chain([servers]).collect()
}

fn constant(prefix: &str, (name, most, about): &Row, held: &Value) -> Constant {
    let default = held.get(name).cloned().unwrap_or_default();
    let kind = match &default {
        Value::Bool(_) => ConstantKind::Flag,
        Value::String(_) => ConstantKind::Word,
        Value::Array(_) => ConstantKind::Words,
        Value::Number(number) if number.is_u64() => ConstantKind::Count,
        _ => ConstantKind::Number,
    };
    let (is_number, is_count) = (kind == ConstantKind::Number, kind == ConstantKind::Count);
    let least = if name.starts_with("top_") { 1.0 } else { 0.0 };
    Constant {
        name: format!("{prefix}{name}"),
        about: (*about).to_owned(),
        least: (is_number || is_count).then_some(least),
        most: (is_number || is_count).then_some(*most),
        words: if kind == ConstantKind::Word {
            let words = StandingRule::ALL.iter();
            words.map(|word| word.as_str().to_owned()).collect()
        } else {
            Vec::new()
        },
        kind,
        default,
    }
}
