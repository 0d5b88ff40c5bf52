/**
 * Whether a disk is filling up. PostgreSQL does not report the size of its volume, so the size is known only if
 * the data is on this machine or the operator has configured it. The result names the source.
 */
import { type DiskFacts, diskFacts } from '../platform/db/inspect-upkeep.ts'
import type { Volume } from '../platform/disk.ts'
import { type StorageFacts, storageFacts } from '../platform/engine/inspect.ts'
import { type Check, type CheckFinding, fail, inMb, ok, warn } from './check.ts'

export type DiskUsage = {
  readonly database: DiskFacts
  /** The volume of the data, if that is on this machine. */
  readonly volume: Volume | null
  /** The size of the volume, as configured by the operator. */
  readonly volumeGb: number | null
  /** Null: there is no NATS, or it does not report its storage. */
  readonly nats: StorageFacts | null
}

const disk: Check = {
  id: 'disk',
  title: 'Disk',
  perDatabase: true,
  async run({ owner, config, machine, engine }) {
    const database = await owner.withClient(diskFacts)
    const isLocal = isOnThisMachine(config.databaseOwnerUrl) && database.dataDirectory !== null
    return assessDiskUsage({
      database,
      volume: isLocal ? await machine.volumeOf(database.dataDirectory ?? '') : null,
      volumeGb: config.databaseDiskGb,
      nats: await storageFacts(engine.connection),
    })
  },
}

/** If the server is on another machine, a local folder of the same name is not its data. */
function isOnThisMachine(url: string): boolean {
  const { hostname } = new URL(url)
  return ['', 'localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

/** The check warns if more than the first share of a volume is used, and fails above the second. */
const [warnShare, failShare] = [0.8, 0.9]

export function assessDiskUsage(usage: DiskUsage): CheckFinding {
  const known = [...databaseVolumes(usage), ...natsVolumes(usage)]
  const worst = known.toSorted((a, b) => b.share - a.share)[0]
  if (worst !== undefined && worst.share > warnShare) {
    const detail = `${worst.name} is ${Math.floor(worst.share * 100)}% full: ${worst.figures}.`
    return worst.share > failShare ? fail(detail, worst.advice) : warn(detail, worst.advice)
  }
  const { databaseBytes, walBytes } = usage.database
  const wal = walBytes === null ? 'WAL not visible to this user' : `WAL ${inMb(walBytes)}`
  const sizes = `Databases ${inMb(databaseBytes)}, ${wal}`
  if (databaseVolumes(usage).length === 0)
    return ok(`${sizes}. The size of the volume is unknown: set DATABASE_DISK_GB to have it checked.`)
  return ok(
    `${sizes}. ${known.map(({ name, share }) => `${name} ${Math.floor(share * 100)}% full`).join(', ')}.`,
  )
}

type VolumeUsage = {
  readonly name: string
  readonly share: number
  readonly figures: string
  readonly advice: string
}

const enlargeAdvice =
  'Enlarge the volume. The checks for replication slots and the WAL archive show retained WAL. Detach and archive old partitions of payments.'

function databaseVolumes({ database, volume, volumeGb }: DiskUsage): readonly VolumeUsage[] {
  if (volume !== null) {
    const { freeBytes, totalBytes } = volume
    const share = 1 - freeBytes / totalBytes
    const figures = `${inMb(freeBytes)} of ${inMb(totalBytes)} are free`
    return [{ name: 'The database volume', share, figures, advice: enlargeAdvice }]
  }
  if (volumeGb === null) return []
  const [used, total] = [database.databaseBytes + (database.walBytes ?? 0), volumeGb * 2 ** 30]
  const figures = `${inMb(used)} of the ${inMb(total)} of DATABASE_DISK_GB`
  return [{ name: 'The database volume', share: used / total, figures, advice: enlargeAdvice }]
}

function natsVolumes({ nats }: DiskUsage): readonly VolumeUsage[] {
  if (nats === null || nats.limitBytes === null) return []
  const figures = `${inMb(nats.usedBytes)} of ${inMb(nats.limitBytes)}`
  const advice = 'Raise the storage limit of the NATS account. The store holds no state and can be deleted.'
  return [{ name: 'The NATS store', share: nats.usedBytes / nats.limitBytes, figures, advice }]
}

export const diskChecks = [disk]
