//! Texts of people that are longer than a lesson may be.

use crate::read;
use lesson_core::Lesson;
use lesson_types::limits::LESSON_BYTES;
use proptest::prelude::*;

fn sizes(lessons: &[&Lesson]) -> Vec<usize> {
    let size = |lesson: &&Lesson| {
        let text = &lesson.text;
        text.title.len()
            + text.description.len()
            + text.context.len()
            + text.recommendation.len()
            + text.tags.iter().map(String::len).sum::<usize>()
    };
    lessons.iter().map(size).collect()
}

fn skill(body: &str) -> String {
    format!(
        "---\nname: deploy\ndescription: Deploys. Use when a release is due.\nlicense: MIT\n---\n# Deploy\n\n{body}"
    )
}

#[test]
fn a_long_skill_becomes_a_lesson_a_part_and_says_so() {
    let section =
        |name: &str, lines: usize| format!("## {name}\n\n{}\n", "Say what you do.\n".repeat(lines));
    let body = format!(
        "First words.\n\n{}{}{}{}",
        section("Before", 100),
        section("During a release", 800),
        section("After", 700),
        section("After", 650),
    );
    let parsed = read(("skills/deploy/SKILL.md", &skill(&body)));
    assert_eq!(parsed.rejected, []);
    let all: Vec<&Lesson> = parsed.lessons.iter().map(|read| &read.lesson).collect();
    let named: Vec<_> = all
        .iter()
        .map(|lesson| (&*lesson.slug, &*lesson.text.title))
        .collect();
    assert_eq!(
        named,
        [
            ("deploy", "Deploy"),
            ("deploy-during-a-release", "Deploy: During a release"),
            ("deploy-after", "Deploy: After"),
            ("deploy-4", "Deploy: After"),
        ]
    );
    assert!(all[0].text.recommendation.starts_with("First words."));
    assert!(
        all.iter()
            .all(|one| one.text.context.contains("Use when a release is due"))
    );
    assert_eq!(
        (all[0].text.extra.as_str(), all[1].text.extra.as_str()),
        (r#"{"license":"MIT"}"#, "")
    );
    let told: Vec<_> = parsed
        .warnings
        .iter()
        .filter(|warning| warning.code == "split")
        .collect();
    assert!(
        told.len() == 1 && told[0].message.contains("became 4 lessons"),
        "{:?}",
        parsed.warnings
    );
}

#[test]
fn code_is_never_cut_and_a_skill_that_fits_stays_one() {
    let code = format!(
        "```sh\n{}```\n\n",
        "run it\n\n# not a heading\n\n".repeat(300)
    );
    let body = format!("{code}{code}{code}{code}");
    let parsed = read(("deploy/SKILL.md", &skill(&body)));
    assert!(parsed.lessons.len() > 1);
    for read in &parsed.lessons {
        let fences = read.lesson.text.recommendation.matches("```").count();
        assert_eq!(fences % 2, 0, "{}", read.lesson.slug);
    }
    let fits = read((
        "deploy/SKILL.md",
        &skill(&"x ".repeat(LESSON_BYTES / 2 - 400)),
    ));
    assert_eq!(fits.lessons.len(), 1);
}

#[test]
fn rules_and_notes_are_cut_as_skills_are_between_lines_where_nothing_else_parts_them() {
    let list = "- Keep each step small, and say why it was taken.\n".repeat(700);
    for (path, content) in [
        ("AGENTS.md", format!("# How we work\n\n{list}")),
        ("CLAUDE.md", format!("## One\n\nShort.\n\n## Two\n\n{list}")),
        (
            ".cursor/rules/steps.mdc",
            format!("---\ndescription: Steps\n---\n{list}"),
        ),
        ("guide.md", format!("# Guide\n\n{list}")),
        (
            "agents/reviewer.md",
            format!("---\nname: reviewer\ndescription: Reviews\n---\n{list}"),
        ),
    ] {
        let parsed = read((path, &content));
        assert_eq!(parsed.rejected, [], "{path}");
        let all: Vec<&Lesson> = parsed.lessons.iter().map(|read| &read.lesson).collect();
        assert!(all.len() > 2, "{path}: {}", all.len());
        assert!(
            sizes(&all).iter().all(|size| *size <= LESSON_BYTES),
            "{path}: {:?}",
            sizes(&all)
        );
        let lines: usize = all
            .iter()
            .map(|one| one.text.recommendation.matches("- Keep each step").count())
            .sum();
        assert_eq!(lines, 700, "{path}");
    }
}

#[test]
fn a_skill_of_more_characters_than_any_field_may_have_is_cut_too() {
    let section = "## Part\n\nSay what you do, and do what you say.\n".repeat(3_000);
    let parsed = read(("skills/deploy/SKILL.md", &skill(&section)));
    assert_eq!(parsed.rejected, []);
    assert!(parsed.lessons.len() >= 8, "{}", parsed.lessons.len());
}

#[test]
fn one_line_without_an_end_and_code_without_an_end_are_cut_by_length() {
    let words = "Every word of it counts. ".repeat(3_000);
    let code = format!("```\n{}```\n", "run --now\n".repeat(5_000));
    for body in [words, "é".repeat(40_000), code] {
        let parsed = read(("skills/deploy/SKILL.md", &skill(&body)));
        assert_eq!(parsed.rejected, []);
        let all: Vec<&Lesson> = parsed.lessons.iter().map(|read| &read.lesson).collect();
        assert!(sizes(&all).iter().all(|size| *size <= LESSON_BYTES));
        let said: String = all
            .iter()
            .map(|one| one.text.recommendation.as_str())
            .collect();
        let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
        assert_eq!(letters(&said), letters(&body));
    }
}

#[test]
fn a_context_that_would_fill_every_part_stands_in_the_first() {
    let context = "Where it is a release of many parts. ".repeat(400);
    let body = "Say what you do.\n\n".repeat(1_000);
    let note = format!("---\ntitle: Deploy\ncontext: {context}\n---\n{body}");
    let parsed = read(("deploy.md", &note));
    assert_eq!(parsed.rejected, []);
    let all: Vec<&Lesson> = parsed.lessons.iter().map(|read| &read.lesson).collect();
    assert!(sizes(&all).iter().all(|size| *size <= LESSON_BYTES));
    assert!(all[0].text.recommendation.contains("Where it is a release"));
}

#[test]
fn records_of_programs_are_not_cut() {
    let text = "Say what you do. ".repeat(6_000);
    let record = format!("{{\"title\": \"Deploy\", \"recommendation\": \"{text}\"}}\n");
    let parsed = read(("lessons.jsonl", &record));
    assert_eq!(parsed.lessons.len(), 0);
    assert_eq!(parsed.rejected[0].code, "too_long");
}

#[test]
fn a_source_that_is_no_name_is_kept_beside_the_lesson() {
    let source = "https://example.com/a/long/way ".repeat(5);
    let parsed = read((
        "deploy/SKILL.md",
        &format!("---\nname: deploy\ndescription: Deploys\nsource: {source}\n---\nSteps.\n"),
    ));
    assert_eq!(parsed.rejected, []);
    let lesson = &parsed.lessons[0].lesson;
    assert_eq!(lesson.source, "skill");
    assert!(
        lesson.text.extra.contains("source_text"),
        "{}",
        lesson.text.extra
    );
    assert!(
        parsed
            .warnings
            .iter()
            .any(|warning| warning.code == "too_long")
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_line_is_lost_and_every_part_fits(
        parts in prop::collection::vec(("(|# |## |### |#### )[a-zé]{3,9}", prop::collection::vec("[a-zé ]{20,90}", 5..120)), 4..16),
    ) {
        let body: String = parts.iter().map(|(head, lines)| format!("{head}\n\n{}\n\n", lines.join("\n\n"))).collect();
        let parsed = read(("skills/deploy/SKILL.md", &skill(&body)));
        prop_assert_eq!(&parsed.rejected, &[]);
        let all: Vec<&Lesson> = parsed.lessons.iter().map(|read| &read.lesson).collect();
        prop_assert!(sizes(&all).iter().all(|size| *size <= LESSON_BYTES), "{:?}", sizes(&all));
        let said: String = all.iter().map(|one| format!("{}\n", one.text.recommendation)).collect();
        for line in body.lines().map(str::trim) {
            prop_assert!(said.contains(line), "{}", line);
        }
    }
}
