//! The lift of the loop by the probability of a control run in force, outcomes still open, estimates that end with a text,
//! and what agents are not told.

use crate::common::{TestService, block_on, measuring, request};

use lesson_service::{RequestContext, route};
use lesson_types::*;
use measuring::{ask, fixture, lived, set, slugs};
use serde_json::{Value, json};

fn told(fixture: &TestService, id: &str, outcome: &str) {
    fixture.ok::<OutcomeRecorded>(
        "POST /v1/outcome",
        json!({"decision_id": id, "outcome": outcome}),
    );
}

fn runs(arm: &LiftArm) -> u32 {
    arm.successes + arm.failures
}

fn as_who(fixture: &TestService, context: &RequestContext, line: &str, body: Value) -> Value {
    let request = request(line, body);
    let row = route(request.method, &request.path).unwrap();
    let answer = block_on(fixture.service.handle_for(context, row, request));
    assert_eq!(answer.status, 200, "{line}: {}", answer.body);
    block_on(fixture.service.idle()).unwrap();
    answer.body.value()
}

#[test]
fn the_probability_of_a_control_run_is_kept_with_each_decision_and_its_changes_bias_nothing() {
    let fixture = fixture();
    let held = |id: &str| {
        fixture
            .store
            .space()
            .decision(id)
            .unwrap()
            .measured
            .clone()
            .unwrap()
    };
    // While nobody could be a control run, the loop is not measured.
    set(&fixture, &json!({"withhold": 0.2}));
    for n in 0..20 {
        let id = format!("sure-{n}");
        ask(&fixture, &id, json!({}));
        told(&fixture, &id, "success");
    }
    assert_eq!(held("sure-0").control_q, 0.0);
    let report: LiftReport = fixture.get("/v1/lift");
    assert_eq!(
        (runs(&report.whole.shown), runs(&report.whole.withheld)),
        (0, 0)
    );
    assert!(report.by_domain.is_empty() && report.by_agent.is_empty());

    // First few control runs while all goes well, then many while all goes badly: lessons do nothing to that.
    for (q, outcome) in [(0.1, "success"), (0.5, "failure")] {
        set(&fixture, &json!({"control_runs": q, "withhold": 0}));
        for n in 0..150 {
            let id = format!("{outcome}-{n}");
            ask(&fixture, &id, json!({}));
            assert_eq!(held(&id).control_q, q);
            told(&fixture, &id, outcome);
        }
    }
    // A repeat keeps what was drawn.
    ask(&fixture, "success-3", json!({"limit": 2}));
    assert_eq!(held("success-3").control_q, 0.1);
    let report: LiftReport = fixture.get("/v1/lift");
    let whole = &report.whole;
    assert_eq!(runs(&whole.shown) + runs(&whole.withheld), 300);
    let rate = |arm: &LiftArm| f64::from(arm.successes) / f64::from(runs(arm));
    let naive = rate(&whole.shown) - rate(&whole.withheld);
    let estimate = whole.estimate.unwrap();
    assert!(naive > 0.3, "{naive}");
    assert!(estimate.abs() < 0.2, "{estimate}");
    assert_eq!(whole.guard, LiftGuard::Given);
    assert!(whole.low.unwrap() < 0.0 && whole.high.unwrap() > 0.0);
}

#[test]
fn control_runs_that_are_not_as_many_as_were_drawn_turn_the_loop_off() {
    let fixture = fixture();
    set(&fixture, &json!({"control_runs": 0.4}));
    // Outcomes of most control runs never come.
    for n in 0..200 {
        let id = format!("d{n}");
        let given = ask(&fixture, &id, json!({"domain": "web"}));
        if !given.measured.unwrap().control || n % 8 == 0 {
            told(
                &fixture,
                &id,
                if n % 3 == 0 { "failure" } else { "success" },
            );
        }
    }
    let report: LiftReport = fixture.get("/v1/lift");
    for lift in [
        &report.whole,
        &report.by_domain[0].lift,
        &report.by_agent[0].lift,
    ] {
        assert_eq!(
            (lift.guard, lift.estimate, lift.low, lift.high),
            (LiftGuard::Ratio, None, None, None)
        );
        // Where the missing ones are is told per arm.
        assert!(lift.withheld.open.unwrap() > 50 && lift.shown.open == Some(0));
    }
}

