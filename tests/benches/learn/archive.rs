//! The archive's file: CSV with a header, whatever its columns' order and whatever others there are.

use std::collections::BTreeMap;
use std::path::Path;

/// A headline in a test: an arm. The archive has a row for each picture that it was tried with; rows of one headline in one
/// test are one arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Headline {
    /// The test's number.
    pub test: usize,
    /// Number of times that it was shown.
    pub views: u32,
    /// Number of times that it was clicked.
    pub clicks: u32,
}

/// The columns, each by the names that it goes by.
const COLUMNS: [(&str, &[&str]); 4] = [
    ("test_id", &["test_id", "clickability_test_id"]),
    ("headline", &["headline"]),
    ("impressions", &["impressions"]),
    ("clicks", &["clicks"]),
];

/// Reads a file with the columns `test_id` (`clickability_test_id` in the archive), `headline`, `impressions` and `clicks`;
/// others are passed over, and so are rows without views. Headlines are in the order of their first rows. A row that names
/// no headline is an arm of its own, as nothing says whose picture it has.
///
/// # Errors
/// When it can't be read; names the line and the column.
pub fn read(file: &Path) -> Result<Vec<Headline>, String> {
    let name = file.display();
    let bytes = std::fs::read(file).map_err(|error| format!("{name}: {error}"))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| format!("{name}: it is not UTF-8; save it as CSV in UTF-8"))?;
    parse(&text).map_err(|error| format!("{name}: {error}"))
}

/// The same, of the file's text.
///
/// # Errors
/// As [`read`], without the file's name.
pub fn parse(text: &str) -> Result<Vec<Headline>, String> {
    // Spreadsheets write a byte order mark.
    let mut lines = rows(text.trim_start_matches('\u{feff}'))?.into_iter();
    let (_, header) = lines.next().ok_or("it is empty")?;
    let column = |wanted: &[&str]| {
        header
            .iter()
            .position(|held| wanted.contains(&held.trim().to_lowercase().as_str()))
    };
    let mut columns = [0; 4];
    for (place, (wanted, names)) in columns.iter_mut().zip(COLUMNS) {
        *place = column(names)
            .ok_or_else(|| format!("there is no column {wanted}; it has {}", header.join(", ")))?;
    }
    let mut tests: BTreeMap<String, usize> = BTreeMap::new();
    let mut arms: BTreeMap<(usize, String), usize> = BTreeMap::new();
    let mut headlines: Vec<Headline> = Vec::new();
    for (line, row) in lines {
        if row.iter().all(|field| field.trim().is_empty()) {
            continue;
        }
        if row.len() != header.len() {
            return Err(format!(
                "line {line} has {} fields, the header {}; is a quote missing?",
                row.len(),
                header.len()
            ));
        }
        let [test, headline, views, clicks] = columns.map(|column| row[column].trim());
        if test.is_empty() {
            return Err(format!("line {line}: {} is empty", header[columns[0]]));
        }
        let views = whole(views).ok_or_else(|| told(line, "impressions", views))?;
        let clicks = whole(clicks).ok_or_else(|| told(line, "clicks", clicks))?;
        if clicks > views {
            return Err(format!(
                "line {line}: {clicks} clicks of {views} impressions"
            ));
        }
        let many = tests.len();
        let test = *tests.entry(test.to_owned()).or_insert(many);
        if views == 0 {
            continue;
        }
        let many = headlines.len();
        let arm = if headline.is_empty() {
            many
        } else {
            *arms.entry((test, headline.to_owned())).or_insert(many)
        };
        match headlines.get_mut(arm) {
            None => headlines.push(Headline {
                test,
                views,
                clicks,
            }),
            Some(held) => {
                let sum = held.views.checked_add(views);
                held.views = sum.ok_or_else(|| {
                    format!("line {line}: the headline has more than {} views", u32::MAX)
                })?;
                held.clicks += clicks;
            }
        }
    }
    Ok(headlines)
}

fn told(line: usize, column: &str, text: &str) -> String {
    format!("line {line}: {column} is `{text}`, which is no whole number")
}

/// A count; data frames write it as `3052.0`, too.
fn whole(text: &str) -> Option<u32> {
    let digits = text.split_once('.').map_or(text, |(whole, rest)| {
        if rest.bytes().all(|digit| digit == b'0') {
            whole
        } else {
            text
        }
    });
    digits.parse().ok()
}

/// The rows of a CSV file (RFC 4180), each with the line that it begins in: quotes may hold commas, line breaks and doubled
/// quotes; a quote in the middle of an unquoted field stands for itself.
fn rows(text: &str) -> Result<Vec<(usize, Vec<String>)>, String> {
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), String::new());
    let (mut line, mut begin, mut quoted_from) = (1, 1, None);
    let mut was_quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        let is_break = c == '\n' || (c == '\r' && letters.peek() != Some(&'\n'));
        line += usize::from(is_break);
        match c {
            '"' if quoted_from.is_some() && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' if quoted_from.is_some() => quoted_from = None,
            '"' if field.is_empty() && !was_quoted => {
                (quoted_from, was_quoted) = (Some(line), true)
            }
            _ if quoted_from.is_some() => field.push(c),
            ',' => {
                row.push(std::mem::take(&mut field));
                was_quoted = false;
            }
            '\r' if !is_break => {}
            _ if is_break => {
                row.push(std::mem::take(&mut field));
                rows.push((begin, std::mem::take(&mut row)));
                (begin, was_quoted) = (line, false);
            }
            c => field.push(c),
        }
    }
    if let Some(from) = quoted_from {
        return Err(format!("the quote of line {from} is never closed"));
    }
    if !field.is_empty() || !row.is_empty() {
        row.push(field);
        rows.push((begin, row));
    }
    Ok(rows)
}
