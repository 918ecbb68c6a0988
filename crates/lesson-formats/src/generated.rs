//! Reflections that a trading agent generated: their titles come from a template, and their domain
//! stands in the file's name, such as `warning-perps-1767917147919`.

use super::fields::Fields;
use super::headings::headings;
use super::node::{Node, shown};
use super::sink::Sink;
use lesson_core::Kind;

/// Domains that a name may hold without a number after them.
const DOMAINS: [&str; 4] = ["dlmm", "perps", "polymarket", "spot"];
/// Digits from which a number at the end of a name is the time it was generated at.
const TIME_DIGITS: usize = 10;
/// Most words of a domain; more are a sentence.
const DOMAIN_WORDS: usize = 3;

/// True if a file's name is a generator's: a kind, a domain and a time.
pub(super) fn is_generated(name: &str) -> bool {
    timed(name).is_some()
}

/// Sets the domain that the file's name holds when the text names none, or describes it in a
/// sentence. A description goes to the context.
pub(super) fn domain(name: &str, fields: &mut Fields, sink: &mut Sink<'_>) {
    let named = domain_of(name);
    let Ok(Some(said)) = fields.text(&["domain"]) else {
        if let Some(named) = named {
            fields.set("domain", Node::text(1, named));
        }
        return;
    };
    let said = said.trim();
    if is_word(said) {
        let domain = named.filter(|named| named.eq_ignore_ascii_case(said));
        fields.set("domain", Node::text(1, domain.unwrap_or(said)));
        return;
    }
    let lowered = said.to_lowercase();
    let told = lowered
        .split(|c: char| !c.is_alphanumeric())
        .find(|word| DOMAINS.contains(word));
    match named.or(told) {
        Some(domain) => fields.set("domain", Node::text(1, domain)),
        None => sink.warn(
            None,
            "domain",
            format!("the domain \"{}\" is a sentence and was put into the context; write one word, such as `perps`", shown(said)),
        ),
    }
    let context = match fields.text(&["context"]) {
        Ok(Some(context)) => format!("{said}\n{context}"),
        _ => said.to_owned(),
    };
    fields.set("context", Node::text(1, context));
}

/// The title of a reflection. One that a template made says what all of its kind say, so the words
/// of the file's name come first, and what the text itself is headed follows.
pub(super) fn title(name: &str, title: String, body: &str) -> String {
    if !is_template(&title) {
        return title;
    }
    let mut words = name.replace('-', " ");
    if let Some(first) = words.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let own = headings(body)
        .into_iter()
        .find(|heading| heading.level == 1)
        .map_or(title.as_str(), |heading| heading.text);
    // "Skill: ", "Warning: " say what the name says.
    let own = own.split_once(": ").map_or(own, |(_, rest)| rest).trim();
    format!("{words}: {own}")
}

/// `Warning: perps close_position Pattern`, `Winning Pattern: dlmm add_liquidity`,
/// `SPOT Trading Strategy`.
fn is_template(title: &str) -> bool {
    let title = title.trim().to_lowercase();
    let words = |text: &str| text.split_whitespace().count();
    let loss = title
        .strip_prefix("warning: ")
        .and_then(|rest| rest.strip_suffix(" pattern"));
    loss.is_some_and(|rest| words(rest) == 2)
        || title
            .strip_prefix("winning pattern: ")
            .is_some_and(|rest| words(rest) == 2)
        || title
            .strip_suffix(" trading strategy")
            .is_some_and(|rest| words(rest) == 1)
}

/// The domain in a name: what stands between the kind and a time, else a known one after the kind.
fn domain_of(name: &str) -> Option<&str> {
    timed(name).or_else(|| {
        let (kind, rest) = name.split_once('-')?;
        Kind::parse(kind)?;
        let first = rest.split('-').next()?;
        DOMAINS.contains(&first).then_some(first)
    })
}

/// Returns the part between a kind and a time, if it is one word.
fn timed(name: &str) -> Option<&str> {
    let (kind, rest) = name.split_once('-')?;
    Kind::parse(kind)?;
    let (domain, time) = rest.rsplit_once('-')?;
    let is_time = time.len() >= TIME_DIGITS && time.bytes().all(|byte| byte.is_ascii_digit());
    (is_time && !domain.contains('-')).then_some(domain)
}

fn is_word(domain: &str) -> bool {
    domain.split_whitespace().count() <= DOMAIN_WORDS && !domain.contains([',', '.', ';', '(', ':'])
}
