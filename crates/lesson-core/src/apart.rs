//! Near duplicates that a person wants both: settings of the space, by the pair's name.

use crate::lesson::Lesson;
use crate::space::Space;
use sha2::{Digest, Sha256};

/// Prefix of the settings that hold a pair of near duplicates apart; [`pair_key`] follows it.
pub const APART_SETTING: &str = "review.apart.";

/// Names two texts that are much alike, from either side the same: who has answered for one side is not asked again
/// when the other one comes to have less behind it.
pub fn pair_key(one: &Lesson, two: &Lesson) -> String {
    let named = |lesson: &Lesson| (lesson.slug.clone(), lesson.text.content_hash());
    let mut sides = [named(one), named(two)];
    sides.sort();
    let mut hasher = Sha256::new();
    for (slug, hash) in sides {
        hasher.update(slug);
        hasher.update([0]);
        hasher.update(hash);
        hasher.update([0]);
    }
    hex::encode(&hasher.finalize()[..8])
}

/// The pairs of a space that a person wants both of.
pub(crate) struct ApartPairs<'a> {
    space: &'a Space,
    /// Naming a pair hashes its texts, which a space without such an answer is spared.
    any: bool,
}

impl<'a> ApartPairs<'a> {
    /// Costs a look at the settings.
    pub fn of(space: &'a Space) -> Self {
        let mut settings = space.settings();
        let any = settings.any(|(name, _)| name.starts_with(APART_SETTING));
        Self { space, any }
    }

    /// Says if a person wants both.
    pub fn has(&self, one: &Lesson, two: &Lesson) -> bool {
        let name = || format!("{APART_SETTING}{}", pair_key(one, two));
        self.any && self.space.setting(&name()) == Some(&serde_json::Value::Bool(true))
    }
}
