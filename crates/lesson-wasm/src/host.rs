//! The host's clock, randomness and network; functions may be given in place of the first two.

use js_sys::{Array, Date, Function, Promise, Uint8Array};
use lesson_core::Millis;
use lesson_service::Host;
use lesson_sync::{HttpRequest, HttpResponse, NoAnswer};
use wasm_bindgen::{JsCast, JsValue};

/// A JavaScript host.
#[derive(Debug, Default)]
pub struct JsHost {
    /// `() => number`: milliseconds since the Unix epoch.
    pub now: Option<Function>,
    /// `(bytes: Uint8Array) => void`: fills it.
    pub random: Option<Function>,
    /// `(name: string, pieces: Uint8Array[]) => Promise<void>`: keeps them as one.
    pub keep: Option<Function>,
    /// `(name: string) => Promise<Uint8Array | null>`: gives them back.
    pub recall: Option<Function>,
}

impl Host for JsHost {
    fn now(&self) -> Millis {
        let given = self.now.as_ref().and_then(|now| {
            let at = now.call0(&JsValue::UNDEFINED).ok()?.as_f64()?;
            at.is_finite().then_some(at)
        });
        given.unwrap_or_else(Date::now) as Millis
    }

    fn random(&self, bytes: &mut [u8]) {
        if let Some(random) = &self.random {
            let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
            let array = Uint8Array::new_with_length(length);
            if random
                .call1(&JsValue::UNDEFINED, array.unchecked_ref())
                .is_ok()
            {
                array.copy_to(bytes);
                return;
            }
        }
        // Every supported host has `crypto.getRandomValues`; without it ids would repeat, and
        // there is no honest way on.
        #[allow(clippy::expect_used)]
        getrandom::fill(bytes).expect("this host has no crypto.getRandomValues");
    }

    async fn pause(&self) {
        gloo::timers::future::TimeoutFuture::new(0).await;
    }

    async fn sleep(&self, ms: u32) {
        gloo::timers::future::TimeoutFuture::new(ms).await;
    }

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, NoAnswer> {
        crate::fetch::fetch(request).await
    }

    async fn keep(&self, name: &str, write: impl FnOnce(&mut dyn FnMut(&[u8]))) {
        let Some(keep) = &self.keep else { return };
        let pieces = Array::new();
        write(&mut |bytes| {
            pieces.push(&Uint8Array::from(bytes));
        });
        // Data that is not kept is read from the server.
        let _ = done(keep.call2(&JsValue::UNDEFINED, &name.into(), &pieces)).await;
    }

    async fn recall(&self, name: &str) -> Option<Vec<u8>> {
        let recall = self.recall.as_ref()?;
        let found = done(recall.call1(&JsValue::UNDEFINED, &name.into())).await?;
        Some(found.dyn_into::<Uint8Array>().ok()?.to_vec())
    }
}

/// Waits for a promise and returns its value; `None` when it failed.
pub(crate) async fn done(promised: Result<JsValue, JsValue>) -> Option<JsValue> {
    let promise: Promise = promised.ok()?.dyn_into().ok()?;
    wasm_bindgen_futures::JsFuture::from(promise).await.ok()
}
