//! The formulas of learning and the filter of lift against numpy, to 1e-9, and the coverage of intervals as numpy simulates
//! it.

#[path = "benches/learn/dice.rs"]
mod dice;

use dice::Dice;
use lesson_core::learning::{
    ALPHA, Base, Belief, Learning, Run, UNHEEDED_NOISE, half_width, learn, learn_alone, rated,
};
use lesson_core::{Drawn, LiftVerdict, Measured};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const LEDGERS: u64 = 60;
const NEAR: f64 = 1e-9;

/// A decision of a random ledger.
struct Decision {
    domain: usize,
    success: bool,
    measured: Option<Measured>,
}

#[test]
fn formulas_equal_numpy() {
    let ledgers: Vec<(usize, Vec<Decision>)> = (0..LEDGERS).map(ledger).collect();
    let lines: String = ledgers
        .iter()
        .map(|(lessons, decisions)| format!("{}\n", line(*lessons, decisions)))
        .collect();
    let answers = ask("learning_oracle.py", &[], &lines);
    assert_eq!(answers.len(), ledgers.len());
    let (mut compared, mut said) = (0, 0);
    for ((lessons, decisions), wanted) in ledgers.iter().zip(&answers) {
        // Two ways of feeding: in order, and backwards, which has all folded anew.
        for backwards in [false, true] {
            let (numbers, verdicts) = compare(*lessons, decisions, wanted, backwards);
            compared += numbers;
            said += verdicts;
        }
    }
    assert!(
        compared > 5_000 && said > 50,
        "{compared} numbers, {said} verdicts"
    );
}

#[test]
fn the_filter_of_lift_equals_numpy() {
    let ledgers: Vec<Lives> = (0..LEDGERS).map(lives).collect();
    let lines: String = ledgers
        .iter()
        .map(|lives| format!("{}\n", lives.line))
        .collect();
    let noise = UNHEEDED_NOISE.to_string();
    let answers = ask("lift_oracle.py", &[&noise], &lines);
    assert_eq!(answers.len(), ledgers.len());
    let (mut compared, mut told) = (0, 0);
    for (lives, wanted) in ledgers.iter().zip(&answers) {
        let mut near = |what: &str, ours: &[f64], theirs: &Value| {
            let theirs = theirs.as_array().unwrap();
            assert_eq!(ours.len(), theirs.len());
            for (ours, theirs) in ours.iter().zip(theirs) {
                let apart = (ours - theirs.as_f64().unwrap()).abs();
                assert!(apart <= NEAR, "{what}: {ours} and {theirs}");
                compared += 1;
            }
        };
        for (lesson, belief) in lives.beliefs.iter().enumerate() {
            let held = belief.at(lives.until);
            let (low, high) = held.interval();
            let ours = [held.mean, held.variance, held.optimism(), low, high];
            near(
                &format!("lesson {lesson}"),
                &ours,
                &wanted["lessons"][lesson],
            );
            told += usize::from(low > 0.0 || high < 0.0);
        }
        for (domain, base) in lives.bases.iter().enumerate() {
            let ours = [base.rate, base.variance];
            near(
                &format!("domain {domain}"),
                &ours,
                &wanted["domains"][domain],
            );
        }
    }
    assert!(
        compared > 2_000 && told > 20,
        "{compared} numbers, {told} told"
    );
}

#[test]
fn numpy_sees_the_same_coverage() {
    let answers = ask("learning_coverage.py", &["2000", "2400", "11"], "");
    let counted = |name: &str| answers[0][name].as_f64().unwrap();
    let missed = counted("missed") / counted("estimates");
    let (wrong, raw) = (
        counted("wrong") / counted("told"),
        counted("raw_wrong") / counted("raw"),
    );
    println!("numpy: misses {missed:.4}, wrong signs {wrong:.4}, of raw rates {raw:.4}");
    assert!(missed <= 0.05, "{missed}");
    assert!(wrong <= 0.05 && raw >= 0.2, "{wrong} {raw}");
}

