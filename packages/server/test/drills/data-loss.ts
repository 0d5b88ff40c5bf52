// The restore drill recovers to a point in time. This file measures how many acknowledged objects would be
// lost with other recovery targets.

import { join } from 'node:path'
import { asOwner } from '../../src/platform/db/owner.ts'
import type { RecoveryTarget } from './archived-postgres.ts'
import { findLostObjects } from './database-checks.ts'
import type { Acknowledged } from './load-generator.ts'
import { type RestoreContext, restorePoint, restoreTo } from './restore-context.ts'

/**
 * The loss with one recovery target: the number of lost objects, and the period in which they were
 * acknowledged.
 */
export type DataLoss = {
  readonly label: string
  readonly ms: number
  readonly lost: number
  readonly lostMs: number
}

/**
 * Measures three recovery targets: a named restore point, the whole archive, and the archive with the WAL of
 * the lost server.
 */
export async function measureDataLosses(
  context: RestoreContext,
  acknowledged: readonly Acknowledged[],
): Promise<DataLoss[]> {
  const wal = join(context.dataDir, 'pg_wal')
  const byName: RecoveryTarget = { kind: 'restore point', name: restorePoint }
  return [
    await measureDataLoss(context, 'to the restore point', byName, acknowledged),
    await measureDataLoss(context, 'the whole archive', { kind: 'latest' }, acknowledged),
    await measureDataLoss(context, 'the archive and remaining WAL', { kind: 'latest' }, acknowledged, wal),
  ]
}

async function measureDataLoss(
  context: RestoreContext,
  label: string,
  target: RecoveryTarget,
  acknowledged: readonly Acknowledged[],
  remainingWal?: string,
): Promise<DataLoss> {
  const startedMs = performance.now()
  const postgres = await restoreTo(context, label.replaceAll(' ', '-'), target, remainingWal)
  const ms = performance.now() - startedMs
  try {
    // These targets replay the accidental deletion of refunds, so refunds are not counted as lost.
    const others = acknowledged.filter(({ kind }) => kind !== 'refund')
    const lostObjects = await asOwner(postgres.url, (client) => findLostObjects(client, others))
    const [first, last] = [lostObjects[0]?.object.acknowledgedAt, others.at(-1)?.acknowledgedAt]
    const lostMs = first === undefined || last === undefined ? 0 : last.getTime() - first.getTime()
    return { label, ms, lost: lostObjects.length, lostMs }
  } finally {
    await postgres.stop('immediate')
  }
}
