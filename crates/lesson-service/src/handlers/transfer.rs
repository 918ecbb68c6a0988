//! Import and export.

use crate::handlers::tools::server_name;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::bounds;
use crate::http::context::RequestContext;
use crate::http::fault::clip;
use crate::http::validate::{self, filled, too_large};
use crate::state::plan::Plan;
use crate::state::service_struct::Service;
use crate::state::snapshot::State;
use lesson_core::{
    Changes, EventKind, FoldError, Folded, Lesson, Millis, Policy, SALT_SETTING, Space, ToolPolicy,
    Trust, tool_query_hash,
};
use lesson_formats::{
    Format, LEDGER_HEADER, Parsed, ParsedEvent, ParsedLesson, ParsedTool, Problem, agents_md,
    ledger_line, parse_all, to_csv, to_markdown, to_skills,
};
use lesson_screen::{hides_secret, redacted, screen_named, speaks};
use lesson_sync::Store;
use lesson_types::{
    ApiError, ExportFiles, ExportFormat, ExportQuery, Import, ImportFile, ImportFormat, Imported,
    ImportedLesson, Rejected, limits,
};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

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
        Answer::json(&imported)
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
                // What can't be stored now is not in the ledger yet; the rest is worth having.
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

/// The lessons that files for agents are made of: all but those that measuring says hurt.
fn unharmful(state: &State) -> Vec<&Lesson> {
    let lessons = state.space.lessons();
    if state.space.setting(SALT_SETTING).is_none() {
        return lessons.collect();
    }
    state.with_effects(|effects| {
        lessons
            .filter(|lesson| !effects.of(&lesson.slug).hurts)
            .collect()
    })
}

/// An import in the making. Every event and lesson is checked against what the ones before it
/// would make of the space, so that the batch can be stored as a whole.
struct Batch<'a> {
    space: Cow<'a, Space>,
    policy: &'a Policy,
    tools: &'a ToolPolicy,
    at: Millis,
    /// When each pair of a request and a tool server of this batch was last known to work.
    worked: BTreeMap<String, Millis>,
    plan: Plan,
    imported: Imported,
    /// Whether the space is a server's, which alone knows what is in the ledger already.
    linked: bool,
}

impl<'a> Batch<'a> {
    fn new(space: &'a Space, policy: &'a Policy, tools: &'a ToolPolicy, at: Millis) -> Self {
        Self {
            space: Cow::Borrowed(space),
            policy,
            tools,
            at,
            worked: BTreeMap::new(),
            plan: Plan {
                checked: true,
                ..Plan::default()
            },
            imported: Imported::default(),
            linked: false,
        }
    }

    fn take(&mut self, parsed: &Parsed) {
        self.imported
            .rejected
            .extend(parsed.rejected.iter().map(problem));
        self.imported
            .warnings
            .extend(parsed.warnings.iter().map(problem));
        self.imported.unchanged += parsed.unchanged;
        if self.linked {
            let files: BTreeSet<&str> = parsed.events.iter().map(|event| &*event.path).collect();
            for path in files {
                self.reject(
                    path,
                    None,
                    "linked",
                    "a whole ledger can't be imported while a server is connected; import it before connecting, or import its lessons as markdown".to_owned(),
                );
            }
        } else {
            for event in &parsed.events {
                self.event(event);
            }
        }
        for lesson in &parsed.lessons {
            self.lesson(lesson);
        }
        self.tool_records(&parsed.tools);
    }

    fn done(mut self) -> (Plan, Imported) {
        // Later events of a ledger may have edited or archived what earlier ones added.
        for lesson in &mut self.imported.lessons {
            if let Some(held) = self.space.lesson(&lesson.slug) {
                lesson.rev = lesson.rev.max(held.rev);
                lesson.archived |= held.archived;
            }
        }
        (self.plan, self.imported)
    }

    fn note(&mut self, slug: &str, rev: u32, added: bool, archived: bool) {
        self.imported.lessons.push(ImportedLesson {
            slug: slug.to_owned(),
            rev,
            added,
            archived,
        });
    }

    /// Takes an event of another ledger as it is.
    fn event(&mut self, parsed: &ParsedEvent) {
        let event = &parsed.event;
        let added = match &event.event {
            EventKind::LessonAdded { lesson } => Some(&**lesson),
            _ => None,
        };
        if self.space.has_seen(&event.op_id) {
            self.imported.unchanged += u32::from(added.is_some());
            return;
        }
        if let Err(error) = bounds::event(event) {
            self.reject(
                &parsed.path,
                Some(parsed.line),
                "out_of_bounds",
                error.message,
            );
            return;
        }
        match self.space.to_mut().fold(event, self.policy) {
            Ok(Folded::Duplicate) => {}
            Ok(Folded::Applied) => {
                self.plan.foreign.push(event.clone());
                match added {
                    Some(lesson) => {
                        self.imported.added += 1;
                        self.note(&lesson.slug, lesson.rev, true, lesson.archived);
                    }
                    None => self.imported.events += 1,
                }
            }
            Err(FoldError::SlugTaken(slug))
                if added.map(|lesson| &lesson.text)
                    == self.space.lesson(&slug).map(|held| &held.text) =>
            {
                self.imported.unchanged += 1;
            }
            Err(error) => {
                self.reject(
                    &parsed.path,
                    Some(parsed.line),
                    error.code(),
                    error.to_string(),
                );
            }
        }
    }

