/**
 * Reads due deliveries for many lanes of one shard in one statement. A lane that is marked during a read is part of the
 * next read.
 */
import type { Deps } from '../../../../deps.ts'
import type { Db, Shard } from '../../../../platform/db/databases.ts'
import { type ClaimedLane, type Refill, refillLanes } from '../store/lanes.ts'
import type { Lane } from './lane.ts'
import { decryptSecrets, type Secret } from './secrets.ts'

/** Lanes that are marked within this time share a statement. */
const collectMs = 2
/** The retry interval while the database is unavailable. */
const retryMs = 20
/** A statement with more lanes would take longer and delay all of them. */
const maxLanes = 200
/** The number of endpoints whose secrets are cached. */
const maxCachedEndpoints = 20_000
/** The pause of a lane without a signing secret. Nothing is sent that a receiver could not verify. */
const unsignedPauseSeconds = 60

type Options = {
  readonly deps: Pick<Deps, 'clock' | 'sealedBox'>
  readonly shard: Shard
  readonly owner: string
  /** Called with the result for each lane; null: the read failed and is repeated soon. */
  readonly onRefilled: (lane: Lane, refill: Refill | null) => void
  readonly onError: (error: unknown) => void
  /** The secrets of a lane cannot be decrypted. */
  readonly onUndecryptable: (lane: Lane, error: unknown) => void
}

/** The decrypted secrets of one version of an endpoint. */
type CachedSecrets = { readonly version: number; readonly secrets: readonly Secret[] }

export class Refills {
  readonly #options: Options
  readonly #marked = new Set<Lane>()
  readonly #secretCache = new Map<string, CachedSecrets>()
  #running = false
  #stopped = false
  #timer: NodeJS.Timeout | null = null
  /** The number of refills that were started. */
  count = 0

  constructor(options: Options) {
    this.#options = options
  }

  mark(lane: Lane): void {
    if (this.#stopped) return
    this.#marked.add(lane)
    if (!this.#running) this.#timer ??= setTimeout(() => this.#run(), collectMs)
  }

  /** Starts no further reads. The result of a running read is still reported. */
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
    if (this.#marked.size > 0) this.#timer ??= setTimeout(() => this.#run(), failed ? retryMs : 0)
  }

  async #read(lanes: readonly Lane[]): Promise<void> {
    const { deps, shard, owner, onRefilled } = this.#options
    this.count += 1
    const number = this.count
    const limits = lanes.map((lane) => lane.refillLimit)
    // The statement returns no secrets for a cached version, so hold on to the cached ones even if they are
    // evicted in the meantime.
    const cached = lanes.map((lane) => this.#secretCache.get(lane.endpointUuid))
    for (const lane of lanes) Object.assign(lane, { refilling: true, dirty: false })
    const refills = await shard.withDeliveryConnection(async (db) => {
      const requests = lanes.map((lane, index) => ({
        workspaceUuid: lane.workspaceUuid,
        endpointUuid: lane.endpointUuid,
        limit: limits[index] as number,
        knownVersion: cached[index]?.version ?? 0,
      }))
      const found = await refillLanes(db, owner, deps.clock.read(), requests)
      for (const [index, refill] of found.entries()) {
        if (refill.kind === 'claimed')
          await this.#findSecrets(db, lanes[index] as Lane, refill, cached[index])
      }
      return found
    })
    for (const [index, refill] of refills.entries()) {
      const lane = lanes[index] as Lane
      lane.refilling = false
      if (refill.kind === 'claimed') lane.acceptRefill(refill, limits[index] as number, number)
      if (refill.kind === 'claimed' && lane.secrets.length === 0) lane.pause(unsignedPauseSeconds)
      onRefilled(lane, refill)
    }
  }

  /** A lane whose secrets cannot be decrypted must not delay the other lanes of the statement. */
  async #findSecrets(
    db: Db,
    lane: Lane,
    refill: ClaimedLane,
    cached: CachedSecrets | undefined,
  ): Promise<void> {
    try {
      lane.secrets =
        refill.secrets === null && cached !== undefined
          ? cached.secrets
          : await this.#decryptSecrets(db, lane, refill)
    } catch (error) {
      lane.secrets = []
      this.#options.onUndecryptable(lane, error)
    }
  }

  /** Decrypts once for each version of an endpoint: rotating a secret creates a new version. */
  async #decryptSecrets(db: Db, lane: Lane, { secrets, settings }: ClaimedLane): Promise<readonly Secret[]> {
    const decrypted = await decryptSecrets(this.#options.deps, db, lane.ref.workspaceId, secrets ?? [])
    this.#secretCache.delete(lane.endpointUuid)
    if (decrypted.length > 0)
      this.#secretCache.set(lane.endpointUuid, { version: settings.version, secrets: decrypted })
    const [oldest] = this.#secretCache.keys()
    if (this.#secretCache.size > maxCachedEndpoints && oldest !== undefined) this.#secretCache.delete(oldest)
    return decrypted
  }
}
