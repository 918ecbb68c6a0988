//! Comparing two policies on live traffic: what begins and ends it, which decisions take part, and the report.

use crate::common;

use common::{Desk, block_on};
use lesson_service::{RequestContext, route};
use lesson_types::*;
use serde_json::{Value, json};

const SHADOW: &str = "POST /v1/policies/shadow";

fn desk() -> Desk {
    let desk = Desk::new();
    for n in 0..6 {
        let lesson = json!({
            "title": format!("Deploy with care {n}"),
            // The last one fits the situation less, and is trusted more.
            "recommendation": if n == 5 { "Look at it." } else { "Deploy in steps, and look at each." },
            "slug": format!("deploy-{n}"),
        });
        desk.ok::<LessonView>("POST /v1/lessons", lesson);
    }
    // One that is often shown and never found helpful would sink.
    for lesson in ["deploy-0", "deploy-1", "deploy-2", "deploy-3", "deploy-4"] {
        desk.ok::<Rated>("POST /v1/rate", json!({"lesson": lesson, "helpful": true}));
    }
    for _ in 0..6 {
        desk.ok::<Rated>(
            "POST /v1/rate",
            json!({"lesson": "deploy-5", "helpful": true}),
        );
    }
    desk
}

/// By confidence alone `deploy-5` comes first.
fn begin(desk: &Desk, mode: &str) -> ShadowReport {
    let rank = json!({"match_weight": 0.1, "confidence_weight": 0.9, "metadata_weight": 0.0});
    desk.ok(SHADOW, json!({"mode": mode, "rank": rank}))
}

fn ask(desk: &Desk, id: &str, more: Value) -> Recommendations {
    let mut body = json!({"query": "deploy in steps", "decision_id": id, "limit": 3});
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    let given = desk.ok("POST /v1/recommend", body);
    block_on(desk.service.idle()).unwrap();
    given
}

fn shadow(desk: &Desk, id: &str) -> Option<DecisionShadow> {
    let view: DecisionView = desk.get(&format!("/v1/decisions/{id}"));
    view.measured?.shadow
}

fn slugs(given: &Recommendations) -> Vec<&str> {
    let lessons = given.recommended.iter();
    lessons.map(|one| one.slug.as_str()).collect()
}

#[test]
fn nothing_is_compared_until_a_person_begins_it_and_after_its_end() {
    let desk = desk();
    let none: ShadowReport = desk.get("/v1/policies/shadow");
    assert_eq!((none.comparison, none.earlier.len()), (None, 0));
    let before = ask(&desk, "before", json!({}));
    let report = begin(&desk, "interleave");
    let held = report.comparison.unwrap();
    assert!(held.running && held.figures.from.is_none());
    assert_eq!(held.rank["confidence_weight"], 0.9);
    // A decision that began before stays as it was.
    assert_eq!(slugs(&ask(&desk, "before", json!({}))), slugs(&before));
    assert_eq!(shadow(&desk, "before"), None);
    let given = ask(&desk, "d", json!({}));
    let told = shadow(&desk, "d").unwrap();
    assert_eq!(
        (told.comparison.as_str(), told.decided),
        (held.figures.id.as_str(), None)
    );
    let mut drafted: Vec<&str> = told
        .first
        .iter()
        .chain(&told.second)
        .map(String::as_str)
        .collect();
    drafted.sort_unstable();
    let mut shown = slugs(&given);
    shown.sort_unstable();
    assert_eq!(drafted, shown);
    assert!(told.first.len().abs_diff(told.second.len()) <= 1);
    assert_eq!(given.measured.unwrap().shadow, Some(told));
    // Nothing is missing from it.
    assert_eq!(given.under_measurement, None);
    // The same again writes nothing; once more it is given alike.
    let events = desk.store.events().len();
    begin(&desk, "interleave");
    assert_eq!(desk.store.events().len(), events);
    assert_eq!(
        slugs(&ask(&desk, "d", json!({}))),
        slugs(&ask(&desk, "d", json!({})))
    );

    let ended: ShadowReport = desk.ok("POST /v1/policies/shadow/end", Value::Null);
    assert!(!ended.comparison.as_ref().unwrap().running);
    ask(&desk, "after", json!({}));
    assert_eq!(shadow(&desk, "after"), None);
    // Taken back, it goes on under its name; another one has another name and leaves this one's figures.
    let again = begin(&desk, "interleave").comparison.unwrap();
    assert_eq!((again.running, &again.figures.id), (true, &held.figures.id));
    let other = begin(&desk, "split");
    assert_ne!(other.comparison.unwrap().figures.id, held.figures.id);
    assert_eq!(other.earlier[0].id, held.figures.id);
    assert_eq!(other.earlier[0].preference.as_ref().unwrap().decisions, 1);
    // With other constants of the space's own it begins anew, too.
    let id = |desk: &Desk| {
        desk.get::<ShadowReport>("/v1/policies/shadow")
            .comparison
            .unwrap()
            .figures
            .id
    };
    let was = id(&desk);
    desk.ok::<Value>("PATCH /v1/policy", json!({"rank": {"words_alone": 0.7}}));
    assert_ne!(id(&desk), was);
    let was = id(&desk);
    desk.ok::<Value>("PATCH /v1/policy", json!({"measure": {"withhold": 0.2}}));
    assert_eq!(id(&desk), was);
}

