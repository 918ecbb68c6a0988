//! Effects of the constants that no space may change: the fold's, as a ledger means the same everywhere, and those of reading
//! use, sessions, tools and the queue. Those that a space may change are told by the engine.

/// Section and name of a constant, as the policy has them, and its sentence.
#[rustfmt::skip]
const SENTENCES: &[(&str, &str)] = &[
    ("fold.helpful_step", "What a helpful rating adds to confidence."),
    ("fold.not_helpful_step", "What a rating of not helpful takes from confidence: more than a helpful one gives, so that a lesson that helps half of the time sinks."),
    ("fold.vote_step", "What a vote adds to confidence, or takes from it."),
    ("fold.confidence_min", "Ratings and votes bring confidence no lower than this, so that a lesson can come back."),
    ("fold.confidence_max", "Ratings and votes bring confidence no higher than this."),
    ("fold.effectiveness_keep", "What feedback leaves of a lesson's old effectiveness: at 0.9 about the last twenty count."),
    ("fold.effectiveness_gain", "What feedback adds for a cause of good work; with what is kept it comes to 1."),
    ("fold.erosion", "How far a lesson that was at hand and no cause drifts back to neutral, as a share of the way."),
    ("fold.neutral", "The effectiveness that a lesson begins with and drifts back to."),
    ("fold.proven_min_applied", "Runs with an outcome that have to apply a lesson before it may be proven."),
    ("fold.proven_min_rate", "The success rate from which it is proven."),
    ("fold.unheeded_from", "A lesson that was shown this often and never applied, rated helpful or named as a cause loses some of its lift with each further showing."),
    ("fold.shared_from_keys", "With this many agent keys or more, an agent can't promote its own lesson; a person must approve."),
    ("usage.explicit_confidence", "How sure it is that a lesson was applied which the agent named."),
    ("usage.implicit_confidence", "How sure it is of one whose key phrases appeared."),
    ("usage.implicit_min_phrases", "Different key phrases that have to appear: fewer are met by chance."),
    ("usage.phrase_min", "The shortest key phrase taken from bold text and headings, in characters."),
    ("usage.phrase_max", "The longest key phrase taken from bold text and headings, in characters."),
    ("usage.bullet_words", "Words taken from the beginning of a bullet as a key phrase."),
    ("usage.bullet_min", "The shortest key phrase taken from a bullet, in characters."),
    ("usage.quote_radius", "Characters that are quoted on either side of what was found."),
    ("session.insight_min", "The shortest insight of a session that becomes a lesson, in characters."),
    ("session.causal_cosine_min", "The similarity of a lesson and what came of a session from which the lesson counts as a cause."),
    ("session.health_days", "Days that the health of the space looks back for feedback."),
    ("tools.max_records", "A book of successes that grows past this drops its oldest."),
    ("tools.keep_records", "How many successes remain then."),
    ("tools.half_life_days", "Days after which a success counts half."),
    ("tools.fuzzy_weight", "How much similar spelling counts beside shared words."),
    ("tools.fuzzy_cutoff", "The similarity of spelling from which a success without a shared word counts."),
    ("tools.suggestions", "Servers that are suggested when nobody says how many."),
    ("tools.because_limit", "Successes that are named as reasons for one server."),
    ("review.near_meaning_min", "The similarity of meaning from which two lessons are near duplicates."),
    ("review.near_words_min", "The share of words in common from which lessons without a vector are near duplicates."),
    ("review.near_most", "The most near duplicates in the queue at a time."),
    ("review.bottom_below", "A rating score below this puts the five worst lessons into the queue."),
    ("review.prune_below", "Effectiveness below this makes a lesson a candidate for pruning."),
    ("review.prune_min_causal", "And it has to have been a cause this often: fewer uses say little."),
    ("review.judged_most", "The most lessons in the queue at a time that outcomes keep out, and as many to prune."),
    ("review.never_rated_most", "The most lessons in the queue at a time that are often shown and never rated."),
];

/// Returns what a constant does; of a nested one, such as `rank.phases: review`, what its parent does.
pub fn sentence(section: &str, name: &str) -> Option<&'static str> {
    if section == "rank" && name.starts_with("phases") {
        return Some(
            "Categories of lessons that pass in this phase of work; workflow always does.",
        );
    }
    let parts = SENTENCES.iter().find(|(full, _)| {
        full.strip_prefix(section)
            .and_then(|rest| rest.strip_prefix('.'))
            == Some(name)
    });
    parts.map(|(_, sentence)| *sentence)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_constant_is_told_by_its_section_and_name() {
        assert!(sentence("fold", "erosion").is_some_and(|text| text.contains("neutral")));
        assert!(sentence("rank", "phases: review").is_some());
        assert_eq!(sentence("fold", "near_most"), None);
        assert_eq!(sentence("", "erosion"), None);
        for (name, text) in SENTENCES {
            assert!(text.ends_with('.'), "{name}");
        }
    }
}
