//! Tool servers that worked for earlier requests: suggestions for a new one, a success to record, all records, and how
//! they lose weight with age.

mod records;

use crate::api::{Asking, Client};
use crate::components::{DecaySpark, Empty, ErrorNote, Page, TextField, use_toasts};
use crate::format;
use crate::markdown::visible;
use leptos::prelude::*;
use lesson_types::{
    Decay, NotRecorded, SuggestTools, SuggestedServer, ToolRecorded, ToolSuccess, ToolSuggestions,
    limits,
};
use records::RecordList;

/// Suggest and record, side by side.
#[component]
pub fn ToolsPage() -> impl IntoView {
    view! {
        <Page title="Tools" intro="Suggests the tool servers that did similar work before. Older successes count less each day.">
            <div class="columns-2">
                <SuggestCard/>
                <RecordCard/>
            </div>
            <RecordList/>
        </Page>
    }
}

#[component]
fn SuggestCard() -> impl IntoView {
    let client = Client::get_from_context();
    let query = RwSignal::new(String::new());
    let found = RwSignal::new(None::<ToolSuggestions>);
    let asking = Asking::default();
    let ask = move || {
        let request = SuggestTools {
            query: query.get_untracked(),
            limit: None,
        };
        asking.run(
            client.post_json("/v1/tools/suggest", &request),
            move |answer| {
                found.try_set(Some(answer));
            },
        );
    };
    view! {
        <AskCard title="Suggest a tool" button="Suggest" testid="suggest-submit" asking
            ready=Signal::derive(move || is_filled(query))
            ask=Callback::new(move |()| ask())
            answer=move || found.get().map(|found| view! { <Suggestions found/> })
        >
            <TextField id="suggest-query" label="Task" value=query max=limits::QUERY placeholder="For example: take a screenshot of a page"/>
        </AskCard>
    }
}

/// A form with one button, and below it what was answered.
#[component]
fn AskCard(
    title: &'static str,
    /// The word on the button.
    button: &'static str,
    testid: &'static str,
    asking: Asking,
    /// True if every field that is needed is filled.
    #[prop(into)]
    ready: Signal<bool>,
    ask: Callback<()>,
    #[prop(into)] answer: ViewFn,
    children: Children,
) -> impl IntoView {
    view! {
        <section class="card">
            <form class="form" on:submit=move |event| {
                event.prevent_default();
                ask.run(());
            }>
                <h2>{title}</h2>
                {children()}
                <div class="actions">
                    <button type="submit" class="primary" disabled=move || asking.busy.get() || !ready.get() data-testid=testid>{button}</button>
                </div>
            </form>
            <div aria-live="polite">
                {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
                {move || answer.run()}
            </div>
        </section>
    }
}

fn is_filled(field: RwSignal<String>) -> bool {
    !field.read().trim().is_empty()
}

#[component]
fn Suggestions(found: ToolSuggestions) -> impl IntoView {
    if found.servers.is_empty() {
        return if found.records == 0 {
            view! { <Empty title="Nothing is recorded yet" text="Record what worked, and similar requests will find it."/> }.into_any()
        } else {
            let text = format!(
                "{} recorded, none of them like this one.",
                format::plural(found.records, "success is", "successes are")
            );
            view! { <Empty title="No known tool for this" text=text/> }.into_any()
        };
    }
    let most = found
        .servers
        .iter()
        .map(|server| server.score)
        .fold(f64::MIN_POSITIVE, f64::max);
    let decay = StoredValue::new(found.decay);
    let rows = found
        .servers
        .into_iter()
        .map(|server| suggestion(server, most, decay))
        .collect_view();
    view! {
        <p class="muted">{format!("From {}", format::plural(found.records, "record", "records"))}</p>
        <ol class="suggestions">{rows}</ol>
    }
    .into_any()
}

fn suggestion(server: SuggestedServer, most: f64, decay: StoredValue<Decay>) -> AnyView {
    let bar = move |share: f64| {
        view! {
            <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                <rect class="bar-back" width="100" height="10"></rect>
                <rect class="bar-fill" width=format::trim((share * 100.0).clamp(0.5, 100.0), 2) height="10"></rect>
            </svg>
        }
    };
    let reasons = server
        .because
        .into_iter()
        .map(|reason| {
            view! {
                <tr data-testid="tool-reason">
                    <th scope="row" dir="auto">{visible(&reason.query)}</th>
                    <td class="spark-cell"><DecaySpark decay=decay.get_value() age=reason.age_days weight=reason.weight/></td>
                    <td>{format::age(reason.age_days)}<span class="muted reason-weight">{format!("counts {}", format::percent(reason.weight))}</span></td>
                    <td class="num">{format!("+{}", format::trim(reason.score, 3))}</td>
                </tr>
            }
        })
        .collect_view();
    let name = server.server.clone();
    view! {
        <li data-testid="suggested-server" data-server=name>
            <div class="suggestion-head"><b>{server.server}</b>{bar(server.score / most)}<span class="num">{format::trim(server.score, 3)}</span></div>
            <div class="scroll">
                <table class="reasons">
                    <caption class="sr-only">"Supporting successes"</caption>
                    <thead class="sr-only"><tr><th scope="col">"Request"</th><th scope="col">"Decay"</th><th scope="col">"When, and its remaining weight"</th><th scope="col">"Adds"</th></tr></thead>
                    <tbody>{reasons}</tbody>
                </table>
            </div>
        </li>
    }
    .into_any()
}

#[component]
fn RecordCard() -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let query = RwSignal::new(String::new());
    let server = RwSignal::new(String::new());
    let said = RwSignal::new(None::<&'static str>);
    let asking = Asking::default();
    let record = move || {
        let request = ToolSuccess {
            query: query.get_untracked(),
            server: server.get_untracked().trim().to_owned(),
        };
        said.set(None);
        asking.run(
            client.post_json::<ToolRecorded>("/v1/tools/success", &request),
            move |answer| {
                let words = match answer.reason {
                    Some(NotRecorded::Core) => "Not recorded: core servers are always available.",
                    Some(NotRecorded::Duplicate) => "Already known; its time was updated.",
                    None => "Recorded.",
                };
                said.try_set(Some(words));
                toasts.good(words);
                if answer.recorded {
                    query.try_set(String::new());
                }
            },
        );
    };
    view! {
        <AskCard title="Record a success" button="Record" testid="tool-submit" asking
            ready=Signal::derive(move || is_filled(query) && is_filled(server))
            ask=Callback::new(move |()| record())
            answer=move || said.get().map(|words| view! { <p class="note" data-testid="tool-result">{words}</p> })
        >
            <TextField id="tool-query" label="What was asked" value=query max=limits::QUERY/>
            <TextField id="tool-server" label="Server that did it" value=server max=limits::WORD placeholder="For example: browser"/>
        </AskCard>
    }
}
