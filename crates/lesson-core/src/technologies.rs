//! Names of technologies: the ways in which one is written (`nextjs`, `Next.js`, `Next JS`), and what a compound such as
//! `postgresql-supabase` stands for.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::OnceLock;

const TABLE: &str = include_str!("../data/technologies.txt");

/// Shortest name that is known inside a text or a compound, in bytes: `js` and `go` are words of their own there.
const SHORTEST: usize = 3;
/// Most words of a name that is looked for in a text.
const MOST_WORDS: usize = 3;
/// Longest first word of such a name, in bytes.
const LONGEST_HEAD: usize = 16;

struct Table {
    /// The name of each way to write one, without what does not count.
    names: HashMap<String, &'static str>,
    /// Those that are written as so many words.
    phrases: BTreeSet<String>,
    /// The first words of those, in order.
    heads: Vec<&'static str>,
    /// The ways that are no words of texts: they say something else there.
    whole_only: BTreeSet<&'static str>,
    /// The other ways to write each, for lookups elsewhere.
    others: HashMap<&'static str, Vec<&'static str>>,
}

fn table() -> &'static Table {
    static HELD: OnceLock<Table> = OnceLock::new();
    HELD.get_or_init(|| {
        let mut table = Table {
            names: HashMap::new(),
            phrases: BTreeSet::new(),
            heads: Vec::new(),
            whole_only: BTreeSet::new(),
            others: HashMap::new(),
        };
        let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
        for line in lines {
            let (name, others) = line.split_once('=').unwrap_or((line, ""));
            let name = name.trim();
            if name.is_empty() {
                continue;
            }
            table.names.insert(folded(name), name);
            for other in others.split(',').map(str::trim).filter(|it| !it.is_empty()) {
                if let Some(other) = other.strip_prefix('~') {
                    table.names.insert(folded(other), name);
                    table.whole_only.insert(other);
                    continue;
                }
                table.names.insert(folded(other), name);
                if let Some((head, _)) = other.split_once(['.', ' ']) {
                    table.phrases.insert(folded(other));
                    table.heads.push(head);
                }
                table.others.entry(name).or_default().push(other);
            }
        }
        table.heads.retain(|head| !head.is_empty());
        table.heads.sort_unstable();
        table.heads.dedup();
        table
    })
}

/// A name without case, dots, blanks, dashes and underscores.
fn folded(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '.' | ' ' | '-' | '_'))
        .flat_map(char::to_lowercase)
        .collect()
}

/// The names by which a technology is compared: its own, and those of the known ones that a compound is made of. Two that
/// share one are the same.
///
/// ```
/// use lesson_core::technology_names;
/// assert_eq!(technology_names("Next.js"), technology_names("NextJS"));
/// assert!(technology_names("postgresql-supabase").contains(&"postgresql".to_owned()));
/// ```
pub fn technology_names(written: &str) -> Vec<String> {
    let table = table();
    let whole = folded(written);
    if let Some(name) = table.names.get(&whole) {
        return vec![(*name).to_owned()];
    }
    let mut names = vec![whole];
    let parts = written.split(|c: char| !(c.is_alphanumeric() || c == '.'));
    for part in parts.map(folded).filter(|part| part.len() >= SHORTEST) {
        if let Some(name) = table.names.get(&part)
            && !names.iter().any(|held| held == name)
        {
            names.push((*name).to_owned());
        }
    }
    names
}

/// The name that a lower-cased word is a way to write of; `None` for a word that is none, or that is the name itself.
pub(crate) fn name_of_word(word: &str) -> Option<&'static str> {
    let known = |key: &str| table().names.get(key).copied().filter(|name| *name != word);
    if word.len() < SHORTEST || !word.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    if word.contains(['.', '-', '_']) {
        return known(&folded(word));
    }
    known(word).filter(|_| !table().whole_only.contains(word))
}

/// Other ways to write a name, as single words.
pub(crate) fn other_words(name: &str) -> impl Iterator<Item = &'static str> {
    let others = table().others.get(name);
    let words = others.into_iter().flatten().copied();
    words.filter(|other| !other.contains(' ') && other.len() >= SHORTEST)
}

/// The names of technologies that a text writes as several words, such as `Next JS`.
pub(crate) fn named_in_words(text: &str) -> impl Iterator<Item = &'static str> {
    let named = named_in_parts(text).into_iter();
    named.filter_map(|(range, name)| text[range].contains(' ').then_some(name))
}

/// True if a name of several words may begin with this one.
fn is_head(run: &str) -> bool {
    let mut lowered = [0; LONGEST_HEAD];
    let Some(lowered) = lowered.get_mut(..run.len()) else {
        return false;
    };
    lowered.copy_from_slice(run.as_bytes());
    lowered.make_ascii_lowercase();
    let heads = &table().heads;
    heads
        .binary_search_by(|head| head.as_bytes().cmp(lowered))
        .is_ok()
}

