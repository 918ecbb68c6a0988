//! Placeholder of lesson-core.
