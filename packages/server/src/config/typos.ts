/** A name that is almost one of ours was meant to be it, and a setting that silently does nothing costs a night. */
import type { Environment } from './setting.ts'

const prefix = 'SWITCHYARD_'

/** Sentences about variables that nobody reads and that look like settings which are not set. */
export function noticesOf(env: Environment, known: readonly string[]): readonly string[] {
  const free = known.filter((name) => !env[name])
  return Object.keys(env)
    .filter((name) => env[name] && !known.includes(name))
    .flatMap((name) => {
      const meant = nearest(name, free)
      return meant === null ? [] : [`${name} is set, and nobody reads it. Was ${meant} meant?`]
    })
}

function nearest(name: string, known: readonly string[]): string | null {
  const bare = name.toUpperCase().replace(prefix, '').replaceAll('-', '_')
  const [best] = known
    .map((one) => ({ one, steps: distance(bare, one) }))
    .filter(({ one, steps }) => steps <= toleratedSteps(one))
    .toSorted((a, b) => a.steps - b.steps)
  return best?.one ?? null
}

/** Among short names, two letters make another word. */
const toleratedSteps = (name: string) => (name.length < 10 ? 1 : 2)

/** How many letters have to be added, removed, changed or swapped with their neighbour. */
function distance(a: string, b: string): number {
  const rows: number[][] = []
  for (let i = 0; i <= a.length; i += 1) {
    const row: number[] = []
    for (let j = 0; j <= b.length; j += 1) row.push(i === 0 || j === 0 ? i + j : leastSteps(i, j, row))
    rows.push(row)
  }
  return rows.at(-1)?.at(-1) ?? 0

  function leastSteps(i: number, j: number, row: readonly number[]): number {
    const above = rows[i - 1] as number[]
    const changed = a[i - 1] === b[j - 1] ? 0 : 1
    const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
    const swapped = isSwapped ? (rows[i - 2]?.[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
    return Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + changed, swapped)
  }
}
