//! Text that speaks to the agent which reads it: orders to drop its instructions, new roles, leaks,
//! spoofed turns and tool calls. What it looks for is data: `rules.txt`,
//! `languages.txt`, `bags.txt`, `markup.txt` and `packages.txt`.

mod bags;
mod encoded;
mod lexicon;
mod marks;
mod rules;
mod squat;
mod tokens;

use super::plain::plain;
use aho_corasick::AhoCorasick;
use bags::Bags;
use rules::Rules;
use std::sync::LazyLock;
use tokens::{Token, quotations, tokens};

/// Orders of a kind begin with so many words that a longer finding says no more.
const SHOWN: usize = 160;

/// Rules without an order, and their sets.
const BAGS: &str = include_str!("bags.txt");

const TABLES: [&str; 3] = [
    include_str!("rules.txt"),
    include_str!("languages.txt"),
    BAGS,
];

static RULES: LazyLock<(Rules, Bags)> = LazyLock::new(|| read().unwrap_or_default());

fn read() -> Result<(Rules, Bags), String> {
    let mut rules = Rules::read(&TABLES)?;
    let bags = Bags::read(BAGS, &mut rules)?;
    Ok((rules, bags))
}

static MARKUP: LazyLock<Vec<&str>> = LazyLock::new(|| {
    include_str!("markup.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect()
});

static MARKUP_FINDER: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(MARKUP.iter()).ok());

/// Finds what the text does to its reader, in words; `None` when it does nothing. Costs time linear in the text.
pub(super) fn found(text: &str) -> Option<String> {
    let read = plain(text);
    let lexicon = &RULES.0.lexicon;
    let words = tokens(&read, lexicon);
    judged(&read, &words).or_else(|| {
        encoded::readings(text, &read, lexicon)
            .into_iter()
            .find_map(|(how, reading)| {
                let read = plain(&reading);
                let words = tokens(&read, lexicon);
                judged(&read, &words).map(|what| format!("{how} {what}"))
            })
    })
}

/// The same of one reading.
fn judged(read: &str, words: &[Token]) -> Option<String> {
    if let Some(tag) = markup(read, words) {
        return Some(format!("spoofs a turn or a tool call: `{tag}`"));
    }
    let (rules, bags) = &*RULES;
    let Some(hit) = rules.find(words).or_else(|| bags.find(rules, words)) else {
        return squat::found(read).map(|(name, known)| {
            format!("names a package a letter away from `{known}`: `{name}`")
        });
    };
    let mut quote = words[hit.from..hit.to]
        .iter()
        .map(|token| token.word.as_str())
        .collect::<Vec<_>>()
        .join(" ");
    if let Some((end, _)) = quote.char_indices().nth(SHOWN) {
        quote.truncate(end);
        quote.push('…');
    }
    let what = match hit.family {
        "role" => "gives another role to the agent that reads it",
        "authority" => "claims authority over the agent that reads it",
        "leak" => "asks for what is confidential",
        "secret" => "asks to act behind the user's back",
        "address" => "addresses the agent that reads it",
        "act" => "tells the agent that reads it to act",
        "score" => "asks to be rated or spread",
        "turn" => "spoofs a turn",
        "tool" => "spoofs a tool call",
        _ => "gives orders to the agent that reads it",
    };
    Some(format!("{what}: \"{quote}\""))
}

/// Markup, with blanks left out of account; not where it is quoted alone and spoken of.
fn markup(read: &str, words: &[Token]) -> Option<&'static str> {
    let mut tight = String::with_capacity(read.len());
    let mut places = Vec::with_capacity(read.len());
    for (at, c) in read.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        tight.push(c);
        places.resize(tight.len(), at);
    }
    let finder = MARKUP_FINDER.as_ref()?;
    let mut spans = None;
    for hit in finder.find_iter(&tight) {
        let tag = MARKUP.get(hit.pattern().as_usize()).copied()?;
        let (from, to) = (*places.get(hit.start())?, *places.get(hit.end() - 1)?);
        let spans = spans.get_or_insert_with(|| quotations(read));
        let within = spans.partition_point(|(_, end)| *end <= from);
        let alone = spans.get(within).is_some_and(|(start, end)| {
            *start <= from && to < *end && end - start <= to - from + 4
        });
        let from = words.partition_point(|word| word.at < from);
        let to = words.partition_point(|word| word.at <= to);
        if !(alone && RULES.0.mentioned(words, from, to)) {
            return Some(tag);
        }
    }
    read.lines()
        .any(|line| line.trim_start().starts_with("<system>"))
        .then_some("<system>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_are_rules() {
        assert_eq!(read().err(), None);
        for line in [
            "order: ",
            "order: %nothing",
            "order: a{1",
            "a word",
            "order: ..4",
        ] {
            assert!(Rules::read(&[line]).is_err(), "{line}");
        }
    }
}
