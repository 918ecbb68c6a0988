//! The few things of the browser that pages need: clipboard, downloads, ids, titles, focus.

use gloo::file::{Blob, ObjectUrl};
use leptos::prelude::*;
use std::borrow::Cow;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    HtmlAnchorElement, HtmlElement, Response, ScrollIntoViewOptions, ScrollLogicalPosition,
};

/// Time for which a download's URL is kept for the browser to fetch it, in milliseconds.
const URL_LIFE: u32 = 60_000;

/// A fresh id for a decision. Outside a secure context, where there is no `randomUUID`, the id is made of two
/// random numbers.
pub fn random_id() -> String {
    let secure = js_sys::Reflect::get(&window(), &"isSecureContext".into())
        .ok()
        .and_then(|v| v.as_bool());
    match window().crypto() {
        Ok(crypto) if secure == Some(true) => crypto.random_uuid(),
        _ => {
            let part = || (js_sys::Math::random() * f64::from(u32::MAX)) as u32;
            format!("decision-{:08x}{:08x}", part(), part())
        }
    }
}

/// Puts a text into the clipboard; `false` when the browser refuses.
pub async fn copy(text: &str) -> bool {
    let clipboard = js_sys::Reflect::get(&window().navigator(), &"clipboard".into());
    if !clipboard.is_ok_and(|clipboard| clipboard.is_object()) {
        return false;
    }
    JsFuture::from(window().navigator().clipboard().write_text(text))
        .await
        .is_ok()
}

/// Offers a file to the person.
pub fn download(name: &str, file: web_sys::Blob) {
    let url = ObjectUrl::from(Blob::from(file));
    let Ok(link) = document().create_element("a") else {
        return;
    };
    let link: HtmlAnchorElement = link.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    gloo::timers::callback::Timeout::new(URL_LIFE, move || drop(url)).forget();
}

/// Offers a text as a file to the person.
pub fn download_text(name: &str, kind: &str, text: &str) {
    let options = web_sys::BlobPropertyBag::new();
    options.set_type(kind);
    let parts = js_sys::Array::of1(&text.into());
    if let Ok(file) = web_sys::Blob::new_with_str_sequence_and_options(&parts, &options) {
        download(name, file);
    }
}

/// Names the page in the window's title.
pub fn set_title(page: &str) {
    document().set_title(&format!("{page} · Lessonloop"));
}

/// The host in an address; the address itself where it has none.
pub fn host(address: &str) -> String {
    web_sys::Url::new(address)
        .map(|url| url.host())
        .ok()
        .filter(|host| !host.is_empty())
        .unwrap_or_else(|| address.to_owned())
}

/// Brings the part of the page with this id to its top and puts the focus on it, once it is drawn.
pub fn go_to_part(id: String) {
    request_animation_frame(move || {
        if let Some(element) = document().get_element_by_id(&id) {
            element.scroll_into_view();
            let _ = element.unchecked_into::<HtmlElement>().focus();
        }
    });
}

/// Puts the focus on the element with this id once what is being drawn is there.
pub fn focus(id: &'static str) {
    request_animation_frame(move || {
        if let Some(element) = document().get_element_by_id(id) {
            let _ = element.unchecked_into::<HtmlElement>().focus();
        }
    });
}

/// The same for an id that is made.
pub fn focus_by_id(id: String) {
    request_animation_frame(move || {
        if let Some(element) = document().get_element_by_id(&id) {
            let _ = element.unchecked_into::<HtmlElement>().focus();
        }
    });
}

/// Notes what has the focus. What is returned gives it back, once what is being drawn is there, where it was lost because
/// its control was disabled meanwhile.
pub fn hold_focus() -> impl FnOnce() {
    let held = document().active_element();
    move || {
        request_animation_frame(move || {
            let lost = document()
                .active_element()
                .is_none_or(|now| now.tag_name() == "BODY");
            if let Some(held) = held.filter(|_| lost) {
                let _ = held.unchecked_into::<HtmlElement>().focus();
            }
        });
    }
}

/// True if a key sends the form that it is pressed in: Enter with Ctrl, or with Cmd.
pub fn is_submit(event: &web_sys::KeyboardEvent) -> bool {
    event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) && !event.is_composing()
}

