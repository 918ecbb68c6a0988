//! Views of how numbers come about: pages of a history, revisions, standings, parts of a trace, comparisons, records.

use crate::common;

use common::{DAY, TestService};
use lesson_types::*;
use serde_json::json;

#[test]
fn a_history_comes_in_pages_that_join_up() {
    let fixture = TestService::with(&[("a-lesson", "A lesson", "Do it.")]);
    for n in 0..30 {
        fixture.ok::<Rated>(
            "POST /v1/rate",
            json!({"lesson": "a-lesson", "helpful": n % 2 == 0}),
        );
        fixture.ok::<Recommendations>("POST /v1/recommend", json!({"query": "lesson"}));
    }
    let whole: History = fixture.get("/v1/lessons/a-lesson/history");
    assert_eq!((whole.total, whole.next_before), (61, None));
    assert_eq!((whole.shown_total, whole.next_shown_before), (30, None));
    assert_eq!(whole.course.len(), 31);
    let (mut events, mut shown) = (Vec::new(), Vec::new());
    let mut path = "/v1/lessons/a-lesson/history?limit=25".to_owned();
    loop {
        let page: History = fixture.get(&path);
        assert!(page.events.len() <= 25 && page.total == 61);
        events.splice(0..0, page.events);
        let Some(before) = page.next_before else {
            break;
        };
        path = format!("/v1/lessons/a-lesson/history?limit=25&before={before}");
    }
    assert_eq!(events, whole.events);
    let first: History = fixture.get("/v1/lessons/a-lesson/history?limit=20");
    let second: History = fixture.get(&format!(
        "/v1/lessons/a-lesson/history?limit=20&shown_before={}",
        first.next_shown_before.unwrap()
    ));
    shown.extend(second.shown);
    shown.extend(first.shown);
    assert_eq!(shown, whole.shown);
    let beyond: History = fixture.get("/v1/lessons/a-lesson/history?before=0");
    assert!(beyond.events.is_empty() && beyond.next_before.is_none());
}

#[test]
fn a_showing_tells_the_situation_and_what_followed() {
    let fixture = TestService::with(&[("bind-values", "Bind values", "Use placeholders.")]);
    fixture.ok::<Recommendations>(
        "POST /v1/recommend",
        json!({"query": "bind values in sql", "tech_stack": ["postgres"], "decision_id": "d1"}),
    );
    fixture.ok::<Tracked>(
        "POST /v1/track",
        json!({"decision_id": "d1", "reasoning": "I am applying `bind-values` here."}),
    );
    fixture.ok::<OutcomeRecorded>(
        "POST /v1/outcome",
        json!({"decision_id": "d1", "outcome": "profit", "pnl_percent": 2.5}),
    );
    let history: History = fixture.get("/v1/lessons/bind-values/history");
    let [one] = &history.shown[..] else {
        panic!("it was shown once: {:?}", history.shown);
    };
    assert_eq!(one.query.as_deref(), Some("bind values in sql"));
    assert_eq!(one.tech_stack, ["postgres"]);
    assert_eq!((one.rank, one.applied, one.counted), (1, Some(true), true));
    assert_eq!(one.match_type, Some(MatchType::Explicit));
    assert_eq!(one.outcome, Some(DecisionOutcome::Success));
    assert_eq!(one.pnl_percent, Some(2.5));
    assert!(one.quote.as_ref().unwrap().contains("bind-values"));
    let last = history.course.last().unwrap();
    assert_eq!(
        (last.event.as_str(), last.success_rate, last.badge),
        ("OutcomeRecorded", Some(1.0), BadgeKind::Testing)
    );
    let shown: LessonView = fixture.get("/v1/lessons/bind-values");
    let lift = last.lift.expect("the ledger is here");
    assert!(lift > 0.03, "{lift}");
    assert!(last.lift_low < last.lift && last.lift < last.lift_high);
    assert!((lift - shown.lift.mean).abs() < 1e-6, "{shown:?}");
    assert_eq!((shown.lift.runs, last.times_applied), (1, 1));
}