#[test]
fn open_outcomes_are_counted_by_arm_by_domain_and_by_agent() {
    let fixture = fixture();
    set(&fixture, &json!({"control_runs": 0.3, "withhold": 0.3}));
    let agent = RequestContext::of_agent("key", None);
    let mut open = [[0_u32; 2]; 2];
    for n in 0..60 {
        let is_agents = n % 3 == 0;
        let id = format!("{}d{n}", if is_agents { "key/" } else { "" });
        let domain = if n % 2 == 0 { "web" } else { "ops" };
        let body = json!({"query": "deploy in steps", "decision_id": id, "domain": domain});
        if is_agents {
            as_who(&fixture, &agent, "POST /v1/recommend", body);
        } else {
            ask(&fixture, &id, body);
        }
        let control = fixture
            .store
            .space()
            .decision(&id)
            .unwrap()
            .measured
            .as_ref()
            .unwrap()
            .control;
        open[usize::from(is_agents)][usize::from(control)] += 1;
    }
    let arms = |lift: &Lift| [lift.shown.open.unwrap(), lift.withheld.open.unwrap()];
    let report: LiftReport = fixture.get("/v1/lift");
    let both = [0, 1].map(|arm| open[0][arm] + open[1][arm]);
    assert_eq!(arms(&report.whole), both);
    let sum = |groups: &[LiftGroup]| {
        let each = groups.iter().map(|group| arms(&group.lift));
        each.fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]])
    };
    assert_eq!((report.by_domain.len(), sum(&report.by_domain)), (2, both));
    for (name, of) in [("local", open[0]), ("agent:key", open[1])] {
        let group = report
            .by_agent
            .iter()
            .find(|group| group.name == name)
            .unwrap();
        assert_eq!(arms(&group.lift), of, "{name}");
    }
    let drawn = |report: &LiftReport| -> u32 {
        report
            .lessons
            .iter()
            .map(|one| arms(&one.lift).iter().sum::<u32>())
            .sum()
    };
    assert_eq!(drawn(&report), both[0] * 5);
    // An outcome takes one out; `pending` is none.
    told(&fixture, "d1", "pending");
    assert_eq!(fixture.get::<LiftReport>("/v1/lift"), report);
    for n in 0..60 {
        let id = format!("{}d{n}", if n % 3 == 0 { "key/" } else { "" });
        told(&fixture, &id, "success");
    }
    let after: LiftReport = fixture.get("/v1/lift");
    assert_eq!((arms(&after.whole), drawn(&after)), ([0, 0], 0));
    assert_eq!(sum(&after.by_agent), [0, 0]);
}

