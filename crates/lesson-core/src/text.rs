//! The text of a lesson, and a change of it.

use lesson_types::Category;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The text and facets of a lesson: all that an edit can change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Text {
    /// One line.
    pub title: String,
    /// The subject: what the lesson is about.
    pub description: String,
    /// When it applies.
    pub context: String,
    /// The advice, in markdown: what to do.
    pub recommendation: String,
    /// The kind of subject; workflow by default.
    pub category: Category,
    /// A field such as `perps`; empty means general.
    pub domain: String,
    /// Kinds of project; empty means all.
    pub project_types: Vec<String>,
    /// Technologies; empty means all.
    pub tech_stacks: Vec<String>,
    /// Free words.
    pub tags: Vec<String>,
    /// Fields of the file that it came from which lessons lack: a JSON object as text, empty where there are none. Shown and
    /// exported again; no model embeds it, no search finds it, no agent is given it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub extra: String,
}

impl Text {
    /// Joins the parts that a model embeds: title, description and recommendation, a line break between them.
    pub fn embedded(&self) -> String {
        [&self.title, &self.description, &self.recommendation]
            .into_iter()
            .filter(|part| !part.is_empty())
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// SHA-256 of [`Text::embedded`] in hex: with the model's id, the key of a vector.
    pub fn embedded_hash(&self) -> String {
        hex_sha256([self.embedded().as_bytes()])
    }

    /// The fields of [`Text::extra`]; `None` where it holds no JSON object, also where it is empty.
    pub fn extra_fields(&self) -> Option<serde_json::Map<String, serde_json::Value>> {
        serde_json::from_str(&self.extra).ok()
    }

    /// SHA-256 over every field in hex: what a review is bound to.
    pub fn content_hash(&self) -> String {
        let lists = [&self.project_types, &self.tech_stacks, &self.tags];
        // A unit separator between fields and a record separator between lists, so that moving
        // text from one field to the next changes the hash.
        let mut parts: Vec<&[u8]> = Vec::new();
        for field in [
            &self.title,
            &self.description,
            &self.context,
            &self.recommendation,
            &self.domain,
        ] {
            parts.extend([field.as_bytes(), b"\x1f"]);
        }
        parts.push(self.category.as_str().as_bytes());
        for list in lists {
            parts.push(b"\x1e");
            for word in list {
                parts.extend([word.as_bytes(), b"\x1f"]);
            }
        }
        if !self.extra.is_empty() {
            parts.extend([b"\x1d", self.extra.as_bytes()]);
        }
        hex_sha256(parts)
    }
}

fn hex_sha256<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    hex::encode(hasher.finalize())
}

/// The fields that an edit changes; absent ones stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Changes {
    /// One line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The subject: what the lesson is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// When it applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// The advice: what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommendation: Option<String>,
    /// The kind of subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// A field such as `perps`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Kinds of project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_types: Option<Vec<String>>,
    /// Technologies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tech_stacks: Option<Vec<String>>,
    /// Free words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// Fields that lessons lack; empty for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra: Option<String>,
}

impl Changes {
    /// True if they name a part of a lesson that an agent reads: title, description, context or recommendation.
    pub fn is_read(&self) -> bool {
        let read = [
            &self.title,
            &self.description,
            &self.context,
            &self.recommendation,
        ];
        read.iter().any(|part| part.is_some())
    }

    /// The changes that turn `old` into `new`; empty when they are equal.
    pub fn between(old: &Text, new: &Text) -> Self {
        fn changed<T: Clone + PartialEq>(old: &T, new: &T) -> Option<T> {
            (old != new).then(|| new.clone())
        }
        Self {
            title: changed(&old.title, &new.title),
            description: changed(&old.description, &new.description),
            context: changed(&old.context, &new.context),
            recommendation: changed(&old.recommendation, &new.recommendation),
            category: changed(&old.category, &new.category),
            domain: changed(&old.domain, &new.domain),
            project_types: changed(&old.project_types, &new.project_types),
            tech_stacks: changed(&old.tech_stacks, &new.tech_stacks),
            tags: changed(&old.tags, &new.tags),
            extra: changed(&old.extra, &new.extra),
        }
    }

    /// True if nothing changes.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// `text` with these changes.
    #[must_use]
    pub fn applied_to(&self, text: &Text) -> Text {
        fn or<T: Clone>(new: &Option<T>, old: &T) -> T {
            new.as_ref().unwrap_or(old).clone()
        }
        Text {
            title: or(&self.title, &text.title),
            description: or(&self.description, &text.description),
            context: or(&self.context, &text.context),
            recommendation: or(&self.recommendation, &text.recommendation),
            category: self.category.unwrap_or(text.category),
            domain: or(&self.domain, &text.domain),
            project_types: or(&self.project_types, &text.project_types),
            tech_stacks: or(&self.tech_stacks, &text.tech_stacks),
            tags: or(&self.tags, &text.tags),
            extra: or(&self.extra, &text.extra),
        }
    }
}
