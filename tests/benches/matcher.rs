//! `SequenceMatcher` beside the `difflib` crate and CPython in one run, and tool suggestions over a full book.
//!
//! Run with `cargo bench -p tests --bench matcher`. Rounds are interleaved, so that a slow moment of the machine hits
//! all of them alike.
#![allow(
    clippy::disallowed_methods,
    reason = "a bench reads the clock; nothing that is measured does"
)]

use std::hint::black_box;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use difflib_exact::{SequenceMatcher, sequence_ratio};
use lesson_core::{ToolBook, ToolPolicy};

const ROUNDS: usize = 15;
const DAY: i64 = 86_400_000;
const NOW: i64 = 1_760_000_000_000;
/// One frame at 60 Hz.
const FRAME_MS: f64 = 16.0;

fn main() {
    let sets = sets();
    compare(&sets);
    suggest_tools();
}

struct PairSet {
    name: &'static str,
    pairs: Vec<(String, String)>,
}

fn compare(sets: &[PairSet]) {
    let mut python = Python::start(sets);
    println!(
        "SequenceMatcher.ratio, microseconds per pair: median (fastest to slowest of {ROUNDS} rounds)\n"
    );
    println!(
        "{:<34} {:>24} {:>24} {:>24} {:>26} {:>9} {:>10}",
        "pairs", "this", "this, buffers kept", "difflib crate", "CPython", "x crate", "x CPython"
    );
    let mut notes = Vec::new();
    for (number, set) in sets.iter().enumerate() {
        let chars: Vec<(Vec<char>, Vec<char>)> = set
            .pairs
            .iter()
            .map(|(a, b)| (a.chars().collect(), b.chars().collect()))
            .collect();
        let mut kept = SequenceMatcher::new("");
        let [mut ours, mut ours_kept, mut of_crate, mut of_python] = [(); 4].map(|()| Vec::new());
        let mut answers = (Vec::new(), Vec::new(), Vec::new());
        // Round 0 warms up.
        for round in 0..=ROUNDS {
            let (spent, ratios) = timed(|| {
                let ratio = |(a, b): &(String, String)| sequence_ratio(a, b);
                set.pairs.iter().map(ratio).collect::<Vec<_>>()
            });
            ours.push(spent);
            answers.0 = ratios;

            let (spent, _) = timed(|| {
                let ratio = |(a, b): &(String, String)| {
                    kept.set_b(b);
                    kept.ratio(a)
                };
                set.pairs.iter().map(ratio).collect::<Vec<_>>()
            });
            ours_kept.push(spent);

            let (spent, ratios) = timed(|| {
                let ratio = |(a, b): &(Vec<char>, Vec<char>)| {
                    difflib::sequencematcher::SequenceMatcher::new(a, b).ratio()
                };
                chars.iter().map(ratio).collect::<Vec<_>>()
            });
            of_crate.push(spent);
            answers.1 = ratios;

            let (spent, ratios) = python.run(number);
            of_python.push(spent);
            answers.2 = ratios;
            if round == 0 {
                for spent in [&mut ours, &mut ours_kept, &mut of_crate, &mut of_python] {
                    spent.clear();
                }
            }
        }

        let count = set.pairs.len();
        let [ours, ours_kept, of_crate, of_python] = [ours, ours_kept, of_crate, of_python]
            .map(|spent| Spread::of(spent, 1e3 * count as f64));
        println!(
            "{:<34} {:>24} {:>24} {:>24} {:>26} {:>9.1} {:>10.1}",
            format!("{count} {}", set.name),
            ours.to_string(),
            ours_kept.to_string(),
            of_crate.to_string(),
            of_python.to_string(),
            of_crate.median / ours.median,
            of_python.median / ours.median
        );

        let (ours, of_crate, of_python) = answers;
        assert_eq!(
            ours.iter().map(|r| r.to_bits()).collect::<Vec<_>>(),
            of_python.iter().map(|r| r.to_bits()).collect::<Vec<_>>(),
            "{}: differs from CPython",
            set.name
        );
        let agreeing = of_crate
            .iter()
            .zip(&of_python)
            .filter(|(of_crate, of_python)| **of_crate == **of_python as f32)
            .count();
        notes.push(format!(
            "{}: {count} of {count} equal to CPython to the bit; the crate: {agreeing} of {count}, compared as f32",
            set.name
        ));
    }
    println!("\n{}\n", notes.join("\n"));
}

