//! Decisions as learning keeps them: names by number, and draws.

use crate::instant::Millis;
use crate::stable_map::StableMap;
use std::sync::Arc;

/// Words by number.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    pub places: StableMap<Arc<str>, u32>,
    pub names: Vec<Arc<str>>,
}

impl Names {
    pub fn place(&mut self, name: &str) -> u32 {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        let (place, name) = (self.names.len() as u32, Arc::<str>::from(name));
        self.places.insert(Arc::clone(&name), place);
        self.names.push(name);
        place
    }
}

/// A draw, with its lesson's number.
pub(super) type DrawnOf = (u32, f64, bool);

/// A decision as learning keeps it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Held {
    pub at: Millis,
    pub outcome: Option<(Millis, bool)>,
    pub domain: u32,
    pub agent: u32,
    /// The probability of a control run and whether it was one, where chance decided.
    pub control: Option<(f64, bool)>,
    pub drawn: Box<[DrawnOf]>,
}
