//! Sharing the room of an answer between lessons, and a lesson's between its texts.

use super::fence::{longest_run, source, visible};
use std::fmt::Write;

/// Stands at the end of a text that was cut.
const GOES_ON: &str = " …";

/// A lesson's texts as an answer gives them: without characters that hide, each as long as there is room.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GivenText {
    /// One line.
    pub title: String,
    /// The subject: what the lesson is about.
    pub description: String,
    /// When it applies.
    pub context: String,
    /// The advice: what to do.
    pub recommendation: String,
    /// The author; `unknown` where nobody said.
    pub source: String,
    /// Set where one of them was cut.
    pub is_cut: bool,
}

impl GivenText {
    /// All of a lesson's texts.
    pub fn new(
        title: &str,
        description: &str,
        context: &str,
        recommendation: &str,
        from: &str,
    ) -> Self {
        let text = |text: &str| visible(text).trim().to_owned();
        Self {
            title: text(title),
            description: text(description),
            context: text(context),
            recommendation: text(recommendation),
            source: source(from),
            is_cut: false,
        }
    }

    fn parts(&self) -> [&str; 5] {
        [
            &self.title,
            &self.description,
            &self.context,
            &self.recommendation,
            &self.source,
        ]
    }

    /// The bytes that they take in strings of JSON, and what a fence around them takes beyond a usual one.
    pub fn room(&self) -> usize {
        let parts = self.parts();
        let fence = parts.iter().map(|part| longest_run(part)).max();
        let longer = fence.unwrap_or_default().saturating_sub(3);
        parts.iter().map(|part| as_json(part)).sum::<usize>() + 2 * longer
    }

    /// As much of them as fits into so much room: of the long ones, the recommendation gets half or more.
    #[must_use]
    pub fn within(self, room: usize) -> Self {
        let mut aim = room;
        loop {
            let cut = self.cut(aim);
            let taken = cut.room();
            if taken <= room || aim == 0 {
                return cut;
            }
            // A fence grows with the backticks that it has to hold.
            aim = (aim.saturating_mul(room) / taken).min(aim - 1);
        }
    }

    fn cut(&self, room: usize) -> Self {
        let mut left = room;
        let mut take = |text: &str, most: usize| {
            let text = beginning(text, most.min(left));
            left -= as_json(&text).min(left);
            (text, left)
        };
        let (title, _) = take(&self.title, room);
        let (source, left) = take(&self.source, room);
        let (about, when) = (as_json(&self.description), as_json(&self.context));
        let share = (left / 2).max(left.saturating_sub(about + when));
        let (recommendation, left) = take(&self.recommendation, share);
        let share = (left / 2).max(left.saturating_sub(when));
        let (description, left) = take(&self.description, share);
        let (context, _) = take(&self.context, left);
        let mut cut = Self {
            title,
            description,
            context,
            recommendation,
            source,
            is_cut: self.is_cut,
        };
        cut.is_cut |= cut.parts() != self.parts();
        cut
    }

    /// The texts as lines, each with its name.
    pub fn body(&self) -> String {
        lines([
            ("Source", &self.source),
            ("Title", &self.title),
            ("Description", &self.description),
            ("When", &self.context),
            ("Recommendation", &self.recommendation),
        ])
    }
}

/// Texts as lines, each with its name; empty ones are left out.
pub(super) fn lines(parts: [(&str, &String); 5]) -> String {
    let mut body = String::new();
    for (name, part) in parts {
        let part = part.trim();
        if part.is_empty() {
            continue;
        }
        let gap = if part.contains('\n') { '\n' } else { ' ' };
        // Writing to a String can't fail.
        let _ = writeln!(body, "{name}:{gap}{part}");
    }
    body
}

/// The bytes that a visible text takes in a string of JSON.
fn as_json(text: &str) -> usize {
    let escaped = |byte: &u8| matches!(byte, b'"' | b'\\' | b'\n' | b'\t');
    text.len() + text.bytes().filter(|byte| escaped(byte)).count()
}

