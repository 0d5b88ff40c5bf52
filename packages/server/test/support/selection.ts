// Some tests repeat the same checks for a large grid, such as each malformed body for each operation. `npm test` runs a
// part of the grid, in which every row and every column occurs; the seed selects it. `npm run test:hostile` and
// `npm run test:screens` run the complete grid.

import { createHash } from 'node:crypto'
import fc from 'fast-check'

export const isComplete = process.env.SWITCHYARD_TEST_COMPLETE === 'true'

/** Fixed in CI, like the seed of property-based tests. */
const seed = fc.readConfigureGlobal().seed ?? Date.now()

/** Prints how to repeat the selection. Call this once per file. */
export function printSelection(): void {
  if (!isComplete) console.log(`A part of the cases is tested, selected with FC_SEED=${seed}`)
}

/** A number from 0 to `limit - 1` that depends only on the seed and the name. */
export function choose(name: string, limit: number): number {
  return createHash('sha256').update(`${seed} ${name}`).digest().readUInt32BE() % limit
}

/** One `nth` of the items, rotated by a number that depends on the name. */
export function selectPart<Item>(items: readonly Item[], name: string, nth: number): readonly Item[] {
  if (isComplete) return items
  const first = choose(name, nth)
  return items.filter((_, index) => index % nth === first)
}
