//! The archive's file: CSV with a header, whatever its columns' order and whatever others there are.

use std::collections::BTreeMap;
use std::path::Path;

/// A headline in a test. One that was tried with two pictures is two of them, as in the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Headline {
    /// The test's number.
    pub test: usize,
    /// How often it was shown.
    pub views: u32,
    /// How often it was clicked.
    pub clicks: u32,
}

/// The columns, each by the names that it goes by.
const COLUMNS: [(&str, &[&str]); 3] = [
    ("test_id", &["test_id", "clickability_test_id"]),
    ("impressions", &["impressions"]),
    ("clicks", &["clicks"]),
];

/// Reads a file with the columns `test_id` (`clickability_test_id` in the archive), `impressions` and `clicks`; others,
/// the headline's text among them, are passed over. Rows without views are, too.
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

fn parse(text: &str) -> Result<Vec<Headline>, String> {
    // Spreadsheets write a byte order mark.
    let mut lines = rows(text.trim_start_matches('\u{feff}'))?.into_iter();
    let (_, header) = lines.next().ok_or("it is empty")?;
    let column = |wanted: &[&str]| {
        header
            .iter()
            .position(|held| wanted.contains(&held.trim().to_lowercase().as_str()))
    };
    let mut columns = [0; 3];
    for (place, (wanted, names)) in columns.iter_mut().zip(COLUMNS) {
        *place = column(names)
            .ok_or_else(|| format!("there is no column {wanted}; it has {}", header.join(", ")))?;
    }
    let mut tests: BTreeMap<String, usize> = BTreeMap::new();
    let mut headlines = Vec::new();
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
        let [test, views, clicks] = columns.map(|column| row[column].trim());
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
        if views > 0 {
            headlines.push(Headline {
                test,
                views,
                clicks,
            });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_of_the_file_are_read() {
        let plain =
            "test_id,headline,impressions,clicks\na,One,3000,30\na,Two,3100,50\nb,Three,4000,0\n";
        let wanted = parse(plain).unwrap();
        assert_eq!(wanted.len(), 3);
        assert_eq!(
            (wanted[1].test, wanted[1].views, wanted[1].clicks),
            (0, 3_100, 50)
        );
        for same in [
            // As the archive has it: an unnamed first column, others between, headlines with all that CSV can hold.
            "\u{feff},created_at,clickability_test_id,headline,eyecatcher_id,impressions,clicks,winner\r\n\
             0,2014,a,\"One, or \"\"more\"\"?\",x,3000,30,FALSE\r\n\
             1,2014,a,\"Two\r\nlines\",x,3100,50,TRUE\r\n\
             2,2014,b,5\" is enough,x,4000,0,FALSE",
            "Clicks, Impressions ,Test_ID\r30.0,3000,a\r50,3100.0,a\r\r0,4000,b\r",
            "test_id,impressions,clicks,headline\na,3000,30,\na,3100,50,\"\"\nc,0,0,never shown\nb,4000,0,x\n,,,\n",
        ] {
            let read = parse(same).unwrap();
            let counts = |all: &[Headline]| {
                all.iter()
                    .map(|one| (one.views, one.clicks))
                    .collect::<Vec<_>>()
            };
            assert_eq!(counts(&read), counts(&wanted), "{same}");
            assert!(read[0].test == read[1].test && read[1].test != read[2].test);
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, said) in [
            ("", "empty"),
            (
                "id,impressions,clicks\n",
                "no column test_id; it has id, impressions, clicks",
            ),
            ("test_id;impressions;clicks\n", "no column test_id"),
            ("test_id,impressions\n", "no column clicks"),
            (
                "test_id,impressions,clicks\na,3000\n",
                "line 2 has 2 fields, the header 3",
            ),
            (
                "test_id,impressions,clicks\n\na,many,3\n",
                "line 3: impressions is `many`",
            ),
            (
                "test_id,impressions,clicks\na,3000,-3\n",
                "line 2: clicks is `-3`",
            ),
            (
                "test_id,impressions,clicks\na,3000,2.5\n",
                "line 2: clicks is `2.5`",
            ),
            (
                "test_id,impressions,clicks\na,30,31\n",
                "line 2: 31 clicks of 30 impressions",
            ),
            (
                "test_id,impressions,clicks\n,30,3\n",
                "line 2: test_id is empty",
            ),
            (
                "test_id,impressions,clicks\na,\"30,3\n",
                "quote of line 2 is never closed",
            ),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
