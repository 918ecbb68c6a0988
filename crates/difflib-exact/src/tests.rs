//! Facts of difflib, by hand; the bulk comparison with CPython is `tests/sequence_oracle.rs` of the workspace.

use super::masks::LONGEST;
use super::sparse::POPULAR_FROM;
use super::*;

#[test]
fn ratios_of_the_difflib_documentation() {
    // a, b, ratio, quick_ratio, real_quick_ratio
    let table = [
        ("", "", 1.0, 1.0, 1.0),
        ("", "a", 0.0, 0.0, 0.0),
        ("a", "", 0.0, 0.0, 0.0),
        ("abc", "abc", 1.0, 1.0, 1.0),
        ("abc", "xyz", 0.0, 0.0, 1.0),
        ("abcd", "bcde", 0.75, 0.75, 1.0),
        ("tide", "diet", 0.25, 1.0, 1.0),
        ("diet", "tide", 0.5, 1.0, 1.0),
        ("ab", "acab", 2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0),
    ];
    for (a, b, ratio, quick, real_quick) in table {
        let mut matcher = SequenceMatcher::new(b);
        assert_eq!(matcher.ratio(a), ratio, "{a} {b}");
        assert_eq!(matcher.quick_ratio(a), quick, "{a} {b}");
        assert_eq!(matcher.real_quick_ratio(a), real_quick, "{a} {b}");
        assert_eq!(sequence_ratio(a, b), ratio, "{a} {b}");
    }
}

#[test]
fn code_points_count_not_bytes_nor_graphemes() {
    assert_eq!(sequence_ratio("é", "e\u{301}"), 0.0);
    assert_eq!(sequence_ratio("ée\u{301}", "e\u{301}"), 0.8);
    assert_eq!(sequence_ratio("\u{1f600}a", "\u{1f600}b"), 0.5);
}

#[test]
fn the_first_of_equally_long_matches_wins() {
    let table = [
        ("ab", "acab", 0..2, 0..4, (0, 2, 2)),
        (" abcd", "abcd abcd", 0..5, 0..9, (0, 4, 5)),
        ("abxab", "ab", 0..5, 0..2, (0, 0, 2)),
        ("ab", "abxab", 0..2, 0..5, (0, 0, 2)),
        ("ab", "abxab", 0..2, 1..5, (0, 3, 2)),
        ("ab", "c", 0..2, 0..1, (0, 0, 0)),
        ("abc", "abc", 1..1, 2..3, (1, 2, 0)),
        ("abc", "abc", 0..99, 0..99, (0, 0, 3)),
    ];
    for (a, b, a_range, b_range, (at, bt, size)) in table {
        let found = SequenceMatcher::new(b).find_longest_match(a, a_range, b_range);
        assert_eq!(found, Block { a: at, b: bt, size }, "{a} {b}");
    }
}

#[test]
fn blocks_and_opcodes_of_the_difflib_documentation() {
    let mut matcher = SequenceMatcher::new("abycdf");
    let blocks: Vec<_> = matcher
        .matching_blocks("qabxcd")
        .iter()
        .map(|block| (block.a, block.b, block.size))
        .collect();
    assert_eq!(blocks, [(1, 0, 2), (4, 3, 2), (6, 6, 0)]);

    let steps: Vec<_> = matcher
        .opcodes("qabxcd")
        .into_iter()
        .map(|step| (step.tag, step.a, step.b))
        .collect();
    assert_eq!(
        steps,
        [
            (OpcodeTag::Delete, 0..1, 0..0),
            (OpcodeTag::Equal, 1..3, 0..2),
            (OpcodeTag::Replace, 3..4, 2..3),
            (OpcodeTag::Equal, 4..6, 3..5),
            (OpcodeTag::Insert, 6..6, 5..6),
        ]
    );
    assert!(SequenceMatcher::new("").opcodes("").is_empty());
}

#[test]
fn popular_elements_start_no_match_from_two_hundred_on() {
    // The example of CPython's own test of the heuristic, one element below and at the limit.
    let b = |length: usize| "b".repeat(length);
    let a = |length: usize| format!("a{}", b(length));
    assert_eq!(POPULAR_FROM, LONGEST + 1);
    assert_eq!(sequence_ratio(&a(199), &b(199)), 398.0 / 399.0);
    assert_eq!(sequence_ratio(&a(200), &b(200)), 0.0);
    // Only the length of the second text counts.
    assert_eq!(sequence_ratio(&b(200), &b(199)), 398.0 / 399.0);
}

#[test]
fn popular_elements_still_extend_a_match() {
    let b = format!("{}x{}", "b".repeat(150), "b".repeat(150));
    assert_eq!(sequence_ratio("bbxbb", &b), 10.0 / 306.0);
    assert_eq!(sequence_ratio("bb", &b), 4.0 / 303.0);
    assert_eq!(sequence_ratio("abb", &b), 0.0);
}

#[test]
fn cutoff_gives_the_exact_ratio_or_nothing() {
    let mut matcher = SequenceMatcher::new("bcde");
    assert_eq!(matcher.ratio_at_least("abcd", 0.75), Some(0.75));
    assert_eq!(matcher.ratio_at_least("abcd", 0.750_000_1), None);
    assert_eq!(matcher.ratio_at_least("abcd", 0.0), Some(0.75));
    assert_eq!(matcher.ratio_at_least("abcd", f64::NAN), None);
    assert_eq!(matcher.ratio_at_least("", 0.0), Some(0.0));
    matcher.set_b("");
    assert_eq!(matcher.ratio_at_least("", 1.0), Some(1.0));
}

#[test]
fn deep_block_trees_and_long_runs_end() {
    // A block tree as deep as the text is long would overflow a recursive search.
    let a: String = ('\u{4e00}'..).take(6_000).flat_map(|c| [c, 'a']).collect();
    let b: String = ('\u{4e00}'..).take(6_000).flat_map(|c| [c, 'b']).collect();
    assert_eq!(sequence_ratio(&a, &b), 0.5);
    let long = "a".repeat(200_000);
    assert_eq!(sequence_ratio(&long, &long), 1.0);
    assert_eq!(sequence_ratio(&long, "aaa"), 6.0 / 200_003.0);
}
