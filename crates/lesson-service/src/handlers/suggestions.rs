//! Outcomes that sessions suggest: kept beside the ledger until a person says whether they are so.

use crate::handlers::stats::count;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::fault::{clip, of_store};
use crate::http::validate::filled;
use crate::state::service_struct::Service;
use lesson_core::to_rfc3339;
use lesson_sync::{Store, Suggestion};
use lesson_types::{
    ApiError, DecisionOutcome, ErrorCode, Outcome, SettleSuggestion, SuggestedOutcome,
    SuggestionSettled, limits,
};

/// Most suggestions in an answer.
const SHOWN: usize = 100;

impl<S: Store, H: Host> Service<S, H> {
    /// Keeps what a session suggests of its decision's outcome; whether it waits for a person now. What is known of the
    /// decision, or what a person said of an earlier suggestion, stands.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn suggest(
        &self,
        decision_id: String,
        outcome: DecisionOutcome,
        because: String,
    ) -> Result<bool, ApiError> {
        if !outcome.is_final() || !self.awaits_outcome(&decision_id) {
            return Ok(false);
        }
        let held = self.kept_suggestions().await?;
        if held
            .iter()
            .any(|one| one.decision_id == decision_id && one.dismissed)
        {
            return Ok(false);
        }
        let because = lesson_screen::redacted(&because).unwrap_or(because);
        let suggestion = Suggestion {
            decision_id,
            outcome,
            because: because.chars().take(limits::WORD * 4).collect(),
            at: self.host.now(),
            dismissed: false,
        };
        let kept = self.store.keep_suggestion(suggestion).await;
        kept.map_err(|error| of_store(&error))?;
        Ok(true)
    }

    /// The suggestions that wait, the newest first.
    pub(crate) async fn suggested(&self) -> Result<Vec<SuggestedOutcome>, ApiError> {
        let held = self.kept_suggestions().await?;
        let state = self.state.borrow();
        Ok(held
            .into_iter()
            .rev()
            .filter(|one| !one.dismissed)
            .filter_map(|one| {
                let decision = state.space.decision(&one.decision_id)?;
                (!decision.is_final()).then(|| SuggestedOutcome {
                    outcome: one.outcome,
                    because: one.because,
                    at: to_rfc3339(one.at),
                    query: decision.context.query.clone(),
                    lessons: count(decision.records.len()),
                    decision_id: one.decision_id,
                })
            })
            .take(SHOWN)
            .collect())
    }

    pub(crate) async fn settle_suggestion(
        &self,
        context: &RequestContext,
        id: &str,
        asked: SettleSuggestion,
    ) -> Result<Answer<SuggestionSettled>, ApiError> {
        filled("decision_id", id, limits::ID)?;
        let held = self.kept_suggestions().await?;
        let waits = |one: &Suggestion| one.decision_id == id && !one.dismissed;
        let Some(suggestion) = held.into_iter().find(waits) else {
            return Err(ApiError::new(
                ErrorCode::NotFound,
                format!("no outcome is suggested for the decision `{}`", clip(id)),
            )
            .at("decision_id"));
        };
        if !asked.accept {
            let dismissed = Suggestion {
                dismissed: true,
                ..suggestion
            };
            let kept = self.store.keep_suggestion(dismissed).await;
            kept.map_err(|error| of_store(&error))?;
            return Ok(Answer::json(SuggestionSettled {
                decision_id: id.to_owned(),
                outcome: None,
                lessons_updated: 0,
            }));
        }
        let told = Outcome {
            decision_id: id.to_owned(),
            outcome: suggestion.outcome,
            pnl_percent: None,
        };
        self.outcome(context, told).await?;
        let state = self.state.borrow();
        let decision = state.space.decision(id);
        Ok(Answer::json(SuggestionSettled {
            decision_id: id.to_owned(),
            outcome: Some(suggestion.outcome),
            lessons_updated: decision.map_or(0, |held| count(held.records.len())),
        }))
    }

    async fn kept_suggestions(&self) -> Result<Vec<Suggestion>, ApiError> {
        let held = self.store.suggestions().await;
        held.map_err(|error| of_store(&error))
    }

    /// True if there is such a decision, and nobody has told what came of it.
    fn awaits_outcome(&self, decision_id: &str) -> bool {
        let state = self.state.borrow();
        let decision = state.space.decision(decision_id);
        decision.is_some_and(|held| !held.is_final())
    }
}
