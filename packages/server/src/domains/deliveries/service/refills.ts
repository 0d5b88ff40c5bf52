/** Reads what is due for many lanes at once. A lane that is marked while a read runs is part of the next one. */
import type { Deps } from '../../../deps.ts'
import type { Db } from '../../../platform/db/databases.ts'
import { type ClaimedLane, type Refill, refill } from '../store/lanes.ts'
import type { Lane } from './lane.ts'
import { openSecrets, type Secret } from './secrets.ts'

/** Lanes that are rung within this time share a statement. */
const collectMs = 2
/** While the database is away. */
const againMs = 20
/** More in one statement would make the first wait for the last. */
const maxLanes = 200
/** Endpoints whose secrets are remembered. */
const maxKnown = 20_000
/** A lane without a secret to sign with. Nothing is sent that a receiver could not verify. */
const unsignedRestSeconds = 60

type Options = {
  readonly deps: Pick<Deps, 'databases' | 'clock' | 'sealedBox'>
  readonly owner: string
  /** What was found, for each lane; null: it could not be read, and is read again soon. */
  readonly onRefilled: (lane: Lane, found: Refill | null) => void
  readonly onError: (error: unknown) => void
  /** The secrets of one lane do not open. */
  readonly onUnsigned: (lane: Lane, error: unknown) => void
}

/** In which version of an endpoint its secrets were opened. */
type Known = { readonly version: number; readonly secrets: readonly Secret[] }

export class Refills {
  readonly #options: Options
  readonly #marked = new Set<Lane>()
  readonly #known = new Map<string, Known>()
  #running = false
  #stopped = false
  #timer: NodeJS.Timeout | null = null
  /** How many have begun. */
  count = 0

  constructor(options: Options) {
    this.#options = options
  }

  mark(lane: Lane): void {
    if (this.#stopped) return
    this.#marked.add(lane)
    if (!this.#running) this.#timer ??= setTimeout(() => this.#run(), collectMs)
  }

  /** What is being read is still told of. */
  stop(): void {
    this.#stopped = true
    this.#marked.clear()
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
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
        for (const lane of lanes) this.mark(lane)
        for (const lane of lanes) this.#options.onRefilled(lane, null)
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
    // What is told as known must be at hand when the answer comes, whatever is forgotten meanwhile.
    const known = lanes.map((lane) => this.#known.get(lane.endpointUuid))
    for (const lane of lanes) Object.assign(lane, { refilling: true, dirty: false })
    const [shard] = deps.databases.shards
    const found = await shard?.delivering(async (db) => {
      const wanted = lanes.map((lane, place) => ({
        workspaceUuid: lane.workspaceUuid,
        endpointUuid: lane.endpointUuid,
        room: asked[place] as number,
        knownVersion: known[place]?.version ?? 0,
      }))
      const refills = await refill(db, owner, deps.clock.read(), wanted)
      for (const [place, one] of refills.entries()) {
        if (one.is === 'claimed') await this.#findSecrets(db, lanes[place] as Lane, one, known[place])
      }
      return refills
    })
    for (const [place, one] of (found ?? []).entries()) {
      const lane = lanes[place] as Lane
      lane.refilling = false
      if (one.is === 'claimed') lane.accept(one, asked[place] as number, number)
      if (one.is === 'claimed' && lane.secrets.length === 0) lane.rest(unsignedRestSeconds)
      onRefilled(lane, one)
    }
  }

  /** One lane that cannot be signed for must not keep the others of the statement waiting. */
  async #findSecrets(db: Db, lane: Lane, found: ClaimedLane, known: Known | undefined): Promise<void> {
    try {
      lane.secrets =
        found.secrets === null && known !== undefined
          ? known.secrets
          : await this.#openSecrets(db, lane, found)
    } catch (error) {
      lane.secrets = []
      this.#options.onUnsigned(lane, error)
    }
  }

  /** Opened once for each version of an endpoint: rotating a secret makes a new one. */
  async #openSecrets(db: Db, lane: Lane, { secrets, settings }: ClaimedLane): Promise<readonly Secret[]> {
    const opened = await openSecrets(this.#options.deps, db, lane.ref.workspaceId, secrets ?? [])
    this.#known.delete(lane.endpointUuid)
    if (opened.length > 0) this.#known.set(lane.endpointUuid, { version: settings.version, secrets: opened })
    const [oldest] = this.#known.keys()
    if (this.#known.size > maxKnown && oldest !== undefined) this.#known.delete(oldest)
    return opened
  }
}
