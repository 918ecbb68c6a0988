//! The endpoint `/mcp`: one message, or a batch of them.

use crate::agent::Agent;
use crate::edge::Edge;
use crate::limits::BODY_BYTES;
use crate::message::{EdgeAnswer, EdgeRequest};
use crate::request_guard;
use lesson_mcp::{Incoming, Reply};
use lesson_service::{Host, route};
use lesson_sync::Store;

impl<S: Store, H: Host> Edge<S, H> {
    /// Answers what was sent to `/mcp`.
    pub(crate) async fn message(&self, agent: &Agent, request: &EdgeRequest) -> EdgeAnswer {
        if request.body.len() > BODY_BYTES {
            let refused = request_guard::body(request).err();
            return refused.map_or_else(
                || EdgeAnswer::empty(413),
                |refusal| EdgeAnswer::of(refusal.response()),
            );
        }
        let reply = match lesson_mcp::receive(&request.method, &request.headers, &request.body) {
            Incoming::Batch(parts) => {
                // A batch is as many requests as it has messages.
                if let Err(refusal) = self.take_turns(agent, parts.len() - 1) {
                    return EdgeAnswer::of(refusal.response());
                }
                let mut replies = Vec::with_capacity(parts.len());
                for part in parts {
                    replies.push(self.reply(agent, part).await);
                }
                lesson_mcp::together(replies)
            }
            alone => self.reply(agent, alone).await,
        };
        let mut answer = match reply.body {
            Some(body) => EdgeAnswer::json(reply.status, body),
            None => EdgeAnswer::empty(reply.status),
        };
        if reply.status == 405 {
            answer.headers.insert("allow".to_owned(), "POST".to_owned());
        }
        answer
    }

    async fn reply(&self, agent: &Agent, message: Incoming) -> Reply {
        match message {
            Incoming::Answer(reply) => reply,
            Incoming::Call(call) => {
                let route = route(call.request.method, &call.request.path);
                let response = self.serve(agent, route, call.request.clone()).await;
                lesson_mcp::finish(*call, response)
            }
            // A batch holds none.
            Incoming::Batch(_) => lesson_mcp::together(Vec::new()),
        }
    }
}
