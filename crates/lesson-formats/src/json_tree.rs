//! JSON as a tree that knows its lines.
//!
//! Besides JSON it reads the bare words `NaN` and `Infinity` that some writers produce, so that
//! the field that holds one can be named; it refuses duplicate keys, lone surrogates and depth.

use super::node::{Fault, Node, Value, line_number, shown};
use std::collections::BTreeSet;

/// Deeper nesting than this is refused; lesson records need four.
const DEPTH: usize = 32;

/// Reads one JSON value that stands alone in `text`, whose first line is number `line`.
pub(super) fn read(text: &str, line: u32) -> Result<Node, Fault> {
    let mut reader = Reader {
        bytes: text.as_bytes(),
        text,
        at: 0,
        line: line as usize,
    };
    let node = reader.value(0)?;
    reader.space();
    if reader.at < reader.bytes.len() {
        return Err(reader.fault("there is more after the end of the JSON value; a .json file holds one, a .jsonl file one a line"));
    }
    Ok(node)
}

struct Reader<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
    line: usize,
}

impl Reader<'_> {
    fn fault(&self, message: impl Into<String>) -> Fault {
        Fault {
            line: line_number(self.line),
            code: "json",
            message: message.into(),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while let Some(b) = self.peek() {
            match b {
                b'\n' => self.line += 1,
                b' ' | b'\t' | b'\r' => {}
                _ => break,
            }
            self.at += 1;
        }
    }

    /// Describes the text at this place, for a message.
    fn here(&self) -> String {
        match self.text.get(self.at..) {
            Some("") | None => "the end of the file".to_owned(),
            Some(rest) => {
                let word: String = rest
                    .chars()
                    .take_while(|c| !c.is_whitespace())
                    .take(20)
                    .collect();
                format!("`{}`", shown(&word))
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Fault> {
        if depth > DEPTH {
            return Err(self.fault(format!("nested deeper than {DEPTH}; flatten the record")));
        }
        self.space();
        let line = line_number(self.line);
        let value = match self.peek() {
            Some(b'{') => self.map(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Value::Text(self.string()?),
            _ => Value::Plain(self.word()?),
        };
        Ok(Node { line, value })
    }

    fn map(&mut self, depth: usize) -> Result<Value, Fault> {
        self.at += 1;
        let mut entries: Vec<(String, Node)> = Vec::new();
        let mut names: BTreeSet<String> = BTreeSet::new();
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Map(entries));
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return Err(self.fault(format!(
                    "expected a quoted field name, found {}",
                    self.here()
                )));
            }
            let name = self.string()?;
            if !names.insert(name.clone()) {
                return Err(self.fault(format!(
                    "field `{}` stands twice in one object; keep one",
                    shown(&name)
                )));
            }
            self.space();
            if self.peek() != Some(b':') {
                return Err(self.fault(format!(
                    "expected `:` after `{}`, found {}",
                    shown(&name),
                    self.here()
                )));
            }
            self.at += 1;
            let node = self.value(depth + 1)?;
            entries.push((name, node));
            if self.ends(b'}')? {
                return Ok(Value::Map(entries));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, Fault> {
        self.at += 1;
        let mut nodes = Vec::new();
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::List(nodes));
        }
        loop {
            nodes.push(self.value(depth + 1)?);
            if self.ends(b']')? {
                return Ok(Value::List(nodes));
            }
        }
    }

    /// Steps over `,` (false) or `end` (true).
    fn ends(&mut self, end: u8) -> Result<bool, Fault> {
        self.space();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(false)
            }
            Some(b) if b == end => {
                self.at += 1;
                Ok(true)
            }
            _ => Err(self.fault(format!(
                "expected `,` or `{}`, found {}",
                char::from(end),
                self.here()
            ))),
        }
    }

    fn word(&mut self) -> Result<String, Fault> {
        let start = self.at;
        while self
            .peek()
            .is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
        {
            self.at += 1;
        }
        let word = &self.text[start..self.at];
        let known = matches!(
            word,
            "null" | "true" | "false" | "NaN" | "Infinity" | "-Infinity" | "+Infinity"
        );
        let number = word.starts_with(|c: char| c.is_ascii_digit() || c == '-')
            && word.contains(|c: char| c.is_ascii_digit())
            && word.parse::<f64>().is_ok();
        if known || number {
            return Ok(word.to_owned());
        }
        self.at = start;
        Err(self.fault(format!("expected a JSON value, found {}", self.here())))
    }

    fn string(&mut self) -> Result<String, Fault> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let start = self.at;
            while self
                .peek()
                .is_some_and(|b| b != b'"' && b != b'\\' && b >= 0x20)
            {
                self.at += 1;
            }
            // Both ends stand before or after ASCII bytes, so they are character boundaries.
            out.push_str(&self.text[start..self.at]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    self.at += 1;
                    out.push(self.escape()?);
                }
                Some(_) => return Err(self.fault("a line break or control character stands inside a string; write it as \\n or \\u0000")),
                None => return Err(self.fault("the file ends inside a string; it is cut off")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
        let b = self.peek();
        self.at += 1;
        Ok(match b {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.hex()?;
                let code = if (0xD800..0xDC00).contains(&first)
                    && self.bytes.get(self.at..self.at + 2) == Some(b"\\u")
                {
                    self.at += 2;
                    let second = self.hex()?;
                    if !(0xDC00..0xE000).contains(&second) {
                        return Err(self.fault(
                            "half of a surrogate pair stands alone; write the character itself",
                        ));
                    }
                    0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
                } else {
                    first
                };
                char::from_u32(code).ok_or_else(|| {
                    self.fault("half of a surrogate pair stands alone; write the character itself")
                })?
            }
            _ => {
                self.at -= 1;
                return Err(self.fault(
                    "an unknown escape stands inside a string; a backslash is written as \\\\",
                ));
            }
        })
    }

    fn hex(&mut self) -> Result<u32, Fault> {
        let digits = self
            .text
            .get(self.at..self.at + 4)
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let Some(code) = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) else {
            return Err(self.fault("\\u needs four hexadecimal digits"));
        };
        self.at += 4;
        Ok(code)
    }
}
