//! Characters that a person does not see but a model reads: shown as `⟦U+202E⟧`.

use std::fmt::Write;

/// A text whose hidden characters are visible.
pub(super) struct Shown {
    pub text: String,
    /// The characters that were hidden, when there were any.
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

/// True if a character is invisible where it stands.
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

pub(super) fn always_hidden(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}'
        | '\u{FFF9}'..='\u{FFFB}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E007F}')
}

pub(super) fn selector(c: char) -> bool {
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
