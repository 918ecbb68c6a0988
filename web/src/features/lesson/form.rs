//! The fields of a lesson's text, shared by writing and editing.

use crate::components::{Area, Pick, TextField};
use crate::format;
use leptos::prelude::*;
use lesson_types::{Category, LessonPatch, LessonView, NewLesson, limits};
use serde::{Deserialize, Serialize};

/// The form's fields, each a signal of its text.
#[derive(Clone, Copy)]
pub struct LessonFields {
    title: RwSignal<String>,
    description: RwSignal<String>,
    context: RwSignal<String>,
    recommendation: RwSignal<String>,
    category: RwSignal<String>,
    domain: RwSignal<String>,
    project_types: RwSignal<String>,
    tech_stacks: RwSignal<String>,
    tags: RwSignal<String>,
    /// Of a new lesson alone.
    pub slug: RwSignal<String>,
}

/// The contents of the fields, as text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FormText {
    pub title: String,
    pub description: String,
    pub context: String,
    pub recommendation: String,
    pub category: String,
    pub domain: String,
    pub project_types: String,
    pub tech_stacks: String,
    pub tags: String,
    pub slug: String,
}

impl FormText {
    /// The names of the fields, in the order of [`FormText::all`], as people read them.
    pub const NAMES: [&str; 10] = [
        "Title",
        "Description",
        "When it applies",
        "What to do",
        "Category",
        "Domain",
        "Project type",
        "Tech stack",
        "Tags",
        "Slug",
    ];

    /// Every field.
    pub fn all(self) -> [String; 10] {
        [
            self.title,
            self.description,
            self.context,
            self.recommendation,
            self.category,
            self.domain,
            self.project_types,
            self.tech_stacks,
            self.tags,
            self.slug,
        ]
    }

    /// The other way round.
    pub fn from_all(all: [String; 10]) -> Self {
        let [
            title,
            description,
            context,
            recommendation,
            category,
            domain,
            project_types,
            tech_stacks,
            tags,
            slug,
        ] = all;
        Self {
            title,
            description,
            context,
            recommendation,
            category,
            domain,
            project_types,
            tech_stacks,
            tags,
            slug,
        }
    }
}

impl LessonFields {
    /// Empty fields.
    pub fn empty() -> Self {
        let field = || RwSignal::new(String::new());
        Self {
            title: field(),
            description: field(),
            context: field(),
            recommendation: field(),
            category: RwSignal::new(Category::Workflow.as_str().to_owned()),
            domain: field(),
            project_types: field(),
            tech_stacks: field(),
            tags: field(),
            slug: field(),
        }
    }

    /// Fields with a lesson's text.
    pub fn of(lesson: &LessonView) -> Self {
        let fields = Self::empty();
        fields.fill(Self::text_of(lesson));
        fields
    }

    /// A lesson's text as it stands in the fields.
    pub fn text_of(lesson: &LessonView) -> FormText {
        FormText {
            title: lesson.title.clone(),
            description: lesson.description.clone(),
            context: lesson.context.clone(),
            recommendation: lesson.recommendation.clone(),
            category: lesson.category.as_str().to_owned(),
            domain: lesson.domain.clone(),
            project_types: lesson.project_types.join(", "),
            tech_stacks: lesson.tech_stacks.join(", "),
            tags: lesson.tags.join(", "),
            slug: String::new(),
        }
    }

    /// Puts a text into the fields.
    pub fn fill(self, text: FormText) {
        for (field, text) in self.all().into_iter().zip(text.all()) {
            field.set(text);
        }
    }

    /// Reads the contents of the fields; whoever reads them here reads them again when one changes.
    pub fn text(self) -> FormText {
        FormText::from_all(self.all().map(|field| field.get()))
    }

    /// Reads the contents of the fields as they are now.
    pub fn text_untracked(self) -> FormText {
        // The page may have been left meanwhile.
        FormText::from_all(
            self.all()
                .map(|field| field.try_get_untracked().unwrap_or_default()),
        )
    }