/// Runs `work` once and gives the nanoseconds and what it returned.
fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = black_box(work());
    (start.elapsed().as_nanos() as f64, result)
}

struct Spread {
    median: f64,
    fastest: f64,
    slowest: f64,
}

impl Spread {
    /// Of times in nanoseconds, divided by `unit`.
    fn of(mut times: Vec<f64>, unit: f64) -> Self {
        times.sort_by(f64::total_cmp);
        Self {
            median: times[times.len() / 2] / unit,
            fastest: times[0] / unit,
            slowest: times[times.len() - 1] / unit,
        }
    }
}

impl std::fmt::Display for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            median,
            fastest,
            slowest,
        } = self;
        write!(f, "{median:.2} ({fastest:.2} to {slowest:.2})")
    }
}

/// A CPython that times itself; it lives through the whole bench.
struct Python {
    child: Child,
    stdin: Option<ChildStdin>,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Python {
    fn start(sets: &[PairSet]) -> Self {
        let script = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap())
            .join("benches/difflib_timer.py");
        let mut child = Command::new("python3")
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this bench compares with CPython: install python3 (3.8 or newer) and put it on PATH");
        let mut stdin = child.stdin.take().expect("stdin is piped");
        let answers = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
        let pairs: Vec<_> = sets.iter().map(|set| &set.pairs).collect();
        let line = serde_json::to_string(&pairs).expect("texts are JSON");
        writeln!(stdin, "{line}").expect("python3 reads the pairs");
        Self {
            child,
            stdin: Some(stdin),
            answers,
        }
    }

    fn run(&mut self, set: usize) -> (f64, Vec<f64>) {
        let stdin = self.stdin.as_mut().expect("open until dropped");
        writeln!(stdin, "{set}").expect("python3 listens");
        let line = self.answers.next().expect("an answer").expect("UTF-8");
        let (spent, bits): (f64, Vec<String>) = serde_json::from_str(&line).expect("an answer");
        let ratio = |hex: &String| u64::from_str_radix(hex, 16).expect("16 hex digits");
        let ratios = bits.iter().map(|hex| f64::from_bits(ratio(hex)));
        (spent, ratios.collect())
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        // It ends at the end of its input.
        self.stdin = None;
        let _ = self.child.wait();
    }
}

type MakeQuery = fn(&mut Random) -> String;

fn suggest_tools() {
    let policy = ToolPolicy::default();
    println!("Tool suggestion, milliseconds per query: median (fastest to slowest)\n");
    println!(
        "{:<46} {:>8} {:>10} {:>26} {:>12}",
        "records", "records", "sharing", "suggest", "of a frame"
    );
    let mut random = Random(3);
    let books: [(&str, MakeQuery); 4] = [
        ("mixed queries, as they come", Random::query),
        ("every record shares a word with the query", |r| {
            format!("deploy {}", r.query())
        }),
        ("no word in common, spelling only", |r| {
            r.query().replace(' ', "_")
        }),
        ("150 characters each, every one shares a word", |r| {
            format!("deploy {}", r.text(150))
        }),
    ];
    for (name, query) in books {
        let mut book = ToolBook::default();
        let mut age = 0;
        while book.records().len() < policy.max_records {
            age += 1;
            let server = format!("server-{:02}", random.below(25));
            book.record(&query(&mut random), &server, NOW - age * DAY / 300, &policy);
        }
        let asked: Vec<String> = (0..20)
            .map(|_| format!("deploy {}", random.query()))
            .collect();
        let sharing = book
            .records()
            .iter()
            .filter(|record| record.query.contains("deploy "))
            .count();
        let mut spent = Vec::new();
        for query in asked.iter().cycle().take(asked.len() * ROUNDS) {
            let (nanoseconds, _) = timed(|| book.suggest(query, NOW, 5, &policy));
            spent.push(nanoseconds);
        }
        let spread = Spread::of(spent, 1e6);
        println!(
            "{name:<46} {:>8} {sharing:>10} {:>26} {:>11.0}%",
            book.records().len(),
            spread.to_string(),
            100.0 * spread.median / FRAME_MS
        );
    }
}