fn compare(
    lessons: usize,
    decisions: &[Decision],
    wanted: &Value,
    backwards: bool,
) -> (usize, usize) {
    let mut learning = Learning::new();
    let names: Vec<String> = (0..lessons).map(|at| format!("lesson-{at:02}")).collect();
    let mut order: Vec<usize> = (0..decisions.len()).collect();
    if backwards {
        order.reverse();
    }
    for at in order {
        let decision = &decisions[at];
        let domain = format!("domain {}", decision.domain);
        let run = Run {
            at: 0,
            outcome: Some((at as i64, decision.success)),
            domain: &domain,
            by: "local",
            measured: decision.measured.as_ref(),
        };
        learning.feed(&format!("d{at}"), Some(run));
    }
    let effects = learning.effects();
    let (mut compared, mut said) = (0, 0);
    let mut near = |what: &str, ours: f64, theirs: &Value| {
        let theirs = theirs.as_f64().unwrap_or(f64::NAN);
        let apart = (ours - theirs).abs() / theirs.abs().max(1.0);
        assert!(apart <= NEAR, "{what}: {ours} and {theirs}");
        compared += 1;
    };
    for (name, wanted) in names.iter().zip(wanted["lessons"].as_array().unwrap()) {
        let Some(ours) = effects.lesson(name) else {
            assert_eq!(wanted["t"], 0);
            continue;
        };
        let terms = ours.running.terms;
        assert_eq!(wanted["t"], terms.t);
        if terms.t == 0 {
            continue;
        }
        near("tau", terms.mean, &wanted["tau"]);
        near("sigma", terms.deviation(), &wanted["sigma"]);
        near(
            "half",
            half_width(terms.deviation(), terms.t, ALPHA),
            &wanted["half"],
        );
        near("helps", ours.running.helps.ln, &wanted["helps"]);
        near("hurts", ours.running.hurts.ln, &wanted["hurts"]);
        near("ratio", ours.running.ratio.ln, &wanted["ratio"]);
        let says = match ours.verdict {
            LiftVerdict::Helps => "helps",
            LiftVerdict::Hurts => "hurts",
            _ => "nothing",
        };
        assert_eq!(wanted["says"], says, "{name}");
        said += usize::from(says != "nothing");
    }
    let running = effects.whole.running;
    if running.terms.t > 0 {
        near("loop", running.terms.mean, &wanted["loop"][0]);
        near(
            "loop's width",
            half_width(running.terms.deviation(), running.terms.t, ALPHA),
            &wanted["loop"][1],
        );
        near("loop's ratio", running.ratio.ln, &wanted["loop"][2]);
        assert_eq!(
            effects.whole.estimate().is_none(),
            running.ratio.is_off() || running.shown.runs() == 0 || running.withheld.runs() == 0
        );
    }
    (compared, said)
}

fn line(lessons: usize, decisions: &[Decision]) -> Value {
    let decisions: Vec<Value> = decisions
        .iter()
        .map(|one| {
            let drawn = one.measured.iter().flat_map(|measured| &measured.drawn);
            let drawn: Vec<Value> = drawn
                .map(|drawn| {
                    let lesson: usize = drawn.lesson["lesson-".len()..].parse().unwrap();
                    json!([lesson, drawn.q, drawn.withheld])
                })
                .collect();
            json!({
                "domain": one.domain,
                "success": one.success,
                "control": one.measured.as_ref().map(|measured| json!([measured.control_q, measured.control])),
                "drawn": drawn,
            })
        })
        .collect();
    json!({ "lessons": lessons, "decisions": decisions })
}

/// Some with few lessons and strong lifts, some with many; some whose draws are not what they say.
fn ledger(seed: u64) -> (usize, Vec<Decision>) {
    let mut dice = Dice::new(seed.wrapping_mul(7_919) + 3);
    let lessons = 3 + dice.below(16);
    let domains = 1 + dice.below(4);
    let rates: Vec<f64> = (0..domains).map(|_| dice.between(0.2, 0.8)).collect();
    let lifts: Vec<f64> = (0..lessons).map(|_| dice.between(-0.5, 0.5)).collect();
    let skew = if seed.is_multiple_of(7) { 0.6 } else { 1.0 };
    let decisions = (0..50 + dice.below(1_200)).map(|at| {
        let domain = dice.below(domains);
        // The probability of a control run is changed now and then, and is 0 for a while.
        let control_q = [0.1, 0.3, 0.0, 0.5][at / 200 % 4];
        let control = dice.chance(control_q * skew);
        let mut rate = rates[domain];
        let mut drawn = Vec::new();
        for (lesson, lift) in lifts.iter().enumerate() {
            if control || !dice.chance(3.0 / lessons as f64) {
                continue;
            }
            let q = [0.1, 0.2, 0.5][dice.below(3)];
            let withheld = dice.chance(q * skew);
            if !withheld {
                rate += lift;
            }
            drawn.push(Drawn {
                lesson: format!("lesson-{lesson:02}"),
                q,
                withheld,
            });
        }
        let measured = dice.chance(0.9).then_some(Measured {
            control,
            control_q,
            drawn,
        });
        Decision {
            domain,
            success: dice.chance(rate.clamp(0.02, 0.98)),
            measured,
        }
    });
    (lessons, decisions.collect())
}

