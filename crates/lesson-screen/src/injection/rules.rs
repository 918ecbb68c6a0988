//! Rules over words: their form, how they are read from the data, and how they are matched.

use super::lexicon::{Lexicon, WordId};
use super::tokens::{Token, entry};
use std::collections::BTreeMap;

/// All rules with the lexicon of their words.
#[derive(Debug, Default)]
pub(super) struct Rules {
    pub lexicon: Lexicon,
    sets: Vec<Set>,
    rules: Vec<Rule>,
    /// Rules by the first word of what they match.
    starts: Vec<Vec<usize>>,
    /// The sets by their names.
    names: BTreeMap<String, usize>,
    denial: Option<usize>,
    mention: Option<usize>,
    lead: Option<usize>,
    caution: Option<usize>,
}

/// Words, or sequences of them, any of which may stand in a place.
#[derive(Debug, Default, Clone)]
struct Set(BTreeMap<WordId, Vec<Vec<WordId>>>);

impl Set {
    fn take(&mut self, other: Self) {
        for (first, sequences) in other.0 {
            self.0.entry(first).or_default().extend(sequences);
        }
    }
}

#[derive(Debug)]
struct Rule {
    family: String,
    excuse: Excuse,
    elements: Vec<Element>,
}

/// Excuse that a rule accepts of a text that it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Excuse {
    /// Nothing.
    None,
    /// A denial right before it, or a quotation that is spoken of.
    Clause,
    /// Also a denial anywhere before it in the sentence.
    Sentence,
    /// A denial before it in the sentence, or a word of caution anywhere in it; no quotation, since
    /// what it matches is mostly quoted.
    Caution,
}

#[derive(Debug)]
enum Element {
    /// One of a set, so many times; before a colon if that is asked.
    Words {
        set: usize,
        least: usize,
        most: usize,
        colon: bool,
    },
    /// At most so many words of any kind, within the sentence or not.
    Gap { most: usize, crosses: bool },
    /// None of a set may follow.
    Not(usize),
    /// The next word begins a clause, or follows a word that goes before an order.
    Clause,
    /// The next word begins a line, or there is none.
    Line,
    /// The last word ended a sentence.
    End,
}

/// Match of a rule: its family, and the words from `from` up to `to`.
pub(super) struct Hit<'a> {
    pub family: &'a str,
    pub from: usize,
    pub to: usize,
}

/// Most steps that one rule takes from one word, so that matching stays linear.
const STEPS: usize = 2_000;
/// Number of words before a match among which one may deny it.
const DENIED: usize = 2;
/// Number of words before it among which one may deny the whole sentence.
const SENTENCE: usize = 30;
/// Number of words around a quotation among which one may speak of it.
const MENTIONED: usize = 12;

impl Rules {
    /// Reads tables of rules; a line that is none is an error with the line.
    pub fn read(tables: &[&str]) -> Result<Self, String> {
        let mut rules = Self::default();
        for line in tables.iter().flat_map(|table| table.lines()).map(str::trim) {
            // Rules without an order are read by themselves; their sets are of these.
            if line.is_empty() || line.starts_with('#') || line.contains("&: ") {
                continue;
            }
            if let Some((name, words)) =
                line.strip_prefix('%').and_then(|line| line.split_once('='))
            {
                let set = rules.set(words.split_whitespace());
                // A set may be written in several lines.
                let known = rules.named(name.trim());
                match known.and_then(|known| rules.sets.get_mut(known)) {
                    Some(held) => held.take(set),
                    None => {
                        let place = rules.add(set);
                        rules.names.insert(name.trim().to_owned(), place);
                    }
                }
                continue;
            }
            let rule = rules
                .rule(line)
                .ok_or_else(|| format!("no rule: `{line}`"))?;
            rules.rules.push(rule);
        }
        rules.denial = rules.named("denial");
        rules.mention = rules.named("mention");
        rules.lead = rules.named("lead");
        rules.caution = rules.named("caution");
        for (at, rule) in rules.rules.iter().enumerate() {
            let first = rule.elements.iter().find_map(|element| match element {
                Element::Words {
                    set, least: 1.., ..
                } => rules.sets.get(*set),
                _ => None,
            });
            let first = first.ok_or_else(|| format!("rule {at} begins with no word"))?;
            for word in first.0.keys() {
                let word = usize::from(*word);
                if rules.starts.len() <= word {
                    rules.starts.resize(word + 1, Vec::new());
                }
                rules.starts[word].push(at);
            }
        }
        Ok(rules)
    }

    fn named(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied()
    }

    fn add(&mut self, set: Set) -> usize {
        self.sets.push(set);
        self.sets.len() - 1
    }

    /// A set of words and named sets; none where a name is unknown.
    pub fn part(&mut self, word: &str) -> Option<usize> {
        if let Some(known) = word.strip_prefix('%').and_then(|name| self.named(name)) {
            return Some(known);
        }
        let union = self.union(word.split('|'))?;
        Some(self.add(union))
    }

