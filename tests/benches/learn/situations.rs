//! Real situations: the labelled queries of the sample lessons, each with the lessons that the engine itself finds for it.

use lesson_core::{
    Event, EventKind, Explain, KeywordIndex, Lesson, Policy, Situation, Space, recommend,
};
use lesson_formats::{Format, parse_all};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;

// Other clones that share a target folder build their own: the path below is this one's.
const _: Option<&str> = option_env!("LESSONLOOP_ROOT");

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../www/samples/lessons");
const QUERIES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/benches/relevance/queries.jsonl"
);
/// Lessons of a situation that are looked at: the places and as many again twice.
const CANDIDATES: usize = 15;

/// A situation that is asked about, and the lessons that fit it.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The number of its domain: the domain of its right lesson, or that lesson's category.
    pub domain: usize,
    /// (lesson, relevance), the most relevant first.
    pub fitting: Vec<(usize, f64)>,
}

/// The lessons and their situations.
#[derive(Debug, Clone)]
pub struct Situations {
    /// The lessons, by slug.
    pub lessons: Vec<Lesson>,
    /// The names of the domains.
    pub domains: Vec<String>,
    /// The situations.
    pub asked: Vec<Asked>,
}

#[derive(Deserialize)]
struct Line {
    query: String,
    right: Vec<String>,
}

/// Ranks all situations once; relevance does not depend on what was learned.
///
/// # Errors
/// When a file can't be read.
pub fn load() -> Result<Situations, String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(SAMPLES).map_err(|error| format!("{SAMPLES}: {error}"))? {
        let path = entry.map_err(|error| error.to_string())?.path();
        let text =
            fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        files.push((path.to_string_lossy().into_owned(), text));
    }
    files.sort();
    let mut lessons: Vec<Lesson> = parse_all(&files, Format::Markdown, 0)
        .lessons
        .into_iter()
        .map(|one| one.lesson)
        .collect();
    lessons.sort_by(|a, b| a.slug.cmp(&b.slug));
    let places: BTreeMap<String, usize> = (0..)
        .zip(&lessons)
        .map(|(at, lesson)| (lesson.slug.clone(), at))
        .collect();
    let space = space_of(&lessons);
    let index = KeywordIndex::of_space(&space);
    let text = fs::read_to_string(QUERIES).map_err(|error| format!("{QUERIES}: {error}"))?;
    let mut domains: Vec<String> = Vec::new();
    let mut asked = Vec::new();
    for line in text.lines() {
        let line: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let Some(right) = line.right.first().and_then(|slug| places.get(slug)) else {
            continue;
        };
        let situation = Situation {
            query: Some(line.query),
            limit: Some(CANDIDATES),
            ..Situation::default()
        };
        let policy = Policy::default().rank;
        let ranking = recommend(&space, &situation, None, &index, &policy, Explain::Nothing)
            .map_err(|error| error.message)?;
        if ranking.items.len() < 2 {
            continue;
        }
        let text = &lessons[*right].text;
        let name = if text.domain.is_empty() {
            text.category.as_str().to_owned()
        } else {
            text.domain.clone()
        };
        let domain = domains
            .iter()
            .position(|one| *one == name)
            .unwrap_or_else(|| {
                domains.push(name);
                domains.len() - 1
            });
        let fitting = ranking
            .items
            .iter()
            .map(|item| (places[&item.slug], item.relevance))
            .collect();
        asked.push(Asked { domain, fitting });
    }
    Ok(Situations {
        lessons,
        domains,
        asked,
    })
}

/// A space of these lessons.
pub fn space_of(lessons: &[Lesson]) -> Space {
    let mut space = Space::new();
    for (lesson, n) in lessons.iter().zip(1_u64..) {
        let event = Event {
            op_id: format!("lesson-{n}"),
            actor: "bench".to_owned(),
            seq: n,
            at: 0,
            by: "local".to_owned(),
            request: None,
            event: EventKind::LessonAdded {
                lesson: Box::new(lesson.clone()),
            },
        };
        // A sample that were refused would be missing from the figures alike for all arms.
        let _ = space.fold(&event, &Policy::default());
    }
    space
}
