//! Lessons that each kind of file gives.

use crate::{NOW, lessons, one, read};
use lesson_core::{Category, Kind, Standing, Trust};

macro_rules! data {
    ($name:literal) => {
        ($name, include_str!(concat!("../data/accepted/", $name)))
    };
}

#[test]
fn front_matter_headings_and_sections_land_in_their_fields() {
    let file = data!("check-cli---help-first-.md");
    let lesson = one(file);
    assert_eq!(lesson.slug, "check-cli-help-first");
    assert_eq!(lesson.text.title, "Check --help first");
    assert_eq!(
        lesson.text.description,
        "Run `--help` first: it costs a second"
    );
    assert_eq!(lesson.text.category, Category::Tooling);
    assert_eq!(
        lesson.text.tags,
        ["unknown flag", "404", "true", "cli", "docs"]
    );
    assert_eq!(lesson.text.tech_stacks, ["rust", "python"]);
    assert_eq!(
        lesson.text.context,
        "When a flag is not known.\n\nMore of when.\n\n```bash\n# not a heading\n## Context\ntool --help\n```"
    );
    assert_eq!(
        lesson.text.recommendation,
        "## Rule\nAsk the tool before guessing.\n\n## Outcome\nFewer wrong guesses."
    );
    assert!(lesson.archived);
    assert_eq!(
        lesson.standing,
        Standing {
            confidence: 0.7,
            ..Standing::default()
        }
    );
    assert_eq!((lesson.created_at, lesson.trust), (NOW, Trust::Unreviewed));
    let warnings = read(file).warnings;
    assert_eq!(warnings.len(), 1);
    assert_eq!(warnings[0].code, "unknown_field");
    assert!(
        warnings[0].message.ends_with("exported again: owner"),
        "{}",
        warnings[0].message
    );
}

#[test]
fn plain_markdown_is_a_lesson_too() {
    let lesson = one(data!("plain-note.md"));
    assert_eq!(
        (lesson.slug.as_str(), lesson.text.title.as_str()),
        ("plain-note", "Keep the lock short")
    );
    assert_eq!(
        lesson.text.description,
        "Hold a lock only while you touch what it guards. Never across an await."
    );
    assert!(lesson.text.recommendation.ends_with("- one\n- two"));
}

#[test]
fn byte_order_marks_and_windows_line_breaks_are_read() {
    let file = data!("bom-crlf.md");
    assert!(file.1.contains("\r\n"), "the file lost its line breaks");
    let lesson = one(file);
    assert_eq!(lesson.text.title, "With a mark");
    assert_eq!(lesson.text.recommendation, "First line.\nSecond line.");
}

#[test]
fn reflections_give_their_labels() {
    let lesson = one(data!("warning-thin-pool.md"));
    assert_eq!(lesson.kind(), Kind::Warning);
    assert_eq!(lesson.source, "reflections");
    assert_eq!(lesson.text.title, "Thin pools slip");
    assert_eq!(lesson.text.context, "Entering a pool with little liquidity");
    assert_eq!(lesson.text.domain, "dlmm");
    assert_eq!(lesson.text.tags, ["liquidity", "slippage"]);
    assert_eq!(lesson.standing.confidence, 0.8);
    assert_eq!(
        lesson.text.recommendation,
        "Check depth before you enter.\nSplit the order.\n\n## Notes\nSeen three times."
    );
}

#[test]
fn generated_reflections_are_told_apart_by_their_names() {
    let one_of = one(data!("warning-perps-1770000000001.md"));
    let other = one(data!("warning-perps-1770000900002.md"));
    assert_eq!(
        one_of.text.title,
        "Warning perps 1770000000001: Leave Before the Funding Turns"
    );
    assert_eq!(
        other.text.title,
        "Warning perps 1770000900002: Size a Short by Its Stop"
    );
    assert_eq!(
        (&*one_of.text.domain, &*other.text.domain),
        ("perps", "perps")
    );
    assert_eq!(
        other.text.context,
        "Perpetual futures (perps), leveraged positions\nAny short that is opened without a stop"
    );
    assert!(
        other
            .text
            .recommendation
            .contains("Before momentum and funding")
    );
}

