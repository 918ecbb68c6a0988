//! Saved views: the filters and the order of a list under a name, kept in this browser. A view is an address, so that it
//! is shared by its link.

use crate::components::{CopyButton, Popover};
use crate::dom::Memory;
use crate::parameters::{address, use_parameters};
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use serde::{Deserialize, Serialize};

/// Where views are kept.
const KEY: &str = "lessonloop.views";
/// The letters of a name, at most.
const NAME: usize = 60;
/// The views of one browser, at most.
const MOST: usize = 200;
/// Parameters of an address that are no filter: the item that is open.
const OPEN: [&str; 2] = ["run", "item"];

/// A view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Saved {
    /// The list's path, such as `/runs`.
    place: String,
    /// The name that a person gave it.
    name: String,
    /// The query of its address by key: [`crate::parameters::Parameters::normal`].
    query: String,
}

/// All views, in the order that they were saved in.
#[derive(Debug, Clone, Default, PartialEq)]
struct Views(Vec<Saved>);

impl Views {
    fn read() -> Self {
        Self(Memory::Browser.find_json(KEY).unwrap_or_default())
    }

    /// Those of a list.
    fn of(&self, place: &str) -> Vec<Saved> {
        let all = self.0.iter().filter(|view| view.place == place);
        all.cloned().collect()
    }

    fn at(&self, place: &str, name: &str) -> Option<usize> {
        let named = |view: &Saved| view.place == place && view.name == name;
        self.0.iter().position(named)
    }

    /// Saves a view; one of the same name is replaced.
    fn save(&mut self, place: &str, name: &str, query: &str) -> Result<(), String> {
        let view = Saved {
            place: place.to_owned(),
            name: named(name)?,
            query: query.to_owned(),
        };
        match self.at(place, &view.name) {
            Some(at) => self.0[at] = view,
            None if self.0.len() >= MOST => {
                return Err(format!(
                    "This browser keeps {MOST} views. Delete one first."
                ));
            }
            None => self.0.push(view),
        }
        Ok(())
    }

    fn rename(&mut self, place: &str, from: &str, to: &str) -> Result<(), String> {
        let to = named(to)?;
        if to == from {
            return Ok(());
        }
        if self.at(place, &to).is_some() {
            return Err(format!(
                "Another view is called “{to}”. Choose another name."
            ));
        }
        if let Some(at) = self.at(place, from) {
            self.0[at].name = to;
        }
        Ok(())
    }

    fn delete(&mut self, place: &str, name: &str) {
        if let Some(at) = self.at(place, name) {
            self.0.remove(at);
        }
    }
}

/// A name as it is kept.
fn named(typed: &str) -> Result<String, String> {
    let name = typed.split_whitespace().collect::<Vec<_>>().join(" ");
    match name.chars().count() {
        0 => Err("Give the view a name.".to_owned()),
        1..=NAME => Ok(name),
        _ => Err(format!("A name has {NAME} letters at most.")),
    }
}

