//! Purposes of command lines whose exit code tells what came of the work: a test run, or a commit.
//!
//! An exit code is that of the last command, so a line whose test run is hidden by what follows (`cargo test | tail`,
//! `pytest; true`, `npm test || true`) tells nothing.

use serde::{Deserialize, Serialize};

/// Purpose of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignKind {
    /// It ran tests.
    Tests,
    /// It committed.
    Commit,
}

/// Words that stand before a command and change nothing of what it is.
const WRAPPERS: [&str; 8] = [
    "time", "nice", "sudo", "env", "command", "exec", "nohup", "stdbuf",
];
/// Runners, and the words after them that mean that the next one is the program.
const RUNNERS: [(&str, &[&str]); 8] = [
    ("npx", &[]),
    ("bunx", &[]),
    ("uv", &["run"]),
    ("poetry", &["run"]),
    ("pipenv", &["run"]),
    ("pnpm", &["exec", "dlx"]),
    ("bundle", &["exec"]),
    ("yarn", &["exec", "dlx"]),
];
/// Programs that do nothing but run tests.
const TESTERS: [&str; 12] = [
    "pytest", "py.test", "jest", "vitest", "mocha", "ava", "tox", "nox", "rspec", "phpunit",
    "ctest", "karma",
];
/// Programs that run tests by such a word.
const BY_WORD: [(&str, &[&str]); 22] = [
    ("cargo", &["test", "t", "nextest"]),
    ("npm", &["test", "t", "tst"]),
    ("pnpm", &["test", "t"]),
    ("yarn", &["test"]),
    ("bun", &["test"]),
    ("deno", &["test"]),
    ("go", &["test"]),
    ("make", &["test", "check"]),
    ("just", &["test"]),
    ("gradle", &["test", "check"]),
    ("gradlew", &["test", "check"]),
    ("mvn", &["test", "verify"]),
    ("mvnw", &["test", "verify"]),
    ("dotnet", &["test"]),
    ("mix", &["test"]),
    ("swift", &["test"]),
    ("bazel", &["test"]),
    ("dart", &["test"]),
    ("flutter", &["test"]),
    ("rake", &["test", "spec"]),
    ("rails", &["test"]),
    ("playwright", &["test"]),
];
/// Programs that run a script of this name after `run`.
const SCRIPTS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];

/// Returns the purpose that the exit code of a command line tells of; `None` where it tells nothing.
pub(super) fn purpose(line: &str) -> Option<SignKind> {
    let commands = last_chain(line)?;
    let kinds: Vec<Option<SignKind>> = commands.iter().map(|words| of_words(words)).collect();
    // Of a chain the last that says something: what is committed after its tests was tested.
    let found = kinds.iter().rev().find_map(|kind| *kind)?;
    Some(found)
}

/// The commands of the last line, which run one after the other as long as they succeed. `None` where the exit code is
/// another's: of a pipe, of an alternative, of a process in the background.
fn last_chain(line: &str) -> Option<Vec<Vec<String>>> {
    let mut chain: Vec<Vec<String>> = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut chars = line.trim().chars().peekable();
    let end = |word: &mut Option<String>, chain: &mut Vec<Vec<String>>| {
        if let (Some(word), Some(words)) = (word.take(), chain.last_mut()) {
            words.push(word);
        }
    };
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                let text = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        c => text.push(c),
                    }
                }
            }
            '"' => {
                let text = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '"' => break,
                        '\\' => text.push(chars.next()?),
                        c => text.push(c),
                    }
                }
            }
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some(c) => word.get_or_insert_default().push(c),
            },
            '|' => return None,
            '&' if chars.peek() == Some(&'&') => {
                chars.next();
                end(&mut word, &mut chain);
                chain.push(Vec::new());
            }
            // `2>&1` and `&>file` are no background.
            '&' if word.as_ref().is_some_and(|word| word.ends_with('>')) => {
                word.get_or_insert_default().push('&');
            }
            '&' if chars.peek() == Some(&'>') => word.get_or_insert_default().push('&'),
            '&' => return None,
            ';' | '\n' => {
                end(&mut word, &mut chain);
                if chain.iter().any(|words| !words.is_empty())
                    && chars.clone().any(|c| !c.is_whitespace() && c != ';')
                {
                    chain = vec![Vec::new()];
                }
            }
            c if c.is_whitespace() => end(&mut word, &mut chain),
            c => word.get_or_insert_default().push(c),
        }
    }
    end(&mut word, &mut chain);
    Some(chain)
}