#[test]
fn what_is_no_decision_or_brings_its_own_policy_is_never_compared() {
    let desk = desk();
    begin(&desk, "split");
    for _ in 0..3 {
        for body in [
            json!({"query": "deploy in steps", "limit": 3}),
            json!({"query": "deploy in steps", "limit": 3, "decision_id": "d", "dry_run": true}),
        ] {
            let given: Recommendations = desk.ok("POST /v1/recommend", body);
            assert_eq!(given.measured, None);
            assert_eq!(slugs(&given)[0], "deploy-0");
        }
        let found: SearchResults = desk.ok("POST /v1/search", json!({"query": "deploy"}));
        assert_eq!(found.results.len(), 6);
    }
    assert!(desk.store.space().decision("d").is_none());
    let own = ask(&desk, "own", json!({"policy": {"words_alone": 0.6}}));
    assert_eq!((own.measured, shadow(&desk, "own")), (None, None));
    // An agent takes part and is not told.
    let context = RequestContext::of_agent("key", None);
    let body = json!({"query": "deploy in steps", "decision_id": "agents"});
    let request = common::request("POST /v1/recommend", body);
    let row = route(request.method, &request.path).unwrap();
    let answer = block_on(desk.service.handle_for(&context, row, request));
    assert_eq!(
        (answer.status, answer.body.to_string().contains("shadow")),
        (200, false)
    );
    block_on(desk.service.idle()).unwrap();
    let space = desk.store.space();
    let (_, kept) = space
        .decisions()
        .find(|(id, _)| id.contains("agents"))
        .unwrap();
    assert!(kept.measured.as_ref().unwrap().shadow.is_some());
}

#[test]
fn two_devices_draft_alike_and_drawing_goes_on() {
    let desk = desk();
    begin(&desk, "interleave");
    desk.ok::<Value>(
        "PATCH /v1/policy",
        json!({"measure": {"control_runs": 0.2, "withhold": 0.3}}),
    );
    let ledger: Value = desk.get("/v1/export?format=jsonl");
    let other = Desk::new();
    let files = json!({"files": [{"path": "ledger.jsonl", "content": ledger}]});
    other.ok::<Value>("POST /v1/import", files);
    let (mut withheld, mut control, mut second_first) = (0, 0, 0);
    for n in 0..80 {
        let id = format!("d{n}");
        let (one, two) = (ask(&desk, &id, json!({})), ask(&other, &id, json!({})));
        assert_eq!(slugs(&one), slugs(&two), "{id}");
        assert_eq!(one.measured, two.measured, "{id}");
        let drawn = one.measured.unwrap();
        assert_eq!(one.under_measurement, Some(true));
        match drawn.shadow {
            // Who drafted nothing is compared with nobody.
            None => {
                assert!(drawn.control && one.recommended.is_empty());
                control += 1;
            }
            Some(told) => {
                assert_eq!(told.first.len() + told.second.len(), one.recommended.len());
                let is_second = |slug: &str| told.second.iter().any(|one| one == slug);
                second_first += usize::from(
                    one.recommended
                        .first()
                        .is_some_and(|best| is_second(&best.slug)),
                );
            }
        }
        withheld += drawn.withheld.len();
    }
    assert!(
        (5..30).contains(&control) && withheld > 30,
        "{control} {withheld}"
    );
    assert!((15..50).contains(&second_first), "{second_first}");
}

