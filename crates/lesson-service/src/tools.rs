//! Which tool server worked for which request.

use crate::host::Host;
use crate::service::{Answer, Service};
use crate::validate::{self, filled};
use crate::writer::Plan;
use lesson_api::{
    ApiError, NotRecorded, SuggestTools, SuggestedServer, ToolReason, ToolRecorded, ToolSuccess,
    ToolSuggestions, limits,
};
use lesson_core::{Happening, tool_query_hash};
use lesson_sync::Store;

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) async fn tool_success(&self, success: ToolSuccess) -> Result<Answer, ApiError> {
        filled("query", &success.query, limits::QUERY)?;
        filled("server", &success.server, limits::WORD)?;
        let server = success.server.trim();
        if self
            .policy
            .tools
            .core_servers
            .iter()
            .any(|core| core == server)
        {
            return Answer::json(&ToolRecorded {
                recorded: false,
                reason: Some(NotRecorded::Core),
            });
        }
        let hash = tool_query_hash(&success.query, server);
        let known = self
            .commit(|state, _| {
                let mut records = state.space.tools().records().iter();
                let known = records.any(|record| record.query_hash == hash);
                let succeeded = Happening::ToolSucceeded {
                    query: success.query.clone(),
                    server: server.to_owned(),
                };
                Ok((Plan::one(succeeded), known))
            })
            .await?;
        Answer::json(&ToolRecorded {
            recorded: !known,
            reason: known.then_some(NotRecorded::Duplicate),
        })
    }

    pub(crate) fn tool_suggest(&self, asked: SuggestTools) -> Result<Answer, ApiError> {
        filled("query", &asked.query, limits::QUERY)?;
        let policy = &self.policy.tools;
        let absent = u32::try_from(policy.suggestions).unwrap_or(u32::MAX);
        let limit = validate::limit(asked.limit, absent, limits::LIMIT)?;
        let state = self.state.borrow();
        let book = state.space.tools();
        let suggested = book.suggest(&asked.query, self.host.now(), limit, policy);
        Answer::json(&ToolSuggestions {
            servers: suggested
                .into_iter()
                .map(|suggestion| SuggestedServer {
                    server: suggestion.server,
                    score: suggestion.score,
                    because: suggestion
                        .because
                        .into_iter()
                        .map(|reason| ToolReason {
                            query: reason.query,
                            age_days: reason.age_days,
                            score: reason.score,
                        })
                        .collect(),
                })
                .collect(),
            records: u32::try_from(book.records().len()).unwrap_or(u32::MAX),
        })
    }
}
