//! Rules without an order: what a text asks for is told by the things that it names in one breath, whatever the language's
//! order of words.

use super::rules::{Hit, Rules};
use super::tokens::Token;

/// All of these sets in one sentence, and none of those.
#[derive(Debug)]
pub(super) struct Bag {
    family: String,
    /// Within [`WIDE`] words, whatever sentences they are of.
    wide: bool,
    /// The first is looked for first: the rarest.
    parts: Vec<usize>,
    none: Vec<usize>,
}

impl Bag {
    fn read(line: &str, rules: &mut Rules) -> Option<Self> {
        let (family, parts) = line.split_once("&: ")?;
        let (family, wide) = match family.strip_suffix('&') {
            Some(family) => (family, true),
            None => (family, false),
        };
        let mut bag = Self {
            family: family.to_owned(),
            wide,
            parts: Vec::new(),
            none: Vec::new(),
        };
        for word in parts.split_whitespace() {
            match word.strip_prefix('!') {
                Some(word) => bag.none.push(rules.part(word)?),
                None => bag.parts.push(rules.part(word)?),
            }
        }
        (bag.parts.len() > 1).then_some(bag)
    }
}

/// The rules, and which of their sets a word may begin.
#[derive(Debug, Default)]
pub(super) struct Bags {
    rules: Vec<Bag>,
    by_word: Vec<Vec<usize>>,
}

/// Greatest distance from the first part to the others of a wide rule, in words.
const WIDE: usize = 45;
/// The same in a sentence, which may have no end.
const SENTENCE: usize = 60;
/// Number of words before a part among which one may deny it.
const DENIED: usize = 3;

/// Where the sequences of a set stand, in order.
type Places = Vec<(usize, usize)>;

impl Bags {
    /// Reads lines such as `family&: part part !part`; `&&` makes a rule wide. A line that is none is an error with the line.
    pub fn read(data: &str, rules: &mut Rules) -> Result<Self, String> {
        let mut bags = Self::default();
        for line in data.lines().filter(|line| !line.is_empty()) {
            if line.starts_with(['#', '%']) {
                continue;
            }
            let bag = Bag::read(line, rules).ok_or_else(|| format!("no rule: `{line}`"))?;
            bags.rules.push(bag);
        }
        bags.index(rules);
        Ok(bags)
    }

    /// Notes which sets a word may begin.
    fn index(&mut self, rules: &Rules) {
        let mut used: Vec<usize> = self
            .rules
            .iter()
            .flat_map(|bag| bag.parts.iter().chain(&bag.none))
            .copied()
            .collect();
        used.sort_unstable();
        used.dedup();
        for set in used {
            for word in rules.firsts(set) {
                let word = usize::from(word);
                if self.by_word.len() <= word {
                    self.by_word.resize(word + 1, Vec::new());
                }
                self.by_word[word].push(set);
            }
        }
    }

    /// The first rule all of whose parts stand together. Costs time linear in the text: each set is looked for once.
    pub fn find<'a>(&'a self, rules: &Rules, tokens: &[Token]) -> Option<Hit<'a>> {
        let places = self.places(rules, tokens);
        let sentences = sentences(tokens);
        self.rules.iter().find_map(|bag| {
            let (first, others) = bag.parts.split_first()?;
            places.get(*first)?.iter().find_map(|found| {
                let (from, to) = match bag.wide {
                    true => (found.0.saturating_sub(WIDE), found.1 + WIDE),
                    false => {
                        let (from, to) = *sentences.get(found.0)?;
                        (
                            from.max(found.0.saturating_sub(SENTENCE)),
                            to.min(found.1 + SENTENCE),
                        )
                    }
                };
                let within = |set: &usize| {
                    let all: &[(usize, usize)] = places.get(*set).map_or(&[], Vec::as_slice);
                    let begin = all.partition_point(|place| place.0 < from);
                    all[begin..]
                        .iter()
                        .take_while(move |place| place.0 < to)
                        .copied()
                };
                let mut taken = vec![*found];
                for set in others {
                    let free = |place: &(usize, usize)| {
                        taken
                            .iter()
                            .all(|held| place.1 <= held.0 || held.1 <= place.0)
                    };
                    let place = within(set).take(SENTENCE).find(free)?;
                    taken.push(place);
                }
                if bag.none.iter().any(|set| within(set).next().is_some())
                    || taken
                        .iter()
                        .any(|part| denied(rules, tokens, *part, &taken))
                {
                    return None;
                }
                let from = taken.iter().map(|part| part.0).min()?;
                let to = taken.iter().map(|part| part.1).max()?;
                (!(tokens[to - 1].quoted && rules.mentioned(tokens, from, to))).then_some(Hit {
                    family: &bag.family,
                    from,
                    to,
                })
            })
        })
    }

    /// Where each set stands, by the set's place among all.
    fn places(&self, rules: &Rules, tokens: &[Token]) -> Vec<Places> {
        let mut places: Vec<Places> = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            for id in &token.ids {
                for set in self.by_word.get(usize::from(*id)).into_iter().flatten() {
                    let Some(end) = rules.ends(*set, tokens, at).max() else {
                        continue;
                    };
                    if places.len() <= *set {
                        places.resize(set + 1, Vec::new());
                    }
                    if places[*set].last() != Some(&(at, end)) {
                        places[*set].push((at, end));
                    }
                }
            }
        }
        places
    }
}

/// For each word where its sentence begins and ends.
fn sentences(tokens: &[Token]) -> Vec<(usize, usize)> {
    let mut out = Vec::with_capacity(tokens.len());
    let mut from = 0;
    for (at, token) in tokens.iter().enumerate() {
        if token.ends_sentence || at + 1 == tokens.len() {
            out.resize(at + 1, (from, at + 1));
            from = at + 1;
        }
    }
    out
}

/// True if a word right before a part denies it, and is of no part itself.
fn denied(rules: &Rules, tokens: &[Token], part: (usize, usize), taken: &[(usize, usize)]) -> bool {
    (part.0.saturating_sub(DENIED)..part.0)
        .rev()
        .take_while(|at| !tokens[*at].ends_sentence)
        .any(|at| taken.iter().all(|held| at < held.0 || held.1 <= at) && rules.denies(tokens, at))
}
