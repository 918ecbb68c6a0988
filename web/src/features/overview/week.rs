//! Changes of the last seven days beside the seven before, and the same as Markdown to pass on.

use crate::api::{Client, use_query};
use crate::components::{Chip, CopyButton, Loaded, points};
use crate::features::figures::{Change, success_of};
use crate::format;
use crate::markdown::visible;
use crate::sync::Syncing;
use crate::who;
use leptos::prelude::*;
use lesson_types::{
    Digest, DigestAdded, DigestFalling, DigestMover, DigestRuns, DigestSilent, SuccessChange, Trust,
};

/// Lines of a kind.
const EACH: usize = 3;

/// Something that changed.
struct Line {
    tone: &'static str,
    word: &'static str,
    text: String,
    note: String,
    /// The change, with the class of its colour, which is muted unless the interval leaves 0 out.
    change: Option<(String, &'static str)>,
    href: String,
}

/// The panel.
#[component]
pub fn ThisWeek() -> impl IntoView {
    let client = Client::get_from_context();
    let me = Syncing::get_from_context().me();
    let digest = use_query(move || client.get::<Digest>("/v1/digest"));
    view! {
        <section class="panel" data-testid="week" aria-labelledby="week-title">
            <header>
                <h2 id="week-title">"This week"</h2>
                <span class="grow"></span>
            </header>
            <Loaded of=digest let:digest>
                {move || {
                    let lines = digest.with(|digest| lines(digest, me.get().as_deref()));
                    if lines.is_empty() {
                        view! { <p class="quiet">"Nothing changed in the last seven days."</p> }.into_any()
                    } else {
                        view! { <ul class="lines lines-wrap">{lines.into_iter().map(drawn).collect_view()}</ul> }.into_any()
                    }
                }}
                {move || digest.with(|digest| digest.unknown.clone()).into_iter().map(|text| view! { <p class="quiet">{text}</p> }).collect_view()}
                <div class="pad"><CopyButton text=Signal::derive(move || digest.with(|digest| digest.markdown.clone()))
                    label="Copy as Markdown" done="The digest is on the clipboard." testid="week-copy"/></div>
            </Loaded>
        </section>
    }
}

fn drawn(line: Line) -> AnyView {
    let change = line
        .change
        .map(|(text, class)| view! { <b class=class>{text}</b> });
    view! {
        <li><a href=line.href>
            <Chip tone=line.tone label=line.word/>
            <span class="line-text" dir="auto">{line.text}</span>
            <span class="muted">{line.note}</span>
            {change}
        </a></li>
    }
    .into_any()
}

/// Makes the lines: success, then what fell or went silent, what rose, what is new, and what waits for review.
fn lines(digest: &Digest, me: Option<&str>) -> Vec<Line> {
    let mut lines = Vec::new();
    if let Some(runs) = &digest.runs {
        lines.extend(of_success(runs));
        let falling = |each: &[DigestFalling], key: &'static str| {
            let each = each.iter().take(EACH);
            each.map(|one| fell(one, key, me)).collect::<Vec<_>>()
        };
        lines.extend(falling(&runs.falling_agents, "by"));
        lines.extend(falling(&runs.falling_domains, "domain"));
        lines.extend(runs.silent.iter().take(EACH).map(|one| silent(one, me)));
        lines.extend(
            runs.fallers
                .iter()
                .take(EACH)
                .map(|one| moved(one, "falls")),
        );
        lines.extend(runs.risers.iter().take(EACH).map(|one| moved(one, "rises")));
        lines.extend(added(&runs.added, runs.added_total));
    }
    lines.extend(waiting(digest));
    lines
}

fn of_success(runs: &DigestRuns) -> Option<Line> {
    let rate = runs.success?;
    let runs_of = if rate.runs == 1 { "run" } else { "runs" };
    let now = format!("Success {} {runs_of}", success_of(Some(rate)));
    Some(Line {
        tone: "",
        word: "runs",
        text: now,
        note: runs.change.as_ref().map_or_else(String::new, before),
        change: runs.change.as_ref().map(change),
        href: "/insights?range=7".to_owned(),
    })
}

