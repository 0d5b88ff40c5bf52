/** Reads what is due for many lanes at once. A lane that is marked while a read runs is part of the next one. */
import type { Deps } from '../../../deps.ts'
import type { Db } from '../../../platform/db/databases.ts'
import { type ClaimedLane, type Refill, refill } from '../store/lanes.ts'
import type { Lane } from './lane.ts'
import { openSecrets, type Secret } from './secrets.ts'

/** Lanes that are rung within this time share a statement. */
const collectMs = 2
/** Of a lane that somebody is changing, or while the database is away. */
const againMs = 20
/** More in one statement would make the first wait for the last. */
const maxLanes = 200

type Options = {
  readonly deps: Pick<Deps, 'databases' | 'clock' | 'sealedBox'>
  readonly owner: string
  /** What was found, for each lane. */
  readonly onRefilled: (lane: Lane, found: Refill) => void
  readonly onError: (error: unknown) => void
}

export class Refills {
  readonly #options: Options
  readonly #marked = new Set<Lane>()
  readonly #knownSecrets = new Map<
    string,
    { readonly version: number; readonly secrets: readonly Secret[] }
  >()
  #running = false
  #timer: NodeJS.Timeout | null = null
  /** How many have begun. */
  count = 0

  constructor(options: Options) {
    this.#options = options
  }

  mark(lane: Lane, afterMs = collectMs): void {
    this.#marked.add(lane)
    if (!this.#running) this.#timer ??= setTimeout(() => this.#run(), afterMs)
  }

  async #run(): Promise<void> {
    this.#timer = null
    this.#running = true
    const lanes = [...this.#marked].slice(0, maxLanes)
    for (const lane of lanes) this.#marked.delete(lane)
    const failed = await this.#read(lanes).then(
      () => false,
      (error) => {
        this.#options.onError(error)
        for (const lane of lanes) Object.assign(lane, { refilling: false, dirty: true })
        for (const lane of lanes) this.#marked.add(lane)
        return true
      },
    )
    this.#running = false
    if (this.#marked.size > 0) this.#timer ??= setTimeout(() => this.#run(), failed ? againMs : 0)
  }

  async #read(lanes: readonly Lane[]): Promise<void> {
    const { deps, owner, onRefilled } = this.#options
    this.count += 1
    const number = this.count
    const asked = lanes.map((lane) => lane.room)
    for (const lane of lanes) Object.assign(lane, { refilling: true, dirty: false })
    const [shard] = deps.databases.shards
    const found = await shard?.delivering(async (db) => {
      const wanted = lanes.map((lane, place) => ({
        workspaceUuid: lane.workspaceUuid,
        endpointUuid: lane.endpointUuid,
        room: asked[place] as number,
        knownVersion: this.#knownSecrets.get(lane.endpointUuid)?.version ?? 0,
      }))
      const refills = await refill(db, owner, deps.clock.read(), wanted)
      for (const [place, one] of refills.entries()) {
        if (one.is === 'claimed') await this.#openSecrets(db, lanes[place] as Lane, one)
      }
      return refills
    })
    for (const [place, one] of (found ?? []).entries()) {
      const lane = lanes[place] as Lane
      lane.refilling = false
      if (one.is === 'claimed') lane.accept(one, asked[place] as number, number)
      onRefilled(lane, one)
    }
  }

  /** Opened once for each version of an endpoint: rotating a secret makes a new one. */
  async #openSecrets(db: Db, lane: Lane, { secrets, settings }: ClaimedLane): Promise<void> {
    const known = this.#knownSecrets.get(lane.endpointUuid)
    if (secrets === null && known !== undefined) {
      lane.secrets = known.secrets
      return
    }
    const opened = await openSecrets(this.#options.deps, db, lane.ref.workspaceId, secrets ?? [])
    lane.secrets = opened
    this.#knownSecrets.delete(lane.endpointUuid)
    this.#knownSecrets.set(lane.endpointUuid, { version: settings.version, secrets: opened })
    const [oldest] = this.#knownSecrets.keys()
    if (this.#knownSecrets.size > maxKnown && oldest !== undefined) this.#knownSecrets.delete(oldest)
  }
}

/** Endpoints whose secrets are remembered. */
const maxKnown = 20_000
