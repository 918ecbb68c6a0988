//! A host that puts agents' keys on the requests for a space.

use crate::key_ring::KeyRing;
use lesson_core::Millis;
use lesson_service::Host;
use lesson_sync::{HttpRequest, HttpResponse, NoAnswer};
use std::rc::Rc;

/// The header that an agent's key stands in, as the server reads it.
const KEY_HEADER: &str = "x-lessonloop-key";

/// A host, with or without keys. One type for both, so that the module holds the service's generic code once.
pub struct WithKeys<H> {
    host: Rc<H>,
    keys: Option<Rc<KeyRing>>,
}

impl<H> WithKeys<H> {
    /// A host that adds none.
    pub fn none(host: H) -> Self {
        Self {
            host: Rc::new(host),
            keys: None,
        }
    }

    /// A host that sends these keys.
    pub(crate) fn of(host: &Rc<H>, keys: &Rc<KeyRing>) -> Self {
        Self {
            host: Rc::clone(host),
            keys: Some(Rc::clone(keys)),
        }
    }
}

impl<H> Clone for WithKeys<H> {
    /// Another handle of the same host.
    fn clone(&self) -> Self {
        Self {
            host: Rc::clone(&self.host),
            keys: self.keys.clone(),
        }
    }
}

impl<H> std::fmt::Debug for WithKeys<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WithKeys").finish_non_exhaustive()
    }
}

impl<H: Host> Host for WithKeys<H> {
    fn now(&self) -> Millis {
        self.host.now()
    }

    fn random(&self, bytes: &mut [u8]) {
        self.host.random(bytes);
    }

    async fn pause(&self) {
        self.host.pause().await;
    }

    async fn sleep(&self, ms: u32) {
        self.host.sleep(ms).await;
    }

    async fn send(&self, mut request: HttpRequest) -> Result<HttpResponse, NoAnswer> {
        let Some(keys) = &self.keys else {
            return self.host.send(request).await;
        };
        request
            .headers
            .push((KEY_HEADER, keys.header(&request.makers)));
        let answer = self.host.send(request).await;
        if let Ok(answer) = &answer {
            keys.answered(answer);
        }
        answer
    }

    async fn keep(&self, name: &str, write: impl FnOnce(&mut dyn FnMut(&[u8]))) {
        self.host.keep(name, write).await;
    }

    async fn recall(&self, name: &str) -> Option<Vec<u8>> {
        self.host.recall(name).await
    }
}
