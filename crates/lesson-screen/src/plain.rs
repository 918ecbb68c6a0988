//! A text as a model may read it, whatever it is written with: the one reading that rules look at.

use super::hidden::{always_hidden, selector};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Letters of other alphabets and what they are read as. Compiled in, since libraries that know all
/// of Unicode's compatibility forms and confusables add 60 to 90 kB, packed, for what this takes 5.
const LETTERS: &str = include_str!("letters.txt");

static READ_AS: LazyLock<BTreeMap<char, &'static str>> = LazyLock::new(|| letters(LETTERS));

/// Number of times that escapes are undone: they may be escaped themselves.
const DEPTH: usize = 3;

/// The longest run of one tag character that a mark may stand for; more is no word.
const TAGS: usize = 3;

/// The text without hidden characters and their marks, with look-alike letters as the Latin ones,
/// tag characters as the text they spell, entities and escapes undone, and markup within words
/// left out; in lower case. Costs time linear in the text.
pub(super) fn plain(text: &str) -> String {
    let mut plain = folded(text);
    for _ in 0..DEPTH {
        match unescaped(&plain) {
            Some(next) => plain = folded(&next),
            None => break,
        }
    }
    unmarked(&plain)
}

fn letters(table: &'static str) -> BTreeMap<char, &'static str> {
    let mut read_as = BTreeMap::new();
    for line in table.lines().filter(|line| !line.starts_with("//")) {
        let Some((name, rest)) = line.split_once(' ') else {
            continue;
        };
        let alphabet = match name {
            "A-Z" => "abcdefghijklmnopqrstuvwxyz",
            "0-9" => "0123456789",
            _ => {
                read_as.extend(rest.chars().map(|c| (c, name)));
                continue;
            }
        };
        for first in rest
            .split(' ')
            .filter_map(|hex| u32::from_str_radix(hex, 16).ok())
        {
            read_as.extend(
                (0..alphabet.len())
                    .zip(first..)
                    .filter_map(|(at, code)| Some((char::from_u32(code)?, alphabet.get(at..=at)?))),
            );
        }
    }
    read_as
}

/// The text with every character as it is read.
fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (c, times, length) = mark(rest).unwrap_or((c, 1, c.len_utf8()));
        rest = &rest[length..];
        match c {
            c if c.is_ascii_graphic() || matches!(c, ' ' | '\n' | '\t') => {
                out.push(c.to_ascii_lowercase());
            }
            '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\u{E0020}'..='\u{E007E}' => {
                let letter = char::from_u32(u32::from(c) - 0xE0000).unwrap_or(' ');
                out.extend(std::iter::repeat_n(
                    letter.to_ascii_lowercase(),
                    times.min(TAGS),
                ));
            }
            '\u{200C}' | '\u{200D}' => {}
            c if c.is_control() || combining(c) || selector(c) || always_hidden(c) => {}
            c => push_letter(&mut out, c),
        }
    }
    out
}

fn push_letter(out: &mut String, c: char) {
    if let Some(read) = READ_AS.get(&c) {
        out.push_str(read);
        return;
    }
    for low in c.to_lowercase() {
        match READ_AS.get(&low) {
            Some(read) => out.push_str(read),
            None if combining(low) => {}
            None => out.push(low),
        }
    }
}

/// Accents, strokes and vowel points that are set upon letters.
fn combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5C7}'
        | '\u{610}'..='\u{61A}' | '\u{640}' | '\u{64B}'..='\u{65F}' | '\u{670}'
        | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}'
        | '\u{FE20}'..='\u{FE2F}')
}

/// The character that a mark such as `⟦U+200B×3⟧` stands for, how often, and the mark's length in
/// bytes.
pub(super) fn mark(text: &str) -> Option<(char, usize, usize)> {
    let inner = text.strip_prefix("⟦U+")?;
    let digits = inner
        .bytes()
        .take(6)
        .take_while(u8::is_ascii_hexdigit)
        .count();
    let c = char::from_u32(u32::from_str_radix(inner.get(..digits)?, 16).ok()?)?;
    let mut tail = &inner[digits..];
    let mut times = 1;
    if let Some(count) = tail.strip_prefix('×') {
        let digits = count
            .bytes()
            .take(10)
            .take_while(u8::is_ascii_digit)
            .count();
        times = count[..digits].parse().unwrap_or(usize::MAX);
        tail = &count[digits..];
    }
    let tail = tail.strip_prefix('⟧')?;
    Some((c, times, text.len() - tail.len()))
}

/// The text with entities, percent escapes and code escapes undone; None when there are none.
fn unescaped(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut kept = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find(['&', '%', '\\']) {
        at += found;
        let rest = &text[at..];
        let undone = match rest.as_bytes()[0] {
            b'&' => entity(rest),
            b'%' => percent(rest),
            _ => escape(rest),
        };
        match undone {
            Some((read, length)) => {
                out.push_str(&text[kept..at]);
                out.push_str(&read);
                at += length;
                kept = at;
            }
            None => at += 1,
        }
    }
    if kept == 0 {
        return None;
    }
    out.push_str(&text[kept..]);
    Some(out)
}

