//! `GET /v1/lessons`: filters, orders and pages; `GET /v1/tags`: the words that lessons have.

use crate::convert::Reading;
use crate::handlers::list_numbers::{Numbers, standouts, trends};
use crate::handlers::stats::count;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::validate;
use crate::http::voice::voice_of;
use crate::state::held::lessons_of;
use crate::state::service_struct::Service;
use crate::state::snapshot::State;
use lesson_core::{Lesson, Millis, SearchOptions, Space, to_rfc3339};
use lesson_sync::Store;
use lesson_types::{
    ApiError, LessonCourse, LessonPage, LessonQuery, LessonSort, Qualification, Tags, Trust,
    WordCount, WordCounts, limits,
};
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Lessons on a page when the request does not say.
const PAGE: u32 = 50;

/// Words of each field in the answer to `GET /v1/tags`.
const WORDS: usize = 200;

/// When each lesson was last used, by its slug.
type Used<'a> = HashMap<&'a str, Millis>;

impl<S: Store, H: Host> Service<S, H> {
    /// Lists the lessons of this store, and of another one where it is given; of two with one slug, this one's.
    pub(crate) fn list_lessons(
        &self,
        other: Option<&Self>,
        context: &RequestContext,
        query: &LessonQuery,
        body: &Value,
    ) -> Result<Answer<LessonPage>, ApiError> {
        validate::no_body(body)?;
        validate::optional("q", query.q.as_ref(), limits::QUERY)?;
        validate::optional("domain", query.domain.as_ref(), limits::WORD)?;
        validate::optional("by", query.by.as_ref(), limits::ID)?;
        validate::optional("source", query.source.as_ref(), limits::WORD)?;
        let limit = validate::limit(query.limit, PAGE, limits::PAGE)?;
        let cursor = query.cursor.as_deref().map(Cursor::read).transpose()?;
        let text = query.q.as_deref().map(str::trim).filter(|q| !q.is_empty());
        let vector = text.and_then(|text| self.query_vector(text));

        let state = self.state.borrow();
        if let Some(listed) = self.held.page() {
            let page = lessons_of(listed, &state.space);
            let before = cursor.map_or(0, |cursor| cursor.number);
            let end = before
                .saturating_add(query.offset.unwrap_or_default() as usize)
                .saturating_add(listed.slugs.len());
            let last = listed.slugs.last().filter(|_| listed.more);
            return Ok(Answer::json(LessonPage {
                courses: Vec::new(),
                lessons: page.into_iter().map(|lesson| self.view(lesson)).collect(),
                total: listed.total.saturating_add(count(before)),
                next_cursor: last.map(|last| Cursor::write(end, last)),
                semantic: false,
            }));
        }
        let there = other.map(|other| (other, other.state.borrow()));
        let (mut scored, mut semantic) = self.found(&state, text, vector.as_deref());
        if let Some((other, there)) = &there {
            let (more, by_meaning) = other.found(there, text, vector.as_deref());
            let is_new = |lesson: &Lesson| state.space.lesson(&lesson.slug).is_none();
            scored.extend(more.into_iter().filter(|(_, lesson)| is_new(lesson)));
            // Stable: equal ones stay in the order of their stores.
            scored.sort_by(|(one, _), (two, _)| two.total_cmp(one));
            semantic |= by_meaning;
        }
        let mut found: Vec<&Lesson> = scored.into_iter().map(|(_, lesson)| lesson).collect();
        let reading = self.reading(&state);
        found.retain(|lesson| fits(lesson, query, &reading) && !context.withholds(lesson));
        let sort = query.sort.unwrap_or_default();
        // Only this order goes by it, and it costs a pass over all decisions.
        let mut used = Used::new();
        if sort == LessonSort::LastUsed {
            if let Some((_, there)) = &there {
                used.extend(lesson_core::last_used(&there.space));
            }
            used.extend(lesson_core::last_used(&state.space));
        }
        let mut numbers = Numbers::new();
        let of = |state: &'_ State| match sort {
            LessonSort::Trend => trends(&state.space, self.host.now()),
            LessonSort::Standout => standouts(state, &reading),
            _ => Numbers::new(),
        };
        if let Some((_, there)) = &there {
            numbers.extend(of(there));
        }
        numbers.extend(of(&state));
        order(&mut found, sort, text.is_some(), &reading, &used, &numbers);
        if query.reverse == Some(true) {
            reverse(&mut found, sort, &reading, &used, &numbers);
        }
        let after = cursor.map_or(0, |cursor| cursor.place(&found));
        let begin = after.saturating_add(query.offset.unwrap_or_default() as usize);
        let page: Vec<&Lesson> = found.iter().skip(begin).take(limit).copied().collect();
        let end = begin.saturating_add(page.len());
        let next_cursor = page
            .last()
            .filter(|_| end < found.len())
            .map(|last| Cursor::write(end, &last.slug));
        let view = |lesson: &Lesson| match &there {
            Some((other, there)) if state.space.lesson(&lesson.slug).is_none() => {
                other.measured_view(context.is_agent(), there, lesson)
            }
            _ => self.measured_view(context.is_agent(), &state, lesson),
        };
        let courses = || {
            let mut courses = self.courses_of(&state.space, &page);
            if let Some((_, there)) = &there {
                let theirs = self.courses_of(&there.space, &page);
                for ((lesson, held), other) in page.iter().zip(&mut courses).zip(theirs) {
                    if state.space.lesson(&lesson.slug).is_none() {
                        *held = other;
                    }
                }
            }
            courses
        };
        Ok(Answer::json(LessonPage {
            courses: if query.courses == Some(true) {
                courses()
            } else {
                Vec::new()
            },
            lessons: page.iter().map(|lesson| view(lesson)).collect(),
            total: u32::try_from(found.len()).unwrap_or(u32::MAX),
            next_cursor,
            semantic,
        }))
    }

    pub(crate) fn list_tags(
        &self,
        context: &RequestContext,
        body: &Value,
    ) -> Result<Answer<Tags>, ApiError> {
        validate::no_body(body)?;
        let tags = self
            .held
            .tags(|| tags_of(context, &self.state.borrow().space));
        Ok(Answer::json(tags))
    }

    fn courses_of(&self, space: &Space, page: &[&Lesson]) -> Vec<LessonCourse> {
        let slugs: Vec<&str> = page.iter().map(|lesson| lesson.slug.as_str()).collect();
        lesson_core::courses(space, &slugs, self.host.now())
            .into_iter()
            .map(|course| LessonCourse {
                last_used_at: course.last_used_at.map(to_rfc3339),
                success: course.success,
            })
            .collect()
    }

    /// All lessons that a text finds with their scores, best first, and whether the model took part. Without a text all
    /// lessons, each with 0.
    fn found<'a>(
        &self,
        state: &'a State,
        text: Option<&str>,
        vector: Option<&[f32]>,
    ) -> (Vec<(f64, &'a Lesson)>, bool) {
        let Some(text) = text else {
            return (
                state.space.lessons().map(|lesson| (0.0, lesson)).collect(),
                false,
            );
        };
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
            .filter_map(|item| Some((item.score, state.space.lesson(&item.slug)?)))
            .collect();
        (lessons, ranking.semantic)
    }
}