#[test]
fn the_report_says_whose_lessons_are_applied() {
    let desk = desk();
    begin(&desk, "interleave");
    for n in 0..90 {
        let id = format!("d{n}");
        ask(&desk, &id, json!({}));
        let told = shadow(&desk, &id).unwrap();
        // Agents take lessons of the second policy, and now and then one of the first.
        let team = if n % 6 == 0 {
            &told.first
        } else {
            &told.second
        };
        let Some(slug) = team.first().filter(|_| n % 10 != 9) else {
            continue;
        };
        let reasoning = format!("Applying '{slug}' here.");
        desk.ok::<Tracked>(
            "POST /v1/track",
            json!({"decision_id": id, "reasoning": reasoning}),
        );
    }
    let report: ShadowReport = desk.get("/v1/policies/shadow");
    let figures = report.comparison.unwrap().figures;
    let said = figures.preference.unwrap();
    assert_eq!(
        (said.decisions, said.guard, said.verdict),
        (90, LiftGuard::Given, ShadowVerdict::Second)
    );
    assert_eq!(said.ties, 0);
    assert!(said.second > 50 && said.first > 8, "{said:?}");
    assert!(said.low.unwrap() > 0.0 && said.low < said.estimate && said.estimate < said.high);
    assert_eq!((said.more_runs, figures.outcomes), (None, None));
    // What is learned as events come is what the whole ledger teaches.
    let again = Desk::over(desk.store.clone());
    let told: ShadowReport = again.get("/v1/policies/shadow");
    assert_eq!(told.comparison.unwrap().figures.preference, Some(said));
}

