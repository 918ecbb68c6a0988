//! Ledgers and spreadsheets.

use crate::refused::refusals;
use crate::{NOW, read};
use lesson_core::{Event, EventKind, Lesson, Text, Trust, Verdict};
use lesson_formats::{LEDGER_HEADER, ledger_line, to_csv};

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
        EventKind::LessonAdded {
            lesson: Box::new(lesson.clone()),
        },
        EventKind::LessonReviewed {
            lesson: "a-slug".into(),
            verdict: Verdict::Approve,
            content_hash: lesson.text.content_hash(),
            reason: String::new(),
        },
        EventKind::OutcomeRecorded {
            decision_id: "d".into(),
            outcome: lesson_core::DecisionOutcome::Success,
            pnl_percent: Some(1.0 / 3.0),
        },
        EventKind::ToolSucceeded {
            query: "a \"quoted\"\nline".into(),
            server: "s".into(),
        },
    ];
    let events: Vec<Event> = (1..)
        .zip(happenings)
        .map(|(seq, event)| Event {
            by: "local".to_owned(),
            request: None,
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
            by: "local".to_owned(),
            request: None,
            op_id: "1".into(),
            actor: "a".into(),
            seq: 1,
            at: NOW,
            event: EventKind::LessonAdded {
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

#[test]
fn a_ledger_file_begins_with_the_version_of_its_events() {
    let header = format!(
        r#"{{"format":"{}","version":{}}}"#,
        lesson_core::LEDGER_FORMAT,
        lesson_core::LEDGER_VERSION
    );
    assert_eq!(lesson_formats::LEDGER_HEADER, header);
}