#[test]
fn a_revision_shows_both_texts_and_what_changed() {
    let fixture = TestService::with(&[("a-lesson", "A lesson", "Do it.")]);
    fixture.ok::<LessonView>(
        "PATCH /v1/lessons/a-lesson",
        json!({"base_rev": 1, "recommendation": "Do it twice.", "tags": ["x", "y"]}),
    );
    let marks = fixture
        .get::<History>("/v1/lessons/a-lesson/history")
        .revisions;
    assert_eq!(
        marks.iter().map(|mark| mark.rev).collect::<Vec<_>>(),
        [1, 2]
    );
    let second: Revision = fixture.get("/v1/lessons/a-lesson/revisions/2");
    let changed: Vec<(&str, Option<&str>, &str)> = second
        .fields
        .iter()
        .filter(|field| field.changed)
        .map(|field| {
            (
                field.name.as_str(),
                field.before.as_deref(),
                field.after.as_str(),
            )
        })
        .collect();
    assert_eq!(
        changed,
        [
            ("recommendation", Some("Do it."), "Do it twice."),
            ("tags", Some(""), "x, y")
        ]
    );
    let first: Revision = fixture.get("/v1/lessons/a-lesson/revisions/1");
    assert_eq!(first.fields.len(), 9);
    assert!(
        first
            .fields
            .iter()
            .all(|field| field.before.is_none() && !field.changed)
    );
}

#[test]
fn a_standing_is_explained_as_it_is_shown() {
    let fixture = TestService::with(&[("a-lesson", "A lesson", "Do it.")]);
    fixture.ok::<Rated>(
        "POST /v1/rate",
        json!({"lesson": "a-lesson", "helpful": true}),
    );
    let shown: LessonView = fixture.get("/v1/lessons/a-lesson");
    let explained: StandingExplained = fixture.get("/v1/lessons/a-lesson/standing");
    let value = |name: &str| {
        let term = explained.terms.iter().find(|term| term.name == name);
        term.unwrap_or_else(|| panic!("no {name}")).value
    };
    assert_eq!(value("confidence"), Some(shown.standing.confidence));
    assert_eq!(
        value("causal_adjusted"),
        Some(shown.derived.causal_adjusted)
    );
    assert_eq!(value("proven"), Some(0.0));
    assert_eq!(value("effectiveness_score"), None);
    assert!(
        explained
            .terms
            .iter()
            .all(|term| !term.formula.is_empty() && !term.sentence.is_empty())
    );
}

/// A fixture with many lessons of which few fit.
fn crowd() -> TestService {
    let fixture = TestService::new();
    for n in 0..40 {
        fixture.ok::<LessonView>(
            "POST /v1/lessons",
            json!({"slug": format!("sql-{n:02}"), "title": format!("Sql lesson {n}"), "tech_stacks": ["postgres"]}),
        );
        fixture.ok::<LessonView>(
            "POST /v1/lessons",
            json!({"slug": format!("perps-{n:02}"), "title": format!("Perps {n}"), "domain": "perps"}),
        );
    }
    fixture.ok::<LessonView>("POST /v1/lessons/sql-07/archive", json!(null));
    fixture
}

#[test]
fn a_part_of_a_trace_is_counted_whole_and_pages_join_up() {
    let fixture = crowd();
    let ask = |part: serde_json::Value| {
        fixture.ok::<Recommendations>(
            "POST /v1/recommend",
            json!({"query": "sql lesson", "domain": "spot", "limit": 5, "explain": true, "dry_run": true, "trace_part": part}),
        )
    };
    let whole: Recommendations = fixture.ok(
        "POST /v1/recommend",
        json!({"query": "sql lesson", "domain": "spot", "limit": 5, "explain": true, "dry_run": true}),
    );
    assert_eq!(whole.left_out, None);
    let all = whole.trace.unwrap();
    assert_eq!(all.len(), 80);
    let first = ask(json!({"limit": 3}));
    let counts: Vec<(String, u32)> = first
        .left_out
        .unwrap()
        .into_iter()
        .map(|group| (group.reason, group.count))
        .collect();
    let count = |reason: &str| {
        let fits = |entry: &&TraceEntry| entry.excluded.as_deref() == Some(reason);
        all.iter().filter(fits).count() as u32
    };
    assert!(!counts.is_empty());
    for (reason, n) in &counts {
        assert_eq!(*n, count(reason), "{reason}");
    }
    assert_eq!(counts.iter().map(|(_, n)| n).sum::<u32>(), 75);
    let kept = first.trace.unwrap();
    assert_eq!(kept.iter().filter(|entry| entry.rank.is_some()).count(), 5);
    let (reason, n) = counts.iter().max_by_key(|(_, n)| *n).unwrap();
    let mut paged = Vec::new();
    for offset in (0..*n).step_by(10) {
        let page = ask(json!({"reason": reason, "offset": offset, "limit": 10}));
        paged.extend(
            page.trace
                .unwrap()
                .into_iter()
                .filter(|entry| entry.excluded.is_some()),
        );
    }
    let wanted: Vec<TraceEntry> = all
        .iter()
        .filter(|entry| entry.excluded.as_ref() == Some(reason))
        .cloned()
        .collect();
    assert_eq!(paged, wanted);
    let sought = ask(json!({"text": " SQL-07 "}));
    assert_eq!(sought.left_out.unwrap()[0].reason, "archived");
}

