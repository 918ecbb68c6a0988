//! Reading and acting in a browser: what is dropped, what stays, and in which order things come.

use super::{Asking, Latest, use_fetch};
use js_sys::{Function, Promise};
use leptos::prelude::*;
use leptos::task::tick;
use lesson_types::{ApiError, ErrorCode};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// Runs `make` within a page and returns its result; dropping the second value leaves that page.
fn within<T: 'static>(make: impl FnOnce() -> T + 'static) -> (T, impl Drop) {
    let made = Rc::new(RefCell::new(None));
    let put = Rc::clone(&made);
    let root = document().create_element("div").expect("an element");
    let page = leptos::mount::mount_to(root.unchecked_into(), move || {
        *put.borrow_mut() = Some(make());
    });
    let made = made.borrow_mut().take();
    (made.expect("the page is made at once"), page)
}

/// A request, and what answers it.
fn request() -> (impl Future<Output = ()> + 'static, impl FnOnce()) {
    let mut answer = None::<Function>;
    let promise = Promise::new(&mut |resolve, _| answer = Some(resolve));
    let asked = async move {
        JsFuture::from(promise).await.expect("it is answered");
    };
    let answer = answer.expect("a promise hands out what resolves it");
    (asked, move || {
        answer.call0(&JsValue::NULL).expect("it resolves");
    })
}

/// Lets everything that waits for nothing else happen.
async fn settled() {
    for _ in 0..20 {
        tick().await;
    }
}

#[wasm_bindgen_test]
async fn a_second_act_is_not_begun_while_the_first_is_under_way() {
    let (asking, _page) = within(Asking::default);
    let done = Rc::new(RefCell::new(Vec::new()));
    let note = |name: &'static str| {
        let done = Rc::clone(&done);
        // Each is told of when it is over: what comes next may be another one.
        move |()| done.borrow_mut().push((name, asking.busy.get_untracked()))
    };
    let (first, answer) = request();
    asking.settle(first, note("first"));
    assert!(asking.busy.get_untracked());
    asking.settle(async {}, note("second"));
    answer();
    settled().await;
    asking.settle(async {}, note("third"));
    settled().await;
    assert_eq!(*done.borrow(), [("first", false), ("third", false)]);
}

#[wasm_bindgen_test]
async fn what_an_act_failed_of_stays_until_the_next_one() {
    let (asking, _page) = within(Asking::default);
    let failed = ApiError::new(ErrorCode::Conflict, "no");
    let refused = failed.clone();
    asking.run(async move { Err::<(), _>(refused) }, |()| {
        unreachable!("it failed")
    });
    settled().await;
    assert_eq!(asking.error.get_untracked(), Some(failed));
    let (next, _answer) = request();
    asking.settle(next, drop);
    assert_eq!(asking.error.get_untracked(), None);
}

#[wasm_bindgen_test]
async fn only_the_answer_to_the_latest_question_counts() {
    let (latest, page) = within(Latest::default);
    let taken = Rc::new(RefCell::new(Vec::new()));
    let take = |n: u32| {
        let taken = Rc::clone(&taken);
        move |()| taken.borrow_mut().push(n)
    };
    let ((first, answer_first), (second, answer_second)) = (request(), request());
    latest.ask(first, take(1));
    latest.ask(second, take(2));
    answer_second();
    settled().await;
    answer_first();
    settled().await;
    let (third, answer_third) = request();
    latest.ask(third, take(3));
    drop(page);
    answer_third();
    settled().await;
    assert_eq!(*taken.borrow(), [2], "the page was left before the third");
}

#[wasm_bindgen_test]
async fn a_value_outlives_an_error_but_not_what_it_was_asked_of() {
    let ((of, told, query, kept), _page) = within(|| {
        let of = RwSignal::new("a".to_owned());
        let told = RwSignal::new(Ok::<u32, ApiError>(1));
        let query = use_fetch(
            move || of.get(),
            move || {
                let told = told.get();
                async move { told }
            },
        );
        (of, told, query, query.kept())
    });
    assert!(query.busy.get_untracked() && query.data.get_untracked().is_none());
    settled().await;
    assert_eq!(query.data.get_untracked(), Some(Ok(1)));
    assert_eq!(kept.get_untracked(), Some(1));

    let failed = ApiError::new(ErrorCode::Unavailable, "not now");
    told.set(Err(failed.clone()));
    settled().await;
    assert_eq!(query.data.get_untracked(), Some(Err(failed)));
    assert_eq!(kept.get_untracked(), Some(1));

    query.set(Ok(2));
    assert_eq!(kept.get_untracked(), Some(2));

    told.set(Ok(3));
    of.set("b".to_owned());
    assert_eq!(query.data.get_untracked(), None);
    settled().await;
    assert_eq!(kept.get_untracked(), Some(3));
    assert!(!query.busy.get_untracked());
}
