//! Importing: choose or drop, read and send in batches, with progress and a way to stop.

use super::import_log::ImportLog;
use super::intake::{self, Given};
use super::report::{Report, ReportView};
use super::samples::{self, load_samples, told};
use super::undo::Imports;
use crate::api::{Asking, Client, object, read};
use crate::components::{OnServerNote, use_toasts};
use crate::format;
use crate::sync::Syncing;
use js_sys::Array;
use leptos::html::Input;
use leptos::prelude::*;
use leptos_use_event_listener::use_event_listener;
use lesson_types::{ApiError, Imported, Method};
use wasm_bindgen::JsValue;
use web_sys::{DragEvent, HtmlInputElement};

/// Files in one request.
const BATCH_FILES: u32 = 200;
/// Bytes in one request; a larger file goes alone.
const BATCH_BYTES: f64 = 4_000_000.0;

/// The progress of an import, in files.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Progress {
    done: usize,
    total: usize,
}

/// The state that the steps of an import share.
#[derive(Clone, Copy)]
struct Run {
    client: Client,
    dry_run: RwSignal<bool>,
    progress: RwSignal<Option<Progress>>,
    stop: RwSignal<bool>,
    report: RwSignal<Option<Report>>,
    log: ImportLog,
}

/// The import card.
#[component]
pub fn ImportCard() -> impl IntoView {
    let toasts = use_toasts();
    let run = Run {
        client: Client::get_from_context(),
        dry_run: RwSignal::new(false),
        progress: RwSignal::new(None),
        stop: RwSignal::new(false),
        report: RwSignal::new(None),
        log: ImportLog::provide(),
    };
    let asking = Asking::default();
    let busy = asking.busy;
    let over = RwSignal::new(false);
    let on_server = Syncing::get_from_context().on_server();
    let folder = NodeRef::<Input>::new();
    Effect::new(move |_| {
        if let Some(folder) = folder.get() {
            // No attribute that Leptos knows.
            let _ = folder.set_attribute("webkitdirectory", "");
        }
    });
    let choose = move |input: HtmlInputElement| {
        let files = input
            .files()
            .map(|list| intake::chosen(&list))
            .unwrap_or_default();
        // The same files may be chosen again.
        input.set_value("");
        asking.settle(run.take(files), drop);
    };
    let drop = move |event: DragEvent| {
        event.prevent_default();
        over.set(false);
        let (entries, files) = event
            .data_transfer()
            .map(|transfer| intake::dropped(&transfer))
            .unwrap_or_default();
        if !busy.get_untracked() && !on_server.get_untracked() {
            let taken = async move { run.take(intake::expand(entries, files).await).await };
            asking.settle(taken, drop);
        }
    };
    // Anywhere on the page: beside the box the browser would leave the page for the file.
    let _ = use_event_listener(window(), leptos::ev::dragover, move |event: DragEvent| {
        if brings_files(&event) {
            event.prevent_default();
            over.set(true);
        }
    });
    let _ = use_event_listener(window(), leptos::ev::dragleave, move |event: DragEvent| {
        // Only leaving the window names nothing that it goes to.
        if event.related_target().is_none() {
            over.set(false);
        }
    });
    let _ = use_event_listener(window(), leptos::ev::drop, move |event: DragEvent| {
        if brings_files(&event) {
            drop(event);
        }
    });
    let samples = move |_| {
        run.progress.set(Some(Progress::default()));
        run.report.set(None);
        asking.settle(load_samples(run.client), move |loaded| {
            match loaded {
                Ok(done) => {
                    toasts.good(told(&done));
                    run.report.try_set(Some(Report {
                        logged: run.log.note(samples::NAME, &done),
                        done,
                        ..Report::default()
                    }));
                }
                Err(message) => toasts.bad(message),
            }
            run.progress.try_set(None);
        });
    };
    view! {
        <section class="card" id="import" tabindex="-1" data-testid="import">
            <h2>"Import"</h2>
            <Show when=move || on_server.get()>
                <OnServerNote text="you work on this space on the server, and an import is compared with every lesson of it; import in a browser that keeps a copy".to_owned()/>
            </Show>
            <div class=move || if over.get() { "drop over" } else { "drop" } style:display=move || if on_server.get() { "none" } else { "" }>
                <p><b>"Drop files, or a repository's folder, anywhere on this page"</b></p>
                <p class="muted">"Markdown with front matter, JSON, JSONL, CSV, playbooks, reflections, or an export of this dashboard. Of a repository: its notes, and the rules, skills and memories that tools keep in it."</p>
                <div class="actions">
                    <label class="button primary">
                        "Choose files"
                        <input type="file" multiple class="sr-only" data-testid="import-files" disabled=busy
                            on:change:target=move |event| choose(event.target())/>
                    </label>
                    <label class="button">
                        "Choose a folder"
                        <input type="file" multiple class="sr-only" node_ref=folder data-testid="import-folder" disabled=busy
                            on:change:target=move |event| choose(event.target())/>
                    </label>
                    <button type="button" disabled=busy on:click=samples data-testid="load-samples">"Load sample lessons"</button>
                </div>
                <label class="check">
                    <input type="checkbox" prop:checked=run.dry_run on:change:target=move |event| run.dry_run.set(event.target().checked()) data-testid="dry-run"/>
                    <span>"Dry run: only show what would happen"</span>
                </label>
            </div>
            {move || run.progress.get().map(|progress| view! {
                <div class="progress" data-testid="import-progress">
                    <label for="import-bar">
                        {if progress.total == 0 { "Importing…".to_owned() } else { format!("{} of {} files", format::count(progress.done as u64), format::count(progress.total as u64)) }}
                    </label>
                    <progress id="import-bar" max=(progress.total > 0).then(|| progress.total.to_string()) value=(progress.total > 0).then(|| progress.done.to_string())></progress>
                    <button type="button" on:click=move |_| run.stop.set(true) disabled=run.stop data-testid="import-cancel">
                        {move || if run.stop.get() { "Stopping…" } else { "Stop" }}
                    </button>
                </div>
            })}
            <div aria-live="polite">
                {move || run.report.get().map(|report| view! { <ReportView report/> })}
            </div>
            <Imports/>
        </section>
    }
}

