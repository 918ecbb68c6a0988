//! Blocks of markdown: CommonMark's, with tables and task lists, but no link references.
//!
//! Each level of nesting reads its own lines again, and there are few levels: cost is linear in the text's length. What
//! follows the first [`BLOCKS`] blocks is one block of text as it is written: each is an element of the page, and a
//! browser takes seconds for tens of thousands.

use super::html::{comment, is_html};
use super::inline::inlines;
use super::tree::{BLOCKS, Block, DEPTH};
use super::visible::visible;
use std::cell::Cell;

/// The longest number of a list item, in digits.
const DIGITS: usize = 9;

/// Reads blocks out of lines.
pub(super) fn blocks(lines: &[String]) -> Vec<Block> {
    nested(lines, 0, &Cell::new(BLOCKS))
}

fn nested(lines: &[String], depth: usize, left: &Cell<usize>) -> Vec<Block> {
    let mut reader = Reader {
        lines,
        at: 0,
        depth,
        left,
        out: Vec::new(),
    };
    while reader.at < lines.len() {
        reader.step();
    }
    reader.out
}

struct Reader<'a> {
    lines: &'a [String],
    at: usize,
    depth: usize,
    /// Blocks and items that may still be made, at all levels together.
    left: &'a Cell<usize>,
    out: Vec<Block>,
}

impl Reader<'_> {
    fn step(&mut self) {
        let line = self.lines[self.at].as_str();
        if blank(line) {
            self.at += 1;
        } else if !self.take() {
            self.as_written();
        } else if self.depth >= DEPTH {
            self.flat();
        } else if indent(line) >= 4 {
            self.indented();
        } else if let Some(fence) = Fence::open(line) {
            self.fenced(&fence);
        } else if let Some((level, text)) = heading(line) {
            self.out.push(Block::Heading(level, inlines(text)));
            self.at += 1;
        } else if is_rule(line) {
            self.out.push(Block::Rule);
            self.at += 1;
        } else if quoted(line).is_some() {
            self.quote();
        } else if let Some(marker) = Marker::of(line) {
            self.list(&marker);
        } else if comment(line).is_some() || is_html(line) {
            self.html();
        } else if !self.table() {
            self.paragraph();
        }
    }

    /// Takes one of the blocks that are left; whether there was one.
    fn take(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left > 0
    }

    /// The rest of the lines in one block.
    fn as_written(&mut self) {
        let text = self.lines[self.at..].join("\n");
        self.at = self.lines.len();
        self.code(&text);
    }

    /// Takes the rest of the lines as one paragraph: text that is nested too deeply, without its structure.
    fn flat(&mut self) {
        let text = self.lines[self.at..].join("\n");
        self.at = self.lines.len();
        let text = super::Inline::Text(visible(text.trim()));
        self.out.push(Block::Paragraph(vec![text]));
    }

    fn code(&mut self, text: &str) {
        self.out.push(Block::Code(visible(text.trim_end())));
    }

    fn indented(&mut self) {
        let mut text = String::new();
        while let Some(line) = self.lines.get(self.at) {
            if !blank(line) && indent(line) < 4 {
                break;
            }
            text.push_str(unindented(line, 4));
            text.push('\n');
            self.at += 1;
        }
        self.code(&text);
    }

    fn fenced(&mut self, fence: &Fence) {
        let mut text = String::new();
        self.at += 1;
        while let Some(line) = self.lines.get(self.at) {
            self.at += 1;
            if fence.closes(line) {
                break;
            }
            text.push_str(unindented(line, fence.indent));
            text.push('\n');
        }
        self.code(&text);
    }

    fn html(&mut self) {
        let mut text = String::new();
        // A comment goes on through empty lines and ends where it says so, whatever follows.
        let mut open = comment(&self.lines[self.at]);
        let is_comment = open.is_some();
        while let Some(line) = self.lines.get(self.at) {
            if !is_comment && blank(line) {
                break;
            }
            text.push_str(line);
            text.push('\n');
            self.at += 1;
            if is_comment && open.take().unwrap_or(line).contains("-->") {
                break;
            }
        }
        self.code(&text);
    }

    fn quote(&mut self) {
        let mut inner: Vec<String> = Vec::new();
        while let Some(line) = self.lines.get(self.at) {
            match quoted(line) {
                Some(rest) => inner.push(rest.to_owned()),
                // A paragraph in a quotation goes on without the mark.
                None if inner.last().is_some_and(|last| goes_on(last)) && !interrupts(line) => {
                    inner.push(line.clone());
                }
                None => break,
            }
            self.at += 1;
        }
        self.out
            .push(Block::Quote(nested(&inner, self.depth + 1, self.left)));
    }

    fn list(&mut self, first: &Marker) {
        let mut items = Vec::new();
        while let Some(marker) = self.lines.get(self.at).and_then(|line| Marker::of(line)) {
            if !marker.is_like(first) || is_rule(&self.lines[self.at]) || !self.take() {
                break;
            }
            let lines = self.item(&marker);
            items.push(nested(&lines, self.depth + 1, self.left));
        }
        self.out.push(Block::List(first.number, items));
    }

    /// The lines of one item, without its mark and its indent.
    fn item(&mut self, marker: &Marker) -> Vec<String> {
        let first = unindented(&self.lines[self.at], 0);
        let mut inner = vec![task(first.get(marker.text..).unwrap_or_default())];
        self.at += 1;
        while let Some(line) = self.lines.get(self.at) {
            if blank(line) {
                // It belongs to the item if what follows does. The whole run at once, so that no line is looked at
                // again for each before it.
                let run = self.lines[self.at..].iter().take_while(|line| blank(line));
                let run = run.count();
                let next = self.lines.get(self.at + run);
                let more = next.is_some_and(|next| indent(next) >= marker.width);
                // An item that begins with an empty line has no second one.
                if !more || (inner.len() == 1 && blank(&inner[0])) {
                    // The blank lines between two items belong to neither.
                    if next.is_some_and(|next| Marker::of(next).is_some()) {
                        self.at += run;
                    }
                    break;
                }
                inner.extend(std::iter::repeat_n(String::new(), run));
                self.at += run;
                continue;
            } else if indent(line) >= marker.width {
                inner.push(unindented(line, marker.width).to_owned());
            } else if Marker::of(line).is_none()
                && !interrupts(line)
                && inner.last().is_some_and(|last| goes_on(last))
            {
                inner.push(line.trim_start().to_owned());
            } else {
                break;
            }
            self.at += 1;
        }
        inner
    }

    /// Reads a table, if one begins here.
    fn table(&mut self) -> bool {
        let Some(below) = self.lines.get(self.at + 1) else {
            return false;
        };
        let head = cells(&self.lines[self.at]);
        if !self.lines[self.at].contains('|') || !is_delimiter(below, head.len()) {
            return false;
        }
        let width = head.len();
        let mut rows = vec![head.iter().map(|cell| inlines(cell)).collect()];
        self.at += 2;
        while let Some(line) = self.lines.get(self.at) {
            if blank(line) || interrupts(line) {
                break;
            }
            let mut row: Vec<_> = cells(line)
                .iter()
                .take(width)
                .map(|cell| inlines(cell))
                .collect();
            row.resize_with(width, Vec::new);
            rows.push(row);
            self.at += 1;
        }
        self.out.push(Block::Table(rows));
        true
    }

    fn paragraph(&mut self) {
        let mut text = String::new();
        let from = self.at;
        while let Some(line) = self.lines.get(self.at) {
            if self.at > from {
                if let Some(level) = underline(line) {
                    self.at += 1;
                    self.out.push(Block::Heading(level, inlines(text.trim())));
                    return;
                }
                if blank(line) || interrupts(line) {
                    break;
                }
                text.push('\n');
            }
            text.push_str(line.trim_start());
            self.at += 1;
        }
        self.out.push(Block::Paragraph(inlines(text.trim())));
    }
}