/// Where a text names a technology in several parts, such as `Next JS`, `Next.js` and `NextJS`, in order, and its name.
pub(crate) fn named_in_parts(text: &str) -> Vec<(Range<usize>, &'static str)> {
    let mut found = Vec::new();
    let runs: Vec<Range<usize>> = runs(text);
    let mut at = 0;
    while at < runs.len() {
        let most = if is_head(&text[runs[at].clone()]) {
            MOST_WORDS.min(runs.len() - at)
        } else {
            1
        };
        let longest = (1..=most).rev().find_map(|words| {
            let range = runs[at].start..runs[at + words - 1].end;
            let written = &text[range.clone()];
            let parted = words > 1 || has_parts(written);
            if !parted || (words > 1 && !is_apart_by_blanks(&runs[at..at + words], text)) {
                return None;
            }
            let key = folded(written);
            let name = table().names.get(&key).copied()?;
            (words == 1 || table().phrases.contains(&key)).then_some((words, range, name))
        });
        match longest {
            Some((words, range, name)) => {
                found.push((range, name));
                at += words;
            }
            None => at += 1,
        }
    }
    found
}

/// Runs of letters, digits and the marks that join them.
fn runs(text: &str) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut start = None;
    let ends = |runs: &mut Vec<Range<usize>>, start: usize, end: usize| {
        let run = &text[start..end];
        let trimmed = run.trim_matches(['.', '-', '_']);
        if !trimmed.is_empty() {
            let from = start + run.find(trimmed).unwrap_or_default();
            runs.push(from..from + trimmed.len());
        }
    };
    for (at, c) in text.char_indices() {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') || c.is_alphanumeric() {
            start = start.or(Some(at));
        } else if let Some(from) = start.take() {
            ends(&mut runs, from, at);
        }
    }
    if let Some(from) = start {
        ends(&mut runs, from, text.len());
    }
    runs
}

fn is_apart_by_blanks(runs: &[Range<usize>], text: &str) -> bool {
    runs.windows(2)
        .all(|pair| &text[pair[0].end..pair[1].start] == " ")
}

/// True if a single run has parts of its own: marks, or a capital after a small letter.
fn has_parts(run: &str) -> bool {
    run.contains(['.', '-', '_'])
        || run
            .as_bytes()
            .windows(2)
            .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::{TABLE, folded, named_in_parts, technology_names};
    use std::collections::BTreeMap;

    #[test]
    fn one_way_to_write_names_one_technology() {
        let mut met: BTreeMap<String, &str> = BTreeMap::new();
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            let (name, others) = line.split_once('=').unwrap_or((line, ""));
            let name = name.trim();
            assert_eq!(folded(name), name, "the first is as it is compared");
            for way in others.split(',').chain([name]) {
                let key = folded(way.trim().trim_start_matches('~'));
                if key.is_empty() {
                    continue;
                }
                let other = met.insert(key.clone(), name);
                assert!(
                    other.is_none_or(|other| other == name),
                    "{key} is {other:?} and {name}"
                );
            }
        }
    }

    #[test]
    fn a_technology_is_the_same_however_it_is_written() {
        let same = |one: &str, two: &str| {
            let two = technology_names(two);
            technology_names(one).iter().any(|name| two.contains(name))
        };
        for (one, two) in [
            ("nextjs", "Next.js"),
            ("Next JS", "NextJS"),
            ("postgres", "PostgreSQL"),
            ("postgresql-supabase", "postgres"),
            ("postgresql-supabase", "supabase"),
            ("js", "JavaScript"),
            ("node.js", "Node"),
            ("k8s", "kubernetes"),
            ("my-own-thing", "My Own Thing"),
        ] {
            assert!(same(one, two), "{one} {two}");
        }
        for (one, two) in [
            ("react", "react-native"),
            ("java", "javascript"),
            ("go", "mongo"),
            ("nextjs", "nestjs"),
            ("css", "tailwind css"),
        ] {
            assert!(!same(one, two), "{one} {two}");
        }
    }

    #[test]
    fn a_text_names_technologies_in_parts() {
        let named = |text| -> Vec<&str> {
            named_in_parts(text)
                .into_iter()
                .map(|(_, name)| name)
                .collect()
        };
        assert_eq!(named("Use Next JS, or Next.js."), ["nextjs", "nextjs"]);
        assert_eq!(named("NextJS with Tailwind CSS"), ["nextjs", "tailwindcss"]);
        assert!(named("the next jsonl file, next. JS").is_empty());
        assert!(named("nextjs and react").is_empty());
        assert_eq!(named("ein Café mit Node.js…"), ["nodejs"]);
    }
}
