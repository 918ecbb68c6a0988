//! The text that the agent reads, with its size, and the button that copies it.

use super::playground_state::PlaygroundState;
use crate::api::Asking;
use crate::components::{CopyButton, use_toasts};
use crate::dom;
use crate::format;
use leptos::prelude::*;

/// Bytes that the engine reckons a token as, see `max_tokens` of a recommendation.
const TOKEN_BYTES: usize = 4;

/// Returns the number of tokens that a text takes, as the engine reckons, with its unit.
fn tokens(text: &str) -> String {
    let tokens = u32::try_from(text.len().div_ceil(TOKEN_BYTES)).unwrap_or(u32::MAX);
    format::plural(tokens, "token", "tokens")
}

/// Copies what is shown, and nothing while something newer is ranked.
#[component]
pub fn CopyPrompt(state: PlaygroundState) -> impl IntoView {
    let toasts = use_toasts();
    let asking = Asking::default();
    let text = Memo::new(move |_| {
        state.answered.with(|answered| {
            let given = &answered.as_ref()?.given;
            (!given.recommended.is_empty()).then(|| given.prompt.clone())
        })
    });
    let label = move || match text.get() {
        Some(text) => format!("Copy prompt · {}", tokens(&text)),
        None => "Copy prompt".to_owned(),
    };
    let copy = move |_| {
        let Some(text) = text.get_untracked() else {
            return;
        };
        asking.settle(async move { dom::copy(&text).await }, move |copied| {
            if copied {
                toasts.good("Prompt copied");
            } else {
                toasts.bad(
                    "The browser did not allow copying. Select the text below and copy it by hand.",
                );
            }
        });
    };
    view! {
        <button type="button" disabled=move || state.busy.get() || text.read().is_none() on:click=copy data-testid="copy-prompt">{label}</button>
    }
}

/// The text itself.
#[component]
pub fn PromptText(text: String) -> impl IntoView {
    let size = tokens(&text);
    let kept = text.clone();
    view! {
        <section class="panel" aria-labelledby="prompt-title">
            <header>
                <h2 id="prompt-title">"What the agent reads"</h2>
                <small data-testid="prompt-tokens">{size}</small>
                <span class="grow"></span>
                <CopyButton text=kept label="Copy" done="Prompt copied" testid="copy-prompt-text"/>
            </header>
            <pre class="prompt" tabindex="0" dir="auto" data-testid="prompt-text">{text}</pre>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::tokens;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_text_is_reckoned_as_the_engine_does() {
        assert_eq!(tokens("abcd"), "1 token");
        assert_eq!(tokens("abcde"), "2 tokens");
    }
}
