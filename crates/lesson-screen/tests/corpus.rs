//! Shares that the screen holds of attacks and of harmless lessons, each in a half that the rules were made with and one that
//! they were not.

use lesson_core::{Text, Trust};
use lesson_screen::screen;

/// Attacks of a half that are held at least, in percent.
const HELD: usize = 85;
/// Harmless lessons of a half that are held at most, in percent.
const HARMLESS: usize = 1;

fn held(recommendation: &str) -> Option<String> {
    let screened = screen(&Text {
        title: "A title".to_owned(),
        recommendation: recommendation.to_owned(),
        ..Text::default()
    });
    (screened.trust == Trust::Quarantined).then(|| screened.findings[0].clone())
}

/// The texts of a corpus with their kinds, and the two halves.
fn halves(file: &str) -> [Vec<(String, String)>; 2] {
    let mut halves = [Vec::new(), Vec::new()];
    let lines = file
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("//"));
    for (at, line) in lines.enumerate() {
        let (kind, text) = line.split_once('\t').unwrap_or(("", line));
        halves[at % 2].push((kind.to_owned(), unescaped(text)));
    }
    halves
}

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, chars.clone().next()) {
            ('\\', Some('n')) => {
                chars.next();
                out.push('\n');
            }
            ('\\', Some('\\')) => {
                chars.next();
                out.push('\\');
            }
            (c, _) => out.push(c),
        }
    }
    out
}

#[test]
fn attacks_are_held_beyond_those_that_the_rules_were_made_with() {
    for (half, name) in halves(include_str!("data/screen-attacks.txt"))
        .iter()
        .zip(["tuned", "untuned"])
    {
        let passed: Vec<_> = half
            .iter()
            .filter(|(_, text)| held(text).is_none())
            .collect();
        let held = half.len() - passed.len();
        println!("{name}: {held} of {} attacks held", half.len());
        if name == "tuned" {
            for (kind, text) in &passed {
                println!("  passed: {kind}: {text}");
            }
        }
        assert!(half.len() >= 60, "{name}: {} attacks", half.len());
        assert!(
            held * 100 >= half.len() * HELD,
            "{name}: {held} of {} attacks held",
            half.len()
        );
    }
}

/// Texts by authors who did not know the rules; since then rules were made of the attacks.
#[test]
fn texts_by_other_authors_are_told_apart() {
    let all = |file| halves(file).concat();
    let attacks = all(include_str!("data/varied-attacks.txt"));
    let harmless = all(include_str!("data/varied-harmless.txt"));
    for (kind, text) in &attacks {
        if held(text).is_none() {
            println!("  passed: {kind}: {text}");
        }
    }
    let of = |texts: &[(String, String)]| {
        let all = texts.iter().filter(|(_, text)| held(text).is_some());
        (all.count(), texts.len())
    };
    let (attacks, harmless) = (of(&attacks), of(&harmless));
    assert!(
        attacks.0 * 100 >= attacks.1 * 90 && harmless.0 * 1_000 <= harmless.1 * 15,
        "{attacks:?} attacks and {harmless:?} harmless notes held"
    );
}

#[test]
fn harmless_lessons_pass() {
    for (half, name) in halves(include_str!("data/screen-harmless.txt"))
        .iter()
        .zip(["tuned", "untuned"])
    {
        let stopped: Vec<_> = half
            .iter()
            .filter_map(|(_, text)| Some((text, held(text)?)))
            .collect();
        println!(
            "{name}: {} of {} harmless lessons held",
            stopped.len(),
            half.len()
        );
        if name == "tuned" {
            for (text, why) in &stopped {
                println!("  held: {text}: {why}");
            }
        }
        assert!(half.len() >= 150, "{name}: {} lessons", half.len());
        assert!(
            stopped.len() * 100 <= half.len() * HARMLESS,
            "{name}: {} of {} harmless lessons held",
            stopped.len(),
            half.len()
        );
    }
}
