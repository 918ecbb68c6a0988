//! Measures how well the loop learns: feedback in simulated worlds over the sample lessons, intervals under a look at every
//! run, the time of `GET /v1/lift`, and real data where somebody has them.
//!
//! `--worlds N` (40) worlds of each family, `--upworthy FILE` the archive's exploratory set, `--write` writes
//! `docs/learning.md` and its pictures, as `cargo xtask bench learn` does.
#![allow(
    clippy::disallowed_methods,
    reason = "a bench reads the clock; nothing that is measured does"
)]

mod archive;
mod arm;
mod bound;
mod coverage;
mod dice;
mod figures;
mod lift_time;
mod picture;
mod play;
mod report;
mod situations;
mod upworthy;
mod world;

use arm::Arm;
use play::{Played, play};
use report::{Report, Table};
use situations::Situations;
use std::path::PathBuf;
use std::process::ExitCode;
use world::{FAMILIES, Family, World};

/// The probability of withholding that is reported.
const Q: f64 = 0.2;

fn main() -> ExitCode {
    match measured() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

struct Arguments {
    worlds: u64,
    upworthy: Option<PathBuf>,
    write: bool,
}

fn arguments() -> Result<Arguments, String> {
    let mut read = Arguments {
        worlds: 40,
        upworthy: None,
        write: false,
    };
    let mut given = std::env::args().skip(1);
    while let Some(name) = given.next() {
        let mut value = || given.next().ok_or(format!("{name} needs a value"));
        match name.as_str() {
            "--worlds" => {
                read.worlds = value()?
                    .parse()
                    .map_err(|_| "--worlds takes a number".to_owned())?;
            }
            "--upworthy" => read.upworthy = Some(value()?.into()),
            "--write" => read.write = true,
            // Cargo says so to every bench.
            "--bench" => {}
            other => return Err(format!("{other} is no argument of this bench")),
        }
    }
    Ok(read)
}

fn measured() -> Result<(), String> {
    let arguments = arguments()?;
    let situations = situations::load()?;
    eprintln!(
        "{} lessons, {} situations, {} domains",
        situations.lessons.len(),
        situations.asked.len(),
        situations.domains.len()
    );
    let arms = [
        Arm::Random,
        Arm::Relevance,
        Arm::Seeds,
        Arm::Lift,
        Arm::Withheld(Q),
        Arm::Full,
        Arm::Oracle,
    ];
    let tables = FAMILIES.map(|family| {
        let played = arms.map(|arm| (arm, worlds(&situations, &family, arm, arguments.worlds)));
        eprintln!("{}", family.name);
        Table::of(family, played.to_vec())
    });
    let counted = coverage::simulate(1, 4_000, 4_000);
    let tells = [(0.15, 0.1), (0.15, 0.2), (0.1, 0.1), (0.1, 0.2)]
        .map(|(lift, q)| (lift, q, coverage::runs_to_tell(5, lift, q, 400, 12_000)));
    eprintln!("intervals");
    let times = lift_time::measure()?;
    let gains = arguments.upworthy.as_deref().map(upworthy::measure);
    let report = Report {
        worlds: arguments.worlds,
        tables: tables.to_vec(),
        counted,
        tells: tells.to_vec(),
        times,
        gains: gains.transpose()?,
    };
    println!("{}", report.text());
    if arguments.write {
        report.write()?;
    }
    Ok(())
}

/// An arm in the worlds of a family, two at a time.
fn worlds(situations: &Situations, family: &Family, arm: Arm, many: u64) -> Vec<Played> {
    let one = |nth: u64| play(arm, &World::of(family, nth, situations), situations);
    std::thread::scope(|scope| {
        let half = scope.spawn(|| (0..many / 2).map(one).collect::<Vec<Played>>());
        let mut rest: Vec<Played> = (many / 2..many).map(one).collect();
        let mut played = half.join().expect("a thread of the bench ends");
        played.append(&mut rest);
        played
    })
}
