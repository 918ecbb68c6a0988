//! Two rankings of one situation: who moved, and which factor made them.

use crate::common::{space, with, written};
use lesson_core::{Explain, KeywordIndex, RankPolicy, Situation, compare, recommend};

#[test]
fn a_comparison_names_who_moved_and_why() {
    let poor = with("poor", |lesson| {
        *lesson = written("poor", "Cache the page", "Cache queries of the page.");
        lesson.standing.times_not_helpful = 4;
    });
    let space = space([
        poor,
        written("other", "Cache pages", "Cache queries."),
        written("far", "Perps", "Nothing of it."),
    ]);
    let index = KeywordIndex::of_space(&space);
    let situation = Situation {
        query: Some("cache the queries of the page".to_owned()),
        limit: Some(1),
        ..Situation::default()
    };
    let rank = |policy: &RankPolicy| {
        recommend(&space, &situation, None, &index, policy, Explain::All).expect("it is complete")
    };
    let held = crate::common::seeds().rank;
    let forgiving = RankPolicy {
        low_score_factor: 1.0,
        ..crate::common::seeds().rank
    };
    let told = compare(&rank(&held), &rank(&forgiving));
    let moves: Vec<(&str, Option<u32>, Option<u32>)> = told
        .iter()
        .map(|one| (one.slug.as_str(), one.before.rank, one.after.rank))
        .collect();
    assert_eq!(moves, [("poor", None, Some(1)), ("other", Some(1), None)]);
    let poor = &told[0];
    assert_eq!(poor.factors[0].name, "low_rating");
    assert!(poor.factors[0].before < 0.0 && poor.factors[0].after == 0.0);
    assert!(
        poor.sentence.starts_with("Its score rises"),
        "{}",
        poor.sentence
    );
    let other = &told[1];
    assert!(other.factors.is_empty());
    assert_eq!(
        other.sentence,
        "Its score is the same; others moved past it. It is left out: it ranks 2, and 1 were wanted."
    );
    // The same ranking twice: nobody moves, and nothing differs.
    let same = compare(&rank(&held), &rank(&held));
    assert!(
        same.iter()
            .all(|one| one.before == one.after && one.factors.is_empty())
    );
    assert_eq!(same[0].sentence, "Its score is the same.");
}
