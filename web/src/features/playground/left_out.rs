//! Lessons that were left out and why: reasons with their counts, pages of lessons, and a search for the one that is missed.

use super::trace::Waterfall;
use crate::api::{Asking, Client, Latest};
use crate::components::{ErrorNote, Loading};
use crate::format;
use leptos::prelude::*;
use leptos_use_fn_debounce_throttle::use_debounce_fn;
use lesson_types::{LeftOut, Recommend, Recommendations, TraceEntry, TracePart, limits};

/// Lessons that are asked for at a time.
const PAGE: u32 = 50;
/// Reasons that are summed up in a line before the list is opened.
const SUMMED: usize = 4;
/// A pause in typing after which the search is made, in milliseconds.
const PAUSE: f64 = 200.0;

/// Reasons, counts and lessons as an answer gave them.
#[derive(Debug, Clone, Default, PartialEq)]
struct Found {
    counts: Vec<LeftOut>,
    entries: Vec<TraceEntry>,
}

impl Found {
    fn of(answer: Recommendations) -> Self {
        let mut entries = answer.trace.unwrap_or_default();
        entries.retain(|entry| entry.excluded.is_some());
        Self {
            counts: answer.left_out.unwrap_or_default(),
            entries,
        }
    }
}

/// Asks for a part of what was left out; nothing is recorded.
fn part(situation: &Recommend, part: TracePart) -> Recommend {
    Recommend {
        dry_run: Some(true),
        explain: Some(true),
        trace_part: Some(part),
        ..situation.clone()
    }
}

/// The lessons that were left out of an answer.
#[component]
pub fn LeftOutList(
    counts: Vec<LeftOut>,
    /// Those that came with the answer, the best of each reason first.
    entries: Vec<TraceEntry>,
    situation: Recommend,
    client: Client,
) -> impl IntoView {
    let mut first = Found { counts, entries };
    first.entries.retain(|entry| entry.excluded.is_some());
    let all: u32 = first.counts.iter().map(|group| group.count).sum();
    let first = StoredValue::new(first);
    let situation = StoredValue::new(situation);
    let typed = RwSignal::new(String::new());
    let found = RwSignal::new(first.get_value());
    let error = RwSignal::new(None);
    let latest = Latest::default();
    let search = move || {
        let text = typed.get_untracked();
        latest.begin();
        if text.trim().is_empty() {
            found.set(first.get_value());
            return;
        }
        let asked = situation.with_value(|situation| {
            part(
                situation,
                TracePart {
                    text: Some(text),
                    limit: Some(PAGE),
                    ..TracePart::default()
                },
            )
        });
        error.set(None);
        let asked = client.post_json::<Recommendations>("/v1/recommend", &asked);
        latest.ask(asked, move |answer| match answer {
            Ok(answer) => found.set(Found::of(answer)),
            Err(failed) => error.set(Some(failed)),
        });
    };
    let search_soon = use_debounce_fn(search, PAUSE);
    let on_type = move |text: String| {
        typed.set(text);
        search_soon();
    };
    let groups = move || {
        let text = typed.get_untracked();
        found.with(|found| {
            found
                .counts
                .iter()
                .map(|group| {
                    let entries = found
                        .entries
                        .iter()
                        .filter(|entry| entry.excluded.as_deref() == Some(&group.reason))
                        .cloned()
                        .collect();
                    view! { <Group group=group.clone() entries text=text.clone() situation client/> }.into_any()
                })
                .collect::<Vec<_>>()
        })
    };
    let sums = first.with_value(|first| {
        let mut groups: Vec<_> = first
            .counts
            .iter()
            .map(|group| {
                let label = words(&group.reason).0;
                let label = label.map_or_else(|| format::spaced(&group.reason), str::to_owned);
                format!("{} {}", format::count(group.count), format::lower(&label))
            })
            .collect();
        groups.truncate(SUMMED);
        groups.join(" · ")
    });
    if all == 0 {
        return view! { <p class="left-out muted">"Nothing was left out: every lesson is in the answer."</p> }.into_any();
    }
    view! {
        <details class="left-out" data-testid="left-out-all">
            <summary>
                <span>"Left out: "{sums}" "<span class="link">"Show why"</span></span>
                <span class="sr-only" data-testid="left-out-total">{format::plural(all, "lesson", "lessons")}</span>
            </summary>
            <div class="field">
                <label for="left-out-search">"Missing one? Search by title or slug"</label>
                <input id="left-out-search" type="search" autocomplete="off" maxlength=limits::TITLE.to_string() data-testid="left-out-search"
                    prop:value=typed on:input:target=move |event| on_type(event.target().value())/>
            </div>
            <div aria-live="polite">
                {move || error.get().map(|error| view! { <ErrorNote error/> })}
                <Show when=move || found.read().counts.is_empty()>
                    <p class="muted" data-testid="left-out-none">"No lesson that was left out matches. It may be among the lessons above, or not exist."</p>
                </Show>
            </div>
            <div class="groups">{groups}</div>
        </details>
    }
    .into_any()
}

