//! Characters that a person does not see but a model reads: shown as `⟦U+202E⟧`.

use std::fmt::Write;

/// A text whose hidden characters are visible.
pub(super) struct Shown {
    pub text: String,
    /// Which they were, when there were any.
    pub finding: Option<String>,
}

/// Makes hidden characters visible; a run of one character becomes one mark with its length.
/// Joiners and selectors stay where scripts and emoji need them.
pub(super) fn shown(text: &str) -> Shown {
    let mut out = String::with_capacity(text.len());
    let mut kinds: Vec<char> = Vec::new();
    let mut count = 0_usize;
    let mut previous: Option<char> = None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c == FLAG
            && let Some(length) = flag_length(rest)
        {
            out.push_str(&rest[..length]);
            rest = &rest[length..];
            previous = Some(FLAG);
            continue;
        }
        let after = &rest[c.len_utf8()..];
        if !hides(c, previous, after.chars().next()) {
            out.push(c);
            previous = Some(c);
            rest = after;
            continue;
        }
        let run = rest.chars().take_while(|other| *other == c).count();
        // Writing to a String can't fail.
        let _ = write!(out, "⟦U+{:04X}", u32::from(c));
        if run > 1 {
            let _ = write!(out, "×{run}");
        }
        out.push('⟧');
        count += run;
        if kinds.len() < 8 && !kinds.contains(&c) {
            kinds.push(c);
        }
        rest = &rest[run * c.len_utf8()..];
        previous = Some('⟧');
    }
    let finding = (count > 0).then(|| {
        let names: Vec<String> = kinds
            .iter()
            .map(|c| format!("U+{:04X}", u32::from(*c)))
            .collect();
        format!("{count}: {}", names.join(", "))
    });
    Shown { text: out, finding }
}

const FLAG: char = '\u{1F3F4}';

/// Bytes of a flag emoji made with tag characters, such as that of Scotland.
fn flag_length(text: &str) -> Option<usize> {
    let mut length = FLAG.len_utf8();
    for (place, c) in text.chars().skip(1).take(8).enumerate() {
        length += c.len_utf8();
        match c {
            '\u{E007F}' if place >= 3 => return Some(length),
            '\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}' => {}
            _ => return None,
        }
    }
    None
}

/// Whether a character is invisible where it stands.
fn hides(c: char, previous: Option<char>, next: Option<char>) -> bool {
    match c {
        '\n' | '\r' | '\t' => false,
        c if c.is_control() => true,
        // Emoji that are joined, and scripts whose letters join or must not.
        '\u{200D}' => {
            !(previous.is_some_and(|c| emoji(c) || joining(c))
                && next.is_some_and(|c| emoji(c) || joining(c)))
        }
        '\u{200C}' => !(previous.is_some_and(joining) && next.is_some_and(joining)),
        // One selector after a visible character chooses its form; more than one carry data.
        '\u{FE00}'..='\u{FE0F}' => previous.is_none_or(|c| selector(c) || c.is_whitespace()),
        '\u{E0100}'..='\u{E01EF}' => !previous.is_some_and(ideograph),
        _ => always_hidden(c),
    }
}

fn always_hidden(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}'
        | '\u{FFF9}'..='\u{FFFB}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E007F}')
}

fn selector(c: char) -> bool {
    matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}

fn ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}')
}

fn emoji(c: char) -> bool {
    matches!(c, '\u{FE0F}' | '\u{2190}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FAFF}')
}

/// Letters of scripts that are written with joiners: Arabic, Syriac, Indic, Sinhala, Tibetan,
/// Myanmar, Khmer, Mongolian.
fn joining(c: char) -> bool {
    matches!(c, '\u{0620}'..='\u{08FF}' | '\u{0900}'..='\u{0DFF}' | '\u{0F00}'..='\u{109F}'
        | '\u{1780}'..='\u{18AF}' | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}')
}