fn sets() -> Vec<PairSet> {
    let mut random = Random(1);
    let mut set = |name, count, make: &mut dyn FnMut(&mut Random) -> (String, String)| PairSet {
        name,
        pairs: (0..count).map(|_| make(&mut random)).collect(),
    };
    vec![
        set("tool queries", 2_000, &mut |r| (r.query(), r.query())),
        set("edited tool queries", 2_000, &mut |r| {
            let query = r.query();
            let edited = r.edited(&query);
            (query, edited)
        }),
        set("sentences, 100 to 199", 500, &mut |r| {
            let (a, b) = (100 + r.below(100), 100 + r.below(100));
            (r.text(a), r.text(b))
        }),
        set("edited texts, 300 to 900", 60, &mut |r| {
            let length = 300 + r.below(600);
            let text = r.text(length);
            let edited = r.edited(&text);
            (text, edited)
        }),
        set("Chinese, 20 to 400", 300, &mut |r| {
            let (a, b) = (20 + r.below(380), 20 + r.below(380));
            (r.chinese(a), r.chinese(b))
        }),
        set("repeats (a b a b …), 198", 40, &mut |r| {
            let from = r.below(9);
            let cycle = |n: usize| "ab".repeat(99)[n..].to_owned();
            (cycle(from), cycle(0))
        }),
    ]
}

const VERBS: &[&str] = &[
    "deploy",
    "query",
    "inspect",
    "restart",
    "summarise",
    "find",
    "fix",
    "compare",
    "open",
    "list",
    "explain",
    "measure",
    "rotate",
    "migrate",
    "review",
    "trace",
    "sell",
    "rebalance",
    "close",
];
const OBJECTS: &[&str] = &[
    "frontend",
    "database schema",
    "slow query",
    "access token",
    "pull request",
    "flaky test",
    "liquidity position",
    "browser console",
    "container logs",
    "search index",
    "edge function",
    "calendar",
    "invoice",
    "design tokens",
    "memory leak",
    "order book",
    "wallet balance",
];
const PLACES: &[&str] = &[
    "in production",
    "on staging",
    "for the new tenant",
    "before the release",
    "with row level security",
    "after the outage",
    "in the dashboard",
    "on the main branch",
    "without downtime",
    "this week",
    "for all users",
    "under load",
    "",
];

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end as u64) as usize
    }

    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        from[self.below(from.len())]
    }

    /// 15 to 70 characters, such as "how do I restart the search index on staging #41".
    fn query(&mut self) -> String {
        let opening = self.pick(&["", "how do I ", "please ", "can you ", "I need to "]);
        let (verb, object, place) = (self.pick(VERBS), self.pick(OBJECTS), self.pick(PLACES));
        format!("{opening}{verb} the {object} {place} #{}", self.below(100))
    }

    fn text(&mut self, length: usize) -> String {
        let mut text = String::new();
        while text.len() < length {
            text.push_str(&self.query());
            text.push_str(". ");
        }
        text.truncate(length);
        text
    }

    /// From 300 characters, so that runs of two and three repeat.
    fn chinese(&mut self, length: usize) -> String {
        let mut text = String::new();
        for _ in 0..length {
            let most = 1 + self.below(300);
            text.extend(char::from_u32(0x4e00 + self.below(most) as u32));
        }
        text
    }

    fn edited(&mut self, text: &str) -> String {
        let mut text: Vec<char> = text.chars().collect();
        for _ in 0..1 + self.below(4) {
            let at = self.below(text.len());
            let end = (at + self.below(6)).min(text.len());
            let inserted = self.pick(&["", "x", "the ", "never "]);
            text.splice(at..end, inserted.chars());
        }
        text.into_iter().collect()
    }
}
