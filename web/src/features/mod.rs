//! One module per screen.

mod agents;
mod constant_value;
mod demo;
mod editor;
mod figures;
mod insights;
mod issues;
mod lesson;
mod lessons;
mod new_lesson;
mod none;
mod not_found;
mod overview;
mod playground;
mod range;
mod review;
mod runs;
mod set_aside;
mod settings;
mod tools;
mod trend;
mod views;

pub use agents::AgentsPage;
pub use demo::DemoBanner;
pub use insights::InsightsPage;
pub use lesson::LessonPage;
pub use lessons::{LessonsPage, Selection};
pub use new_lesson::NewLessonPage;
pub use not_found::NotFoundPage;
pub use overview::{OverviewPage, ThisWeek};
pub use playground::PlaygroundPage;
pub use review::ReviewPage;
pub use runs::RunsPage;
pub use set_aside::SetAsidePage;
pub use settings::SettingsPage;
pub use tools::ToolsPage;
