//! A BERT word-piece tokenizer from tokenizer.json. Whatever would change an id and is not understood is
//! refused by name.

use std::collections::HashMap;
use std::path::Path;

use lesson_embed::WordPieceSpec;
use serde::Deserialize;

use crate::fault::{Fault, Result};

#[derive(Deserialize)]
struct Tokenizer {
    #[serde(default)]
    added_tokens: Vec<Added>,
    normalizer: Normalizer,
    pre_tokenizer: Typed,
    post_processor: serde_json::Value,
    model: Model,
}

#[derive(Deserialize)]
struct Added {
    id: u32,
    content: String,
    #[serde(default)]
    single_word: bool,
    #[serde(default)]
    normalized: bool,
}

#[derive(Deserialize)]
struct Normalizer {
    r#type: String,
    clean_text: bool,
    handle_chinese_chars: bool,
    strip_accents: Option<bool>,
    lowercase: bool,
}

#[derive(Deserialize)]
struct Typed {
    r#type: String,
}

#[derive(Deserialize)]
struct Model {
    r#type: Option<String>,
    unk_token: String,
    continuing_subword_prefix: String,
    max_input_chars_per_word: u32,
    vocab: HashMap<String, u32>,
}

/// Reads a tokenizer.json. Padding and truncation in it are ignored: the engine pads nothing and truncates at
/// the model's length.
pub fn read(file: &Path) -> Result<WordPieceSpec> {
    let text = std::fs::read_to_string(file).map_err(|error| Fault::at(file, error))?;
    parse(&text).map_err(|fault| Fault::at(file, fault))
}

fn parse(text: &str) -> Result<WordPieceSpec> {
    let tokenizer: Tokenizer = serde_json::from_str(text).map_err(Fault::new)?;
    let model = tokenizer.model;
    for (part, found, known) in [
        (
            "normalizer",
            tokenizer.normalizer.r#type.as_str(),
            "BertNormalizer",
        ),
        (
            "pre_tokenizer",
            &tokenizer.pre_tokenizer.r#type,
            "BertPreTokenizer",
        ),
        (
            "model",
            model.r#type.as_deref().unwrap_or("WordPiece"),
            "WordPiece",
        ),
    ] {
        if found != known {
            return Err(Fault::new(format!(
                "{part} is {found}; only {known} can be packed"
            )));
        }
    }
    for added in &tokenizer.added_tokens {
        if added.single_word || added.normalized {
            let message = "single_word and normalized added tokens can't be packed";
            return Err(Fault::new(format!(
                "added token {:?}: {message}",
                added.content
            )));
        }
    }
    let mut vocab = vec![String::new(); model.vocab.len()];
    for (piece, id) in model.vocab {
        match vocab.get_mut(id as usize) {
            Some(slot) => *slot = piece,
            None => {
                return Err(Fault::new(format!(
                    "vocabulary: {piece:?} has id {id}, which leaves gaps"
                )));
            }
        }
    }
    let (cls, sep) = marks(&tokenizer.post_processor)?;
    let id_of = |mark: &str| {
        let added = tokenizer
            .added_tokens
            .iter()
            .find(|added| added.content == mark);
        let in_vocab = || {
            vocab
                .iter()
                .position(|piece| piece == mark)
                .map(|id| id as u32)
        };
        added
            .map(|added| added.id)
            .or_else(in_vocab)
            .ok_or_else(|| Fault::new(format!("post_processor: {mark:?} has no id")))
    };
    Ok(WordPieceSpec {
        clean_text: tokenizer.normalizer.clean_text,
        handle_chinese_chars: tokenizer.normalizer.handle_chinese_chars,
        strip_accents: tokenizer.normalizer.strip_accents,
        lowercase: tokenizer.normalizer.lowercase,
        unknown: model.unk_token,
        prefix: model.continuing_subword_prefix,
        max_word_chars: model.max_input_chars_per_word,
        cls: id_of(&cls)?,
        sep: id_of(&sep)?,
        special: tokenizer
            .added_tokens
            .iter()
            .map(|added| (added.content.clone(), added.id))
            .collect(),
        vocab,
    })
}

/// Finds the marks before and after a single sentence.
fn marks(processor: &serde_json::Value) -> Result<(String, String)> {
    let found = match processor["type"].as_str() {
        Some("TemplateProcessing") => match processor["single"].as_array().map(Vec::as_slice) {
            Some([first, middle, last]) if !middle["Sequence"].is_null() => (
                first["SpecialToken"]["id"].as_str(),
                last["SpecialToken"]["id"].as_str(),
            ),
            _ => (None, None),
        },
        Some("BertProcessing") => (processor["cls"][0].as_str(), processor["sep"][0].as_str()),
        _ => (None, None),
    };
    match found {
        (Some(cls), Some(sep)) => Ok((cls.to_owned(), sep.to_owned())),
        _ => Err(Fault::new(
            "post_processor: must put one mark before and one after a sentence",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(change: impl FnOnce(&mut serde_json::Value)) -> String {
        let mut value = serde_json::json!({
            "added_tokens": [{"id": 2, "content": "[CLS]", "single_word": false, "normalized": false}],
            "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                "strip_accents": null, "lowercase": true},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100,
                "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "a": 4}},
        });
        change(&mut value);
        value.to_string()
    }

    #[test]
    fn reads_what_it_knows() {
        let spec = parse(&json(|_| {})).expect("sound");
        assert_eq!((spec.cls, spec.sep), (2, 3));
        assert_eq!(spec.vocab, ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a"]);
        assert_eq!(spec.special, [("[CLS]".to_owned(), 2)]);
        assert_eq!(spec.strip_accents, None);
    }

    #[test]
    fn names_what_it_does_not_know() {
        type Case = (&'static str, fn(&mut serde_json::Value));
        let cases: [Case; 6] = [
            ("normalizer", |v| v["normalizer"]["type"] = "NFC".into()),
            ("pre_tokenizer", |v| {
                v["pre_tokenizer"]["type"] = "Whitespace".into()
            }),
            ("model", |v| v["model"]["type"] = "BPE".into()),
            ("[CLS]", |v| {
                v["added_tokens"][0]["normalized"] = true.into()
            }),
            ("vocabulary", |v| v["model"]["vocab"]["b"] = 9.into()),
            ("post_processor", |v| {
                v["post_processor"] = serde_json::Value::Null
            }),
        ];
        for (part, change) in cases {
            let fault = parse(&json(change))
                .expect_err("must be refused")
                .to_string();
            assert!(fault.contains(part), "{fault}");
        }
    }
}