#[test]
fn looking_records_nothing() {
    let fixture = crowd();
    let events = fixture.store.events().len();
    fixture.ok::<Recommendations>(
        "POST /v1/recommend",
        json!({"query": "sql", "decision_id": "d", "dry_run": true}),
    );
    fixture.ok::<Comparison>(
        "POST /v1/recommend/compare",
        json!({"query": "sql", "policy": {"causal_weight": 0.1}}),
    );
    assert_eq!(fixture.store.events().len(), events);
    let (status, _) = fixture.refused(
        "POST /v1/track",
        json!({"decision_id": "d", "reasoning": "x"}),
    );
    assert_eq!(status, 404);
}

#[test]
fn a_comparison_is_the_two_answers_side_by_side() {
    let fixture = TestService::with(&[
        ("blamed", "Cache queries well", "Cache the queries."),
        ("neutral", "Cache queries often", "Cache the queries."),
    ])
    .by_seeds();
    for _ in 0..3 {
        fixture.ok::<FeedbackGiven>(
            "POST /v1/feedback",
            json!({"lessons": ["blamed"], "outcome": "blocked", "causal": ["blamed"]}),
        );
    }
    let answer = |policy: serde_json::Value| {
        let given: Recommendations = fixture.ok(
            "POST /v1/recommend",
            json!({"query": "cache queries", "dry_run": true, "policy": policy}),
        );
        given
            .recommended
            .into_iter()
            .map(|item| (item.slug, item.rank))
            .collect::<Vec<_>>()
    };
    let changes = json!({"causal_base": 1.0, "causal_weight": 0.0});
    let (before, after) = (answer(json!({})), answer(changes.clone()));
    assert_ne!(before, after, "the standing decides here");
    let compared: Comparison = fixture.ok(
        "POST /v1/recommend/compare",
        json!({"query": "cache queries", "policy": changes}),
    );
    let side = |rank: fn(&Compared) -> Option<u32>| {
        let mut side: Vec<(String, u32)> = compared
            .lessons
            .iter()
            .filter_map(|lesson| Some((lesson.slug.clone(), rank(lesson)?)))
            .collect();
        side.sort_by_key(|(_, rank)| *rank);
        side
    };
    assert_eq!(side(|lesson| lesson.before.rank), before);
    assert_eq!(side(|lesson| lesson.after.rank), after);
    assert_eq!(compared.moved, 2);
    for lesson in &compared.lessons {
        assert_eq!(lesson.factors[0].name, "causal");
        assert!(
            lesson.sentence.contains("how often it was a cause"),
            "{}",
            lesson.sentence
        );
        // The factors add up to the difference of the scores.
        let sum: f64 = lesson
            .factors
            .iter()
            .map(|factor| factor.after - factor.before)
            .sum();
        assert!((sum - (lesson.after.score - lesson.before.score)).abs() < 1e-6);
    }
}

#[test]
fn records_are_listed_with_their_weight() {
    let fixture = TestService::new();
    let record = |query: &str, server: &str| {
        fixture.ok::<ToolRecorded>(
            "POST /v1/tools/success",
            json!({"query": query, "server": server}),
        );
    };
    record("take a screenshot", "browser");
    fixture.clock.set(fixture.clock.get() + 3 * DAY);
    record("read a table", "postgres");
    let all: ToolRecords = fixture.get("/v1/tools/records");
    assert_eq!(all.total, 2);
    assert_eq!(all.records[0].server, "postgres");
    let old = &all.records[1];
    assert!((old.age_days - 3.0).abs() < 1e-3, "{}", old.age_days);
    assert!((old.weight - 0.5).abs() < 1e-3, "{}", old.weight);
    assert_eq!(all.decay.half_life_days, 3.0);
    let (first, last) = (&all.decay.points[0], all.decay.points.last().unwrap());
    assert_eq!((first.age_days, first.weight), (0.0, 1.0));
    assert_eq!((last.age_days, last.weight), (15.0, 0.03125));
    let found: ToolRecords = fixture.get("/v1/tools/records?q=SCREEN");
    assert_eq!(
        (found.total, found.records[0].server.as_str()),
        (1, "browser")
    );
    let second: ToolRecords = fixture.get("/v1/tools/records?limit=1&offset=1");
    assert_eq!(
        (second.total, second.records[0].server.as_str()),
        (2, "browser")
    );
    let suggested: ToolSuggestions = fixture.ok(
        "POST /v1/tools/suggest",
        json!({"query": "take a screenshot"}),
    );
    assert!((suggested.servers[0].because[0].weight - 0.5).abs() < 1e-3);
    assert_eq!(suggested.decay, all.decay);
}
