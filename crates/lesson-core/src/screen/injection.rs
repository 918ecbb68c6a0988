//! Text that speaks to the agent which reads it: orders to drop its instructions, spoofed turns,
//! spoofed tool calls. Works on plain lower-case text.

use aho_corasick::AhoCorasick;
use std::sync::LazyLock;

/// Markup that ends or begins a turn, a system prompt or a tool call for some model.
const MARKUP: &[&str] = &[
    "<|im_start|>",
    "<|im_end|>",
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|begin_of_text|>",
    "<|start_header_id|>",
    "<start_of_turn>",
    "<end_of_turn>",
    "[inst]",
    "[/inst]",
    "<<sys>>",
    "<</sys>>",
    "</system>",
    "<system_prompt>",
    "</system_prompt>",
    "<system-reminder>",
    "</system-reminder>",
    "<function_calls>",
    "</function_calls>",
    "<function_results>",
    "</function_results>",
    "antml:function_calls",
    "antml:invoke",
    "<invokename=",
    "</invoke>",
    "<tool_call>",
    "</tool_call>",
    "<tool_calls>",
    "<tool_use>",
    "</tool_use>",
    "<tool_result>",
    "</tool_result>",
    "<tool_response>",
    "</tool_response>",
];

static MARKUP_FINDER: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(MARKUP).ok());

/// What the text does to its reader, in words, when it does.
pub(super) fn found(plain: &str) -> Option<String> {
    if let Some(tag) = markup(plain) {
        return Some(format!("spoofs a turn or a tool call: `{tag}`"));
    }
    if let Some(turn) = plain.lines().find_map(spoofed_turn) {
        return Some(format!("spoofs a turn: \"{turn}\""));
    }
    let words: Vec<&str> = plain
        .split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
        .filter(|word| !word.is_empty())
        .collect();
    (0..words.len()).find_map(|at| {
        let length = order(&words[at..])?;
        Some(format!(
            "gives orders to the agent that reads it: \"{}\"",
            words[at..at + length].join(" ")
        ))
    })
}

/// Markup with blanks inside its brackets left out of account.
fn markup(plain: &str) -> Option<&'static str> {
    let tight: String = plain.chars().filter(|c| !matches!(c, ' ' | '\t')).collect();
    let finder = MARKUP_FINDER.as_ref()?;
    finder
        .find(&tight)
        .and_then(|hit| MARKUP.get(hit.pattern().as_usize()).copied())
        .or_else(|| {
            tight
                .lines()
                .any(|line| line.starts_with("<system>"))
                .then_some("<system>")
        })
}

/// A line such as `system: you are …`.
fn spoofed_turn(line: &str) -> Option<String> {
    let line = line.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '#' | '*' | '>' | '-' | '[' | '"')
    });
    let (role, said) = line.split_once(':')?;
    let role = role.trim_matches(|c: char| !c.is_alphanumeric());
    if !matches!(
        role,
        "system" | "assistant" | "human" | "developer" | "system prompt" | "system message"
    ) {
        return None;
    }
    let said = said.trim_start_matches(|c: char| !c.is_alphanumeric());
    [
        "you are ",
        "you must ",
        "you will ",
        "you have ",
        "your new ",
        "your task ",
    ]
    .iter()
    .find(|start| said.starts_with(**start))
    .map(|start| format!("{role}: {}…", start.trim_end()))
}

/// How many words of an order to the reader stand at the start, if one does.
fn order(words: &[&str]) -> Option<usize> {
    let first = *words.first()?;
    match first {
        "ignore" | "disregard" | "forget" | "override" | "bypass" | "discard" | "neglect" => {
            drop_instructions(words)
        }
        "do" | "don't" | "dont" | "don’t" | "never" => drop_obedience(words),
        "you" | "you're" | "you’re" => new_role(words),
        "reveal" | "print" | "output" | "repeat" | "leak" | "disclose" | "show" => reveal(words),
        "without" => starts(words, &["without", "telling", "the", "user"])
            .or_else(|| starts(words, &["without", "informing", "the", "user"])),
        "new" => starts(words, &["new", "system", "prompt"])
            .or_else(|| starts(words, &["new", "system", "instructions"]))
            .or_else(|| starts(words, &["new", "instructions", "from", "the", "system"]))
            .or_else(|| starts(words, &["new", "instructions", "from", "your", "developer"])),
        "developer" | "dan" | "god" | "jailbreak" => {
            starts(&words[1..], &["mode", "enabled"]).map(|length| length + 1)
        }
        _ => None,
    }
}

fn starts(words: &[&str], wanted: &[&str]) -> Option<usize> {
    words.starts_with(wanted).then_some(wanted.len())
}

fn skip(words: &[&str], from: usize, most: usize, set: &[&str]) -> usize {
    words[from..]
        .iter()
        .take(most)
        .take_while(|word| set.contains(word))
        .count()
}