/// Scrolls what holds the element with this id just so far that it is seen.
pub fn show(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        let options = ScrollIntoViewOptions::new();
        options.set_block(ScrollLogicalPosition::Nearest);
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// The name of a key on this system's keyboards.
pub fn key_name(key: &'static str) -> &'static str {
    let platform = window().navigator().platform().unwrap_or_default();
    match key {
        "Ctrl" if platform.starts_with("Mac") || platform.starts_with("iP") => "⌘",
        key => key,
    }
}

/// Where words are remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// In this browser.
    Browser,
    /// In this tab.
    Tab,
}

/// Remembers which space the browser shows; absent for one's own.
pub const SPACE: &str = "lessonloop.space";
/// The word for the demo: what is remembered under `SPACE`, and the worker's name. `www/worker/space.js` knows it, too.
pub const DEMO: &str = "demo";
/// Prefix of keys, and that of the demo's keys.
const OURS: &str = "lessonloop.";
const OURS_IN_DEMO: &str = "lessonloop.demo.";

impl Memory {
    /// Remembers a word, where storage allows.
    pub fn keep(self, key: &str, word: &str) {
        if let Some(storage) = self.storage() {
            let _ = storage.set_item(&key_here(key), word);
        }
    }

    /// Forgets a word.
    pub fn drop(self, key: &str) {
        if let Some(storage) = self.storage() {
            let _ = storage.remove_item(key);
        }
    }

    /// The word that was remembered.
    pub fn find(self, key: &str) -> Option<String> {
        self.storage()?.get_item(&key_here(key)).ok()?
    }

    /// Forgets a word.
    pub fn forget(self, key: &str) {
        if let Some(storage) = self.storage() {
            let _ = storage.remove_item(&key_here(key));
        }
    }

    /// Remembers a value as JSON; `false` where storage does not allow it.
    pub fn keep_json(self, key: &str, value: &impl serde::Serialize) -> bool {
        let text = value
            .serialize(&serde_wasm_bindgen::Serializer::json_compatible())
            .ok()
            .and_then(|value| js_sys::JSON::stringify(&value).ok())
            .and_then(|text| text.as_string());
        match (self.storage(), text) {
            (Some(storage), Some(text)) => storage.set_item(&key_here(key), &text).is_ok(),
            _ => false,
        }
    }

    /// The value that was remembered as JSON, if it still fits.
    pub fn find_json<T: serde::de::DeserializeOwned>(self, key: &str) -> Option<T> {
        json(&self.find(key)?)
    }

    fn storage(self) -> Option<web_sys::Storage> {
        match self {
            Self::Browser => window().local_storage(),
            Self::Tab => window().session_storage(),
        }
        .ok()?
    }
}

/// Keys of words about this browser and the person at it, not about lessons or a server.
const SETTINGS: [&str; 4] = [
    SPACE,
    "lessonloop.theme",
    "lessonloop.single-keys",
    "lessonloop.review.keys_off",
];

/// The key under which a word is remembered: the demo has its own, so that a draft for one of its lessons is none for a
/// lesson of one's own with the same slug.
fn key_here(key: &str) -> Cow<'_, str> {
    let in_demo = Memory::Browser
        .storage()
        .and_then(|storage| storage.get_item(SPACE).ok().flatten())
        .is_some_and(|space| space == DEMO);
    match key.strip_prefix(OURS) {
        Some(rest) if in_demo && !SETTINGS.contains(&key) => {
            Cow::Owned(format!("{OURS_IN_DEMO}{rest}"))
        }
        _ => Cow::Borrowed(key),
    }
}

/// Forgets what pages remembered of lessons, searches and a server; settings stay.
pub fn forget_traces() {
    forget(|key| key.starts_with(OURS) && !SETTINGS.contains(&key));
}

/// Forgets what pages remembered in the demo.
pub fn forget_demo() {
    forget(|key| key.starts_with(OURS_IN_DEMO));
}

fn forget(is_gone: impl Fn(&str) -> bool) {
    for storage in [Memory::Browser, Memory::Tab] {
        let Some(storage) = storage.storage() else {
            continue;
        };
        let keys: Vec<String> = (0..storage.length().unwrap_or(0))
            .filter_map(|at| storage.key(at).ok().flatten())
            .filter(|key| is_gone(key))
            .collect();
        for key in keys {
            let _ = storage.remove_item(&key);
        }
    }
}

/// Fetches an address of this site; returns the response and its text.
///
/// # Errors
/// As the browser has it, when there is no answer or it breaks off.
pub async fn fetch(address: &str) -> Result<(Response, String), JsValue> {
    let answer = JsFuture::from(window().fetch_with_str(address)).await?;
    let answer: Response = answer.dyn_into()?;
    let text = JsFuture::from(answer.text()?).await?;
    Ok((answer, text.as_string().unwrap_or_default()))
}

/// A text of JSON as a value.
pub fn json<T: serde::de::DeserializeOwned>(text: &str) -> Option<T> {
    let value = js_sys::JSON::parse(text).ok()?;
    serde_wasm_bindgen::from_value(value).ok()
}
