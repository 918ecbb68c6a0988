//! Writes a pack. The same source gives the same bytes.

use sha2::{Digest, Sha256};

use super::codes::Codebook;
use super::layout::{Layout, LinearAt, NormAt};
use super::nibbles::{add_row, quantise_nibbles};
use super::quantise::{best_scale, bf16_bits, quantise_linear, quantise_row};
use super::{
    BODY_AT, HASH_AT, KINDS_AT, LinearSource, MAGIC, NAME_AT, NAME_LEN, NormSource, PACK_VERSION,
    PLAIN_AT, PackSource, TableKind, TokenizerSpec, Usage, WeightKind,
};
use crate::EmbedError;

/// Quantises an encoder and lays it out. Refused, by name: a shape that no kernel runs, a tensor of another
/// length than the shape says, a weight that is not finite, a tokenizer with an id past the token table.
pub fn write_pack(source: &PackSource) -> Result<Vec<u8>, EmbedError> {
    source.dims.check()?;
    if source.layers.len() != source.dims.layers {
        return Err(dims("layers", source.dims.layers, source.layers.len()));
    }
    if source.name.is_empty() || source.name.len() > NAME_LEN || source.name.contains('\0') {
        return Err(EmbedError::field(
            "name",
            "must have 1 to 100 bytes, none of them zero",
        ));
    }
    let tokenizer = match &source.tokenizer {
        TokenizerSpec::WordPiece(_) if source.usage != Usage::default() => {
            let reason = "a pack with a word-piece tokenizer has the default";
            return Err(EmbedError::field("usage", reason));
        }
        TokenizerSpec::WordPiece(spec) => spec.write()?,
        TokenizerSpec::Unigram(spec) => spec.write(&source.usage)?,
    };
    source.table.check(&source.dims)?;
    source.weights.check(&source.dims)?;
    source.usage.check(source.dims.hidden)?;
    let layout = Layout::new(&source.dims, source.table, source.weights, tokenizer.len())?;
    let mut out = vec![0u8; layout.total];
    out[layout.tokenizer.clone()].copy_from_slice(&tokenizer);

    let hidden = source.dims.hidden;
    check("tokens", &source.tokens, source.dims.vocab * hidden)?;
    put_tokens(&mut out, &layout, source);
    check(
        "positions",
        &source.positions,
        source.dims.positions * hidden,
    )?;
    for (i, row) in source.positions.chunks_exact(hidden).enumerate() {
        let (scale, data) = quantise_row(row, false);
        put(
            &mut out,
            layout.position_scales.start + 4 * i,
            &scale.to_le_bytes(),
        );
        put_i8(&mut out, layout.positions.start + hidden * i, &data);
    }
    put_norm(&mut out, &layout.norm, &source.norm)?;
    for (at, layer) in layout.layers.iter().zip(&source.layers) {
        let kind = source.weights;
        put_linear(&mut out, &at.qkv, &layer.qkv, kind)?;
        put_linear(&mut out, &at.out, &layer.out, kind)?;
        put_norm(&mut out, &at.norm1, &layer.norm1)?;
        put_linear(&mut out, &at.up, &layer.up, kind)?;
        put_linear(&mut out, &at.down, &layer.down, kind)?;
        put_norm(&mut out, &at.norm2, &layer.norm2)?;
    }
    put_header(&mut out, source, tokenizer.len());
    // Reading it back holds the tokenizer and every range against the same checks as a stranger's file.
    super::Pack::read(out.clone())?;
    Ok(out)
}

fn put_tokens(out: &mut [u8], layout: &Layout, source: &PackSource) {
    let hidden = source.dims.hidden;
    let plain = match source.table {
        TableKind::Bytes => {
            for (i, row) in source.tokens.chunks_exact(hidden).enumerate() {
                let (scale, data) = quantise_row(row, true);
                let scale_at = layout.token_scales.start + 2 * i;
                put(out, scale_at, &bf16_bits(scale).to_le_bytes());
                put_i8(out, layout.tokens.start + hidden * i, &data);
            }
            return;
        }
        TableKind::Coded { plain } => plain,
    };
    let (plain, coded) = source.tokens.split_at(plain * hidden);
    for (i, row) in plain.chunks_exact(hidden).enumerate() {
        let data = quantise_nibbles(row);
        put(out, layout.tokens.start + data.len() * i, &data);
    }
    if coded.is_empty() {
        return;
    }
    let codebook = Codebook::learn(coded, hidden);
    put(out, layout.codebook.start, &codebook.bytes());
    for (i, row) in coded.chunks_exact(hidden).enumerate() {
        let data = codebook.code(row);
        put(out, layout.codes.start + data.len() * i, &data);
    }
}

