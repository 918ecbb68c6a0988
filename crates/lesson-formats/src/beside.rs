//! Files that lie beside a `SKILL.md`: they belong to the skill, and are named rather than read.

use super::skill_file::is_skill;
use std::collections::{BTreeMap, BTreeSet};

/// Files of a skill that are named.
const TOLD: usize = 8;

/// The skills of a batch, and what lies beside each.
pub(super) struct Beside {
    folders: BTreeSet<String>,
    /// Path of the `SKILL.md` → paths within its folder.
    found: BTreeMap<String, Vec<String>>,
}

impl Beside {
    /// For the files at these paths.
    pub fn of<'a>(paths: impl Iterator<Item = &'a str>) -> Self {
        let folders = paths
            .filter(|path| is_skill(path))
            .filter_map(|path| Some(path.rsplit_once(['/', '\\'])?.0.to_owned()))
            .filter(|folder| !matches!(folder.as_str(), "" | "."))
            .collect();
        Self {
            folders,
            found: BTreeMap::new(),
        }
    }

    /// Notes a file that lies beside a skill, for the innermost one, and returns true; false if it lies beside none.
    pub fn takes(&mut self, path: &str) -> bool {
        let mut folder = path;
        while let Some((outer, _)) = folder.rsplit_once(['/', '\\']) {
            if self.folders.contains(outer) {
                let name = path[outer.len() + 1..].to_owned();
                let skill = format!("{outer}/SKILL.md");
                self.found.entry(skill).or_default().push(name);
                return true;
            }
            folder = outer;
        }
        false
    }

    /// Makes a message for each skill that has files beside it: the skill's path and the message.
    pub fn told(self) -> impl Iterator<Item = (String, String)> {
        self.found.into_iter().map(|(skill, names)| {
            let more = match names.len().saturating_sub(TOLD) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let told = names.get(..TOLD).unwrap_or(&names).join(", ");
            (
                skill,
                format!("files beside the skill belong to it and were not read: {told}{more}"),
            )
        })
    }
}
