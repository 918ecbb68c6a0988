//! The category of an insight, by the words in it.

use lesson_types::Category;

/// Beginnings of words that speak of a category.
const CATEGORY_WORDS: [(Category, &[&str]); 7] = [
    (
        Category::Security,
        &[
            "auth",
            "secret",
            "password",
            "inject",
            "xss",
            "csrf",
            "encrypt",
            "permission",
            "vulnerab",
            "rls",
            "sanitis",
            "sanitiz",
            "credential",
        ],
    ),
    (
        Category::Testing,
        &[
            "test", "mock", "fixture", "assert", "flak", "coverage", "snapshot",
        ],
    ),
    (
        Category::Performance,
        &[
            "slow",
            "latenc",
            "cach",
            "throughput",
            "benchmark",
            "performan",
            "profil",
            "memory",
            "faster",
            "index",
        ],
    ),
    (
        Category::Tooling,
        &[
            "build",
            "compil",
            "linter",
            "lint",
            "docker",
            "git",
            "npm",
            "cargo",
            "dependenc",
            "toolchain",
            "ci",
            "install",
        ],
    ),
    (
        Category::Architecture,
        &[
            "architect",
            "module",
            "layer",
            "interface",
            "coupl",
            "boundar",
            "schema",
            "migrat",
            "abstract",
        ],
    ),
    (
        Category::Communication,
        &[
            "stakeholder",
            "document",
            "communicat",
            "explain",
            "clarif",
            "reviewer",
        ],
    ),
    (
        Category::Domain,
        &[
            "trad",
            "market",
            "liquidity",
            "pool",
            "price",
            "funding",
            "perp",
            "dlmm",
            "tvl",
            "volatil",
        ],
    ),
];

/// The category most of whose words are in the text, the first in the table when equal;
/// workflow when there are none.
pub(super) fn category_of(said: &str) -> Category {
    let lowered = said.to_lowercase();
    let mut best = (Category::Workflow, 0);
    for (category, stems) in CATEGORY_WORDS {
        let hits = lowered
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| {
                stems
                    .iter()
                    // Short stems are words of their own: "ci" is not in "city".
                    .any(|stem| word == stem || (stem.len() > 3 && word.starts_with(stem)))
            })
            .count();
        if hits > best.1 {
            best = (category, hits);
        }
    }
    best.0
}