#[test]
fn an_estimate_ends_when_its_text_changes_and_by_nothing_else() {
    let fixture = fixture().by_seeds();
    set(&fixture, &json!({"withhold": 0.3}));
    lived(&fixture, 0, 120);
    // One that is open when the text changes is of the old text for ever.
    ask(&fixture, "open", json!({}));
    let of = |slug: &str| -> LessonLift {
        let report: LiftReport = fixture.get(&format!("/v1/lift?lesson={slug}"));
        report.lessons.into_iter().next().unwrap()
    };
    let before = of("deploy-1");
    assert!(runs(&before.lift.shown) > 20);
    let patch = |more: Value| {
        let held: LessonView = fixture.get("/v1/lessons/deploy-1");
        let mut body = more;
        body["base_rev"] = json!(held.rev);
        fixture.ok::<LessonView>("PATCH /v1/lessons/deploy-1", body);
    };
    patch(json!({"tags": ["careful"]}));
    patch(json!({"domain": "", "category": "tooling", "tech_stacks": ["docker"]}));
    fixture.ok::<LessonView>("POST /v1/lessons/deploy-1/archive", Value::Null);
    fixture.ok::<LessonView>("POST /v1/lessons/deploy-1/restore", Value::Null);
    let held: LessonView = fixture.get("/v1/lessons/deploy-1");
    fixture.ok::<LessonView>(
        "POST /v1/lessons/deploy-1/review",
        json!({"verdict": "approve", "content_hash": held.content_hash}),
    );
    assert_eq!(of("deploy-1"), before);
    assert_eq!(
        fixture.store.space().lesson("deploy-1").unwrap().text_at,
        None
    );

    for (n, text) in ["title", "description", "context", "recommendation"]
        .iter()
        .enumerate()
    {
        lived(&fixture, 200 + 20 * n, 220 + 20 * n);
        assert!(runs(&of("deploy-1").lift.shown) > 5, "{text}");
        patch(json!({ *text: format!("Deploy with care, in steps, {n}") }));
        let after = of("deploy-1");
        assert_eq!(
            (runs(&after.lift.shown), runs(&after.lift.withheld)),
            (0, 0),
            "{text}"
        );
        assert_eq!(
            (after.lift.shown.open, after.lift.withheld.open),
            (Some(0), Some(0))
        );
        assert!(
            after.badge.starts_with("not known yet: about "),
            "{}",
            after.badge
        );
    }
    told(&fixture, "open", "success");
    let after = of("deploy-1");
    assert_eq!(runs(&after.lift.shown) + runs(&after.lift.withheld), 0);
    // Others keep theirs, and a device that reads the whole ledger comes to the same.
    assert!(runs(&of("deploy-2").lift.shown) > 100);
    let report: LiftReport = fixture.get("/v1/lift");
    assert_eq!(
        TestService::over(fixture.store.clone()).get::<LiftReport>("/v1/lift"),
        report
    );
}

#[test]
fn runs_of_another_policy_are_never_measured() {
    let fixture = fixture();
    set(&fixture, &json!({"control_runs": 0.5, "withhold": 0.5}));
    let agent = RequestContext::of_agent("key", None);
    for n in 0..20 {
        let given = ask(&fixture, &format!("policy-b/{n}"), json!({}));
        assert_eq!(
            (given.recommended.len(), given.under_measurement),
            (5, None)
        );
        let body = json!({"query": "deploy in steps", "decision_id": format!("key/policy-{n}")});
        let given = as_who(&fixture, &agent, "POST /v1/recommend", body);
        assert_eq!(given["recommended"].as_array().unwrap().len(), 5);
        for id in [format!("policy-b/{n}"), format!("key/policy-{n}")] {
            assert_eq!(fixture.store.space().decision(&id).unwrap().measured, None);
            told(&fixture, &id, "failure");
        }
    }
    let report: LiftReport = fixture.get("/v1/lift");
    assert_eq!((report.total, runs(&report.whole.shown)), (0, 0));
    // The word inside an id is another matter.
    assert_eq!(
        ask(&fixture, "new-policy", json!({})).under_measurement,
        Some(true)
    );
}

