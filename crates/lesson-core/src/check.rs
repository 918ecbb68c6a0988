//! Asking whether events would be folded, without folding them.

use crate::event::EventKind;
use crate::fold::Uncounted;
use crate::fold_error::FoldError;
use crate::instant::Millis;
use crate::policy::Policy;
use crate::space::Space;

impl Space {
    /// Checks if these happenings, all made by `by`, could be folded now, one after the other; the space stays as it
    /// is. Returns what of them would be recorded, but not count. Costs as much as what they touch, not as the space.
    ///
    /// # Errors
    /// The place of the first that would be refused, and why.
    pub fn check(
        &self,
        happenings: &[EventKind],
        by: &str,
        at: Millis,
        policy: &Policy,
    ) -> Result<Vec<Uncounted>, (usize, FoldError)> {
        let mut scratch = Self::new();
        scratch.agents.clone_from(&self.agents);
        scratch.withdrawn.clone_from(&self.withdrawn);
        let mut uncounted = Vec::new();
        for (place, happening) in happenings.iter().enumerate() {
            self.lend(happening, &mut scratch);
            let applied = scratch.apply(happening, by, at, policy);
            uncounted.extend(applied.map_err(|error| (place, error))?);
        }
        Ok(uncounted)
    }

    /// Checks if an event could be folded, were its voice not withdrawn.
    pub(crate) fn check_alone(
        &self,
        happening: &EventKind,
        by: &str,
        at: Millis,
        policy: &Policy,
    ) -> Result<(), FoldError> {
        let mut scratch = Self::new();
        scratch.agents.clone_from(&self.agents);
        self.lend(happening, &mut scratch);
        scratch.apply(happening, by, at, policy).map(|_| ())
    }

    /// Copies what an event touches into `scratch`, unless it is there already.
    fn lend(&self, happening: &EventKind, scratch: &mut Self) {
        let touched = self.touched(happening);
        if let Some((id, held)) = touched
            .decision
            .and_then(|id| self.decisions.get_key_value(id))
            && !scratch.decisions.contains_key(id)
        {
            scratch.decisions.insert(id.clone(), held.clone());
        }
        for slug in touched.slugs {
            if !scratch.lessons.contains_key(slug)
                && let Some(lesson) = self.lessons.get(slug)
            {
                scratch.lessons.insert(lesson.clone());
            }
        }
    }
}