fn fits(lesson: &Lesson, query: &LessonQuery, reading: &Reading) -> bool {
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
            .is_none_or(|badge| reading.badge(&lesson.standing).kind == badge)
        && query.by.as_ref().is_none_or(|by| lesson.by == voice_of(by))
        && query
            .source
            .as_ref()
            .is_none_or(|source| lesson.source == *source)
}

/// Brings lessons into the order asked for; equal ones by slug. A search's own order stays.
fn order(
    lessons: &mut [&Lesson],
    sort: LessonSort,
    searched: bool,
    reading: &Reading,
    used: &Used<'_>,
    numbers: &Numbers,
) {
    match sort {
        LessonSort::Relevance if searched => return,
        LessonSort::Title => {
            // Lower case is made once for each lesson, not once for each comparison.
            lessons.sort_by_cached_key(|lesson| (lesson.text.title.to_lowercase(), &lesson.slug));
            return;
        }
        LessonSort::LastUsed => {
            let at = |lesson: &Lesson| used.get(lesson.slug.as_str()).copied();
            lessons.sort_by(|a, b| at(b).cmp(&at(a)).then_with(|| a.slug.cmp(&b.slug)));
            return;
        }
        LessonSort::Trend | LessonSort::Standout => {
            let number = |lesson: &Lesson| numbers.get(&lesson.slug).copied();
            lessons.sort_by(|a, b| falling(number(a), number(b)).then_with(|| a.slug.cmp(&b.slug)));
            return;
        }
        _ => {}
    }
    let compare = |a: &Lesson, b: &Lesson| -> Ordering {
        let (x, y) = (&a.standing, &b.standing);
        match sort {
            LessonSort::Updated => b.updated_at.cmp(&a.updated_at),
            LessonSort::Confidence => y.confidence.total_cmp(&x.confidence),
            LessonSort::Effectiveness => y.effectiveness.total_cmp(&x.effectiveness),
            LessonSort::Surfaced => y.times_surfaced.cmp(&x.times_surfaced),
            LessonSort::Applied => y.times_applied.cmp(&x.times_applied),
            LessonSort::Success => falling(x.success_rate(), y.success_rate())
                .then_with(|| y.times_applied.cmp(&x.times_applied)),
            LessonSort::Score => is_kept_out(a, reading)
                .cmp(&is_kept_out(b, reading))
                .then_with(|| falling(score(a, reading), score(b, reading))),
            LessonSort::Lift => falling(lift(a, reading), lift(b, reading)),
            LessonSort::Relevance
            | LessonSort::Created
            | LessonSort::Title
            | LessonSort::LastUsed
            | LessonSort::Trend
            | LessonSort::Standout => b.created_at.cmp(&a.created_at),
        }
    };
    lessons.sort_by(|a, b| compare(a, b).then_with(|| a.slug.cmp(&b.slug)));
}