#[component]
fn Group(
    group: LeftOut,
    entries: Vec<TraceEntry>,
    text: String,
    situation: StoredValue<Recommend>,
    client: Client,
) -> impl IntoView {
    let (label, about) = words(&group.reason);
    let label = label.map_or_else(|| format::spaced(&group.reason), str::to_owned);
    let count = group.count;
    let reason = StoredValue::new(group.reason.clone());
    let text = StoredValue::new(text);
    // A search that finds few shows them at once.
    let open = RwSignal::new(!text.with_value(String::is_empty) && count <= 5);
    let shown = RwSignal::new(entries);
    let asking = Asking::default();
    let rest =
        move || count.saturating_sub(u32::try_from(shown.with(Vec::len)).unwrap_or(u32::MAX));
    let more = move |_| {
        let offset = u32::try_from(shown.with_untracked(Vec::len)).unwrap_or(u32::MAX);
        let asked = situation.with_value(|situation| {
            let text = text.get_value();
            part(
                situation,
                TracePart {
                    reason: Some(reason.get_value()),
                    text: (!text.is_empty()).then_some(text),
                    offset: Some(offset),
                    limit: Some(PAGE),
                },
            )
        });
        let asked = client.post_json::<Recommendations>("/v1/recommend", &asked);
        asking.run(asked, move |answer| {
            shown.try_update(|shown| shown.extend(Found::of(answer).entries));
        });
    };
    view! {
        <details class="group" data-testid="left-out" data-reason=group.reason prop:open=open
            on:toggle:target=move |event| open.set(event.target().open())>
            <summary><span>{label}</span><span class="count">{format::count(count)}</span></summary>
            <Show when=move || open.get()>
                {about.map(|about| view! { <p class="hint">{about}</p> })}
                <ul>
                    <For each=move || shown.get() key=|entry| entry.slug.clone() let:entry><Entry entry/></For>
                </ul>
                {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
                <Show when=move || asking.busy.get()><Loading label="Ranking again…"/></Show>
                <Show when=move || { rest() > 0 && !asking.busy.get() }>
                    <button type="button" class="more" on:click=more data-testid="left-out-more">
                        {move || format!("Show {} more of {}", rest().min(PAGE), format::count(rest()))}
                    </button>
                </Show>
            </Show>
        </details>
    }
}

/// A reason's heading, and what it means.
fn words(reason: &str) -> (Option<&'static str>, Option<&'static str>) {
    let (label, about) = match reason {
        "archived" => (
            "Archived",
            "Archived lessons are never recommended. Restore one on its page.",
        ),
        "quarantined" => (
            "Quarantined",
            "Held back because the text reads like a command to the agent, or by a person, until somebody approves it.",
        ),
        "unapproved" => (
            "Not approved",
            "Only approved lessons are recommended here.",
        ),
        "domain" => (
            "For another domain",
            "They belong to another domain than the one asked for. Leave the domain empty to see them.",
        ),
        "category" => (
            "Not for this phase of work",
            "Each phase allows some categories only; workflow always passes.",
        ),
        "low_effectiveness" => (
            "Failed too often when applied",
            "Their outcomes are poor, whatever their relevance.",
        ),
        "low_relevance" => (
            "Not relevant enough",
            "They match the situation too little. Standing plays no part in this.",
        ),
        "unlikely" => (
            "Unlikely to be the right one",
            "Another lesson matches the query so much better that these would only take its room.",
        ),
        "duplicate_title" => (
            "Same title as a better one",
            "Of lessons with the same title, only the best is shown.",
        ),
        "near_duplicate" => (
            "Says almost the same as another",
            "Of lessons that say almost the same, an approved one is given, else the best.",
        ),
        "key_limit" => (
            "Too many of one agent",
            "Of five places in a row, two go to unreviewed lessons of one agent's key; beside approved lessons one, in one answer of eight. Approve them in Review.",
        ),
        "beyond_limit" => (
            "Fits, but others fit better",
            "They come next. Raise “Max results” to see them.",
        ),
        _ => return (None, None),
    };
    (Some(label), Some(about))
}

#[component]
fn Entry(entry: TraceEntry) -> impl IntoView {
    let address = format!("/lessons/{}", format::encode(&entry.slug));
    let (title, why) = (entry.title.clone(), entry.reason.clone());
    let has_factors = !entry.factors.is_empty();
    let slug = entry.slug.clone();
    view! {
        <li data-testid="left-out-item" data-slug=slug>
            <a href=address dir="auto">{title}</a>
            {why.map(|why| view! { <span class="muted">{why}</span> })}
            {has_factors.then(|| {
                let kept = StoredValue::new(entry);
                let open = RwSignal::new(false);
                view! {
                    <details on:toggle=move |_| open.set(true)>
                        <summary>"How it was scored"</summary>
                        <Show when=move || open.get()><Waterfall entry=kept.get_value()/></Show>
                    </details>
                }
            })}
        </li>
    }
}
