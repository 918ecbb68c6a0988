//! A model pack on its way in: hashed by the host, and its code warmed up.

use crate::convert::thrown;
use crate::host::done;
use js_sys::{Array, Function, Promise, Reflect, Uint8Array};
use lesson_embed::{Model, StageTime};
use lesson_types::{ApiError, ErrorCode};
use serde::Serialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{WritableStream, WritableStreamDefaultWriter};

/// Embeds before a model counts as loaded. Browsers compile a module quickly first and well later, function by
/// function as they see them run: without these the first query would take four times as long as the tenth.
pub(crate) const WARM_UPS: usize = 6;

/// Text that they embed: a dozen word pieces, as a query has.
pub(crate) const WARM_UP: &str = "a query of about the length that an agent would ask with";

/// The SHA-256 that a pack's header must name, by the host's `crypto.subtle`: some 25 times faster than code that has
/// just been loaded. `None` where there is none, as on a page without a secure origin.
///
/// Reads the bytes before it first waits.
pub(crate) async fn sha256(pack: &Uint8Array) -> Option<[u8; 32]> {
    let crypto = Reflect::get(&js_sys::global(), &"crypto".into()).ok()?;
    let subtle = Reflect::get(&crypto, &"subtle".into()).ok()?;
    let digest: Function = Reflect::get(&subtle, &"digest".into())
        .ok()?
        .dyn_into()
        .ok()?;
    let body = pack.subarray(
        u32::try_from(Model::HASHED_FROM).ok()?.min(pack.length()),
        pack.length(),
    );
    let hash = Uint8Array::new(&done(digest.call2(&subtle, &"SHA-256".into(), &body)).await?);
    hash.to_vec().try_into().ok()
}

/// Most bytes that are set aside for a pack before it is here: no header makes the module ask for more.
const MOST_BYTES: u64 = 128 * 1024 * 1024;

/// A pack that comes in pieces, and its SHA-256 as [`sha256`] says. `next` gives a promise of the next piece, of any length,
/// or of `null` after the last. Taken as a whole it would be in memory twice, of which a Worker has 128 MB.
///
/// # Errors
/// What `next` throws, and where there is no room for the pack.
pub(crate) async fn gather(next: &Function) -> Result<(Vec<u8>, Option<[u8; 32]>), JsValue> {
    let no_room = |_| {
        thrown(&ApiError::new(
            ErrorCode::Unavailable,
            "there is no room in memory for the model pack",
        ))
    };
    let mut bytes: Vec<u8> = Vec::new();
    let mut digest = Digest::begin();
    loop {
        let next = Promise::resolve(&next.call0(&JsValue::UNDEFINED)?);
        let Ok(piece) = JsFuture::from(next).await?.dyn_into::<Uint8Array>() else {
            break;
        };
        let begun = bytes.len();
        let length = piece.length() as usize;
        bytes.try_reserve(length).map_err(no_room)?;
        bytes.resize(begun + length, 0);
        piece.copy_to(&mut bytes[begun..]);
        if Model::pack_len(&bytes[..begun]).is_none()
            && let Some(whole) = Model::pack_len(&bytes)
        {
            let rest = whole.min(MOST_BYTES).saturating_sub(bytes.len() as u64);
            // Within a `usize` of 32 bits.
            bytes.try_reserve_exact(rest as usize).map_err(no_room)?;
        }
        let skipped = Model::HASHED_FROM.saturating_sub(begun).min(length);
        if let Some(open) = &digest
            && !open
                .write(&piece.subarray(skipped as u32, length as u32))
                .await
        {
            digest = None;
        }
    }
    let hash = match digest {
        Some(open) => open.end().await,
        None => None,
    };
    Ok((bytes, hash))
}

/// A SHA-256 that the host takes in pieces, where it can: workerd's `crypto.DigestStream`.
struct Digest {
    stream: JsValue,
    writer: WritableStreamDefaultWriter,
}

impl Digest {
    fn begin() -> Option<Self> {
        let crypto = Reflect::get(&js_sys::global(), &"crypto".into()).ok()?;
        let kind = Reflect::get(&crypto, &"DigestStream".into()).ok()?;
        let stream =
            Reflect::construct(kind.dyn_ref::<Function>()?, &Array::of1(&"SHA-256".into())).ok()?;
        let writer = stream.unchecked_ref::<WritableStream>().get_writer().ok()?;
        Some(Self { stream, writer })
    }

    /// Writes a piece; true if the host took it.
    async fn write(&self, piece: &Uint8Array) -> bool {
        done(Ok(self.writer.write_with_chunk(piece).into()))
            .await
            .is_some()
    }

    async fn end(self) -> Option<[u8; 32]> {
        done(Ok(self.writer.close().into())).await?;
        let hash = done(Reflect::get(&self.stream, &"digest".into())).await?;
        Uint8Array::new(&hash).to_vec().try_into().ok()
    }
}

#[derive(Serialize)]
struct Stage {
    stage: &'static str,
    ms: f64,
    products: u64,
}

/// Measures what each kind of op takes of one embedding: the fastest of `rounds`, in the unit of `now`, which is
/// `performance.now` as a rule. For benches; it loads a model of its own.
///
/// # Errors
/// Throws when the pack is refused or the text can't be embedded.
#[wasm_bindgen(unchecked_return_type = "{ stage: string; ms: number; products: number }[]")]
pub fn profile_model(
    pack: Vec<u8>,
    text: &str,
    rounds: u32,
    now: &Function,
) -> Result<JsValue, JsError> {
    let model = Model::load(pack)?;
    let clock = || {
        let time = now.call0(&JsValue::UNDEFINED).ok();
        time.and_then(|time| time.as_f64()).unwrap_or_default()
    };
    let total = |stages: &[StageTime]| stages.iter().map(|stage| stage.time).sum::<f64>();
    let mut best: Option<Vec<StageTime>> = None;
    for _ in 0..rounds.max(1) {
        let stages = model.profile(text, clock)?;
        if best
            .as_ref()
            .is_none_or(|best| total(&stages) < total(best))
        {
            best = Some(stages);
        }
    }
    let stages: Vec<Stage> = best
        .unwrap_or_default()
        .into_iter()
        .map(|stage| Stage {
            stage: stage.stage,
            ms: stage.time,
            products: stage.products,
        })
        .collect();
    Ok(crate::convert::to_js(&stages))
}
