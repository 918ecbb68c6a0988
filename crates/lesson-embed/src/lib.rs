//! Placeholder of lesson-embed.
