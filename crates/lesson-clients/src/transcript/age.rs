//! Times in transcripts: ISO 8601 in UTC, and those within ids of UUID version 7.

/// True if a time is before another; `false` unless both are of the form `2026-11-26T04:22:34.081Z`, as clients write it.
pub(super) fn is_before(time: &str, other: &str) -> bool {
    is_time(time) && is_time(other) && time < other
}

/// Milliseconds from one time to a later one; `None` where one is of another form or they are more than a day apart.
pub(super) fn between(from: &str, to: &str) -> Option<u64> {
    let (from_day, from_ms) = parts(from)?;
    let (to_day, to_ms) = parts(to)?;
    match (from_day == to_day, from_day < to_day) {
        (true, _) => to_ms.checked_sub(from_ms),
        // The next day, as far as anybody needs to know.
        (false, true) => (to_ms + 86_400_000).checked_sub(from_ms),
        (false, false) => None,
    }
}

/// True if an id is older than another; `false` unless both are of version 7, which begin with their time.
pub(super) fn is_older(id: &str, other: &str) -> bool {
    match (stamp(id), stamp(other)) {
        (Some(stamp), Some(other)) => stamp < other,
        _ => false,
    }
}

/// The time of an id of version 7, as hex of milliseconds.
pub(super) fn stamp(id: &str) -> Option<String> {
    let bytes = id.as_bytes();
    let dashes = [8, 13, 18, 23];
    let is_uuid = bytes.len() == 36
        && (0..36).all(|at| {
            if dashes.contains(&at) {
                bytes[at] == b'-'
            } else {
                bytes[at].is_ascii_hexdigit()
            }
        });
    (is_uuid && bytes[14] == b'7').then(|| format!("{}{}", &id[..8], &id[9..13]).to_lowercase())
}

fn is_time(time: &str) -> bool {
    parts(time).is_some()
}

/// The day, and the milliseconds of it.
fn parts(time: &str) -> Option<(&str, u64)> {
    let shape = b"dddd-dd-ddTdd:dd:dd.dddZ";
    let bytes = time.as_bytes();
    let fits = bytes.len() == shape.len()
        && bytes.iter().zip(shape).all(|(byte, shape)| match shape {
            b'd' => byte.is_ascii_digit(),
            shape => byte == shape,
        });
    if !fits {
        return None;
    }
    let number = |at: usize, digits: usize| time[at..at + digits].parse::<u64>().ok();
    let seconds = number(11, 2)? * 3_600 + number(14, 2)? * 60 + number(17, 2)?;
    Some((&time[..10], seconds * 1_000 + number(20, 3)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_compared_where_both_are_known() {
        let (early, late) = ("2026-11-26T04:22:34.081Z", "2026-11-26T04:22:36.100Z");
        assert!(is_before(early, late) && !is_before(late, early) && !is_before(early, early));
        assert!(!is_before("yesterday", late) && !is_before(early, ""));
        assert_eq!(between(early, late), Some(2_019));
        assert_eq!(between(late, early), None);
        assert_eq!(
            between("2026-11-26T23:59:59.900Z", "2026-11-27T00:00:00.100Z"),
            Some(200)
        );
        let (old, new) = (
            "01a21618-b624-7453-a49d-5c6781600868",
            "01a2161b-15e9-7e81-a800-26a29c8a821e",
        );
        assert!(is_older(old, new) && !is_older(new, old));
        assert!(!is_older("cccccccc-0000-4000-8000-000000000003", new));
        assert!(!is_older("ü1a21618-b624-7453-a49d-5c678160086", new));
    }
}
