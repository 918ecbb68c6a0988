//! Words that any text about code holds: no names for lessons, since a text would name them by chance.

/// True if a slug is a word that any text about code holds.
///
/// ```
/// assert!(lesson_core::is_common_word("tests"));
/// assert!(!lesson_core::is_common_word("tests-need-a-clock"));
/// ```
pub fn is_common_word(slug: &str) -> bool {
    WORDS.binary_search(&slug).is_ok()
}

/// In order, for the search. Ordinals and counts are left out: by themselves they name no lesson in prose.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "about", "above", "add", "added", "after", "against", "agent", "agents", "all",
    "also", "always", "am", "an", "and", "any", "api", "app", "are", "area", "args", "as", "ask",
    "at", "author", "back", "base", "be", "because", "been", "before", "being", "below", "best",
    "better", "between", "big", "both", "bug", "bugs", "build", "but", "by", "cache", "call", "can",
    "case", "change", "changes", "check", "class", "clean", "client", "code", "command", "commit",
    "config", "could", "data", "date", "db", "debug", "default", "delete", "dev", "did", "do",
    "docs", "does", "doing", "done", "down", "each", "edit", "else", "end", "error", "errors",
    "even", "every", "fail", "feature", "few", "field", "file", "files", "fix", "flag",
    "for", "from", "full", "function", "get", "go", "had", "has", "have", "he", "help",
    "her", "here", "hers", "him", "his", "host", "how", "i", "id", "if", "in", "index", "info",
    "input", "into", "is", "issue", "it", "item", "items", "its", "job", "json", "just", "keep",
    "key", "last", "lesson", "lessons", "let", "lib", "like", "line", "list", "load", "local",
    "log", "logs", "main", "make", "many", "may", "me", "merge", "method", "mode", "model",
    "module", "more", "most", "my", "name", "need", "never", "next", "no", "node", "none",
    "not", "note", "now", "null", "number", "of", "off", "ok", "on", "once", "only",
    "open", "option", "or", "order", "our", "out", "output", "over", "own", "page", "part",
    "path", "plan", "port", "pr", "problem", "process", "project", "push", "query", "read", "ready",
    "release", "remove", "repo", "request", "reset", "result", "retry", "review", "rule", "rules",
    "run", "runs", "same", "script", "see", "server", "service", "session", "set", "setup", "she",
    "should", "show", "size", "skill", "so", "some", "source", "start", "state", "status", "step",
    "still", "stop", "such", "sure", "system", "table", "task", "tasks", "team", "test", "testing",
    "tests", "text", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "thing", "this", "those", "time", "to", "todo", "token", "too", "tool", "tools", "true", "try",
    "type", "types", "under", "unit", "until", "up", "update", "us", "use", "used", "user",
    "users", "using", "value", "values", "version", "very", "view", "was", "way", "we", "web",
    "well", "were", "what", "when", "where", "which", "while", "who", "why", "will", "with", "word",
    "work", "would", "write", "yes", "yet", "you", "your", "yours",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_in_order() {
        assert!(WORDS.is_sorted());
    }
}
