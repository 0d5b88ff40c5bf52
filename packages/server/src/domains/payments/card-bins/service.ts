/** The BIN table of the installation: looking up a card, and replacing the table. */
import type { Deps } from '../../../deps.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Cache } from '../../../platform/cache.ts'
import { changeControl, readControl } from '../../../platform/db/control.ts'
import type { ControlCache } from '../../../platform/db/control-cache.ts'
import { type LineFault, readBins } from './bin-csv.ts'
import { type CardFacts, prefixLengths } from './card-bin.ts'
import * as store from './store.ts'

export type { CardFacts } from './card-bin.ts'

declare module '../../../deps.ts' {
  interface Caches {
    /** Facts about card issuers, by eight digits. Read only by `findCardFacts`. */
    readonly cardBins: Cache<CardFacts | null>
    /** Like `cardBins`, but kept while the control plane is unavailable. */
    readonly storedCardBins: ControlCache<CardFacts>
  }
}

/**
 * The facts about the issuer of a card, or null if none are known. Only its first eight digits are used, and
 * the result is cached for a minute. Do not call it inside a unit of work: it takes a connection of its own.
 */
export function findCardFacts(deps: Deps, number: string): Promise<CardFacts | null> {
  const digits = number.slice(0, prefixLengths[0])
  return deps.cardBins.get(digits, () =>
    // A payment does not wait for the control plane. While it is unavailable, a card that is not cached has
    // no facts.
    deps.storedCardBins.read(deps, digits, (db) => store.findByPrefix(db, digits), null),
  )
}

/** Whether a BIN table has been imported. */
export function hasCardFacts(deps: Deps): Promise<boolean> {
  return readControl(deps, store.hasRows)
}

const pageSize = 5_000

export type ImportResult = { readonly prefixes: number; readonly faults: readonly LineFault[] }

/**
 * Replaces the table with the rows of a CSV file. The file is read twice: first to validate it, then to
 * import it. If a line is invalid, the previous table stays.
 */
export async function importCardBins(deps: Deps, open: () => AsyncIterable<string>): Promise<ImportResult> {
  for await (const { faults } of readBins(open(), pageSize)) {
    if (faults.length > 0) return { prefixes: 0, faults }
  }
  const prefixes = await changeControl(deps, async (db, now) => {
    await store.deleteAll(db)
    let inserted = 0
    for await (const { bins, faults } of readBins(open(), pageSize)) {
      assert(faults.length === 0, 'The file was changed while it was imported.')
      if (bins.length > 0) await store.insertBins(db, bins)
      inserted += bins.length
    }
    await store.recordImport(db, inserted, now)
    return inserted
  })
  return { prefixes, faults: [] }
}
