//! Comparing two policies on live traffic: which of them decides, or drafts which lesson, by the keyed hash.

use super::draw::unit;
use lesson_types::PolicySide;

/// What the draws of a comparison go by in one decision.
#[derive(Debug, Clone, Copy)]
pub struct Comparing<'a> {
    /// The space's salt.
    pub salt: &'a str,
    /// The comparison's id: another comparison draws anew.
    pub comparison: &'a str,
    /// The decision's id.
    pub decision: &'a str,
}

impl Comparing<'_> {
    /// Which policy decides alone: each with a probability of one half.
    pub fn decides(&self) -> PolicySide {
        side(unit(&[self.salt, "split", self.comparison, self.decision]))
    }

    /// Drafts at most `places` lessons of two rankings, best first: in each round a fair draw says who picks first, and each
    /// picks its best lesson that nobody has picked (team draft; Radlinski, Kurup and Joachims 2008, "How does clickthrough
    /// data reflect retrieval quality?"). So a policy whose ranking is no better gets no more of the good places. Where one
    /// ranking has nothing left, the other goes on.
    ///
    /// A lesson is known by its key: two of one key are the same. The answer is the side and the place in its ranking.
    ///
    /// ```
    /// use lesson_core::learning::Comparing;
    /// let comparing = Comparing { salt: "s", comparison: "c", decision: "d" };
    /// let drafted = comparing.draft(&["a", "b"], &["b", "c"], 3);
    /// assert_eq!(drafted.len(), 3);
    /// ```
    pub fn draft(
        &self,
        first: &[&str],
        second: &[&str],
        places: usize,
    ) -> Vec<(PolicySide, usize)> {
        let mut picked: Vec<&str> = Vec::with_capacity(places);
        let mut drafted = Vec::with_capacity(places);
        let mut round = 0_u32;
        while drafted.len() < places {
            let parts = [self.salt, "draft", self.comparison, self.decision];
            let number = round.to_string();
            let begins = side(unit(&[parts.as_slice(), &[&number]].concat()));
            let before = drafted.len();
            let other = match begins {
                PolicySide::First => PolicySide::Second,
                PolicySide::Second => PolicySide::First,
            };
            for side in [begins, other] {
                let ranking = match side {
                    PolicySide::First => first,
                    PolicySide::Second => second,
                };
                let next = ranking.iter().position(|key| !picked.contains(key));
                if let Some(at) = next.filter(|_| drafted.len() < places) {
                    picked.push(ranking[at]);
                    drafted.push((side, at));
                }
            }
            if drafted.len() == before {
                break;
            }
            round += 1;
        }
        drafted
    }
}

fn side(drawn: f64) -> PolicySide {
    if drawn < 0.5 {
        PolicySide::First
    } else {
        PolicySide::Second
    }
}
