//! The palette: lessons by search, pages, and what can be done, all by keyboard.

use super::state::{PAGES, Shell};
use crate::api::{Client, Latest};
use crate::components::{Dialog, counted};
use crate::dom;
use crate::format;
use crate::theme::Theme;
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use leptos_use_fn_debounce_throttle::use_debounce_fn;
use lesson_types::LessonPage;
use web_sys::KeyboardEvent;

/// A pause in typing after which lessons are searched, in milliseconds.
const PAUSE: f64 = 90.0;
/// Lessons that are offered.
const LESSONS: usize = 8;
/// The longest search.
const LONGEST: &str = "300";

/// Something to choose.
#[derive(Clone)]
struct Choice {
    group: &'static str,
    label: String,
    about: String,
    key: Option<&'static str>,
    what: What,
}

#[derive(Clone)]
enum What {
    Go(String),
    Do(Callback<()>),
}

impl Choice {
    fn go(group: &'static str, label: &str, href: &str) -> Self {
        Self {
            group,
            label: label.to_owned(),
            about: String::new(),
            key: None,
            what: What::Go(href.to_owned()),
        }
    }

    fn act(group: &'static str, label: &str, run: Callback<()>) -> Self {
        Self {
            group,
            label: label.to_owned(),
            about: String::new(),
            key: None,
            what: What::Do(run),
        }
    }

    /// True if every word that was typed begins a word of the label.
    fn fits(&self, typed: &str) -> bool {
        let label = format::lower(&self.label);
        let typed = format::lower(typed);
        typed
            .split_whitespace()
            .all(|typed| label.split_whitespace().any(|word| word.starts_with(typed)))
    }
}

/// Opens the palette.
#[component]
pub fn PaletteButton() -> impl IntoView {
    let shell = Shell::get_from_context();
    view! {
        <button type="button" class="plain palette-button" aria-label="Search and commands" aria-keyshortcuts="Control+K Meta+K"
            title=format!("Search and commands ({} K)", dom::key_name("Ctrl")) data-testid="open-palette"
            on:click=move |_| shell.palette.set(true)>
            <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5L20 20"></path></svg>
        </button>
    }
}

/// The palette itself.
#[component]
pub fn Palette() -> impl IntoView {
    let shell = Shell::get_from_context();
    view! {
        <Dialog id="palette" title="Search and commands" open=shell.palette class="palette">
            <Search/>
        </Dialog>
    }
}