/// The higher number first, none last.
fn falling(a: Option<f64>, b: Option<f64>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => b.total_cmp(&a),
        _ => b.is_some().cmp(&a.is_some()),
    }
}

/// The causal score; none of a lesson that no feedback has named.
fn score(lesson: &Lesson, reading: &Reading) -> Option<f64> {
    let held = &lesson.standing;
    (held.use_count > 0).then(|| held.causal_adjusted(&reading.policy.rank))
}

/// The lift; none of a lesson of which nothing was seen.
fn lift(lesson: &Lesson, reading: &Reading) -> Option<f64> {
    let held = lesson.standing.lift();
    held.at.map(|_| held.at(reading.now).mean)
}

/// True if agents aren't given it, held back or kept out by its outcomes: however high its score, it is no lesson to look at
/// first.
fn is_kept_out(lesson: &Lesson, reading: &Reading) -> bool {
    lesson.trust == Trust::Quarantined
        || reading.qualification(&lesson.standing) != Qualification::Qualified
}

/// Turns an order round; lessons that have no number to go by stay last, and by score those that are kept out.
fn reverse(
    lessons: &mut [&Lesson],
    sort: LessonSort,
    reading: &Reading,
    used: &Used<'_>,
    numbers: &Numbers,
) {
    let known = match sort {
        LessonSort::Success => lessons.partition_point(|one| one.standing.times_applied > 0),
        LessonSort::Score => {
            lessons.partition_point(|one| one.standing.use_count > 0 && !is_kept_out(one, reading))
        }
        LessonSort::Lift => lessons.partition_point(|one| one.standing.lift_at.is_some()),
        LessonSort::LastUsed => lessons.partition_point(|one| used.contains_key(one.slug.as_str())),
        LessonSort::Trend | LessonSort::Standout => {
            lessons.partition_point(|one| numbers.contains_key(&one.slug))
        }
        _ => lessons.len(),
    };
    if let Some(known) = lessons.get_mut(..known) {
        known.reverse();
    }
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

/// Counts the lessons that have each word, of the words that each has.
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

/// The words that the lessons of a space have, as far as who asks may read them.
fn tags_of(context: &RequestContext, space: &Space) -> Tags {
    let lessons: Vec<&Lesson> = space
        .lessons()
        .filter(|lesson| !lesson.archived && !context.withholds(lesson))
        .collect();
    let texts = || lessons.iter().map(|lesson| &lesson.text);
    Tags {
        tags: counted(texts().map(|text| words(&text.tags))),
        domains: counted(texts().map(|text| words(std::slice::from_ref(&text.domain)))),
        project_types: counted(texts().map(|text| words(&text.project_types))),
        tech_stacks: counted(texts().map(|text| words(&text.tech_stacks))),
        categories: counted(texts().map(|text| BTreeSet::from([text.category.as_str()]))),
    }
}
