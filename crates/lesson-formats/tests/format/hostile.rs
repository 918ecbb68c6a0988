//! Hostile input, against the clock.

use crate::NOW;
use cpu_time::ThreadTime;
use lesson_formats::{Format, parse};
use std::time::Duration;

/// Reads hostile input in every format within a bound that a quadratic reader would break.
#[test]
fn hostile_input_takes_bounded_time() {
    let deep = 100_000;
    let bomb: String = (0..30)
        .map(|n| format!("a{n}: &a{n} [*a{0}, *a{0}, *a{0}]\n", n.max(1) - 1))
        .collect();
    let inputs = [
        "[".repeat(deep),
        "{\"a\":".repeat(deep),
        format!("---\n{}\n---\nx", "[".repeat(deep)),
        format!("---\n{}\n---\nx", "{a: ".repeat(deep)),
        format!("---\n{bomb}---\nx"),
        format!(
            "---\n{}---\nx",
            (0..deep).map(|n| format!("k{n}: v\n")).collect::<String>()
        ),
        format!("---\ntitle: {}\n---\nx", "'".repeat(1 << 20)),
        "x".repeat(1 << 20),
        "# ".repeat(1 << 19),
        "**Context:** a\n".repeat(50_000),
        "## Context\n".repeat(50_000),
        "[a-1] helpful=1 harmful=0 :: t\n".repeat(30_000),
        "```\n".repeat(200_000),
        "- ".repeat(1 << 19),
        format!("{{\"title\":\"{}\"}}", "\\u0041".repeat(100_000)),
    ];
    let formats = [
        Format::Auto,
        Format::Markdown,
        Format::Json,
        Format::Jsonl,
        Format::Ace,
        Format::Reflections,
    ];
    for (place, input) in inputs.iter().enumerate() {
        for format in formats {
            // Time that other programs take of the machine does not count.
            let start = ThreadTime::now();
            let parsed = parse("a.md", input, format, NOW);
            assert!(
                start.elapsed() < Duration::from_secs(5),
                "input {place} as {format:?} took {:?}",
                start.elapsed()
            );
            assert!(
                parsed.lessons.len() + parsed.rejected.len() > 0,
                "input {place} as {format:?} gave nothing"
            );
        }
    }
}
