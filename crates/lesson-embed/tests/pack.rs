//! Packs of a tiny encoder: what loads, what is refused and how, and that no bytes make the reader panic.

use lesson_embed::{
    Dims, EmbedError, LayerSource, LinearSource, Model, NormSource, PackSource, TableKind,
    TokenizerSpec, UnigramSpec, Usage, WeightKind, WordPieceSpec, check_pack, write_pack,
};
use proptest::prelude::*;
use sha2::{Digest, Sha256};

/// Where the hash is stored and where the hashed part starts: part of the format's description.
const HASH_AT: usize = 20;
const BODY_AT: usize = 52;

fn noise(seed: &mut u32, len: usize) -> Vec<f32> {
    (0..len)
        .map(|_| {
            *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (*seed >> 8) as f32 / (1 << 24) as f32 - 0.5
        })
        .collect()
}

fn tiny() -> PackSource {
    let (hidden, inner, vocab, positions) = (24, 40, 12, 9);
    let seed = &mut 7;
    let linear = |seed: &mut u32, outputs: usize, inputs: usize| LinearSource {
        weight: noise(seed, outputs * inputs),
        bias: noise(seed, outputs),
    };
    let norm = || NormSource {
        gamma: vec![1.0; hidden],
        beta: vec![0.0; hidden],
    };
    let pieces = [
        "[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b", "##c", "你", ",", "word", "##s", "z",
    ];
    PackSource {
        name: "tiny".into(),
        dims: Dims {
            hidden,
            layers: 2,
            heads: 3,
            inner,
            vocab,
            positions,
        },
        epsilon: 1e-12,
        tokenizer: TokenizerSpec::WordPiece(WordPieceSpec {
            clean_text: true,
            handle_chinese_chars: true,
            strip_accents: None,
            lowercase: true,
            unknown: "[UNK]".into(),
            prefix: "##".into(),
            max_word_chars: 100,
            cls: 2,
            sep: 3,
            special: vec![("[CLS]".into(), 2)],
            vocab: pieces.map(String::from).to_vec(),
        }),
        usage: Usage::default(),
        table: TableKind::Bytes,
        weights: WeightKind::Bytes,
        tokens: noise(seed, vocab * hidden),
        positions: noise(seed, positions * hidden),
        norm: norm(),
        layers: (0..2)
            .map(|_| LayerSource {
                qkv: linear(seed, 3 * hidden, hidden),
                out: linear(seed, hidden, hidden),
                norm1: norm(),
                up: linear(seed, inner, hidden),
                down: linear(seed, hidden, inner),
                norm2: norm(),
            })
            .collect(),
    }
}

fn word_piece(source: &mut PackSource) -> &mut WordPieceSpec {
    match &mut source.tokenizer {
        TokenizerSpec::WordPiece(spec) => spec,
        TokenizerSpec::Unigram(_) => panic!("tiny has word pieces"),
    }
}

/// As [`tiny`], with a Unigram tokenizer, prefixes, means, a table of four bits and codes, and weights of four bits.
fn tiny_unigram() -> PackSource {
    let mut source = tiny();
    source.dims.hidden = 32;
    source.dims.heads = 4;
    source.dims.inner = 64;
    let dims = source.dims;
    let seed = &mut 9;
    let mut linear = |outputs: usize, inputs: usize| LinearSource {
        weight: noise(seed, outputs * inputs),
        bias: noise(seed, outputs),
    };
    for layer in &mut source.layers {
        layer.qkv = linear(96, 32);
        layer.out = linear(32, 32);
        layer.up = linear(dims.inner, 32);
        layer.down = linear(32, dims.inner);
        layer.norm1.gamma = vec![1.0; 32];
        layer.norm1.beta = vec![0.0; 32];
        layer.norm2 = layer.norm1.clone();
    }
    source.norm = source.layers[0].norm1.clone();
    source.tokens = noise(seed, dims.vocab * 32);
    source.positions = noise(seed, dims.positions * 32);
    let pieces = [
        "<s>",
        "</s>",
        "<unk>",
        "▁",
        "▁q",
        "▁p",
        "a",
        "b",
        "▁ab",
        "你",
        "好",
        "▁你好",
    ];
    source.tokenizer = TokenizerSpec::Unigram(UnigramSpec {
        pieces: pieces
            .iter()
            .map(|piece| ((*piece).to_owned(), -2.0))
            .collect(),
        replaced: vec![('Ａ', "a".into()), ('\n', " ".into())],
        begin: 0,
        end: 1,
        unknown: 2,
    });
    source.usage = Usage {
        query_prefix: "q ".into(),
        passage_prefix: "p ".into(),
        meaning_from: 0.7,
        meaning_to: 0.9,
        alike_from: 0.6,
        alike_to: 0.95,
        head_weight: 0.5,
        query_means: noise(seed, 96),
        passage_mean: noise(seed, 32),
        mean_share: 0.6,
        language_share: 0.5,
    };
    source.table = TableKind::Coded { plain: 7 };
    source.weights = WeightKind::Nibbles;
    source
}

