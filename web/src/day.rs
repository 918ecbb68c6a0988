//! Days in UTC, as the engine counts them, by their number since 1970 and by their name, such as `2026-11-22`.

/// Milliseconds of a day.
const DAY: f64 = 86_400_000.0;

/// The number of a day by its name; `None` of what is no day.
pub fn number(name: &str) -> Option<i64> {
    let mut parts = name.splitn(3, '-').map(str::parse::<i64>);
    let mut next = || parts.next()?.ok();
    let (year, month, date) = (next()?, next()?, next()?);
    let day = of(year, month, date);
    // The thirty-first of a shorter month is another day.
    (named(day) == name).then_some(day)
}

/// A day's name by its number.
pub fn named(day: i64) -> String {
    // `civil_from_days` by Howard Hinnant.
    let z = day + 719_468;
    let era = z.div_euclid(146_097);
    let of_era = z.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let m = (5 * of_year + 2) / 153;
    let date = of_year - (153 * m + 2) / 5 + 1;
    let month = if m < 10 { m + 3 } else { m - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{date:02}")
}

/// The number of a day by its year, month and date: `days_from_civil` by Howard Hinnant.
pub fn of(year: i64, month: i64, date: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + date - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The first day of the so many up to today.
pub fn first_of_last(days: u32) -> String {
    let today = (js_sys::Date::now() / DAY).floor() as i64;
    named(today - i64::from(days.max(1)) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_day_has_a_number_and_a_name() {
        for (name, day) in [
            ("1970-01-01", 0),
            ("1969-12-31", -1),
            ("2000-02-29", 11_016),
            ("2026-11-22", 20_779),
        ] {
            assert_eq!(number(name), Some(day), "{name}");
            assert_eq!(named(day), name);
        }
        for day in -1_000..60_000 {
            assert_eq!(number(&named(day)), Some(day));
        }
        for name in [
            "",
            "today",
            "2026-13-01",
            "2026-02-30",
            "2026-1-1",
            "2026-11-22T",
        ] {
            assert_eq!(number(name), None, "{name}");
        }
    }
}
