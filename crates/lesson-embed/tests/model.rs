//! The real model: ids and vectors against their oracles, and what a reader does with damaged copies of its pack.
//!
//! Built with the feature `model-tests` only; tests/common says what it needs.

mod common;

use common::{ask, cosine, model, numbers, pack};
use lesson_embed::{EmbedError, Model, QuantVector, VectorStore};

#[test]
fn token_ids_equal_hugging_face() {
    let mut different = 0;
    ask("embed_tokens.py", "10000", 10_000, |text, answer| {
        let expected: Vec<u32> = numbers(answer);
        let found = model().token_ids(text).expect("every text has ids");
        if found != expected {
            different += 1;
            eprintln!("{text:?}\n  found    {found:?}\n  expected {expected:?}");
        }
    });
    assert_eq!(different, 0, "texts with other ids");
}

#[test]
fn vectors_are_close_to_the_float_model() {
    let (mut worst, mut sum, mut count) = ((2.0, String::new()), 0.0, 0);
    ask("embed_vectors.py", "1000", 1000, |text, answer| {
        let expected: Vec<f32> = numbers(answer);
        let found = model().embed(text).expect("every text has a vector");
        let cosine = cosine(&found, &expected);
        sum += cosine;
        count += 1;
        if cosine < worst.0 {
            worst = (cosine, text.to_owned());
        }
    });
    let mean = sum / f64::from(count);
    eprintln!(
        "cosine to the float model: mean {mean:.5}, worst {:.5} at {:?}",
        worst.0, worst.1
    );
    assert!(mean >= 0.99, "mean {mean}");
    assert!(worst.0 >= 0.98, "worst {} at {:?}", worst.0, worst.1);
}

#[test]
fn every_text_has_a_unit_vector() {
    let huge = "endless ".repeat(1 << 17);
    let texts = [
        "",
        " ",
        "\0\u{1}\u{200d}",
        "🙂🙃👩‍👩‍👧‍👦",
        "[CLS][SEP]",
        "word",
        &huge,
    ];
    for text in texts {
        let vector = model().embed(text).expect("a vector");
        assert_eq!(vector.len(), 384);
        let length: f64 = vector.iter().map(|v| f64::from(*v) * f64::from(*v)).sum();
        assert!((length - 1.0).abs() < 1e-5, "{length}");
    }
    assert_eq!(model().token_ids(&huge).expect("ids").len(), 256);
    assert_eq!(model().token_ids("").expect("ids"), [101, 102]);
    assert_eq!(model().dims(), 384);
    let (name, hash) = model().id().split_once('@').expect("name@hash");
    assert!(!name.is_empty() && hash.len() == 12, "{}", model().id());
}

#[test]
fn what_holds_no_word_has_the_vector_of_no_text() {
    let embed = |text: &str| model().embed(text).expect("a vector");
    let (nothing, word) = (embed(""), embed("word"));
    let marks: String = ('\u{300}'..='\u{34e}').cycle().take(65_536).collect();
    let cases = [
        ("white space", " \t\r\n\u{2003}".into()),
        ("1 MB of control characters", "\u{1}\u{7f}".repeat(1 << 19)),
        ("65,536 combining marks", marks.clone()),
        (
            "what a lone surrogate of JavaScript becomes",
            "\u{fffd}".repeat(9),
        ),
    ];
    for (name, text) in cases {
        assert_eq!(embed(&text), nothing, "{name}");
        assert_eq!(embed("word"), word, "after {name}");
    }
    assert_eq!(embed(&format!("word{marks}")), word);
    assert_eq!(embed("w\u{fffd}or\u{0}d\u{fffd}"), word);
    assert_ne!(word, nothing);
}

#[test]
fn large_texts_are_cut_and_leave_the_model_sound() {
    let word = model().embed("word").expect("a vector");
    for piece in ["🙂 ", "🙂", "好", "a\u{301} ", "}{;", "[MASK]"] {
        let text = piece.repeat((1 << 20) / piece.len() + 1);
        let found = model().embed(&text).expect("a vector");
        let start = model().embed(&piece.repeat(4096 / piece.len()));
        // Past 256 pieces nothing counts; an endless word is unknown, however long it is.
        assert_eq!(Ok(found), start, "{piece:?}");
        assert_eq!(model().embed("word").as_ref(), Ok(&word), "after {piece:?}");
    }
}

#[test]
fn vectors_of_a_model_with_other_dims_do_not_mix() {
    let vector = model().embed("word").expect("a vector");
    let mut other = VectorStore::new(model().dims() * 2).expect("768 is fine");
    let refused = [
        other
            .push(&QuantVector::from_f32(&vector).expect("finite"))
            .map(|_| ()),
        other.scan(&vector).map(|_| ()),
    ];
    let wrong = |field| EmbedError::WrongDims {
        field,
        expected: 768,
        found: 384,
    };
    assert_eq!(refused, [Err(wrong("vector")), Err(wrong("query"))]);
    assert!(other.is_empty());
}

#[test]
fn meaning_is_found_without_shared_words() {
    let lessons = [
        "Row-level security keeps one tenant's rows from another tenant's queries.",
        "Use controlled components so that the form's values live in one place.",
        "Close the perpetual position before the funding rate flips.",
        "Pin the base image by digest so that the build is the same tomorrow.",
    ];
    let mut store = VectorStore::new(model().dims()).expect("384 is fine");
    for lesson in lessons {
        let vector = model().embed(lesson).expect("a vector");
        store
            .push(&QuantVector::from_f32(&vector).expect("finite"))
            .expect("same length");
    }
    for (query, expected) in [
        ("database security", 0),
        ("frontend state management", 1),
        ("trading futures", 2),
        ("docker", 3),
    ] {
        let cosines = store
            .scan(&model().embed(query).expect("a vector"))
            .expect("same length");
        let best = (0..lessons.len()).max_by(|a, b| cosines[*a].total_cmp(&cosines[*b]));
        assert_eq!(best, Some(expected), "{query}: {cosines:?}");
    }
}

#[test]
fn damaged_copies_are_refused_by_name() {
    let whole = pack();
    let with = |at: usize, byte: u8| {
        let mut copy = whole.clone();
        copy[at] ^= byte;
        copy
    };
    let code = |bytes: Vec<u8>| Model::load(bytes).expect_err("damaged").code();
    assert_eq!(code(Vec::new()), "pack_magic");
    assert_eq!(code(with(0, 1)), "pack_magic");
    assert_eq!(code(with(8, 1)), "pack_version");
    assert_eq!(code(whole[..whole.len() / 2].to_vec()), "pack_truncated");
    assert_eq!(code([whole.clone(), vec![0]].concat()), "wrong_dims");
    for at in [52, 100, 5000, whole.len() / 2, whole.len() - 1] {
        assert_eq!(code(with(at, 0x10)), "pack_hash", "byte {at}");
    }
    let error = Model::load(whole[..1000].to_vec()).expect_err("truncated");
    assert_eq!(
        error,
        EmbedError::Truncated {
            expected: whole.len() as u64,
            found: 1000
        }
    );
}

#[test]
fn the_pack_fits_an_edge_asset() {
    let len = pack().len();
    assert!(len <= 23_000_000, "{len} bytes");
}
