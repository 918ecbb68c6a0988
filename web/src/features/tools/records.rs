//! Everything that worked: request, server, age, and what the age leaves of it.

use crate::api::{Asking, Client, use_get};
use crate::components::{DecayCurve, DecaySpark, Empty, ErrorNote, Loading};
use crate::format;
use crate::markdown::visible;
use leptos::prelude::*;
use leptos_use_fn_debounce_throttle::use_debounce_fn;
use lesson_types::{ToolRecordView, ToolRecords, limits};

/// Records on a page.
const PAGE: usize = 25;
/// A pause in typing after which the search is made, in milliseconds.
const PAUSE: f64 = 150.0;

fn path(words: &str, offset: usize) -> String {
    format!(
        "/v1/tools/records?limit={PAGE}&offset={offset}&q={}",
        format::encode(words.trim())
    )
}

/// The curve, a search, and the records, latest first.
#[component]
pub fn RecordList() -> impl IntoView {
    let client = Client::get_from_context();
    let asking = Asking::default();
    let typed = RwSignal::new(String::new());
    let words = RwSignal::new(String::new());
    let first = use_get::<ToolRecords>(move || path(&words.get(), 0));
    // Pages after the first one; a new first page starts them afresh.
    let rest = RwSignal::new(Vec::<ToolRecordView>::new());
    Effect::new(move |_| {
        first.data.track();
        rest.set(Vec::new());
    });
    let search_soon = use_debounce_fn(move || words.set(typed.get_untracked()), PAUSE);
    let on_type = move |text: String| {
        typed.set(text);
        search_soon();
    };
    let held =
        move || first.map(|page| page.records.len()).unwrap_or_default() + rest.with(Vec::len);
    let more = move |_| {
        let asked = client.get::<ToolRecords>(path(&words.get_untracked(), held()));
        asking.run(asked, move |page| {
            rest.try_update(|rest| rest.extend(page.records));
        });
    };
    let shown = move || {
        match first.data.get() {
        None => view! { <Loading/> }.into_any(),
        Some(Err(error)) => view! { <ErrorNote error/> }.into_any(),
        Some(Ok(page)) if page.total == 0 && words.read().trim().is_empty() => view! {
            <Empty title="Nothing is recorded yet" text="When a tool server has done what was asked, record it above; agents do so themselves over the API. Similar requests will then find the server."/>
        }
        .into_any(),
        Some(Ok(page)) if page.total == 0 => {
            view! { <p class="muted" data-testid="no-records">"No record matches."</p> }.into_any()
        }
        Some(Ok(page)) => {
            let decay = StoredValue::new(page.decay);
            let total = page.total;
            let records = page.records;
            let rows = move || {
                records
                    .iter()
                    .cloned()
                    .chain(rest.get())
                    .map(|record| view! {
                        <tr data-testid="tool-record" data-server=record.server.clone()>
                            <th scope="row"><span dir="auto">{visible(&record.query)}</span><code class="slug" dir="auto">{visible(&record.server)}</code></th>
                            <td class="spark-cell"><DecaySpark decay=decay.get_value() age=record.age_days weight=record.weight/></td>
                            <td>
                                <time datetime=record.at.clone() title=format::exact_time(&record.at)>{format::age(record.age_days)}</time>
                                <span class="muted reason-weight">{format!("counts {}", format::percent(record.weight))}</span>
                            </td>
                        </tr>
                    }
                    .into_any())
                    .collect::<Vec<_>>()
            };
            let left = move || (total as usize).saturating_sub(held());
            view! {
                <div class="scroll" tabindex="0" role="group" aria-label="Records">
                    <table class="data-table records">
                        <caption class="sr-only">"What worked, latest first"</caption>
                        <thead><tr><th scope="col">"Request and server"</th><th scope="col">"Decay"</th><th scope="col">"Last time"</th></tr></thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
                {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
                <Show when=move || { left() > 0 }>
                    <button type="button" disabled=asking.busy on:click=more data-testid="records-more">
                        {move || format!("Show {} more of {}", left().min(PAGE), format::count(left() as u64))}
                    </button>
                </Show>
            }
            .into_any()
        }
    }
    };
    let total = move || first.map(|page| page.total);
    let decay = Memo::new(move |_| first.map(|page| page.decay.clone()));
    view! {
        <section class="card" data-testid="tool-records">
            <div class="card-head">
                <h2>"What worked"</h2>
                {move || total().map(|total| view! { <span class="chip">{format::plural(total, "record", "records")}</span> })}
            </div>
            {move || decay.get().map(|decay| view! { <DecayCurve decay/> })}
            <div class="field">
                <label for="records-search">"Search in requests and servers"</label>
                <input id="records-search" type="search" autocomplete="off" maxlength=limits::QUERY.to_string() data-testid="records-search"
                    prop:value=typed on:input:target=move |event| on_type(event.target().value())/>
            </div>
            <div aria-live="polite">{shown}</div>
        </section>
    }
}
