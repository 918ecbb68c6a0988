//! The results of an import: counts, what was not taken, what was taken but not as it stood.

use super::undo::Arrived;
use crate::components::ErrorNote;
use crate::format;
use leptos::prelude::*;
use lesson_types::{ApiError, Imported, Rejected};
use std::collections::BTreeMap;

/// Lines listed before the rest is only counted.
const LISTED: usize = 200;

/// The sum over all requests of an import.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// The sum of what the engine took and refused, with what was refused before it.
    pub done: Imported,
    /// True if nothing was stored, as asked.
    pub dry_run: bool,
    /// True if there was no file at all.
    pub nothing: bool,
    /// Number of files that had been sent when it was stopped.
    pub stopped_after: Option<usize>,
    /// Why the rest was not sent.
    pub failed: Option<ApiError>,
    /// The import in the log of imports, if it changed a lesson.
    pub logged: Option<String>,
}

/// Shows it.
#[component]
pub fn ReportView(report: Report) -> impl IntoView {
    if report.nothing {
        return view! { <p class="note" data-testid="import-report">"There was no file in it."</p> }.into_any();
    }
    let done = report.done;
    let head = match (report.dry_run, report.stopped_after) {
        (_, Some(n)) => format!(
            "Stopped after {} files; what came before is kept",
            format::count(n as u64)
        ),
        (true, None) => "Dry run: nothing was stored".to_owned(),
        (false, None) => "Done".to_owned(),
    };
    let formats = named(&done.formats);
    let left = named(&by_code(&done.rejected));
    let counts = [
        ("added", done.added),
        ("updated", done.updated),
        ("proposed", done.proposed),
        ("unchanged", done.unchanged),
        ("events", done.events),
    ];
    let archived = done.lessons.iter().filter(|lesson| lesson.archived).count();
    let archived = u32::try_from(archived).unwrap_or(u32::MAX);
    let archived = (archived > 0).then(|| {
        let come = if report.dry_run {
            "would come in"
        } else {
            "came in"
        };
        format!(
            "{} {come} archived: agents don't get them until you restore them.",
            format::plural(archived, "lesson", "lessons")
        )
    });
    let rejected = u32::try_from(done.rejected.len()).unwrap_or(u32::MAX);
    view! {
        <div class="report" data-testid="import-report">
            <h3>{head}</h3>
            <dl class="counts">
                {counts.map(|(name, n)| view! { <div><dd data-testid=format!("import-{name}")>{format::count(n)}</dd><dt>{name}</dt></div> }).collect_view()}
                <div><dd data-testid="import-rejected">{format::count(rejected)}</dd><dt>"rejected"</dt></div>
            </dl>
            {formats.map(|words| view! { <p class="muted" data-testid="import-formats">{format!("By format: {words}")}</p> })}
            {left.map(|words| view! { <p class="muted" data-testid="import-left">{format!("Left out: {words}")}</p> })}
            {archived.map(|words| view! { <p class="note note-warn" data-testid="import-archived">{words}</p> })}
            {report.failed.map(|error| view! { <ErrorNote error/> })}
            {(!report.dry_run && !done.lessons.is_empty()).then(|| view! { <Arrived lessons=done.lessons id=report.logged/> })}
            <Lines title="Rejected" testid="rejected" list=done.rejected/>
            <Lines title="Imported with changes" testid="warning" list=done.warnings/>
        </div>
    }
    .into_any()
}

/// Counts the refused ones by the code of the reason.
fn by_code(rejected: &[Rejected]) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for one in rejected {
        *counts.entry(one.code.clone()).or_default() += 1;
    }
    counts
}

/// Names with their counts, the most first; `None` where there are none.
fn named(counts: &BTreeMap<String, u32>) -> Option<String> {
    let mut all: Vec<(&String, &u32)> = counts.iter().collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let words: Vec<String> = all
        .into_iter()
        .map(|(name, count)| format!("{} {}", name.replace('_', " "), format::count(*count)))
        .collect();
    (!words.is_empty()).then(|| words.join(", "))
}

#[component]
fn Lines(title: &'static str, testid: &'static str, list: Vec<Rejected>) -> impl IntoView {
    if list.is_empty() {
        return ().into_any();
    }
    let count = list.len();
    let rows = list
        .into_iter()
        .take(LISTED)
        .map(|line| {
            let place = line
                .line
                .map_or_else(|| line.path.clone(), |n| format!("{}:{n}", line.path));
            view! {
                <tr data-testid=testid data-code=line.code.clone()>
                    <th scope="row"><code>{place}</code></th>
                    <td>{line.message}</td>
                </tr>
            }
        })
        .collect_view();
    let rest = count.saturating_sub(LISTED);
    view! {
        <details open>
            <summary>{format!("{title} ({})", format::count(count as u64))}</summary>
            <div class="scroll tall" tabindex="0">
                <table><thead><tr><th scope="col">"File and line"</th><th scope="col">"What to do"</th></tr></thead><tbody>{rows}</tbody></table>
            </div>
            {(rest > 0).then(|| view! { <p class="muted">{format!("and {} more", format::count(rest as u64))}</p> })}
        </details>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn counts_are_named_the_most_first() {
        let rejected = ["too_large", "unknown_format", "too_large"].map(|code| Rejected {
            path: "a.md".to_owned(),
            line: None,
            code: code.to_owned(),
            message: String::new(),
        });
        assert_eq!(
            named(&by_code(&rejected)).as_deref(),
            Some("too large 2, unknown format 1")
        );
        assert_eq!(named(&BTreeMap::new()), None);
    }
}
