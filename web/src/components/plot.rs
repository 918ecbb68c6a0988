//! Lines and columns over places along the bottom, as SVG that fits any width: axes, marks, and a value under the pointer
//! or the arrow keys.

use super::chart::{Mark, Plotted, Series, Unit, line_class};
use crate::format;
use leptos::html;
use leptos::prelude::*;
use std::fmt::Write as _;

/// Labels along the bottom, at most.
const LABELS: usize = 7;

/// Lines over time, some with an interval around them.
#[component]
pub fn LineChart(
    /// Description of the chart, for those who can't see it.
    #[prop(into)]
    caption: Signal<String>,
    plotted: Signal<Plotted>,
    unit: Unit,
) -> impl IntoView {
    view! { <Plot caption plotted unit columns=false/> }
}

/// Columns, those of one place on top of each other.
#[component]
pub fn BarChart(
    /// Description of the chart, for those who can't see it.
    #[prop(into)]
    caption: Signal<String>,
    plotted: Signal<Plotted>,
    unit: Unit,
) -> impl IntoView {
    view! { <Plot caption plotted unit columns=true/> }
}

#[component]
fn Plot(
    caption: Signal<String>,
    plotted: Signal<Plotted>,
    unit: Unit,
    columns: bool,
) -> impl IntoView {
    let chosen = RwSignal::new(None::<usize>);
    let keyed = RwSignal::new(false);
    let node = NodeRef::<html::Div>::new();
    let count = move || plotted.read().labels.len();
    let top = Memo::new(move |_| highest(&plotted.read(), unit, columns));
    let across = move |at: usize| share(at, count(), columns);
    let on_point = move |event: leptos::ev::PointerEvent| {
        let Some(frame) = node.get_untracked() else {
            return;
        };
        let bounds = frame.get_bounding_client_rect();
        let x = (f64::from(event.client_x()) - bounds.left()) / bounds.width().max(1.0);
        keyed.set(false);
        chosen.set(nearest(x, plotted.read_untracked().labels.len(), columns));
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        let last = plotted.read_untracked().labels.len().saturating_sub(1);
        let now = chosen.get_untracked();
        let to = match event.key().as_str() {
            "ArrowLeft" => now.map_or(last, |now| now.saturating_sub(1)),
            "ArrowRight" => now.map_or(0, |now| (now + 1).min(last)),
            "Home" => 0,
            "End" => last,
            "Escape" if now.is_some() => {
                event.stop_propagation();
                chosen.set(None);
                return;
            }
            _ => return,
        };
        event.prevent_default();
        keyed.set(true);
        chosen.set(Some(to));
    };
    let told = move |at: usize| plotted.with(|plotted| told(plotted, at, unit));
    let spoken = move || match chosen.get() {
        Some(at) if keyed.get() => {
            let (label, lines) = told(at);
            let lines: Vec<String> = lines
                .into_iter()
                .map(|(name, value)| format!("{name} {value}"))
                .collect();
            format!("{label}: {}", lines.join(", "))
        }
        _ => String::new(),
    };
    let drawn = move || {
        plotted.with(|plotted| {
            if columns {
                stacked(plotted, top.get())
            } else {
                lines(plotted, top.get())
            }
        })
    };
    let wide = move || {
        if columns {
            count().max(1) as f64
        } else {
            100.0
        }
    };
    let dots = move |at: usize| {
        plotted.with(|plotted| {
            let series = plotted.series.iter().filter(|_| !columns);
            series
                .filter_map(|series| {
                    let y = up(series.values.get(at).copied().flatten()?, top.get());
                    let class = format!("plot-dot plot-{}", series.tone);
                    Some(view! { <circle class=class cx=percent(across(at)) cy=percent(y) r="4"></circle> }.into_any())
                })
                .collect::<Vec<_>>()
        })
    };
    view! {
        <div class="plot" node_ref=node tabindex="0" role="group" aria-label=caption data-testid="plot"
            on:pointermove=on_point on:pointerdown=on_point on:pointerleave=move |_| chosen.set(None)
            on:blur=move |_| chosen.set(None) on:keydown=on_key
        >
            <svg aria-hidden="true">
                {move || scale(top.get(), unit)}
                <svg x="0" y="0" width="100%" height="100%" viewBox=move || format!("0 0 {} 100", wide()) preserveAspectRatio="none">{drawn}</svg>
                {move || plotted.with(|plotted| plotted.marks.iter().map(|mark| marked(mark, across(mark.at))).collect::<Vec<_>>())}
                {move || chosen.get().map(|at| {
                    let x = percent(across(at));
                    view! { <line class="plot-cursor" x1=x.clone() x2=x y1="0%" y2="100%"></line> {dots(at)} }
                })}
            </svg>
            <svg class="plot-bottom" aria-hidden="true">{move || plotted.with(|plotted| bottom(&plotted.labels, columns))}</svg>
            {move || chosen.get().filter(|at| *at < count()).map(|at| {
                let (label, lines) = told(at);
                let x = across(at);
                let class = if x > 0.6 { "plot-tip plot-tip-left" } else { "plot-tip" };
                view! {
                    <div class=class data-testid="plot-tip"
                        style:left=percent(x)>
                        <b>{label}</b>
                        {lines.into_iter().map(|(name, value)| view! { <span>{name}<b>{value}</b></span> }.into_any()).collect::<Vec<_>>()}
                    </div>
                }
            })}
            <span class="sr-only" role="status">{spoken}</span>
        </div>
    }
}

