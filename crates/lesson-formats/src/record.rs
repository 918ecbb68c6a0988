//! One lesson out of the fields of one record, whatever file it stood in.

use super::extra;
use super::fields::{FieldError, Fields, tidy};
use super::fit::fit;
use super::limits::out_of_bounds;
use super::node::{Node, Value, shown};
use super::sink::Sink;
use super::split::split;
use super::standing::standing;
use super::words;
use lesson_core::Millis;
use lesson_core::{Category, Kind, Trust};
use lesson_core::{Lesson, Text, is_slug, slug_of};
use lesson_types::limits::{EXTRA, EXTRA_FIELDS, LESSON_BYTES, WORD};

/// Where a record stood, and what to take when it does not say.
pub(super) struct Place<'a> {
    pub line: Option<u32>,
    /// Text that tells it from another lesson of its slug in the same file.
    pub apart: Option<&'a str>,
    /// Taken as the slug when no field names one.
    pub slug: Option<&'a str>,
    /// Taken as the source when no field names one.
    pub source: &'a str,
    pub now: Millis,
}

impl<'a> Place<'a> {
    /// A place that names nothing but its line and its format.
    pub fn at(line: u32, source: &'a str, now: Millis) -> Self {
        Self {
            line: Some(line),
            slug: None,
            apart: None,
            source,
            now,
        }
    }
}

/// Names of a context, the first one first.
pub(super) const CONTEXT: &[&str] = &["context", "situation", "when", "trigger", "applies_when"];
/// Names of a recommendation, the first one first.
pub(super) const RECOMMENDATION: &[&str] = &[
    "recommendation",
    "lesson",
    "content",
    "body",
    "text",
    "advice",
    "action",
    "solution",
    "insight",
];

/// Derived when a lesson is read, so never taken from a file.
const DERIVED: &[&str] = &[
    "badge",
    "effectiveness_score",
    "success_rate",
    "causal_adjusted",
    "effective_confidence",
    "qualification",
    "content_hash",
];

/// Makes a lesson of the fields and hands it to `sink`, or the reason why not.
pub(super) fn take(fields: Fields, place: &Place<'_>, sink: &mut Sink<'_>) {
    let mut read = Read {
        fields,
        notes: Vec::new(),
        kept: Vec::new(),
    };
    let parts = lesson(&mut read, place).and_then(|lesson| {
        // Texts that people wrote for other tools know no bounds of ours.
        let parts = match read.fields.is_lenient() {
            true => split(lesson, &mut read.notes),
            false => vec![lesson],
        };
        match parts.iter().find_map(out_of_bounds) {
            Some(message) => Err(FieldError {
                line: place.line.unwrap_or(0),
                code: "too_long",
                message,
            }),
            None => Ok(parts),
        }
    });
    match parts {
        Ok(parts) => {
            let slug = parts
                .first()
                .map_or_else(String::new, |part| part.slug.clone());
            for (code, message) in read.notes {
                sink.warn(place.line, code, format!("`{slug}`: {message}"));
            }
            for fault in read.fields.faults() {
                let line = Some(fault.line).filter(|line| *line > 0);
                let message = format!("`{slug}`: {}; it was left out", fault.message);
                sink.warn(line, fault.code, message);
            }
            sink.unknown(place.line, read.kept);
            if let [first, others @ ..] = parts.as_slice()
                && !others.is_empty()
            {
                let names: Vec<&str> = others.iter().map(|part| part.slug.as_str()).collect();
                let message = format!(
                    "`{}` is longer than the {LESSON_BYTES} bytes that a lesson may have, and became {} lessons, cut between its sections; the others are {}",
                    first.slug,
                    parts.len(),
                    names.join(", ")
                );
                sink.warn(place.line, "split", message);
            }
            for part in parts {
                sink.lesson(place.line, part, place.apart);
            }
        }
        Err(error) => {
            let line = Some(error.line).filter(|line| *line > 0);
            sink.reject(line, error.code, error.message);
        }
    }
}

