//! The few facts of config.json that the weights' shapes don't tell.

use std::path::Path;

use serde::Deserialize;

use crate::fault::{Fault, Result};

/// Settings of an encoder, from its config.json.
#[derive(Clone, Debug, Deserialize)]
pub struct Config {
    /// Attention heads per layer.
    pub num_attention_heads: usize,
    /// LayerNorm's epsilon.
    #[serde(default = "epsilon")]
    pub layer_norm_eps: f32,
    /// Activation of the feed-forward layer; only `gelu` is known.
    #[serde(default = "gelu")]
    pub hidden_act: String,
    /// Kind of position embedding; only `absolute` is known.
    #[serde(default = "absolute")]
    pub position_embedding_type: String,
}

impl Config {
    /// Reads and checks a config.json.
    pub fn read(file: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(file).map_err(|error| Fault::at(file, error))?;
        let config: Self = serde_json::from_str(&text).map_err(|error| Fault::at(file, error))?;
        for (field, found, known) in [
            ("hidden_act", &config.hidden_act, "gelu"),
            (
                "position_embedding_type",
                &config.position_embedding_type,
                "absolute",
            ),
        ] {
            if found != known {
                let message = format!("{field} is {found:?}; only {known:?} can be packed");
                return Err(Fault::at(file, message));
            }
        }
        Ok(config)
    }

    /// The usual values around a number of heads.
    #[cfg(feature = "onnx")]
    pub fn with_heads(num_attention_heads: usize) -> Self {
        Self {
            num_attention_heads,
            layer_norm_eps: epsilon(),
            hidden_act: gelu(),
            position_embedding_type: absolute(),
        }
    }
}

/// The trained length beside a model, from sentence_bert_config.json if there is one.
pub fn max_pieces(folder: &Path) -> Result<Option<usize>> {
    #[derive(Deserialize)]
    struct Sentence {
        max_seq_length: Option<usize>,
    }
    let file = folder.join("sentence_bert_config.json");
    match std::fs::read_to_string(&file) {
        Ok(text) => {
            let sentence: Sentence =
                serde_json::from_str(&text).map_err(|error| Fault::at(&file, error))?;
            Ok(sentence.max_seq_length)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Fault::at(&file, error)),
    }
}

fn epsilon() -> f32 {
    1e-12
}

fn gelu() -> String {
    "gelu".into()
}

fn absolute() -> String {
    "absolute".into()
}
