//! The issues of the space, as the engine tells them: all of them, or those that stop the loop.

use crate::api::{Client, use_query};
use leptos::prelude::*;
use lesson_types::{Health, HealthIssue, Severity};

/// Codes of the issues that stop the loop: every lesson is out, or places stay empty that were filled before.
const STOPS_THE_LOOP: [&str; 2] = ["all_left_out", "empty_places"];

/// All that is the matter with the space.
#[component]
pub fn Issues() -> impl IntoView {
    of(|_| true)
}

/// The issues that stop the loop, with their remedies; nothing while it goes round.
#[component]
pub fn LoopIssues() -> impl IntoView {
    of(|issue| STOPS_THE_LOOP.contains(&issue.code.as_str()))
}

fn of(wanted: fn(&HealthIssue) -> bool) -> impl IntoView {
    let client = Client::get_from_context();
    let health = use_query(move || {
        let asked = client.get::<Health>("/v1/health");
        async move { asked.await.map(|health| health.issues) }
    });
    let issues = Memo::new(move |_| {
        let issues = health.value().unwrap_or_default();
        issues.into_iter().filter(wanted).collect::<Vec<_>>()
    });
    move || issues.with(|issues| (!issues.is_empty()).then(|| listed(issues)))
}

fn listed(issues: &[HealthIssue]) -> AnyView {
    let issues = issues
        .iter()
        .map(|issue| {
            let class = match issue.severity {
                Severity::Notice => "issue",
                Severity::Warning | Severity::Error => "issue issue-warn",
            };
            view! { <li class=class data-issue=issue.code.clone()><span class="issue-says">{issue.message.clone()}</span>" "<span class="muted">{issue.remedy.clone()}</span></li> }
                .into_any()
        })
        .collect::<Vec<_>>();
    view! { <ul class="panel issues" data-testid="issues" aria-label="What to look at">{issues}</ul> }.into_any()
}
