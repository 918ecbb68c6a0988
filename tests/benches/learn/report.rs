//! The report: tables for the terminal and for `docs/learning.md`, with where each arm loses.

use crate::arm::Arm;
use crate::coverage::Counted;
use crate::figures::Mean;
use crate::lift_time::Times;
use crate::picture;
use crate::play::Played;
use crate::upworthy::Gain;
use crate::world::{Family, PLACES, RUNS};
use std::fmt::Write;
use std::path::Path;

// Other clones that share a target folder build their own: the path below is this one's.
const _: Option<&str> = option_env!("LESSONLOOP_ROOT");

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");

/// A family of worlds, and what each arm came to in it.
#[derive(Debug, Clone)]
pub struct Table {
    family: Family,
    played: Vec<(Arm, Vec<Played>)>,
}

/// All that was measured.
pub struct Report {
    /// Worlds of a family.
    pub worlds: u64,
    /// c in force.
    pub c: f64,
    /// (c, chance of success by evidence, the same with withholding) on the tuning worlds.
    pub tuned: Vec<(f64, Mean, Mean)>,
    /// The reporting families.
    pub tables: Vec<Table>,
    /// Intervals under a look at every run.
    pub counted: Counted,
    /// (lift, q, median runs).
    pub tells: Vec<(f64, f64, u32)>,
    /// Times.
    pub times: Times,
    /// Gains on real data.
    pub gains: Option<Vec<Gain>>,
}

impl Table {
    /// A family with its arms; the last one is the oracle.
    pub fn of(family: Family, played: Vec<(Arm, Vec<Played>)>) -> Self {
        Self { family, played }
    }

    fn of_arm(&self, wanted: impl Fn(Arm) -> bool) -> &[Played] {
        let found = self.played.iter().find(|(arm, _)| wanted(*arm));
        found.map_or(&[], |(_, played)| played)
    }

    /// How much less often decisions go well than with the oracle, world by world.
    fn regret(&self, played: &[Played]) -> Mean {
        let best = self.of_arm(|arm| arm == Arm::Oracle);
        Mean::of(
            best.iter()
                .zip(played)
                .map(|(best, one)| best.success - one.success),
        )
    }

    /// By how much an arm's regret is above another's.
    fn above(&self, one: &[Played], other: &[Played]) -> Mean {
        Mean::of(
            one.iter()
                .zip(other)
                .map(|(one, other)| other.success - one.success),
        )
    }
}

impl Report {
    /// The report as markdown.
    pub fn text(&self) -> String {
        let mut out = String::from("# Does the loop learn?\n\n");
        let _ = writeln!(
            out,
            "Made by `cargo xtask bench learn`; run it again after a change of ranking or estimating. The sample lessons meet their labelled situations, ranked by the engine's own relevance, in simulated worlds: a hidden lift per lesson of −0.3 to 0.3 (a third are 0), base rates by domain, agents that apply by rank and fit, 20 % of applied lessons not seen, 5 % seen falsely, outcomes up to 60 decisions late. {} worlds of each family, {RUNS} decisions each, {PLACES} lessons an answer. Intervals are 95 %, over worlds. c = {} was chosen on the tuning worlds, which are in no other table. Inside a domain nothing but the lessons' own relevance ties a lesson to a situation, except in the family that says so, so observed evidence is hardly confounded here: what withholding guards against is rare in these worlds, and its price is not. The arm *left out at −1/c* is a trial: the product lowers such a lesson to 0, and shows it where nothing else fits.\n",
            self.worlds, self.c
        );
        out.push_str("![Regret by arm](learning-regret.svg)\n\n![Harmful exposure by arm](learning-harm.svg)\n\n");
        for table in &self.tables {
            self.family(&mut out, table);
        }
        self.verdict(&mut out);
        self.tuning(&mut out);
        self.intervals(&mut out);
        self.real(&mut out);
        out
    }

