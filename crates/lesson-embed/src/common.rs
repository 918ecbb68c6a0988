//! The component that an encoder's vectors share whatever their texts say, and the one of a language: both are taken from each.
//!
//! All vectors of some encoders point about the same way, and those of a language nearer so: a query is then nearest to lessons in its
//! own language, whatever they say. A query's language is the one whose mean lies nearest to it; a language that the pack has no mean of
//! gets that of a near one.

use crate::math::to_unit;
use crate::pack::Usage;

/// The components that are taken from vectors.
#[derive(Debug)]
pub(crate) struct Common {
    /// The mean of queries in all languages.
    query_mean: Vec<f32>,
    languages: Vec<Language>,
    /// Taken from each vector of a text that is found.
    passage: Vec<f32>,
}

#[derive(Debug)]
struct Language {
    /// Where it lies from the mean of all, of unit length.
    direction: Vec<f32>,
    /// Taken from a vector in it.
    taken: Vec<f32>,
}

impl Common {
    /// Of a checked pack's constants; with no means in it nothing is taken.
    pub fn new(usage: &Usage, hidden: usize) -> Self {
        let rows = usage.query_means.chunks_exact(hidden);
        let count = rows.len().max(1) as f32;
        let mut query_mean = vec![
            0.0;
            if usage.query_means.is_empty() {
                0
            } else {
                hidden
            }
        ];
        for row in rows.clone() {
            for (mean, v) in query_mean.iter_mut().zip(row) {
                *mean += v / count;
            }
        }
        let languages = rows.map(|row| {
            let mut direction: Vec<f32> = row.iter().zip(&query_mean).map(|(v, m)| v - m).collect();
            let own = direction.iter().map(|v| v * usage.language_share);
            let shared = query_mean.iter().map(|v| v * usage.mean_share);
            let taken = own.zip(shared).map(|(own, shared)| own + shared).collect();
            to_unit(&mut direction);
            Language { direction, taken }
        });
        Self {
            languages: languages.collect(),
            query_mean,
            passage: usage
                .passage_mean
                .iter()
                .map(|v| v * usage.mean_share)
                .collect(),
        }
    }

    /// Takes it from the unit vector of a text that is looked for.
    pub fn take_from_query(&self, vector: &mut [f32]) {
        let mut best: Option<(f32, &Language)> = None;
        for language in &self.languages {
            let parts = vector
                .iter()
                .zip(&self.query_mean)
                .zip(&language.direction)
                .map(|((v, mean), direction)| (v - mean) * direction);
            let nearness = parts.sum::<f32>();
            if best.is_none_or(|(most, _)| nearness > most) {
                best = Some((nearness, language));
            }
        }
        if let Some((_, language)) = best {
            take(vector, &language.taken);
        }
    }

    /// Takes it from the unit vector of a text that is found.
    pub fn take_from_passage(&self, vector: &mut [f32]) {
        take(vector, &self.passage);
    }
}

/// Takes one vector from another and scales what is left to unit length.
fn take(vector: &mut [f32], taken: &[f32]) {
    if taken.is_empty() {
        return;
    }
    for (v, taken) in vector.iter_mut().zip(taken) {
        *v -= taken;
    }
    to_unit(vector);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_common_is_taken_by_the_nearest_language() {
        let usage = Usage {
            query_means: vec![0.8, 0.4, 0.8, -0.4],
            passage_mean: vec![0.0, 1.0],
            mean_share: 0.5,
            language_share: 1.0,
            ..Usage::default()
        };
        let common = Common::new(&usage, 2);
        // (1, 0.1) - 0.5 · (0.8, 0) - (0, 0.4), and the other way round.
        for sign in [1.0, -1.0] {
            let mut query = [1.0, 0.1 * sign];
            common.take_from_query(&mut query);
            let length = (0.6_f32 * 0.6 + 0.3 * 0.3).sqrt();
            assert!((query[0] - 0.6 / length).abs() < 1e-6, "{query:?}");
            assert!((query[1] + 0.3 * sign / length).abs() < 1e-6, "{query:?}");
        }
        let mut passage = [0.0, 1.0];
        common.take_from_passage(&mut passage);
        assert_eq!(passage, [0.0, 1.0]);
        let mut same = [0.6, 0.8];
        let none = Common::new(&Usage::default(), 2);
        none.take_from_query(&mut same);
        none.take_from_passage(&mut same);
        assert_eq!(same, [0.6, 0.8]);
    }
}
