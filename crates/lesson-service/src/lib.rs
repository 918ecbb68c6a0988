//! Placeholder of lesson-service.
