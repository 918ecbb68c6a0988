//! What turns texts into vectors, and why there is none.

use lesson_embed::{EmbedError, Model};

/// What turns texts into unit vectors.
pub trait Embedder {
    /// The model's id; vectors of another one are not compared with its own.
    fn id(&self) -> &str;

    /// Length of the vectors.
    fn dims(&self) -> usize;

    /// The text's vector.
    ///
    /// # Errors
    /// When the text can't be embedded.
    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError>;
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
