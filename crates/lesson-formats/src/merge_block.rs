//! Keeps our block up to date within a file that is somebody else's.

use crate::agents_md::{BEGIN, END};
use crate::headings::Fence;
use std::borrow::Cow;
use std::fmt;

/// Markers that don't enclose one block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedBlock {
    /// The line that is wrong, from 1.
    pub line: usize,
    /// The fault and its remedy.
    pub message: &'static str,
}

impl fmt::Display for DamagedBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for DamagedBlock {}

/// The file with the block in place of the one it has, or at its end. All else stays to the byte; the block takes the file's
/// line ends. The same block again changes nothing. Markers in fenced code are text.
///
/// # Errors
/// The line of a marker without its other half, of a second block, or of a marker that is not alone on its line: nobody can
/// tell what stands between them. So is a code fence that is never closed where the block would have to follow it.
///
/// ```
/// use lesson_formats::merge_block;
/// let block = "<!-- lessonloop:begin -->\nnew\n<!-- lessonloop:end -->\n";
/// let merged = merge_block("# Mine\n", block).unwrap();
/// assert_eq!(merged, format!("# Mine\n\n{block}"));
/// assert_eq!(merge_block(&merged, block).unwrap(), merged);
/// ```
pub fn merge_block(existing: &str, block: &str) -> Result<String, DamagedBlock> {
    let (held, fence) = held(existing)?;
    // A line break added after a last `\r` makes the file one of these line ends, too.
    let is_crlf = existing.contains("\r\n") || existing.ends_with('\r');
    let end = if is_crlf { "\r\n" } else { "\n" };
    let block = block.trim_end().replace("\r\n", "\n").replace('\n', end);
    if let Some((begin, after)) = held {
        return Ok(format!(
            "{}{block}{}",
            &existing[..begin],
            &existing[after..]
        ));
    }
    if let Some(line) = fence {
        return Err(DamagedBlock {
            line,
            message: "a code fence that begins here is never closed, so a block after it would be code; close it",
        });
    }
    let bare = existing.strip_prefix('\u{feff}').unwrap_or(existing);
    let gap = if bare.is_empty() || ends_blank(existing) {
        String::new()
    } else if existing.ends_with('\n') {
        end.to_owned()
    } else {
        end.repeat(2)
    };
    Ok(format!("{existing}{gap}{block}{end}"))
}

/// The file without its block, whose lines are blank then, so that the others keep their numbers.
pub(crate) fn without_block(text: &str) -> Result<Cow<'_, str>, DamagedBlock> {
    Ok(match held(text)?.0 {
        Some((begin, after)) => {
            let blank = "\n".repeat(text[begin..after].matches('\n').count());
            Cow::Owned(format!("{}{blank}{}", &text[..begin], &text[after..]))
        }
        None => Cow::Borrowed(text),
    })
}

fn ends_blank(text: &str) -> bool {
    text.ends_with("\n\n") || text.ends_with("\n\r\n")
}

/// Where the block is, from its first marker to the end of its last one, the line end left out; and the line of a code fence
/// that is never closed.
type Held = (Option<(usize, usize)>, Option<usize>);

fn held(text: &str) -> Result<Held, DamagedBlock> {
    let mut open = None;
    let mut found = None;
    let mut fence = Fence::default();
    let mut fenced = 0;
    let mut at = 0;
    for (line, whole) in (1..).zip(text.split_inclusive('\n')) {
        let start = at;
        at += whole.len();
        let bare = whole.trim_end();
        let bad = |message| Err(DamagedBlock { line, message });
        // A byte order mark may stand before the first line.
        let plain = bare.trim_start_matches('\u{feff}');
        // Lines in the block are ours: its fences end with it.
        if open.is_none() {
            let was_open = fence.is_open();
            if fence.holds(whole) {
                fenced = if was_open { fenced } else { line };
                continue;
            }
        }
        let begin = start + (bare.len() - plain.len());
        if plain.starts_with(BEGIN) {
            if plain.find("-->") != plain.len().checked_sub(3) {
                return bad(
                    "the begin marker does not end with --> on its line, and nothing else; mend it, or remove the block",
                );
            }
            if open.is_some() {
                return bad("a second begin marker before the end marker; remove one of them");
            }
            if found.is_some() {
                return bad("a second block; remove one of them");
            }
            open = Some((begin, line));
        } else if plain.starts_with(END.trim_end_matches(" -->")) {
            if plain != END {
                return bad(
                    "the end marker is not as it was written; mend it, or remove the block",
                );
            }
            let Some((begin, _)) = open.take() else {
                return bad("an end marker without a begin marker before it; remove it");
            };
            found = Some((begin, start + bare.len()));
        }
    }
    match open {
        Some((_, line)) => Err(DamagedBlock {
            line,
            message: "a begin marker without an end marker after it; remove it, or add the end",
        }),
        None => Ok((found, fence.is_open().then_some(fenced))),
    }
}