#[test]
fn the_report_says_whose_decisions_go_well() {
    let desk = desk();
    begin(&desk, "split");
    for n in 0..400 {
        let id = format!("d{n}");
        let given = ask(&desk, &id, json!({}));
        let told = shadow(&desk, &id).unwrap();
        assert!(told.first.is_empty() && told.second.is_empty());
        let second = told.decided == Some(PolicySide::Second);
        assert_eq!(
            slugs(&given)[0],
            if second { "deploy-5" } else { "deploy-0" },
            "{id}"
        );
        if n % 20 == 3 {
            continue;
        }
        let success = if second { n % 5 != 0 } else { n % 3 == 0 };
        let outcome = if success { "success" } else { "failure" };
        desk.ok::<OutcomeRecorded>(
            "POST /v1/outcome",
            json!({"decision_id": id, "outcome": outcome}),
        );
    }
    let report: ShadowReport = desk.get("/v1/policies/shadow");
    let figures = report.comparison.unwrap().figures;
    let said = figures.outcomes.unwrap();
    assert_eq!(
        (said.guard, said.verdict),
        (LiftGuard::Given, ShadowVerdict::Second)
    );
    assert!((said.estimate.unwrap() - 0.467).abs() < 0.15 && said.low.unwrap() > 0.0);
    assert_eq!(said.first.open.unwrap() + said.second.open.unwrap(), 20);
    let ended =
        said.first.successes + said.first.failures + said.second.successes + said.second.failures;
    assert_eq!((ended, figures.preference), (380, None));
    // The ledger says which constants ranked each decision.
    let ledger: String = desk.get("/v1/export?format=jsonl");
    let mut policies: Vec<&str> = ledger
        .split("\"policy\":\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    policies.sort_unstable();
    policies.dedup();
    assert_eq!(policies.len(), 2);
}

#[test]
fn an_explained_answer_explains_each_lesson_by_the_policy_that_drafted_it() {
    let desk = desk();
    begin(&desk, "interleave");
    for n in 0..20 {
        let given = ask(&desk, &format!("d{n}"), json!({"explain": true}));
        let trace = given.trace.unwrap();
        for one in &given.recommended {
            let entry = trace.iter().find(|entry| entry.slug == one.slug).unwrap();
            assert_eq!(entry.rank, Some(one.rank));
            assert_eq!(entry.excluded, None);
            let weight = entry
                .factors
                .iter()
                .find(|factor| factor.name == "confidence")
                .unwrap()
                .weight;
            let second = given
                .measured
                .as_ref()
                .unwrap()
                .shadow
                .as_ref()
                .unwrap()
                .second
                .contains(&one.slug);
            assert_eq!(weight, if second { 0.9 } else { 0.2 }, "{}", one.slug);
        }
        let ranked = trace.iter().filter(|entry| entry.rank.is_some()).count();
        assert_eq!(ranked, given.recommended.len());
    }
}

#[test]
fn what_is_wrong_is_named() {
    let desk = desk();
    for (body, field, word) in [
        (
            json!({"mode": "both", "rank": {"words_alone": 0.5}}),
            "mode",
            "both",
        ),
        (json!({"rank": {"words_alone": 0.5}}), "mode", "missing"),
        (json!({"mode": "split"}), "rank", "missing"),
        (json!({"mode": "split", "rank": {}}), "rank", "the same"),
        (
            json!({"mode": "split", "rank": {"words_alone": 0.8}}),
            "rank",
            "the same",
        ),
        (json!({"mode": "split", "rank": [1]}), "rank", "object"),
        (
            json!({"mode": "split", "rank": {"words_alone": 2}}),
            "rank.words_alone",
            "between 0 and 1",
        ),
        (
            json!({"mode": "split", "rank": {"words": 1}}),
            "rank.words",
            "no ranking constant",
        ),
        (
            json!({"mode": "split", "rank": {"phases": {}}}),
            "rank.phases",
            "same for everyone",
        ),
        (
            json!({"mode": "split", "rank": {"words_alone": "much"}}),
            "rank.words_alone",
            "expected f64",
        ),
        (
            json!({"mode": "split", "rank": {"words_alone": 0.5}, "share": 0.1}),
            "share",
            "share",
        ),
    ] {
        let (status, error) = desk.refused(SHADOW, body.clone());
        assert_eq!(
            (status, error.field.as_deref()),
            (400, Some(field)),
            "{body}: {}",
            error.message
        );
        assert!(error.message.contains(word), "{body}: {}", error.message);
    }
    let (status, error) = desk.refused("POST /v1/policies/shadow/end", Value::Null);
    assert_eq!((status, error.code), (409, ErrorCode::Conflict));
    assert!(desk.store.space().settings().next().is_none());
}

#[test]
fn the_constants_that_can_be_changed_are_listed_and_their_bounds_hold() {
    let desk = desk();
    let policy: Value = desk.get("/v1/policy");
    let listed: Vec<Constant> = serde_json::from_value(policy["constants"].clone()).unwrap();
    let named = |section: &str| {
        let held = policy[section].as_object().unwrap().keys();
        let mut names: Vec<String> = held
            .filter(|name| *name != "phases")
            .map(|name| format!("{section}.{name}"))
            .collect();
        names.sort_unstable();
        let prefix = format!("{section}.");
        let mut told: Vec<String> = listed
            .iter()
            .map(|one| one.name.clone())
            .filter(|name| name.starts_with(&prefix))
            .collect();
        told.sort_unstable();
        (names, told)
    };
    for section in ["rank", "measure"] {
        let (names, told) = named(section);
        assert_eq!(names, told);
    }
    for one in &listed {
        assert!(
            one.about.ends_with('.') && one.about.len() > 10,
            "{}",
            one.name
        );
        let (section, name) = one.name.split_once('.').unwrap();
        let held = match section {
            "tools" => json!([]),
            _ => policy[section][name].clone(),
        };
        assert_eq!(one.default, held, "{}", one.name);
        let patch = |value: Value| json!({ section: { name: value } });
        let (Some(least), Some(most)) = (one.least, one.most) else {
            for word in &one.words {
                desk.ok::<Value>("PATCH /v1/policy", patch(json!(word)));
            }
            continue;
        };
        let is_count = one.kind == ConstantKind::Count;
        let number = |value: f64| {
            if is_count {
                json!(value as i64)
            } else {
                json!(value)
            }
        };
        let (status, error) = desk.refused("PATCH /v1/policy", patch(number(most + 1.0)));
        assert_eq!(
            (status, error.field.as_deref()),
            (400, Some(one.name.as_str())),
            "{}",
            error.message
        );
        let (status, _) = desk.refused("PATCH /v1/policy", patch(number(least - 1.0)));
        assert_eq!(status, 400, "{}", one.name);
    }
}