#[test]
fn a_pack_of_the_other_kind_loads_and_embeds() {
    let pack = write_pack(&tiny_unigram()).expect("sound");
    let model = Model::load(pack.clone()).expect("sound");
    assert_eq!(
        model.token_ids("Ａb 你好 x").expect("ids"),
        [0, 5, 8, 11, 3, 2, 1]
    );
    assert_eq!((model.meaning(), model.alike()), ((0.7, 0.9), (0.6, 0.95)));
    let (query, passage) = (model.embed_query("ab").unwrap(), model.embed("ab").unwrap());
    assert_ne!(query, passage, "each has its prefix");
    let length: f32 = query.iter().map(|v| v * v).sum();
    assert!((length - 1.0).abs() < 1e-5);
    // A text of three lines has its first two in it twice.
    let of = |text: &str| model.embed(text).unwrap();
    assert_ne!(of("ab\n你\nb"), of("ab 你 b"));
    assert_eq!(of("ab\n你\n "), of("ab 你"));
    // Cut off anywhere, it is refused.
    for len in (0..pack.len()).step_by(97) {
        Model::load(pack[..len].to_vec()).expect_err("must be refused");
    }
    // Another kind of tokenizer or table than this build knows.
    for (at, kind, field) in [
        (184, 7, "tokenizer kind"),
        (184, 1, "tokenizer kind"),
        (185, 7, "table kind"),
        (185, 1, "table kind"),
        (186, 2, "weight kind"),
        (188, 13, "table kind"),
    ] {
        let mut other = pack.clone();
        other[at] = kind;
        let error = Model::load(rehash(other)).expect_err("must be refused");
        assert!(error.to_string().starts_with(field), "{error}");
    }
    // The kinds are no flags to be swapped.
    for (at, to) in [(184, 0), (185, 0), (186, 0), (188, 11)] {
        let mut other = pack.clone();
        other[at] = to;
        Model::load(rehash(other)).expect_err("must be refused");
    }
}

