//! Vectors of the loaded model by lesson, and the lessons that still need one.

use super::embedder::Reading;
use super::waiting::Waiting;
pub use super::waiting::Wanted;
use lesson_core::{Cosines, Lesson, Space};
use lesson_embed::{EmbedError, QuantVector, VectorStore};
use lesson_sync::VectorRow;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;

/// A text that others failed to embed this often is embedded here: it may be what stopped them.
const FAILURES: u8 = 2;
/// The row of a lesson that has no vector: past the last of any store.
const NO_ROW: u32 = u32::MAX;

/// The vectors of one model.
pub(crate) struct Vectors {
    /// The model's id.
    pub model: String,
    /// Their length.
    pub dims: usize,
    /// Scale by which the model's cosines are read.
    pub reading: Reading,
    scanned: VectorStore,
    row_of_hash: HashMap<String, usize>,
    row_of_slug: HashMap<String, usize>,
    /// Lessons whose text has not been looked at yet.
    unseen: VecDeque<String>,
    /// Texts that have no vector yet, by their hash.
    waiting: HashMap<String, Waiting>,
    /// Lessons whose text has no vector yet, with its hash.
    missing: HashMap<String, String>,
    /// Waiting texts that nobody embeds at the moment, short ones first: so most lessons have
    /// their vector early, and those handed out together cost alike.
    queue: BTreeSet<(usize, String)>,
    /// Waiting texts that were handed out.
    handed_out: HashSet<String>,
    /// Texts that the model refused; they are not tried again.
    refused: HashSet<String>,
    /// Waiting texts whose vector a server may have that was not asked for it yet.
    unasked: BTreeSet<String>,
    /// Grows when a lesson gets another text, and when a vector is computed: then a server that is
    /// linked may have what is missing here, or lack what is here.
    changes: u64,
    /// True if any vector is here that no server gave.
    offers: bool,
    /// Grows whenever a lesson gets a vector or loses one.
    version: u64,
    /// The rows of all lessons of a space, while neither its lessons nor their vectors come or go.
    in_order: RefCell<Option<InOrder>>,
}

/// The rows of lessons in the order of their slugs.
struct InOrder {
    /// The version of the vectors, and what tells the space's set of slugs.
    of: (u64, u64),
    /// [`NO_ROW`] for a lesson without a vector.
    rows: Rc<[u32]>,
}