fn put_header(out: &mut [u8], source: &PackSource, tokenizer_len: usize) {
    let d = &source.dims;
    put(out, 0, &MAGIC);
    put(out, 8, &PACK_VERSION.to_le_bytes());
    let total = out.len() as u64;
    put(out, 12, &total.to_le_bytes());
    // Checked dims and a laid-out tokenizer are far below 2³².
    let words = [d.hidden, d.layers, d.heads, d.inner, d.vocab, d.positions].map(|v| v as u32);
    let words = words
        .into_iter()
        .chain([source.epsilon.to_bits(), tokenizer_len as u32]);
    for (i, word) in words.enumerate() {
        put(out, BODY_AT + 4 * i, &word.to_le_bytes());
    }
    put(out, NAME_AT, source.name.as_bytes());
    let unigram = matches!(source.tokenizer, TokenizerSpec::Unigram(_));
    let (table, plain) = match source.table {
        TableKind::Bytes => (0, 0),
        TableKind::Coded { plain } => (2, plain),
    };
    let weights = u8::from(source.weights == WeightKind::Nibbles);
    put(out, KINDS_AT, &[2 * u8::from(unigram), table, weights]);
    // At most as many as there are rows.
    put(out, PLAIN_AT, &(plain as u32).to_le_bytes());
    let hash = Sha256::digest(&out[BODY_AT..]);
    put(out, HASH_AT, &hash);
}

fn put_linear(
    out: &mut [u8],
    at: &LinearAt,
    source: &LinearSource,
    kind: WeightKind,
) -> Result<(), EmbedError> {
    check("weight", &source.weight, at.outputs * at.inputs)?;
    check("bias", &source.bias, at.outputs)?;
    let (scales, packed) = match kind {
        WeightKind::Bytes => quantise_linear(&source.weight, at.outputs, at.inputs),
        WeightKind::Nibbles => source
            .weight
            .chunks_exact(at.inputs)
            .map(|row| {
                let data = quantise_nibbles(row);
                let mut read = vec![0.0; row.len()];
                add_row(&data, &mut read);
                (best_scale(&read), data)
            })
            .fold(
                (Vec::new(), Vec::new()),
                |(mut scales, mut all), (scale, data)| {
                    scales.push(scale);
                    all.extend(data);
                    (scales, all)
                },
            ),
    };
    put_f32(out, at.scales.start, &scales);
    put_f32(out, at.bias.start, &source.bias);
    put(out, at.packed.start, &packed);
    Ok(())
}

fn put_norm(out: &mut [u8], at: &NormAt, source: &NormSource) -> Result<(), EmbedError> {
    let len = at.gamma.len() / 4;
    check("gamma", &source.gamma, len)?;
    check("beta", &source.beta, len)?;
    put_f32(out, at.gamma.start, &source.gamma);
    put_f32(out, at.beta.start, &source.beta);
    Ok(())
}

fn check(field: &'static str, values: &[f32], len: usize) -> Result<(), EmbedError> {
    if values.len() != len {
        return Err(dims(field, len, values.len()));
    }
    match values.iter().find(|v| !v.is_finite()) {
        Some(v) => Err(EmbedError::field(field, format!("{v} is not finite"))),
        None => Ok(()),
    }
}

fn dims(field: &'static str, expected: usize, found: usize) -> EmbedError {
    EmbedError::WrongDims {
        field,
        expected: expected as u64,
        found: found as u64,
    }
}

fn put(out: &mut [u8], at: usize, bytes: &[u8]) {
    out[at..at + bytes.len()].copy_from_slice(bytes);
}

fn put_i8(out: &mut [u8], at: usize, values: &[i8]) {
    for (byte, v) in out[at..at + values.len()].iter_mut().zip(values) {
        *byte = *v as u8;
    }
}

fn put_f32(out: &mut [u8], at: usize, values: &[f32]) {
    for (i, v) in values.iter().enumerate() {
        put(out, at + 4 * i, &v.to_le_bytes());
    }
}
