//! Records of tool servers that worked for a request.

use crate::handlers::stats::count;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::validate::{self, filled};
use crate::state::plan::Plan;
use crate::state::service_struct::Service;
use lesson_core::{
    EventKind, Millis, ToolPolicy, is_slug, slug_of, to_rfc3339, tool_decay, tool_query_hash,
    tool_weight,
};
use lesson_sync::Store;
use lesson_types::{
    ApiError, Decay, DecayPoint, NotRecorded, SuggestTools, SuggestedServer, ToolRecordView,
    ToolRecorded, ToolRecords, ToolRecordsQuery, ToolSuccess, ToolSuggestions, limits,
};
use serde_json::Value;

/// Records on a page when the request does not say.
const PAGE: u32 = 50;

/// Servers that a recommendation names.
const SERVERS_NAMED: usize = 2;

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) async fn record_tool_success(
        &self,
        context: &RequestContext,
        success: ToolSuccess,
    ) -> Result<Answer<ToolRecorded>, ApiError> {
        filled("query", &success.query, limits::QUERY)?;
        filled("server", &success.server, limits::WORD)?;
        server_name(success.server.trim())?;
        let server = success.server.trim();
        if self.tool_policy(&self.state.borrow().space).is_core(server) {
            return Ok(Answer::json(ToolRecorded {
                recorded: false,
                reason: Some(NotRecorded::Core),
            }));
        }
        let hash = tool_query_hash(&success.query, server);
        let known = self
            .commit(context, |state, _| {
                let mut records = state.space.tools().records().iter();
                let known = records.any(|record| record.query_hash == hash);
                let succeeded = EventKind::ToolSucceeded {
                    query: success.query.clone(),
                    server: server.to_owned(),
                };
                Ok((Plan::one(succeeded), known))
            })
            .await?;
        Ok(Answer::json(ToolRecorded {
            recorded: !known,
            reason: known.then_some(NotRecorded::Duplicate),
        }))
    }

    pub(crate) fn suggest_tools(
        &self,
        _: &RequestContext,
        asked: SuggestTools,
    ) -> Result<Answer<ToolSuggestions>, ApiError> {
        filled("query", &asked.query, limits::QUERY)?;
        let policy = &self.tool_policy(&self.state.borrow().space);
        let absent = u32::try_from(policy.suggestions).unwrap_or(u32::MAX);
        let limit = validate::limit(asked.limit, absent, limits::LIMIT)?;
        let state = self.state.borrow();
        let book = state.space.tools();
        let suggested = book.suggest(&asked.query, self.host.now(), limit, policy);
        Ok(Answer::json(ToolSuggestions {
            servers: suggested
                .into_iter()
                .map(|suggestion| SuggestedServer {
                    server: suggestion.server,
                    score: suggestion.score,
                    because: suggestion.because,
                })
                .collect(),
            records: count(book.records().len()),
            decay: decay(policy),
        }))
    }

    /// The servers that worked for requests like this, best first; `None` where none is known.
    pub(crate) fn servers_for(&self, query: Option<&str>, at: Millis) -> Option<Vec<String>> {
        let query = query.filter(|query| !query.trim().is_empty())?;
        let state = self.state.borrow();
        let policy = &self.tool_policy(&state.space);
        let book = state.space.tools();
        let suggested = book.suggest(query, at, SERVERS_NAMED, policy);
        let servers: Vec<String> = suggested.into_iter().map(|one| one.server).collect();
        (!servers.is_empty()).then_some(servers)
    }

    pub(crate) fn tool_records(
        &self,
        _: &RequestContext,
        asked: &ToolRecordsQuery,
        body: &Value,
    ) -> Result<Answer<ToolRecords>, ApiError> {
        validate::no_body(body)?;
        validate::optional("q", asked.q.as_ref(), limits::QUERY)?;
        let limit = validate::limit(asked.limit, PAGE, limits::PAGE)?;
        let words = asked.q.as_deref().unwrap_or_default().trim().to_lowercase();
        let policy = &self.tool_policy(&self.state.borrow().space);
        let now = self.host.now();
        let state = self.state.borrow();
        let mut fitting: Vec<_> = state
            .space
            .tools()
            .records()
            .iter()
            .filter(|record| {
                [&record.query, &record.server]
                    .iter()
                    .any(|text| text.to_lowercase().contains(&words))
            })
            .collect();
        fitting.sort_by(|a, b| (b.at, &a.query_hash).cmp(&(a.at, &b.query_hash)));
        let offset = asked.offset.unwrap_or(0) as usize;
        Ok(Answer::json(ToolRecords {
            records: fitting
                .iter()
                .skip(offset)
                .take(limit)
                .map(|record| {
                    let (age_days, weight) = tool_weight(now, record.at, policy);
                    ToolRecordView {
                        query: record.query.clone(),
                        server: record.server.clone(),
                        at: to_rfc3339(record.at),
                        age_days,
                        weight,
                    }
                })
                .collect(),
            total: count(fitting.len()),
            decay: decay(policy),
        }))
    }
}

/// A name that other agents are given: a slug, in which no sentence fits, but as servers are named in clients' files,
/// with capitals and `_`, such as `Project_Memory`.
pub(crate) fn server_name(server: &str) -> Result<(), ApiError> {
    if is_slug(&server.to_ascii_lowercase().replace('_', "-")) {
        return Ok(());
    }
    let name = slug_of(server);
    let better = if name.is_empty() {
        "such as `github`".to_owned()
    } else {
        format!("such as `{name}`")
    };
    Err(ApiError::invalid(
        "server",
        format!("server is not a name of letters, digits and single `-` or `_`, {better}"),
    ))
}

fn decay(policy: &ToolPolicy) -> Decay {
    Decay {
        half_life_days: policy.half_life_days,
        points: tool_decay(policy)
            .into_iter()
            .map(|(age_days, weight)| DecayPoint { age_days, weight })
            .collect(),
    }
}
