//! The trait of models that turn texts into vectors, and the reasons for having none.

use lesson_embed::{EmbedError, Model, Usage};

/// Model that turns texts into unit vectors.
pub trait Embedder {
    /// The model's id; vectors of another one are not compared with its own.
    fn id(&self) -> &str;

    /// Length of the vectors.
    fn dims(&self) -> usize;

    /// The vector of a text that is found, such as a lesson's.
    ///
    /// # Errors
    /// When the text can't be embedded.
    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError>;

    /// The vector of a text that is looked for.
    ///
    /// # Errors
    /// When the text can't be embedded.
    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.embed(text)
    }

    /// True if it reads other languages than English.
    fn is_multilingual(&self) -> bool {
        false
    }

    /// Returns the scale by which its cosines are read.
    fn reading(&self) -> Reading {
        Reading::default()
    }
}

/// Takes a model's cosines for those of the default model, which the constants of the policy are fitted to: the cosines of some models lie
/// close together, and start far above 0. Those of a query and a lesson lie elsewhere than those of two lessons.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    meaning: Line,
    alike: Line,
    languages: bool,
}

/// One range of cosines laid on another.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Line {
    slope: f64,
    offset: f64,
}

impl Line {
    const SAME: Self = Self {
        slope: 1.0,
        offset: 0.0,
    };

    /// These cosines as those between which meanings of the default model lie.
    fn between((from, to): (f32, f32)) -> Self {
        let usual = Usage::default();
        let span = |from: f32, to: f32| f64::from(to) - f64::from(from);
        let slope = span(usual.meaning_from, usual.meaning_to) / span(from, to);
        Self {
            slope,
            offset: f64::from(usual.meaning_from) - f64::from(from) * slope,
        }
    }

    fn read(self, cosine: f64) -> f64 {
        if self == Self::SAME {
            return cosine;
        }
        (cosine * self.slope + self.offset).clamp(-1.0, 1.0)
    }

    fn unread(self, cosine: f64) -> f64 {
        (cosine - self.offset) / self.slope
    }
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            meaning: Line::SAME,
            alike: Line::SAME,
            languages: false,
        }
    }
}

impl Reading {
    /// The reading of a model whose meanings lie between these cosines: of a query and a lesson, and of two lessons.
    pub fn between(meaning: (f32, f32), alike: (f32, f32)) -> Self {
        Self {
            meaning: Line::between(meaning),
            alike: Line::between(alike),
            languages: false,
        }
    }

    /// The same, of a model that reads other languages than English, or doesn't.
    #[must_use]
    pub fn of_languages(self, languages: bool) -> Self {
        Self { languages, ..self }
    }

    /// True if the model reads other languages than English.
    pub(crate) fn reads_languages(self) -> bool {
        self.languages
    }

    /// The cosines between which the model's meanings lie.
    pub(crate) fn bounds(self) -> [f64; 2] {
        let usual = Usage::default();
        [usual.meaning_from, usual.meaning_to].map(|cosine| {
            // To the digits that a pack's own numbers have.
            (self.meaning.unread(f64::from(cosine)) * 1e6).round() / 1e6
        })
    }

    /// The cosine of a query and a lesson as the default model would have it, about; -1 to 1.
    pub(crate) fn read(self, cosine: f64) -> f64 {
        self.meaning.read(cosine)
    }

    /// The same of two lessons.
    pub(crate) fn read_pair(self, cosine: f64) -> f64 {
        self.alike.read(cosine)
    }

    /// The model's cosine of two lessons that is read as this one.
    pub(crate) fn unread_pair(self, cosine: f64) -> f64 {
        self.alike.unread(cosine)
    }
}

impl Embedder for Model {
    fn id(&self) -> &str {
        Model::id(self)
    }

    fn dims(&self) -> usize {
        Model::dims(self)
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        Model::embed(self, text)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        Model::embed_query(self, text)
    }

    fn is_multilingual(&self) -> bool {
        Model::is_multilingual(self)
    }

    fn reading(&self) -> Reading {
        Reading::between(self.meaning(), self.alike()).of_languages(self.is_multilingual())
    }
}

/// Why no model is loaded, as far as the host knows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NoModel {
    /// Nobody has loaded one.
    #[default]
    NotLoaded,
    /// One is on its way.
    Loading,
    /// The host has none.
    Missing,
    /// The one there is could not be loaded; it is tried again.
    Failed,
}

impl NoModel {
    /// In words, as an answer says it.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::NotLoaded => "no model is loaded",
            Self::Loading => "the model is still loading",
            Self::Missing => "this host has no model",
            Self::Failed => "the model could not be loaded; it is tried again within a minute",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosines_of_the_default_model_are_read_as_they_are() {
        let usual = Usage::default();
        let bounds = (usual.meaning_from, usual.meaning_to);
        let reading = Reading::between(bounds, bounds);
        assert_eq!(reading, Reading::default());
        assert_eq!(reading.read(0.25), 0.25);
        assert_eq!(reading.bounds(), [0.1, 0.8]);
    }

    #[test]
    fn cosines_of_another_model_are_spread() {
        let reading = Reading::between((0.7, 0.9), (0.5, 0.95));
        assert!((reading.read(0.7) - 0.1).abs() < 1e-6);
        assert!((reading.read(0.9) - 0.8).abs() < 1e-6);
        assert_eq!(reading.read(1.0), 1.0);
        assert_eq!(reading.bounds(), [0.7, 0.9]);
        assert!((reading.read_pair(0.5) - 0.1).abs() < 1e-6);
        assert!((reading.read_pair(0.95) - 0.8).abs() < 1e-6);
        assert!((reading.unread_pair(reading.read_pair(0.85)) - 0.85).abs() < 1e-9);
    }
}
