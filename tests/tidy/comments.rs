//! Comments open with the noun or the verb: one that opens with a question's word tells the reader to go on looking.

use super::{none, read, root, tracked};

const OPENINGS: [&str; 5] = ["What", "Whether", "How", "Which", "Who"];
const MARKS: [&str; 7] = ["///", "//!", "//", "/**", "/*", "*", "--"];

#[test]
fn comments_open_with_a_noun_or_a_verb() {
    let mut faults = Vec::new();
    for file in tracked() {
        let code = [".rs", ".js", ".mjs", ".cjs", ".sql"];
        if !code.iter().any(|ending| file.ends_with(ending)) {
            continue;
        }
        for (at, word) in openings(&read(&root().join(&file))) {
            faults.push(format!(
                "{file}:{at}: a comment opens with `{word}`; name the thing (\"Reason for …\"), or say what the code does (\"Returns …\", \"True if …\")"
            ));
        }
    }
    none(&faults);
}

#[test]
fn an_opening_is_the_first_word_of_a_comment_alone() {
    let source = "/// What it is.\n/// Whether it goes on.\nfn a() {}\n\n/** How so. */\n// A note.\n//\n// Who knows.\nlet what = 1;\n-- Whichever.";
    assert_eq!(openings(source), [(1, "What"), (5, "How"), (8, "Who")]);
}

/// Lines of comments that open with one of the words, and the word.
fn openings(source: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    // Text of the comment's line before; `None` behind code.
    let mut before = None;
    for (at, line) in source.lines().enumerate() {
        let text = comment(line);
        let begins = line.trim_start().starts_with("/**") || before.is_none_or(str::is_empty);
        let word = text.map(|text| text.split(|c: char| !c.is_alphanumeric()).next());
        if let Some(Some(word)) = word
            && begins
            && OPENINGS.contains(&word)
        {
            found.push((at + 1, word));
        }
        before = text;
    }
    found
}

/// The text of a line that is a comment.
fn comment(line: &str) -> Option<&str> {
    let line = line.trim();
    let mark = MARKS.iter().find(|mark| line.starts_with(**mark))?;
    Some(line[mark.len()..].trim())
}
