// The databases of the installations that test files start with `TEST_SHARDS=2`.

import { slotOf } from '../../src/kernel/id.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { newDatabase } from './database.ts'
import { newShards } from './shards.ts'

export type Layout = {
  readonly environment: Record<string, string>
  readonly shardUrls: readonly [string, string]
  /** The index of the shard of an object. */
  shardOf(id: Parameters<typeof slotOf>[0]): 0 | 1
}

/** The layouts, by the URL of the control plane. */
const layouts = new Map<string, Layout>()

/** The layout with this control plane; null if the installation has one database. */
export const layoutOf = (controlUrl: string): Layout | null => layouts.get(controlUrl) ?? null

type DatabasesOfRun = { readonly databaseUrl: string; readonly environment: Record<string, string> }

/**
 * The database of a new installation. With `TEST_SHARDS=2` it is a control plane with two shards: new ones,
 * or those of an earlier installation with the same control plane.
 */
export async function databasesOfThisRun(controlUrl: string | undefined): Promise<DatabasesOfRun> {
  const existing = controlUrl === undefined ? null : layoutOf(controlUrl)
  if (controlUrl !== undefined && existing !== null)
    return { databaseUrl: controlUrl, environment: existing.environment }
  if (process.env.TEST_SHARDS === undefined || controlUrl !== undefined)
    return { databaseUrl: await newDatabase(), environment: {} }
  const { environment, urlOf } = await newShards()
  const databaseUrl = urlOf('control')
  const slotsOfB = await asOwner(databaseUrl, async (client) => {
    const { rows } = await client.query(`select slot from control.placements where shard = 'b'`)
    return new Set<number>(rows.map(({ slot }) => slot))
  })
  layouts.set(databaseUrl, {
    environment,
    shardUrls: [urlOf('a'), urlOf('b')],
    shardOf: (id) => (slotsOfB.has(slotOf(id)) ? 1 : 0),
  })
  return { databaseUrl, environment }
}
