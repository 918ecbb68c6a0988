//! Cases that a person should look at: lessons that hurt, are held back or sink, conflicting edits, silent agents.

use crate::api::{Client, Query, use_query};
use crate::components::{Chip, Skeleton, points};
use crate::features::range::Range;
use crate::format;
use crate::markdown::visible;
use crate::sync::Syncing;
use crate::who;
use leptos::prelude::*;
use lesson_types::{
    Insights, LessonLift, LiftReport, LiftWord, ReviewItem, ReviewQueue, ReviewReason,
};

/// Lines that are shown.
const LINES: usize = 6;

/// Something to look at.
#[derive(Debug, Clone, PartialEq)]
struct Line {
    tone: &'static str,
    word: &'static str,
    text: String,
    note: String,
    href: String,
}

/// The list.
#[component]
pub fn Attention(lift: Query<LiftReport>) -> impl IntoView {
    let client = Client::get_from_context();
    let syncing = Syncing::get_from_context();
    let me = syncing.me();
    let queue = use_query(move || client.get::<ReviewQueue>("/v1/review?limit=50"));
    // Whatever days the page looks at: what needs attention does not depend on that.
    let lately = use_query(move || client.get::<Insights>(Range::default().path()));
    let lines = Memo::new(move |_| {
        let (queue, lately) = queue.value().zip(lately.value())?;
        let conflicts = syncing.read(|status| status.conflicts);
        let mut lines = Vec::new();
        if conflicts > 0 {
            lines.push(Line {
                tone: "bad",
                word: "conflict",
                text: format::plural(conflicts, "conflicting edit", "conflicting edits"),
                note: String::new(),
                href: "/settings/conflicts".to_owned(),
            });
        }
        let hurts = lift.value().map_or_else(Vec::new, |report| report.lessons);
        lines.extend(hurts.iter().map(hurting));
        let hurt = |item: &&ReviewItem| hurts.iter().all(|lesson| lesson.slug != item.slug);
        lines.extend(queue.items.iter().filter(hurt).filter_map(held));
        let agents = lately.by_agent.into_iter();
        let silent = agents.filter_map(|agent| Some((agent.name, agent.silent_days?)));
        lines.extend(silent.map(|(by, days)| Line {
            tone: "warn",
            word: "silent",
            text: format!(
                "{} has reported no outcome",
                who::name(&by, me.get().as_deref()).unwrap_or_else(|| "an agent".to_owned())
            ),
            note: format::plural(days, "day", "days"),
            href: format!("/runs?by={}", format::encode(&by)),
        }));
        Some(lines)
    });
    view! {
        <section class="panel" data-testid="attention" aria-labelledby="attention-title">
            <header><h2 id="attention-title">"Needs attention"</h2><small>{move || lines.get().map(|lines| format::count(lines.len() as u32)).filter(|n| n != "0")}</small></header>
            {move || match lines.get() {
                None => view! { <div class="pad"><Skeleton/></div> }.into_any(),
                Some(lines) if lines.is_empty() => view! { <p class="quiet">"Nothing right now. Lessons that hurt, sink or are held back show up here."</p> }.into_any(),
                Some(lines) => view! {
                    <ul class="lines lines-wrap">{lines.into_iter().take(LINES).map(drawn).collect_view()}</ul>
                }.into_any(),
            }}
        </section>
    }
}

fn drawn(line: Line) -> AnyView {
    view! {
        <li><a href=line.href>
            <Chip tone=line.tone label=line.word/>
            <span class="line-text" dir="auto">{line.text}</span>
            <span class="muted">{line.note}</span>
            <svg class="line-go" viewBox="0 0 16 16" aria-hidden="true"><path d="M6 3.5l4.5 4.5-4.5 4.5"></path></svg>
        </a></li>
    }
    .into_any()
}

fn lesson_page(slug: &str) -> String {
    format!("/lessons/{}", format::encode(slug))
}

fn hurting(lesson: &LessonLift) -> Line {
    let open = lesson.lift.low.zip(lesson.lift.high);
    let open = open.is_some_and(|(low, high)| low <= 0.0 && high >= 0.0);
    Line {
        // The verdict is of all lessons together; nothing is red whose own interval holds 0.
        tone: if open { "" } else { "bad" },
        word: "hurts",
        text: visible(if lesson.title.is_empty() {
            &lesson.slug
        } else {
            &lesson.title
        }),
        note: lesson
            .lift
            .estimate
            .map_or_else(String::new, |lift| format!("{} pts", points(lift))),
        href: lesson_page(&lesson.slug),
    }
}

/// Makes the line of an entry of the review queue that can't wait for the next review; the rest does.
fn held(item: &ReviewItem) -> Option<Line> {
    let (tone, word, note) = match item.reasons.first()? {
        ReviewReason::Quarantined => ("warn", "held back", String::new()),
        ReviewReason::Disqualified if item.lift.verdict == LiftWord::Hurts => {
            ("bad", "hurts", format!("{} pts", points(item.lift.mean)))
        }
        // The failures that keep it out may be chance yet.
        ReviewReason::Disqualified => (
            "",
            "kept out",
            format!(
                "{} of {} went well",
                format::count(item.success_count),
                format::count(item.times_applied)
            ),
        ),
        // The item tells no interval of what was measured.
        ReviewReason::Hurts => ("", "hurts", String::new()),
        ReviewReason::Pruning | ReviewReason::BottomFive => ("", "sinking", String::new()),
        ReviewReason::NearDuplicate => {
            let other = item.duplicates.first()?;
            (
                "",
                "duplicate",
                format!("{} alike", format::percent(other.similarity)),
            )
        }
        ReviewReason::NeverRated | ReviewReason::Unreviewed => return None,
    };
    Some(Line {
        tone,
        word,
        text: visible(&item.title),
        note,
        href: format!("/review?item={}", format::encode(&item.slug)),
    })
}
