/**
 * Which shard each workspace is on, in memory. The map is read from the control plane every second, and the last one
 * stays in use while the control plane is unavailable. It may be outdated for a moment: the fence of a shard keeps
 * transactions out of workspaces that have moved, and reports where they are (see fence.ts).
 */
import { sql } from 'kysely'
import { refuse } from '../../kernel/errors.ts'
import { type Id, slotOf, uuidOf } from '../../kernel/id.ts'
import { type Repetition, repeat } from '../repeat.ts'
import type { Db, Shard } from './databases.ts'

const refreshEveryMs = 1_000

type Places = {
  /** By slot. A slot without a name is on the first shard. */
  readonly slots: readonly (string | undefined)[]
  /** By the UUID of a workspace that is on a different shard than its slot. */
  readonly overrides: ReadonlyMap<string, string>
}

type Options = {
  readonly control: Shard
  /** At least two: an installation with one shard needs no map. */
  readonly shards: readonly Shard[]
  readonly onError: (error: Error) => void
}

export class ShardMap {
  readonly #options: Options
  readonly #shards: ReadonlyMap<string, Shard>
  readonly #refreshing: Repetition
  /** Null until the map was read for the first time. */
  #places: Places | null = null
  /** What shards reported since the map was read. */
  readonly #learned = new Map<Id<'workspace'>, string>()

  constructor(options: Options) {
    this.#options = options
    this.#shards = new Map(options.shards.map((shard) => [shard.name, shard]))
    this.#refreshing = repeat({
      everyMs: refreshEveryMs,
      run: () => this.load(),
      onError: (error) => options.onError(error as Error),
    })
  }

  of(workspaceId: Id<'workspace'>): Shard {
    const name = this.#nameOf(workspaceId)
    return (
      this.#shards.get(name) ??
      refuse('unavailable', { detail: `This process has no settings for the shard ${name}.` })
    )
  }

  learn(workspaceId: Id<'workspace'>, shard: string): void {
    if (this.#shards.has(shard)) this.#learned.set(workspaceId, shard)
  }

  isLoaded(): boolean {
    return this.#places !== null
  }

  async load(): Promise<void> {
    const learnedBefore = new Map(this.#learned)
    this.#places = await this.#options.control.as('switchyard_control', readPlaces)
    for (const [id, shard] of learnedBefore) if (this.#learned.get(id) === shard) this.#learned.delete(id)
  }

  stop(): Promise<void> {
    return this.#refreshing.stop()
  }

  #nameOf(workspaceId: Id<'workspace'>): string {
    const learned = this.#learned.get(workspaceId)
    if (learned !== undefined) return learned
    if (this.#places === null)
      return refuse('unavailable', {
        detail: 'The map of the shards has not been read yet.',
        retryAfterSeconds: 1,
      })
    const { slots, overrides } = this.#places
    const override = overrides.size === 0 ? undefined : overrides.get(uuidOf(workspaceId))
    return override ?? slots[slotOf(workspaceId)] ?? (this.#options.shards[0] as Shard).name
  }
}

async function readPlaces(db: Db): Promise<Places> {
  const [placements, overrides] = await Promise.all([
    sql<{ shard: string; slots: number[] }>`
      select shard, array_agg(slot) as slots from control.placements group by shard`.execute(db),
    db.selectFrom('control.overrides').select(['workspace_id', 'shard']).execute(),
  ])
  const slots: (string | undefined)[] = []
  for (const row of placements.rows) for (const slot of row.slots) slots[slot] = row.shard
  return { slots, overrides: new Map(overrides.map((row) => [row.workspace_id, row.shard])) }
}
