//! A lesson as an answer has it.

use lesson_types::RelevanceWord;

/// A lesson in an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The lesson, by its slug.
    pub slug: String,
    /// The final score.
    pub score: f64,
    /// Relevance before standing, 0 to 1.
    pub relevance: f64,
    /// The match by which its likelihood is reckoned, 0 to 1.
    pub matched: f64,
    /// Likelihood that it is the right one, 0 to 1, where there is a query; 0 where no lesson matches it.
    pub likelihood: Option<f64>,
    /// The same for people: of the likelihood where there is a query, else of the relevance.
    pub word: RelevanceWord,
    /// 1 is the best.
    pub rank: u32,
    /// The highest confidence among the lessons of its title.
    pub confidence: f64,
    /// The summed frequency of the lessons of its title.
    pub frequency: u32,
}