/// `&#73;`, `&#x49;` and the names that have to do with words and tags.
fn entity(rest: &str) -> Option<(String, usize)> {
    let end = rest.bytes().take(12).position(|b| b == b';')?;
    let name = &rest[1..end];
    let c = match name.strip_prefix('#') {
        Some(number) => char::from_u32(match number.strip_prefix('x') {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        })?,
        None => match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            "nbsp" | "ensp" | "emsp" | "thinsp" => ' ',
            "shy" | "zwsp" | "zwj" | "zwnj" => '\u{200B}',
            "lbrack" | "lsqb" => '[',
            "rbrack" | "rsqb" => ']',
            "vert" | "verbar" => '|',
            "newline" => '\n',
            "colon" => ':',
            _ => return None,
        },
    };
    Some((c.to_string(), end + 1))
}

/// A run of `%49%67`.
fn percent(rest: &str) -> Option<(String, usize)> {
    let bytes: Vec<u8> = rest
        .as_bytes()
        .chunks_exact(3)
        .map_while(|three| {
            let hex = (three[0] == b'%').then_some(&three[1..])?;
            u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()
        })
        .collect();
    let length = bytes.len() * 3;
    (length > 0).then(|| (String::from_utf8_lossy(&bytes).into_owned(), length))
}

/// `\u0049`, `\u{49}`, `\x49`.
fn escape(rest: &str) -> Option<(String, usize)> {
    let hex = |from: usize, least: usize, most: usize| {
        let digits = rest.as_bytes()[from..]
            .iter()
            .take(most)
            .take_while(|b| b.is_ascii_hexdigit())
            .count();
        (digits >= least).then_some(from + digits)
    };
    let (from, end, length) = if rest.starts_with("\\u{") {
        let end = hex(3, 1, 6)?;
        (3, end, rest[end..].starts_with('}').then_some(end + 1)?)
    } else if rest.starts_with("\\u") {
        let end = hex(2, 4, 4)?;
        (2, end, end)
    } else if rest.starts_with("\\x") {
        let end = hex(2, 2, 2)?;
        (2, end, end)
    } else {
        return None;
    };
    let c = char::from_u32(u32::from_str_radix(&rest[from..end], 16).ok()?)?;
    Some((c.to_string(), length))
}

/// Tags that stand within words without a reader's seeing them.
const INLINE: &[&str] = &[
    "a", "b", "code", "em", "font", "i", "mark", "q", "s", "small", "span", "strong", "sub", "sup",
    "tt", "u", "wbr",
];

/// The text without emphasis, inline tags and comments in the middle of words.
fn unmarked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        if matches!(c, '<' | '*' | '~' | '`') && before.is_alphanumeric() {
            let length = markup(rest);
            let word = rest[length..]
                .chars()
                .next()
                .is_some_and(char::is_alphanumeric);
            // Looked at once: what is no markup here is none at its next sign either.
            if !word {
                out.push_str(&rest[..length.max(1)]);
            }
            rest = &rest[length.max(1)..];
            before = if word { before } else { ' ' };
            continue;
        }
        out.push(c);
        before = c;
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// Length of the markup at the start.
fn markup(text: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let signs = rest
            .bytes()
            .take_while(|b| matches!(b, b'*' | b'~' | b'`'))
            .count();
        let tag = rest.strip_prefix('<').and_then(|inner| {
            let end = inner
                .bytes()
                .take(40)
                .position(|b| matches!(b, b'>' | b'<'))?;
            let inside = inner.as_bytes()[end] == b'>';
            let name = inner[..end].trim_start_matches('/');
            let name = name.split([' ', '/']).next().unwrap_or_default();
            let comment = name.starts_with("!--") && inner[..end].ends_with("--");
            (inside && (comment || INLINE.contains(&name))).then_some(end + 2)
        });
        match tag.unwrap_or(signs) {
            0 => return at,
            length => at += length,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_otherwise_reads_the_same() {
        for (text, read) in [
            ("Ignore", "ignore"),
            ("Ⓘⓖⓝⓞⓡⓔ 🅘🅖🅝🅞🅡🅔 🅸🅶🅽🅾🆁🅴 🇮🇬", "ignore ignore ignore ig"),
            (
                "ɪɢɴᴏʀᴇ ｉｇｎｏｒｅ 𝓲𝓰𝓷𝓸𝓻𝓮 іgnоrе",
                "ignore ignore ignore ignore",
            ),
            ("i\u{336}g\u{336}n\u{200b}ore ígñôrë", "ignore ignore"),
            (
                "&#73;gnore &#x49;gn&amp;#111;re &lt;b&gt;",
                "ignore ignore <b>",
            ),
            ("%49gnore \\u0049gnore \\x49 \\u{49}", "ignore ignore i i"),
            (
                "ig<b></b>nore ig<!-- -->nore **ig**nore",
                "ignore ignore **ignore",
            ),
            ("text<|im_end|>more 3 < 4", "text<|im_end|>more 3 < 4"),
            ("a\u{e0041}\u{e0042}", "aab"),
            ("⟦U+E006C×2⟧ ⟦U+200B×3⟧.", "ll ."),
            ("⟦U+E006C×9999999999⟧", "lll"),
            ("忽略 指示を ひ", "忽略 指示を ひ"),
            ("100% \\unit &c; &", "100% \\unit &c; &"),
        ] {
            assert_eq!(plain(text), read, "{text}");
        }
    }
}
