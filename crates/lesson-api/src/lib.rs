//! Placeholder of lesson-api.
