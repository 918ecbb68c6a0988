//! One sentence of 8, 32 and 128 tokens through the encoder natively, one thread, and what each kind of op takes.
//!
//! `LESSONLOOP_MODEL_PACK` is the pack; `cargo xtask bench embed` runs this after the browser's rounds.
#![allow(
    clippy::disallowed_methods,
    reason = "a bench reads the clock; nothing that is measured does"
)]

use lesson_embed::{Model, StageTime};
use std::time::Instant;

/// Rounds of each length; each is timed by itself.
const ROUNDS: usize = 60;

fn main() {
    let pack = match std::env::var("LESSONLOOP_MODEL_PACK").map(std::fs::read) {
        Ok(Ok(pack)) => pack,
        Ok(Err(error)) => panic!("LESSONLOOP_MODEL_PACK can't be read: {error}"),
        Err(_) => panic!("LESSONLOOP_MODEL_PACK is not set: run `cargo xtask bench embed`"),
    };
    let begun = Instant::now();
    let model = Model::load(pack).expect("the pack loads");
    println!(
        "Natively, one thread. The pack was checked and loaded in {:.0} ms.",
        begun.elapsed().as_secs_f64() * 1e3
    );
    println!("tokens   median ms   quartiles");
    for tokens in [8, 32, 128] {
        let text = vec!["lesson"; tokens - 2].join(" ");
        let found = model.token_ids(&text).expect("ids").len();
        assert_eq!(found, tokens, "the text has another number of tokens");
        let mut times: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let begun = Instant::now();
                std::hint::black_box(model.embed(&text).expect("a vector"));
                begun.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let at = |share: usize| times[ROUNDS * share / 4];
        println!("{tokens:6}   {:9.2}   {:.2}–{:.2}", at(2), at(1), at(3));
    }
    profile(&model, 128);
}

/// Each kind of op's share, from the fastest of some runs.
fn profile(model: &Model, tokens: usize) {
    let text = vec!["lesson"; tokens - 2].join(" ");
    let begun = Instant::now();
    let total = |stages: &[StageTime]| stages.iter().map(|stage| stage.time).sum::<f64>();
    let best = (0..ROUNDS)
        .map(|_| {
            model
                .profile(&text, || begun.elapsed().as_secs_f64())
                .expect("a profile")
        })
        .min_by(|a, b| total(a).total_cmp(&total(b)))
        .unwrap_or_default();
    println!("\nop        ms at {tokens} tokens   share   GMAC/s");
    for stage in &best {
        let rate = match stage.products {
            0 => String::new(),
            products => format!("{:.1}", products as f64 / stage.time / 1e9),
        };
        println!(
            "{:8} {:17.3}   {:4.1}%   {rate:>6}",
            stage.stage,
            stage.time * 1e3,
            100.0 * stage.time / total(&best)
        );
    }
}