/// A ledger of lift as numpy reads it, and what it came to here.
struct Lives {
    line: Value,
    beliefs: Vec<Belief>,
    bases: Vec<Base>,
    until: i64,
}

/// Outcomes in bursts and after months, some from the past; ratings, showings without use, edits and merges between them.
fn lives(seed: u64) -> Lives {
    const DAY: f64 = 86_400_000.0;
    let mut dice = Dice::new(seed.wrapping_mul(104_729) + 11);
    let lessons = 2 + dice.below(9);
    let rates: Vec<f64> = (0..=dice.below(4)).map(|_| dice.unit()).collect();
    let lifts: Vec<f64> = (0..lessons).map(|_| dice.between(-0.4, 0.4)).collect();
    let mut beliefs = vec![Belief::default(); lessons];
    let mut bases: Vec<Base> = rates.iter().map(|rate| Base::first(*rate)).collect();
    let mut happened = Vec::new();
    let mut at = 0;
    // In some ledgers all happens within days, so that much is known at the end.
    let pauses = &[0.001, 0.1, 3.0, 90.0][..1 + (seed % 4) as usize];
    for _ in 0..50 + dice.below(600) {
        let pause = pauses[dice.below(pauses.len())];
        let back = if dice.chance(0.1) { -0.5 } else { 1.0 };
        at += (dice.unit() * pause * back * DAY) as i64;
        let domain = dice.below(rates.len());
        let (lesson, well) = (dice.below(lessons), dice.chance(0.5));
        let held = &mut beliefs[lesson];
        match dice.below(20) {
            0 => {
                rated(bases[domain], held, well, at);
                happened.push(json!(["rated", at, domain, lesson, well]));
            }
            1 => {
                *held = held.unheeded(at);
                happened.push(json!(["unheeded", at, lesson]));
            }
            2 => {
                learn_alone(bases[domain], 0.6, held, well, at);
                happened.push(json!(["late", at, domain, well, lesson, 0.6]));
            }
            3 if dice.chance(0.1) => {
                *held = held.widened();
                happened.push(json!(["edited", lesson]));
            }
            4 if dice.chance(0.1) => {
                let other = (lesson + 1) % lessons;
                let merged = beliefs[lesson].merged(beliefs[other]);
                // The other one stays as it is at the later of both times.
                if let Some(at) = merged.at {
                    beliefs[other] = beliefs[other].at(at);
                }
                beliefs[lesson] = merged;
                happened.push(json!(["merged", lesson, other]));
            }
            _ => {
                let used: Vec<(usize, f64)> = (0..lessons)
                    .filter(|_| dice.chance(2.0 / lessons as f64))
                    .collect::<Vec<_>>()
                    .into_iter()
                    .map(|lesson| (lesson, [0.95, 0.6, 1.0, 0.0][dice.below(4)]))
                    .collect();
                let lift: f64 = used.iter().map(|(lesson, h)| h * lifts[*lesson]).sum();
                let success = dice.chance((rates[domain] + lift).clamp(0.02, 0.98));
                let mut applied: Vec<(f64, &mut Belief)> = beliefs
                    .iter_mut()
                    .enumerate()
                    .filter_map(|(place, belief)| {
                        let found = used.iter().find(|(lesson, _)| *lesson == place)?;
                        Some((found.1, belief))
                    })
                    .collect();
                learn(&mut bases[domain], &mut applied, success, at);
                happened.push(json!(["outcome", at, domain, success, used]));
            }
        }
    }
    let until = at + (dice.between(0.0, 200.0) * DAY * pauses[pauses.len() - 1]) as i64;
    Lives {
        line: json!({ "lessons": lessons, "rates": rates, "happened": happened, "until": until }),
        beliefs,
        bases,
        until,
    }
}

/// Runs a script of `tests/oracles` and returns its answers, a line of JSON each.
fn ask(script: &str, arguments: &[&str], lines: &str) -> Vec<Value> {
    let python = std::env::var("LESSONLOOP_PYTHON")
        .expect("LESSONLOOP_PYTHON is not set: run `cargo xtask test oracle`");
    let folder = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("oracles");
    let mut child = Command::new(python)
        .arg(folder.join(script))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 runs");
    let mut stdin = child.stdin.take().expect("stdin is piped");
    let lines = lines.to_owned();
    // Python answers while it reads: write from another thread, or both pipes fill up.
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = child.wait_with_output().expect("python3 ends");
    assert!(output.status.success(), "{script} failed");
    writer.join().expect("the writer ends").ok();
    String::from_utf8(output.stdout)
        .expect("UTF-8")
        .lines()
        .map(|line| serde_json::from_str(line).expect("one answer per line"))
        .collect()
}
