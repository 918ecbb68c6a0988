//! A number over time as steps, drawn as inline SVG. Each point can be reached by pointer and by arrow keys.

use crate::format;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// Room above and below the line, in percent of the height, so that a point at an end is whole.
const EDGE: f64 = 6.0;
/// The same at the sides, in percent of the width.
const SIDE: f64 = 1.5;
/// Points that have room for a circle each, on a phone too.
const ROOMY: usize = 40;

/// A point of the chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// 0 at the left, 1 at the right.
    pub x: f64,
    /// 0 at the bottom, 1 at the top; `None` where there is no number yet.
    pub y: Option<f64>,
    /// The interval around it, on the same scale; `None` where there is none.
    pub range: Option<(f64, f64)>,
    /// Its full text.
    pub label: String,
    /// True if it is drawn as one that stands out.
    pub marked: bool,
}

/// Lengths in percent of the drawing's own size keep circles round and lines thin at any width.
fn at(share: f64, edge: f64) -> String {
    format!(
        "{}%",
        format::trim(edge + share.clamp(0.0, 1.0) * (100.0 - 2.0 * edge), 3)
    )
}

fn across(x: f64) -> String {
    at(x, SIDE)
}

fn up(y: f64) -> String {
    at(1.0 - y, EDGE)
}

/// The chart. Left and right, Home and End go from point to point.
#[component]
pub fn StepChart(
    /// Description of the chart, for those who can't see it.
    #[prop(into)]
    caption: Signal<String>,
    steps: Memo<Vec<Step>>,
    /// The point that is told of.
    chosen: RwSignal<usize>,
    /// A line across, such as where everything begins.
    #[prop(into)]
    level: Signal<Option<f64>>,
    /// Names of the top, the middle and the bottom.
    #[prop(into)]
    scale: Signal<[String; 3]>,
    /// Events: places, 0 at the left and 1 at the right, and names.
    #[prop(optional, into)]
    marks: Signal<Vec<(f64, String)>>,
) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let last = move || steps.with(|steps| steps.len().saturating_sub(1));
    let go = move |to: usize| {
        chosen.set(to.min(last()));
        request_animation_frame(move || {
            let Some(frame) = node.try_get_untracked().flatten() else {
                return;
            };
            if let Ok(Some(point)) = frame.query_selector("[tabindex='0']") {
                let _ = point.unchecked_into::<web_sys::SvgElement>().focus();
            }
        });
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        // Before a point is chosen it is the last one.
        let now = chosen.get_untracked().min(last());
        let to = match event.key().as_str() {
            "ArrowLeft" | "ArrowDown" => now.saturating_sub(1),
            "ArrowRight" | "ArrowUp" => now + 1,
            "PageUp" => now.saturating_sub(10),
            "PageDown" => now + 10,
            "Home" => 0,
            "End" => usize::MAX,
            _ => return,
        };
        event.prevent_default();
        go(to);
    };
    // The nearest point to the pointer.
    let on_point = move |event: leptos::ev::PointerEvent| {
        let Some(frame) = node.get_untracked() else {
            return;
        };
        let wide = f64::from(frame.client_width().max(1));
        let x = (f64::from(event.offset_x()) / wide - SIDE / 100.0) / (1.0 - SIDE / 50.0);
        let nearest = steps.with_untracked(|steps| {
            let far = |step: &Step| (step.x - x).abs();
            steps
                .iter()
                .enumerate()
                .min_by(|a, b| far(a.1).total_cmp(&far(b.1)))
                .map(|(place, _)| place)
        });
        if let Some(nearest) = nearest {
            chosen.set(nearest);
        }
    };
    let lines = move || {
        steps.with(|steps| {
            let mut lines = Vec::new();
            for pair in steps.windows(2) {
                let [from, to] = pair else { continue };
                if let Some(range) = from.range {
                    lines.push(band(from.x, to.x, range));
                }
                let Some(before) = from.y else { continue };
                let after = to.y.unwrap_or(before);
                lines.push(line(from.x, before, to.x, before));
                if after != before {
                    lines.push(line(to.x, before, to.x, after));
                }
            }
            lines
        })
    };
    let points = move || {
        let chosen_now = Memo::new(move |_| chosen.get().min(last()));
        steps
            .get()
            .into_iter()
            .enumerate()
            .map(|(place, step)| {
                let is = move || chosen_now.get() == place;
                let class = move || match (is(), step.marked) {
                    (true, _) => "point point-chosen",
                    (false, true) => "point point-marked",
                    (false, false) => "point",
                };
                // Where there is no number, no dot stands for one.
                let dot = step.y.map(|y| view! { <circle class="dot" cx=across(step.x) cy=up(y) r="4"></circle> });
                let y = step.y.unwrap_or(0.0);
                view! {
                    <g class=class role="img" aria-label=step.label tabindex=move || if is() { "0" } else { "-1" } on:focus=move |_| chosen.set(place) data-testid="course-point">
                        <circle class="halo" cx=across(step.x) cy=up(y) r="9"></circle>
                        {dot}
                    </g>
                }
                .into_any()
            })
            .collect::<Vec<_>>()
    };
    let is_dense = move || steps.with(Vec::len) > ROOMY;
    let grid = [0.0, 0.25, 0.5, 0.75, 1.0].map(|y| {
        view! { <line class="grid-line" x1="0%" x2="100%" y1=up(y) y2=up(y)></line> }
    });
    view! {
        <div class="steps" class:steps-dense=is_dense>
            <div class="steps-scale" aria-hidden="true">{move || scale.get().map(|text| view! { <span>{text}</span> })}</div>
            <div class="steps-frame" node_ref=node on:keydown=on_key>
                <svg role="group" aria-label=caption on:pointermove=on_point on:pointerdown=on_point>
                    {grid}
                    {move || level.get().map(|y| view! { <line class="level-line" x1="0%" x2="100%" y1=up(y) y2=up(y)></line> })}
                    {move || marks.get().into_iter().map(|(x, label)| view! {
                        <line class="plot-mark" x1=across(x) x2=across(x) y1="0%" y2="100%"></line>
                        <text class=mark_class(x) x=across(x) y="0" dy="10">{label}</text>
                    }.into_any()).collect::<Vec<_>>()}
                    {lines}
                    {points}
                </svg>
            </div>
        </div>
    }
}

/// The name of a mark stands where there is room for it.
fn mark_class(x: f64) -> &'static str {
    if x > 0.8 {
        "plot-mark-text plot-end"
    } else {
        "plot-mark-text"
    }
}

/// The interval between one point and the next.
fn band(from: f64, to: f64, (low, high): (f64, f64)) -> AnyView {
    let long = |share: f64, edge: f64| {
        format!(
            "{}%",
            format::trim(share.clamp(0.0, 1.0) * (100.0 - 2.0 * edge), 3)
        )
    };
    let (low, high) = (low.clamp(0.0, 1.0), high.clamp(0.0, 1.0));
    view! { <rect class="step-band" x=across(from) y=up(high) width=long(to - from, SIDE) height=long(high - low, EDGE)></rect> }
        .into_any()
}

fn line(x1: f64, y1: f64, x2: f64, y2: f64) -> AnyView {
    view! { <line class="step-line" x1=across(x1) y1=up(y1) x2=across(x2) y2=up(y2)></line> }
        .into_any()
}
