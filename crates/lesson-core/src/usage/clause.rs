//! The clause a lesson is named in: whether it says that the lesson is applied, or that it isn't.

/// Words after which a name is a lesson that is applied.
const CUES: [&str; 6] = [
    "applying",
    "using",
    "based on",
    "following",
    "lesson",
    "skill",
];

/// Words that may stand between a cue and the name.
const FILLERS: [&str; 4] = ["the", "lesson", "skill", "lessons"];

/// Words that begin a clause of their own.
const CONJUNCTIONS: [&str; 10] = [
    "but",
    "because",
    "since",
    "so",
    "although",
    "though",
    "while",
    "whereas",
    "however",
    "therefore",
];

/// Words that begin a clause only when what follows says that something is applied:
/// "not waiting and using 'x'", but "not using 'x' and 'y'".
const JOINING: [&str; 2] = ["and", "then"];

/// Words that negate the clause after them. "not only" and "not just" don't.
const NEGATORS: [&str; 8] = [
    "not", "cannot", "never", "nor", "without", "ignoring", "ignore", "ignored",
];

/// Negators of two words.
const NEGATOR_PAIRS: [(&str, &str); 2] = [("instead", "of"), ("rather", "than")];

/// Verbs that, followed by "not", negate the name before them: "'x' does not apply".
const AUXILIARIES: [&str; 12] = [
    "is", "are", "was", "were", "does", "do", "did", "will", "would", "should", "can", "could",
];

/// Bytes before a name that are read; keeps long texts linear.
const LONGEST_CLAUSE: usize = 600;

/// Bytes after a name that are read: a few words.
const LONGEST_VERB: usize = 80;

/// What surrounds a name in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Naming {
    /// Quoted, or after a cue.
    pub(super) cued: bool,
    /// In a negated clause.
    pub(super) negated: bool,
}

/// How the name at `start..end` of a plain text is used; `floor` is where the name before it
/// ends, since a negation reaches to the next name only.
pub(super) fn naming(text: &str, floor: usize, start: usize, end: usize) -> Naming {
    let before = last_bytes(&text[floor..start], LONGEST_CLAUSE);
    let after = first_bytes(&text[end..], LONGEST_VERB);
    let open = before.chars().next_back();
    let quoted = open.is_some_and(|c| matches!(c, '\'' | '"' | '`') && after.starts_with(c));
    Naming {
        cued: quoted || ends_with_cue(before),
        negated: is_negated(clause(before)) || is_negated_after(after),
    }
}

/// Whether only quotes, commas and "and", "or", "nor" stand between two names, so that what is
/// said of the first is said of the second.
pub(super) fn is_list(between: &str) -> bool {
    !between.contains(['\n', '.', ';'])
        && words(between).all(|word| matches!(word, "and" | "or" | "nor" | "the" | "lesson"))
}

/// Whether a name that begins or ends at this character is only a part of a longer one.
pub(super) fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_')
}

fn last_bytes(text: &str, most: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(most))..]
}

fn first_bytes(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .map(|word| word.trim_matches('\''))
        .filter(|word| !word.is_empty())
}

fn ends_with_cue(before: &str) -> bool {
    let mut rest = trim_marks(before);
    loop {
        if CUES.iter().any(|cue| ends_with_word(rest, cue)) {
            return true;
        }
        let Some(filler) = FILLERS.iter().find(|filler| ends_with_word(rest, filler)) else {
            return false;
        };
        rest = trim_marks(&rest[..rest.len() - filler.len()]);
    }
}

/// `text` without the blanks, quotes and marks that may stand before a name.
fn trim_marks(text: &str) -> &str {
    text.trim_end_matches([' ', '\'', '"', '`', ':', '(', '[', '#'])
}

fn ends_with_word(text: &str, word: &str) -> bool {
    text.strip_suffix(word)
        .is_some_and(|rest| !rest.ends_with(is_name_char))
}

/// The part of `before` that belongs to the clause it ends in.
fn clause(before: &str) -> &str {
    let mut start = 0;
    let mut word_start = None;
    let mut chars = before.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c.is_alphanumeric() || c == '\'' {
            word_start.get_or_insert(at);
            continue;
        }
        if let Some(from) = word_start.take() {
            let word = before[from..at].trim_matches('\'');
            if CONJUNCTIONS.contains(&word)
                || (JOINING.contains(&word) && speaks_of_applying(&before[at..]))
            {
                start = at;
            }
        }
        let next_is_blank = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        let parts = match c {
            '\n' | ';' | ',' | '!' | '?' | '(' | ')' | '—' | '–' => true,
            '.' => next_is_blank,
            ':' => speaks_of_applying(&before[at..]),
            _ => false,
        };
        if parts {
            start = at + c.len_utf8();
        }
    }
    &before[start..]
}

fn speaks_of_applying(text: &str) -> bool {
    words(text).any(|word| matches!(word, "applying" | "using" | "following" | "based"))
}

fn is_negated(clause: &str) -> bool {
    let words: Vec<&str> = words(clause).collect();
    words.iter().enumerate().any(|(at, word)| {
        let next = words.get(at + 1).copied().unwrap_or_default();
        let single = NEGATORS.contains(word) || word.ends_with("n't");
        (single && !matches!(next, "only" | "just" | "merely"))
            || NEGATOR_PAIRS.contains(&(word, next))
    })
}

/// Whether an auxiliary and "not" follow the name at once.
fn is_negated_after(after: &str) -> bool {
    let end = after.find(['\n', '.', ',', ';', '!', '?']);
    let mut following = words(&after[..end.unwrap_or(after.len())])
        .skip_while(|word| matches!(*word, "lesson" | "skill"));
    let Some(first) = following.next() else {
        return false;
    };
    if first == "cannot" || first.ends_with("n't") {
        return true;
    }
    let next = following.next();
    let then = following.next();
    AUXILIARIES.contains(&first)
        && next == Some("not")
        && !matches!(then, Some("only" | "just" | "merely"))
}