#[test]
fn a_reflection_s_domain_is_a_word() {
    for (name, domain, expected) in [
        ("warning-dlmm-low-tvl", None, "dlmm"),
        ("warning-thin-pool", None, ""),
        ("pattern-lending-1770000000003", None, "lending"),
        ("warning-thin-pool", Some("dlmm"), "dlmm"),
        ("warning-perps-late", Some("Perps"), "perps"),
        ("warning-perps-late", Some("spot"), "spot"),
        (
            "warning-late",
            Some("Trades of spot tokens, mostly new ones"),
            "spot",
        ),
        (
            "warning-late",
            Some("Whatever one may do, on any market"),
            "",
        ),
    ] {
        let label = domain.map_or(String::new(), |domain| format!("**Domain:** {domain}\n"));
        let text = format!("# Late\n\n{label}**Recommendation:** Be early.\n");
        let read = one((&format!("reflections/{name}.md"), &text));
        assert_eq!(read.text.domain, expected, "{name} {domain:?}");
        assert_eq!(read.text.title, "Late");
    }
}

#[test]
fn titles_of_a_template_take_the_name_first() {
    for (name, title, expected) in [
        (
            "pattern-dlmm-1770000000004",
            "Winning Pattern: dlmm add_liquidity",
            "Pattern dlmm 1770000000004: dlmm add_liquidity",
        ),
        (
            "strategy-spot-1770000000005",
            "SPOT Trading Strategy",
            "Strategy spot 1770000000005: SPOT Trading Strategy",
        ),
        (
            "warning-dlmm-depth",
            "Warning: check depth",
            "Warning: check depth",
        ),
    ] {
        let text = format!("# {title}\n\nDo it.\n");
        let read = one((&format!("reflections/{name}.md"), &text));
        assert_eq!(read.text.title, expected);
    }
}

#[test]
fn records_of_other_systems_are_read_under_their_names() {
    let file = data!("records.json");
    let all = lessons(file);
    assert_eq!(all.len(), 2);
    assert_eq!(all[0].slug, "strategy-small-size");
    assert_eq!(all[0].text.recommendation, "Begin with a tenth.");
    assert_eq!(all[0].text.tags, ["size", "risk"]);
    assert_eq!(all[0].standing.times_helpful, 3);
    assert_eq!(all[0].created_at, 1_740_823_200_000);
    assert_eq!(all[1].slug, "warning-use-row-level-security");
    assert_eq!(all[1].text.title, "Use row level security");
    assert_eq!(
        all[1].trust,
        Trust::Unreviewed,
        "a file can't approve its own text"
    );
    let codes: Vec<_> = read(file).warnings.iter().map(|w| w.code).collect();
    assert_eq!(codes, ["trust", "unknown_field"]);
}

#[test]
fn playbooks_give_a_lesson_a_bullet() {
    let all = lessons(data!("playbook.txt"));
    let got: Vec<_> = all
        .iter()
        .map(|l| {
            (
                l.slug.as_str(),
                l.text.category,
                l.standing.times_helpful,
                l.standing.times_not_helpful,
            )
        })
        .collect();
    assert_eq!(
        got,
        [
            ("test-00001", Category::Testing, 5, 2),
            ("test-00002", Category::Testing, 0, 0),
            ("oth-00009", Category::Workflow, 1, 0)
        ]
    );
    assert_eq!(all[0].text.title, "Write the failing case first");
    assert_eq!(
        all[1].text.recommendation,
        "Keep fixtures small\nand near their test"
    );
    assert_eq!(all[0].text.tags, ["testing-strategies"]);
    let all = lessons(data!("playbook.json"));
    assert_eq!(all.len(), 2);
    assert_eq!(
        (
            all[0].slug.as_str(),
            all[0].standing.times_helpful,
            all[0].standing.times_not_helpful
        ),
        ("api-1", 2, 1)
    );
    assert_eq!(
        (all[1].slug.as_str(), all[1].standing.times_helpful),
        ("api-2", 4)
    );
}

#[test]
fn records_may_stand_one_a_line() {
    let all = lessons(data!("one-a-line.jsonl"));
    assert_eq!(all.len(), 2);
    assert_eq!(
        (all[1].standing.use_count, all[1].standing.causal_hits),
        (4, 2)
    );
}
