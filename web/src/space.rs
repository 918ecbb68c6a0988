//! The space of this browser that the page shows: one's own, or the demo. Each has a store, and what pages remember, of its
//! own; moving between them loads the page anew.

use crate::dom::{self, DEMO, Memory, SPACE};
use js_sys::Promise;
use leptos::prelude::{document, window};
use wasm_bindgen_futures::JsFuture;
use web_sys::{WorkerOptions, WorkerType};

/// The name of its database; `www/worker/space.js` opens it.
const DEMO_STORE: &str = "lessonloop-demo";

/// One of this browser's spaces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Space {
    /// Lessons of one's own, synced if a server is connected.
    #[default]
    Own,
    /// Sample lessons with a simulated history, never synced.
    Demo,
}

impl Space {
    /// The one that this page shows.
    pub fn current() -> Self {
        if Self::is_of_host() {
            return Self::Own;
        }
        match Memory::Browser.find(SPACE).as_deref() {
            Some(DEMO) => Self::Demo,
            _ => Self::Own,
        }
    }

    /// Options of the engine's worker for it: the worker opens the store of the space that it is named by.
    pub fn worker_options(self) -> WorkerOptions {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        options.set_name(match self {
            Self::Own => "",
            Self::Demo => DEMO,
        });
        options
    }

    /// True if the lessons lie with a program on this machine, which has one space: its page says so
    /// (`www/local/page/local-page.js`).
    pub fn is_of_host() -> bool {
        document()
            .document_element()
            .is_some_and(|root| root.get_attribute("data-host").as_deref() == Some("local"))
    }

    /// Shows this one, from its first page. The demo is made when it is opened for the first time.
    pub fn open(self) {
        match self {
            Self::Own => Memory::Browser.forget(SPACE),
            Self::Demo => Memory::Browser.keep(SPACE, DEMO),
        }
        let _ = window().location().assign("/");
    }

    /// Deletes the demo with all that was done in it, and shows one's own space.
    pub async fn remove_demo() {
        if let Ok(Some(factory)) = window().indexed_db()
            && let Ok(request) = factory.delete_database(DEMO_STORE)
        {
            // The worker that has the store open closes it when it is asked to; a tab that does not ends the wait.
            let done = Promise::new(&mut |resolve, _| {
                request.set_onsuccess(Some(&resolve));
                request.set_onerror(Some(&resolve));
                request.set_onblocked(Some(&resolve));
            });
            let _ = JsFuture::from(done).await;
        }
        dom::forget_demo();
        Self::Own.open();
    }
}