    fn all(self) -> [RwSignal<String>; 10] {
        [
            self.title,
            self.description,
            self.context,
            self.recommendation,
            self.category,
            self.domain,
            self.project_types,
            self.tech_stacks,
            self.tags,
            self.slug,
        ]
    }

    /// The lesson that is written here.
    pub fn new_lesson(self) -> NewLesson {
        let filled = |field: RwSignal<String>| format::filled(&field.get_untracked());
        let words = |field: RwSignal<String>| {
            let words = format::words(&field.get_untracked());
            (!words.is_empty()).then_some(words)
        };
        NewLesson {
            title: self.title.get_untracked().trim().to_owned(),
            description: filled(self.description),
            context: filled(self.context),
            recommendation: filled(self.recommendation),
            slug: filled(self.slug),
            category: Category::parse(&self.category.get_untracked()),
            domain: filled(self.domain),
            project_types: words(self.project_types),
            tech_stacks: words(self.tech_stacks),
            tags: words(self.tags),
            source: None,
        }
    }

    /// Collects the differences from the lesson that the edit started from; `None` when there are none.
    pub fn patch(self, from: &LessonView, base_rev: u32) -> Option<LessonPatch> {
        let text = |field: RwSignal<String>, before: &str| {
            let now = field.get_untracked();
            (now.trim() != before.trim()).then_some(now)
        };
        let words = |field: RwSignal<String>, before: &[String]| {
            let now = format::words(&field.get_untracked());
            (now != before).then_some(now)
        };
        let category = Category::parse(&self.category.get_untracked());
        let patch = LessonPatch {
            base_rev,
            title: text(self.title, &from.title),
            description: text(self.description, &from.description),
            context: text(self.context, &from.context),
            recommendation: text(self.recommendation, &from.recommendation),
            category: category.filter(|now| *now != from.category),
            domain: text(self.domain, &from.domain).map(|word| word.trim().to_owned()),
            project_types: words(self.project_types, &from.project_types),
            tech_stacks: words(self.tech_stacks, &from.tech_stacks),
            tags: words(self.tags, &from.tags),
            extra: None,
        };
        let nothing = LessonPatch {
            base_rev,
            ..LessonPatch::default()
        };
        (patch != nothing).then_some(patch)
    }
}

/// The fields.
#[component]
pub fn LessonForm(fields: LessonFields) -> impl IntoView {
    let categories = Category::ALL
        .iter()
        .map(|word| (word.as_str().to_owned(), format::spaced(word.as_str())))
        .collect();
    let domains = ["dlmm", "perps", "spot", "polymarket"]
        .map(str::to_owned)
        .to_vec();
    view! {
        <TextField id="lesson-title" label="Title" value=fields.title max=limits::TITLE required=true/>
        <Area id="lesson-description" grows=true label="Description" value=fields.description rows=2 max=limits::DESCRIPTION
            hint="What it is about, in a sentence or two."/>
        <Area id="lesson-context" grows=true label="When it applies" value=fields.context rows=3 max=limits::CONTEXT/>
        <Area id="lesson-recommendation" grows=true label="What to do" value=fields.recommendation rows=8 max=limits::RECOMMENDATION
            hint="Markdown. Links to the web and to lessons, by their slug, can be followed; HTML and images are shown as text."/>
        <div class="grid">
            <Pick id="lesson-category" label="Category" value=fields.category on_pick=Callback::new(move |word| fields.category.set(word)) options=categories/>
            <TextField id="lesson-domain" label="Domain" value=fields.domain max=limits::WORD placeholder="general" offers=Signal::stored(domains)/>
            <TextField id="lesson-projects" label="Project type" value=fields.project_types max=2_000 placeholder="all; or web-app, cli"/>
            <TextField id="lesson-tech" label="Tech stack" value=fields.tech_stacks max=2_000 placeholder="all; or rust, postgres"/>
            <TextField id="lesson-tags" label="Tags" value=fields.tags max=2_000 placeholder="comma separated"/>
        </div>
    }
}
