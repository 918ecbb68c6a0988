//! Text of others made inert: without characters that hide, and in fences that it can't close.

/// Shortest fence; longer than any that lesson text usually holds.
const FENCE: usize = 4;

/// Text as a fenced block of data: without characters that hide, and in a fence that it can't
/// close.
///
/// ```
/// assert_eq!(lesson_core::fenced("Use ````"), "`````text\nUse ````\n`````\n");
/// ```
pub fn fenced(text: &str) -> String {
    let text = visible(text);
    let fence = "`".repeat(FENCE.max(longest_run(&text) + 1));
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}text\n{text}{end}{fence}\n")
}

/// Where a lesson comes from, on one line.
pub(super) fn source(source: &str) -> String {
    match one_line(source) {
        line if line.is_empty() => "unknown".to_owned(),
        line => line,
    }
}

/// Text on one line, without characters that hide and without backticks.
///
/// ```
/// assert_eq!(lesson_core::one_line("a\n`b`\u{202e}"), "a  b");
/// ```
pub fn one_line(text: &str) -> String {
    let line: String = visible(text)
        .chars()
        .map(|c| if c.is_control() || c == '`' { ' ' } else { c })
        .collect();
    line.trim().to_owned()
}

/// Text without what a person reviewing it could not see: control characters but line breaks and
/// tabs, and characters that turn or hide text. Every kind of line break becomes `\n`.
pub fn visible(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    text.chars()
        .filter_map(|c| match c {
            '\n' | '\t' => Some(c),
            '\r' | '\u{2028}' | '\u{2029}' | '\u{85}' | '\u{b}' | '\u{c}' => Some('\n'),
            c if c.is_control() => None,
            '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}' => None,
            c => Some(c),
        })
        .collect()
}

/// The longest run of backticks.
pub(super) fn longest_run(text: &str) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
