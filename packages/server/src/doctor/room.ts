/**
 * Whether a disk fills. PostgreSQL cannot say how much room its volume has: it is known if the data lies on this
 * machine, or if the operator has said how large the volume is. The check says which of these it knew.
 */
import { type RoomFacts, roomFacts } from '../platform/db/inspect-upkeep.ts'
import type { Volume } from '../platform/disk.ts'
import { type StorageFacts, storageFacts } from '../platform/engine/inspect.ts'
import { type Check, fail, inMb, ok, type Verdict, warn } from './check.ts'

export type Room = {
  readonly database: RoomFacts
  /** The volume of the data, if that is on this machine. */
  readonly volume: Volume | null
  /** What the operator says the volume holds. */
  readonly volumeGb: number | null
  /** Null: there is no NATS, or it does not say. */
  readonly nats: StorageFacts | null
}

const disk: Check = {
  id: 'disk',
  title: 'Disk',
  async look({ owner, config, machine, engine }) {
    const database = await owner.ask(roomFacts)
    const isHere = isOnThisMachine(config.databaseOwnerUrl) && database.dataDirectory !== null
    return judgeRoom({
      database,
      volume: isHere ? await machine.volumeOf(database.dataDirectory ?? '') : null,
      volumeGb: config.databaseDiskGb,
      nats: await storageFacts(engine.connection),
    })
  },
}

/** A folder of that name here would be another one, if the server is elsewhere. */
function isOnThisMachine(url: string): boolean {
  const { hostname } = new URL(url)
  return ['', 'localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

/** From the share that is taken, what is wrong; null if there is room. */
const [noticedShare, toleratedShare] = [0.8, 0.9]

export function judgeRoom(room: Room): Verdict {
  const known = [...databaseRoom(room), ...natsRoom(room)]
  const worst = known.toSorted((a, b) => b.share - a.share)[0]
  if (worst !== undefined && worst.share > noticedShare) {
    const detail = `${worst.what} is ${Math.floor(worst.share * 100)} % full: ${worst.figures}.`
    return worst.share > toleratedShare ? fail(detail, worst.advice) : warn(detail, worst.advice)
  }
  const { databaseBytes, walBytes } = room.database
  const wal = walBytes === null ? 'WAL not visible to this user' : `WAL ${inMb(walBytes)}`
  const sizes = `Databases ${inMb(databaseBytes)}, ${wal}`
  if (databaseRoom(room).length === 0)
    return ok(`${sizes}. How much room there is, is not known: set DATABASE_DISK_GB to have it watched.`)
  return ok(
    `${sizes}. ${known.map(({ what, share }) => `${what} ${Math.floor(share * 100)} % full`).join(', ')}.`,
  )
}

type Filled = {
  readonly what: string
  readonly share: number
  readonly figures: string
  readonly advice: string
}

const moreRoom =
  'Make the volume larger. See the checks of replication slots and the archive for WAL that is kept, and detach and archive old partitions of payments.'

function databaseRoom({ database, volume, volumeGb }: Room): readonly Filled[] {
  if (volume !== null) {
    const { freeBytes, totalBytes } = volume
    const share = 1 - freeBytes / totalBytes
    const figures = `${inMb(freeBytes)} of ${inMb(totalBytes)} are free`
    return [{ what: 'The volume of the database', share, figures, advice: moreRoom }]
  }
  if (volumeGb === null) return []
  const [used, total] = [database.databaseBytes + (database.walBytes ?? 0), volumeGb * 2 ** 30]
  const figures = `${inMb(used)} of the ${inMb(total)} of DATABASE_DISK_GB`
  return [{ what: 'The volume of the database', share: used / total, figures, advice: moreRoom }]
}

function natsRoom({ nats }: Room): readonly Filled[] {
  if (nats === null || nats.limitBytes === null) return []
  const figures = `${inMb(nats.usedBytes)} of ${inMb(nats.limitBytes)}`
  const advice = 'Raise the storage limit of the account in NATS. Its store holds no state and may be wiped.'
  return [{ what: 'The store of NATS', share: nats.usedBytes / nats.limitBytes, figures, advice }]
}

export const roomChecks = [disk]
