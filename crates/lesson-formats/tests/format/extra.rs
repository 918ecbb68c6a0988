//! Fields that lessons lack: kept, and written out again as they were.

use crate::{NOW, one, read};
use lesson_core::{Lesson, Trust};
use lesson_formats::{Format, parse, to_markdown, to_skills};
use lesson_types::limits::EXTRA;
use proptest::prelude::*;
use serde_json::{Value, json};

const NOTE: &str = "---\ntitle: Drain queues\nstage: 2024-05-01\nreviewed: true\nweight: 1.10\nowner: \"on\"\nlinks:\n  - https://a.example/x\n  - 'b: c'\nplace: {floor: 3, rooms: [a, b]}\nempty: {}\n---\nWorkers finish what they took.\n";

fn proven(mut lesson: Lesson) -> Lesson {
    lesson.trust = Trust::Approved;
    lesson.standing.proven_effective = true;
    lesson
}

fn skill_of(lesson: &Lesson) -> (String, String) {
    let all: Vec<_> = to_skills([lesson]).collect();
    assert_eq!(all.len(), 1);
    all.into_iter().next().unwrap()
}

#[test]
fn front_matter_keeps_its_other_fields_and_gives_them_back() {
    let lesson = one(("note.md", NOTE));
    assert_eq!(
        lesson.text.extra,
        r#"{"empty":{},"links":["https://a.example/x","b: c"],"owner":"on","place":{"floor":3,"rooms":["a","b"]},"reviewed":true,"stage":"2024-05-01","weight":1.10}"#
    );
    let warnings = read(("note.md", NOTE)).warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0]
            .message
            .ends_with(": empty, links, owner, place, reviewed, stage, weight"),
        "{warnings:?}"
    );
    let (name, content) = to_markdown(&lesson);
    for line in [
        "stage: 2024-05-01\n",
        "weight: 1.10\n",
        "owner: \"on\"\n",
        "links:\n  - https://a.example/x\n  - \"b: c\"\n",
        "place:\n  floor: 3\n  rooms:\n    - a\n    - b\n",
    ] {
        assert!(content.contains(line), "{line}\n{content}");
    }
    assert_eq!(one((&name, &content)).text, lesson.text);
}

#[test]
fn toml_json_and_broken_yaml_keep_them_too() {
    for (name, content, extra) in [
        (
            "a.md",
            "+++\ntitle = \"A\"\ncolour = \"red\"\n+++\nBody.\n",
            r#"{"colour":"red"}"#,
        ),
        (
            "a.json",
            r#"{"title": "A", "recommendation": "B", "colour": {"hue": [1, null, "x"]}}"#,
            r#"{"colour":{"hue":[1,null,"x"]}}"#,
        ),
        (
            "a.md",
            "---\ntitle: A: b\nglob_of: *.ts\nstage: two\n---\nBody.\n",
            r#"{"glob_of":"*.ts","stage":"two"}"#,
        ),
        (
            "a.md",
            "---\ntitle: A\nstage: one\n---\n---\nstage: two\ncolour: red\n---\nBody.\n",
            r#"{"colour":"red","stage":"one","stage 2":"two"}"#,
        ),
        (
            "a.json",
            r#"{"title": "A", "recommendation": "B", "extra": {"colour": 1}, "stage": 2}"#,
            r#"{"colour":1,"stage":2}"#,
        ),
        (
            "a.json",
            r#"{"title": "A", "recommendation": "B", "extra": "{\"colour\":1}"}"#,
            r#"{"colour":1}"#,
        ),
    ] {
        let lesson = one((name, content));
        assert_eq!(lesson.text.extra, extra, "{content}");
        let (name, content) = to_markdown(&lesson);
        assert_eq!(one((&name, &content)).text, lesson.text, "{content}");
    }
}

#[test]
fn a_skill_keeps_what_its_program_reads() {
    let file = "---\nname: pdf-forms\ndescription: Fills forms. Use when a PDF has fields.\nlicense: MIT\nallowed-tools: Read Bash(pdf *)\nmetadata:\n  author: a team\n  version: \"1.0\"\n---\n# PDF forms\n\nRead the fields first.\n";
    let lesson = proven(one(("pdf-forms/SKILL.md", file)));
    assert_eq!(
        lesson.text.extra,
        r#"{"allowed-tools":"Read Bash(pdf *)","license":"MIT","metadata":{"author":"a team","version":"1.0"}}"#
    );
    let (path, content) = skill_of(&lesson);
    for line in [
        "license: MIT\n",
        "allowed-tools: \"Read Bash(pdf *)\"\n",
        "  author: a team\n  version: \"1.0\"\n---\n",
    ] {
        assert!(content.contains(line), "{line}\n{content}");
    }
    let back = one((&path, &content));
    assert_eq!((back.slug, back.text), (lesson.slug, lesson.text));
}

#[test]
fn too_much_costs_the_field_and_not_the_file() {
    let content = format!(
        "---\ntitle: A\nlong: {}\nshort: yes please\n---\nBody.\n",
        "x".repeat(EXTRA)
    );
    let parsed = read(("a.md", &content));
    assert_eq!(parsed.rejected, []);
    assert_eq!(
        parsed.lessons[0].lesson.text.extra,
        r#"{"short":"yes please"}"#
    );
    let told: Vec<_> = parsed
        .warnings
        .iter()
        .filter(|warning| warning.code == "extra_too_large")
        .collect();
    assert!(
        told.len() == 1 && told[0].message.contains("left out: long"),
        "{:?}",
        parsed.warnings
    );
}

fn value() -> impl Strategy<Value = Value> {
    let text = prop_oneof!["[a-z0-9:#\\-_./ ]{0,12}", "\\PC{0,8}", any::<String>()];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e6..1e6).prop_map(|n: f64| json!(n)),
        prop::sample::select(vec![
            "true", "null", "~", "0x1F", "1e3", "- a", "a: b", "{", "*x", "---"
        ])
        .prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-z_ :é]{0,6}", inner, 0..3).prop_map(|map| json!(map)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_they_hold_reads_back_the_same(
        extra in prop::collection::btree_map("(metadata|name|license|title|tags|[a-zA-Z_:#\" -]{0,8})", value(), 0..5),
    ) {
        let record = json!({"slug": "a-slug", "title": "A title", "description": "What", "recommendation": "Do it.", "extra": extra});
        let parsed = parse("a.json", &record.to_string(), Format::Json, NOW);
        prop_assert_eq!(&parsed.rejected, &[]);
        let lesson = proven(parsed.lessons[0].lesson.clone());
        let kept = lesson.text.extra_fields().unwrap_or_default();
        prop_assert_eq!(Value::Object(kept), json!(extra));
        for (path, content) in [to_markdown(&lesson), skill_of(&lesson)] {
            let parsed = parse(&path, &content, Format::Auto, NOW);
            prop_assert_eq!(&parsed.rejected, &[], "{}", content);
            prop_assert_eq!(&parsed.lessons[0].lesson.text, &lesson.text, "{}", content);
        }
    }
}
