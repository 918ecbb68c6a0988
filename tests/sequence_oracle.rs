//! `SequenceMatcher` against CPython's difflib, to the bit, on generated and hand-picked pairs.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use difflib_exact::{Block, Opcode, OpcodeTag, SequenceMatcher, sequence_ratio};
use serde::Deserialize;

const GENERATED: usize = 22_000;
const SEED: u64 = 0x1e55_0211;

/// Texts with known traps; every one is compared with every other, in both orders.
const HAND_PICKED: &[&str] = &[
    "",
    "a",
    "b",
    "ab",
    "ba",
    "abcd",
    "bcde",
    "acab",
    " abcd",
    "abcd abcd",
    "qabxcd",
    "abycdf",
    "aaaaaaaaaa",
    "tide",
    "diet",
    "private Thread currentThread;",
    "private volatile Thread currentThread;",
    "How do I deploy the frontend to production?",
    "deploy frontend to production, how?",
    "Row-level security keeps tenants apart in Postgres.",
    "Multi-tenant isolation needs row level security in the database.",
    "Exit the position when TVL drops below $50k \u{2014} don't wait.",
    "caf\u{e9}",
    "cafe\u{301}",
    "e\u{301}e\u{301}e\u{301}",
    "\u{1f600}\u{1f601}\u{1f600}",
    "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
    "\u{6570}\u{636e}\u{5e93}\u{5b89}\u{5168}",
    "\u{5b89}\u{5168}\u{6570}\u{636e}",
    "\u{0}\u{1}\u{0}",
    "\u{10ffff}\u{e000}\u{d7ff}",
    "line one\nline two\r\nline three\t",
    "I\u{307}stanbul \u{130}stanbul \u{df}SS",
];

const WORDS: &[&str] = &[
    "the",
    "a",
    "deploy",
    "frontend",
    "database",
    "security",
    "row",
    "level",
    "tenant",
    "query",
    "position",
    "loss",
    "profit",
    "market",
    "when",
    "to",
    "of",
    "in",
    "cache",
    "index",
    "test",
    "flaky",
    "retry",
    "token",
    "limit",
    "liquidity",
    "pool",
    "stop",
    "exit",
    "before",
    "after",
    "never",
    "always",
    "\u{dc}berpr\u{fc}fung",
    "na\u{ef}ve",
    "\u{2014}",
    "\u{1f680}",
];

#[derive(Deserialize)]
struct Expected {
    ratio: String,
    quick_ratio: String,
    real_quick_ratio: String,
    blocks: Vec<(usize, usize, usize)>,
    opcodes: Vec<(String, usize, usize, usize, usize)>,
    longest: (usize, usize, usize),
}

struct Case {
    a: String,
    b: String,
    a_range: (usize, usize),
    b_range: (usize, usize),
}

#[test]
fn equals_cpython_difflib_to_the_bit() {
    let cases = cases();
    let expected = ask_python(&cases);
    assert_eq!(expected.len(), cases.len());
    assert!(cases.len() >= 20_000, "only {} pairs", cases.len());

    // One matcher lives through all pairs, so that nothing of an earlier pair may leak into a later one.
    let mut reused = SequenceMatcher::new("");
    for (case, want) in cases.iter().zip(&expected) {
        let Case { a, b, .. } = case;
        let mut fresh = SequenceMatcher::new(b);
        reused.set_b(b);
        for matcher in [&mut fresh, &mut reused] {
            check_one(case, want, matcher);
        }
        assert_eq!(bits(sequence_ratio(a, b)), want.ratio, "{a:?} {b:?}");
    }
    let distinct: BTreeSet<&str> = expected.iter().map(|e| e.ratio.as_str()).collect();
    assert!(distinct.len() > 1_000, "the pairs hardly differ");
}

fn check_one(case: &Case, want: &Expected, matcher: &mut SequenceMatcher) {
    let Case { a, b, .. } = case;
    let ratio = matcher.ratio(a);
    assert_eq!(bits(ratio), want.ratio, "ratio of {a:?} {b:?}");
    let quick = matcher.quick_ratio(a);
    assert_eq!(bits(quick), want.quick_ratio, "quick_ratio of {a:?} {b:?}");
    let real_quick = matcher.real_quick_ratio(a);
    assert_eq!(
        bits(real_quick),
        want.real_quick_ratio,
        "real_quick_ratio of {a:?} {b:?}"
    );
    assert!(ratio <= quick && quick <= real_quick);

    for cutoff in [0.0, 0.3, 0.6, 0.9, ratio] {
        let pruned = matcher.ratio_at_least(a, cutoff).map(bits);
        let whole = (ratio >= cutoff).then(|| bits(ratio));
        assert_eq!(pruned, whole, "cutoff {cutoff} of {a:?} {b:?}");
    }

    let blocks: Vec<_> = matcher
        .matching_blocks(a)
        .into_iter()
        .map(|Block { a, b, size }| (a, b, size))
        .collect();
    assert_eq!(blocks, want.blocks, "blocks of {a:?} {b:?}");

    let opcodes: Vec<_> = matcher
        .opcodes(a)
        .into_iter()
        .map(|Opcode { tag, a, b }| (tag_name(tag).to_owned(), a.start, a.end, b.start, b.end))
        .collect();
    assert_eq!(opcodes, want.opcodes, "opcodes of {a:?} {b:?}");

    let longest = matcher.find_longest_match(
        a,
        case.a_range.0..case.a_range.1,
        case.b_range.0..case.b_range.1,
    );
    assert_eq!(
        (longest.a, longest.b, longest.size),
        want.longest,
        "longest match of {a:?} {b:?} in {:?} {:?}",
        case.a_range,
        case.b_range
    );
}

