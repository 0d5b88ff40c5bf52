/** Assigns the slots of workspaces to shards, in the control plane. */
import { sql } from 'kysely'
import type { Client } from 'pg'
import { slotCount } from '../../kernel/id.ts'
import type { Db } from './databases.ts'
import { asOwner } from './owner.ts'

/**
 * The lock that transactions share while they create a workspace in a slot. A process that moves unused slots
 * holds it exclusively.
 */
const placementLock = `hashtextextended('switchyard.placements', 0)`

/** The slot of a workspace: see `slotOf`. */
const slotOfId = (column: string) => `('x' || substr(${column}::text, 16, 3))::bit(12)::int`

/**
 * A slot for a new workspace, on the shard with the fewest workspaces. The slot stays on that shard if the
 * workspace is registered in the same transaction. The query counts all workspaces, which is fast enough
 * because workspaces are created rarely.
 */
export async function chooseSlot(
  db: Db,
  [first, ...others]: readonly string[],
): Promise<{ readonly slot: number; readonly shard: string }> {
  await sql`select pg_advisory_xact_lock_shared(${sql.raw(placementLock)})`.execute(db)
  const { rows } = await sql<{ slot: number; shard: string }>`
    with slots as materialized (
      select slot, coalesce(placement.shard, ${first}) as shard
      from generate_series(0, ${slotCount - 1}::int) as slot left join control.placements as placement using (slot)
    ),
    used as (
      select coalesce(override.shard, slots.shard) as shard, count(workspace.id) as workspaces
      from control.workspaces as workspace
        join slots on slots.slot = ${sql.raw(slotOfId('workspace.id'))}
        left join control.overrides as override on override.workspace_id = workspace.id
      group by 1
    )
    select slots.slot, slots.shard from slots left join used using (shard)
    where slots.shard = any(${[first, ...others]}::text[])
    order by coalesce(used.workspaces, 0), random() limit 1`.execute(db)
  return rows[0] as { slot: number; shard: string }
}

export type ShardAddress = { readonly name: string; readonly ownerUrl: string }

/**
 * Spreads the slots without workspaces evenly over the shards. Slots with workspaces stay where they are. Returns how
 * many slots were assigned to another shard.
 */
export async function spreadSlots(controlUrl: string, shards: readonly ShardAddress[]): Promise<number> {
  return asOwner(controlUrl, async (client) => {
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(${placementLock})`)
    const found = new Map<number, string>()
    for (const { name, ownerUrl } of shards)
      for (const slot of await asOwner(ownerUrl, usedSlots)) found.set(slot, found.get(slot) ?? name)
    const placed = await readPlacements(client)
    const registered = await slotsOf(client, 'select id from control.workspaces')
    const names = shards.map(({ name }) => name)
    const planned = planSlots(names, placed, { found, registered: new Set(registered) })
    const changed = [...planned].filter(([slot, shard]) => placed.get(slot) !== shard)
    await client.query(
      `insert into control.placements (slot, shard) select * from unnest($1::smallint[], $2::text[])
       on conflict (slot) do update set shard = excluded.shard, epoch = control.placements.epoch + 1`,
      [changed.map(([slot]) => slot), changed.map(([, shard]) => shard)],
    )
    await client.query('commit')
    return changed.length
  })
}

async function readPlacements(client: Client): Promise<ReadonlyMap<number, string>> {
  const { rows } = await client.query('select slot, shard from control.placements')
  return new Map(rows.map(({ slot, shard }) => [slot, shard]))
}

/** The slots of the workspaces on a shard. */
function usedSlots(client: Client): Promise<number[]> {
  return readAllWorkspaces(client, () => slotsOf(client, 'select workspace_id as id from workspaces'))
}

/** Reads ids of all workspaces. The owner of the tables sees no rows of workspaces, but the role of this transaction does. */
export async function readAllWorkspaces<T>(client: Client, body: () => Promise<T>): Promise<T> {
  await client.query('begin; set local role switchyard_due')
  const result = await body()
  await client.query('rollback')
  return result
}

async function slotsOf(client: Client, workspaces: string): Promise<number[]> {
  const { rows } = await client.query(
    `select distinct ${slotOfId('id')} as slot from (${workspaces}) as workspace`,
  )
  return rows.map(({ slot }) => slot)
}

type UsedSlots = {
  /** Slots with workspaces, and the shard that has them. */
  readonly found: ReadonlyMap<number, string>
  /** Slots of workspaces that are registered, but may not exist yet. */
  readonly registered: ReadonlySet<number>
}

/** The shard of every slot. Has no side effects. */
export function planSlots(
  shards: readonly string[],
  placed: ReadonlyMap<number, string>,
  { found, registered }: UsedSlots,
): ReadonlyMap<number, string> {
  const planned = new Map<number, string>()
  const counts = new Map(shards.map((shard) => [shard, 0]))
  const assign = (slot: number, shard: string) => {
    planned.set(slot, shard)
    counts.set(shard, (counts.get(shard) ?? 0) + 1)
  }
  const slots = Array.from({ length: slotCount }, (_, slot) => slot)
  const isUsed = (slot: number) => found.has(slot) || registered.has(slot)
  const placeOf = (slot: number) => placed.get(slot) ?? found.get(slot) ?? (shards[0] as string)
  for (const slot of slots) if (isUsed(slot)) assign(slot, placeOf(slot))

  const countOf = (shard: string | undefined) => counts.get(shard ?? '') ?? slotCount
  const leastUsed = () => shards.reduce((a, b) => (countOf(b) < countOf(a) ? b : a))
  const share = Math.floor(slotCount / shards.length)
  // A slot that can stay does, so that running this again changes nothing.
  const unused = slots.filter((slot) => !isUsed(slot))
  for (const slot of unused) if (countOf(placed.get(slot)) < share) assign(slot, placed.get(slot) as string)
  for (const slot of unused.filter((slot) => !planned.has(slot))) {
    const [before, least] = [placed.get(slot), leastUsed()]
    assign(slot, before !== undefined && countOf(least) >= countOf(before) ? before : least)
  }
  return planned
}
