//! Where the value stands that belongs to a name, whatever connects the two.

use super::look;
use super::names::Kind;
use super::span::run;

/// Connection of a value to its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `name = "value"`, `name("value")`, `"name": "value"`.
    Quoted,
    /// `name=value`, `name: value`, `--name value`, `<name>value</name>`.
    Bare,
    /// `Host=…;Password=value`: a list of pairs, one of which names a server or a user.
    Pair,
    /// `Authorization: Bearer value`.
    Scheme,
    /// In a sentence after the name.
    Said,
}

pub(super) struct Value {
    pub start: usize,
    pub end: usize,
    pub form: Form,
}

/// The longest value that is looked at.
const LONGEST: usize = 1024;
/// Most bytes that a sentence may take from a name to its value.
const NEAR: usize = 48;

/// The value of the name from `begin` to `from`.
pub(super) fn value(text: &str, begin: usize, from: usize, kind: Kind) -> Option<Value> {
    assigned(text, begin, from).or_else(|| said(text, from, kind))
}

fn assigned(text: &str, begin: usize, from: usize) -> Option<Value> {
    let bytes = text.as_bytes();
    let name = text.get(begin..from)?.to_ascii_lowercase();
    let scheme_name = name.contains("authorization") || name.contains("bearer");
    let closed = from + closers(&bytes[from..]);
    let (sign_length, sign) = sign(text, closed);
    let mut start = match sign {
        Sign::None => {
            let flag = option(text, begin) && closed > from && bytes[from].is_ascii_whitespace();
            let netrc = name.starts_with("passw") && line_before(text, begin).contains("login ");
            // SQL: `PASSWORD '…'`, `IDENTIFIED BY '…'`.
            let sql = (name.ends_with("password") || name.ends_with("identified by"))
                && text[from..].starts_with(" '");
            if let Some(at) = typed(text, from).or_else(|| beside(text, from)) {
                at
            } else if sql {
                from + 1
            } else if (flag || netrc || scheme_name) && closed == from + 1 {
                closed
            } else {
                return None;
            }
        }
        Sign::Assigns => typed(text, closed + sign_length)
            .filter(|_| text[closed..].starts_with(':'))
            .unwrap_or(closed + sign_length),
        Sign::Compares | Sign::Passes => {
            let at = closed + sign_length;
            let at = at + blanks(&bytes[at..]);
            matches!(bytes.get(at), Some(b'"' | b'\'' | b'`')).then_some(at)?
        }
        Sign::Tag => {
            let open = text[..begin].rfind(['<', '\n', '>'])?;
            (text.as_bytes()[open] == b'<').then_some(())?;
            closed + sign_length
        }
    };
    start += blanks(&bytes[start..]);
    let mut form = Form::Bare;
    // `\"`, `b"`, `Some("`.
    if matches!(bytes.get(start), Some(b'b' | b'r' | b'f'))
        && matches!(bytes.get(start + 1), Some(b'"' | b'\''))
    {
        start += 1;
    }
    let escaped = usize::from(bytes.get(start) == Some(&b'\\'));
    let quote = bytes.get(start + escaped).copied();
    let quote = quote.filter(|b| matches!(b, b'"' | b'\'' | b'`'));
    if quote.is_some() {
        start += escaped + 1;
        form = Form::Quoted;
    }
    let skipped = scheme(text, start);
    start += skipped;
    if skipped > 0 || scheme_name {
        form = Form::Scheme;
    }
    let rest = &bytes[start..bytes.len().min(start + LONGEST)];
    let length = match quote {
        Some(quote) => {
            let length = run(rest, |b| {
                b != quote && b != b'\n' && (escaped == 0 || b != b'\\')
            });
            // An open quote ends nowhere, unless the text does.
            let end = rest.get(length);
            if end == Some(&b'\n') {
                run(rest, bare)
            } else {
                length
            }
        }
        None => bare_length(text, start, rest),
    };
    let end = start + length;
    if !text.is_char_boundary(start) || !text.is_char_boundary(end) || length == 0 {
        return None;
    }
    if quote.is_none() && form == Form::Bare && in_pairs(text, begin) {
        form = Form::Pair;
    }
    Some(Value { start, end, form })
}

enum Sign {
    None,
    Assigns,
    Compares,
    Passes,
    Tag,
}

fn sign(text: &str, at: usize) -> (usize, Sign) {
    let rest = &text.as_bytes()[at..];
    for (sign, what) in [
        (&b"==="[..], Sign::Compares),
        (b"!==", Sign::Compares),
        (b"==", Sign::Compares),
        (b"!=", Sign::Compares),
        (b"::", Sign::None),
        (b":=", Sign::Assigns),
        (b"=>", Sign::Assigns),
        (b"?=", Sign::Assigns),
        (b"=", Sign::Assigns),
        (b":", Sign::Assigns),
        (b"%3D", Sign::Assigns),
        (b"%3A", Sign::Assigns),
        (b",", Sign::Passes),
        (b"(", Sign::Passes),
        (b">", Sign::Tag),
    ] {
        if rest.starts_with(sign) {
            return (sign.len(), what);
        }
    }
    (0, Sign::None)
}

/// Length of what closes a name: `"`, `']`, `**`, and blanks.
fn closers(bytes: &[u8]) -> usize {
    run(&bytes[..bytes.len().min(8)], |b| {
        matches!(b, b'"' | b'\'' | b']' | b'`' | b'*' | b'\\' | b' ' | b'\t')
    })
}

fn blanks(bytes: &[u8]) -> usize {
    run(&bytes[..bytes.len().min(8)], |b| {
        matches!(b, b' ' | b'\t' | b'*')
    })
}

