//! Passwords and tokens in addresses and on command lines: `scheme://user:password@host`,
//! `https://key@host`, `.pgpass`, `curl -u user:password`, `sshpass -p password`.

use super::look;
use super::span::{Span, run};

/// Longest part of an address that is looked at.
const PART: usize = 400;

/// Adds every secret of an address or a command line to `spans`.
pub(super) fn find(text: &str, spans: &mut Vec<Span>) {
    for (at, _) in text.match_indices("://") {
        spans.extend(in_address(text, at + 3));
    }
    for (at, _) in text.match_indices(":5432:") {
        spans.extend(pgpass(text, at + 6));
    }
    for (pipe, pair) in [("| chpasswd", true), ("| sudo -S", false)] {
        for (at, _) in text.match_indices(pipe) {
            spans.extend(piped(text, at, pair));
        }
    }
    for call in CALLS {
        for (at, _) in text.match_indices(call) {
            spans.extend(second_string(text, at + call.len()));
        }
    }
    for (command, skip) in COMMANDS {
        for (at, _) in text.match_indices(command) {
            spans.extend(word_after(text, at + command.len(), *skip));
        }
    }
    for (flag, programs) in FLAGS {
        for (at, _) in text.match_indices(flag) {
            spans.extend(after_flag(text, at, flag, programs));
        }
    }
}

/// Flags that a password follows, and the programs that take them so.
const FLAGS: &[(&str, &[&str])] = &[
    (" -u ", &["curl", "wget", "http "]),
    (" -u", &["curl"]),
    (" --user ", &["curl", "http "]),
    (
        " -p ",
        &[
            "sshpass",
            "docker login",
            "podman login",
            "helm registry",
            "az login",
            "mongo",
        ],
    ),
    (" -p", &["mysql", "mariadb", "sshpass", "7z"]),
    (" -a ", &["redis-cli"]),
    (" -w ", &["ldapsearch", "ldapadd", "ldapmodify"]),
    (" pass:", &["openssl"]),
    (" -P ", &["unzip", "zip "]),
    ("ConvertTo-SecureString ", &[""]),
    (" /pass:", &["cmdkey", "net use"]),
];

/// Commands that a password follows as a word, and how many words stand between.
const COMMANDS: &[(&str, usize)] = &[("net user ", 1), ("htpasswd -", 3)];

/// Calls whose second string is a password.
const CALLS: &[&str] = &[".login(", "auth=(", "basic_auth(", "BasicAuth("];

/// The second string of a call's arguments.
fn second_string(text: &str, at: usize) -> Option<Span> {
    let quote = *text.as_bytes().get(at)?;
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let bytes = text.as_bytes();
    let string = |from: usize| from + part(bytes.get(from..).unwrap_or_default(), |b| b != quote);
    let first = string(at + 1);
    let gap = first + 1 + run(bytes.get(first + 1..)?, |b| matches!(b, b',' | b' '));
    let (start, end) = (gap + 1, string(gap + 1));
    let value = text.get(start..end)?;
    (bytes.get(gap) == Some(&quote) && bytes.get(end) == Some(&quote) && looks(value)).then_some(
        Span {
            start,
            end,
            label: "password",
        },
    )
}

/// The word after some others, as a password.
fn word_after(text: &str, at: usize, skip: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let graphic = |at: usize| part(&bytes[at..], |b| !matches!(b, b'`' | b'"' | b'\''));
    let mut start = at;
    for _ in 0..skip {
        start += graphic(start);
        start += usize::from(bytes.get(start) == Some(&b' '));
    }
    let end = start + graphic(start);
    let value = text.get(start..end)?;
    (value.len() >= 6 && !value.starts_with('/') && looks(value)).then_some(Span {
        start,
        end,
        label: "password",
    })
}

