//! The baselines of the engine: BM25, cosine, and both with equal weights.

use crate::ours::{Answer, Cached};
use lesson_core::Lesson;
use lesson_embed::QuantVector;
use lesson_service::Embedder;
use std::collections::BTreeMap;

/// Term-frequency saturation: how soon another occurrence of a word stops counting; the textbook's value.
const K1: f64 = 1.2;
/// Length normalisation: how much a long text is held back; the textbook's value.
const B: f64 = 0.75;

/// The baselines over one corpus.
pub struct Baselines<'a> {
    words: Bm25,
    vectors: Vec<QuantVector>,
    model: &'a Cached,
}

/// Each baseline's answer to one query.
pub struct Answers {
    /// BM25 alone.
    pub words: Answer,
    /// The cosine of the engine's own vectors alone.
    pub cosine: Answer,
    /// The mean of both, each divided by the query's greatest.
    pub hybrid: Answer,
}

impl<'a> Baselines<'a> {
    /// Indexes the lessons.
    ///
    /// # Errors
    /// When a text can't be embedded.
    pub fn open(lessons: &[Lesson], model: &'a Cached) -> Result<Self, String> {
        Ok(Self {
            words: Bm25::new(lessons),
            vectors: lessons
                .iter()
                .map(|lesson| vector(model, &lesson.text.embedded()))
                .collect::<Result<_, _>>()?,
            model,
        })
    }

    /// Asks all of them.
    ///
    /// # Errors
    /// When the query can't be embedded.
    pub fn ask(&self, query: &str) -> Result<Answers, String> {
        let words = self.words.scores(query);
        let asked = vector(self.model, query)?;
        let cosines: Vec<f64> = self
            .vectors
            .iter()
            .map(|vector| vector.cosine(&asked).map(f64::from))
            .collect::<Result<_, _>>()
            .map_err(|error| error.to_string())?;
        let (most, nearest) = (greatest(&words), greatest(&cosines));
        let both: Vec<f64> = words
            .iter()
            .zip(&cosines)
            .map(|(words, cosine)| words / most + cosine.max(0.0) / nearest)
            .collect();
        Ok(Answers {
            words: ranked(&words),
            cosine: ranked(&cosines),
            hybrid: ranked(&both),
        })
    }
}

fn vector(model: &Cached, text: &str) -> Result<QuantVector, String> {
    model
        .embed(text)
        .and_then(|vector| QuantVector::from_f32(&vector))
        .map_err(|error| error.to_string())
}

/// The greatest score; 1 where none is above 0, so that dividing by it changes nothing.
fn greatest(scores: &[f64]) -> f64 {
    let most = scores.iter().copied().fold(0.0, f64::max);
    if most > 0.0 { most } else { 1.0 }
}

/// The lessons with a score above 0, best first.
fn ranked(scores: &[f64]) -> Answer {
    let mut ranked: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] > 0.0).collect();
    ranked.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    Answer {
        ranked,
        words: Vec::new(),
        likely: Vec::new(),
    }
}

/// Okapi BM25 over all of a lesson's text as one field.
struct Bm25 {
    /// Of each lesson: its words with how often they occur, and its length.
    lessons: Vec<(BTreeMap<String, f64>, f64)>,
    /// In how many lessons a word occurs.
    found: BTreeMap<String, f64>,
    mean: f64,
}

impl Bm25 {
    fn new(lessons: &[Lesson]) -> Self {
        let mut found: BTreeMap<String, f64> = BTreeMap::new();
        let lessons: Vec<(BTreeMap<String, f64>, f64)> = lessons
            .iter()
            .map(|lesson| {
                let text = &lesson.text;
                let tags = text.tags.join(" ");
                let parts = [
                    &text.title,
                    &text.description,
                    &text.context,
                    &text.recommendation,
                    &tags,
                ];
                let mut counts: BTreeMap<String, f64> = BTreeMap::new();
                for word in parts.into_iter().flat_map(|part| words(part)) {
                    *counts.entry(word).or_default() += 1.0;
                }
                for word in counts.keys() {
                    *found.entry(word.clone()).or_default() += 1.0;
                }
                let length = counts.values().sum();
                (counts, length)
            })
            .collect();
        let mean =
            lessons.iter().map(|(_, length)| length).sum::<f64>() / lessons.len().max(1) as f64;
        Self {
            lessons,
            found,
            mean,
        }
    }

    fn scores(&self, query: &str) -> Vec<f64> {
        let count = self.lessons.len() as f64;
        let mut scores = vec![0.0; self.lessons.len()];
        for word in words(query) {
            let Some(found) = self.found.get(&word) else {
                continue;
            };
            let rare = libm::log(1.0 + (count - found + 0.5) / (found + 0.5));
            for (score, (counts, length)) in scores.iter_mut().zip(&self.lessons) {
                let times = counts.get(&word).copied().unwrap_or_default();
                let long = 1.0 - B + B * length / self.mean;
                *score += rare * times * (K1 + 1.0) / (times + K1 * long);
            }
        }
        scores
    }
}

/// Runs of letters and digits, in lower case, without a plural's ending.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| {
            let word = word.to_lowercase();
            match word.strip_suffix('s') {
                Some(one) if one.len() > 2 && !one.ends_with(['s', 'u', 'i']) => one.to_owned(),
                _ => word,
            }
        })
}