/// A text as a model may read it: without hidden characters and their marks, look-alike letters
/// as the Latin ones they resemble, tag characters as the text they spell, in lower case.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (c, length) = match mark(rest) {
            Some(mark) => mark,
            None => (c, c.len_utf8()),
        };
        rest = &rest[length..];
        match c {
            '\u{E0020}'..='\u{E007E}' => {
                out.extend(char::from_u32(u32::from(c) - 0xE0000).map(|c| c.to_ascii_lowercase()));
            }
            '\u{200C}' | '\u{200D}' | '\u{300}'..='\u{36F}' => {}
            '\n' | '\r' | '\t' => out.push(c),
            c if c.is_control() || selector(c) || always_hidden(c) => {}
            c => out.extend(latin(c).to_lowercase()),
        }
    }
    out
}

/// The character that a mark such as `⟦U+200B×3⟧` stands for, and the mark's length in bytes.
fn mark(text: &str) -> Option<(char, usize)> {
    let inner = text.strip_prefix("⟦U+")?;
    let digits = inner
        .bytes()
        .take(6)
        .take_while(u8::is_ascii_hexdigit)
        .count();
    let c = char::from_u32(u32::from_str_radix(inner.get(..digits)?, 16).ok()?)?;
    let mut tail = &inner[digits..];
    if let Some(times) = tail.strip_prefix('×') {
        let digits = times
            .bytes()
            .take(10)
            .take_while(u8::is_ascii_digit)
            .count();
        tail = &times[digits..];
    }
    let tail = tail.strip_prefix('⟧')?;
    Some((c, text.len() - tail.len()))
}

/// The Latin letter or ASCII sign that a character is drawn like.
fn latin(c: char) -> char {
    if let '\u{FF01}'..='\u{FF5E}' = c {
        return char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c);
    }
    if let '\u{1D400}'..='\u{1D6A3}' = c {
        // Thirteen mathematical alphabets of A–Z and a–z, one after the other.
        let place = (u32::from(c) - 0x1D400) % 52;
        return char::from_u32(if place < 26 {
            0x41 + place
        } else {
            0x61 + place - 26
        })
        .unwrap_or(c);
    }
    match c {
        'а' | 'А' | 'α' | 'Α' | 'ɑ' | 'á' | 'à' | 'â' | 'ä' | 'ã' | 'å' => 'a',
        'В' | 'Β' => 'b',
        'с' | 'С' | 'ϲ' | 'ç' => 'c',
        'ԁ' => 'd',
        'е' | 'Е' | 'Ε' | 'ε' | 'ё' | 'é' | 'è' | 'ê' | 'ë' => 'e',
        'ɡ' => 'g',
        'һ' | 'Н' | 'Η' => 'h',
        'і' | 'І' | 'ι' | 'Ι' | 'ı' | 'í' | 'ì' | 'î' | 'ï' => 'i',
        'ј' | 'Ј' => 'j',
        'к' | 'К' | 'κ' | 'Κ' => 'k',
        'ӏ' | 'Ӏ' => 'l',
        'м' | 'М' | 'Μ' => 'm',
        'п' | 'ո' | 'Ν' | 'ñ' => 'n',
        'о' | 'О' | 'ο' | 'Ο' | 'ó' | 'ò' | 'ô' | 'ö' | 'õ' | 'ø' => 'o',
        'р' | 'Р' | 'ρ' | 'Ρ' => 'p',
        'ѕ' | 'Ѕ' => 's',
        'т' | 'Т' | 'τ' | 'Τ' => 't',
        'υ' | 'ú' | 'ù' | 'û' | 'ü' => 'u',
        'ν' | 'ѵ' => 'v',
        'ԝ' => 'w',
        'х' | 'Х' | 'χ' | 'Χ' => 'x',
        'у' | 'У' | 'γ' | 'Υ' | 'ý' => 'y',
        'Ζ' => 'z',
        '‹' | '〈' | '⟨' => '<',
        '›' | '〉' | '⟩' => '>',
        'ǀ' | '│' | '∣' => '|',
        c => c,
    }
}