    /// Takes what is new of the records of tools, at the time that each of them names.
    fn tool_records(&mut self, records: &[ParsedTool]) {
        let mut core: BTreeMap<String, u32> = BTreeMap::new();
        for record in records {
            let bounded = filled("query", &record.query, limits::QUERY)
                .and_then(|()| filled("server", &record.server, limits::WORD))
                .and_then(|()| server_name(record.server.trim()));
            if let Err(error) = bounded {
                self.reject(
                    &record.path,
                    Some(record.line),
                    "out_of_bounds",
                    error.message,
                );
                continue;
            }
            if let Some(why) = speaks(&record.query).or_else(|| speaks(&record.server)) {
                let message = format!("the record {why}; it was left out");
                self.reject(&record.path, Some(record.line), "quarantined", message);
                continue;
            }
            let record = &ParsedTool {
                query: redacted(&record.query).unwrap_or_else(|| record.query.clone()),
                server: redacted(&record.server).unwrap_or_else(|| record.server.clone()),
                ..record.clone()
            };
            if self.tools.is_core(&record.server) {
                *core.entry(record.path.clone()).or_default() += 1;
                continue;
            }
            let hash = tool_query_hash(&record.query, &record.server);
            let held = self.space.tools().find(&record.query, &record.server);
            let known = self
                .worked
                .get(&hash)
                .copied()
                .max(held.map(|held| held.at));
            if known.is_some_and(|known| known >= record.at) {
                self.imported.unchanged += 1;
                continue;
            }
            self.worked.insert(hash, record.at);
            let succeeded = EventKind::ToolSucceeded {
                query: record.query.clone(),
                server: record.server.clone(),
            };
            self.plan.past.push((record.at, succeeded));
            self.imported.events += 1;
        }
        for (path, records) in core {
            self.imported.warnings.push(Rejected {
                path: clip(&path),
                line: None,
                code: "core".to_owned(),
                message: format!(
                    "{records} records of servers that are always at hand were left out"
                ),
            });
        }
    }

    /// Takes a lesson: a new one, or a new text for the one with its slug.
    fn lesson(&mut self, parsed: &ParsedLesson) {
        let (given, slug) = (&parsed.lesson, &parsed.lesson.slug);
        let (screened, source) = screen_named(&given.text, slug, &given.source);
        let mut lesson = Lesson {
            text: screened.text,
            source,
            trust: screened.trust,
            findings: screened.findings,
            ..parsed.lesson.clone()
        };
        if parsed.lesson.trust == Trust::Quarantined {
            lesson.trust = Trust::Quarantined;
        }
        if let Err(error) = bounds::lesson(&lesson) {
            self.reject(&parsed.path, parsed.line, "out_of_bounds", error.message);
            return;
        }
        let findings = lesson.findings.clone();
        let quarantined = lesson.trust == Trust::Quarantined;
        let held = self.space.lesson(&lesson.slug);
        if held.is_some_and(|held| held.text == lesson.text) {
            self.imported.unchanged += 1;
            return;
        }
        if let Err(error) = bounds::size(&lesson.text, held.map(|held| &held.text)) {
            self.reject(&parsed.path, parsed.line, "too_large", error.message);
            return;
        }
        if held.is_none() && hides_secret(&lesson.slug) {
            self.reject(
                &parsed.path,
                parsed.line,
                "secret",
                "the slug holds what looks like a secret; name the lesson by what it says"
                    .to_owned(),
            );
            return;
        }
        let event = match held {
            Some(held) => EventKind::LessonEdited {
                lesson: lesson.slug.clone(),
                base_rev: held.rev,
                changes: Box::new(Changes::between(&held.text, &lesson.text)),
                trust: lesson.trust,
                findings: lesson.findings,
            },
            None => EventKind::LessonAdded {
                lesson: Box::new(lesson),
            },
        };
        let (updates, rev, archived) = match held {
            Some(held) => (true, held.rev.saturating_add(1), held.archived),
            None => (false, 1, parsed.lesson.archived),
        };
        // Each slug comes once, so no lesson of the batch depends on another.
        if let Err((_, error)) =
            self.space
                .check(std::slice::from_ref(&event), "", self.at, self.policy)
        {
            self.reject(&parsed.path, parsed.line, error.code(), error.to_string());
            return;
        }
        self.plan.own.push(event);
        if updates {
            self.imported.updated += 1;
        } else {
            self.imported.added += 1;
        }
        self.note(&parsed.lesson.slug, rev, !updates, archived);
        let code = if quarantined {
            "quarantined"
        } else {
            "screened"
        };
        for finding in findings {
            self.imported.warnings.push(Rejected {
                path: parsed.path.clone(),
                line: parsed.line,
                code: code.to_owned(),
                message: finding,
            });
        }
    }

    fn reject(&mut self, path: &str, line: Option<u32>, code: &str, message: String) {
        self.imported.rejected.push(Rejected {
            path: clip(path),
            line,
            code: code.to_owned(),
            message,
        });
    }
}

/// Files by path and content.
fn files(files: impl Iterator<Item = (String, String)>) -> Result<Answer<ExportFiles>, ApiError> {
    let files = files
        .map(|(path, content)| ImportFile { path, content })
        .collect();
    Answer::json(&ExportFiles { files })
}

fn problem(problem: &Problem) -> Rejected {
    Rejected {
        path: problem.path.clone(),
        line: problem.line,
        code: problem.code.to_owned(),
        message: problem.message.clone(),
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
