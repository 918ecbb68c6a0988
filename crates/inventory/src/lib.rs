//! The registries of tract's parts (transforms, runtimes, matrix kernels), in place of the crate of this name.
//!
//! Natively this is that crate. In WebAssembly nothing is ever registered: what is registered is linked whether anybody
//! asks for it or not, and with tract's transforms comes all of its optimiser, two fifths of the engine module. The
//! encoder's graph is made of our own ops and runs as it was built; nothing in it looks into a registry.
#![forbid(unsafe_code)]

#[cfg(not(target_family = "wasm"))]
pub use real::*;

#[cfg(target_family = "wasm")]
mod empty;
#[cfg(target_family = "wasm")]
pub use empty::{iter, value::*};