/// Where a place lies, 0 at the left and 1 at the right: lines reach both ends, columns stand in the middle of theirs.
fn share(at: usize, count: usize, columns: bool) -> f64 {
    if columns {
        (at as f64 + 0.5) / count.max(1) as f64
    } else if count < 2 {
        0.5
    } else {
        at as f64 / (count - 1) as f64
    }
}

/// The place that is nearest to the pointer.
fn nearest(x: f64, count: usize, columns: bool) -> Option<usize> {
    let far = |at: usize| (share(at, count, columns) - x).abs();
    (0..count).min_by(|a, b| far(*a).total_cmp(&far(*b)))
}

fn percent(share: f64) -> String {
    format!("{}%", format::trim(share * 100.0, 3))
}

/// Returns the place of a value from the top, as a share of the height: 0 at the top.
fn up(value: f64, top: f64) -> f64 {
    1.0 - (value / top).clamp(0.0, 1.0)
}

/// Returns the upper end of the axis: 100 % for shares, else a round number that holds every value.
fn highest(plotted: &Plotted, unit: Unit, columns: bool) -> f64 {
    if unit == Unit::Share {
        return 1.0;
    }
    let value =
        |series: &Series, at: usize| series.values.get(at).copied().flatten().unwrap_or(0.0);
    let most = (0..plotted.labels.len())
        .map(|at| {
            let values = plotted.series.iter().map(|series| value(series, at));
            if columns {
                values.sum()
            } else {
                values.fold(0.0, f64::max)
            }
        })
        .fold(0.0, f64::max);
    rounded(most)
}

/// The least of 4, 8, 10, 20, 40, 80, 100 … that is not below: four steps of whole numbers lie under each but 10.
fn rounded(most: f64) -> f64 {
    let mut ten = 1.0;
    while ten < 1e15 {
        for step in [4.0, 8.0, 20.0] {
            if most <= step * ten {
                return step * ten;
            }
        }
        ten *= 10.0;
    }
    most
}

/// Lines across with their numbers at the left.
fn scale(top: f64, unit: Unit) -> Vec<AnyView> {
    [0.0, 0.25, 0.5, 0.75, 1.0]
        .into_iter()
        .map(|share| {
            let y = percent(1.0 - share);
            view! {
                <line class="plot-grid" x1="0%" x2="100%" y1=y.clone() y2=y.clone()></line>
                <text class="plot-text plot-end" x="-8" y=y dy="3">{unit.text(top * share)}</text>
            }
            .into_any()
        })
        .collect()
}

/// Labels at the bottom: a few at even distances, the first and the last among them.
fn bottom(labels: &[String], columns: bool) -> Vec<AnyView> {
    let last = labels.len().saturating_sub(1);
    let steps = last.min(LABELS - 1);
    let at = |step: usize| (step * last).checked_div(steps).unwrap_or(0);
    (0..=steps)
        .filter_map(|step| {
            let at = at(step);
            let label = labels.get(at)?.clone();
            let x = share(at, labels.len(), columns);
            let anchor = if x < 0.04 { "plot-start" } else if x > 0.96 { "plot-end" } else { "plot-middle" };
            // Every second one is left out where there is little room.
            let extra = if step % 2 == 1 { " plot-extra" } else { "" };
            Some(view! { <text class=format!("plot-text {anchor}{extra}") x=percent(x) y="14">{label}</text> }.into_any())
        })
        .collect()
}

fn marked(mark: &Mark, x: f64) -> AnyView {
    let (class, dx) = if x > 0.7 {
        ("plot-mark-text plot-end", "-5")
    } else {
        ("plot-mark-text", "5")
    };
    view! {
        <line class="plot-mark" x1=percent(x) x2=percent(x) y1="0%" y2="100%"></line>
        <text class=class x=percent(x) y="10" dx=dx>{mark.label.clone()}</text>
    }
    .into_any()
}

/// The name of a place, and what each series says there.
fn told(plotted: &Plotted, at: usize, unit: Unit) -> (String, Vec<(String, String)>) {
    let mut lines: Vec<(String, String)> = plotted
        .series
        .iter()
        .map(|series| {
            let value = series.values.get(at).copied().flatten();
            let of = series.of.get(at).filter(|_| value.is_some());
            let of = of.map(|of| format!(" of {}", crate::format::count(*of)));
            let text = match (value, series.range.get(at).copied().flatten()) {
                (None, _) => "–".to_owned(),
                (Some(value), None) => unit.text(value),
                (Some(value), Some((low, high))) => {
                    format!(
                        "{} ({}–{})",
                        unit.text(value),
                        unit.text(low),
                        unit.text(high)
                    )
                }
            };
            (series.name.clone(), text + &of.unwrap_or_default())
        })
        .collect();
    let marks = plotted.marks.iter().filter(|mark| mark.at == at);
    lines.extend(marks.map(|mark| (mark.label.clone(), String::new())));
    (plotted.labels.get(at).cloned().unwrap_or_default(), lines)
}

