//! Measuring what lessons do: settings of the space, what is withheld and who is told, and the lift that comes of it.

use crate::common;
use crate::common::measuring;

use common::{TestService, block_on};
use lesson_service::{RequestContext, route};
use lesson_types::*;
use measuring::{ask, fixture, lived, set, slugs};
use serde_json::{Value, json};

/// Sends any request as an agent; [`ask`] asks as a person.
fn as_agent(fixture: &TestService, line: &str, body: Value) -> Value {
    let context = RequestContext::of_agent("key", None);
    let request = common::request(line, body);
    let row = route(request.method, &request.path).unwrap();
    let answer = block_on(fixture.service.handle_for(&context, row, request));
    assert_eq!(answer.status, 200, "{}", answer.body);
    block_on(fixture.service.idle()).unwrap();
    answer.body.value()
}

#[test]
fn measuring_is_off_until_a_person_turns_it_on_and_can_be_undone() {
    let fixture = fixture();
    let before: Value = fixture.get("/v1/policy");
    assert_eq!(
        before["measure"],
        json!({"control_runs": 0.0, "withhold": 0.0, "explore": 0.0, "always": []})
    );
    let given = ask(&fixture, "before", json!({}));
    assert_eq!(
        (given.recommended.len(), given.under_measurement),
        (5, None)
    );
    assert!(
        fixture
            .store
            .space()
            .decision("before")
            .unwrap()
            .measured
            .is_none()
    );

    set(
        &fixture,
        &json!({"control_runs": 0.1, "withhold": 0.2, "always": ["deploy-1", "deploy-1"]}),
    );
    let policy: Value = fixture.get("/v1/policy");
    assert_eq!(policy["measure"]["withhold"], 0.2);
    assert_eq!(policy["measure"]["always"], json!(["deploy-1"]));
    let salt = fixture.store.space().setting("measure.salt").cloned();
    assert_eq!(
        salt.as_ref().and_then(Value::as_str).map(str::len),
        Some(32)
    );
    // The same again writes nothing.
    let events = fixture.store.events().len();
    set(&fixture, &json!({"withhold": 0.2}));
    assert_eq!(fixture.store.events().len(), events);
    // A decision that began unmeasured stays so.
    assert_eq!(ask(&fixture, "before", json!({})).under_measurement, None);
    assert_eq!(
        ask(&fixture, "after", json!({})).under_measurement,
        Some(true)
    );

    set(
        &fixture,
        &json!({"control_runs": 0, "withhold": 0.0, "always": []}),
    );
    assert_eq!(fixture.get::<Value>("/v1/policy"), before);
    // The salt stays, so that turning it on again draws alike.
    assert_eq!(fixture.store.space().setting("measure.salt").cloned(), salt);
    assert_eq!(ask(&fixture, "off", json!({})).under_measurement, None);
}

#[test]
fn what_is_out_of_bounds_is_named() {
    let fixture = fixture();
    let many: Vec<String> = (0..101).map(|n| format!("lesson-{n}")).collect();
    for (body, field) in [
        (
            json!({"measure": {"control_runs": 0.51}}),
            "measure.control_runs",
        ),
        (json!({"measure": {"withhold": -0.1}}), "measure.withhold"),
        (json!({"measure": {"explore": 1}}), "measure.explore"),
        (json!({"measure": {"explore": null}}), "measure.explore"),
        (json!({"measure": {"withhold": "much"}}), "measure.withhold"),
        (
            json!({"measure": {"always": ["No Slug"]}}),
            "measure.always[0]",
        ),
        (json!({"measure": {"always": many}}), "measure.always"),
        (json!({"measure": {"salt": "mine"}}), "measure.salt"),
        (json!({"measure": {}}), "tools"),
        (json!({"rank": {}}), "rank"),
        (json!({"rank": 3}), "rank"),
        (json!({"rank": {"standing": "luck"}}), "rank.standing"),
        (json!({"rank": {"standing": "evidence"}}), "rank.standing"),
        (json!({"rank": {"match_floor": 2}}), "rank.match_floor"),
        (json!({"rank": {"causal_weight": 0.9}}), "rank.causal_base"),
        (json!({"rank": {"nothing": 1}}), "rank.nothing"),
        (json!({"rank": {"phases": {}}}), "rank.phases"),
    ] {
        let (status, error) = fixture.refused("PATCH /v1/policy", body.clone());
        assert_eq!(status, 400, "{body}");
        assert_eq!(
            error.field.as_deref(),
            Some(field),
            "{body}: {}",
            error.message
        );
    }
    assert!(!fixture.store.events().contains(&"PolicyChanged"));
}

