//! Import and export: what is taken from each kind of file, what is refused and why, and that
//! what goes out comes back.

use lesson_core::format::{
    Format, LEDGER_HEADER, Parsed, Problem, ledger_line, parse, parse_all, to_csv, to_markdown,
};
use lesson_core::{Category, Event, Happening, Kind, Lesson, Standing, Text, Trust, Verdict};
use std::time::{Duration, Instant};

const NOW: i64 = 1_795_336_200_123;

macro_rules! data {
    ($name:literal) => {
        ($name, include_str!(concat!("data/accepted/", $name)))
    };
}

fn read(file: (&str, &str)) -> Parsed {
    parse(file.0, file.1, Format::Auto, NOW)
}

/// Every lesson of a file that has to be taken whole.
fn lessons(file: (&str, &str)) -> Vec<Lesson> {
    let parsed = read(file);
    assert_eq!(parsed.rejected, [], "{}", file.0);
    parsed.lessons.into_iter().map(|read| read.lesson).collect()
}

fn one(file: (&str, &str)) -> Lesson {
    let mut all = lessons(file);
    assert_eq!(all.len(), 1, "{}", file.0);
    all.remove(0)
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
        warnings[0].message.ends_with("left out: owner"),
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
    assert_eq!(codes, ["unknown_field", "trust"]);
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

/// Code and line of every refusal.
fn refusals(path: &str, content: &str) -> Vec<(&'static str, Option<u32>)> {
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
            "a.md",
            "---\ntitle: x\nbody without end\n",
            "front_matter",
            Some(1),
            "never closed",
        ),
        (
            "a.md",
            "---\ntitle: x\n\ttags: y\n---\nb",
            "front_matter",
            Some(3),
            "tabs",
        ),
        (
            "a.md",
            "---\ntitle: x\ntitle: y\n---\nb",
            "front_matter",
            Some(3),
            "twice",
        ),
        (
            "a.md",
            "---\na: &x [1]\nb: *x\n---\nb",
            "front_matter",
            Some(2),
            "anchors",
        ),
        (
            "a.md",
            "---\ntags: *all\n---\nb",
            "front_matter",
            Some(2),
            "aliases",
        ),
        (
            "a.md",
            "---\n- a\n- b\n---\nb",
            "front_matter",
            Some(2),
            "a list",
        ),
        (
            "a.md",
            "---\ntitle: [a, b\n---\nb",
            "front_matter",
            None,
            "",
        ),
        (
            "a.md",
            "---\ntitle: {a: b}\n---\nb",
            "invalid_field",
            Some(2),
            "title",
        ),
        (
            "a.md",
            "---\nconfidence: 1.5\n---\nb",
            "invalid_field",
            Some(2),
            "confidence is `1.5`",
        ),
        (
            "a.md",
            "---\ncreated_at: yesterday\n---\nb",
            "invalid_field",
            Some(2),
            "created_at",
        ),
        (
            "日本.md",
            "---\nstatus: active\n---\n",
            "slug",
            Some(1),
            "slug",
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
            "{\"lessonloop\":\"ledger\",\"version\":9}",
            "ledger_version",
            Some(1),
            "another version",
        ),
        (
            "a.jsonl",
            "{\"lessonloop\":\"ledger\",\"version\":1}\n{\"title\":\"a\"}",
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
    ];
    let parsed = parse_all(&files, Format::Auto, NOW);
    assert_eq!((parsed.lessons.len(), parsed.unchanged), (1, 1));
    assert_eq!(parsed.rejected.len(), 1);
    let problem = &parsed.rejected[0];
    assert_eq!(
        (problem.path.as_str(), problem.code),
        ("three/keep-it.md", "duplicate_slug")
    );
    assert!(
        problem.message.contains("one/keep-it.md"),
        "{}",
        problem.message
    );
}

#[test]
fn a_thousand_problems_are_listed_and_the_rest_counted() {
    let parsed = read(("a.jsonl", &"x\n".repeat(5_000)));
    assert_eq!(parsed.rejected.len(), 1_001);
    let last = &parsed.rejected[1_000];
    assert_eq!(last.code, "more");
    assert!(last.message.contains("4000"), "{}", last.message);
}

fn sample(title: &str) -> Lesson {
    let text = Text {
        title: title.to_owned(),
        description: "What".to_owned(),
        recommendation: "Do".to_owned(),
        ..Text::default()
    };
    Lesson::new("a-slug", text, "someone", NOW)
}

#[test]
fn a_ledger_reads_back_as_equal_events() {
    let mut lesson = sample("Title");
    lesson.trust = Trust::Approved;
    lesson.standing.confidence = 0.1 + 0.2;
    let happenings = [
        Happening::LessonAdded {
            lesson: Box::new(lesson.clone()),
        },
        Happening::LessonReviewed {
            lesson: "a-slug".into(),
            verdict: Verdict::Approve,
            content_hash: lesson.text.content_hash(),
        },
        Happening::OutcomeRecorded {
            decision_id: "d".into(),
            outcome: lesson_core::TradeOutcome::Profit,
            pnl_percent: Some(1.0 / 3.0),
        },
        Happening::ToolSucceeded {
            query: "a \"quoted\"\nline".into(),
            server: "s".into(),
        },
    ];
    let events: Vec<Event> = (1..)
        .zip(happenings)
        .map(|(seq, event)| Event {
            op_id: format!("op-{seq}"),
            actor: "me".into(),
            seq,
            at: NOW,
            event,
        })
        .collect();
    let mut file = format!("{LEDGER_HEADER}\n");
    for event in &events {
        file.push_str(&ledger_line(event));
        file.push('\n');
    }
    for name in ["ledger.jsonl", "ledger.json", "ledger.txt"] {
        let parsed = read((name, &file));
        assert_eq!(
            (parsed.rejected.as_slice(), parsed.warnings.as_slice()),
            (&[][..], &[][..]),
            "{name}"
        );
        let back: Vec<Event> = parsed
            .events
            .iter()
            .map(|read| read.event.clone())
            .collect();
        assert_eq!(back, events, "{name}");
        assert_eq!(parsed.events[0].line, 2);
    }
}

