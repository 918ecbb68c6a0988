//! An import in the making: what of it is new, what changes, and what is not taken.

use crate::handlers::ledger_ends::{LedgerEnds, is_put_away, is_untried};
use crate::handlers::tool_import;
use crate::handlers::tools::server_name;
use crate::http::bounds;
use crate::http::fault::clip;
use crate::http::validate::filled;
use crate::state::plan::Plan;
use lesson_core::{
    Changes, EventKind, FoldError, Folded, Lesson, Millis, Policy, Space, ToolPolicy, Trust,
    tool_query_hash,
};
use lesson_formats::{Parsed, ParsedEvent, ParsedLesson, ParsedTool, Problem};
use lesson_screen::{hides_secret, redacted, screen_named, speaks};
use lesson_types::{Imported, ImportedLesson, Rejected, limits};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// An import in the making. Every event and lesson is checked against what the ones before it
/// would make of the space, so that the batch can be stored as a whole.
pub(super) struct Batch<'a> {
    space: Cow<'a, Space>,
    /// The space as it was before.
    before: &'a Space,
    policy: &'a Policy,
    tools: &'a ToolPolicy,
    at: Millis,
    /// When each pair of a request and a tool server of this batch was last known to work.
    worked: BTreeMap<String, Millis>,
    plan: Plan,
    pub(super) imported: Imported,
    /// Set if the space is a server's, which alone knows what is in the ledger already.
    pub(super) linked: bool,
    /// State in which imported ledgers leave their lessons.
    ends: LedgerEnds,
    /// Lessons that are in use again.
    back: Vec<ImportedLesson>,
}

impl<'a> Batch<'a> {
    pub(super) fn new(
        space: &'a Space,
        policy: &'a Policy,
        tools: &'a ToolPolicy,
        at: Millis,
    ) -> Self {
        Self {
            space: Cow::Borrowed(space),
            before: space,
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
            ends: LedgerEnds::default(),
            back: Vec::new(),
        }
    }

    pub(super) fn take(&mut self, parsed: &Parsed) {
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

    pub(super) fn done(mut self) -> (Plan, Imported) {
        // Later events of a ledger may have edited or archived what earlier ones added.
        for lesson in &mut self.imported.lessons {
            if let Some(held) = self.space.lesson(&lesson.slug) {
                lesson.rev = lesson.rev.max(held.rev);
                lesson.archived |= held.archived;
            }
        }
        for slug in std::mem::take(&mut self.ends).in_use() {
            if let Some(held) = self.space.lesson(&slug).filter(|held| is_put_away(held)) {
                let rev = held.rev;
                self.imported.unchanged = self.imported.unchanged.saturating_sub(1);
                self.bring_back(&slug, rev);
            }
        }
        self.imported.lessons.append(&mut self.back);
        (self.plan, self.imported)
    }

    fn note(&mut self, slug: &str, rev: u32, added: bool, archived: bool) {
        self.imported.lessons.push(ImportedLesson {
            slug: slug.to_owned(),
            rev,
            added,
            archived,
            taken_back: None,
        });
    }

    /// Takes an archived lesson into use again: an import that was undone and comes once more brings its lessons back.
    fn bring_back(&mut self, slug: &str, rev: u32) {
        self.plan.own.push(EventKind::LessonRestored {
            lesson: slug.to_owned(),
        });
        self.imported.added += 1;
        self.back.push(ImportedLesson {
            slug: slug.to_owned(),
            rev,
            added: true,
            archived: false,
            taken_back: None,
        });
    }

    /// Counts a lesson that was added or changed by its file's format.
    fn count(&mut self, format: &str) {
        *self.imported.formats.entry(format.to_owned()).or_default() += 1;
    }

    /// Takes an event of another ledger as it is.
    fn event(&mut self, parsed: &ParsedEvent) {
        let event = &parsed.event;
        self.ends.follow(&event.event);
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
        if let Some(slug) = self.changed_approved(&event.event) {
            let message = format!(
                "`{slug}` is approved here, and no ledger from elsewhere changes it: make the change on its page, or import the lesson as markdown to have it proposed"
            );
            self.reject(&parsed.path, Some(parsed.line), "approved", message);
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

    /// The lesson that a person stood behind before the import, and that an event would change: its text, its life, or the verdict.
    fn changed_approved<'e>(&self, event: &'e EventKind) -> Option<&'e str> {
        let slugs: Vec<&str> = match event {
            EventKind::LessonEdited { lesson, .. }
            | EventKind::LessonArchived { lesson }
            | EventKind::LessonRestored { lesson }
            | EventKind::LessonReviewed { lesson, .. } => vec![lesson],
            EventKind::LessonsMerged { into, from } => {
                let from = from.iter().map(String::as_str);
                std::iter::once(into.as_str()).chain(from).collect()
            }
            _ => Vec::new(),
        };
        let is_approved =
            |slug: &&str| self.before.lesson(slug).is_some_and(Lesson::is_vouched_for);
        slugs.into_iter().find(is_approved)
    }

    /// Takes what is new of the records of tools, at the time that each of them names.
    ///
    /// A book has room for so many: of records that it would drop again at once, or that would drop newer ones, none is
    /// taken, so that importing the same file twice changes nothing.
    fn tool_records(&mut self, records: &[ParsedTool]) {
        let mut core: BTreeMap<String, u32> = BTreeMap::new();
        let mut taken: BTreeMap<String, (Millis, EventKind)> = BTreeMap::new();
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
            self.worked.insert(hash.clone(), record.at);
            let succeeded = EventKind::ToolSucceeded {
                query: record.query.clone(),
                server: record.server.clone(),
            };
            taken.insert(hash, (record.at, succeeded));
        }
        let (taken, beyond) = tool_import::newest(self.space.tools(), self.tools, &taken);
        self.imported.unchanged += beyond;
        self.imported.events += u32::try_from(taken.len()).unwrap_or(u32::MAX);
        self.plan.past.extend(taken);
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
        let put_away = held.is_some_and(is_untried) && !lesson.archived;
        if let Some(held) = held.filter(|held| held.text == lesson.text) {
            let rev = held.rev;
            if put_away {
                self.count(parsed.format);
                self.bring_back(&parsed.lesson.slug, rev);
            } else {
                self.imported.unchanged += 1;
            }
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
        let vouched = held.filter(|held| held.is_vouched_for() && !held.archived);
        let proposal = format!("import-{}", &lesson.text.content_hash()[..32]);
        if vouched.is_some_and(|held| held.proposal(&proposal).is_some()) {
            self.imported.unchanged += 1;
            return;
        }
        let event = match held {
            Some(held) if vouched.is_some() => EventKind::ChangeProposed {
                lesson: lesson.slug.clone(),
                proposal,
                base_rev: held.rev,
                changes: Box::new(Changes::between(&held.text, &lesson.text)),
                archive: false,
                trust: lesson.trust,
                findings: lesson.findings,
            },
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
        let is_proposed = vouched.is_some();
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
        self.count(parsed.format);
        if is_proposed {
            self.imported.proposed += 1;
        } else if put_away {
            self.bring_back(&parsed.lesson.slug, rev);
        } else {
            self.imported.updated += u32::from(updates);
            self.imported.added += u32::from(!updates);
            self.note(&parsed.lesson.slug, rev, !updates, archived);
        }
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

fn problem(problem: &Problem) -> Rejected {
    Rejected {
        path: problem.path.clone(),
        line: problem.line,
        code: problem.code.to_owned(),
        message: problem.message.clone(),
    }
}
