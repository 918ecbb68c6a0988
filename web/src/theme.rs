//! Light, dark or as the system says; remembered in this browser.

use crate::dom::Memory;
use leptos::prelude::*;

const KEY: &str = "lessonloop.theme";

/// The colour scheme that the person chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// As the system says.
    #[default]
    Auto,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

impl Theme {
    /// Every choice, in the order shown.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Light, Self::Dark];

    /// The word that is stored, and set as the page's `data-theme`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The label of the choice.
    pub fn label(self) -> &'static str {
        match self {
            Self::Auto => "System",
            Self::Light => "Light",
            Self::Dark => "Dark",
        }
    }

    /// The remembered choice.
    pub fn load() -> Self {
        let word = Memory::Browser.find(KEY).unwrap_or_default();
        Self::ALL
            .into_iter()
            .find(|theme| theme.word() == word.trim_matches('"'))
            .unwrap_or_default()
    }

    /// Shows the page so, and remembers it where storage allows.
    pub fn apply(self) {
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute("data-theme", self.word());
        }
        self.tint();
        Memory::Browser.keep(KEY, self.word());
    }

    /// The browser's own frame follows: each colour is in the page for one scheme of the system.
    fn tint(self) {
        for (scheme, own) in [("light", Self::Light), ("dark", Self::Dark)] {
            let Ok(Some(meta)) = document().query_selector(&format!("meta[data-scheme={scheme}]"))
            else {
                continue;
            };
            let media = match self {
                Self::Auto => format!("(prefers-color-scheme: {scheme})"),
                chosen if chosen == own => "all".to_owned(),
                _ => "not all".to_owned(),
            };
            let _ = meta.set_attribute("media", &media);
        }
    }
}
