//! A host that signs a space's requests to the server with a token of the edge.

use crate::token::Tokens;
use lesson_core::Millis;
use lesson_service::Host;
use lesson_sync::{HttpRequest, HttpResponse, NoAnswer};
use std::rc::Rc;

/// A host, with or without signing. One type for both, so that the module holds the service's generic code once.
pub struct Signed<H> {
    host: Rc<H>,
    of_space: Option<(Rc<Tokens>, String)>,
}

impl<H> Signed<H> {
    /// A host that signs nothing.
    pub fn not(host: H) -> Self {
        Self {
            host: Rc::new(host),
            of_space: None,
        }
    }

    /// A host that puts this space's token on every request.
    pub(crate) fn by(host: &Rc<H>, tokens: &Rc<Tokens>, space: &str) -> Self {
        Self {
            host: Rc::clone(host),
            of_space: Some((Rc::clone(tokens), space.to_owned())),
        }
    }
}

impl<H> Clone for Signed<H> {
    /// Another handle of the same host.
    fn clone(&self) -> Self {
        Self {
            host: Rc::clone(&self.host),
            of_space: self.of_space.clone(),
        }
    }
}

impl<H> std::fmt::Debug for Signed<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signed").finish_non_exhaustive()
    }
}

impl<H: Host> Host for Signed<H> {
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
        if let Some((tokens, space)) = &self.of_space {
            let token = tokens.for_space(space, self.now());
            for (name, value) in &mut request.headers {
                if *name == "authorization" {
                    *value = format!("Bearer {token}");
                }
            }
        }
        self.host.send(request).await
    }

    async fn keep(&self, name: &str, write: impl FnOnce(&mut dyn FnMut(&[u8]))) {
        self.host.keep(name, write).await;
    }

    async fn recall(&self, name: &str) -> Option<Vec<u8>> {
        self.host.recall(name).await
    }
}
