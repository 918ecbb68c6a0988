//! A bar chart as SVG, with the interval of each bar.

use crate::figures::Mean;
use std::fmt::Write;

const WIDTH: f64 = 760.0;
const LEFT: f64 = 200.0;
const ROW: f64 = 22.0;

/// A chart of groups of bars: (group, bars as (name, mean)).
pub fn bars(title: &str, groups: &[(String, Vec<(String, Mean)>)], by: f64) -> String {
    let most = groups
        .iter()
        .flat_map(|(_, bars)| bars)
        .filter(|(_, mean)| mean.value.is_finite())
        .map(|(_, mean)| (mean.value + mean.half) * by)
        .fold(0.0, f64::max);
    let scale = (WIDTH - LEFT - 90.0) / most.max(1e-9);
    let rows: usize = groups.iter().map(|(_, bars)| bars.len() + 1).sum();
    let height = 40.0 + rows as f64 * ROW;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"13\" role=\"img\">\n<title>{title}</title>\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n<text x=\"10\" y=\"22\" font-weight=\"bold\">{title}</text>\n"
    );
    let mut y = 40.0;
    for (group, bars) in groups {
        // Writing to a String can't fail.
        let _ = writeln!(
            svg,
            "<text x=\"10\" y=\"{:.0}\" fill=\"#444\">{group}</text>",
            y + 15.0
        );
        y += ROW;
        for (name, mean) in bars.iter().filter(|(_, mean)| mean.value.is_finite()) {
            let (value, half) = (mean.value * by, mean.half * by);
            let fill = if name.starts_with("lift") {
                "#2b6cb0"
            } else {
                "#a0aec0"
            };
            let end = LEFT + (value * scale).max(0.0);
            let middle = y + ROW / 2.0 - 2.0;
            let _ = writeln!(
                svg,
                "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{name}</text><rect x=\"{LEFT}\" y=\"{:.0}\" width=\"{:.1}\" height=\"14\" fill=\"{fill}\"/><path d=\"M{:.1} {middle:.0}H{:.1}\" stroke=\"#1a202c\"/><text x=\"{:.0}\" y=\"{:.0}\" fill=\"#444\">{value:.1}</text>",
                LEFT - 8.0,
                y + 13.0,
                y + 2.0,
                end - LEFT,
                end - half * scale,
                end + half * scale,
                end + half * scale + 6.0,
                y + 13.0,
            );
            y += ROW;
        }
    }
    svg.push_str("</svg>\n");
    svg
}
