//! Queries made of a prompt or of a folder's name.

use crate::typed::typed;

/// Characters of a prompt that are asked with. What a person wants stands at its beginning or its end; what they paste
/// between says little. The interface takes 8,000.
const HEAD: usize = 3_000;
const TAIL: usize = 1_000;

/// A prompt of one word and no more bytes says nothing to look lessons up by: `yes`, `continue`.
const SHORT: usize = 16;

/// Folders whose name says nothing of what is made in them.
const NAMELESS: &[&str] = &[
    "app",
    "apps",
    "build",
    "checkout",
    "code",
    "desktop",
    "dev",
    "documents",
    "downloads",
    "git",
    "home",
    "main",
    "master",
    "project",
    "projects",
    "repo",
    "repos",
    "repository",
    "root",
    "src",
    "source",
    "temp",
    "test",
    "tests",
    "tmp",
    "work",
    "workdir",
    "workspace",
    "workspaces",
    "www",
];

/// The query of a prompt; the error says why there is none.
pub(crate) fn of_prompt(prompt: &str) -> Result<String, &'static str> {
    let typed = typed(prompt)?;
    let text = typed.trim();
    let words = text
        .split_whitespace()
        .filter(|word| word.chars().filter(|c| c.is_alphanumeric()).count() > 1)
        .count();
    if words == 0 || (words == 1 && text.len() <= SHORT) {
        return Err("the prompt is too short to look lessons up by");
    }
    Ok(shortened(text))
}

/// The query of a folder: the words of its name, unless it is one that any project could have.
pub(crate) fn of_folder(cwd: &str) -> Option<String> {
    let name = cwd
        .split(['/', '\\'])
        .rev()
        .map(str::trim)
        .find(|part| !part.is_empty())?;
    let words: Vec<&str> = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().any(char::is_alphabetic) && word.chars().count() > 1)
        .collect();
    let says = words
        .iter()
        .any(|word| !NAMELESS.contains(&word.to_lowercase().as_str()));
    (says && name.chars().count() <= 100).then(|| words.join(" "))
}

fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= HEAD + TAIL {
        return text.to_owned();
    }
    let head: String = text.chars().take(HEAD).collect();
    let tail: String = text.chars().skip(count - TAIL).collect();
    format!("{head}\n…\n{tail}")
}
