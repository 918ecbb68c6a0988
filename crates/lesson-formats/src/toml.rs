//! TOML front matter, as far as it is `key = value`, lists and tables; what can't be read is a text.

use super::node::{Node, Value, line_number};

/// More lines than this are not read.
const LINES: usize = 20_000;
/// Most lines of one value.
const LONG: usize = 1_000;

/// The fields of a text whose first line is number `first_line`, and the lines that are none.
pub(super) fn read(text: &str, first_line: u32) -> (Vec<(String, Node)>, String) {
    let mut fields: Vec<(String, Node)> = Vec::new();
    let mut strays = String::new();
    let mut table: Option<usize> = None;
    let lines: Vec<&str> = text.lines().take(LINES).collect();
    let mut at = 0;
    while let Some(row) = lines.get(at) {
        let line = first_line.saturating_add(line_number(at));
        at += 1;
        let row = row.trim();
        if row.is_empty() || row.starts_with('#') {
            continue;
        }
        if row.starts_with('[') && row.contains(']') && !row.contains('=') {
            let name = row.trim_matches(['[', ']']).trim();
            table = Some(fields.len());
            fields.push((
                name.to_owned(),
                Node {
                    line,
                    value: Value::Map(Vec::new()),
                },
            ));
            continue;
        }
        let Some((key, rest)) = row.split_once('=') else {
            strays.push_str(row);
            strays.push('\n');
            continue;
        };
        let key = key.trim().trim_matches(['"', '\'']).to_owned();
        let mut raw = rest.trim().to_owned();
        // A list or a long text goes on until it is closed.
        let first = at;
        while let Some(open) = is_open(&raw)
            && at - first < LONG
            && let Some(more) = lines.get(at)
        {
            raw.push(if open == ']' { ' ' } else { '\n' });
            raw.push_str(if open == ']' { more.trim() } else { more });
            at += 1;
        }
        let node = Node {
            line,
            value: value(&raw, line),
        };
        match table.and_then(|table| fields.get_mut(table)) {
            Some((
                _,
                Node {
                    value: Value::Map(entries),
                    ..
                },
            )) => entries.push((key, node)),
            _ => fields.push((key, node)),
        }
    }
    (fields, strays)
}

/// Returns the character that closes a value which goes on; `None` for one that is whole.
fn is_open(raw: &str) -> Option<char> {
    for quote in ["\"\"\"", "'''"] {
        if let Some(rest) = raw.strip_prefix(quote) {
            return (!rest.contains(quote)).then_some('"');
        }
    }
    (raw.starts_with('[') && !uncommented(raw).ends_with(']')).then_some(']')
}

fn value(raw: &str, line: u32) -> Value {
    for quote in ["\"\"\"", "'''"] {
        if let Some((text, _)) = raw
            .strip_prefix(quote)
            .and_then(|rest| rest.split_once(quote))
        {
            let text = text.strip_prefix('\n').unwrap_or(text);
            return Value::Text(if quote == "'''" {
                text.to_owned()
            } else {
                unescaped(text)
            });
        }
    }
    let bare = uncommented(raw);
    if let Some(inner) = bare
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        return Value::List(
            parts(inner)
                .into_iter()
                .map(|part| Node {
                    line,
                    value: value(part, line),
                })
                .collect(),
        );
    }
    if let Some(text) = bare
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''))
    {
        return Value::Text(text.to_owned());
    }
    if let Some(text) = bare
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
    {
        return Value::Text(unescaped(text));
    }
    Value::Plain(bare.to_owned())
}

/// A value without the remark after it.
fn uncommented(raw: &str) -> &str {
    let remark = outside_quotes(raw).find(|(_, c)| *c == '#');
    remark.map_or(raw, |(at, _)| &raw[..at]).trim_end()
}

/// The characters of a value that stand in no quotes, with their places.
fn outside_quotes(raw: &str) -> impl Iterator<Item = (usize, char)> {
    let mut quote = None;
    let mut escaped = false;
    raw.char_indices().filter(move |(_, c)| {
        match quote {
            Some('"') if escaped => escaped = false,
            Some('"') if *c == '\\' => escaped = true,
            Some(open) if *c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'') => quote = Some(*c),
            None => return true,
        }
        false
    })
}

/// The entries of a list, without its brackets.
fn parts(inner: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, _) in outside_quotes(inner).filter(|(_, c)| *c == ',') {
        parts.push(inner[start..at].trim());
        start = at + 1;
    }
    parts.push(inner[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some(mark @ ('u' | 'U')) => {
                let digits: String = chars
                    .by_ref()
                    .take(if mark == 'u' { 4 } else { 8 })
                    .collect();
                match u32::from_str_radix(&digits, 16)
                    .ok()
                    .and_then(char::from_u32)
                {
                    Some(c) => out.push(c),
                    None => out.push_str(&format!("\\{mark}{digits}")),
                }
            }
            Some(other @ ('"' | '\\')) => out.push(other),
            Some(other) => {
                out.push('\\');
                out.push(other);
            }
            None => out.push('\\'),
        }
    }
    out
}