#[test]
fn a_unigram_pack_is_refused_by_name() {
    type Case = (&'static str, fn(&mut PackSource));
    let cases: [Case; 13] = [
        ("mean share", |source| source.usage.mean_share = 1.5),
        ("alike", |source| source.usage.alike_to = 0.5),
        ("head weight", |source| source.usage.head_weight = -0.1),
        ("query means", |source| {
            source.usage.query_means.truncate(69)
        }),
        ("passage mean", |source| {
            source.usage.passage_mean[3] = f32::INFINITY;
        }),
        ("inner", |source| source.dims.inner = 40),
        ("table kind", |source| {
            source.table = TableKind::Coded { plain: 13 };
        }),
        ("tokenizer", |source| {
            if let TokenizerSpec::Unigram(spec) = &mut source.tokenizer {
                spec.pieces[4].1 = 0.5;
            }
        }),
        ("tokenizer", |source| {
            if let TokenizerSpec::Unigram(spec) = &mut source.tokenizer {
                spec.pieces[4].0 = "a".repeat(300);
            }
        }),
        ("meaning", |source| source.usage.meaning_from = 0.95),
        ("hidden", |source| source.dims.hidden = 36),
        ("tokenizer", |source| {
            if let TokenizerSpec::Unigram(spec) = &mut source.tokenizer {
                spec.unknown = 99;
            }
        }),
        ("tokenizer", |source| {
            if let TokenizerSpec::Unigram(spec) = &mut source.tokenizer {
                spec.pieces[4].1 = f32::NAN;
            }
        }),
    ];
    for (field, change) in cases {
        let mut source = tiny_unigram();
        change(&mut source);
        let error = write_pack(&source).expect_err("must be refused");
        assert!(error.to_string().starts_with(field), "{error}");
    }
}

/// The pack of [`tiny_unigram`], made once: its codebook is learned.
fn unigram_pack() -> Vec<u8> {
    static PACK: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
    PACK.get_or_init(|| write_pack(&tiny_unigram()).expect("sound"))
        .clone()
}

/// Weights of four bits become those of seven that a pack of seven bits has, where they are what four bits hold.
#[test]
fn weights_of_four_bits_are_unpacked_to_those_of_seven() {
    let mut source = tiny_unigram();
    for layer in &mut source.layers {
        for linear in [
            &mut layer.qkv,
            &mut layer.out,
            &mut layer.up,
            &mut layer.down,
        ] {
            // Eighths from -8 to 7, of which each block has its lowest: a scale of one eighth.
            for (at, v) in linear.weight.iter_mut().enumerate() {
                *v = if at % 32 == 0 {
                    -1.0
                } else {
                    ((*v * 16.0).floor()).clamp(-8.0, 7.0) / 8.0
                };
            }
        }
    }
    let of = |weights: WeightKind| {
        source.weights = weights;
        Model::load(write_pack(&source).expect("sound")).expect("sound")
    };
    let [four, seven] = [WeightKind::Nibbles, WeightKind::Bytes].map(of);
    for text in ["ab", "你好 ab b", ""] {
        assert_eq!(four.embed(text), seven.embed(text), "{text:?}");
    }
}

/// Makes the hash fit the bytes, so that the checks behind it are reached.
fn rehash(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.len() > BODY_AT {
        let hash = Sha256::digest(&bytes[BODY_AT..]);
        bytes[HASH_AT..BODY_AT].copy_from_slice(&hash);
    }
    bytes
}

fn refused(change: impl FnOnce(&mut PackSource)) -> EmbedError {
    let mut source = tiny();
    change(&mut source);
    write_pack(&source).expect_err("must be refused")
}

#[test]
fn a_pack_loads_and_embeds() {
    let pack = write_pack(&tiny()).expect("sound");
    assert_eq!(
        pack,
        write_pack(&tiny()).expect("sound"),
        "the same source gives the same bytes"
    );
    let (name, hash) = check_pack(pack.clone()).expect("sound");
    let model = Model::load(pack).expect("sound");
    assert_eq!(model.id(), format!("{name}@{}", &hash[..12]));
    assert_eq!(model.dims(), 24);
    assert_eq!(
        model.token_ids("a, bc 你!").expect("ids"),
        [2, 4, 8, 5, 6, 7, 1, 3]
    );
    for text in ["", "a", "words words words words words words words", "🙂"] {
        let vector = model.embed(text).expect("a vector");
        let length: f32 = vector.iter().map(|v| v * v).sum();
        assert!(vector.len() == 24 && (length - 1.0).abs() < 1e-5);
        assert_eq!(vector, model.embed(text).expect("a vector"));
    }
    assert_eq!(
        model
            .token_ids("a a a a a a a a a a a a")
            .expect("ids")
            .len(),
        9
    );
}

#[test]
fn sources_are_refused_by_name() {
    type Case = (&'static str, &'static str, fn(&mut PackSource));
    let cases: [Case; 14] = [
        ("hidden", "bad_field", |s| s.dims.hidden = 23),
        ("heads", "bad_field", |s| s.dims.heads = 5),
        ("positions", "bad_field", |s| s.dims.positions = 2),
        ("layers", "wrong_dims", |s| s.dims.layers = 3),
        ("name", "bad_field", |s| s.name = String::new()),
        ("tokens", "wrong_dims", |s| s.tokens.truncate(5)),
        ("tokens", "bad_field", |s| s.tokens[3] = f32::NAN),
        ("weight", "bad_field", |s| {
            s.layers[1].up.weight[0] = f32::INFINITY
        }),
        ("bias", "wrong_dims", |s| s.layers[0].down.bias.push(0.0)),
        ("gamma", "wrong_dims", |s| s.norm.gamma.clear()),
        ("epsilon", "bad_field", |s| s.epsilon = -1.0),
        ("tokenizer", "bad_field", |s| word_piece(s).cls = 12),
        ("tokenizer", "bad_field", |s| {
            word_piece(s).unknown = "?".into()
        }),
        ("tokenizer", "bad_field", |s| {
            word_piece(s).vocab.push("one too many".into())
        }),
    ];
    for (field, code, change) in cases {
        let error = refused(change);
        assert_eq!(error.code(), code, "{error}");
        assert!(
            error.to_string().starts_with(field),
            "{error} does not name {field}"
        );
    }
}

#[test]
fn damage_is_told_apart() {
    let pack = write_pack(&tiny()).expect("sound");
    let code = |bytes: Vec<u8>| Model::load(bytes).expect_err("damaged").code();
    let mut other = pack.clone();
    other[8] = 2;
    assert_eq!(code(other), "pack_version");
    let mut flipped = pack.clone();
    *flipped.last_mut().expect("not empty") ^= 1;
    assert_eq!(code(flipped), "pack_hash");
    assert_eq!(code(b"PK\x03\x04 not a pack at all".to_vec()), "pack_magic");
    for len in 1..pack.len() {
        assert_eq!(code(pack[..len].to_vec()), "pack_truncated", "{len} bytes");
    }
}

#[test]
fn weights_of_eight_bits_are_refused() {
    let mut pack = write_pack(&tiny()).expect("sound");
    // The last weights of the pack are those of the last layer's `down`; find a byte that is surely a weight.
    let before_norms = pack.len() - 2 * 128 - 8;
    pack[before_norms] = 200;
    let error = Model::load(rehash(pack)).expect_err("eight bits");
    assert_eq!(error.code(), "bad_field");
    assert!(error.to_string().starts_with("weights"), "{error}");
}

#[test]
fn a_header_for_other_dims_is_refused_by_name() {
    let pack = write_pack(&tiny()).expect("sound");
    // The header's fields in order: hidden, layers, heads, inner, vocab, positions.
    let cases: [(usize, u32, &str, &str); 10] = [
        (0, 48, "length", "wrong_dims"),
        (0, 26, "hidden", "bad_field"),
        (0, 4092, "length", "wrong_dims"),
        (1, 3, "length", "wrong_dims"),
        (1, 0, "layers", "bad_field"),
        (2, 5, "heads", "bad_field"),
        (3, 44, "length", "wrong_dims"),
        (4, 11, "tokenizer", "bad_field"),
        (4, u32::MAX, "vocab", "bad_field"),
        (5, 2, "positions", "bad_field"),
    ];
    for (place, value, field, code) in cases {
        let mut other = pack.clone();
        let at = BODY_AT + 4 * place;
        other[at..at + 4].copy_from_slice(&value.to_le_bytes());
        let error = Model::load(rehash(other)).expect_err("other dims");
        assert_eq!(error.code(), code, "{error}");
        assert!(
            error.to_string().starts_with(field),
            "{error} does not name {field}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), magic in any::<bool>()) {
        let mut bytes = bytes;
        if magic && bytes.len() >= 12 {
            bytes[..12].copy_from_slice(b"LLPACK\0\0\x01\0\0\0");
        }
        prop_assert!(Model::load(bytes).is_err());
    }

    #[test]
    fn no_mutation_makes_it_panic(
        edits in prop::collection::vec((0.0f64..1.0, any::<u8>(), any::<bool>()), 1..6),
        text in ".{0,40}",
        unigram in any::<bool>(),
    ) {
        let mut pack = if unigram { unigram_pack() } else { write_pack(&tiny()).expect("sound") };
        for (place, byte, early) in edits {
            // Half of the edits go to the header and the tokenizer, where a wrong byte does most.
            let len = if early { 700.min(pack.len()) } else { pack.len() };
            let at = BODY_AT + (place * (len - BODY_AT) as f64) as usize;
            pack[at] = byte;
        }
        if let Ok(model) = Model::load(rehash(pack)) {
            let _ = model.token_ids(&text);
            if let Ok(vector) = model.embed(&text) {
                prop_assert!(vector.iter().all(|v| v.is_finite()));
            }
        }
    }
}
