//! The lessons that are ranked, and the cosines of a query's vector with theirs.

use crate::lesson::Lesson;
use crate::lessons::RankFeatures;
use crate::space::Space;

/// Cosines between a query's vector and lessons, and between lessons. A closure from a lesson to its cosine is one.
pub trait Cosines {
    /// The cosine of the query and a lesson; `None` for a lesson without a vector.
    fn of(&self, lesson: &Lesson) -> Option<f64>;

    /// The same of the lesson at this place in the order of slugs. A ranking asks for thousands: whoever keeps vectors in
    /// that order need not look at the lesson.
    fn at(&self, _place: u32, lesson: &Lesson) -> Option<f64> {
        self.of(lesson)
    }

    /// True if the model reads many languages: its cosines tell less than those of one that reads English alone.
    fn reads_languages(&self) -> bool {
        false
    }

    /// The cosine of two lessons; `None` where one has no vector, or pairs are not compared.
    fn between(&self, _one: &Lesson, _two: &Lesson) -> Option<f64> {
        None
    }
}

impl<F: Fn(&Lesson) -> Option<f64>> Cosines for F {
    fn of(&self, lesson: &Lesson) -> Option<f64> {
        self(lesson)
    }
}

/// The cosines of the query and the lessons of a space.
pub type Similarity<'a> = &'a dyn Cosines;

/// A lesson that is considered. Its text is somewhere else in memory: most of them need no look at it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub lesson: &'a Lesson,
    pub facts: &'a RankFeatures,
    /// Its place in the order of slugs.
    pub place: u32,
}

/// All lessons of a space, in the order of their slugs. Costs a look at none of them.
pub(super) fn candidates(space: &Space) -> impl Iterator<Item = Candidate<'_>> {
    let all = space.lessons.in_order().zip(0..);
    all.map(|((lesson, facts), place)| Candidate {
        lesson,
        facts,
        place,
    })
}

/// A count as answers have it.
pub(super) fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