/// The views of a list: a button, and below it those that are saved, the filters in force to save, and their link.
#[component]
pub fn SavedViews(
    /// The list's path.
    place: &'static str,
) -> impl IntoView {
    let parameters = use_parameters();
    let now = Memo::new(move |_| parameters.read().normal(&OPEN));
    let views = RwSignal::new(Views::read());
    let open = RwSignal::new(false);
    let typed = RwSignal::new(String::new());
    // The view that is being renamed.
    let renaming = RwSignal::new(None::<String>);
    let trouble = RwSignal::new(String::new());
    let go = StoredValue::new_local(use_navigate());
    Effect::new(move |_| {
        if open.get() {
            // Another tab may have saved some.
            views.set(Views::read());
            typed.set(String::new());
            renaming.set(None);
            trouble.set(String::new());
        }
    });
    let change = move |change: &dyn Fn(&mut Views) -> Result<(), String>| {
        let mut all = Views::read();
        let done = change(&mut all).and_then(|()| {
            let kept = Memory::Browser.keep_json(KEY, &all.0);
            kept.then_some(()).ok_or_else(|| {
                "This browser does not allow storing views. Copy the link instead.".to_owned()
            })
        });
        match done {
            Ok(()) => {
                views.set(all);
                typed.set(String::new());
                renaming.set(None);
                trouble.set(String::new());
            }
            Err(why) => trouble.set(why),
        }
    };
    let label = Signal::derive(move || {
        let saved = views.with(|views| views.of(place));
        let shown = saved.into_iter().find(|view| view.query == now.get());
        shown.map_or_else(|| "Views".to_owned(), |view| format!("View: {}", view.name))
    });
    let save = move || match renaming.get_untracked() {
        Some(from) => change(&|all| all.rename(place, &from, &typed.get_untracked())),
        None => change(&|all| all.save(place, &typed.get_untracked(), &now.get_untracked())),
    };
    let row = move |view: Saved| {
        let to = address(place, &view.query);
        let is_shown = view.query == now.get();
        let (rename, delete) = (view.name.clone(), view.name.clone());
        view! {
            <li>
                <button type="button" class="plain view-name" aria-current=is_shown.then_some("true") dir="auto" data-testid="view"
                    on:click=move |_| {
                        open.set(false);
                        go.with_value(|go| go(&to, NavigateOptions::default()));
                    }>{view.name.clone()}</button>
                <button type="button" class="plain" aria-label=format!("Rename “{}”", view.name) data-testid="view-rename" on:click=move |_| {
                    typed.set(rename.clone());
                    renaming.set(Some(rename.clone()));
                }>"Rename"</button>
                <button type="button" class="plain" aria-label=format!("Delete “{}”", view.name) data-testid="view-delete"
                    on:click=move |_| change(&|all| {
                        all.delete(place, &delete);
                        Ok(())
                    })>"Delete"</button>
            </li>
        }
    };
    let link = Signal::derive(move || {
        let origin = window().location().origin().unwrap_or_default();
        format!("{origin}{}", address(place, &now.get()))
    });
    view! {
        <Popover id="views" label class="filter-chip" end=true open>
            <div class="views">
                {move || {
                    let saved = views.with(|views| views.of(place));
                    if saved.is_empty() {
                        view! { <p class="hint">"No view is saved for this list."</p> }.into_any()
                    } else {
                        view! { <ul>{saved.into_iter().map(row).collect_view()}</ul> }.into_any()
                    }
                }}
                <form on:submit=move |event| {
                    event.prevent_default();
                    save();
                }>
                    <div class="field">
                        <label for="view-name">{move || match renaming.get() {
                            Some(name) => format!("New name of “{name}”"),
                            None => "Save the filters as".to_owned(),
                        }}</label>
                        <input id="view-name" autocomplete="off" maxlength=NAME.to_string() prop:value=typed data-testid="view-name"
                            aria-describedby="view-trouble"
                            on:input:target=move |event| typed.set(event.target().value())/>
                    </div>
                    <button type="submit" class="primary" data-testid="view-save">{move || if renaming.read().is_some() { "Rename" } else { "Save view" }}</button>
                </form>
                <p class="field-error" id="view-trouble" role="alert">{trouble}</p>
                <CopyButton text=link label="Copy link" done="The link is on the clipboard." testid="view-link"/>
            </div>
        </Popover>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn names(views: &Views, place: &str) -> Vec<String> {
        let all = views.of(place).into_iter();
        all.map(|view| format!("{}={}", view.name, view.query))
            .collect()
    }

    #[test]
    fn a_view_is_saved_renamed_and_deleted_by_its_list_and_name() {
        let mut views = Views::default();
        views
            .save("/runs", " Failing  runs ", "outcome=failure")
            .expect("a name");
        views
            .save("/lessons", "Failing runs", "q=x")
            .expect("a name");
        assert_eq!(names(&views, "/runs"), ["Failing runs=outcome=failure"]);
        views
            .save("/runs", "Failing runs", "outcome=failure&by=a")
            .expect("replaced");
        assert_eq!(
            names(&views, "/runs"),
            ["Failing runs=outcome=failure&by=a"]
        );
        views.save("/runs", "All", "").expect("a name");
        assert!(views.rename("/runs", "All", "Failing runs").is_err());
        views
            .rename("/runs", "All", "Everything")
            .expect("a new name");
        views.delete("/runs", "Failing runs");
        assert_eq!(names(&views, "/runs"), ["Everything="]);
        assert_eq!(
            names(&views, "/lessons"),
            ["Failing runs=q=x"],
            "another list's stays"
        );
        assert_eq!(address("/runs", ""), "/runs");
    }

    #[test]
    fn a_name_says_something_and_is_short() {
        let mut views = Views::default();
        for name in ["", "  ", &"x".repeat(NAME + 1)] {
            assert!(views.save("/runs", name, "").is_err(), "{name:?}");
        }
        assert_eq!(views, Views::default());
    }
}