/// True if a drag is of files; text that is dragged into a field is the field's.
fn brings_files(event: &DragEvent) -> bool {
    let types = event.data_transfer().map(|transfer| transfer.types());
    types.is_some_and(|types| types.includes(&"Files".into(), 0))
}

impl Run {
    async fn take(self, files: Vec<Given>) {
        self.stop.set(false);
        self.progress.set(Some(Progress {
            done: 0,
            total: files.len(),
        }));
        self.report.set(None);
        let dry_run = self.dry_run.get_untracked();
        let mut report = Report {
            dry_run,
            nothing: files.is_empty(),
            ..Report::default()
        };
        let mut batch = Batch::default();
        for (i, file) in files.iter().enumerate() {
            // A page that was left has no signals any more: what was sent stays, the rest is not.
            if self.stop.try_get_untracked() != Some(false) {
                report.stopped_after = Some(i.saturating_sub(batch.files.length() as usize));
                batch = Batch::default();
                break;
            }
            if batch.is_full(file.size()) {
                self.send(std::mem::take(&mut batch), &mut report).await;
                self.progress.try_set(Some(Progress {
                    done: i,
                    total: files.len(),
                }));
            }
            match file.offered() {
                Ok(offered) => batch.push(file, &offered),
                Err(rejected) => report.done.rejected.push(rejected),
            }
            if report.failed.is_some() {
                break;
            }
        }
        if report.failed.is_none() {
            self.send(batch, &mut report).await;
        }
        if !dry_run {
            report.logged = self.log.note(&intake::named(&files), &report.done);
        }
        self.report.try_set(Some(report));
        self.progress.try_set(None);
    }

    async fn send(self, batch: Batch, report: &mut Report) {
        if batch.files.length() == 0 {
            return;
        }
        let request = object(&[("files", &batch.files), ("dry_run", &report.dry_run.into())]);
        let path = "/v1/import".to_owned();
        let asked = self.client.raw(Method::Post, path, request).await;
        match asked.and_then(read) {
            Ok(answer) => add(&mut report.done, answer),
            Err(error) => report.failed = Some(batch.named(error)),
        }
    }
}

/// Files of one request.
#[derive(Default)]
struct Batch {
    files: Array,
    bytes: f64,
    first: String,
    last: String,
}

impl Batch {
    fn is_full(&self, next: f64) -> bool {
        self.files.length() > 0
            && (self.files.length() >= BATCH_FILES || self.bytes + next > BATCH_BYTES)
    }

    fn push(&mut self, file: &Given, offered: &JsValue) {
        if self.files.length() == 0 {
            self.first.clone_from(&file.path);
        }
        self.last.clone_from(&file.path);
        self.bytes += file.size();
        self.files.push(offered);
    }

    /// A request that failed as a whole names the files that it held.
    fn named(&self, mut error: ApiError) -> ApiError {
        let which = if self.files.length() == 1 {
            format!("“{}”", self.first)
        } else {
            format!("“{}” to “{}”", self.first, self.last)
        };
        error.message = format!(
            "{} This stopped the import at {which}; what came before is kept.",
            error.message
        );
        error
    }
}

fn add(sum: &mut Imported, part: Imported) {
    sum.added += part.added;
    sum.updated += part.updated;
    sum.proposed += part.proposed;
    sum.unchanged += part.unchanged;
    sum.events += part.events;
    for (format, count) in part.formats {
        *sum.formats.entry(format).or_default() += count;
    }
    sum.rejected.extend(part.rejected);
    sum.warnings.extend(part.warnings);
    sum.lessons.extend(part.lessons);
}
