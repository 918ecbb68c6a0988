// Medians, quartiles and tables.

/** A quantile, between two values where it falls between them. */
export function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * part;
  const low = sorted[Math.floor(place)];
  return low + (sorted[Math.ceil(place)] - low) * (place % 1);
}

export const median = (values) => quantile(values, 0.5);

/** Four significant digits. */
export const round = (value) => Number(value.toPrecision(4));

/** `12.3 [11.9–12.8]`; a value that was counted once stands alone. */
export function spread(values) {
  const shown = (value) =>
    value.toLocaleString("en-US", { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 });
  if (values.length === 1) return shown(values[0]);
  return `${shown(median(values))} [${shown(quantile(values, 0.25))}–${shown(quantile(values, 0.75))}]`;
}

/** Rows of cells as lines, columns aligned. */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
