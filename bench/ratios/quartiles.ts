/** The median and quartiles of some values. */
export type Quartiles = { readonly lower: number; readonly median: number; readonly upper: number }

export function quartilesOf(figures: readonly number[]): Quartiles {
  const sorted = figures.toSorted((a, b) => a - b)
  return { lower: quantile(sorted, 0.25), median: quantile(sorted, 0.5), upper: quantile(sorted, 0.75) }
}

/** The quantile, interpolated between two neighbours. */
export function quantile(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share
  const below = sorted[Math.floor(position)] ?? Number.NaN
  const above = sorted[Math.ceil(position)] ?? Number.NaN
  return below + (above - below) * (position - Math.floor(position))
}