/// Made anew each time the palette opens, so that it opens empty.
#[component]
fn Search() -> impl IntoView {
    let shell = Shell::get_from_context();
    let client = Client::get_from_context();
    let navigate = StoredValue::new_local(use_navigate());
    let typed = RwSignal::new(String::new());
    let at = RwSignal::new(0_usize);
    let found = RwSignal::new(Vec::<Choice>::new());
    let latest = Latest::default();

    let ask = move || {
        let text = typed.get_untracked();
        if text.trim().is_empty() {
            return;
        }
        let path = format!(
            "/v1/lessons?q={}&limit={LESSONS}",
            format::encode(text.trim())
        );
        latest.ask(client.get::<LessonPage>(path), move |answer| {
            let lessons = answer.map_or_else(|_| Vec::new(), |page| page.lessons);
            found.set(
                lessons
                    .into_iter()
                    .map(|lesson| Choice {
                        about: counted(&lesson.derived.badge.text),
                        ..Choice::go(
                            "Lessons",
                            &lesson.title,
                            &format!("/lessons/{}", format::encode(&lesson.slug)),
                        )
                    })
                    .collect(),
            );
        });
    };
    let ask_soon = use_debounce_fn(ask, PAUSE);
    let search = move |text: String| {
        latest.begin();
        if text.trim().is_empty() {
            found.set(Vec::new());
        }
        ask_soon();
    };
    let choices = Memo::new_with_compare(
        move |_| {
            let text = typed.get();
            let mut choices = offered(shell);
            choices.retain(|choice| choice.fits(&text));
            choices.extend(found.get());
            choices
        },
        |_, _| true,
    );
    let choose = move |choice: Choice| {
        // The stored values are gone with the palette.
        let Some(go) = navigate.try_with_value(Clone::clone) else {
            return;
        };
        shell.palette.set(false);
        // The focus is given back first, so that the act can move it.
        request_animation_frame(move || {
            request_animation_frame(move || match choice.what {
                What::Go(href) => go(&href, Default::default()),
                What::Do(run) => run.run(()),
            });
        });
    };
    let on_key = move |event: KeyboardEvent| {
        let count = choices.read_untracked().len();
        let here = at.get_untracked().min(count.saturating_sub(1));
        let next = match event.key().as_str() {
            "ArrowDown" if count > 0 => (here + 1) % count,
            "ArrowUp" if count > 0 => (here + count - 1) % count,
            "PageDown" => (here + 5).min(count.saturating_sub(1)),
            "PageUp" => here.saturating_sub(5),
            "Enter" if !event.is_composing() => {
                event.prevent_default();
                let chosen = choices.with_untracked(|choices| choices.get(here).cloned());
                if let Some(choice) = chosen {
                    choose(choice);
                }
                return;
            }
            _ => return,
        };
        event.prevent_default();
        at.set(next);
        dom::show(&option_id(next));
    };
    let status = move || match choices.read().len() {
        0 => "Nothing fits".to_owned(),
        n => format::plural(n as u32, "choice", "choices"),
    };
    view! {
        <input
            id="palette-input"
            type="text"
            role="combobox"
            aria-expanded="true"
            aria-controls="palette-list"
            aria-autocomplete="list"
            aria-labelledby="palette-title"
            aria-activedescendant=move || (!choices.read().is_empty()).then(|| option_id(at.get()))
            placeholder="Find a lesson, a page or an action"
            autocomplete="off"
            spellcheck="false"
            maxlength=LONGEST
            data-testid="palette-input"
            prop:value=typed
            on:input:target=move |event| {
                at.set(0);
                typed.set(event.target().value());
                search(event.target().value());
            }
            on:keydown=on_key
        />
        <p class="sr-only" role="status">{status}</p>
        <div id="palette-list" class="choices-list" role="listbox" aria-labelledby="palette-title" data-testid="palette-list">
            {move || grouped(choices.get()).into_iter().map(|(group, members)| view! {
                <div role="group" aria-label=group>
                    <p class="choice-group" aria-hidden="true">{group}</p>
                    {members.into_iter().map(|(place, choice)| {
                        let chosen = choice.clone();
                        view! {
                            <div id=option_id(place) role="option" class="palette-option" aria-selected=move || (at.get() == place).to_string()
                                data-testid="palette-option" on:click=move |_| choose(chosen.clone()) on:pointermove=move |_| at.set(place)>
                                <span dir="auto">{choice.label}</span>
                                <span class="muted">{choice.about}</span>
                                {choice.key.map(|key| view! { <kbd>{key}</kbd> })}
                            </div>
                        }
                    }).collect_view()}
                </div>
            }).collect_view()}
            <Show when=move || choices.read().is_empty()>
                <p class="muted" data-testid="palette-empty">"No match. Try fewer words."</p>
            </Show>
        </div>
        <p class="hint palette-hint" aria-hidden="true"><kbd>"↑"</kbd><kbd>"↓"</kbd>" choose "<kbd>"Enter"</kbd>" open "<kbd>"Esc"</kbd>" close"</p>
    }
}

fn option_id(place: usize) -> String {
    format!("palette-option-{place}")
}

/// Pages and acts, whatever was typed.
fn offered(shell: Shell) -> Vec<Choice> {
    let mut choices: Vec<Choice> = shell
        .acts
        .now()
        .into_iter()
        .map(|act| Choice {
            key: act.key,
            ..Choice::act("On this page", act.label, act.run)
        })
        .collect();
    choices.extend(
        PAGES
            .iter()
            .map(|page| Choice::go("Go to", page.label, page.href)),
    );
    choices.push(Choice::go("Do", "Write a lesson", "/lessons/new"));
    choices.push(Choice::act(
        "Do",
        "Show keyboard shortcuts",
        Callback::new(move |()| shell.sheet.set(true)),
    ));
    choices.extend(Theme::ALL.map(|theme| {
        let label = format!("Theme: {}", format::lower(theme.label()));
        Choice::act("Do", &label, Callback::new(move |()| theme.apply()))
    }));
    choices
}

/// Neighbours of one group together, each with its place in the whole list.
fn grouped(choices: Vec<Choice>) -> Vec<(&'static str, Vec<(usize, Choice)>)> {
    let mut groups: Vec<(&'static str, Vec<(usize, Choice)>)> = Vec::new();
    for (place, choice) in choices.into_iter().enumerate() {
        match groups.last_mut() {
            Some((group, members)) if *group == choice.group => members.push((place, choice)),
            _ => groups.push((choice.group, vec![(place, choice)])),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn typed_words_begin_the_words_of_a_label() {
        let choice = Choice::go("Go to", "Write a lesson", "/lessons/new");
        for (typed, fits) in [
            ("", true),
            ("less wri", true),
            ("WRITE", true),
            ("rite", false),
            ("write b", false),
        ] {
            assert_eq!(choice.fits(typed), fits, "{typed}");
        }
    }

    #[test]
    fn groups_keep_the_places_of_their_members() {
        let all = ["A", "A", "B"].map(|group| Choice::go(group, "", ""));
        let groups = grouped(all.into());
        let places: Vec<(&str, Vec<usize>)> = groups
            .into_iter()
            .map(|(group, members)| (group, members.into_iter().map(|(at, _)| at).collect()))
            .collect();
        assert_eq!(places, [("A", vec![0, 1]), ("B", vec![2])]);
    }
}
