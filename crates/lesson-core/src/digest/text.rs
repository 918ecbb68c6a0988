//! A digest as Markdown.

use crate::prompt::one_line;
use lesson_types::{
    Digest, DigestFalling, DigestMover, DigestRuns, DigestSilent, DigestWaiting, SuccessChange,
    SuccessRate, Trust,
};
use std::fmt::Write as _;

/// The digest as Markdown: a heading and a list for each part. Every share stands with the runs that it is of. What
/// people and agents wrote is escaped, so that it is text in it and nothing else. `markdown` itself is not read.
pub fn digest_markdown(digest: &Digest) -> String {
    let mut out = format!("# {} to {}\n", digest.from, digest.to);
    let stopped = digest.stopped.iter();
    let stopped = stopped.map(|issue| format!("{} {}", issue.message, issue.remedy));
    list(&mut out, "The loop has stopped", stopped);
    if let Some(told) = &digest.runs {
        runs(&mut out, told, digest.days);
    }
    waiting(&mut out, &digest.waiting);
    list(
        &mut out,
        "Not known",
        digest.unknown.iter().map(|one| escaped(one)),
    );
    out
}

fn runs(out: &mut String, told: &DigestRuns, days: u32) {
    let shown = told.totals.shown;
    let all = |ends: lesson_types::RunEnds| ends.successes + ends.failures + ends.pending;
    let mut lines = vec![format!(
        "{} with lessons: {} succeeded, {} failed, {} pending; {} in the {} before",
        plural(all(shown), "run", "runs"),
        shown.successes,
        shown.failures,
        shown.pending,
        all(told.before.shown),
        plural(days, "day", "days"),
    )];
    match (told.change, told.success) {
        (Some(change), _) => lines.push(format!("Success {}", beside(&change))),
        (None, Some(rate)) => lines.push(format!(
            "Success {}; nothing before to compare with",
            of(rate)
        )),
        (None, None) => {}
    }
    let control = told.totals.control;
    if all(control) > 0 {
        lines.push(format!(
            "{} without lessons: {} succeeded, {} failed, {} pending",
            plural(all(control), "control run", "control runs"),
            control.successes,
            control.failures,
            control.pending
        ));
    }
    list(out, "Runs", lines.into_iter());
    let falling = |kind: &'static str, each: &[DigestFalling], name: fn(&str) -> String| {
        let lines = each
            .iter()
            .map(move |one| format!("{kind} {}: {}", name(&one.name), beside(&one.success)));
        lines.collect::<Vec<_>>()
    };
    let mut fell = falling("Agent", &told.falling_agents, who);
    fell.extend(falling("Domain", &told.falling_domains, escaped));
    list(out, "Success is falling", fell.into_iter());
    list(out, "Rising lessons", told.risers.iter().map(mover));
    list(out, "Falling lessons", told.fallers.iter().map(mover));
    if told.risers.is_empty() && told.fallers.is_empty() {
        let _ = writeln!(
            out,
            "\nNo lesson rose or fell: {} had enough runs with an outcome in both periods.",
            plural(told.compared, "lesson", "lessons")
        );
    }
    let more = (told.added_total as usize).saturating_sub(told.added.len());
    let added = told.added.iter().map(|one| {
        let state = match one.trust {
            Trust::Quarantined => ", held back",
            Trust::Unreviewed => ", unreviewed",
            Trust::Approved => "",
        };
        format!(
            "{} (`{}`){state}; applied in {}",
            named(&one.title, &one.slug),
            one.slug,
            plural(one.applied, "run", "runs")
        )
    });
    let rest = (more > 0).then(|| format!("and {more} more"));
    list(out, "New lessons", added.chain(rest));
    list(out, "Silent agents", told.silent.iter().map(silent));
}

fn waiting(out: &mut String, waiting: &DigestWaiting) {
    let lines = [
        (waiting.lessons, "in the review queue"),
        (Some(waiting.quarantined), "held back"),
        (Some(waiting.disqualified), "kept out by outcomes"),
        (Some(waiting.unreviewed), "unreviewed"),
    ];
    let lines = lines.into_iter().filter_map(|(n, what)| {
        let n = n.filter(|n| *n > 0)?;
        Some(format!("{} {what}", plural(n, "lesson", "lessons")))
    });
    let proposals = waiting.proposals.filter(|n| *n > 0);
    let proposals = proposals.map(|n| {
        format!(
            "{} to decide on",
            plural(n, "proposed change", "proposed changes")
        )
    });
    let outcomes = waiting.outcomes.filter(|n| *n > 0);
    let outcomes = outcomes.map(|n| {
        format!(
            "{} to confirm",
            plural(n, "suggested outcome", "suggested outcomes")
        )
    });
    list(
        out,
        "Waiting for you",
        lines.chain(proposals).chain(outcomes),
    );
}

/// A heading and its lines; nothing where there are none.
fn list(out: &mut String, heading: &str, lines: impl Iterator<Item = String>) {
    let mut is_first = true;
    for line in lines {
        if std::mem::take(&mut is_first) {
            let _ = writeln!(out, "\n## {heading}\n");
        }
        let _ = writeln!(out, "- {line}");
    }
}

fn mover(lesson: &DigestMover) -> String {
    format!(
        "{} (`{}`): {}",
        named(&lesson.title, &lesson.slug),
        lesson.slug,
        beside(&lesson.success)
    )
}

fn silent(agent: &DigestSilent) -> String {
    format!(
        "{}: no outcome for {}, since {}; {} in this period, {} before",
        who(&agent.by),
        plural(agent.days, "day", "days"),
        agent.last_at.get(..10).unwrap_or(&agent.last_at),
        plural(agent.runs, "run", "runs"),
        agent.runs_before
    )
}

/// A share with the runs that it is of.
fn of(rate: SuccessRate) -> String {
    format!("{} (n = {})", percent(rate.share), rate.runs)
}

/// A share beside the one before, and whether the change is more than chance.
fn beside(change: &SuccessChange) -> String {
    let verdict = if change.low > 0.0 {
        "higher"
    } else if change.high < 0.0 {
        "lower"
    } else {
        "no clear change"
    };
    format!(
        "{}, before {}: {} points, 95% interval {} to {}: {verdict}",
        of(change.now),
        of(change.before),
        points(change.change),
        points(change.low),
        points(change.high)
    )
}

fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

fn points(change: f64) -> String {
    let points = format!("{:.0}", (change * 100.0).abs());
    match points.as_str() {
        "0" => points,
        _ if change < 0.0 => format!("−{points}"),
        _ => format!("+{points}"),
    }
}

fn plural(n: u32, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

fn named(title: &str, slug: &str) -> String {
    escaped(if title.trim().is_empty() { slug } else { title })
}

/// Names who did it, by their `by`: an agent's or a person's id as it is.
fn who(by: &str) -> String {
    match by.split_once(':') {
        None if by == "local" => "you".to_owned(),
        Some(("agent" | "person", name)) if !name.is_empty() => escaped(name),
        _ => escaped(by),
    }
}

/// Text on one line that means nothing in Markdown.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in one_line(text).chars() {
        if matches!(
            letter,
            '\\' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '!' | '&'
        ) {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}