    fn family(&self, out: &mut String, table: &Table) {
        let _ = writeln!(
            out,
            "## {}\n\nRegret and harm in percentage points of decisions and of shown lessons; *out*: decisions until a lesson of −0.1 or worse is hardly shown; *starved*: lessons of 0.1 or better that are hardly shown in the last quarter; *false proven*: useless and harmful lessons that the arm calls proven; *signs*: lessons seen on the wrong side of doing nothing.\n\n| arm | regret | harmful shown | out | starved % | false proven % | wrong signs % |\n|---|---|---|---|---|---|---|",
            table.family.name
        );
        for (arm, played) in &table.played {
            let of = |get: fn(&Played) -> f64| Mean::of(played.iter().map(get));
            let claims = !matches!(arm, Arm::Random | Arm::Relevance | Arm::Oracle);
            let claim = |mean: Mean| {
                if claims {
                    mean.show(100.0, 1)
                } else {
                    "–".to_owned()
                }
            };
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} | {} |",
                arm.name(),
                table.regret(played).show(100.0, 2),
                of(|one| one.harmful).show(100.0, 1),
                of(|one| one.runs_to_out).show(1.0, 0),
                of(|one| one.starved).show(100.0, 1),
                claim(of(|one| one.false_proven)),
                claim(of(|one| one.sign_errors)),
            );
        }
        out.push('\n');
    }

    /// Evidence against the others, and where it loses.
    fn verdict(&self, out: &mut String) {
        out.push_str("## Evidence against the sources' rules and relevance alone\n\nDifference of regret in percentage points, world by world; below 0 the first is better.\n\n| worlds | evidence − seeds | evidence − relevance | with withholding − seeds | with withholding − without | evidence − Beta mean | left out at −1/c − seeds |\n|---|---|---|---|---|---|---|\n");
        let mut lost: Vec<String> = Vec::new();
        let mut is_proven = true;
        for table in &self.tables {
            let evidence = table.of_arm(|arm| matches!(arm, Arm::Evidence(_)));
            let measured = table.of_arm(|arm| matches!(arm, Arm::Measured(..)));
            let arm = |wanted: Arm| table.of_arm(|arm| arm == wanted);
            let seeds = arm(Arm::Seeds);
            let differences = [
                ("evidence", "seeds' standing", table.above(evidence, seeds)),
                (
                    "evidence",
                    "relevance only",
                    table.above(evidence, arm(Arm::Relevance)),
                ),
                (
                    "evidence with withholding",
                    "seeds' standing",
                    table.above(measured, seeds),
                ),
                (
                    "evidence with withholding",
                    "evidence",
                    table.above(measured, evidence),
                ),
                (
                    "evidence",
                    "Beta mean",
                    table.above(evidence, arm(Arm::Beta)),
                ),
                (
                    "evidence, left out at −1/c",
                    "seeds' standing",
                    table.above(table.of_arm(|arm| matches!(arm, Arm::Left(_))), seeds),
                ),
            ];
            is_proven &= differences[0].2.is_below();
            let cells = differences
                .each_ref()
                .map(|(_, _, mean)| mean.show(100.0, 2));
            let _ = writeln!(out, "| {} | {} |", table.family.name, cells.join(" | "));
            for (one, other, mean) in differences {
                if !mean.is_below() {
                    let how = if mean.is_above() {
                        "loses to"
                    } else {
                        "is not told from"
                    };
                    lost.push(format!(
                        "- {}: {one} {how} {other} ({}).",
                        table.family.name,
                        mean.show(100.0, 2)
                    ));
                }
            }
        }
        let said = if is_proven {
            "Evidence has less regret than the sources' rules in every family."
        } else {
            "Evidence is not proven better than the sources' rules in every family, so `seeds` stays the default."
        };
        let _ = writeln!(out, "\n{said}\n\n**Where it loses, or nothing is told:**\n");
        if lost.is_empty() {
            lost.push("- nowhere among these.".to_owned());
        }
        let _ = writeln!(out, "{}\n", lost.join("\n"));
    }

    fn tuning(&self, out: &mut String) {
        out.push_str("## Tuning worlds\n\nDecisions that go well, in percent.\n\n| c | evidence | evidence with withholding |\n|---|---|---|\n");
        for (c, evidence, measured) in &self.tuned {
            let _ = writeln!(
                out,
                "| {c} | {} | {} |",
                evidence.show(100.0, 2),
                measured.show(100.0, 2)
            );
        }
        out.push('\n');
    }

    fn intervals(&self, out: &mut String) {
        let counted = &self.counted;
        let share = |part: u32, of: u32| 100.0 * f64::from(part) / f64::from(of.max(1));
        let _ = writeln!(
            out,
            "## Intervals under a look at every run\n\n4,000 simulated spaces of 4 lessons and 4,000 decisions, q = 0.2; `tests/oracles/learning_coverage.py` simulates the same in numpy.\n\n| figure | value | bar |\n|---|---|---|\n| estimates whose interval held at every run | {:.2} % | ≥ 95 % |\n| estimates that ever had an interval | {:.1} % | |\n| wrong signs among intervals that leave out 0 | {:.2} % of {} | ≤ 5 % |\n| wrong signs of raw success rates, against the space's | {:.1} % | ≥ 20 % |\n",
            100.0 - share(counted.missed, counted.estimates),
            share(counted.given, counted.estimates),
            share(counted.wrong, counted.told),
            counted.told,
            share(counted.raw_wrong, counted.raw),
        );
        out.push_str("| lift | q | runs of a lesson until it is told, median |\n|---|---|---|\n");
        for (lift, q, runs) in &self.tells {
            let _ = writeln!(out, "| {lift} | {q} | {runs} |");
        }
        let times = &self.times;
        let _ = writeln!(
            out,
            "\n## Time\n\n10,000 lessons, 100,000 decisions, natively, through the whole handler, in milliseconds{}: `GET /v1/lift` {:.1} after one more outcome (slowest {:.1}; bar 50), {:.0} the first time, when all decisions are read. `POST /v1/recommend` {:.1} by the sources' rules, {:.1} by evidence after one more outcome.\n",
            if cfg!(debug_assertions) {
                " (built for tests, not for speed)"
            } else {
                ""
            },
            times.next,
            times.slowest,
            times.first,
            times.seeds,
            times.evidence
        );
    }

    fn real(&self, out: &mut String) {
        let Some(gains) = &self.gains else {
            out.push_str("## Real data\n\n`cargo xtask bench learn --upworthy FILE` measures the exploratory set of the Upworthy Research Archive for people who have it. It was not measured in this run.\n");
            return;
        };
        out.push_str("## Real data\n\nHeadline tests of the Upworthy Research Archive: clicks gained per 10,000 held-out views by the top tenth of headlines, over their test's mean. A headline is one arm, whatever its pictures; headlines with fewer than twice the views seen are left out, so that the truth is measured on other views, and so are tests that are left with one.\n\n| views seen | arm | gain | of raw rate's |\n|---|---|---|---|\n");
        for gain in gains {
            let raw = gain.arms.first().map_or(f64::NAN, |(_, gain)| *gain);
            for (name, gained) in &gain.arms {
                let _ = writeln!(
                    out,
                    "| {} | {name} | {:.1} | {:.2}× |",
                    gain.views,
                    gained * 10_000.0,
                    gained / raw
                );
            }
        }
    }

    /// Writes the report and its pictures.
    ///
    /// # Errors
    /// When a file can't be written.
    pub fn write(&self) -> Result<(), String> {
        let groups = |figure: &dyn Fn(&Table, &[Played]) -> Mean| {
            let tables = self.tables.iter();
            tables
                .map(|table| {
                    let bars = table.played.iter().filter(|(arm, _)| *arm != Arm::Oracle);
                    let bars =
                        bars.map(|(arm, played)| (arm.name().to_owned(), figure(table, played)));
                    (table.family.name.to_owned(), bars.collect())
                })
                .collect::<Vec<_>>()
        };
        let regret = groups(&|table, played| table.regret(played));
        let harm = groups(&|_, played| Mean::of(played.iter().map(|one| one.harmful)));
        for (name, text) in [
            ("learning.md", self.text()),
            (
                "learning-regret.svg",
                picture::bars(
                    "Regret against the oracle, percentage points",
                    &regret,
                    100.0,
                ),
            ),
            (
                "learning-harm.svg",
                picture::bars("Shown lessons that do harm, percent", &harm, 100.0),
            ),
        ] {
            let at = Path::new(DOCS).join(name);
            std::fs::write(&at, text).map_err(|error| format!("{}: {error}", at.display()))?;
        }
        Ok(())
    }
}