fn blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// Counts the columns by which a line is set in; a tab counts as four.
fn indent(line: &str) -> usize {
    let blanks = line.chars().take_while(|c| matches!(c, ' ' | '\t'));
    blanks.map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// A line without the first columns of its indent.
fn unindented(line: &str, columns: usize) -> &str {
    let mut gone = 0;
    for (at, c) in line.char_indices() {
        match c {
            _ if gone >= columns => return &line[at..],
            ' ' => gone += 1,
            '\t' => gone += 4,
            _ => return &line[at..],
        }
    }
    ""
}

/// True if the next line can belong to the same paragraph without a mark of its own.
fn goes_on(line: &str) -> bool {
    if let Some(rest) = quoted(line) {
        return goes_on(rest);
    }
    if let Some(marker) = Marker::of(line) {
        let text = unindented(line, 0).get(marker.text..).unwrap_or_default();
        return goes_on(text);
    }
    !blank(line) && indent(line) < 4 && !interrupts(line)
}

/// True if a line ends a paragraph before it.
fn interrupts(line: &str) -> bool {
    indent(line) < 4
        && (Fence::open(line).is_some()
            || heading(line).is_some()
            || is_rule(line)
            || quoted(line).is_some()
            || comment(line).is_some()
            || Marker::of(line).is_some_and(|marker| marker.interrupts(line)))
}

fn heading(line: &str) -> Option<(u8, &str)> {
    let text = line.trim();
    let level = text.bytes().take_while(|byte| *byte == b'#').count();
    let rest = &text[level..];
    if !(1..=6).contains(&level) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let rest = rest.trim();
    let open = rest.trim_end_matches('#');
    // Marks at the end count only after a blank.
    let text = if open.is_empty() || open.ends_with([' ', '\t']) {
        open.trim_end()
    } else {
        rest
    };
    Some((level as u8, text))
}

/// The level of the heading that the lines above become.
fn underline(line: &str) -> Option<u8> {
    let text = line.trim();
    if indent(line) >= 4 || text.is_empty() {
        None
    } else if text.bytes().all(|byte| byte == b'=') {
        Some(1)
    } else if text.bytes().all(|byte| byte == b'-') {
        Some(2)
    } else {
        None
    }
}

fn is_rule(line: &str) -> bool {
    let mut marks = line.chars().filter(|c| !matches!(c, ' ' | '\t'));
    let Some(mark @ ('-' | '*' | '_')) = marks.next() else {
        return false;
    };
    let mut count = 1;
    for other in marks {
        if other != mark {
            return false;
        }
        count += 1;
    }
    count >= 3
}

fn quoted(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(' ').strip_prefix('>')?;
    Some(rest.strip_prefix(' ').unwrap_or(rest))
}

fn cells(line: &str) -> Vec<String> {
    let text = line.trim();
    let text = text.strip_prefix('|').unwrap_or(text);
    let mut cells = vec![String::new()];
    let mut letters = text.chars().peekable();
    let mut code = false;
    while let Some(c) = letters.next() {
        let last = cells.len() - 1;
        match c {
            '\\' if letters.peek() == Some(&'|') => {
                letters.next();
                cells[last].push('|');
            }
            '|' if !code => cells.push(String::new()),
            _ => {
                if c == '`' {
                    code = !code;
                }
                cells[last].push(c);
            }
        }
    }
    if cells.len() > 1 && cells.last().is_some_and(|last| blank(last)) {
        cells.pop();
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

fn is_delimiter(line: &str, width: usize) -> bool {
    let cells = cells(line);
    cells.len() == width
        && cells.iter().all(|cell| {
            let dashes = cell.trim_start_matches(':').trim_end_matches(':');
            !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-')
        })
}

/// The mark of a task as a sign.
fn task(text: &str) -> String {
    for (mark, sign) in [("[ ] ", "☐ "), ("[x] ", "☑ "), ("[X] ", "☑ ")] {
        if let Some(rest) = text.strip_prefix(mark) {
            return format!("{sign}{rest}");
        }
    }
    text.to_owned()
}

/// The beginning of fenced code.
struct Fence {
    mark: char,
    length: usize,
    indent: usize,
}

impl Fence {
    fn open(line: &str) -> Option<Self> {
        let text = line.trim_start();
        let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let length = text.chars().take_while(|c| *c == mark).count();
        let about = &text[length..];
        (length >= 3 && !(mark == '`' && about.contains('`'))).then(|| Self {
            mark,
            length,
            indent: indent(line),
        })
    }

    fn closes(&self, line: &str) -> bool {
        let text = line.trim();
        indent(line) < 4 && text.len() >= self.length && text.chars().all(|c| c == self.mark)
    }
}

/// The mark of a list item.
struct Marker {
    /// The bullet, or what stands behind the number.
    sign: char,
    number: Option<u64>,
    /// Where the text begins, counted from the mark, in bytes.
    text: usize,
    /// Indent of the item's other lines, in columns.
    width: usize,
}

impl Marker {
    fn of(line: &str) -> Option<Self> {
        let set_in = indent(line);
        let text = line.trim_start_matches([' ', '\t']);
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let sign = text[digits..].chars().next()?;
        let fits = if digits == 0 {
            matches!(sign, '-' | '+' | '*')
        } else {
            digits <= DIGITS && matches!(sign, '.' | ')')
        };
        let mark = digits + 1;
        let rest = text.get(mark..)?;
        if set_in >= 4 || !fits || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
            return None;
        }
        let gap = indent(rest);
        // After more blanks than four, the text is code that is set in.
        let gap = if blank(rest) || gap > 4 { 1 } else { gap };
        let bytes = rest.len() - unindented(rest, gap).len();
        Some(Self {
            sign,
            number: text[..digits].parse().ok(),
            text: set_in_bytes(line) + mark + bytes,
            width: set_in + mark + gap,
        })
    }

    fn is_like(&self, other: &Self) -> bool {
        self.sign == other.sign && self.number.is_some() == other.number.is_some()
    }

    /// A list in the middle of a paragraph begins with 1, and with something.
    fn interrupts(&self, line: &str) -> bool {
        self.number.is_none_or(|number| number == 1)
            && line.get(self.text..).is_some_and(|text| !blank(text))
    }
}

fn set_in_bytes(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}
