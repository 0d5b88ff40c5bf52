/** Suggests the known name that is closest to a misspelled one. No side effects. */

/** The known name that is most similar to this one; null if none is similar enough. */
export function closest(name: string, known: readonly string[]): string | null {
  if (name.length > 60) return null
  const inOtherCase = known.find((candidate) => candidate.toLowerCase() === name.toLowerCase())
  if (inOtherCase !== undefined) return inOtherCase
  const [best] = known
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
    .toSorted((a, b) => a.distance - b.distance)
  // At least one character must match.
  const maxDistance = Math.min(name.length - 1, Math.max(2, name.length / 4))
  return best !== undefined && best.distance <= maxDistance ? best.candidate : null
}

/**
 * The number of letters to add, remove, change, or swap with their neighbour. It takes time proportional to
 * the product of the lengths, so callers limit the lengths.
 */
export function editDistance(a: string, b: string): number {
  const rows: number[][] = []
  for (let i = 0; i <= a.length; i += 1) {
    const row: number[] = []
    for (let j = 0; j <= b.length; j += 1) row.push(i === 0 || j === 0 ? i + j : smallestDistance(i, j, row))
    rows.push(row)
  }
  return rows.at(-1)?.at(-1) ?? 0

  function smallestDistance(i: number, j: number, row: readonly number[]): number {
    const above = rows[i - 1] as number[]
    const substitution = a[i - 1] === b[j - 1] ? 0 : 1
    const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
    const transposition = isSwapped ? (rows[i - 2]?.[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
    return Math.min(
      (above[j] ?? 0) + 1,
      (row[j - 1] ?? 0) + 1,
      (above[j - 1] ?? 0) + substitution,
      transposition,
    )
  }
}
