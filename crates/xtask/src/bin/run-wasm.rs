//! Runs the tests of a module in the browser, as cargo has it done: wasm-bindgen's own runner, of the version in Cargo.lock.
#![forbid(unsafe_code)]

fn main() -> anyhow::Result<()> {
    wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(std::env::args_os())
}
