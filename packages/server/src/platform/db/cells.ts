/**
 * Finds workspaces of other cells in the directories that the operator has imported (see cell-directory.ts). An installation
 * with one cell looks nothing up.
 */
import { sql } from 'kysely'
import type { Cell, Cells } from '../../kernel/cells.ts'
import { Refusal } from '../../kernel/errors.ts'
import { createCache } from '../cache.ts'
import { readControl } from './control.ts'
import type { Databases, Db } from './databases.ts'

/** How long an added cell may remain unnoticed. */
const rememberMs = 5_000

export function createCells(databases: Databases): Cells {
  const deps = { databases }
  const isAnyKnown = createCache<boolean>({ ttlMs: rememberMs, maxEntries: 1 })
  let wasAnyKnown = false
  const hasOtherCells = async () => {
    try {
      wasAnyKnown = await readControl(deps, existsAny)
    } catch (error) {
      // Without the control plane, the last result stays in use.
      if (!(error instanceof Refusal)) throw error
    }
    return wasAnyKnown
  }
  return {
    async find(keys) {
      if (keys.length === 0 || !(await isAnyKnown.get('any', hasOtherCells))) return null
      return readControl(deps, (db) => findByKeys(db, keys))
    },
  }
}

async function existsAny(db: Db): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`select exists (select from control.cells)`.execute(db)
  return rows[0]?.exists === true
}

async function findByKeys(db: Db, keys: readonly Uint8Array[]): Promise<Cell | null> {
  const { rows } = await sql<Cell>`
    select cell.name, cell.live_url as live, cell.test_url as test, cell.dashboard_url as dashboard
    from control.cell_keys as entry join control.cells as cell on cell.name = entry.cell
    where entry.key = any(${keys.map((key) => Buffer.from(key))}::bytea[]) limit 1`.execute(db)
  return rows[0] ?? null
}