/// Bands first, then lines; a line has a gap where there is no value, and a value alone between gaps is a short stroke.
fn lines(plotted: &Plotted, top: f64) -> Vec<AnyView> {
    let count = plotted.labels.len();
    let x = |at: usize| share(at, count, false) * 100.0;
    let y = |value: f64| up(value, top) * 100.0;
    let mut drawn = Vec::new();
    for series in &plotted.series {
        let d = band(series, &x, &y);
        if !d.is_empty() {
            let class = format!("plot-band plot-{}", series.tone);
            drawn.push(view! { <path class=class d=d></path> }.into_any());
        }
    }
    for series in &plotted.series {
        drawn.push(
            view! { <path class=line_class(series) d=line(&series.values, &x, &y)></path> }
                .into_any(),
        );
    }
    drawn
}

/// A path through the values, with gaps.
fn line(values: &[Option<f64>], x: &dyn Fn(usize) -> f64, y: &dyn Fn(f64) -> f64) -> String {
    let mut d = String::new();
    let mut pen = false;
    for (at, value) in values.iter().enumerate() {
        let Some(value) = value else {
            pen = false;
            continue;
        };
        // Writing to a text does not fail.
        let _ = write!(
            d,
            "{}{:.2} {:.2}",
            if pen { 'L' } else { 'M' },
            x(at),
            y(*value)
        );
        let alone = !pen && !matches!(values.get(at + 1), Some(Some(_)));
        if alone {
            d.push_str("h0.01");
        }
        pen = true;
    }
    d
}

/// The outline of an interval: over its upper ends and back under its lower ones, for each run of values.
fn band(series: &Series, x: &dyn Fn(usize) -> f64, y: &dyn Fn(f64) -> f64) -> String {
    let mut d = String::new();
    let mut run: Vec<(usize, (f64, f64))> = Vec::new();
    let mut close = |run: &mut Vec<(usize, (f64, f64))>| {
        if run.len() > 1 {
            for (place, (at, (_, high))) in run.iter().enumerate() {
                let _ = write!(
                    d,
                    "{}{:.2} {:.2}",
                    if place == 0 { 'M' } else { 'L' },
                    x(*at),
                    y(*high)
                );
            }
            for (at, (low, _)) in run.iter().rev() {
                let _ = write!(d, "L{:.2} {:.2}", x(*at), y(*low));
            }
            d.push('Z');
        }
        run.clear();
    };
    for (at, range) in series.range.iter().enumerate() {
        match range {
            Some(range) => run.push((at, *range)),
            None => close(&mut run),
        }
    }
    close(&mut run);
    d
}

/// Columns on top of each other, each place one wide.
fn stacked(plotted: &Plotted, top: f64) -> Vec<AnyView> {
    let mut drawn = Vec::new();
    for at in 0..plotted.labels.len() {
        let mut below = 0.0;
        for series in &plotted.series {
            let value = series.values.get(at).copied().flatten().unwrap_or(0.0);
            if value <= 0.0 {
                continue;
            }
            let high = value / top * 100.0;
            let y = 100.0 - below - high;
            below += high;
            let class = format!("plot-column plot-{}", series.tone);
            drawn.push(
                view! {
                    <rect class=class x=format::trim(at as f64 + 0.14, 2) width="0.72" y=format::trim(y, 3) height=format::trim(high, 3)></rect>
                }
                .into_any(),
            );
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn the_axis_holds_every_value_in_round_steps() {
        for (most, top) in [
            (0.0, 4.0),
            (3.0, 4.0),
            (5.0, 8.0),
            (9.0, 20.0),
            (21.0, 40.0),
            (1_234.0, 2_000.0),
        ] {
            assert_eq!(rounded(most), top, "{most}");
        }
    }

    #[test]
    fn a_line_has_gaps_and_a_value_alone_is_seen() {
        let x = |at: usize| at as f64;
        let y = |value: f64| value;
        let values = [Some(1.0), Some(2.0), None, Some(3.0)];
        assert_eq!(line(&values, &x, &y), "M0.00 1.00L1.00 2.00M3.00 3.00h0.01");
    }

    #[test]
    fn the_nearest_place_is_found() {
        assert_eq!(nearest(0.0, 3, false), Some(0));
        assert_eq!(nearest(0.6, 3, false), Some(1));
        assert_eq!(nearest(0.99, 3, true), Some(2));
        assert_eq!(nearest(0.5, 0, false), None);
    }
}
