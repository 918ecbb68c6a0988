//! `INJECTED:` lines, which name the lessons that were shown: naming a lesson there is not using it.

use std::ops::Range;

const MARK: &str = "injected";

/// The text without its `INJECTED:` lines and what goes on with them: the list below one that names nothing itself, and
/// the lines after one that ends with a comma. Linear in the text.
pub fn without_shown(text: &str) -> String {
    let mut said = String::with_capacity(text.len());
    let mut from = 0;
    for lines in shown_lines(text) {
        said.push_str(&text[from..lines.start]);
        from = lines.end;
    }
    said.push_str(&text[from..]);
    said
}

/// Where those lines lie, with their ends, in order.
pub(crate) fn shown_lines(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let start = at;
        at += line.len();
        let Some(names) = after_mark(line) else {
            continue;
        };
        let mut names = names.trim_end();
        let list = is_blank(names);
        while let Some(next) = lines.next_if(|next| {
            (list && is_item(next)) || (names.ends_with(',') && !next.trim().is_empty())
        }) {
            at += next.len();
            names = next.trim_end();
        }
        found.push(start..at);
    }
    found
}

/// True if a line names nothing: only marks of emphasis are left of it.
fn is_blank(names: &str) -> bool {
    names.chars().all(|c| matches!(c, '*' | '_' | '`' | ' '))
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    line.starts_with(['-', '*', '+', '•']) || (digits > 0 && line[digits..].starts_with(['.', ')']))
}

/// Returns the rest of a line after the mark, where the line begins with it.
fn after_mark(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let head = line.get(..MARK.len())?;
    let rest = line[MARK.len()..].trim_start_matches(['*', '_', '`', ' ']);
    head.eq_ignore_ascii_case(MARK)
        .then(|| rest.strip_prefix(':'))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::without_shown;

    #[test]
    fn lines_that_name_what_was_shown_are_left_out() {
        for (text, left) in [
            ("a\nINJECTED: b-c, d-e\nf", "a\nf"),
            ("**Injected:** b-c", ""),
            ("INJECTED:\n- b-c\n- d-e\n\nf", "\nf"),
            ("**INJECTED:**\n1. b-c\n2. d-e\nf", "f"),
            ("INJECTED: b-c\n- f stays", "- f stays"),
            ("INJECTED: b-c,\n  d-e\nf", "f"),
            ("[INJECTED: b-c]\nf", "f"),
            ("The injected: part\n", "The injected: part\n"),
        ] {
            assert_eq!(without_shown(text), left, "{text}");
        }
    }
}