#[test]
fn ranking_constants_are_settings_of_the_space() {
    let fixture = fixture();
    let policy = |body: Value| {
        fixture.ok::<Value>("PATCH /v1/policy", json!({ "rank": body }))["rank"].clone()
    };
    let changed = policy(json!({"standing": "seeds", "top_decision": 2}));
    assert_eq!(
        (&changed["standing"], &changed["top_decision"]),
        (&json!("seeds"), &json!(2))
    );
    let given = ask(&fixture, "d", json!({"explain": true}));
    assert_eq!(given.recommended.len(), 2);
    let factors = &given.trace.unwrap()[0].factors;
    assert_eq!(factors.last().unwrap().name, "causal");
    let back = policy(json!({"standing": null, "top_decision": 5}));
    assert_eq!(
        (&back["standing"], &back["top_decision"]),
        (&json!("lift"), &json!(5))
    );
    assert_eq!(fixture.store.space().settings().len(), 0);
}

#[test]
fn people_are_told_what_was_withheld_and_agents_are_not() {
    let fixture = fixture();
    set(&fixture, &json!({"control_runs": 0.2, "withhold": 0.5}));
    let (mut control, mut withheld) = (0, 0);
    for n in 0..60 {
        let id = format!("d{n}");
        let given = ask(&fixture, &id, json!({"explain": true}));
        let measured = given.measured.clone().unwrap();
        let shown = slugs(&given);
        assert!(
            measured
                .withheld
                .iter()
                .all(|slug| !shown.contains(&slug.as_str()))
        );
        assert!(!measured.control || shown.is_empty());
        for slug in &measured.withheld {
            assert!(!given.prompt.contains(slug.as_str()));
        }
        let told = given
            .trace
            .as_ref()
            .unwrap()
            .iter()
            .filter(|entry| entry.excluded.as_deref() == Some("withheld"));
        let expected = if measured.control {
            5
        } else {
            measured.withheld.len()
        };
        assert_eq!(told.count(), expected);
        // Gaps stay empty.
        assert_eq!(shown.len() + expected, 5);
        assert!(given.recommended.iter().all(|one| one.rank <= 5));
        control += u32::from(measured.control);
        withheld += measured.withheld.len();
        // Again, with another text: as it was drawn.
        let again = ask(
            &fixture,
            &id,
            json!({"query": "deploy with care, in steps"}),
        );
        assert_eq!(again.measured.unwrap().control, measured.control);
        if !measured.control {
            assert!(
                again
                    .recommended
                    .iter()
                    .all(|one| !measured.withheld.contains(&one.slug))
            );
        }
        let view: DecisionView = fixture.get(&format!("/v1/decisions/{id}"));
        assert_eq!(view.measured, Some(measured));
    }
    assert!(control > 3 && withheld > 60, "{control} {withheld}");

    for n in 0..40 {
        let id = format!("key/a{n}");
        let asked = json!({"query": "deploy in steps", "decision_id": id, "explain": true});
        let answer = as_agent(&fixture, "POST /v1/recommend", asked);
        assert_eq!(
            (&answer["under_measurement"], answer.get("measured")),
            (&json!(true), None)
        );
        let held = fixture
            .store
            .space()
            .decision(&id)
            .unwrap()
            .measured
            .clone()
            .unwrap();
        for one in held.drawn.iter().filter(|one| one.withheld) {
            assert!(
                !answer.to_string().contains(&format!("\"{}\"", one.lesson)),
                "{answer}"
            );
        }
        if held.control {
            assert_eq!(answer["recommended"], json!([]));
            assert!(
                answer["hint"]
                    .as_str()
                    .unwrap()
                    .contains("under measurement")
            );
        }
        let view = as_agent(&fixture, &format!("GET /v1/decisions/a{n}"), Value::Null);
        assert_eq!(
            (&view["under_measurement"], &view["measured"]),
            (&json!(true), &Value::Null)
        );
    }
}

#[test]
fn what_only_looks_is_never_measured() {
    let fixture = fixture();
    set(&fixture, &json!({"control_runs": 0.5, "withhold": 0.5}));
    for _ in 0..5 {
        let looked = ask(&fixture, "d", json!({"dry_run": true}));
        assert_eq!(
            (looked.recommended.len(), looked.under_measurement),
            (5, None)
        );
        let open: Recommendations =
            fixture.ok("POST /v1/recommend", json!({"query": "deploy in steps"}));
        assert_eq!((open.recommended.len(), open.under_measurement), (8, None));
        let found: SearchResults = fixture.ok("POST /v1/search", json!({"query": "deploy"}));
        assert_eq!(found.results.len(), 8);
        let patterns: SearchResults = fixture.ok("POST /v1/patterns", json!({"feature": "deploy"}));
        assert_eq!(patterns.results.len(), 3);
    }
    assert!(fixture.store.space().decision("d").is_none());
}