    /// The words that the sequences of a set begin with.
    pub fn firsts(&self, set: usize) -> impl Iterator<Item = WordId> {
        self.sets
            .get(set)
            .into_iter()
            .flat_map(|set| set.0.keys().copied())
    }

    fn set<'a>(&mut self, words: impl Iterator<Item = &'a str>) -> Set {
        let mut set = Set::default();
        for word in words {
            let mut sequence = Vec::new();
            for part in word.split('_') {
                let beginning = part.ends_with('*');
                let parts = entry(part.trim_end_matches('*'));
                let last = parts.len();
                for (place, part) in parts.into_iter().enumerate() {
                    sequence.push(self.lexicon.add(&part, beginning && place + 1 == last));
                }
            }
            if let Some(first) = sequence.first() {
                set.0.entry(*first).or_default().push(sequence);
            }
        }
        set
    }

    /// Words and named sets as one set.
    fn union<'a>(&mut self, parts: impl Iterator<Item = &'a str>) -> Option<Set> {
        let (named, words): (Vec<&str>, Vec<&str>) = parts.partition(|part| part.starts_with('%'));
        let mut union = self.set(words.into_iter());
        for name in named {
            let set = self.sets.get(self.named(&name[1..])?)?;
            union.take(set.clone());
        }
        (!union.0.is_empty()).then_some(union)
    }

    /// `family: element element …`
    fn rule(&mut self, line: &str) -> Option<Rule> {
        let (family, body) = line.split_once(": ")?;
        let (family, excuse) = [
            ('=', Excuse::None),
            ('~', Excuse::Sentence),
            ('+', Excuse::Caution),
        ]
        .into_iter()
        .find_map(|(sign, excuse)| Some((family.strip_suffix(sign)?, excuse)))
        .unwrap_or((family, Excuse::Clause));
        let elements = body
            .split_whitespace()
            .map(|word| self.element(word))
            .collect::<Option<Vec<_>>>()?;
        Some(Rule {
            family: family.to_owned(),
            excuse,
            elements,
        })
    }

    fn element(&mut self, word: &str) -> Option<Element> {
        match word {
            "^" => return Some(Element::Clause),
            "^^" => return Some(Element::Line),
            "$" => return Some(Element::End),
            _ => {}
        }
        if let Some(most) = word.strip_prefix("...") {
            let most = most.parse().ok()?;
            return Some(Element::Gap {
                most,
                crosses: true,
            });
        }
        if let Some(most) = word.strip_prefix("..") {
            let most = most.parse().ok()?;
            return Some(Element::Gap {
                most,
                crosses: false,
            });
        }
        let (word, not) = match word.strip_prefix('!') {
            Some(word) => (word, true),
            None => (word, false),
        };
        let (word, colon) = match word.strip_suffix(':') {
            Some(word) => (word, true),
            None => (word, false),
        };
        let (word, least, most) = match word.strip_suffix('?') {
            Some(word) => (word, 0, 1),
            None => match word.split_once('{') {
                Some((word, bounds)) => {
                    let (least, most) = bounds.strip_suffix('}')?.split_once(',')?;
                    (word, least.parse().ok()?, most.parse().ok()?)
                }
                None => (word, 1, 1),
            },
        };
        let set = self.part(word)?;
        Some(if not {
            Element::Not(set)
        } else {
            Element::Words {
                set,
                least,
                most,
                colon,
            }
        })
    }

    /// The first place where a rule holds and nothing excuses it.
    pub fn find(&self, tokens: &[Token]) -> Option<Hit<'_>> {
        let mut tried: Vec<usize> = Vec::new();
        for from in 0..tokens.len() {
            tried.clear();
            for id in &tokens[from].ids {
                tried.extend(self.starts.get(usize::from(*id)).into_iter().flatten());
            }
            // In the order of the data, whichever word of a token led to them.
            tried.sort_unstable();
            tried.dedup();
            for rule in tried.iter().filter_map(|at| self.rules.get(*at)) {
                let mut steps = STEPS;
                if let Some(to) = self.holds(tokens, from, &rule.elements, from, &mut steps)
                    && !self.excused(tokens, from, to, rule.excuse)
                {
                    return Some(Hit {
                        family: &rule.family,
                        from,
                        to,
                    });
                }
            }
        }
        None
    }

    /// Where a match of these elements from this word ends.
    fn holds(
        &self,
        tokens: &[Token],
        start: usize,
        elements: &[Element],
        at: usize,
        steps: &mut usize,
    ) -> Option<usize> {
        *steps = steps.checked_sub(1)?;
        let Some((element, rest)) = elements.split_first() else {
            return Some(at);
        };
        let go = |at: usize, steps: &mut usize| self.holds(tokens, start, rest, at, steps);
        match element {
            Element::Clause => {
                let word = tokens.get(at)?;
                let leads = at > 0 && self.is_lead(&tokens[at - 1]);
                (word.begins_clause || leads).then(|| go(at, steps))?
            }
            Element::Line => match tokens.get(at) {
                Some(word) if !word.begins_line => None,
                _ => go(at, steps),
            },
            Element::End => (at > start && tokens[at - 1].ends_sentence).then(|| go(at, steps))?,
            Element::Not(set) => match self.ends(*set, tokens, at).next() {
                Some(_) => None,
                None => go(at, steps),
            },
            Element::Gap { most, crosses } => (0..=*most)
                .take_while(|gap| {
                    let last = (at + gap).checked_sub(1);
                    *gap == 0
                        || at + gap <= tokens.len()
                            && (*crosses || last.is_some_and(|last| !tokens[last].ends_sentence))
                })
                .find_map(|gap| go(at + gap, steps)),
            Element::Words {
                set,
                least,
                most,
                colon,
            } => self.repeat(
                tokens,
                start,
                (*set, *least, *most, *colon),
                rest,
                at,
                steps,
            ),
        }
    }

    /// A set's words, as many times as they may come, and then the rest.
    fn repeat(
        &self,
        tokens: &[Token],
        start: usize,
        words: (usize, usize, usize, bool),
        rest: &[Element],
        at: usize,
        steps: &mut usize,
    ) -> Option<usize> {
        *steps = steps.checked_sub(1)?;
        let (set, least, most, colon) = words;
        if most > 0 {
            for end in self.ends(set, tokens, at) {
                if colon && !tokens[end - 1].colon {
                    continue;
                }
                let more = (set, least.saturating_sub(1), most - 1, colon);
                let found = self.repeat(tokens, start, more, rest, end, steps);
                if found.is_some() {
                    return found;
                }
            }
        }
        if least == 0 {
            self.holds(tokens, start, rest, at, steps)
        } else {
            None
        }
    }

    /// True if a word that denies begins here.
    pub fn denies(&self, tokens: &[Token], at: usize) -> bool {
        self.says(self.denial, tokens, at)
    }

    fn says(&self, set: Option<usize>, tokens: &[Token], at: usize) -> bool {
        set.is_some_and(|set| self.ends(set, tokens, at).next().is_some())
    }

    /// Where the sequences of a set end that begin at this word.
    pub fn ends<'a>(
        &'a self,
        set: usize,
        tokens: &'a [Token],
        at: usize,
    ) -> impl Iterator<Item = usize> + 'a {
        let ids: &[WordId] = tokens.get(at).map_or(&[], |token| &token.ids);
        ids.iter()
            .filter_map(move |id| self.sets.get(set)?.0.get(id))
            .flatten()
            .filter(move |sequence| {
                sequence.iter().enumerate().all(|(place, id)| {
                    tokens
                        .get(at + place)
                        .is_some_and(|token| token.ids.contains(id))
                })
            })
            .map(move |sequence| at + sequence.len())
    }

    fn is_lead(&self, token: &Token) -> bool {
        token.ids.iter().any(|id| {
            self.lead
                .and_then(|set| self.sets.get(set))
                .is_some_and(|set| set.0.contains_key(id))
        })
    }

    /// True if the words before or around a match say that it is not meant.
    fn excused(&self, tokens: &[Token], from: usize, to: usize, excuse: Excuse) -> bool {
        if excuse == Excuse::None {
            return false;
        }
        let sentence = excuse != Excuse::Clause;
        let reach = if sentence { SENTENCE } else { DENIED };
        let says = |set: Option<usize>, at: usize| self.says(set, tokens, at);
        let mut at = from;
        while at > 0 && from - at < reach {
            let inside = !tokens[at - 1].ends_sentence && (sentence || !tokens[at].begins_clause);
            if !inside {
                break;
            }
            at -= 1;
            if says(self.denial, at) || excuse == Excuse::Caution && says(self.caution, at) {
                return true;
            }
        }
        if excuse == Excuse::Caution {
            let rest = &tokens[from..tokens.len().min(to + SENTENCE)];
            let last = (to - from).max(1) - 1;
            let after = rest[last..]
                .iter()
                .position(|token| token.ends_sentence)
                .map_or(rest.len(), |end| last + end + 1);
            return (from..from + after).any(|at| says(self.caution, at));
        }
        // A match may begin with a word before the quotation.
        tokens[to - 1].quoted && self.mentioned(tokens, from, to)
    }

    /// True if words outside of a quotation, near it, speak of it as of an example.
    pub fn mentioned(&self, tokens: &[Token], from: usize, to: usize) -> bool {
        let before = from.saturating_sub(MENTIONED)..from;
        let after = to..tokens.len().min(to + MENTIONED);
        before
            .chain(after)
            .any(|at| !tokens[at].quoted && self.says(self.mention, tokens, at))
    }
}
