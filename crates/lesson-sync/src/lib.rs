//! Placeholder of lesson-sync.
