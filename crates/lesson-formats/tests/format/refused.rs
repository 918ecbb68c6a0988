//! Refused files and records, each with its place; the good beside them is kept.

use crate::{NOW, lessons, read};
use lesson_formats::{Format, Problem, parse_all};

/// Code and line of every refusal.
pub fn refusals(path: &str, content: &str) -> Vec<(&'static str, Option<u32>)> {
    read((path, content))
        .rejected
        .iter()
        .map(|p| (p.code, p.line))
        .collect()
}

#[test]
fn what_is_bad_is_named_with_its_place() {
    let table: &[(&str, &str, &str, Option<u32>, &str)] = &[
        ("a.md", "", "empty", None, "fill"),
        ("a.md", " \n\t\n", "empty", None, "fill"),
        ("a.md", "\u{fffd}\u{fffd}a\0b\0", "encoding", None, "UTF-8"),
        ("a.png", "x", "unknown_format", None, ".png"),
        (
            "日本.md",
            "---\nstatus: active\n---\n",
            "empty",
            Some(1),
            "says nothing",
        ),
        (
            "a.json",
            "{\"slug\": \"a\", ",
            "json",
            Some(1),
            "nothing of this file",
        ),
        ("a.json", "3", "json", Some(1), "objects"),
        (
            "a.json",
            "[\n{\"title\": \"a\", \"confidence\": NaN}]",
            "invalid_field",
            Some(2),
            "confidence",
        ),
        (
            "a.json",
            "{\"title\": \"a\",\n\"confidence\": -Infinity}",
            "invalid_field",
            Some(2),
            "confidence",
        ),
        (
            "a.json",
            "{\"title\": \"a\", \"times_helpful\": -3}",
            "invalid_field",
            Some(1),
            "times_helpful",
        ),
        (
            "a.json",
            "{\"title\": \"a\", \"use_count\": 2.5}",
            "invalid_field",
            Some(1),
            "use_count",
        ),
        (
            "a.json",
            "{\"title\": \"a\", \"upvotes\": 4294967296}",
            "invalid_field",
            Some(1),
            "upvotes",
        ),
        (
            "a.json",
            "{\"title\": \"a\", \"success_count\": 3}",
            "invalid_field",
            Some(1),
            "times_applied",
        ),
        (
            "a.json",
            "{\"title\": \"a\",\n \"title\": \"b\"}",
            "json",
            Some(2),
            "twice",
        ),
        (
            "a.json",
            "{\"title\": \"\\ud800\"}",
            "json",
            Some(1),
            "surrogate",
        ),
        (
            "a.jsonl",
            "{\"op_id\":\"1\",\"actor\":\"a\",\"seq\":1,\"at\":\"2026-01-01T00:00:00Z\",\"event\":{\"Exploded\":{}}}",
            "unknown_event",
            Some(1),
            "Exploded",
        ),
        (
            "a.jsonl",
            "{\"op_id\":\"1\",\"event\":{\"Rated\":{\"lesson\":\"a\",\"helpful\":true}}}",
            "event",
            Some(1),
            "actor, seq, at",
        ),
        (
            "a.jsonl",
            "{\"lessonloop\":\"ledger\",\"version\":1}\n{\"op_id\":\"1\",\"actor\":\"a\",\"seq\":1,\"at\":\"2026-01-01T00:00:00Z\",\"event\":{\"Rated\":{\"lesson\":\"a\",\"helpful\":true}}}",
            "ledger_version",
            Some(1),
            "0.1.0-pre",
        ),
        (
            "a.jsonl",
            "{\"lessonloop\":\"ledger\",\"version\":4}\n{\"op_id\":\"1\",\"actor\":\"a\",\"seq\":1,\"at\":\"2026-01-01T00:00:00Z\",\"event\":{\"Rated\":{\"lesson\":\"a\",\"helpful\":true}}}",
            "ledger_version",
            Some(1),
            "0.1.0-pre",
        ),
        (
            "a.jsonl",
            "{\"format\":\"lessonloop-ledger\",\"version\":9}",
            "ledger_version",
            Some(1),
            "newer version",
        ),
        (
            "a.jsonl",
            "{\"format\":\"lessonloop-ledger\",\"version\":1}\n{\"title\":\"a\"}",
            "event",
            Some(2),
            "op_id",
        ),
    ];
    for (path, content, code, line, part) in table {
        let parsed = read((path, content));
        assert_eq!(
            parsed.lessons.len() + parsed.events.len(),
            0,
            "{content:?} was taken"
        );
        let [
            Problem {
                code: got,
                line: at,
                message,
                path: named,
            },
        ] = parsed.rejected.as_slice()
        else {
            panic!("{content:?} gave {:?}", parsed.rejected);
        };
        assert_eq!(got, code, "{content:?}: {message}");
        assert_eq!(named, path);
        if line.is_some() || *code == "empty" {
            assert_eq!(at, line, "{content:?}: {message}");
        }
        assert!(message.contains(part), "{content:?}: {message}");
    }
}

#[test]
fn the_good_is_kept_beside_the_bad() {
    let content = "[{\"title\":\"good one\",\"content\":\"x\"},\n {\"title\":\"bad one\",\"confidence\":NaN},\n 7,\n {\"title\":\"good two\",\"content\":\"y\"}]";
    let parsed = read(("mixed.json", content));
    let slugs: Vec<_> = parsed
        .lessons
        .iter()
        .map(|l| l.lesson.slug.as_str())
        .collect();
    assert_eq!(slugs, ["good-one", "good-two"]);
    assert_eq!(
        refusals("mixed.json", content),
        [("invalid_field", Some(2)), ("json", Some(3))]
    );
    assert_eq!(
        refusals(
            "mixed.jsonl",
            "{\"title\":\"a b\"}\nnot json\n{\"title\":\"c d\"}"
        ),
        [("json", Some(2))]
    );
    let files = [
        ("good.md", "# Good\n\nText"),
        ("bad.md", "---\na: [\n---\n"),
        ("more.md", "# More\n\nText"),
    ];
    let parsed = parse_all(&files, Format::Auto, NOW);
    assert_eq!(parsed.lessons.len(), 2);
    assert_eq!(parsed.rejected[0].path, "bad.md");
}