/// The place after `: &str =` and ` string =`, from the place after the name or its colon.
fn typed(text: &str, from: usize) -> Option<usize> {
    let bytes = &text.as_bytes()[from..text.len().min(from + 32)];
    let kind = run(bytes, |b| {
        b.is_ascii_alphabetic()
            || matches!(
                b,
                b' ' | b'&' | b'\'' | b'<' | b'>' | b'[' | b']' | b'*' | b':' | b'?'
            )
    });
    let named = bytes[..kind].iter().any(u8::is_ascii_alphabetic);
    let blank = kind > 0 && bytes[kind - 1] == b' ';
    (named && blank && bytes.get(kind) == Some(&b'=') && bytes.get(kind + 1) != Some(&b'='))
        .then_some(from + kind + 1)
}

/// The place after `" value="`, `", "value": ` and `" { default =`.
fn beside(text: &str, from: usize) -> Option<usize> {
    let mut upto = text.len().min(from + 40);
    while !text.is_char_boundary(upto) {
        upto -= 1;
    }
    let near = text.get(from..upto)?;
    let (at, word) = ["value", "default"]
        .iter()
        .filter_map(|word| Some((near.find(word)?, word)))
        .min()?;
    let between = near[..at]
        .bytes()
        .all(|b| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b',' | b'{' | b'-' | b'/'));
    let after = from + at + word.len();
    let closed = after + closers(&text.as_bytes()[after..]);
    let sign = text.as_bytes().get(closed)?;
    (between && at > 0 && matches!(sign, b'=' | b':')).then_some(closed + 1)
}

/// True if the name is a command line's: `--token`, `-Password`.
fn option(text: &str, begin: usize) -> bool {
    let bytes = &text.as_bytes()[begin.saturating_sub(24)..begin];
    let word = bytes
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
        .count();
    bytes[bytes.len() - word..].starts_with(b"-")
}

fn line_before(text: &str, at: usize) -> &str {
    let mut from = at.saturating_sub(120);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let before = &text[from..at];
    before.rsplit('\n').next().unwrap_or(before)
}

/// Length of `Bearer ` and its kin, and of the word that says how a value is written.
fn scheme(text: &str, at: usize) -> usize {
    let rest = &text.as_bytes()[at..];
    if rest.starts_with(b"base64:") {
        return b"base64:".len();
    }
    [
        "Bearer",
        "Basic",
        "Token",
        "Bot",
        "ApiKey",
        "Api-Key",
        "Key",
        "SSWS",
        "PRIVATE-TOKEN",
        "GenieKey",
        "Splunk",
        "DeepL-Auth-Key",
    ]
    .iter()
    .find(|word| {
        rest.get(..word.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(word.as_bytes()))
            && rest.get(word.len()) == Some(&b' ')
    })
    .map_or(0, |word| {
        word.len() + run(&rest[word.len()..], |b| b == b' ').min(4)
    })
}

/// Bytes of a value without quotes.
fn bare(b: u8) -> bool {
    b.is_ascii_graphic()
        && !matches!(
            b,
            b'"' | b'\'' | b'`' | b';' | b',' | b'<' | b'>' | b'|' | b'\\'
        )
}

fn bare_length(text: &str, start: usize, rest: &[u8]) -> usize {
    let mut length = run(rest, bare);
    // In an address the next parameter begins at `&`.
    let value = &text.as_bytes()[start..start + length];
    if let Some(next) = value.iter().position(|b| *b == b'&')
        && value[next..].contains(&b'=')
    {
        length = next;
    }
    // Signs that end a sentence, a link or a list are no part of it.
    while length > 0
        && matches!(
            rest[length - 1],
            b'.' | b':' | b')' | b']' | b'}' | b'*' | b'!'
        )
        && !(rest[length - 1] == b'!' && length < 24)
    {
        length -= 1;
    }
    length
}

/// True if the name stands in a connection string.
fn in_pairs(text: &str, begin: usize) -> bool {
    let before = line_before(text, begin).to_ascii_lowercase();
    let apart = before.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '_');
    apart.trim_end().ends_with([';', ' ', '\'', '"'])
        && [
            "server=",
            "host=",
            "data source=",
            "endpoint=",
            "user id=",
            "uid=",
            "user=",
            "dbname=",
            "username=",
            "initial catalog=",
            "database=",
        ]
        .iter()
        .any(|word| before.contains(word))
}

/// The first value in the sentence after a name that looks random, or, of a password, that the
/// sentence calls so.
fn said(text: &str, from: usize, kind: Kind) -> Option<Value> {
    let bytes = text.as_bytes();
    let upto = bytes.len().min(from + NEAR);
    let mut at = from;
    let mut called = false;
    while at < upto {
        let b = bytes[at];
        // A mark or another line is another matter.
        if matches!(b, b'[' | b'\n' | b'<' | b'{' | b'(')
            || (b == b'.' && bytes.get(at + 1) == Some(&b' '))
        {
            return None;
        }
        if !b.is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let rest = &bytes[at..bytes.len().min(at + LONGEST)];
        let password = called && kind == Kind::Password;
        let length = bare_length(text, at, rest);
        let word = text.get(at..at + length)?;
        if look::random(word) || password {
            return Some(Value {
                start: at,
                end: at + length,
                form: Form::Said,
            });
        }
        called = matches!(
            word,
            "is" | "was" | "to" | "be" | "es" | "est" | "ist" | "lautet" | "to:" | "jest"
        );
        at += length.max(1);
    }
    None
}