fn of_words(words: &[String]) -> Option<SignKind> {
    let mut rest = words.iter().map(String::as_str).peekable();
    let program = loop {
        let word = rest.next()?;
        let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
        if word.contains('=') || WRAPPERS.contains(&name) || word.starts_with('-') {
            continue;
        }
        if name == "timeout" {
            // Its options, then its time.
            while let Some(option) = rest.next() {
                match option {
                    "-k" | "-s" => drop(rest.next()),
                    option if option.starts_with('-') => {}
                    _ => break,
                }
            }
            continue;
        }
        if let Some((_, words)) = RUNNERS.iter().find(|(runner, _)| *runner == name) {
            let runs = words.is_empty() || rest.peek().is_some_and(|next| words.contains(next));
            if runs {
                if !words.is_empty() {
                    rest.next();
                }
                continue;
            }
        }
        break name;
    };
    let rest: Vec<&str> = rest.collect();
    if program == "git" {
        return is_commit(&rest).then_some(SignKind::Commit);
    }
    is_test(program, &rest).then_some(SignKind::Tests)
}

fn is_test(program: &str, rest: &[&str]) -> bool {
    if rest.iter().any(|word| {
        matches!(
            *word,
            "--help" | "--version" | "--no-run" | "--list" | "--collect-only"
        )
    }) {
        return false;
    }
    if TESTERS.contains(&program) {
        return true;
    }
    if program == "node" {
        return rest.contains(&"--test");
    }
    if program.starts_with("python") {
        return rest
            .windows(2)
            .any(|pair| pair[0] == "-m" && matches!(pair[1], "pytest" | "unittest"));
    }
    let mut plain = rest
        .iter()
        .filter(|word| !word.starts_with('-') && !word.starts_with('+'));
    let first = plain.next().copied().unwrap_or_default();
    if first == "run" && SCRIPTS.contains(&program) {
        let script = plain.next().copied().unwrap_or_default();
        return script == "test" || script.starts_with("test:");
    }
    // A project's own task: `cargo xtask test`.
    let first = if program == "cargo" && first == "xtask" {
        plain.next().copied().unwrap_or_default()
    } else {
        first
    };
    BY_WORD
        .iter()
        .any(|(name, words)| *name == program && words.contains(&first))
}

fn is_commit(rest: &[&str]) -> bool {
    let mut words = rest.iter();
    loop {
        match words.next() {
            Some(&("-C" | "-c")) => {
                words.next();
            }
            Some(word) if word.starts_with('-') => {}
            Some(&"commit") => {
                return !rest
                    .iter()
                    .any(|word| matches!(*word, "--dry-run" | "--help"));
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_tell_by_their_exit_code_or_not_at_all() {
        let tests = Some(SignKind::Tests);
        let commit = Some(SignKind::Commit);
        for (line, expected) in [
            ("cargo test", tests),
            ("cargo +nightly test -p x -- --nocapture", tests),
            ("cd web && npm test", tests),
            ("RUST_LOG=debug timeout -k 5 600 cargo nextest run", tests),
            ("npx vitest run", tests),
            ("uv run pytest -q 2>&1", tests),
            ("python3 -m unittest discover", tests),
            ("./gradlew check", tests),
            ("npm run test:unit", tests),
            ("pnpm exec playwright test", tests),
            ("node --test tests", tests),
            ("echo begin; go test ./...", tests),
            ("cargo build\ncargo test\n", tests),
            ("cargo xtask test core", tests),
            ("git commit -am 'a; b | c && d'", commit),
            (
                "git -C sub -c user.name=x commit -m \"say \\\"so\\\"\"",
                commit,
            ),
            ("git add -A && git commit -m x", commit),
            ("cargo test && git commit -m x", commit),
            ("cargo test | tail -5", None),
            ("cargo test || true", None),
            ("cargo test; echo $?", None),
            ("cargo test &", None),
            ("cargo test --no-run", None),
            ("npm install", None),
            ("npm run build", None),
            ("cargo build", None),
            ("git commit --dry-run", None),
            ("git log --grep commit", None),
            ("echo 'cargo test'", None),
            ("grep -r pytest .", None),
            ("git commit -m 'never ends", None),
            ("", None),
        ] {
            assert_eq!(purpose(line), expected, "{line}");
        }
    }
}
