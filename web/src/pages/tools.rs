//! Which tool servers worked for which requests: record a success, and see what to use for a new request.

use crate::client::Client;
use crate::format;
use crate::ui::{Empty, ErrorNote, Page, TextField, use_toasts};
use leptos::prelude::*;
use leptos::task::spawn_local;
use lesson_api::{
    ApiError, NotRecorded, SuggestTools, SuggestedServer, ToolRecorded, ToolSuccess,
    ToolSuggestions, limits,
};

/// Suggest and record, side by side.
#[component]
pub fn ToolsPage() -> impl IntoView {
    view! {
        <Page title="Tools" intro="Tool servers that did similar work before are suggested first. What worked long ago counts for less each day.">
            <div class="columns-2">
                <SuggestCard/>
                <RecordCard/>
            </div>
        </Page>
    }
}

#[component]
fn SuggestCard() -> impl IntoView {
    let client = Client::get_from_context();
    let query = RwSignal::new(String::new());
    let error = RwSignal::new(None::<ApiError>);
    let busy = RwSignal::new(false);
    let found = RwSignal::new(None::<ToolSuggestions>);
    let ask = move || {
        let request = SuggestTools {
            query: query.get_untracked(),
            limit: None,
        };
        busy.set(true);
        error.set(None);
        spawn_local(async move {
            let answer = client
                .post_json::<ToolSuggestions>("/v1/tools/suggest", &request)
                .await;
            busy.try_set(false);
            match answer {
                Ok(answer) => {
                    found.try_set(Some(answer));
                }
                Err(failed) => {
                    error.try_set(Some(failed));
                }
            }
        });
    };
    view! {
        <section class="card">
            <form class="form" on:submit=move |event| {
                event.prevent_default();
                if !busy.get_untracked() {
                    ask();
                }
            }>
                <h2>"Suggest a tool"</h2>
                <TextField id="suggest-query" label="What is to be done" value=query max=limits::QUERY placeholder="For example: take a screenshot of a page"/>
                <div class="actions">
                    <button type="submit" class="primary" disabled=move || busy.get() || query.read().trim().is_empty() data-testid="suggest-submit">"Suggest"</button>
                </div>
            </form>
            <div aria-live="polite">
                {move || error.get().map(|error| view! { <ErrorNote error/> })}
                {move || found.get().map(|found| view! { <Suggestions found/> })}
            </div>
        </section>
    }
}

#[component]
fn Suggestions(found: ToolSuggestions) -> impl IntoView {
    if found.servers.is_empty() {
        return if found.records == 0 {
            view! { <Empty title="Nothing is recorded yet" text="Record what worked, then similar requests find it again."/> }.into_any()
        } else {
            let text = format!(
                "{} recorded, none of them like this one.",
                format::plural(found.records, "success is", "successes are")
            );
            view! { <Empty title="No tool is known for this" text=text/> }.into_any()
        };
    }
    let most = found
        .servers
        .iter()
        .map(|server| server.score)
        .fold(f64::MIN_POSITIVE, f64::max);
    let rows = found
        .servers
        .into_iter()
        .map(|server| suggestion(server, most))
        .collect_view();
    view! {
        <p class="muted">{format!("From {}", format::plural(found.records, "record", "records"))}</p>
        <ol class="suggestions">{rows}</ol>
    }
    .into_any()
}

fn suggestion(server: SuggestedServer, most: f64) -> AnyView {
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
                    <th scope="row" dir="auto">{reason.query}</th>
                    <td>{format::age(reason.age_days)}</td>
                    <td class="bar-cell">{bar(reason.score / most)}</td>
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
                    <caption class="sr-only">"Successes that speak for it"</caption>
                    <thead class="sr-only"><tr><th scope="col">"Request"</th><th scope="col">"When"</th><th scope="col">"Bar"</th><th scope="col">"Adds"</th></tr></thead>
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
    let error = RwSignal::new(None::<ApiError>);
    let busy = RwSignal::new(false);
    let said = RwSignal::new(None::<&'static str>);
    let record = move || {
        let request = ToolSuccess {
            query: query.get_untracked(),
            server: server.get_untracked().trim().to_owned(),
        };
        busy.set(true);
        error.set(None);
        said.set(None);
        spawn_local(async move {
            let answer = client
                .post_json::<ToolRecorded>("/v1/tools/success", &request)
                .await;
            busy.try_set(false);
            match answer {
                Ok(answer) => {
                    let words = match answer.reason {
                        Some(NotRecorded::Core) => {
                            "Not recorded: this is a core server, always at hand."
                        }
                        Some(NotRecorded::Duplicate) => "Known already; its time was refreshed.",
                        None => "Recorded.",
                    };
                    said.try_set(Some(words));
                    toasts.good(words);
                    if answer.recorded {
                        query.try_set(String::new());
                    }
                }
                Err(failed) => {
                    error.try_set(Some(failed));
                }
            }
        });
    };
    view! {
        <section class="card">
            <form class="form" on:submit=move |event| {
                event.prevent_default();
                if !busy.get_untracked() {
                    record();
                }
            }>
                <h2>"Record a success"</h2>
                <TextField id="tool-query" label="What was asked" value=query max=limits::QUERY/>
                <TextField id="tool-server" label="Server that did it" value=server max=limits::WORD placeholder="For example: browser"/>
                <div class="actions">
                    <button type="submit" class="primary" data-testid="tool-submit"
                        disabled=move || busy.get() || query.read().trim().is_empty() || server.read().trim().is_empty()>"Record"</button>
                </div>
            </form>
            <div aria-live="polite">
                {move || error.get().map(|error| view! { <ErrorNote error/> })}
                {move || said.get().map(|words| view! { <p class="note" data-testid="tool-result">{words}</p> })}
            </div>
        </section>
    }
}