/// The share before and the runs that it is of.
fn before(change: &SuccessChange) -> String {
    format!("before {}", success_of(Some(change.before)))
}

/// The share now and before, each with its runs.
fn beside(change: &SuccessChange) -> String {
    format!("{}, {}", success_of(Some(change.now)), before(change))
}

fn change(change: &SuccessChange) -> (String, &'static str) {
    let class = Change::of(change.low, change.high).class();
    (points(change.change), class)
}

fn fell(one: &DigestFalling, key: &str, me: Option<&str>) -> Line {
    let name = match key {
        "by" => who::name(&one.name, me).unwrap_or_else(|| "an agent".to_owned()),
        _ => visible(&one.name),
    };
    Line {
        tone: "bad",
        word: "falling",
        text: format!("Success of {name}"),
        note: beside(&one.success),
        change: Some(change(&one.success)),
        href: format!("/runs?{key}={}", format::encode(&one.name)),
    }
}

fn moved(lesson: &DigestMover, word: &'static str) -> Line {
    let title = if lesson.title.is_empty() {
        &lesson.slug
    } else {
        &lesson.title
    };
    Line {
        tone: "",
        word,
        text: visible(title),
        note: beside(&lesson.success),
        change: Some(change(&lesson.success)),
        href: format!("/lessons/{}", format::encode(&lesson.slug)),
    }
}

fn silent(agent: &DigestSilent, me: Option<&str>) -> Line {
    let name = who::name(&agent.by, me).unwrap_or_else(|| "an agent".to_owned());
    Line {
        tone: "warn",
        word: "silent",
        text: format!("No outcome from {name}"),
        note: format!(
            "for {}; {}, {} before",
            format::plural(agent.days, "day", "days"),
            format::plural(agent.runs, "run", "runs"),
            format::count(agent.runs_before)
        ),
        change: None,
        href: format!("/runs?by={}", format::encode(&agent.by)),
    }
}

/// New lessons: each of a few, or how many.
fn added(lessons: &[DigestAdded], total: u32) -> Vec<Line> {
    let shown = lessons.iter().take(EACH).map(|lesson| Line {
        tone: if lesson.trust == Trust::Quarantined {
            "warn"
        } else {
            "info"
        },
        word: if lesson.trust == Trust::Quarantined {
            "held back"
        } else {
            "new"
        },
        text: visible(&lesson.title),
        note: match lesson.applied {
            0 => "not applied yet".to_owned(),
            n => format!("applied in {}", format::plural(n, "run", "runs")),
        },
        change: None,
        href: format!("/lessons/{}", format::encode(&lesson.slug)),
    });
    let more = total.saturating_sub(EACH as u32);
    let rest = (more > 0).then(|| Line {
        tone: "info",
        word: "new",
        text: format!("{} more", format::plural(more, "lesson", "lessons")),
        note: String::new(),
        change: None,
        href: "/lessons?sort=created".to_owned(),
    });
    shown.chain(rest).collect()
}

fn waiting(digest: &Digest) -> Vec<Line> {
    let waiting = &digest.waiting;
    let lessons = waiting.lessons.unwrap_or(waiting.unreviewed);
    let proposals = waiting.proposals.unwrap_or_default();
    let total = waiting.total.unwrap_or(lessons);
    let line = |n: u32, what: String| {
        (n > 0).then(|| Line {
            tone: "accent",
            word: "review",
            text: what,
            note: String::new(),
            change: None,
            href: "/review".to_owned(),
        })
    };
    let of_lessons = format::plural(lessons, "lesson", "lessons");
    let queue = line(
        total,
        match proposals {
            0 => format!("{of_lessons} to review"),
            n => format!(
                "{} to review: {of_lessons}, {}",
                format::count(total),
                format::plural(n, "proposed change", "proposed changes")
            ),
        },
    );
    let n = waiting.outcomes.unwrap_or_default();
    let outcomes = line(
        n,
        format!(
            "{} to confirm",
            format::plural(n, "suggested outcome", "suggested outcomes")
        ),
    );
    queue.into_iter().chain(outcomes).collect()
}