#[test]
fn lengths_are_bounded_and_the_field_is_named() {
    for (field, most) in [
        ("title", 300),
        ("description", 4_000),
        ("context", 20_000),
        ("recommendation", 100_000),
        ("domain", 100),
        ("source", 100),
    ] {
        let record = |length: usize| {
            format!(
                "{{\"slug\":\"a-b\",\"title\":\"t\",\"{field}\":\"{}\"}}",
                "é".repeat(length)
            )
            .replace("\"title\":\"t\",\"title\"", "\"title\"")
        };
        assert_eq!(lessons(("a.json", &record(most))).len(), 1, "{field}");
        let parsed = read(("a.json", &record(most + 1)));
        assert_eq!(parsed.rejected.len(), 1, "{field}");
        assert_eq!(parsed.rejected[0].code, "too_long");
        assert!(
            parsed.rejected[0].message.starts_with(field),
            "{}",
            parsed.rejected[0].message
        );
    }
    let tags: Vec<String> = (0..65).map(|n| format!("\"t{n}\"")).collect();
    let parsed = read((
        "a.json",
        &format!("{{\"title\":\"t\",\"tags\":[{}]}}", tags.join(",")),
    ));
    assert!(
        parsed.rejected[0].message.starts_with("tags has 65"),
        "{:?}",
        parsed.rejected
    );
    let huge = "x".repeat(32 * 1024 * 1024 + 1);
    assert_eq!(refusals("huge.md", &huge), [("too_large", None)]);
}

#[test]
fn a_slug_comes_once() {
    let files = [
        ("one/keep-it.md", "# Keep it\n\nShort."),
        ("two/keep-it.md", "# Keep it\n\nShort."),
        ("three/keep-it.md", "# Keep it\n\nLong."),
        ("three/Keep it.md", "# Keep it\n\nLonger."),
        ("one/deep/keep-it.md", "# Keep it\n\nDeep."),
        ("keep-it.md", "# Keep it\n\nTop."),
    ];
    let parsed = parse_all(&files, Format::Auto, NOW);
    let slugs: Vec<_> = parsed
        .lessons
        .iter()
        .map(|l| l.lesson.slug.as_str())
        .collect();
    assert_eq!(
        slugs,
        ["keep-it", "keep-it-three", "keep-it-deep", "keep-it-top"]
    );
    assert_eq!((parsed.unchanged, parsed.rejected.len()), (1, 1));
    assert_eq!(parsed.rejected[0].path, "three/Keep it.md");
    let files = [
        ("keep-it.md", "---\nslug: one-name\n---\nShort."),
        ("keep-that.md", "---\nslug: one-name\n---\nLong."),
    ];
    let parsed = parse_all(&files, Format::Auto, NOW);
    assert_eq!(parsed.rejected.len(), 1);
    let problem = &parsed.rejected[0];
    assert_eq!(
        (problem.path.as_str(), problem.code),
        ("keep-that.md", "duplicate_slug")
    );
    assert!(
        problem.message.contains("keep-it.md, line 1"),
        "{}",
        problem.message
    );
}

#[test]
fn files_of_one_name_in_many_folders_are_told_apart_by_as_many_as_it_takes() {
    let mut files = Vec::new();
    for tongue in ["ja", "tr", "zh-CN"] {
        for language in ["go", "rust", "swift"] {
            for part in ["a", "b"] {
                files.push((
                    format!("docs/{tongue}/rules/{language}/{part}/testing.md"),
                    format!("# Testing\n\n{tongue}, {language}, {part}."),
                ));
            }
        }
    }
    let parsed = parse_all(&files, Format::Auto, NOW);
    assert_eq!(parsed.rejected, []);
    let mut slugs: Vec<_> = parsed
        .lessons
        .iter()
        .map(|read| read.lesson.slug.clone())
        .collect();
    slugs.sort();
    slugs.dedup();
    assert_eq!(slugs.len(), files.len());
    // Wherever the import begins, the names are the same.
    let deeper: Vec<_> = files
        .iter()
        .map(|(path, text)| (format!("some/where/{path}"), text.clone()))
        .collect();
    let again = parse_all(&deeper, Format::Auto, NOW);
    for (one, other) in parsed.lessons.iter().zip(&again.lessons) {
        assert_eq!(one.lesson.slug, other.lesson.slug);
    }
}

#[test]
fn headings_in_other_scripts_with_the_same_latin_letters_are_lessons_each() {
    let rules = "# ルール\n\n## Agent 編成\n\nOne.\n\n## 並列 Agent 実行\n\nTwo.\n";
    let parsed = read(("docs/ja/AGENTS.md", rules));
    assert_eq!(parsed.rejected, []);
    assert_eq!(parsed.lessons.len(), 2);
}

#[test]
fn a_thousand_problems_are_listed_and_the_rest_counted() {
    let parsed = read(("a.jsonl", &"x\n".repeat(5_000)));
    assert_eq!(parsed.rejected.len(), 1_001);
    let last = &parsed.rejected[1_000];
    assert_eq!(last.code, "more");
    assert!(last.message.contains("4000"), "{}", last.message);
}
