//! Points in time as milliseconds since 1970-01-01T00:00:00Z, written as RFC 3339 UTC.

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Milliseconds since the Unix epoch. The core never reads a clock: every time is an argument.
pub type Millis = i64;

/// Milliseconds in a day.
pub const DAY: Millis = 86_400_000;

/// The latest time that is accepted: 9999-12-31T23:59:59.999Z.
pub const LAST: Millis = 253_402_300_799_999;

/// The earliest time that can be written: 0000-01-01T00:00:00.000Z.
const FIRST: Millis = -62_167_219_200_000;

/// `at` as RFC 3339 UTC with milliseconds, such as `2026-11-22T08:30:00.000Z`.
/// Times outside the years 0 to 9999 are brought to the nearest end of that range.
pub fn to_rfc3339(at: Millis) -> String {
    let at = at.clamp(FIRST, LAST);
    let (seconds, millis) = (at.div_euclid(1000), at.rem_euclid(1000));
    // The clamp above keeps the seconds inside the range that `time` covers.
    let t = OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{millis:03}Z",
        t.year(),
        u8::from(t.month()),
        t.day(),
        t.hour(),
        t.minute(),
        t.second()
    )
}

/// The UTC day of `at`, such as `2026-11-22`.
pub fn day(at: Millis) -> String {
    let mut text = to_rfc3339(at);
    text.truncate(10);
    text
}

/// Reads RFC 3339 with any offset; digits beyond milliseconds are dropped.
/// `None` when the text is not such a time, or when it lies outside the years 0 to 9999 in UTC.
pub fn parse_rfc3339(text: &str) -> Option<Millis> {
    let t = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    let at = i64::try_from(t.unix_timestamp_nanos().div_euclid(1_000_000)).ok()?;
    (FIRST..=LAST).contains(&at).then_some(at)
}

/// Serde form of a [`Millis`]: an RFC 3339 string.
pub mod serde_rfc3339 {
    use super::{Millis, parse_rfc3339, to_rfc3339};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    /// Writes the time.
    ///
    /// # Errors
    /// Only those of the serializer.
    pub fn serialize<S: Serializer>(at: &Millis, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&to_rfc3339(*at))
    }

    /// Reads the time.
    ///
    /// # Errors
    /// When the value is not an RFC 3339 string.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Millis, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        parse_rfc3339(&text).ok_or_else(|| {
            D::Error::custom(format!(
                "`{text}` is not an RFC 3339 time such as 2026-11-22T08:30:00Z"
            ))
        })
    }
}

/// Serde form of an optional [`Millis`].
pub mod serde_rfc3339_option {
    use super::{Millis, parse_rfc3339, to_rfc3339};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    /// Writes the time, or null.
    ///
    /// # Errors
    /// Only those of the serializer.
    #[allow(clippy::ref_option)] // The signature that serde calls.
    pub fn serialize<S: Serializer>(at: &Option<Millis>, serializer: S) -> Result<S::Ok, S::Error> {
        match at {
            Some(at) => serializer.serialize_str(&to_rfc3339(*at)),
            None => serializer.serialize_none(),
        }
    }

    /// Reads the time, or null.
    ///
    /// # Errors
    /// When the value is neither null nor an RFC 3339 string.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Millis>, D::Error> {
        let Some(text) = Option::<String>::deserialize(deserializer)? else {
            return Ok(None);
        };
        parse_rfc3339(&text).map(Some).ok_or_else(|| {
            D::Error::custom(format!(
                "`{text}` is not an RFC 3339 time such as 2026-11-22T08:30:00Z"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_back_as_they_were_written() {
        for (at, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (1_795_336_200_123, "2026-11-22T08:30:00.123Z"),
            (LAST, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(to_rfc3339(at), text);
            assert_eq!(parse_rfc3339(text), Some(at));
        }
    }

    #[test]
    fn offsets_are_brought_to_utc_and_nonsense_is_refused() {
        assert_eq!(
            parse_rfc3339("2026-11-22T09:30:00.123456+01:00"),
            Some(1_795_336_200_123)
        );
        for text in [
            "",
            "yesterday",
            "2026-11-22",
            "2026-13-01T00:00:00Z",
            // A year that has five digits in UTC, and one before the first.
            "9999-12-31T23:59:59-23:00",
            "0000-01-01T00:00:00+01:00",
        ] {
            assert_eq!(parse_rfc3339(text), None, "{text}");
        }
    }

    #[test]
    fn extremes_do_not_panic() {
        assert_eq!(to_rfc3339(i64::MAX), "9999-12-31T23:59:59.999Z");
        assert_eq!(to_rfc3339(i64::MIN), "0000-01-01T00:00:00.000Z");
        assert_eq!(day(1_795_336_200_123), "2026-11-22");
    }
}