#[test]
fn agents_read_a_verdict_and_no_number() {
    let fixture = fixture();
    set(&fixture, &json!({"control_runs": 0.1, "withhold": 0.3}));
    lived(&fixture, 0, 500);
    for agent in [
        RequestContext::of_agent("key", None),
        RequestContext::of_local_agent(None),
    ] {
        let page = as_who(&fixture, &agent, "GET /v1/lessons", Value::Null);
        let found = as_who(
            &fixture,
            &agent,
            "POST /v1/search",
            json!({"query": "deploy"}),
        );
        let one = as_who(&fixture, &agent, "GET /v1/lessons/deploy-0", Value::Null);
        assert_eq!(one["measured"]["badge"], "hurts");
        let lessons = page["lessons"].as_array().unwrap();
        let results = found["results"].as_array().unwrap();
        let all = lessons
            .iter()
            .chain(results.iter().map(|one| &one["lesson"]))
            .chain([&one]);
        for lesson in all {
            let measured = &lesson["measured"];
            for number in ["estimate", "low", "high", "more_runs"] {
                assert_eq!(measured[number], Value::Null, "{measured}");
            }
            let badge = measured["badge"].as_str().unwrap();
            assert!(["hurts", "helps", "no difference seen", "not known yet"].contains(&badge));
        }
        let stats = as_who(&fixture, &agent, "GET /v1/stats", Value::Null).to_string();
        assert!(
            !["estimate", "low\"", "\"lift", "withheld"]
                .iter()
                .any(|word| stats.contains(word))
        );
        // In its decisions, an agent on a person's own device reads no more than one with a key.
        let id = if agent.by() == "local" { "d" } else { "key/d" };
        let given = as_who(
            &fixture,
            &agent,
            "POST /v1/recommend",
            json!({"query": "deploy in steps", "decision_id": id, "explain": true}),
        );
        assert_eq!(given.get("measured"), None);
        let view = as_who(&fixture, &agent, "GET /v1/decisions/d", Value::Null);
        assert_eq!(
            (&view["under_measurement"], &view["measured"]),
            (&json!(true), &Value::Null)
        );
    }
    // Of lifts an agent's trace says no number of runs.
    let explain = json!({"query": "deploy in steps", "explain": true});
    let key = RequestContext::of_agent("key", None);
    let given = as_who(&fixture, &key, "POST /v1/recommend", explain.clone()).to_string();
    assert!(given.contains("by how much more often runs go well with it"));
    assert!(!given.contains(" runs; with the doubt"));
    let given = fixture.call("POST /v1/recommend", explain).body.to_string();
    assert!(given.contains(" runs; with the doubt"));
    // A person reads all of it.
    let view: LessonView = fixture.get("/v1/lessons/deploy-0");
    let measured = view.measured.unwrap();
    assert_eq!(
        (measured.badge.as_str(), measured.verdict),
        ("hurts", LiftVerdict::Hurts)
    );
    assert!(measured.high.unwrap() < 0.0);
    let found: SearchResults = fixture.ok("POST /v1/search", json!({"query": "deploy"}));
    assert!(found.results.iter().any(|one| one.slug == "deploy-0"));
    assert!(!slugs(&ask(&fixture, "last", json!({"limit": 8}))).is_empty());
}

/// The outcome of a control run that another device asked for, of which this one has only the row.
#[test]
fn an_outcome_for_a_control_run_from_another_device_counts_once() {
    let fixture = fixture();
    set(&fixture, &json!({"control_runs": 0.5}));
    let control = (0..40)
        .map(|n| format!("d{n}"))
        .find(|id| ask(&fixture, id, json!({})).measured.unwrap().control)
        .unwrap();
    let ledger: String = fixture.get("/v1/export?format=jsonl");
    let other = TestService::new();
    other.ok::<Value>(
        "POST /v1/import",
        json!({"files": [{"path": "ledger.jsonl", "content": ledger}]}),
    );
    told(&other, &control, "success");
    let again: OutcomeRecorded = other.ok(
        "POST /v1/outcome",
        json!({"decision_id": control, "outcome": "success"}),
    );
    assert_eq!((again.repeated, again.lessons_updated), (true, 0));
    let (status, _) = other.refused(
        "POST /v1/outcome",
        json!({"decision_id": control, "outcome": "failure"}),
    );
    assert_eq!(status, 409);
    let report: LiftReport = other.get("/v1/lift");
    assert_eq!(report.whole.withheld.successes, 1);
    assert_eq!(runs(&report.whole.shown), 0);
}
