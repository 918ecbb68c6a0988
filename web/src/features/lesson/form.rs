//! The fields of a lesson's text, shared by writing and editing.

use crate::components::{Area, Pick, TextField};
use crate::format;
use leptos::prelude::*;
use lesson_types::{Category, LessonPatch, LessonView, NewLesson, limits};

/// What stands in the fields.
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
        }
    }

    /// Fields with a lesson's text.
    pub fn of(lesson: &LessonView) -> Self {
        let fields = Self::empty();
        fields.title.set(lesson.title.clone());
        fields.description.set(lesson.description.clone());
        fields.context.set(lesson.context.clone());
        fields.recommendation.set(lesson.recommendation.clone());
        fields.category.set(lesson.category.as_str().to_owned());
        fields.domain.set(lesson.domain.clone());
        fields.project_types.set(lesson.project_types.join(", "));
        fields.tech_stacks.set(lesson.tech_stacks.join(", "));
        fields.tags.set(lesson.tags.join(", "));
        fields
    }

    /// The lesson that is written here.
    pub fn new_lesson(self, slug: &str) -> NewLesson {
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
            slug: format::filled(slug),
            category: Category::parse(&self.category.get_untracked()),
            domain: filled(self.domain),
            project_types: words(self.project_types),
            tech_stacks: words(self.tech_stacks),
            tags: words(self.tags),
            source: None,
        }
    }

    /// What differs here from the lesson that the edit started from; `None` when nothing does.
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
        };
        let nothing = LessonPatch {
            base_rev,
            ..LessonPatch::default()
        };
        (patch != nothing).then_some(patch)
    }

    /// Title, description, context and recommendation as they stand.
    pub fn text_untracked(self) -> [String; 4] {
        [
            self.title,
            self.description,
            self.context,
            self.recommendation,
        ]
        .map(|field| field.get_untracked())
    }

    /// Runs again when one of these changes.
    pub fn track_text(self) {
        self.title.track();
        self.description.track();
        self.context.track();
        self.recommendation.track();
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
        <Area id="lesson-description" label="Description" value=fields.description rows=2 max=limits::DESCRIPTION
            hint="What it is about, in a sentence or two."/>
        <Area id="lesson-context" label="When it applies" value=fields.context rows=3 max=limits::CONTEXT/>
        <Area id="lesson-recommendation" label="What to do" value=fields.recommendation rows=8 max=limits::RECOMMENDATION
            hint="Markdown. HTML, links and images are shown as text."/>
        <div class="grid">
            <Pick id="lesson-category" label="Category" value=fields.category on_pick=Callback::new(move |word| fields.category.set(word)) options=categories/>
            <TextField id="lesson-domain" label="Domain" value=fields.domain max=limits::WORD placeholder="general" offers=Signal::stored(domains)/>
            <TextField id="lesson-projects" label="Kinds of project" value=fields.project_types max=2_000 placeholder="all; or web-app, cli"/>
            <TextField id="lesson-tech" label="Technologies" value=fields.tech_stacks max=2_000 placeholder="all; or rust, postgres"/>
            <TextField id="lesson-tags" label="Tags" value=fields.tags max=2_000 placeholder="comma separated"/>
        </div>
    }
}
