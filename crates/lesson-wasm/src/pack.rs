//! A model pack on its way in: hashed by the host, and its code warmed up.

use crate::host::done;
use js_sys::{Function, Reflect, Uint8Array};
use lesson_embed::{Model, StageTime};
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// Embeds before a model counts as loaded. Browsers compile a module quickly first and well later, function by
/// function as they see them run: without these the first query would take four times as long as the tenth.
pub(crate) const WARM_UPS: usize = 6;

/// What they embed: a dozen word pieces, as a query has.
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

#[derive(Serialize)]
struct Stage {
    stage: &'static str,
    ms: f64,
    products: u64,
}

/// What each kind of op takes of one embedding: the fastest of `rounds`, in the unit of `now`, which is
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
