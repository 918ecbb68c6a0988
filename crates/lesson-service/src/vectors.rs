//! Which lesson has which vector of the loaded model, and which still need one.

use lesson_core::{Lesson, Space};
use lesson_embed::{EmbedError, QuantVector, VectorStore};
use lesson_sync::VectorRow;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

/// The vectors of one model.
pub(crate) struct Vectors {
    /// The model's id.
    pub model: String,
    scanned: VectorStore,
    row_of_hash: HashMap<String, usize>,
    row_of_slug: HashMap<String, usize>,
    /// Lessons whose text has not been looked at yet.
    unseen: VecDeque<String>,
    /// Lessons whose text has no vector yet.
    missing: BTreeSet<String>,
    /// Texts that the model refused; they are not tried again.
    refused: HashSet<String>,
}

/// A text to embed, and the key of its vector.
pub(crate) struct Wanted {
    slug: String,
    hash: String,
    /// The text.
    pub text: String,
}

impl Vectors {
    /// The vectors that a store keeps of this model. A row that can't be of it is left out: vectors
    /// are derived, and it is computed again.
    pub fn new(model: &str, dims: usize, rows: Vec<VectorRow>) -> Result<Self, EmbedError> {
        let mut scanned = VectorStore::new(dims)?;
        scanned.reserve(rows.len());
        let mut row_of_hash = HashMap::with_capacity(rows.len());
        for (hash, bytes) in rows {
            let row = QuantVector::from_bytes(&bytes).and_then(|vector| scanned.push(&vector));
            if let Ok(row) = row {
                row_of_hash.insert(hash, row);
            }
        }
        Ok(Self {
            model: model.to_owned(),
            scanned,
            row_of_hash,
            row_of_slug: HashMap::new(),
            unseen: VecDeque::new(),
            missing: BTreeSet::new(),
            refused: HashSet::new(),
        })
    }

    /// All lessons are to be looked at.
    pub fn look_at_all(&mut self, space: &Space) {
        self.unseen = space.lessons().map(|lesson| lesson.slug.clone()).collect();
    }

    /// Looks at up to `most` lessons; whether any is left.
    pub fn look(&mut self, space: &Space, most: usize) -> bool {
        for _ in 0..most {
            let Some(slug) = self.unseen.pop_front() else {
                return false;
            };
            if let Some(lesson) = space.lesson(&slug) {
                self.attach(lesson);
            }
        }
        !self.unseen.is_empty()
    }

    /// Gives a lesson, new or with a new text, the vector of its text, or marks it as missing one.
    pub fn attach(&mut self, lesson: &Lesson) {
        let hash = lesson.text.embedded_hash();
        if let Some(row) = self.row_of_hash.get(&hash) {
            self.row_of_slug.insert(lesson.slug.clone(), *row);
            self.missing.remove(&lesson.slug);
        } else {
            self.row_of_slug.remove(&lesson.slug);
            if !self.refused.contains(&hash) {
                self.missing.insert(lesson.slug.clone());
            }
        }
    }

    /// The next text to embed.
    pub fn next(&mut self, space: &Space) -> Option<Wanted> {
        while let Some(slug) = self.missing.first().cloned() {
            let Some(lesson) = space.lesson(&slug) else {
                self.missing.remove(&slug);
                continue;
            };
            let hash = lesson.text.embedded_hash();
            if let Some(row) = self.row_of_hash.get(&hash) {
                // Another lesson with the same text got it first.
                self.row_of_slug.insert(slug.clone(), *row);
                self.missing.remove(&slug);
                continue;
            }
            let text = lesson.text.embedded();
            return Some(Wanted { slug, hash, text });
        }
        None
    }

    /// Takes a text's vector; gives back the row to be stored. A vector that can't be used leaves
    /// the lesson without one for good.
    pub fn take(
        &mut self,
        wanted: Wanted,
        vector: Result<Vec<f32>, EmbedError>,
    ) -> Option<VectorRow> {
        self.missing.remove(&wanted.slug);
        let row = vector
            .and_then(|vector| QuantVector::from_f32(&vector))
            .and_then(|vector| Ok((self.scanned.push(&vector)?, vector)));
        match row {
            Ok((row, vector)) => {
                self.row_of_hash.insert(wanted.hash.clone(), row);
                self.row_of_slug.insert(wanted.slug, row);
                Some((wanted.hash, vector.to_bytes()))
            }
            Err(_) => {
                self.refused.insert(wanted.hash);
                None
            }
        }
    }

    /// Lessons with a vector.
    pub fn embedded(&self) -> usize {
        self.row_of_slug.len()
    }

    /// Lessons still without one.
    pub fn pending(&self) -> usize {
        self.unseen.len() + self.missing.len()
    }

    /// The cosine of every lesson that has a vector to the query's vector.
    pub fn scan(&self, query: &[f32]) -> Result<Similarities<'_>, EmbedError> {
        Ok(Similarities {
            row_of_slug: &self.row_of_slug,
            cosines: self.scanned.scan(query)?,
        })
    }
}

/// Cosines of one query.
pub(crate) struct Similarities<'a> {
    row_of_slug: &'a HashMap<String, usize>,
    cosines: Vec<f32>,
}

impl Similarities<'_> {
    /// The lesson's cosine; `None` while it has no vector.
    pub fn of(&self, slug: &str) -> Option<f64> {
        self.cosines
            .get(*self.row_of_slug.get(slug)?)
            .map(|cosine| f64::from(*cosine))
    }
}
