//! A lesson's form with its draft, and the differences of two texts, in a browser.

use super::draft::{DraftOf, Keeper};
use super::form::{LessonFields, LessonForm};
use crate::components::{Edited, Versus};
use leptos::prelude::*;
use leptos::task::tick;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{Event, HtmlElement, HtmlInputElement};

wasm_bindgen_test_configure!(run_in_browser);

/// Draws `view` in a fresh part of the page; dropping what is returned takes it away, as leaving the page does.
fn draw<V: IntoView + 'static>(view: impl FnOnce() -> V + 'static) -> (HtmlElement, impl Drop)
where
    V::State: 'static,
{
    let root: HtmlElement = document()
        .create_element("div")
        .expect("an element")
        .unchecked_into();
    let body = document().body().expect("a body");
    body.append_child(&root).expect("it is put there");
    let held = leptos::mount::mount_to(root.clone(), view);
    (root, held)
}

fn texts(root: &HtmlElement, selector: &str) -> Vec<String> {
    let found = root.query_selector_all(selector).expect("a selector");
    (0..found.length())
        .filter_map(|at| found.get(at)?.text_content())
        .collect()
}

fn title(root: &HtmlElement) -> HtmlInputElement {
    let field = root.query_selector("#lesson-title").expect("a selector");
    field.expect("the field is there").unchecked_into()
}

/// A form for a new lesson, as the page makes it.
fn form() -> (HtmlElement, impl Drop) {
    draw(|| {
        let fields = LessonFields::empty();
        let plain = fields.text_untracked();
        if let Some(draft) = DraftOf::New.find() {
            fields.fill(draft.text);
        }
        Keeper::follow(DraftOf::New, None, fields, plain);
        view! { <LessonForm fields/> }
    })
}

#[wasm_bindgen_test]
async fn what_is_typed_is_there_when_the_form_is_opened_again() {
    DraftOf::New.drop();
    let (root, held) = form();
    tick().await;
    let field = title(&root);
    field.set_value("Half of a title");
    let event = Event::new("input").expect("an event");
    field.dispatch_event(&event).expect("it is heard");
    tick().await;
    assert_eq!(DraftOf::New.find(), None, "it is written after a pause");
    drop(held);
    let kept = DraftOf::New.find().expect("leaving writes it");
    assert_eq!(kept.text.title, "Half of a title");

    let (root, held) = form();
    tick().await;
    assert_eq!(title(&root).value(), "Half of a title");
    // Emptied by hand, there is nothing to keep.
    title(&root).set_value("");
    title(&root).dispatch_event(&event).expect("it is heard");
    tick().await;
    drop(held);
    assert_eq!(DraftOf::New.find(), None);
}

#[wasm_bindgen_test]
async fn an_edit_strikes_out_what_went_and_underlines_what_came() {
    let (root, _held) = draw(|| {
        view! {
            <Edited name="What to do" before="Use npm always".to_owned() after="Use pnpm always".to_owned()/>
        }
    });
    tick().await;
    assert_eq!(texts(&root, "del"), ["npm"]);
    assert_eq!(texts(&root, "ins"), ["pnpm"]);
    let side = root.query_selector("[aria-label='What to do, with what changed']");
    assert!(side.expect("a selector").is_some());
}

#[wasm_bindgen_test]
async fn of_two_texts_the_words_that_differ_are_marked_on_either_side() {
    let (root, _held) = draw(|| {
        view! {
            <Versus name="Title" titles=("Stays", "Goes") left="Keep tenants apart".to_owned() right=String::new()/>
        }
    });
    tick().await;
    assert_eq!(texts(&root, "mark"), ["Keep tenants apart"]);
    assert_eq!(texts(&root, "del, ins"), [""; 0]);
    assert_eq!(texts(&root, ".side .muted"), ["(empty)"]);
}
