//! A transcript's lines: the marker that one begins with, and what stands after it.

/// Longest insight or outcome line, in characters; the rest is cut.
pub(super) const LONGEST_TEXT: usize = 4_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marker {
    Insight,
    Blocked,
    Delivered,
    PlanComplete,
    Injected,
    Task,
}

const MARKERS: [(&str, Marker); 8] = [
    ("insight", Marker::Insight),
    ("blocked", Marker::Blocked),
    ("delivered", Marker::Delivered),
    ("plan_complete", Marker::PlanComplete),
    ("plan complete", Marker::PlanComplete),
    ("injected", Marker::Injected),
    ("task", Marker::Task),
    ("objective", Marker::Task),
];

/// Words that people write after a marker when there is nothing to tell.
const NOTHING: [&str; 8] = [
    "",
    "none",
    "n/a",
    "na",
    "nil",
    "null",
    "nothing",
    "not applicable",
];

/// The marker that a line begins with, and what is said after it.
pub(super) fn marked(line: &str) -> Option<(Marker, &str)> {
    let line = unmarked(line);
    let (name, marker) = MARKERS.iter().find(|(name, _)| {
        line.get(..name.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(name))
    })?;
    let said = line[name.len()..]
        .trim_start_matches(['*', '_', '`', ' '])
        .strip_prefix(':')?
        .trim_start_matches(['*', '_', '`'])
        .trim();
    Some((*marker, said))
}

/// A line without blanks, bullets, quotation marks, headings and emphasis before it.
pub(super) fn unmarked(line: &str) -> &str {
    let line = line.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '-' | '*' | '+' | '•' | '>' | '#' | '_' | '`')
    });
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = digits > 0 && digits < 4 && line[digits..].starts_with(['.', ')']);
    let line = if numbered {
        line[digits + 1..].trim_start_matches(['*', '_', '`', ' '])
    } else {
        line
    };
    line.trim_end()
}

/// True if a line is an item of a list and begins with no marker.
pub(super) fn is_item(line: &str) -> bool {
    let text = line.trim_start();
    text.starts_with(['-', '*', '+', '•']) && marked(line).is_none()
}

/// True if `next` goes on with what the marker on `line` opens: it is indented more, an item of a list, or below a heading. Any
/// other line is about something else.
pub(super) fn goes_on(line: &str, next: &str) -> bool {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let heading = line.trim_start().starts_with('#');
    marked(next).is_none() && (heading || indent(next) > indent(line) || is_item(next))
}

/// Text on one line without control characters or emphasis left over at its end; empty for a
/// placeholder such as `<what you learned>`.
pub(super) fn clean(said: &str) -> String {
    let said: String = said
        .chars()
        .filter(|c| !c.is_control() || *c == '\t')
        .collect();
    let mut said = said.trim();
    if said.matches("**").count() % 2 == 1 {
        said = said.strip_suffix("**").unwrap_or(said).trim_end();
    }
    if said.starts_with('<') && said.ends_with('>') {
        return String::new();
    }
    cut(said, LONGEST_TEXT).to_owned()
}

/// True if `said` means that there is nothing to tell: empty, only marks, `none`, `n/a` and the like, alone or with a remark
/// after a comma, dash or full stop.
pub(super) fn is_nothing(said: &str) -> bool {
    let plain = said
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    if NOTHING.contains(&plain.as_str()) {
        return true;
    }
    ["none", "n/a"].iter().any(|word| {
        plain.strip_prefix(word).is_some_and(|rest| {
            let remark = rest.trim_start();
            remark.starts_with(['.', ',', ';', ':', '!', '(', '—', '–'])
                // "none-blocking" is a word of its own.
                || (remark.starts_with('-') && rest.starts_with(' '))
        })
    })
}

/// The first `most` characters.
pub(super) fn cut(text: &str, most: usize) -> &str {
    text.char_indices()
        .nth(most)
        .map_or(text, |(at, _)| &text[..at])
}
