//! Real data: the exploratory set of the Upworthy Research Archive (Matias, Munger, Le Quere and Ebersole 2021), which
//! people who have it hand in; it is not shipped. A test is a situation and a domain, its headlines are lessons, views are
//! outcomes.

use crate::arm::wilson;
use crate::dice::Dice;
use lesson_core::learning::{Cell, Cells, evidence, shrinkage};
use std::collections::BTreeMap;
use std::path::Path;

/// Views of each headline that arms see.
const VIEWS: [u32; 2] = [200, 1_000];
/// Draws of the thinning, over which gains are averaged.
const DRAWS: u64 = 5;

/// A headline in a test.
#[derive(Debug, Clone, Copy)]
struct Headline {
    test: usize,
    views: u32,
    clicks: u32,
}

/// (views, clicks) of a test that arms see, and those that are held out.
type TestCounts = ((u32, u32), (f64, f64));

/// What an arm gains over a test's mean at a number of views, in clicks per view.
#[derive(Debug, Clone)]
pub struct Gain {
    /// Views of each headline.
    pub views: u32,
    /// (arm, gain).
    pub arms: Vec<(&'static str, f64)>,
}

/// Measures a file with the columns `test_id`, `headline`, `impressions`, `clicks`.
///
/// # Errors
/// When it can't be read; names the line.
pub fn measure(file: &Path) -> Result<Vec<Gain>, String> {
    let headlines = read(file)?;
    VIEWS
        .into_iter()
        .map(|views| {
            let fitting: Vec<Headline> = headlines
                .iter()
                .filter(|one| one.views > views)
                .copied()
                .collect();
            if fitting.len() < 20 {
                return Err(format!(
                    "{}: {} headlines have more than {views} views; 20 are needed",
                    file.display(),
                    fitting.len()
                ));
            }
            Ok(gain(&fitting, views))
        })
        .collect()
}

fn gain(headlines: &[Headline], views: u32) -> Gain {
    let mut sums: Vec<(&'static str, f64)> = Vec::new();
    for seed in 0..DRAWS {
        let mut dice = Dice::new(seed.wrapping_mul(977) + u64::from(views));
        let seen: Vec<u32> = headlines
            .iter()
            .map(|one| thin(&mut dice, one, views))
            .collect();
        for (at, (name, gain)) in one_draw(headlines, &seen, views).into_iter().enumerate() {
            match sums.get_mut(at) {
                Some(sum) => sum.1 += gain / DRAWS as f64,
                None => sums.push((name, gain / DRAWS as f64)),
            }
        }
    }
    Gain { views, arms: sums }
}

fn one_draw(headlines: &[Headline], seen: &[u32], views: u32) -> Vec<(&'static str, f64)> {
    let mut tests: BTreeMap<usize, TestCounts> = BTreeMap::new();
    let held_out =
        |one: &Headline, seen: u32| (f64::from(one.views - views), f64::from(one.clicks - seen));
    for (one, seen) in headlines.iter().zip(seen) {
        let test = tests.entry(one.test).or_default();
        test.0 = (test.0.0 + views, test.0.1 + seen);
        let (n, clicks) = held_out(one, *seen);
        test.1 = (test.1.0 + n, test.1.1 + clicks);
    }
    let all = seen.iter().map(|seen| f64::from(*seen)).sum::<f64>()
        / (seen.len() as f64 * f64::from(views));
    let gains: Vec<f64> = headlines
        .iter()
        .zip(seen)
        .map(|(one, seen)| {
            let (n, clicks) = held_out(one, *seen);
            let (whole, well) = tests[&one.test].1;
            clicks / n - well / whole
        })
        .collect();
    let n = f64::from(views);
    let cells: Vec<Cells> = headlines
        .iter()
        .zip(seen)
        .map(|(one, seen)| Cells::of([Cell::of((views, *seen), tests[&one.test].0, all)]))
        .collect();
    let k = shrinkage(cells.iter().copied());
    let raw = |at: usize| f64::from(seen[at]) / n;
    let of_test = |at: usize| {
        let (views, clicks) = tests[&headlines[at].test].0;
        f64::from(clicks) / f64::from(views)
    };
    let scores: [(&'static str, Vec<f64>); 5] = [
        ("raw rate", (0..seen.len()).map(raw).collect()),
        (
            "Wilson",
            seen.iter()
                .map(|seen| wilson(f64::from(*seen), n))
                .collect(),
        ),
        (
            "rate minus the test's mean",
            (0..seen.len()).map(|at| raw(at) - of_test(at)).collect(),
        ),
        (
            "evidence",
            cells.iter().map(|cells| evidence(*cells, k)).collect(),
        ),
        ("oracle", gains.clone()),
    ];
    scores
        .into_iter()
        .map(|(name, scores)| {
            let mut order: Vec<usize> = (0..scores.len()).collect();
            order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
            order.truncate(scores.len() / 10);
            let gained: f64 = order.iter().map(|at| gains[*at]).sum();
            (name, gained / order.len().max(1) as f64)
        })
        .collect()
}

/// Clicks among `views` views drawn without putting back: hypergeometric.
fn thin(dice: &mut Dice, one: &Headline, views: u32) -> u32 {
    let (mut left, mut clicks, mut seen) = (one.views, one.clicks, 0);
    for _ in 0..views {
        if dice.unit() * f64::from(left) < f64::from(clicks) {
            clicks -= 1;
            seen += 1;
        }
        left -= 1;
    }
    seen
}

fn read(file: &Path) -> Result<Vec<Headline>, String> {
    let name = file.display();
    let text = std::fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
    let mut lines = rows(&text).into_iter();
    let header = lines.next().unwrap_or_default();
    let mut columns = [0; 3];
    for (column, wanted) in columns.iter_mut().zip(["test_id", "impressions", "clicks"]) {
        *column = header
            .iter()
            .position(|held| held.trim() == wanted)
            .ok_or_else(|| format!("{name}: there is no column {wanted}"))?;
    }
    let mut tests: BTreeMap<String, usize> = BTreeMap::new();
    let mut headlines = Vec::new();
    for (row, line) in lines.zip(2..) {
        let number = |column: usize| {
            let text = row.get(column).map_or("", |text| text.trim());
            text.parse::<f64>()
                .map(|number| number as u32)
                .map_err(|_| format!("{name}, row {line}: `{text}` is no number"))
        };
        let (views, clicks) = (number(columns[1])?, number(columns[2])?);
        if clicks > views {
            return Err(format!(
                "{name}, row {line}: {clicks} clicks of {views} views"
            ));
        }
        let many = tests.len();
        let test = *tests.entry(row[columns[0]].clone()).or_insert(many);
        headlines.push(Headline {
            test,
            views,
            clicks,
        });
    }
    Ok(headlines)
}

/// The rows of a CSV file (RFC 4180): quotes may hold commas, line breaks and doubled quotes.
fn rows(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut is_quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            '"' if is_quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => row.push(std::mem::take(&mut field)),
            '\n' if !is_quoted => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            '\r' if !is_quoted => {}
            c => field.push(c),
        }
    }
    if !field.is_empty() || !row.is_empty() {
        row.push(field);
        rows.push(row);
    }
    rows
}
