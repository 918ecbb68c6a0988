//! The runs that fit the filters as a file: a row each for a spreadsheet, or a line each of what the interface answers.

use super::feed::Feed;
use super::sorting::duration;
use super::words::situation;
use crate::api::Asking;
use crate::components::{csv_cell, use_toasts};
use crate::dom;
use crate::format;
use crate::who;
use leptos::prelude::*;
use lesson_types::{DecisionOutcome, DecisionView};

/// The columns of a spreadsheet.
const COLUMNS: [&str; 17] = [
    "run",
    "when",
    "by",
    "agent",
    "task",
    "domain",
    "project_type",
    "tech_stack",
    "phase",
    "lessons",
    "applied",
    "outcome",
    "pnl_percent",
    "control",
    "duration_seconds",
    "tokens",
    "learned",
];

/// The formats that runs are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum As {
    Csv,
    Jsonl,
}

impl As {
    fn name(self) -> &'static str {
        match self {
            Self::Csv => "runs.csv",
            Self::Jsonl => "runs.jsonl",
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Self::Csv => "text/csv",
            Self::Jsonl => "application/x-ndjson",
        }
    }

    fn head(self) -> String {
        match self {
            Self::Csv => line(COLUMNS.map(str::to_owned)),
            Self::Jsonl => String::new(),
        }
    }

    fn of(self, run: &DecisionView) -> String {
        match self {
            Self::Csv => row(run),
            Self::Jsonl => {
                serde_json::to_string(run).map_or_else(|_| String::new(), |text| text + "\n")
            }
        }
    }
}

fn line(cells: [String; COLUMNS.len()]) -> String {
    cells.map(|cell| csv_cell(&cell)).join(",") + "\r\n"
}

fn row(run: &DecisionView) -> String {
    let word = |word: &Option<String>| word.clone().unwrap_or_default();
    let slugs = |applied: bool| {
        let lessons = run.lessons.iter().filter(|one| one.applied || !applied);
        lessons
            .map(|one| one.slug.as_str())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let learned: Vec<&str> = run.learned.iter().map(|one| one.slug.as_str()).collect();
    let outcome = run.outcome.unwrap_or(DecisionOutcome::Pending);
    let control = run.measured.as_ref().is_some_and(|held| held.control);
    line([
        run.id.clone(),
        word(&run.at),
        run.by.clone(),
        who::name(&run.by, None).unwrap_or_default(),
        situation(
            run.query.as_deref(),
            [&run.domain, &run.project_type, &run.phase],
            &run.tech_stack,
        ),
        word(&run.domain),
        word(&run.project_type),
        run.tech_stack.join(", "),
        word(&run.phase),
        slugs(false),
        slugs(true),
        outcome.as_str().to_owned(),
        run.pnl_percent
            .map_or_else(String::new, |percent| format::trim(percent, 4)),
        control.to_string(),
        duration(run).map_or_else(String::new, |span| format::trim(span / 1_000.0, 3)),
        run.tokens
            .map_or_else(String::new, |tokens| tokens.to_string()),
        learned.join(" "),
    ])
}

/// The buttons. What is written down are all runs that fit the filters, not only those on show.
#[component]
pub fn ExportRuns(feed: Feed) -> impl IntoView {
    let toasts = use_toasts();
    let asking = Asking::default();
    let busy = asking.busy;
    let save = move |how: As| {
        let read = async move {
            let mut text = how.head();
            // An act is within the page, from where names of agents are found.
            let read = feed
                .each_page(|runs| runs.iter().for_each(|run| text += &how.of(run)))
                .await;
            read.map(|read| (read.count, text))
        };
        asking.settle(read, move |read| match read {
            Ok((count, text)) => {
                dom::download_text(how.name(), how.kind(), &text);
                let runs = format::plural(count, "run", "runs");
                toasts.good(format!("{runs} exported"));
            }
            Err(error) => toasts.bad(format!("Nothing was exported: {}", error.message)),
        });
    };
    view! {
        <span class="run-export" role="group" aria-label="Export the runs that fit">
            <button type="button" class="plain" disabled=busy data-testid="runs-csv" on:click=move |_| save(As::Csv)>"CSV"</button>
            <button type="button" class="plain" disabled=busy data-testid="runs-jsonl" on:click=move |_| save(As::Jsonl)>"JSONL"</button>
        </span>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn run() -> DecisionView {
        serde_json::from_value(serde_json::json!({
            "id": "d-1", "title": "Say hi", "by": "agent:ci", "at": "2026-11-22T08:30:00.000Z", "query": "Say \"hi\", then =go",
            "domain": "perps", "project_type": null, "tech_stack": ["rust", "sql"], "phase": null,
            "lessons": [
                {"slug": "a", "title": "A", "relevance": 1.0, "applied": true, "match_type": "explicit", "confidence": 0.9, "quote": null, "counted": true, "was_presented": true, "contributed_to_success": true},
                {"slug": "b", "title": "B", "relevance": 0.5, "applied": false, "match_type": "none", "confidence": 0.0, "quote": null, "counted": false, "was_presented": true, "contributed_to_success": false}
            ],
            "tokens": 70, "learned": [{"slug": "c", "title": "C"}],
            "measured": null, "outcome": "success", "pnl_percent": 3.5, "outcome_by": "", "outcome_at": null,
            "feedback": [], "opinions": []
        }))
        .expect("a run as the interface answers it")
    }

    #[test]
    fn a_run_is_a_row_for_a_spreadsheet() {
        assert_eq!(
            row(&run()),
            "d-1,2026-11-22T08:30:00.000Z,agent:ci,agent ci,\"Say \"\"hi\"\", then =go\",perps,,\"rust, sql\",,a b,a,success,3.5,false,,70,c\r\n"
        );
    }

    #[test]
    fn a_run_is_a_line_that_reads_back() {
        let text = As::Jsonl.of(&run());
        assert!(text.ends_with('\n'));
        let read: DecisionView = serde_json::from_str(&text).expect("JSON");
        assert_eq!(read, run());
    }
}
