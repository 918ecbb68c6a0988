//! Placeholder of lesson-wasm.
