//! The Model Context Protocol over HTTP: one message, or a batch of them, as it was posted.

use crate::local::Local;
use crate::requests::Asker;
use lesson_mcp::{Incoming, Reply};
use lesson_service::Host;
use lesson_sync::Store;
use std::collections::BTreeMap;

impl<S: Store, H: Host> Local<S, H> {
    /// Answers what was posted; `headers` have names in lower case. Agents get what the edge gives them: nothing that is
    /// in quarantine.
    pub async fn message(
        &self,
        method: &str,
        headers: &BTreeMap<String, String>,
        body: &[u8],
    ) -> Reply {
        match lesson_mcp::receive(method, headers, body) {
            Incoming::Batch(parts) => {
                let mut replies = Vec::with_capacity(parts.len());
                for part in parts {
                    replies.push(self.reply(part).await);
                }
                lesson_mcp::together(replies)
            }
            alone => self.reply(alone).await,
        }
    }

    async fn reply(&self, message: Incoming) -> Reply {
        match message {
            Incoming::Answer(reply) => reply,
            Incoming::Call(call) => {
                self.catch_up().await;
                let response = self.answer(Asker::Agent, call.request.clone()).await;
                lesson_mcp::finish(*call, response)
            }
            // A batch holds none.
            Incoming::Batch(_) => lesson_mcp::together(Vec::new()),
        }
    }
}
