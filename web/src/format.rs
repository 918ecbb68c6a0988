//! Numbers, times and lists as people read them.

use crate::day;

/// A share of one as a whole percentage.
pub fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

/// A share of one as a percentage with up to two decimals.
pub fn percent_fine(share: f64) -> String {
    format!("{}%", trim(share * 100.0, 2))
}

/// A percentage where there is one, a dash where there is none.
pub fn percent_or_dash(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), percent)
}

/// A number with up to `places` decimals and no trailing zeros.
pub fn trim(value: f64, places: usize) -> String {
    let text = format!("{value:.places$}");
    if !text.contains('.') {
        return text;
    }
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

/// A count with thousands set apart.
pub fn count(n: impl Into<u64>) -> String {
    let digits = n.into().to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A text that the engine wrote, with the thousands of its numbers set apart.
pub fn grouped(text: &str) -> String {
    let digit = |c: char| c.is_ascii_digit();
    let parts = text.split_inclusive(|c| !digit(c)).map(|part| {
        let number = part.trim_end_matches(|c| !digit(c));
        match number.parse::<u64>() {
            Ok(n) if number.len() > 3 => format!("{}{}", count(n), &part[number.len()..]),
            _ => part.to_owned(),
        }
    });
    parts.collect()
}

/// A count and its noun.
pub fn plural(n: u32, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// A size in bytes, in the unit that suits it.
pub fn bytes(n: f64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut value = n;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    let places = if value < 10.0 && unit > 0 { 1 } else { 0 };
    format!("{value:.places$} {}", UNITS[unit])
}

/// An RFC 3339 time as `2026-11-22 01:16`, in the time zone of whoever reads it; what is no time stays as it is.
pub fn time(rfc3339: &str) -> String {
    match moment(rfc3339) {
        Some((ms, ahead)) => clock(ms, ahead),
        None => rfc3339.to_owned(),
    }
}

/// The same with the zone's distance from UTC, such as `2026-11-22 02:16 UTC+01:00`, for those who want to be sure.
pub fn exact_time(rfc3339: &str) -> String {
    match moment(rfc3339) {
        Some((ms, ahead)) => format!("{} {}", clock(ms, ahead), zone(ahead)),
        None => rfc3339.to_owned(),
    }
}

/// A time in milliseconds, and how many minutes the reader's zone is ahead of UTC then.
#[cfg(target_arch = "wasm32")]
fn moment(rfc3339: &str) -> Option<(f64, i32)> {
    let ms = js_sys::Date::parse(rfc3339);
    let behind = js_sys::Date::new(&ms.into()).get_timezone_offset();
    // The browser reads other texts as times, too.
    (rfc3339.get(10..11) == Some("T") && ms.is_finite()).then_some((ms, -(behind as i32)))
}

/// Without a browser the reader is at UTC, and times are as the engine writes them.
#[cfg(not(target_arch = "wasm32"))]
fn moment(rfc3339: &str) -> Option<(f64, i32)> {
    let part = |from: usize, to: usize| rfc3339.get(from..to)?.parse::<i64>().ok();
    let (year, month, date) = (part(0, 4)?, part(5, 7)?, part(8, 10)?);
    let minutes = part(11, 13)? * 60 + part(14, 16)?;
    let days = day::of(year, month, date);
    Some(((days * 1_440 + minutes) as f64 * 60_000.0, 0))
}

/// Date and time of day where clocks are so many minutes ahead of UTC.
fn clock(ms: f64, ahead: i32) -> String {
    let minutes = (ms / 60_000.0).floor() as i64 + i64::from(ahead);
    let (days, of_day) = (minutes.div_euclid(1_440), minutes.rem_euclid(1_440));
    let (hours, minutes) = (of_day / 60, of_day % 60);
    format!("{} {hours:02}:{minutes:02}", day::named(days))
}

/// A zone by its distance from UTC in minutes.
fn zone(ahead: i32) -> String {
    if ahead == 0 {
        return "UTC".to_owned();
    }
    let sign = if ahead < 0 { '−' } else { '+' };
    let ahead = ahead.abs();
    format!("UTC{sign}{:02}:{:02}", ahead / 60, ahead % 60)
}

/// An age in days as words, to a tenth of a day, which the decay of tool records needs.
pub fn age(days: f64) -> String {
    if days < 1.0 / 24.0 {
        "just now".to_owned()
    } else if days < 1.0 {
        let hours = (days * 24.0).round().max(1.0);
        if hours == 1.0 {
            "1 hour ago".to_owned()
        } else {
            format!("{hours:.0} hours ago")
        }
    } else {
        let days = trim(days, 1);
        if days == "1" {
            "1 day ago".to_owned()
        } else {
            format!("{days} days ago")
        }
    }
}

/// Puts the time since something, in seconds, into words.
pub fn ago(seconds: f64) -> String {
    let minutes = (seconds / 60.0).floor();
    if minutes < 1.0 {
        "just now".to_owned()
    } else if minutes < 60.0 {
        plural(minutes as u32, "minute ago", "minutes ago")
    } else {
        match (seconds / 86_400.0).floor() {
            days if days < 1.0 => age(seconds / 86_400.0),
            days if days < 60.0 => plural(days as u32, "day ago", "days ago"),
            days if days < 730.0 => plural((days / 30.0) as u32, "month ago", "months ago"),
            days => plural((days / 365.0) as u32, "year ago", "years ago"),
        }
    }
}

/// In how many seconds something will be, as words.
pub fn until(seconds: f64) -> String {
    let minutes = (seconds / 60.0).round();
    if seconds < 5.0 {
        "now".to_owned()
    } else if seconds < 60.0 {
        format!("in {seconds:.0} seconds")
    } else if minutes < 90.0 {
        format!("in {}", plural(minutes as u32, "minute", "minutes"))
    } else {
        format!(
            "in {}",
            plural((minutes / 60.0).round() as u32, "hour", "hours")
        )
    }
}

/// Words typed with commas between them.
pub fn words(typed: &str) -> Vec<String> {
    typed
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// A text without the blanks around it; `None` when nothing is left.
pub fn filled(typed: &str) -> Option<String> {
    let typed = typed.trim();
    (!typed.is_empty()).then(|| typed.to_owned())
}

/// A number as people type it, with a comma or a point; `None` where it is none, or not finite.
pub fn number(typed: &str) -> Option<f64> {
    let typed = typed.trim().replace(',', ".");
    let looks = !typed.is_empty()
        && typed
            .chars()
            .all(|c| c.is_ascii_digit() || "+-.eE".contains(c));
    // The browser reads it: the tables that Rust reads numbers by are larger than this page.
    let value = js_sys::Number::from(wasm_bindgen::JsValue::from_str(&typed)).value_of();
    Some(value).filter(|value| looks && value.is_finite())
}

/// A text in small letters.
pub fn lower(text: &str) -> String {
    // The browser knows them: Rust's table of all letters is as large as a page of this app.
    #[cfg(target_arch = "wasm32")]
    return js_sys::JsString::from(text).to_lower_case().into();
    #[cfg(not(target_arch = "wasm32"))]
    text.to_lowercase()
}

/// A snake_case name as words.
pub fn spaced(name: &str) -> String {
    let mut words = name.replace('_', " ");
    if let Some(first) = words.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    words
}

/// A text made safe for one part of a URL's path or query.
pub fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// The text that a part of a URL's query stands for; what is no code stays as it is.
pub fn decode(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let code = after
            .get(..2)
            .filter(|_| byte == b'%')
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(match code {
            Some(code) => {
                rest = &after[2..];
                code
            }
            None if byte == b'+' => b' ',
            None => byte,
        });
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A field of a lesson by the name that the lesson's form gives it.
pub fn field_label(name: &str) -> String {
    match name {
        "context" => "When it applies".to_owned(),
        "recommendation" => "What to do".to_owned(),
        "project_types" => "Project type".to_owned(),
        "tech_stacks" => "Tech stack".to_owned(),
        "extra" => "Other fields of its file".to_owned(),
        other => spaced(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn numbers_read_well() {
        for (value, places, text) in [
            (0.5, 3, "0.5"),
            (1.0, 2, "1"),
            (0.0996, 3, "0.1"),
            (-0.0001, 2, "0"),
            (120.0, 0, "120"),
        ] {
            assert_eq!(trim(value, places), text, "{value}");
        }
        for (n, text) in [
            (0_u32, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(count(n), text);
        }
        assert_eq!(
            grouped("Proven (73% success, 1000000 uses)"),
            "Proven (73% success, 1,000,000 uses)"
        );
        assert_eq!(grouped("1000"), "1,000");
        assert_eq!(grouped("in use since 1"), "in use since 1");
        for (n, text) in [
            (0.0, "0 B"),
            (999.0, "999 B"),
            (1500.0, "1.5 kB"),
            (22_500_000.0, "22 MB"),
        ] {
            assert_eq!(bytes(n), text);
        }
    }

    #[test]
    fn ages_and_times_read_well() {
        for (days, text) in [
            (0.0, "just now"),
            (0.05, "1 hour ago"),
            (0.5, "12 hours ago"),
            (1.0, "1 day ago"),
            (2.54, "2.5 days ago"),
        ] {
            assert_eq!(age(days), text, "{days}");
        }
        for (seconds, text) in [
            (-3.0, "just now"),
            (59.0, "just now"),
            (60.0, "1 minute ago"),
            (3599.0, "59 minutes ago"),
            (3600.0, "1 hour ago"),
            (172_800.0, "2 days ago"),
            (250_000.0, "2 days ago"),
            (6_000_000.0, "2 months ago"),
            (70_000_000.0, "2 years ago"),
        ] {
            assert_eq!(ago(seconds), text, "{seconds}");
        }
        for (seconds, text) in [
            (-3.0, "now"),
            (12.4, "in 12 seconds"),
            (61.0, "in 1 minute"),
            (7200.0, "in 2 hours"),
        ] {
            assert_eq!(until(seconds), text, "{seconds}");
        }
        assert_eq!(time("2026-11-22T01:16:50Z"), "2026-11-22 01:16");
        assert_eq!(exact_time("2026-11-22T01:16:50Z"), "2026-11-22 01:16 UTC");
        assert_eq!(time("soon"), "soon");
    }

    #[test]
    fn a_time_is_told_by_the_clocks_of_its_reader() {
        for (at, ahead, clocks, said) in [
            ("2026-11-22T01:16:50Z", 60, "2026-11-22 02:16", "UTC+01:00"),
            (
                "2026-11-22T01:16:50Z",
                -480,
                "2026-11-21 17:16",
                "UTC−08:00",
            ),
            ("2024-02-28T23:30:00Z", 330, "2024-02-29 05:00", "UTC+05:30"),
            ("2025-12-31T23:59:59Z", 1, "2026-01-01 00:00", "UTC+00:01"),
            ("1970-01-01T00:00:00Z", -1, "1969-12-31 23:59", "UTC−00:01"),
            ("2000-02-29T12:00:00Z", 0, "2000-02-29 12:00", "UTC"),
        ] {
            let ms = moment(at).map(|(ms, _)| ms).unwrap_or_default();
            assert_eq!(clock(ms, ahead), clocks, "{at} {ahead}");
            assert_eq!(zone(ahead), said);
        }
    }

    #[test]
    fn typed_text_is_taken_apart() {
        assert_eq!(words(" rust, , web-app ,"), ["rust", "web-app"]);
        assert_eq!(filled("  "), None);
        assert_eq!(encode("a b/ü&"), "a%20b%2F%C3%BC%26");
        for text in ["a b/ü&", "50%2F", "%", "+", ""] {
            assert_eq!(decode(&encode(text)), text);
        }
        assert_eq!(decode("a+b%2"), "a b%2");
        assert_eq!(spaced("low_relevance"), "Low relevance");
    }
}
