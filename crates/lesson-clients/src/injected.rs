//! Lines that name the lessons which were shown: naming a lesson there is not using it.

use std::iter::Peekable;
use std::str::SplitInclusive;

/// The text without its `INJECTED:` lines and the lists below them.
pub(crate) fn without_injected(text: &str) -> String {
    let mut said = String::with_capacity(text.len());
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        match after_mark(line) {
            Some(names) if names.trim().is_empty() => pass_list(&mut lines),
            Some(_) => {}
            None => said.push_str(line),
        }
    }
    said
}

fn pass_list(lines: &mut Peekable<SplitInclusive<'_, char>>) {
    let is_item = |line: &&str| line.trim_start().starts_with(['-', '*', '+', '•']);
    while lines.next_if(is_item).is_some() {}
}

/// What stands behind the mark, where a line begins with it.
fn after_mark(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let word = "injected";
    let head = line.get(..word.len())?;
    let rest = line[word.len()..].trim_start_matches(['*', '_', '`', ' ']);
    head.eq_ignore_ascii_case(word)
        .then(|| rest.strip_prefix(':'))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::without_injected;

    #[test]
    fn lines_that_name_what_was_shown_are_left_out() {
        for (text, left) in [
            ("a\nINJECTED: b-c, d-e\nf", "a\nf"),
            ("**Injected:** b-c", ""),
            ("INJECTED:\n- b-c\n- d-e\n\nf", "\nf"),
            ("INJECTED: b-c\n- f stays", "- f stays"),
            ("The injected: part\n", "The injected: part\n"),
        ] {
            assert_eq!(without_injected(text), left, "{text}");
        }
    }
}
