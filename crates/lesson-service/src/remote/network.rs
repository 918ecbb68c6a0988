//! The host's network, as syncing sees it.

use crate::host::Host;
use lesson_sync::{Http, HttpRequest, HttpResponse, NoAnswer};

/// The host's network.
pub struct Network<'a, H>(pub &'a H);

impl<H: Host> Http for Network<'_, H> {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, NoAnswer> {
        self.0.send(request).await
    }
}
