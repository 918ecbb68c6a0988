//! The service worker: registered once the engine runs, and a new version offered when it is there.

use crate::api::{Client, Engine};
use js_sys::Reflect;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_use_event_listener::use_event_listener;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    RegistrationOptions, ServiceWorkerContainer, ServiceWorkerRegistration,
    ServiceWorkerUpdateViaCache, VisibilityState,
};

/// The browser looks for a new version itself when a page is loaded; one that stays open is asked this often, in
/// milliseconds.
const LOOK_AGAIN: f64 = 3_600_000.0;

/// State of the app beside the newest version; cheap to copy, provided as a context.
#[derive(Clone, Copy)]
pub struct Update {
    registration: StoredValue<Option<ServiceWorkerRegistration>, LocalStorage>,
    looked: StoredValue<f64>,
    /// Where it stands.
    pub stage: RwSignal<Stage>,
}

/// Where an update stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Nothing newer is known.
    Current,
    /// A newer version is kept and waits.
    Ready,
    /// This tab asked for it.
    Asked,
    /// Another tab took it; this one goes on with what it was loaded with.
    Elsewhere,
}

impl Update {
    /// Keeps the app for offline use, once the engine has said which module this browser runs.
    pub fn follow(client: Client) -> Self {
        let update = Self {
            registration: StoredValue::new_local(None),
            looked: StoredValue::new(js_sys::Date::now()),
            stage: RwSignal::new(Stage::Current),
        };
        Effect::new(move |registered: Option<bool>| {
            let Engine::Ready(build) = client.engine.get() else {
                return registered.unwrap_or_default();
            };
            if registered != Some(true)
                && let Some(container) = container()
            {
                // The browser's own doing; nobody waits for it.
                spawn_local(update.register(container, build));
            }
            true
        });
        let _ = use_event_listener(window(), ev::visibilitychange, move |_| update.look_again());
        update
    }

    async fn register(self, container: ServiceWorkerContainer, build: String) {
        let options = RegistrationOptions::new();
        options.set_update_via_cache(ServiceWorkerUpdateViaCache::None);
        // Where it can't be kept (a private window, a full disk), the app works with a network as before.
        let script = format!("/sw.js?build={build}");
        let asked = container.register_with_options(&script, &options);
        let Ok(registration) = JsFuture::from(asked).await else {
            return;
        };
        let Ok(registration) = registration.dyn_into::<ServiceWorkerRegistration>() else {
            return;
        };
        self.watch(&registration);
        let controlled = container.controller().is_some();
        let on_change = Closure::<dyn Fn()>::new(move || {
            // The first worker of all takes over nothing that ran without one.
            if controlled && self.stage.get_untracked() != Stage::Asked {
                self.stage.set(Stage::Elsewhere);
            }
        });
        container.set_oncontrollerchange(Some(on_change.as_ref().unchecked_ref()));
        // It lives as long as the page does.
        on_change.forget();
        self.registration.set_value(Some(registration));
    }

    fn watch(self, registration: &ServiceWorkerRegistration) {
        let waiting = {
            let registration = registration.clone();
            move || {
                // Without one that is in force, the one that waits is the first.
                if registration.waiting().is_some() && registration.active().is_some() {
                    self.stage.set(Stage::Ready);
                }
            }
        };
        waiting();
        let registration = registration.clone();
        let found = registration.clone();
        let on_found = Closure::<dyn Fn()>::new(move || {
            let Some(worker) = found.installing() else {
                return;
            };
            let waiting = waiting.clone();
            let on_state = Closure::<dyn Fn()>::new(waiting);
            worker.set_onstatechange(Some(on_state.as_ref().unchecked_ref()));
            on_state.forget();
        });
        registration.set_onupdatefound(Some(on_found.as_ref().unchecked_ref()));
        on_found.forget();
    }

    fn look_again(self) {
        let now = js_sys::Date::now();
        if document().visibility_state() != VisibilityState::Visible
            || now - self.looked.get_value() < LOOK_AGAIN
        {
            return;
        }
        self.looked.set_value(now);
        self.registration.with_value(|registration| {
            // Without a network it fails, and is asked again later.
            if let Some(Ok(looking)) = registration.as_ref().map(|it| it.update()) {
                let looking = JsFuture::from(looking);
                // As above; it ends by an event, if by anything.
                spawn_local(async move {
                    let _ = looking.await;
                });
            }
        });
    }

    /// Puts the new version in force and loads it.
    pub fn take(self) {
        let waiting = self
            .registration
            .with_value(|registration| registration.as_ref().and_then(|it| it.waiting()));
        self.stage.set(Stage::Asked);
        let Some(worker) = waiting else {
            reload();
            return;
        };
        let watched = worker.clone();
        let on_state = Closure::<dyn Fn()>::new(move || {
            if matches!(
                watched.state(),
                web_sys::ServiceWorkerState::Activated | web_sys::ServiceWorkerState::Redundant
            ) {
                reload();
            }
        });
        worker.set_onstatechange(Some(on_state.as_ref().unchecked_ref()));
        on_state.forget();
        if worker.post_message(&"activate".into()).is_err() {
            reload();
        }
    }
}

/// Where the browser has service workers, and lets this page have one.
fn container() -> Option<ServiceWorkerContainer> {
    let found = Reflect::get(&window().navigator(), &"serviceWorker".into()).ok()?;
    found.dyn_into().ok()
}

fn reload() {
    // It fails only where the page is going already.
    let _ = window().location().reload();
}

/// Offers the new version; nothing is forced.
#[component]
pub fn UpdateNote() -> impl IntoView {
    let update = expect_context::<Update>();
    let words = move || match update.stage.get() {
        Stage::Current => None,
        Stage::Ready => Some(("A new version is ready", "Reload")),
        Stage::Asked => Some(("Loading the new version…", "Reload")),
        Stage::Elsewhere => Some((
            "Another tab switched to a new version; this tab still runs the old one",
            "Reload",
        )),
    };
    view! {
        <div role="status" class="update" data-testid="update">
            {move || words().map(|(text, button)| view! {
                <div class="update-note" data-testid="update-ready">
                    <span>{text}</span>
                    <button type="button" data-testid="update-reload" on:click=move |_| {
                        if update.stage.get_untracked() == Stage::Ready { update.take() } else { reload() }
                    }>{button}</button>
                    <button type="button" class="plain" aria-label="Not now" on:click=move |_| update.stage.set(Stage::Current)>"×"</button>
                </div>
            })}
        </div>
    }
}
