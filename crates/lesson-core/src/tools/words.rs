//! The meaningful words of a tool query.

/// Words that say nothing about what a query is about; a shared one doesn't count as overlap. Sorted.
pub const STOP_WORDS: &[&str] = &[
    "a", "about", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
    "been", "but", "by", "can", "could", "did", "do", "does", "doing", "for", "from", "get", "had",
    "has", "have", "he", "help", "her", "here", "him", "his", "how", "i", "if", "in", "into", "is",
    "it", "its", "just", "let", "like", "me", "more", "my", "need", "no", "not", "now", "of", "on",
    "or", "our", "out", "please", "she", "should", "so", "some", "than", "that", "the", "their",
    "them", "then", "there", "these", "they", "this", "those", "to", "up", "us", "want", "was",
    "we", "were", "what", "when", "where", "which", "who", "why", "will", "with", "would", "you",
    "your",
];

/// The distinct words of `lowered`, sorted: runs of letters and digits that are no stop word and, if ASCII, have at
/// least two characters.
pub(super) fn meaningful(lowered: &str) -> Vec<&str> {
    let mut words: Vec<&str> = lowered
        .split(|symbol: char| !symbol.is_alphanumeric())
        .filter(|word| word.len() >= 2 && STOP_WORDS.binary_search(word).is_err())
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}
