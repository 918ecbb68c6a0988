//! The lessons that are searched and the queries: the sample lessons with their labelled queries, or any folder of lessons
//! with what its authors wrote down as ways to ask for them.

use crate::author;
use crate::queries::{self, Kind, Query};
use lesson_core::Lesson;
use lesson_formats::{Format, parse_all};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

// Other clones that share a target folder build their own: the path below is this one's.
const _: Option<&str> = option_env!("LESSONLOOP_ROOT");

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../www/samples/lessons");
const QUERIES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/benches/relevance/queries.jsonl"
);

/// Lessons and queries.
pub struct Corpus {
    /// The files, as they are imported: path and content.
    pub files: Vec<(String, String)>,
    /// The lessons in them, by slug.
    pub lessons: Vec<Lesson>,
    /// The queries, with the lessons that answer each.
    pub queries: Vec<Query>,
}

/// The sample lessons and their labelled queries.
///
/// # Errors
/// When a file can't be read; names it, and the line.
pub fn samples() -> Result<Corpus, String> {
    of_files(markdown(Path::new(SAMPLES))?)
}

/// Lessons in the place of the samples, under their names, with the samples' queries.
///
/// # Errors
/// When one can't be read; names it, and the line.
pub fn of_files(files: Vec<(String, String)>) -> Result<Corpus, String> {
    let lessons = lessons(&files)?;
    let queries = labelled(&slugs(&lessons))?;
    Ok(Corpus {
        files,
        lessons,
        queries,
    })
}

/// A folder of lessons. Its queries are its authors': keywords and signs, both taken out of the lessons. Those that
/// nothing answers are the samples'. Files that are no lessons, and lessons that are out of use,
/// are left out.
///
/// # Errors
/// When a file can't be read, or no lesson has keywords.
pub fn folder(at: &Path) -> Result<Corpus, String> {
    let mut asked: BTreeMap<(Kind, String), Vec<String>> = BTreeMap::new();
    let mut files = Vec::new();
    for (path, content) in markdown(at)? {
        let cut = author::cut(&content);
        for (kind, texts) in [
            (Kind::Phrase, cut.phrases),
            (Kind::Situation, cut.situations),
        ] {
            for text in texts {
                asked
                    .entry((kind, text.to_lowercase()))
                    .or_default()
                    .push(path.clone());
            }
        }
        files.push((path, cut.content));
    }
    let place: BTreeMap<String, String> = parse_all(&files, Format::Markdown, 0)
        .lessons
        .into_iter()
        .filter(|one| !one.lesson.archived)
        .map(|one| (one.path, one.lesson.slug))
        .collect();
    files.retain(|(path, _)| place.contains_key(path));
    let lessons = lessons(&files)?;
    let slugs = slugs(&lessons);
    let mut queries: Vec<Query> = asked
        .into_iter()
        .map(|((kind, text), paths)| {
            let mut right: Vec<usize> = paths
                .iter()
                .filter_map(|path| slugs.get(place.get(path)?).copied())
                .collect();
            right.sort_unstable();
            right.dedup();
            Query { kind, text, right }
        })
        .filter(|query| !query.right.is_empty())
        .collect();
    if queries.is_empty() {
        return Err(format!(
            "{}: no lesson has keywords of two words or more; give `match.keywords` in its front matter",
            at.display()
        ));
    }
    let samples = lessons_of(Path::new(SAMPLES))?;
    queries.extend(
        labelled(&self::slugs(&samples))?
            .into_iter()
            .filter(|query| query.kind == Kind::None),
    );
    Ok(Corpus {
        files,
        lessons,
        queries,
    })
}

fn labelled(slugs: &BTreeMap<String, usize>) -> Result<Vec<Query>, String> {
    let content = fs::read_to_string(QUERIES).map_err(|error| format!("{QUERIES}: {error}"))?;
    queries::read("tests/benches/relevance/queries.jsonl", &content, slugs)
}

fn lessons_of(at: &Path) -> Result<Vec<Lesson>, String> {
    lessons(&markdown(at)?)
}

/// The place of each lesson, by its slug.
fn slugs(lessons: &[Lesson]) -> BTreeMap<String, usize> {
    lessons
        .iter()
        .enumerate()
        .map(|(at, lesson)| (lesson.slug.clone(), at))
        .collect()
}

fn lessons(files: &[(String, String)]) -> Result<Vec<Lesson>, String> {
    let parsed = parse_all(files, Format::Markdown, 0);
    if let Some(problem) = parsed.rejected.first() {
        return Err(format!(
            "{}, line {}: {}",
            problem.path,
            problem.line.unwrap_or(1),
            problem.message
        ));
    }
    let mut lessons: Vec<Lesson> = parsed.lessons.into_iter().map(|one| one.lesson).collect();
    lessons.sort_by(|a, b| a.slug.cmp(&b.slug));
    Ok(lessons)
}

/// The markdown files of a folder and the folders in it, in the order of their paths; a readme is none.
fn markdown(at: &Path) -> Result<Vec<(String, String)>, String> {
    let mut paths = Vec::new();
    walk(at, &mut paths)?;
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let content = fs::read_to_string(&path)
                .map_err(|error| format!("{}: {error}", path.display()))?;
            Ok((path.to_string_lossy().into_owned(), content))
        })
        .collect()
}

fn walk(at: &Path, paths: &mut Vec<PathBuf>) -> Result<(), String> {
    let fault = |error: std::io::Error| format!("{}: {error}", at.display());
    for entry in fs::read_dir(at).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        if path.is_dir() {
            walk(&path, paths)?;
        } else if path.extension().is_some_and(|extension| extension == "md")
            && path
                .file_stem()
                .is_some_and(|stem| !stem.eq_ignore_ascii_case("readme"))
        {
            paths.push(path);
        }
    }
    Ok(())
}
