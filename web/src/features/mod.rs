//! One module per screen.

mod agents;
mod data;
mod insights;
mod lesson;
mod lessons;
mod new_lesson;
mod none;
mod not_found;
mod overview;
mod recommend;
mod review;
mod runs;
mod set_aside;
mod tools;

pub use agents::AgentsPage;
pub use data::DataPage;
pub use insights::InsightsPage;
pub use lesson::LessonPage;
pub use lessons::{LessonsPage, Selection};
pub use new_lesson::NewLessonPage;
pub use not_found::NotFoundPage;
pub use overview::OverviewPage;
pub use recommend::RecommendPage;
pub use review::ReviewPage;
pub use runs::RunsPage;
pub use set_aside::SetAsidePage;
pub use tools::ToolsPage;
