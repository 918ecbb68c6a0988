//! The host as a space sees it: its requests to the store carry that space's token.

use super::token::Tokens;
use crate::host::Host;
use lesson_core::Millis;
use lesson_sync::{HttpRequest, HttpResponse, NoAnswer};
use std::rc::Rc;

/// A host that signs what a space sends.
pub(super) struct SpaceHost<H> {
    pub host: Rc<H>,
    pub tokens: Rc<Tokens>,
    pub space: String,
}

impl<H: Host> Host for SpaceHost<H> {
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
        let token = self.tokens.for_space(&self.space, self.now());
        for (name, value) in &mut request.headers {
            if *name == "authorization" {
                *value = format!("Bearer {token}");
            }
        }
        self.host.send(request).await
    }
}
