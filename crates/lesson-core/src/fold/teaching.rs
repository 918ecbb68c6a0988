//! Learning from a run about the lessons applied in it: see [`crate::learning::learn`].

use super::self_vote_guard::Voice;
use crate::learning::lift::{Belief, Surprise, weight};
use crate::space::{DomainBase, Space};

impl Space {
    /// Lets the lifts of a decision's lessons learn of it, once: together with its domain's base rate when it is first known
    /// how it went; of a lesson that is seen at work later, that lesson alone. Costs a pass over its lessons.
    ///
    /// An agent's word on an unapproved lesson of its own waits as its counts do; the surprise is shared by what counts.
    pub(super) fn teach(&mut self, decision_id: &str, voice: Voice<'_>) {
        let Some(decision) = self.decisions.get(decision_id) else {
            return;
        };
        // Before the recommendation is known, neither the domain nor the lessons are.
        let (Some(success), true) = (decision.went_well(), decision.at.is_some()) else {
            return;
        };
        let is_first = !decision.taught;
        let domain = decision.domain();
        let base = self.base_of(&domain);
        let applied: Vec<(usize, f64)> = decision
            .records
            .iter()
            .enumerate()
            .filter(|(_, record)| !record.learned)
            .map(|(place, record)| (place, weight(decision.weight_of(record))))
            .filter(|(_, h)| *h > 0.0)
            .collect();
        if is_first {
            let beliefs = applied.iter().filter_map(|(place, h)| {
                let lesson = self.lessons.get(&decision.records[*place].lesson)?;
                Some((*h, lesson.standing.lift().at(voice.at)))
            });
            let shared = Surprise::of(base, beliefs, success);
            self.learn_base(domain, shared, success);
            self.move_lifts(decision_id, &applied, voice, |_, _| shared);
        } else {
            self.move_lifts(decision_id, &applied, voice, |h, belief| {
                Surprise::of(base, [(h, belief)], success)
            });
        }
    }

    fn learn_base(&mut self, domain: String, surprise: Surprise, success: bool) {
        let base = surprise.moved_base(self.base_of(&domain));
        let held = self.bases.entry(domain).or_insert(DomainBase {
            rate: 0.0,
            variance: 0.0,
            runs: 0,
            successes: 0,
        });
        *held = DomainBase {
            rate: base.rate,
            variance: base.variance,
            runs: held.runs.saturating_add(1),
            successes: held.successes.saturating_add(u32::from(success)),
        };
    }

    fn move_lifts(
        &mut self,
        decision_id: &str,
        applied: &[(usize, f64)],
        voice: Voice<'_>,
        surprise: impl Fn(f64, Belief) -> Surprise,
    ) {
        let Some(decision) = self.decisions.get_mut(decision_id) else {
            return;
        };
        decision.taught = true;
        let givers: Vec<&str> = [decision.by.as_str(), decision.outcome_by.as_str(), voice.by]
            .into_iter()
            .chain(decision.feedback.iter().map(|given| given.by.as_str()))
            .collect();
        for (place, h) in applied {
            let record = &mut decision.records[*place];
            record.learned = true;
            let Some(mut lesson) = self.lessons.get_mut(&record.lesson) else {
                continue;
            };
            let of = surprise(*h, lesson.standing.lift().at(voice.at));
            let waits = givers.iter().any(|by| voice.is_word_of(by, &lesson));
            voice.moves_or_waits(waits, &mut lesson, |held| {
                held.believe(of.moved(held.lift(), *h, voice.at));
            });
        }
    }
}
