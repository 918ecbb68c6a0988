//! There is one so that the build-dependencies are taken.
#![forbid(unsafe_code)]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
