//! Properties over messy texts.

use crate::NOW;
use lesson_core::{Category, Lesson, Text};
use lesson_formats::{Format, parse, to_markdown};
use proptest::prelude::*;

fn words() -> impl Strategy<Value = Vec<String>> {
    prop::collection::btree_set("[a-zA-Z0-9:#'\"\\\\é-][a-z :,é]{0,8}[a-z]", 0..4)
        .prop_map(|set| set.into_iter().collect())
}

/// Texts that look like markdown, YAML and JSON, with whatever may go wrong in them.
fn messy() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "\\PC{0,12}",
        any::<String>().prop_map(|text| text.chars().take(12).collect()),
        prop::sample::select(vec![
            "---\n",
            "\n",
            "# ",
            "## Context\n",
            "**Context:** ",
            "- ",
            "title: ",
            "tags: [",
            "]",
            "\"",
            "'",
            "{",
            "}",
            ":",
            ",",
            "|\n",
            "```\n",
            "\t",
            "\r\n",
            "&a ",
            "*a ",
            "{\"title\": ",
            "{\"bullets\": [",
            "[x-1] helpful=",
            "::",
            "NaN",
            "null",
            "1e999",
            "\\u",
            "\\ud800",
            "{\"op_id\": \"1\", \"event\": {",
            "\u{feff}",
            "\u{202e}",
            "match:\n",
            "  keywords:\n",
            "...\n",
            "? ",
            "!!str ",
            "%YAML 1.2\n",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

/// Lines as front matter has them, with whatever may be wrong in them.
fn front() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "[a-z]{1,8}: \\PC{0,16}",
        "(title|name|tags|description|context|confidence|created_at|status|slug|globs|metadata|match):[ \t]{0,2}[-\\[{\"'#*&!@%`a-z0-9:>|, ]{0,12}",
        "(  |\t)- [a-z:#*]{0,8}",
        "- [a-z:#]{0,8}",
        "[A-Z][a-z ]{0,12}",
        "#[a-z ]{0,8}",
        Just(String::new()),
    ];
    prop::collection::vec(line, 0..8).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_that_is_read_panics(content in messy(), front in messy(), name in "[a-z.-]{0,12}(\\.md|\\.json|\\.jsonl|\\.txt|)") {
        for content in [content.clone(), format!("---\n{front}\n---\n{content}"), format!("{{\"title\":\"{front}\",{content}}}")] {
            for format in [Format::Auto, Format::Markdown, Format::Json, Format::Jsonl, Format::Ace, Format::Reflections] {
                let parsed = parse(&name, &content, format, NOW);
                for read in &parsed.lessons {
                    prop_assert!(lesson_core::is_slug(&read.lesson.slug), "{:?}", read.lesson.slug);
                    prop_assert!(!read.lesson.text.title.trim().is_empty());
                    prop_assert!((0.0..=1.0).contains(&read.lesson.standing.confidence));
                }
            }
        }
    }

    #[test]
    fn front_matter_never_costs_a_body(
        front in front(), body in "([a-z]{3,9}( [a-z]{3,9}){0,4}\n\n?){1,5}", mark in prop::sample::select(vec!["---", "..."]),
        name in prop::sample::select(vec!["note.md", "rule.mdc", "a/SKILL.md", "memory/x.md", ".windsurfrules"]), is_crlf in any::<bool>(),
    ) {
        let mut content = format!("---\n{front}\n{mark}\n{body}");
        if is_crlf {
            content = content.replace('\n', "\r\n");
        }
        let parsed = parse(name, &content, Format::Auto, NOW);
        prop_assert_eq!(&parsed.rejected, &[], "{}", content);
        let said: String = parsed.lessons.iter().map(|read| {
            let text = &read.lesson.text;
            format!("{}\n{}\n{}\n{}\n", text.title, text.description, text.context, text.recommendation)
        }).collect();
        for line in body.lines() {
            prop_assert!(said.contains(line), "{:?} was lost of {}\n{:?}", line, content, parsed);
        }
    }

    #[test]
    fn markdown_reads_back_as_the_same_text(
        title in "[^ ]{1,3}\\PC{0,20}", description in messy(), context in messy(), recommendation in messy(),
        domain in "[a-z]{0,8}", category in prop::sample::select(Category::ALL), tags in words(), tech_stacks in words(), project_types in words(), archived in any::<bool>(),
    ) {
        prop_assume!(!title.trim().is_empty());
        let text = Text { title, description, context, recommendation, category, domain, project_types, tech_stacks, tags, extra: String::new() };
        let mut lesson = Lesson::new("some-slug", text, "someone", NOW);
        lesson.archived = archived;
        let (name, content) = to_markdown(&lesson);
        let parsed = parse(&name, &content, Format::Markdown, NOW);
        prop_assert_eq!(&parsed.rejected, &[]);
        let back = &parsed.lessons[0].lesson;
        prop_assert_eq!(&back.text, &lesson.text, "{}", content);
        prop_assert_eq!((&back.slug, back.archived, &back.source), (&lesson.slug, archived, &lesson.source));
    }
}