/// Finds a password that is piped into `chpasswd` as `user:password`, or into `sudo -S`.
fn piped(text: &str, at: usize, pair: bool) -> Option<Span> {
    let before = text[..at].trim_end_matches(['"', '\'', ' ', '|']);
    let from = before.rfind([' ', '"', '\'', '\n'])? + 1;
    let start = if pair {
        from + before[from..].find(':')? + 1
    } else {
        from
    };
    let end = before.len();
    looks(&text[start..end]).then_some(Span {
        start,
        end,
        label: "password",
    })
}

fn after_flag(text: &str, at: usize, flag: &str, programs: &[&str]) -> Option<Span> {
    let line = text[..at].rfind('\n').map_or(0, |line| line + 1);
    // Bounded, so that a long line of flags costs no more than its length.
    let mut from = line.max(at.saturating_sub(200));
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let before = text[from..at].to_ascii_lowercase();
    if !programs.iter().any(|program| before.contains(program)) {
        return None;
    }
    let bytes = text.as_bytes();
    let mut start = at + flag.len();
    let quoted = matches!(bytes.get(start), Some(b'"' | b'\''));
    start += usize::from(quoted);
    let mut end = start + part(&bytes[start..], |b| !matches!(b, b'"' | b'\'' | b'`'));
    if flag.trim_start().starts_with("-u") || flag == " --user " {
        let colon = text.get(start..end)?.find(':')?;
        start += colon + 1;
    }
    while end > start && matches!(bytes[end - 1], b'.' | b',' | b';' | b')') {
        end -= 1;
    }
    let value = text.get(start..end)?;
    (value.len() >= 6 && looks(value)).then_some(Span {
        start,
        end,
        label: "password",
    })
}

fn looks(value: &str) -> bool {
    !look::placeholder(value) && (look::password(value) || look::random(value))
}

/// Length of a part of graphic ASCII of such bytes.
fn part(bytes: &[u8], allowed: impl Fn(u8) -> bool) -> usize {
    let bytes = &bytes[..bytes.len().min(PART)];
    run(bytes, |b| b.is_ascii_graphic() && allowed(b))
}

/// The password of `user:password@host`, or the token of `token@host`.
fn in_address(text: &str, from: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let name = |b: u8| {
        !matches!(
            b,
            b':' | b'@' | b'/' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'{' | b'['
        )
    };
    let user = from + part(&bytes[from..], name);
    if bytes.get(user) == Some(&b'@') {
        let token = &text[from..user];
        let random = look::random(token) && token.len() >= 20;
        return (random && !look::placeholder(token)).then_some(Span {
            start: from,
            end: user,
            label: "token in a url",
        });
    }
    if bytes.get(user) != Some(&b':') {
        return None;
    }
    // A password may hold what an address can't; the last `@` before the path ends it.
    let rest = part(&bytes[user + 1..], |b| {
        !matches!(b, b'"' | b'\'' | b'`' | b'<' | b'>' | b'{' | b'[' | b' ')
    });
    let whole = &text[user + 1..user + 1 + rest];
    let upto = whole.find('/').unwrap_or(whole.len());
    let length = whole[..upto].rfind('@').or_else(|| whole.find('@'))?;
    let password = &whole[..length];
    let user_name = text[from..user].to_ascii_lowercase();
    let shown = password.to_ascii_lowercase();
    let only_shown = shown == user_name
        || look::placeholder(password)
        || matches!(
            &*shown,
            "test" | "dev" | "local" | "mysql" | "mongo" | "redis" | "rabbitmq" | "token"
        )
        || shown.starts_with('%');
    let (start, end) = (user + 1, user + 1 + length);
    (password.len() >= 5 && !only_shown).then_some(Span {
        start,
        end,
        label: "password in a url",
    })
}

/// The last of `database:user:password`.
fn pgpass(text: &str, from: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let word = |from: usize| from + part(&bytes[from..], |b| b != b':');
    let user = word(from);
    if bytes.get(user) != Some(&b':') {
        return None;
    }
    let last = word(user + 1);
    if bytes.get(last) != Some(&b':') {
        return None;
    }
    let (start, end) = (last + 1, word(last + 1));
    let value = &text[start..end];
    (value.len() >= 6 && looks(value)).then_some(Span {
        start,
        end,
        label: "password",
    })
}
