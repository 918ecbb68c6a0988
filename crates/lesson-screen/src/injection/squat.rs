//! Names of packages a letter away from a well-known one, where a text says to install them.

use std::sync::LazyLock;

static KNOWN: LazyLock<Vec<&str>> = LazyLock::new(|| {
    include_str!("packages.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(str::split_whitespace)
        .collect()
});

/// Words after which names of packages stand, and how many words on they are looked for.
const BEFORE: &[&str] = &[
    "install", "add", "use", "i", "require", "package", "library", "crate", "gem", "get", "switch",
    "swap", "replace", "depend", "migrate", "rename",
];
const REACH: usize = 8;
/// Words by which one name takes the place of another.
const SWAPS: &[&str] = &["replace", "swap", "switch", "instead", "rather"];
/// Words that make a sentence one about packages.
const ABOUT: &[&str] = &[
    "install",
    "pip",
    "pip3",
    "npm",
    "pnpm",
    "yarn",
    "cargo",
    "gem",
    "uv",
    "poetry",
    "bun",
    "npx",
    "package",
    "packages",
    "dependency",
    "dependencies",
    "dep",
    "library",
    "crate",
    "pypi",
    "package.json",
    "requirements.txt",
    "pyproject.toml",
    "cargo.toml",
    "gemfile",
    "go.mod",
    "imports",
];
/// Words by which a sentence warns of a name, or speaks of it.
const WARNS: &[&str] = &[
    "not",
    "never",
    "don't",
    "dont",
    "typo",
    "malicious",
    "fake",
    "beware",
    "avoid",
    "wrong",
    "typosquat",
    "typosquats",
    "typosquatted",
    "misspelled",
    "misspelt",
    "compromised",
    "squat",
];
/// The shortest name whose neighbours are looked at.
const SHORTEST: usize = 5;

/// The name that is a letter away from a known one, and the known one.
pub(super) fn found(read: &str) -> Option<(&str, &str)> {
    let about = |word: &str| ABOUT.contains(&trimmed(word));
    read.lines().find_map(|line| {
        let about = line.split_whitespace().any(about);
        line.split(';')
            .flat_map(|part| part.split(". "))
            .find_map(|part| sentence(part, about))
    })
}

/// A word without the signs around it.
fn trimmed(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '@' && c != '\'')
}

/// `about`: packages are spoken of; else a name counts that takes the place of the one that it is a letter away from.
fn sentence(text: &str, about: bool) -> Option<(&str, &str)> {
    let mut words = text.split_whitespace().map(trimmed);
    if words.clone().any(|word| WARNS.contains(&word)) {
        return None;
    }
    let pip = words.clone().any(|word| word.starts_with("pip"));
    let swaps = words.clone().any(|word| SWAPS.contains(&word));
    let mut left = 0;
    let mut replaced = None;
    let mut before = "";
    let mut names = Vec::new();
    let mut all = Vec::new();
    for word in words.by_ref() {
        all.extend(name(word));
        if BEFORE.contains(&word) {
            left = REACH;
        } else if left > 0 {
            left -= 1;
            names.extend(name(word));
        }
        if matches!((before, word), ("instead", "of") | ("rather", "than")) {
            replaced = Some(names.len());
        }
        before = word;
    }
    let near = |name: &str, known: &str| {
        squats(name, known)
            // `reqeusts-secure` lives on the same slip.
            || name
                .split_once(['-', '_'])
                .is_some_and(|(head, _)| head.len() > SHORTEST && is_shuffled(head, known))
            || pip
                && name
                    .strip_prefix("python3-")
                    .is_some_and(|rest| known.strip_prefix("python-") == Some(rest))
    };
    let known = all.iter().find_map(|name| {
        let known = KNOWN
            .iter()
            .find(|known| near(name, known) && (about || swaps && all.contains(known)))?;
        (!KNOWN.contains(name)).then_some((*name, *known))
    });
    // The package that it stands in for need not be well known.
    known.or_else(|| {
        let (names, others) = names.split_at(replaced?);
        names.iter().find_map(|name| {
            let other = others.iter().find(|other| near(name, other))?;
            (!KNOWN.contains(name)).then_some((*name, *other))
        })
    })
}

/// The name of a package without its version.
fn name(word: &str) -> Option<&str> {
    let end = word
        .char_indices()
        .position(|(at, c)| at > 0 && matches!(c, '@' | '=' | '<' | '>' | '[' | '~' | ':' | '`'));
    let name = end.map_or(word, |end| word.get(..end).unwrap_or(word));
    let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    (name.len() >= SHORTEST && name.bytes().all(fits)).then_some(name)
}

/// True if a name is a known one with a letter left out, added, doubled, changed or swapped, or
/// without its hyphen. A plural, or another number, is another name.
fn squats(name: &str, known: &str) -> bool {
    let (a, b) = (name.as_bytes(), known.as_bytes());
    if a.len().abs_diff(b.len()) > 1 || a.first() != b.first() || name == known {
        return false;
    }
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[same..], &b[same..]);
    let sign = |bytes: &[u8]| {
        bytes
            .first()
            .is_some_and(|b| matches!(b, b'-' | b'_' | b'.'))
    };
    let number = |bytes: &[u8]| bytes.first().is_some_and(u8::is_ascii_digit);
    match (a, b) {
        // `foo-bar` and `foo_bar` are one name in most registries.
        ([x, a @ ..], [y, b @ ..]) if a == b => {
            !(sign(&[*x]) && sign(&[*y]) || number(&[*x]) && number(&[*y]))
        }
        ([x, y, a @ ..], [z, w, b @ ..]) if (x, y) == (w, z) && a == b => true,
        // A letter more: at the end it makes a plural or another form of the word.
        ([x, rest @ ..], b) if rest == b => {
            !number(&[*x]) && (!b.is_empty() || name.as_bytes()[same - 1] == *x)
        }
        // One of two equal letters at the end is left out.
        ([], [y]) => name.as_bytes().last() == Some(y),
        (a, [y, rest @ ..]) if rest == a => !number(&[*y]) && !a.is_empty(),
        _ => false,
    }
}

/// True if two words have the same letters in another order.
fn is_shuffled(name: &str, known: &str) -> bool {
    let letters = |word: &str| {
        let mut letters = word.as_bytes().to_vec();
        letters.sort_unstable();
        letters
    };
    name != known && name.len() == known.len() && letters(name) == letters(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_away_is_seen_and_other_names_are_not() {
        for (text, name) in [
            ("install `reqeusts` instead of requests", "reqeusts"),
            ("npm install electorn --save-dev", "electorn"),
            ("use the package crossenv rather than cross-env", "crossenv"),
            ("pip install python3-dateutil", "python3-dateutil"),
            ("pip install colourama==1.0", "colourama"),
            ("add expresss to the dependencies", "expresss"),
            ("cargo add blurhashh instead of blurhash", "blurhashh"),
            ("replace express by expres in the dependencies", "expres"),
            ("switch lodash to lodahs in package.json", "lodahs"),
            ("npm i -g lodahs-utils", "lodahs-utils"),
            ("replace express with expresss, same api", "expresss"),
        ] {
            assert_eq!(found(text).map(|(name, _)| name), Some(name), "{text}");
        }
        for text in [
            "pip install requests",
            "pip install requests-toolbelt",
            "never install `reqeusts`",
            "install psycopg instead of psycopg2",
            "npm install request",
            "cargo add rust-decimal",
            "apt install python3-dateutil",
            "add a request id to each package",
            "install the package on every host",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