fn tag_name(tag: OpcodeTag) -> &'static str {
    match tag {
        OpcodeTag::Replace => "replace",
        OpcodeTag::Delete => "delete",
        OpcodeTag::Insert => "insert",
        OpcodeTag::Equal => "equal",
    }
}

fn bits(value: f64) -> String {
    format!("{:016x}", value.to_bits())
}

fn ask_python(cases: &[Case]) -> Vec<Expected> {
    let script =
        Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("oracles/difflib_oracle.py");
    let mut python = Command::new("python3")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("this test needs CPython as its oracle: install python3 (3.8 or newer) and put it on PATH");

    let mut stdin = python.stdin.take().expect("stdin is piped");
    let lines: String = cases
        .iter()
        .map(|case| {
            let line = serde_json::json!([
                case.a,
                case.b,
                case.a_range.0,
                case.a_range.1,
                case.b_range.0,
                case.b_range.1
            ]);
            format!("{line}\n")
        })
        .collect();
    // Python answers while it reads: write from another thread, or both pipes fill up.
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = python.wait_with_output().expect("python3 ends");
    assert!(output.status.success(), "difflib_oracle.py failed");
    writer
        .join()
        .expect("the writer ends")
        .expect("python3 reads all pairs");

    String::from_utf8(output.stdout)
        .expect("UTF-8")
        .lines()
        .map(|line| serde_json::from_str(line).expect("one answer per line"))
        .collect()
}

fn cases() -> Vec<Case> {
    let mut random = Random(SEED);
    let mut texts: Vec<String> = HAND_PICKED.iter().map(|&text| text.to_owned()).collect();
    // Around the length from which difflib ignores popular elements, and around the widths of machine words.
    for length in [63, 64, 65, 127, 128, 129, 192, 198, 199, 200, 201, 202, 300] {
        texts.push("ab".chars().cycle().take(length).collect());
        texts.push(('\u{4e00}'..).take(length).collect());
        texts.push(random.text(Kind::Words, length));
        let mut late = "x".repeat(length - 3);
        late.push_str("yz!");
        texts.push(late);
    }
    let mut cases = Vec::new();
    for a in &texts {
        for b in &texts {
            cases.push(random.with_ranges(a.clone(), b.clone()));
        }
    }
    for number in 0..GENERATED {
        let (a, b) = random.pair(number);
        cases.push(random.with_ranges(a, b));
    }
    cases
}

#[derive(Clone, Copy)]
enum Kind {
    Two,
    Four,
    Words,
    Unicode,
    Runs,
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    fn pair(&mut self, number: usize) -> (String, String) {
        let kind = *self.pick(&[
            Kind::Two,
            Kind::Four,
            Kind::Words,
            Kind::Unicode,
            Kind::Runs,
        ]);
        let longest = match number % 40 {
            0 => 450,
            1 | 2 => 215,
            3..=8 => 140,
            9..=16 => 70,
            _ => 30,
        };
        let a_len = self.below(longest + 1);
        let a = self.text(kind, a_len);
        let b = match self.below(4) {
            0 => {
                let b_len = self.below(longest + 1);
                self.text(kind, b_len)
            }
            1 => a.clone(),
            _ => self.edited(&a, kind),
        };
        if self.below(2) == 0 { (a, b) } else { (b, a) }
    }

    fn text(&mut self, kind: Kind, length: usize) -> String {
        let mut text: Vec<char> = Vec::new();
        while text.len() < length {
            match kind {
                Kind::Two => text.push(*self.pick(&['a', 'b'])),
                Kind::Four => text.push(*self.pick(&['a', 'b', 'c', ' '])),
                Kind::Words => {
                    text.extend(self.pick(WORDS).chars());
                    text.push(' ');
                }
                Kind::Unicode => text.push(self.symbol()),
                Kind::Runs => {
                    let symbol = self.symbol();
                    let count = 1 + self.below(260);
                    text.extend(std::iter::repeat_n(symbol, count));
                    text.extend(['-', '.']);
                }
            }
        }
        text.truncate(length);
        text.into_iter().collect()
    }

    /// Letters, combining marks, emoji and anything else in Unicode; small pools, so that they repeat.
    fn symbol(&mut self) -> char {
        let code = match self.below(6) {
            0 => 0x61 + self.below(6),
            1 => 0x300 + self.below(4),
            2 => 0x1f600 + self.below(5),
            3 => 0x4e00 + self.below(12),
            4 => 0x3b1 + self.below(5),
            _ => self.below(0x11_0000),
        };
        u32::try_from(code)
            .ok()
            .and_then(char::from_u32)
            .unwrap_or('\u{fffd}')
    }

    fn edited(&mut self, text: &str, kind: Kind) -> String {
        let mut text: Vec<char> = text.chars().collect();
        for _ in 0..1 + self.below(5) {
            let at = self.below(text.len() + 1);
            let end = (at + self.below(12)).min(text.len());
            let length = self.below(8);
            let inserted: Vec<char> = self.text(kind, length).chars().collect();
            match self.below(3) {
                0 => drop(text.drain(at..end)),
                1 => drop(text.splice(at..end, inserted)),
                _ => {
                    let moved: Vec<char> = text.drain(at..end).collect();
                    let to = self.below(text.len() + 1);
                    text.splice(to..to, moved);
                }
            }
        }
        text.into_iter().collect()
    }

    fn with_ranges(&mut self, a: String, b: String) -> Case {
        let a_range = self.range(a.chars().count());
        let b_range = self.range(b.chars().count());
        Case {
            a,
            b,
            a_range,
            b_range,
        }
    }

    fn range(&mut self, length: usize) -> (usize, usize) {
        let (x, y) = (self.below(length + 1), self.below(length + 1));
        (x.min(y), x.max(y))
    }
}
