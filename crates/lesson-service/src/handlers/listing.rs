//! `GET /v1/lessons`: filters, orders and pages; `GET /v1/tags`: the words that lessons have.

use crate::handlers::stats::count;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::validate;
use crate::state::service_struct::Service;
use crate::state::snapshot::State;
use lesson_core::{Lesson, SearchOptions};
use lesson_sync::Store;
use lesson_types::{
    ApiError, LessonPage, LessonQuery, LessonSort, Tags, WordCount, WordCounts, limits,
};
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Lessons on a page when the request does not say.
const PAGE: u32 = 50;

/// Words of each field in the answer to `GET /v1/tags`.
const WORDS: usize = 200;

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) fn list_lessons(
        &self,
        context: &RequestContext,
        query: &LessonQuery,
        body: &Value,
    ) -> Result<Answer<LessonPage>, ApiError> {
        validate::no_body(body)?;
        validate::optional("q", query.q.as_ref(), limits::QUERY)?;
        validate::optional("domain", query.domain.as_ref(), limits::WORD)?;
        let limit = validate::limit(query.limit, PAGE, limits::PAGE)?;
        let cursor = query.cursor.as_deref().map(Cursor::read).transpose()?;
        let text = query.q.as_deref().map(str::trim).filter(|q| !q.is_empty());
        let vector = text.and_then(|text| self.query_vector(text));

        let state = self.state.borrow();
        if let Some(listed) = &*self.listed.borrow() {
            let slugs = listed.slugs.iter();
            let page: Vec<&Lesson> = slugs.filter_map(|slug| state.space.lesson(slug)).collect();
            let before = cursor.map_or(0, |cursor| cursor.number);
            let end = before
                .saturating_add(query.offset.unwrap_or_default() as usize)
                .saturating_add(listed.slugs.len());
            let last = listed.slugs.last().filter(|_| listed.more);
            return Answer::json(&LessonPage {
                lessons: page.into_iter().map(|lesson| self.view(lesson)).collect(),
                total: listed.total.saturating_add(count(before)),
                next_cursor: last.map(|last| Cursor::write(end, last)),
                semantic: false,
            });
        }
        let (mut found, semantic) = match text {
            Some(text) => self.found(&state, text, vector.as_deref()),
            None => (state.space.lessons().collect(), false),
        };
        found.retain(|lesson| fits(lesson, query) && !context.withholds(lesson));
        order(&mut found, query.sort.unwrap_or_default(), text.is_some());
        let after = cursor.map_or(0, |cursor| cursor.place(&found));
        let begin = after.saturating_add(query.offset.unwrap_or_default() as usize);
        let page: Vec<&Lesson> = found.iter().skip(begin).take(limit).copied().collect();
        let end = begin.saturating_add(page.len());
        let next_cursor = page
            .last()
            .filter(|_| end < found.len())
            .map(|last| Cursor::write(end, &last.slug));
        Answer::json(&LessonPage {
            lessons: page.into_iter().map(|lesson| self.view(lesson)).collect(),
            total: u32::try_from(found.len()).unwrap_or(u32::MAX),
            next_cursor,
            semantic,
        })
    }

    pub(crate) fn list_tags(
        &self,
        context: &RequestContext,
        body: &Value,
    ) -> Result<Answer<Tags>, ApiError> {
        validate::no_body(body)?;
        let state = self.state.borrow();
        let lessons: Vec<&Lesson> = state
            .space
            .lessons()
            .filter(|lesson| !lesson.archived && !context.withholds(lesson))
            .collect();
        let texts = || lessons.iter().map(|lesson| &lesson.text);
        Answer::json(&Tags {
            tags: counted(texts().map(|text| words(&text.tags))),
            domains: counted(texts().map(|text| words(std::slice::from_ref(&text.domain)))),
            project_types: counted(texts().map(|text| words(&text.project_types))),
            tech_stacks: counted(texts().map(|text| words(&text.tech_stacks))),
            categories: counted(texts().map(|text| BTreeSet::from([text.category.as_str()]))),
        })
    }

    /// All lessons that a text finds, best first, and whether the model took part.
    fn found<'a>(
        &self,
        state: &'a State,
        text: &str,
        vector: Option<&[f32]>,
    ) -> (Vec<&'a Lesson>, bool) {
        let options = SearchOptions {
            limit: Some(usize::MAX),
            prefix: true,
            include_archived: true,
            ..SearchOptions::default()
        };
        let ranking = state.with_similarity(vector, |similarity| {
            lesson_core::search(
                &state.space,
                text,
                similarity,
                &state.index,
                &state.in_force(&self.policy).rank,
                options,
            )
        });
        let lessons = ranking
            .items
            .iter()
            .filter_map(|item| state.space.lesson(&item.slug))
            .collect();
        (lessons, ranking.semantic)
    }
}