impl Vectors {
    /// The vectors that a store keeps of this model. A row that can't be of it is left out: vectors
    /// are derived, and it is computed again.
    pub fn new(
        model: &str,
        dims: usize,
        reading: Reading,
        rows: Vec<VectorRow>,
    ) -> Result<Self, EmbedError> {
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
            dims,
            reading,
            changes: 0,
            offers: !row_of_hash.is_empty(),
            scanned,
            row_of_hash,
            row_of_slug: HashMap::new(),
            unseen: VecDeque::new(),
            waiting: HashMap::new(),
            missing: HashMap::new(),
            queue: BTreeSet::new(),
            handed_out: HashSet::new(),
            refused: HashSet::new(),
            unasked: BTreeSet::new(),
            version: 0,
            in_order: RefCell::new(None),
        })
    }

    /// All lessons are to be looked at, and nothing of other lessons stays but vectors of texts.
    pub fn look_at_all(&mut self, space: &Space) {
        self.version += 1;
        self.row_of_slug.clear();
        self.waiting.clear();
        self.missing.clear();
        self.queue.clear();
        self.handed_out.clear();
        self.unasked.clear();
        self.unseen = space.lessons().map(|lesson| lesson.slug.clone()).collect();
    }

    /// Looks at up to `most` lessons; whether any is left.
    pub fn look(&mut self, space: &Space, most: usize) -> bool {
        for _ in 0..most {
            let Some(slug) = self.unseen.pop_front() else {
                return false;
            };
            if let Some(lesson) = space.lesson(&slug) {
                self.attach(lesson, false);
            }
        }
        !self.unseen.is_empty()
    }

    /// Gives a lesson, new or with a new text, the vector of its text, or marks it as missing one.
    /// Of a text that is `new` to everybody, no server is asked for the vector.
    pub fn attach(&mut self, lesson: &Lesson, new: bool) {
        let text = lesson.text.embedded();
        let hash = lesson.text.embedded_hash();
        let row = self.row_of_slug.get(&lesson.slug);
        if self.missing.get(&lesson.slug) == Some(&hash)
            || (row.is_some() && row == self.row_of_hash.get(&hash))
        {
            return;
        }
        self.detach(&lesson.slug);
        self.changes += 1;
        if let Some(row) = self.row_of_hash.get(&hash) {
            self.version += 1;
            self.row_of_slug.insert(lesson.slug.clone(), *row);
        } else if !self.refused.contains(&hash) {
            let waiting = self.waiting.entry(hash.clone()).or_insert_with(|| {
                self.queue.insert((text.len(), hash.clone()));
                if !new {
                    self.unasked.insert(hash.clone());
                }
                Waiting {
                    slugs: BTreeSet::new(),
                    len: text.len(),
                    failures: 0,
                }
            });
            waiting.slugs.insert(lesson.slug.clone());
            self.missing.insert(lesson.slug.clone(), hash);
        }
    }

    /// Forgets what the lesson had or waited for. A text that no lesson has any more is no longer
    /// wanted.
    pub fn detach(&mut self, slug: &str) {
        if self.row_of_slug.remove(slug).is_some() {
            self.version += 1;
        }
        let Some(hash) = self.missing.remove(slug) else {
            return;
        };
        if let Some(waiting) = self.waiting.get_mut(&hash) {
            waiting.slugs.remove(slug);
            if waiting.slugs.is_empty() {
                self.settle(&hash);
            }
        }
    }

    /// The text waits no longer; the lessons that waited for it.
    fn settle(&mut self, hash: &str) -> Option<BTreeSet<String>> {
        let waiting = self.waiting.remove(hash)?;
        self.queue.remove(&(waiting.len, hash.to_owned()));
        self.handed_out.remove(hash);
        self.unasked.remove(hash);
        for slug in &waiting.slugs {
            self.missing.remove(slug);
        }
        Some(waiting.slugs)
    }

    /// The next text to embed here. It stays the next one until its vector is taken. With
    /// `ask_first`, texts that a server was not asked for are left for later.
    pub fn next(&self, space: &Space, ask_first: bool) -> Option<Wanted> {
        self.queue
            .iter()
            .filter(|(_, hash)| self.is_free(hash, ask_first))
            .find_map(|(_, hash)| self.wanted(hash, space))
    }

    fn is_free(&self, hash: &str, ask_first: bool) -> bool {
        !ask_first || !self.unasked.contains(hash)
    }

    /// Up to `most` texts for others to embed. Nobody else gets them until they are taken or
    /// released. `ask_first` as for [`Vectors::next`].
    pub fn hand_out(&mut self, space: &Space, most: usize, ask_first: bool) -> Vec<Wanted> {
        let given: Vec<Wanted> = self
            .queue
            .iter()
            .filter(|(_, hash)| {
                self.waiting
                    .get(hash)
                    .is_some_and(|waiting| waiting.failures < FAILURES)
                    && self.is_free(hash, ask_first)
            })
            .filter_map(|(_, hash)| self.wanted(hash, space))
            .take(most)
            .collect();
        for Wanted { hash, .. } in &given {
            if let Some(waiting) = self.waiting.get(hash) {
                self.queue.remove(&(waiting.len, hash.clone()));
                self.handed_out.insert(hash.clone());
            }
        }
        given
    }

    /// A text that was handed out is free again; `failed` tells whether who had it tried. One that
    /// is not wanted any more is left alone.
    pub fn release(&mut self, hash: &str, failed: bool) {
        if self.handed_out.remove(hash)
            && let Some(waiting) = self.waiting.get_mut(hash)
        {
            waiting.failures = waiting.failures.saturating_add(u8::from(failed));
            self.queue.insert((waiting.len, hash.to_owned()));
        }
    }

    fn wanted(&self, hash: &str, space: &Space) -> Option<Wanted> {
        let slug = self.waiting.get(hash)?.slugs.first()?;
        Some(Wanted {
            hash: hash.to_owned(),
            text: space.lesson(slug)?.text.embedded(),
        })
    }

    /// Takes the vector that was computed here; gives back the row to be stored. A vector that
    /// can't be used leaves its lessons without one for good.
    pub fn take(&mut self, hash: &str, vector: Result<Vec<f32>, EmbedError>) -> Option<VectorRow> {
        let row = vector.and_then(|vector| self.push(&vector));
        let slugs = self.settle(hash)?;
        match row {
            Ok((row, bytes)) => {
                self.computed();
                Some(self.keep(hash, slugs, row, bytes))
            }
            Err(_) => {
                self.refused.insert(hash.to_owned());
                None
            }
        }
    }

    /// Takes a vector that was computed elsewhere; gives back the row to be stored. One that
    /// nobody waits for any more is left out; of one that can't be used, the text is free again.
    pub fn take_from_others(&mut self, hash: &str, vector: &[f32]) -> Option<VectorRow> {
        if !self.waiting.contains_key(hash) {
            return None;
        }
        let Ok((row, bytes)) = self.push(vector) else {
            self.release(hash, true);
            return None;
        };
        let slugs = self.settle(hash)?;
        self.computed();
        Some(self.keep(hash, slugs, row, bytes))
    }

    /// Takes a vector that a server has, to the bit; gives back the row to be stored. One that
    /// nobody waits for is left out.
    ///
    /// # Errors
    /// When it is of another length than the model's; nothing changes.
    pub fn take_from_server(
        &mut self,
        hash: &str,
        bytes: Vec<u8>,
    ) -> Result<Option<VectorRow>, EmbedError> {
        if !self.waiting.contains_key(hash) {
            return Ok(None);
        }
        let vector = QuantVector::from_bytes(&bytes)?;
        let row = self.scanned.push(&vector)?;
        let slugs = self.settle(hash).unwrap_or_default();
        Ok(Some(self.keep(hash, slugs, row, bytes)))
    }

    /// Takes vectors that others keep in the same store, whether a lesson here waits for them or will. One that can't be of
    /// the model is left out.
    pub fn take_in(&mut self, rows: Vec<VectorRow>) {
        for (hash, bytes) in rows {
            if self.row_of_hash.contains_key(&hash) {
                continue;
            }
            let pushed = QuantVector::from_bytes(&bytes).and_then(|one| self.scanned.push(&one));
            let Ok(row) = pushed else { continue };
            let slugs = self.settle(&hash).unwrap_or_default();
            self.computed();
            self.keep(&hash, slugs, row, bytes);
        }
    }

    fn computed(&mut self) {
        self.changes += 1;
        self.offers = true;
    }

    fn push(&mut self, vector: &[f32]) -> Result<(usize, Vec<u8>), EmbedError> {
        let vector = QuantVector::from_f32(vector)?;
        Ok((self.scanned.push(&vector)?, vector.to_bytes()))
    }

    fn keep(
        &mut self,
        hash: &str,
        slugs: BTreeSet<String>,
        row: usize,
        bytes: Vec<u8>,
    ) -> VectorRow {
        self.version += 1;
        self.row_of_hash.insert(hash.to_owned(), row);
        self.row_of_slug
            .extend(slugs.into_iter().map(|slug| (slug, row)));
        (hash.to_owned(), bytes)
    }

    /// A number that grows when a server may have what is missing here, or lack what is here.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// True if a server may lack a vector that is here.
    pub fn offers(&self) -> bool {
        self.offers
    }

    /// The vector of a text, as it is kept; `None` for one that is all 0 and points nowhere.
    pub fn bytes_of(&self, hash: &str) -> Option<Vec<u8>> {
        let bytes = self.scanned.get(*self.row_of_hash.get(hash)?)?.to_bytes();
        bytes.iter().any(|byte| *byte != 0).then_some(bytes)
    }

    /// True if a text waits that a server may have the vector of.
    pub fn has_unasked(&self) -> bool {
        !self.unasked.is_empty()
    }

    /// The texts to ask a server for, by their hash in order: those that it was not asked for, or
    /// `again` all that wait.
    pub fn to_ask(&self, again: bool) -> Vec<String> {
        if !again {
            return self.unasked.iter().cloned().collect();
        }
        let mut hashes: Vec<String> = self.waiting.keys().cloned().collect();
        hashes.sort_unstable();
        hashes
    }

    /// A server was asked for these.
    pub fn asked(&mut self, hashes: &[String]) {
        for hash in hashes {
            self.unasked.remove(hash);
        }
    }

    /// Another server may have what the one before had not.
    pub fn ask_anew(&mut self) {
        self.unasked = self.waiting.keys().cloned().collect();
    }

    /// Lessons with a vector.
    pub fn embedded(&self) -> usize {
        self.row_of_slug.len()
    }

    /// Lessons still without one.
    pub fn pending(&self) -> usize {
        self.unseen.len() + self.missing.len()
    }

    /// Those of them whose text was handed out, and with `ask_first` those that a server may have.
    pub fn elsewhere(&self, ask_first: bool) -> usize {
        let unasked = self.unasked.iter().filter(|_| ask_first);
        self.handed_out
            .iter()
            .filter(|hash| self.is_free(hash, ask_first))
            .chain(unasked)
            .filter_map(|hash| self.waiting.get(hash))
            .map(|waiting| waiting.slugs.len())
            .sum()
    }

    /// Grows whenever a lesson gets a vector or loses one.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The cosine of two lessons; `None` while one of them has no vector.
    pub fn cosine(&self, one: &str, two: &str) -> Option<f64> {
        let row = |slug| self.row_of_slug.get(slug).copied();
        let cosine = self.scanned.cosine(row(one)?, row(two)?)?;
        Some(self.reading.read_pair(f64::from(cosine)))
    }

    /// Pairs of these lessons that mean almost the same, as (slug, slug, cosine): see
    /// [`VectorStore::alike`].
    pub fn alike(&self, slugs: &[&str], least: f64) -> Vec<(String, String, f64)> {
        let (known, rows): (Vec<&str>, Vec<usize>) = slugs
            .iter()
            .filter_map(|slug| Some((*slug, *self.row_of_slug.get(*slug)?)))
            .unzip();
        self.scanned
            .alike(&rows, self.reading.unread_pair(least) as f32)
            .into_iter()
            .map(|(one, two, cosine)| {
                (
                    known[one].to_owned(),
                    known[two].to_owned(),
                    self.reading.read_pair(f64::from(cosine)),
                )
            })
            .collect()
    }

    /// The cosine of every lesson of `space` that has a vector to the query's vector.
    pub fn scan(&self, query: &[f32], space: &Space) -> Result<Similarities<'_>, EmbedError> {
        Ok(Similarities {
            vectors: self,
            rows: self.in_order(space),
            cosines: self.scanned.scan(query)?,
        })
    }

    /// Where the vectors of the lessons are, in the order of their slugs. Ten thousand look-ups by slug cost a third of a
    /// recommendation, so they are made once.
    fn in_order(&self, space: &Space) -> Rc<[u32]> {
        let of = (self.version, space.slugs());
        let mut kept = self.in_order.borrow_mut();
        match &*kept {
            Some(kept) if kept.of == of => Rc::clone(&kept.rows),
            _ => {
                let row = |lesson: &Lesson| self.row_of_slug.get(&lesson.slug);
                let rows: Rc<[u32]> = space
                    .lessons()
                    .map(|lesson| row(lesson).map_or(NO_ROW, |row| *row as u32))
                    .collect();
                *kept = Some(InOrder {
                    of,
                    rows: Rc::clone(&rows),
                });
                rows
            }
        }
    }
}

/// Cosines of one query.
pub(crate) struct Similarities<'a> {
    vectors: &'a Vectors,
    /// Of the lessons in the order of their slugs.
    rows: Rc<[u32]>,
    cosines: Vec<f32>,
}

impl Similarities<'_> {
    fn of_row(&self, row: usize) -> Option<f64> {
        let cosine = f64::from(*self.cosines.get(row)?);
        Some(self.vectors.reading.read(cosine))
    }
}

impl Cosines for Similarities<'_> {
    fn of(&self, lesson: &Lesson) -> Option<f64> {
        self.of_row(*self.vectors.row_of_slug.get(&lesson.slug)?)
    }

    fn at(&self, place: u32, _lesson: &Lesson) -> Option<f64> {
        self.of_row(*self.rows.get(place as usize)? as usize)
    }

    fn reads_languages(&self) -> bool {
        self.vectors.reading.reads_languages()
    }

    fn between(&self, one: &Lesson, two: &Lesson) -> Option<f64> {
        self.vectors.cosine(&one.slug, &two.slug)
    }
}
