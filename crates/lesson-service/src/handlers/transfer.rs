//! Import and export.

use crate::handlers::exported::{files, unharmful};
use crate::handlers::import_batch::Batch;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::validate::{self, filled, too_large};
use crate::state::service_struct::Service;
use crate::state::snapshot::State;
use lesson_core::Millis;
use lesson_formats::{
    Format, LEDGER_HEADER, agents_md, ledger_line, parse_all, to_csv, to_markdown, to_skills,
};
use lesson_sync::Store;
use lesson_types::{
    ApiError, ExportFiles, ExportFormat, ExportQuery, Import, ImportFormat, Imported, Rejected,
    limits,
};
use serde_json::Value;

/// The longest path of an import file, in characters.
const PATH: usize = 1_000;

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) async fn import(
        &self,
        context: &RequestContext,
        asked: Import,
    ) -> Result<Answer<Imported>, ApiError> {
        if asked.files.is_empty() {
            return Err(ApiError::invalid(
                "files",
                "files is empty; send at least one file",
            ));
        }
        if asked.files.len() > limits::FILES {
            return Err(too_large(
                "files",
                format!(
                    "{} files at once; send at most {} in one request",
                    asked.files.len(),
                    limits::FILES
                ),
            ));
        }
        let bytes: usize = asked.files.iter().map(|file| file.content.len()).sum();
        if bytes > limits::IMPORT_BYTES {
            return Err(too_large(
                "files",
                format!(
                    "the files have {bytes} bytes in all; send at most {} in one request",
                    limits::IMPORT_BYTES
                ),
            ));
        }
        let mut files = Vec::with_capacity(asked.files.len());
        let mut oversized = Vec::new();
        for (at, file) in asked.files.into_iter().enumerate() {
            let field = format!("files[{at}].path");
            filled(&field, &file.path, PATH)?;
            if file.content.len() > limits::FILE_BYTES {
                oversized.push(Rejected {
                    code: "too_large".to_owned(),
                    line: None,
                    message: format!(
                        "the file has {} bytes; split it into files of at most {}",
                        file.content.len(),
                        limits::FILE_BYTES
                    ),
                    path: file.path,
                });
            } else {
                files.push((file.path, file.content));
            }
        }
        let format = of_format(asked.format.unwrap_or_default());
        let parsed = parse_all(&files, format, self.host.now());
        drop(files);
        let merge = |state: &State, at: Millis| {
            let mut batch = Batch::new(&state.space, &self.policy, &self.tools, at);
            batch.linked = state.linked.is_some();
            batch.imported.rejected.extend(oversized.iter().cloned());
            batch.take(&parsed);
            batch.done()
        };
        let imported = if asked.dry_run.unwrap_or(false) {
            merge(&self.state.borrow(), self.host.now()).1
        } else {
            self.commit(context, |state, at| Ok(merge(state, at)))
                .await?
        };
        // A ledger may hold the withdrawal of a voice, which is folded from the first event on.
        let refolds = parsed.events.iter().any(|one| one.event.event.refolds());
        if refolds && self.link().is_none() {
            self.read_again().await?;
        }
        Ok(Answer::json(imported))
    }

    pub(crate) async fn export(
        &self,
        _: &RequestContext,
        asked: &ExportQuery,
        body: &Value,
    ) -> Result<Answer<ExportFiles>, ApiError> {
        validate::no_body(body)?;
        match asked.format {
            ExportFormat::Jsonl => {
                // Events that can't be stored now are not in the ledger yet; the rest is worth having.
                let _ = self.flush().await;
                let events = match self.link() {
                    Some(link) => self.whole_ledger(link).await?,
                    None => self.own_events(0).await?,
                };
                let mut text = format!("{LEDGER_HEADER}\n");
                for event in &events {
                    text.push_str(&ledger_line(event));
                    text.push('\n');
                }
                Ok(Answer::text(text, "application/x-ndjson"))
            }
            ExportFormat::Markdown => {
                let state = self.state.borrow();
                files(state.space.lessons().map(to_markdown))
            }
            ExportFormat::Skills => {
                let state = self.state.borrow();
                files(to_skills(unharmful(&state)))
            }
            ExportFormat::AgentsMd => {
                let state = self.state.borrow();
                let text = agents_md(unharmful(&state), &self.policy.rank);
                Ok(Answer::text(text, "text/markdown; charset=utf-8"))
            }
            ExportFormat::Csv => {
                let state = self.state.borrow();
                let text = to_csv(state.space.lessons());
                Ok(Answer::text(text, "text/csv; charset=utf-8"))
            }
        }
    }
}

fn of_format(format: ImportFormat) -> Format {
    match format {
        ImportFormat::Auto => Format::Auto,
        ImportFormat::Markdown => Format::Markdown,
        ImportFormat::Json => Format::Json,
        ImportFormat::Jsonl => Format::Jsonl,
        ImportFormat::Ace => Format::Ace,
        ImportFormat::Reflections => Format::Reflections,
    }
}