fn fits(lesson: &Lesson, query: &LessonQuery) -> bool {
    lesson.archived == query.archived.unwrap_or(false)
        && query.domain.as_ref().is_none_or(|domain| {
            lesson.text.domain.trim().to_lowercase() == domain.trim().to_lowercase()
        })
        && query
            .category
            .is_none_or(|category| lesson.text.category == category)
        && query.trust.is_none_or(|trust| lesson.trust == trust)
        && query
            .badge
            .is_none_or(|badge| lesson.standing.badge().kind == badge)
}

/// Brings lessons into the order asked for; equal ones by slug. A search's own order stays.
fn order(lessons: &mut [&Lesson], sort: LessonSort, searched: bool) {
    if sort == LessonSort::Relevance && searched {
        return;
    }
    if sort == LessonSort::Title {
        // Lower case is made once for each lesson, not once for each comparison.
        lessons.sort_by_cached_key(|lesson| (lesson.text.title.to_lowercase(), &lesson.slug));
        return;
    }
    let compare = |a: &Lesson, b: &Lesson| -> Ordering {
        let (x, y) = (&a.standing, &b.standing);
        match sort {
            LessonSort::Relevance | LessonSort::Created | LessonSort::Title => {
                b.created_at.cmp(&a.created_at)
            }
            LessonSort::Updated => b.updated_at.cmp(&a.updated_at),
            LessonSort::Confidence => y.confidence.total_cmp(&x.confidence),
            LessonSort::Effectiveness => y.effectiveness.total_cmp(&x.effectiveness),
            LessonSort::Surfaced => y.times_surfaced.cmp(&x.times_surfaced),
            LessonSort::Applied => y.times_applied.cmp(&x.times_applied),
        }
    };
    lessons.sort_by(|a, b| compare(a, b).then_with(|| a.slug.cmp(&b.slug)));
}

/// Where a page begins: after a lesson, and at a number if that lesson has left the list.
struct Cursor<'a> {
    number: usize,
    slug: &'a str,
}

impl<'a> Cursor<'a> {
    fn write(number: usize, slug: &str) -> String {
        format!("{number}.{slug}")
    }

    fn read(text: &'a str) -> Result<Self, ApiError> {
        text.split_once('.')
            .filter(|(_, slug)| lesson_core::is_slug(slug))
            .and_then(|(number, slug)| {
                Some(Self {
                    number: number.parse().ok()?,
                    slug,
                })
            })
            .ok_or_else(|| {
                ApiError::invalid(
                    "cursor",
                    "this is no cursor; use next_cursor of the page before, or leave it out to begin",
                )
            })
    }

    fn place(&self, lessons: &[&Lesson]) -> usize {
        lessons
            .iter()
            .position(|lesson| lesson.slug == self.slug)
            .map_or(self.number, |last| last + 1)
    }
}

/// The words of a lesson's field, each once.
fn words(of: &[String]) -> BTreeSet<&str> {
    let words = of.iter().map(|word| word.trim());
    words.filter(|word| !word.is_empty()).collect()
}

/// How many lessons have each word, of the words that each has.
fn counted<'a>(lessons: impl Iterator<Item = BTreeSet<&'a str>>) -> WordCounts {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for word in lessons.flatten() {
        *counts.entry(word).or_default() += 1;
    }
    let total = count(counts.len());
    let mut counts: Vec<(&str, u32)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, lessons)| std::cmp::Reverse(*lessons));
    counts.truncate(WORDS);
    WordCounts {
        total,
        words: counts
            .into_iter()
            .map(|(word, lessons)| WordCount {
                word: word.to_owned(),
                lessons,
            })
            .collect(),
    }
}
