//! The report: one table for the terminal and for `docs/learning.md`, with where lift loses.

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
    /// The families.
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
    /// A family with its arms, the oracle among them.
    pub fn of(family: Family, played: Vec<(Arm, Vec<Played>)>) -> Self {
        Self { family, played }
    }

    fn of_arm(&self, wanted: Arm) -> &[Played] {
        let found = self.played.iter().find(|(arm, _)| *arm == wanted);
        found.map_or(&[], |(_, played)| played)
    }

    /// By how much less often decisions go well with `one` than with `other`, world by world.
    fn above(&self, one: Arm, other: Arm) -> Mean {
        let pairs = self.of_arm(one).iter().zip(self.of_arm(other));
        Mean::of(pairs.map(|(one, other)| other.success - one.success))
    }

    fn regret(&self, arm: Arm) -> Mean {
        self.above(arm, Arm::Oracle)
    }

    fn mean(&self, arm: Arm, get: fn(&Played) -> f64) -> Mean {
        Mean::of(self.of_arm(arm).iter().map(get))
    }
}

impl Report {
    /// The report as markdown.
    pub fn text(&self) -> String {
        let mut out = String::from("# Does the loop learn?\n\n");
        let _ = writeln!(
            out,
            "Made by `cargo xtask bench learn`; run it again after a change of ranking or estimating. [ranking.md](ranking.md) says what lift is.\n\nThe sample lessons meet their labelled situations, ranked by the engine's own relevance, in simulated worlds: each lesson has a hidden lift of −0.3 to 0.3 (a third are 0), each domain its base rate; agents apply by rank and fit; 20 % of applied lessons are not seen, 5 % are seen falsely; half of the agents name what they applied (confidence 0.95), others are seen by likeness (0.6); outcomes come up to 60 decisions late, or never. *One key lies*: a tenth of the decisions are one voice's, which tells each outcome the wrong way round. {} worlds of each family, {RUNS} decisions in the place of 90 days, {PLACES} lessons an answer. Seeds and lift are the product's own fold.\n",
            self.worlds
        );
        self.table(&mut out);
        out.push_str("![Regret by arm](learning-regret.svg)\n\n![Harmful exposure by arm](learning-harm.svg)\n\n");
        self.losses(&mut out);
        self.rest(&mut out);
        self.real(&mut out);
        out
    }

    fn table(&self, out: &mut String) {
        out.push_str("*Regret*: how much less often decisions go well than with an oracle, in percentage points, with 95 % intervals over worlds; lower is better. *Lift − seeds* is paired, world by world. *Starved*: lessons of 0.1 or better that are hardly shown in the last quarter. *Falsely proven*: useless and harmful lessons that are called proven. Both in percent, seeds → lift.\n\n| worlds |");
        let arms: Vec<Arm> = self.arms().filter(|arm| *arm != Arm::Oracle).collect();
        for arm in &arms {
            let _ = write!(out, " {} |", arm.name());
        }
        out.push_str(" lift − seeds | starved | falsely proven |\n|---|");
        out.push_str(&"---|".repeat(arms.len() + 3));
        out.push('\n');
        for table in &self.tables {
            let _ = write!(out, "| {} |", table.family.name);
            for arm in &arms {
                let _ = write!(out, " {} |", table.regret(*arm).show(100.0, 1));
            }
            let shares = |get: fn(&Played) -> f64| {
                let of = |arm: Arm| table.mean(arm, get).value * 100.0;
                format!("{:.0} → {:.0}", of(Arm::Seeds), of(Arm::Lift))
            };
            let _ = writeln!(
                out,
                " **{}** | {} | {} |",
                table.above(Arm::Lift, Arm::Seeds).show(100.0, 1),
                shares(|one| one.starved),
                shares(|one| one.false_proven),
            );
        }
        out.push('\n');
    }

    fn arms(&self) -> impl Iterator<Item = Arm> {
        let first = self.tables.first();
        first
            .into_iter()
            .flat_map(|table| table.played.iter().map(|(arm, _)| *arm))
    }