#[test]
fn a_ledger_can_not_smuggle_what_is_out_of_bounds() {
    let line = |lesson: Lesson| {
        ledger_line(&Event {
            op_id: "1".into(),
            actor: "a".into(),
            seq: 1,
            at: NOW,
            event: Happening::LessonAdded {
                lesson: Box::new(lesson),
            },
        })
    };
    assert_eq!(
        refusals("a.jsonl", &line(sample(&"x".repeat(301)))),
        [("too_long", Some(1))]
    );
    let mut lesson = sample("x");
    lesson.slug = "Not a slug".into();
    assert_eq!(refusals("a.jsonl", &line(lesson)).len(), 1);
    let extra = line(sample("x")).replace("\"source\"", "\"colour\":1,\"source\"");
    let parsed = read(("a.jsonl", &extra));
    assert_eq!(parsed.events.len(), 1);
    assert!(
        parsed.warnings[0].message.contains("colour"),
        "{:?}",
        parsed.warnings
    );
}

#[test]
fn spreadsheets_get_rows_without_formulas() {
    let titles = [
        "=1+1",
        "+1",
        "-1",
        "@sum",
        "\tx",
        "\rx",
        "plain",
        "a \"b\", c\nd",
        "\u{ff1d}1",
    ];
    let all: Vec<Lesson> = titles.iter().map(|title| sample(title)).collect();
    let text = to_csv(&all);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let column = reader
        .headers()
        .unwrap()
        .iter()
        .position(|name| name == "title")
        .unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), titles.len());
    for (row, title) in rows.iter().zip(titles) {
        let cell = &row[column];
        let armed = title.starts_with(['=', '+', '-', '@', '\t', '\r', '\u{ff1d}']);
        assert_eq!(
            cell,
            if armed {
                format!("'{title}")
            } else {
                title.to_owned()
            }
        );
        for cell in row {
            assert!(
                !cell.starts_with(['=', '+', '-', '@', '\t', '\r']),
                "{cell}"
            );
        }
    }
    assert!(text.lines().next().unwrap().starts_with("slug,title,"));
}

/// Reads hostile input in every format within a bound that a quadratic reader would break.
#[test]
fn hostile_input_takes_bounded_time() {
    let deep = 100_000;
    let bomb: String = (0..30)
        .map(|n| format!("a{n}: &a{n} [*a{0}, *a{0}, *a{0}]\n", n.max(1) - 1))
        .collect();
    let inputs = [
        "[".repeat(deep),
        "{\"a\":".repeat(deep),
        format!("---\n{}\n---\nx", "[".repeat(deep)),
        format!("---\n{}\n---\nx", "{a: ".repeat(deep)),
        format!("---\n{bomb}---\nx"),
        format!(
            "---\n{}---\nx",
            (0..deep).map(|n| format!("k{n}: v\n")).collect::<String>()
        ),
        format!("---\ntitle: {}\n---\nx", "'".repeat(1 << 20)),
        "x".repeat(1 << 20),
        "# ".repeat(1 << 19),
        "**Context:** a\n".repeat(50_000),
        "## Context\n".repeat(50_000),
        "[a-1] helpful=1 harmful=0 :: t\n".repeat(30_000),
        "```\n".repeat(200_000),
        "- ".repeat(1 << 19),
        format!("{{\"title\":\"{}\"}}", "\\u0041".repeat(100_000)),
    ];
    let formats = [
        Format::Auto,
        Format::Markdown,
        Format::Json,
        Format::Jsonl,
        Format::Ace,
        Format::Reflections,
    ];
    for (place, input) in inputs.iter().enumerate() {
        for format in formats {
            let start = Instant::now();
            let parsed = parse("a.md", input, format, NOW);
            assert!(
                start.elapsed() < Duration::from_secs(5),
                "input {place} as {format:?} took {:?}",
                start.elapsed()
            );
            assert!(
                parsed.lessons.len() + parsed.rejected.len() > 0,
                "input {place} as {format:?} gave nothing"
            );
        }
    }
}

mod properties {
    use super::*;
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
        fn markdown_reads_back_as_the_same_text(
            title in "[^ ]{1,3}\\PC{0,20}", description in messy(), context in messy(), recommendation in messy(),
            domain in "[a-z]{0,8}", category in prop::sample::select(Category::ALL), tags in words(), tech_stacks in words(), project_types in words(), archived in any::<bool>(),
        ) {
            prop_assume!(!title.trim().is_empty());
            let text = Text { title, description, context, recommendation, category, domain, project_types, tech_stacks, tags };
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
}