#[test]
fn a_control_run_takes_its_outcome_and_its_tracking() {
    let fixture = fixture();
    set(
        &fixture,
        &json!({"control_runs": 0.5, "always": ["deploy-2"]}),
    );
    let control = (0..40)
        .map(|n| format!("d{n}"))
        .find(|id| ask(&fixture, id, json!({})).measured.unwrap().control)
        .unwrap();
    // A lesson that a person wants always is shown all the same.
    let given = ask(&fixture, &control, json!({"limit": 8}));
    assert_eq!(slugs(&given), ["deploy-2"]);
    let tracked: Tracked = fixture.ok(
        "POST /v1/track",
        json!({"decision_id": control, "reasoning": "I go on without."}),
    );
    assert_eq!(tracked.detections.len(), 1);
    fixture.ok::<OutcomeRecorded>(
        "POST /v1/outcome",
        json!({"decision_id": control, "outcome": "success"}),
    );
    let view: DecisionView = fixture.get(&format!("/v1/decisions/{control}"));
    assert_eq!(
        (view.outcome, view.measured.map(|one| one.control)),
        (Some(DecisionOutcome::Success), Some(true))
    );
}

/// Decisions with outcomes: `deploy-0` hurts, the others do nothing.
#[test]
fn the_lift_is_reported_and_what_hurts_is_reviewed_and_left_out() {
    let fixture = fixture();
    let nothing: LiftReport = fixture.get("/v1/lift");
    assert_eq!((nothing.total, nothing.whole.estimate), (0, None));
    set(&fixture, &json!({"control_runs": 0.1, "withhold": 0.3}));
    lived(&fixture, 0, 60);
    let early: LiftReport = fixture.get("/v1/lift?lesson=deploy-0");
    let held = &early.lessons[0];
    assert_eq!(
        (held.verdict, held.lift.guard),
        (LiftVerdict::Unknown, LiftGuard::TooFew)
    );
    assert!(held.more_runs.unwrap() > 0 && held.lift.low.is_none());
    lived(&fixture, 60, 500);
    let report: LiftReport = fixture.get("/v1/lift");
    let worst = &report.lessons[0];
    assert_eq!(
        (worst.slug.as_str(), worst.verdict),
        ("deploy-0", LiftVerdict::Hurts)
    );
    assert!(worst.lift.high.unwrap() < 0.0 && worst.more_runs.is_none());
    assert_eq!(
        (
            report.counts.hurts,
            report.by_domain.len(),
            report.by_agent.len()
        ),
        (1, 2, 1)
    );
    assert!(report.whole.shown.successes > 0 && report.whole.withheld.successes > 0);
    assert_eq!(report.by_agent[0].name, "local");
    let only: LiftReport = fixture.get("/v1/lift?verdict=hurts&limit=1");
    assert_eq!((only.total, only.lessons.len()), (1, 1));
    // Learning as events come gives what the whole ledger teaches.
    let again = TestService::over(fixture.store.clone());
    assert_eq!(again.get::<LiftReport>("/v1/lift"), report);

    let queue: ReviewQueue = fixture.get("/v1/review");
    let item = queue
        .items
        .iter()
        .find(|item| item.slug == "deploy-0")
        .unwrap();
    assert_eq!(item.reasons[0], ReviewReason::Hurts);
    assert_eq!((queue.counts.hurts, queue.counts.disqualified), (1, 0));
    assert!(item.remedy.as_deref().unwrap().contains("Archive it"));
    assert_eq!(item.hurts.as_ref().unwrap(), &worst.lift);
    // Files that agents read without a draw leave it out.
    let files: String = fixture.get("/v1/export?format=agents_md");
    assert!(
        files.contains("deploy-1") && !files.contains("deploy-0"),
        "{files}"
    );
    // Ranking goes by its lift, which nobody was seen to apply; a person decides.
    for standing in ["seeds", "lift"] {
        let set = json!({"rank": {"standing": standing}});
        fixture.ok::<Value>("PATCH /v1/policy", set);
        let given: Recommendations =
            fixture.ok("POST /v1/recommend", json!({"query": "deploy in steps"}));
        assert!(slugs(&given).contains(&"deploy-0"), "{standing}");
    }
    for (path, field) in [
        ("/v1/lift?limit=1001", "limit"),
        ("/v1/lift?verdict=good", "verdict"),
        ("/v1/lift?colour=red", "colour"),
    ] {
        let (status, error) = fixture.refused(&format!("GET {path}"), Value::Null);
        assert_eq!(
            (status, error.field.as_deref()),
            (400, Some(field)),
            "{path}"
        );
    }
}

#[test]
fn settings_that_are_out_of_bounds_in_a_ledger_change_nothing() {
    let fixture = fixture();
    set(&fixture, &json!({"withhold": 0.2}));
    let ledger: String = fixture.get("/v1/export?format=jsonl");
    let wild = ledger.replace(
        "\"measure.withhold\":0.2",
        "\"measure.withhold\":0.9,\"rank.top_decision\":-1",
    );
    assert_ne!(wild, ledger);
    let other = TestService::new();
    let files = json!({"files": [{"path": "ledger.jsonl", "content": wild}]});
    other.ok::<Value>("POST /v1/import", files);
    let policy: Value = other.get("/v1/policy");
    assert_eq!(
        (
            &policy["measure"]["withhold"],
            &policy["rank"]["top_decision"]
        ),
        (&json!(0.0), &json!(5))
    );
}