    /// Where lift is not proven better than another way that the product could go, and what withholding costs.
    fn losses(&self, out: &mut String) {
        let mut lost: Vec<String> = Vec::new();
        let withheld = self.arms().find(|arm| matches!(arm, Arm::Withheld(_)));
        let pairs = [
            (Some(Arm::Lift), Arm::Seeds),
            (Some(Arm::Lift), Arm::Relevance),
            (Some(Arm::Lift), Arm::Full),
            (withheld, Arm::Seeds),
        ];
        for table in &self.tables {
            for (one, other) in pairs {
                let Some(one) = one else { continue };
                let mean = table.above(one, other);
                if mean.is_below() {
                    continue;
                }
                let how = if mean.is_above() {
                    "loses to"
                } else {
                    "is not told from"
                };
                lost.push(format!(
                    "- {}: {} {how} {} ({}).",
                    table.family.name,
                    one.name(),
                    other.name(),
                    mean.show(100.0, 2)
                ));
            }
        }
        let is_proven = self
            .tables
            .iter()
            .all(|table| table.above(Arm::Lift, Arm::Seeds).is_below());
        let said = if is_proven {
            "Lift has less regret than the sources' rules in every family, so it is the default."
        } else {
            "Lift is not proven better than the sources' rules in every family."
        };
        if lost.is_empty() {
            lost.push("- nowhere among these.".to_owned());
        }
        let _ = writeln!(
            out,
            "{said}\n\n## Where it loses, or nothing is told\n\nWithholding gives up a part of the good lessons' showings for an estimate that nothing confounds; inside a domain of these worlds hardly anything does, so its price shows here, and what it guards against does not.\n\n{}\n",
            lost.join("\n")
        );
    }

    fn rest(&self, out: &mut String) {
        let counted = &self.counted;
        let share = |part: u32, of: u32| 100.0 * f64::from(part) / f64::from(of.max(1));
        let tells: Vec<String> = self
            .tells
            .iter()
            .map(|(lift, q, runs)| format!("{runs} (lift {lift}, q {q})"))
            .collect();
        let times = &self.times;
        let _ = writeln!(
            out,
            "## Randomised measuring, and time\n\nIn 4,000 simulated spaces of 4 lessons and 4,000 decisions with q = 0.2, {:.1} % of the estimates' intervals hold the truth at every run (bar: 95 %), and {:.2} % of {} intervals that leave out 0 are on the wrong side (bar: 5 %); raw success rates, against the space's, are in {:.1} %. `tests/oracles/learning_coverage.py` simulates the same in numpy. A lesson's runs until its effect is told, median: {}.\n\n10,000 lessons, 100,000 decisions, natively{}, through the whole handler, in milliseconds: `GET /v1/lift` {:.1} after one more outcome (slowest {:.1}; bar 50), {:.0} the first time, when all decisions are read; `POST /v1/outcome` {:.1}; `POST /v1/recommend` {:.1} by seeds, {:.1} by lift after one more outcome.\n",
            100.0 - share(counted.missed, counted.estimates),
            share(counted.wrong, counted.told),
            counted.told,
            share(counted.raw_wrong, counted.raw),
            tells.join(", "),
            if cfg!(debug_assertions) {
                " (built for tests, not for speed)"
            } else {
                ""
            },
            times.next,
            times.slowest,
            times.first,
            times.outcome,
            times.seeds,
            times.lift
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
        let groups = |figure: &dyn Fn(&Table, Arm) -> Mean| {
            let tables = self.tables.iter();
            tables
                .map(|table| {
                    let bars = self.arms().filter(|arm| *arm != Arm::Oracle);
                    let bars = bars.map(|arm| (arm.name().to_owned(), figure(table, arm)));
                    (table.family.name.to_owned(), bars.collect())
                })
                .collect::<Vec<_>>()
        };
        let regret = groups(&|table, arm| table.regret(arm));
        let harm = groups(&|table, arm| table.mean(arm, |one| one.harmful));
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