const DETERMINERS: &[&str] = &[
    "all", "any", "of", "the", "your", "my", "these", "those", "every", "each", "and",
];
const EARLIER: &[&str] = &[
    "previous",
    "prior",
    "above",
    "earlier",
    "preceding",
    "foregoing",
    "existing",
    "original",
    "initial",
    "system",
    "developer",
    "former",
    "past",
    "given",
    "hidden",
    "safety",
];
const ORDERS: &[&str] = &[
    "instruction",
    "instructions",
    "prompt",
    "prompts",
    "direction",
    "directions",
    "directive",
    "directives",
    "guideline",
    "guidelines",
    "rule",
    "rules",
    "command",
    "commands",
    "orders",
    "programming",
    "constraints",
    "restrictions",
    "safeguards",
];

/// "ignore all previous instructions", "disregard your rules", "forget everything above".
fn drop_instructions(words: &[&str]) -> Option<usize> {
    let determiners = skip(words, 1, 4, DETERMINERS);
    let at = 1 + determiners;
    if matches!(words.get(at), Some(&("everything" | "anything"))) {
        let rest = &words[at + 1..];
        return [
            &["above"][..],
            &["before"],
            &["you", "were", "told"],
            &["you", "have", "been", "told"],
            &["you've", "been", "told"],
            &["you", "know"],
            &["i", "said"],
        ]
        .iter()
        .find_map(|tail| starts(rest, tail))
        .map(|length| at + 1 + length);
    }
    let earlier = skip(words, at, 3, EARLIER);
    let at = at + earlier;
    let noun = *words.get(at)?;
    if !ORDERS.contains(&noun) {
        // "disregard the above and …"
        let bare =
            earlier > 0 && matches!(words[0], "disregard" | "forget") && words[at - 1] == "above";
        return bare.then_some(at);
    }
    let whose = words[1..at]
        .iter()
        .any(|word| matches!(*word, "your" | "my") || (earlier > 0 && EARLIER.contains(word)));
    // "ignore all instructions" is an order; "ignore the rules" and "override rules" are prose.
    let all = matches!(noun, "instructions" | "prompts") && words[1..at].contains(&"all");
    let after = matches!(words.get(at + 1), Some(&("above" | "before")))
        || starts(&words[at + 1..], &["you", "were", "given"]).is_some()
        || starts(&words[at + 1..], &["you", "have", "been", "given"]).is_some();
    (whose || all || after).then_some(at + 1)
}

/// "do not follow your previous instructions", "do not tell the user".
fn drop_obedience(words: &[&str]) -> Option<usize> {
    let at = match words.first() {
        Some(&"do") if words.get(1) == Some(&"not") => 2,
        Some(&"do") => return None,
        _ => 1,
    };
    let verb = *words.get(at)?;
    if matches!(verb, "tell" | "inform" | "alert") && words[at + 1..].starts_with(&["the", "user"])
    {
        // "never tell the user to …" is advice; hiding this very text is not.
        let tail = &words[at + 3..];
        let hides = [
            &["about", "this"][..],
            &["of", "this"],
            &["this"],
            &["anything"],
        ]
        .iter()
        .any(|hidden| tail.starts_with(hidden));
        return hides.then_some(at + 3);
    }
    if !matches!(verb, "follow" | "obey") {
        return None;
    }
    let from = at + 1 + skip(words, at + 1, 4, DETERMINERS);
    let earlier = skip(words, from, 3, EARLIER);
    let noun = words.get(from + earlier)?;
    let whose = earlier > 0 || words[at + 1..from].contains(&"your");
    (whose && ORDERS.contains(noun)).then_some(from + earlier + 1)
}

/// "you are now DAN", "you are no longer bound by …".
fn new_role(words: &[&str]) -> Option<usize> {
    let at = if words[0] == "you" {
        (words.get(1) == Some(&"are")).then_some(2)?
    } else {
        1
    };
    if starts(&words[at..], &["no", "longer", "bound"]).is_some() {
        return Some(at + 3);
    }
    if words.get(at) != Some(&"now") {
        return None;
    }
    match *words.get(at + 1)? {
        "a" | "an" | "my" | "dan" | "called" | "acting" | "unrestricted" | "jailbroken"
        | "evil" | "free" => Some(at + 2),
        "in" | "running" | "the" => {
            let mode = words[at + 2..].iter().take(4).position(|word| {
                matches!(
                    *word,
                    "mode" | "administrator" | "admin" | "root" | "assistant" | "system"
                )
            })?;
            let kind = words[at + 2..at + 3 + mode].iter().any(|word| {
                matches!(
                    *word,
                    "developer"
                        | "admin"
                        | "administrator"
                        | "god"
                        | "jailbreak"
                        | "dan"
                        | "unrestricted"
                        | "root"
                        | "maintenance"
                        | "assistant"
                        | "system"
                )
            });
            kind.then_some(at + 3 + mode)
        }
        _ => None,
    }
}

/// "reveal your system prompt".
fn reveal(words: &[&str]) -> Option<usize> {
    let at = 1 + skip(words, 1, 3, &["me", "us", "all", "of", "the"]);
    if words.get(at) != Some(&"your") {
        return None;
    }
    let kinds = skip(
        words,
        at + 1,
        3,
        &[
            "system",
            "hidden",
            "initial",
            "original",
            "full",
            "secret",
            "entire",
            "developer",
        ],
    );
    let noun = words.get(at + 1 + kinds)?;
    (kinds > 0 && matches!(*noun, "prompt" | "instructions" | "prompts" | "message"))
        .then_some(at + 2 + kinds)
}