/// The beginning of a text that takes at most so many bytes of JSON: up to the end of a block, a line or a word where that
/// is in its second half.
pub fn beginning(text: &str, most: usize) -> String {
    if as_json(text) <= most {
        return text.to_owned();
    }
    let Some(room) = most.checked_sub(GOES_ON.len()) else {
        return String::new();
    };
    let mut taken = 0;
    let end = text.char_indices().find(|(_, letter)| {
        taken += as_json(letter.encode_utf8(&mut [0; 4]));
        taken > room
    });
    let head = &text[..end.map_or(text.len(), |(at, _)| at)];
    let ends = ["\n\n", "\n", " "].into_iter();
    let end = ends
        .filter_map(|end| head.rfind(end))
        .find(|at| *at * 2 >= head.len());
    match head[..end.unwrap_or(head.len())].trim_end() {
        "" => String::new(),
        kept => format!("{kept}{GOES_ON}"),
    }
}

/// Shares room between lessons, best first, each with the bytes of its frame and of its texts. Everyone gets its frame and
/// `least` bytes of text, or all of it where that is less, as long as there is room; what is left goes to the longer ones in
/// equal parts. What each may take for its texts; `None` of one that there is no room for.
pub fn shares(wanted: &[(usize, usize)], room: usize, least: usize) -> Vec<Option<usize>> {
    let mut left = room;
    let mut shares = vec![None; wanted.len()];
    let mut is_first = true;
    for ((frame, text), share) in wanted.iter().zip(&mut shares) {
        let mut first = (*text).min(least);
        if is_first {
            // One lesson in little is better than none.
            first = first
                .min(left.saturating_sub(*frame))
                .max(first.min(least / 4));
        }
        if let Some(rest) = left.checked_sub(frame + first) {
            left = rest;
            *share = Some(first);
            is_first = false;
        }
    }
    loop {
        let hungry = |(share, (_, text)): &(&mut Option<usize>, &(usize, usize))| {
            share.is_some_and(|share| share < *text)
        };
        let count = shares.iter_mut().zip(wanted).filter(hungry).count();
        if count == 0 || left == 0 {
            return shares;
        }
        let part = (left / count).max(1);
        for (share, (_, text)) in shares.iter_mut().zip(wanted).filter(hungry) {
            if let Some(share) = share {
                let more = part.min(text - *share).min(left);
                *share += more;
                left -= more;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_goes_to_who_wants_it() {
        let of = |wanted: &[(usize, usize)], room| shares(wanted, room, 100);
        assert_eq!(of(&[(10, 50), (10, 900)], 1_000), [Some(50), Some(900)]);
        assert_eq!(of(&[(10, 50), (10, 900)], 500), [Some(50), Some(430)]);
        assert_eq!(of(&[(0, 900), (0, 900)], 600), [Some(300), Some(300)]);
        assert_eq!(of(&[(0, 900), (0, 900)], 150), [Some(150), None]);
        assert_eq!(
            of(&[(0, 900), (0, 900), (0, 20)], 150),
            [Some(130), None, Some(20)]
        );
        assert_eq!(of(&[(60, 900)], 90), [Some(30)]);
        assert_eq!(of(&[(60, 900)], 70), [None]);
        assert_eq!(of(&[], 70), []);
    }

    #[test]
    fn a_cut_text_keeps_its_room_and_the_recommendation_most_of_it() {
        let long = |word: &str| format!("{word} \"x\" \\ \n").repeat(200);
        let whole = GivenText::new("Title", &long("about"), &long("when"), &long("do"), "");
        assert_eq!(whole.source, "unknown");
        for room in [0, 1, 5, 40, 300, 1_000, 3_000, 100_000] {
            let cut = whole.clone().within(room);
            assert!(cut.room() <= room, "{room}: {}", cut.room());
            assert_eq!(cut.is_cut, room < 100_000);
            if room == 1_000 {
                assert!(cut.recommendation.len() > 300 && cut.description.len() > 100);
                assert!(cut.recommendation.ends_with('…'));
            }
        }
        let ticks = GivenText::new("Ticks", "", "", &"`".repeat(5_000), "x");
        let cut = ticks.within(900);
        assert!(cut.room() <= 900 && cut.recommendation.len() > 200);
        let marks = GivenText::new("\u{202e}a\u{e0041}", "", "", "b", "s\n### x");
        assert_eq!(
            (marks.title.as_str(), marks.source.as_str()),
            ("a", "s ### x")
        );
    }
}