type Note = (&'static str, String);

/// A record while it is read.
struct Read {
    fields: Fields,
    notes: Vec<Note>,
    /// Names of fields that lessons lack, which are kept beside them.
    kept: Vec<String>,
}

fn lesson(read: &mut Read, place: &Place<'_>) -> Result<Lesson, FieldError> {
    let Read {
        fields,
        notes,
        kept,
    } = read;
    let line = place.line.unwrap_or(0);
    let refused = |code, message: String| FieldError {
        line,
        code,
        message,
    };
    let keywords = keywords(fields)?;
    let named = fields.text(&["slug", "reference_name", "reference", "ref"])?;
    let mut title = fields.text(&["title", "headline"])?;
    let mut named = named;
    let name = fields.text(&["name"])?;
    let nickname = name
        .clone()
        .filter(|name| title.is_some() || is_slug(name.trim()));
    if title.is_none() {
        // A name in words is a title as well.
        title = name.clone().filter(|name| !is_slug(name.trim()));
    }
    if named.is_none() && place.slug.is_none() {
        named = match name {
            Some(name) => Some(name),
            None => fields.text(&["id", "key"])?,
        };
    }
    let (category, category_word) = category(fields, notes)?;
    let kind = kind(fields)?;
    let mut text = Text {
        title: title.unwrap_or_default(),
        description: fields
            .text(&["description", "summary", "problem"])?
            .unwrap_or_default(),
        context: fields.text(CONTEXT)?.unwrap_or_default(),
        recommendation: fields.text(RECOMMENDATION)?.unwrap_or_default(),
        category,
        domain: fields.text(&["domain"])?.unwrap_or_default(),
        project_types: tidy(fields.words(&["project_types", "project_type"])?),
        tech_stacks: tidy(fields.words(&["tech_stacks", "tech_stack", "technologies", "stack"])?),
        tags: Vec::new(),
        extra: String::new(),
    };
    let mut tags = keywords;
    tags.extend(fields.words(&["tags", "keywords", "labels"])?);
    tags.extend(category_word);
    if fields.is_lenient() {
        tags = tags.iter().map(|tag| hashless(tag)).collect();
    }
    text.tags = tidy(tags);
    if fields.is_lenient() {
        fit(&mut text, notes);
    }

    let slug = slug(named.as_deref(), place.slug, &text.title, kind)
        .ok_or_else(|| {
            // A program's settings, as a rule.
            if says_nothing(&text) {
                refused("not_a_lesson", "it has none of a lesson's fields, such as a title or a recommendation; remove it from the import".to_owned())
            } else {
                refused("slug", "no name can be made: give it a slug, a title or a file name with letters a-z or digits".to_owned())
            }
        })?;
    if text.title.trim().is_empty() {
        if says_nothing(&text) {
            return Err(refused(
                "empty",
                format!("`{slug}` says nothing; give it a title or a recommendation"),
            ));
        }
        text.title = title_of(&text, &slug);
    }
    let mut lesson = Lesson::new(slug, text, place.source, place.now);
    lesson.standing = standing(fields, line)?;
    life(fields, &mut lesson, place.now, notes)?;
    fields.drop(DERIVED);
    let mut rest = kept_before(fields);
    // A name that is neither the slug nor a title.
    if let Some(name) = nickname.filter(|name| !lesson.slug.ends_with(&slug_of(name))) {
        rest.push(("name".to_owned(), Node::text(line, name)));
    }
    rest.extend(fields.rest());
    let extra = extra::keep(rest);
    lesson.text.extra = extra.text;
    kept.extend(extra.names.iter().map(|name| shown(name)));
    if !extra.beyond.is_empty() {
        let names: Vec<String> = extra.beyond.iter().map(|name| shown(name)).collect();
        notes.push((
            "extra_too_large",
            format!(
                "fields that lessons lack have room for {EXTRA_FIELDS} of them and {EXTRA} characters of JSON together; these were left out: {}; shorten them, or keep them in a file of their own",
                names.get(..TOLD).unwrap_or(&names).join(", ")
            ),
        ));
    }
    Ok(lesson)
}

/// True if a text has no words but those of its lists.
fn says_nothing(text: &Text) -> bool {
    [
        &text.title,
        &text.description,
        &text.recommendation,
        &text.context,
    ]
    .iter()
    .all(|part| part.trim().is_empty())
}

/// Names of fields without room that are told.
const TOLD: usize = 8;

/// Takes the fields that an export of ours kept in a field of its own: a map, or JSON in a text.
fn kept_before(fields: &mut Fields) -> Vec<(String, Node)> {
    let Some(node) = fields.take(&["extra"]) else {
        return Vec::new();
    };
    match node.value {
        Value::Map(entries) => entries,
        Value::Text(ref text) if text.starts_with('{') => match extra::entries(text) {
            entries if entries.is_empty() => vec![("extra".to_owned(), node)],
            entries => entries,
        },
        _ => vec![("extra".to_owned(), node)],
    }
}

/// `#tag` as `tag`, as it is written in notes; [`super::export`] doubles one that is meant.
fn hashless(tag: &str) -> String {
    let tag = tag.trim();
    tag.strip_prefix('#').unwrap_or(tag).to_owned()
}

/// `match: {keywords: […]}`; what else `match` holds stays.
fn keywords(fields: &mut Fields) -> Result<Vec<String>, FieldError> {
    let Some(node) = fields.take(&["match"]) else {
        return Ok(Vec::new());
    };
    let line = node.line;
    if !matches!(node.value, Value::Map(_)) {
        if fields.is_lenient() {
            fields.push("match", node);
            return Ok(Vec::new());
        }
        return Err(FieldError {
            line,
            code: "invalid_field",
            message: format!(
                "match is {}, but has to hold `keywords: [a, b]`",
                node.kind()
            ),
        });
    }
    let mut inner = Fields::of(node);
    let found = inner.words(&["keywords", "keyword"])?;
    let rest = inner.rest();
    if !rest.is_empty() {
        let value = Value::Map(rest);
        fields.push("match", Node { line, value });
    }
    Ok(found)
}

/// The category, and the foreign word to keep as a tag when it is not one.
fn category(
    fields: &mut Fields,
    notes: &mut Vec<Note>,
) -> Result<(Category, Option<String>), FieldError> {
    let word = fields.text(&["category"])?.unwrap_or_default();
    if word.trim().is_empty() {
        return Ok((Category::default(), None));
    }
    if let Some(category) = words::category(&word) {
        return Ok((category, None));
    }
    notes.push((
        "category",
        format!(
            "category `{}` is taken as workflow, and kept as a tag; categories are {}",
            shown(&word),
            Category::ALL
                .iter()
                .map(|category| category.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        ),
    ));
    Ok((Category::default(), Some(word)))
}

/// The kind that a field names, if it is one.
fn kind(fields: &mut Fields) -> Result<Option<Kind>, FieldError> {
    for name in ["kind", "type", "lesson_type"] {
        let mut probe = fields.clone();
        if let Ok(Some(word)) = probe.text(&[name])
            && let Some(kind) = Kind::parse(&word.trim().to_ascii_lowercase())
        {
            *fields = probe;
            return Ok(Some(kind));
        }
    }
    Ok(None)
}

fn slug(
    named: Option<&str>,
    hint: Option<&str>,
    title: &str,
    kind: Option<Kind>,
) -> Option<String> {
    let clean = |name: &str| {
        let name = name.trim();
        let slug = if is_slug(name) {
            name.to_owned()
        } else {
            slug_of(name)
        };
        // A bare number, such as a row's id, names nothing.
        (!slug.is_empty() && !slug.bytes().all(|b| b.is_ascii_digit())).then_some(slug)
    };
    let numbered = named.map(slug_of).filter(|slug| !slug.is_empty());
    let slug = named
        .and_then(clean)
        .or_else(|| hint.and_then(clean))
        .or_else(|| clean(title))
        .or_else(|| numbered.map(|number| format!("lesson-{number}")))
        .or_else(|| {
            [named, hint, Some(title)]
                .into_iter()
                .flatten()
                .find(|name| !name.trim().is_empty())
                .map(unlettered)
        })?;
    Some(match kind {
        Some(kind) if kind != Kind::of_slug(&slug) && slug.len() + 10 <= 128 => {
            format!("{}-{slug}", kind.as_str())
        }
        _ => slug,
    })
}

/// A slug for a name without Latin letters: the same for the same name.
fn unlettered(name: &str) -> String {
    const DIGITS: usize = 8;
    let text = Text {
        title: name.trim().to_owned(),
        ..Text::default()
    };
    let hash = text.content_hash();
    format!("lesson-{}", hash.get(..DIGITS).unwrap_or(&hash))
}

/// A title for a lesson without one: its first sentence, else its slug in words.
fn title_of(text: &Text, slug: &str) -> String {
    let source = [&text.description, &text.recommendation, &text.context]
        .into_iter()
        .find_map(|part| part.lines().map(str::trim).find(|line| !line.is_empty()))
        .unwrap_or_default()
        .trim_start_matches(['#', '-', '*', ' ']);
    let sentence = sentence(source);
    if sentence.is_empty() {
        let mut words = slug.replace('-', " ");
        if let Some(first) = words.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        return words;
    }
    sentence
}

/// The first sentence of a text, at most about 100 characters.
pub(super) fn sentence(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let mut end = line.len();
    for (at, c) in line.char_indices() {
        let rest = &line[at + c.len_utf8()..];
        // A mark within a word, as in `v1.2` or `a.rs`, ends nothing.
        if matches!(c, '.' | '!' | '?' | ';')
            && (rest.is_empty() || rest.starts_with(char::is_whitespace))
        {
            end = at + c.len_utf8();
            break;
        }
    }
    let sentence = line[..end].trim_end_matches(['.', ';']).trim();
    const MOST: usize = 100;
    if sentence.chars().nth(MOST).is_none() {
        return sentence.to_owned();
    }
    let cut: String = sentence.chars().take(MOST).collect();
    let cut = cut.rsplit_once(' ').map_or(cut.as_str(), |(head, _)| head);
    format!("{}…", cut.trim_end())
}

fn life(
    fields: &mut Fields,
    lesson: &mut Lesson,
    now: Millis,
    notes: &mut Vec<Note>,
) -> Result<(), FieldError> {
    if let Some(source) = fields.text(&["source", "author", "origin", "created_by"])? {
        if fields.is_lenient() && source.chars().count() > WORD {
            // More than a name: a sentence, or many addresses.
            notes.push((
                "too_long",
                format!("source was longer than {WORD} characters, and is kept as `source_text`"),
            ));
            fields.set("source_text", Node::text(0, source));
        } else {
            lesson.source = source;
        }
    }
    // The event that adds it here says who did.
    fields.text(&["by"])?;
    let created = fields.time(&["created_at", "created", "timestamp", "date"])?;
    let updated = fields.time(&["updated_at", "updated", "modified_at"])?;
    lesson.created_at = created.or(updated).unwrap_or(now);
    lesson.updated_at = updated.unwrap_or(lesson.created_at);
    lesson.rev = fields.count(&["rev"], 1)?.max(1);
    let archived = fields.flag(&["archived"])?;
    let status = fields.text(&["status"])?.unwrap_or_default();
    let retired = words::archived(&status);
    if retired.is_none() {
        notes.push((
            "status",
            format!("status `{}` is not known; taken as active", shown(&status)),
        ));
    }
    lesson.archived = archived.or(retired).unwrap_or(false);
    lesson.merged_into = fields
        .text(&["merged_into"])?
        .filter(|into| lesson.archived && is_slug(into) && *into != lesson.slug);
    let findings = fields.words(&["findings"])?;
    match fields.text(&["trust"])?.as_deref().map(Trust::parse) {
        Some(Some(Trust::Quarantined)) => {
            lesson.trust = Trust::Quarantined;
            lesson.findings = findings;
        }
        Some(Some(Trust::Approved)) => notes.push((
            "trust",
            "an approval isn't taken from a file; review the lesson here".to_owned(),
        )),
        _ => {}
    }
    Ok(())
}
