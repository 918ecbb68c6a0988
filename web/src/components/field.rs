//! Labelled inputs bound to a signal of text.

use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// `Ctrl+Enter`, or `⌘+Enter`, submits the form that it is pressed in: `on:keydown=submit_by_key`.
pub fn submit_by_key(event: leptos::ev::KeyboardEvent) {
    if event.key() != "Enter" || !(event.ctrl_key() || event.meta_key()) || event.repeat() {
        return;
    }
    let form = event
        .current_target()
        .and_then(|form| form.dyn_into::<web_sys::HtmlFormElement>().ok());
    if let Some(form) = form {
        event.prevent_default();
        // The browser points at fields that are not valid yet.
        let _ = form.request_submit();
    }
}

/// A line of text.
#[component]
pub fn TextField(
    /// Names the input in the page; the label points at it.
    id: &'static str,
    label: &'static str,
    value: RwSignal<String>,
    #[prop(optional)] hint: &'static str,
    #[prop(optional)] placeholder: &'static str,
    /// The input's type; or `decimal`, or `url` for an address that the engine checks.
    #[prop(default = "text")]
    kind: &'static str,
    #[prop(default = 300)] max: usize,
    /// Words to offer.
    #[prop(optional, into)]
    offers: Signal<Vec<String>>,
    #[prop(optional)] required: bool,
    /// Kind of value that the browser may fill in.
    #[prop(default = "off")]
    autocomplete: &'static str,
    /// The error in its value, if there is one.
    #[prop(optional, into)]
    error: Signal<Option<String>>,
    #[prop(optional)] testid: &'static str,
) -> impl IntoView {
    let list_id = format!("{id}-offers");
    let hint_id = format!("{id}-hint");
    let error_id = format!("{id}-error");
    let (kind, keys) = match kind {
        "decimal" | "url" => ("text", Some(kind)),
        _ => (kind, None),
    };
    let about = {
        let (hint_id, error_id) = (hint_id.clone(), error_id.clone());
        move || match (hint.is_empty(), error.read().is_some()) {
            (true, false) => None,
            (true, true) => Some(error_id.clone()),
            (false, false) => Some(hint_id.clone()),
            (false, true) => Some(format!("{error_id} {hint_id}")),
        }
    };
    view! {
        <div class="field">
            <label for=id>{label}</label>
            <input
                id=id
                type=kind
                inputmode=keys
                prop:value=value
                on:input:target=move |event| value.set(event.target().value())
                placeholder=placeholder
                maxlength=max.to_string()
                list=list_id.clone()
                required=required
                autocomplete=autocomplete
                aria-invalid=move || error.read().is_some().then_some("true")
                aria-describedby=about
                data-testid=if testid.is_empty() { id } else { testid }
            />
            <datalist id=list_id>
                {move || offers.get().into_iter().map(|word| view! { <option value=word></option> }).collect_view()}
            </datalist>
            {move || error.get().map(|error| view! { <p class="field-error" id=error_id.clone()>{error}</p> })}
            {(!hint.is_empty()).then(|| view! { <p class="hint" id=hint_id>{hint}</p> })}
        </div>
    }
}

/// Several lines of text.
#[component]
pub fn Area(
    id: &'static str,
    label: &'static str,
    value: RwSignal<String>,
    #[prop(optional)] hint: &'static str,
    #[prop(optional)] placeholder: &'static str,
    #[prop(default = 4)] rows: u32,
    /// Set if it grows with its text.
    #[prop(optional)]
    grows: bool,
    #[prop(default = 100_000)] max: usize,
    #[prop(optional)] testid: &'static str,
) -> impl IntoView {
    let hint_id = format!("{id}-hint");
    view! {
        <div class="field">
            <label for=id>{label}</label>
            <textarea
                id=id
                rows=move || if grows { lines(&value.read(), rows) } else { rows }.to_string()
                prop:value=value
                on:input:target=move |event| value.set(event.target().value())
                placeholder=placeholder
                maxlength=max.to_string()
                aria-describedby=(!hint.is_empty()).then(|| hint_id.clone())
                data-testid=if testid.is_empty() { id } else { testid }
            ></textarea>
            {(!hint.is_empty()).then(|| view! { <p class="hint" id=hint_id>{hint}</p> })}
        </div>
    }
}

/// Characters of a line, and the most lines that a text is shown in before it scrolls.
const LINE: usize = 60;
const MOST_LINES: u32 = 60;

/// The lines that a text takes, at least so many, with one to go on in.
fn lines(text: &str, least: u32) -> u32 {
    let lines: usize = text
        .split('\n')
        .map(|line| line.chars().count() / LINE + 1)
        .sum();
    let lines = u32::try_from(lines).unwrap_or(MOST_LINES);
    lines.saturating_add(1).clamp(least, MOST_LINES)
}

/// One of a few words; the empty word stands for "any".
#[component]
pub fn Pick(
    id: &'static str,
    label: &'static str,
    #[prop(into)] value: Signal<String>,
    on_pick: Callback<String>,
    /// (word, label) of each option.
    options: Vec<(String, String)>,
    #[prop(optional)] testid: &'static str,
) -> impl IntoView {
    let options = options
        .into_iter()
        .map(|(word, label)| {
            let own = word.clone();
            view! { <option value=word selected=move || value.get() == own>{label}</option> }
        })
        .collect_view();
    view! {
        <div class="field">
            <label for=id>{label}</label>
            <select
                id=id
                prop:value=value
                on:change:target=move |event| on_pick.run(event.target().value())
                data-testid=if testid.is_empty() { id } else { testid }
            >
                {options}
            </select>
        </div>
    }
}

/// A choice of one among a few, as radio buttons.
#[component]
pub fn Choice(
    /// Names the group; also the start of each test id.
    name: &'static str,
    legend: &'static str,
    value: RwSignal<String>,
    /// (word, label) of each option.
    options: Vec<(&'static str, &'static str)>,
) -> impl IntoView {
    let options = options
        .into_iter()
        .map(|(word, label)| {
            view! {
                <label class="radio">
                    <input
                        type="radio"
                        name=name
                        value=word
                        prop:checked=move || value.get() == word
                        on:change=move |_| value.set(word.to_owned())
                        data-testid=format!("{name}-{word}")
                    />
                    <span>{label}</span>
                </label>
            }
        })
        .collect_view();
    view! {
        <fieldset class="choice">
            <legend>{legend}</legend>
            <div class="radios">{options}</div>
        </fieldset>
    }
}
