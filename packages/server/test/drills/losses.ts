// What would have been lost by other ways to restore, by what callers wrote down.

import { join } from 'node:path'
import { asOwner } from '../../src/platform/db/owner.ts'
import type { Target } from './archived-postgres.ts'
import { forgotten } from './books.ts'
import type { Acknowledged } from './crowd.ts'
import { restorePoint, restoreTo, type Stage } from './restore-stage.ts'

/** What was restored in one way: how much of what callers were told is gone, and how old the oldest of it was. */
export type Loss = {
  readonly how: string
  readonly ms: number
  readonly lost: number
  readonly lostMs: number
}

/** What another choice would have brought back: by name, all of the archive, and the lost server's own log as well. */
export async function measureLosses(stage: Stage, acknowledged: readonly Acknowledged[]): Promise<Loss[]> {
  const wal = join(stage.dataDir, 'pg_wal')
  const byName: Target = { is: 'restore point', name: restorePoint }
  return [
    await measureLoss(stage, 'to the restore point', byName, acknowledged),
    await measureLoss(stage, 'all of the archive', { is: 'latest' }, acknowledged),
    await measureLoss(stage, 'and the log of the lost server', { is: 'latest' }, acknowledged, wal),
  ]
}

async function measureLoss(
  stage: Stage,
  how: string,
  target: Target,
  acknowledged: readonly Acknowledged[],
  walLeft?: string,
): Promise<Loss> {
  const startedMs = performance.now()
  const postgres = await restoreTo(stage, how.replaceAll(' ', '-'), target, walLeft)
  const ms = performance.now() - startedMs
  try {
    // The mistake took the refunds, and is part of the log.
    const others = acknowledged.filter(({ kind }) => kind !== 'refund')
    const gone = await asOwner(postgres.url, (client) => forgotten(client, others))
    const [first, last] = [gone[0]?.told.at, others.at(-1)?.at]
    const lostMs = first === undefined || last === undefined ? 0 : last.getTime() - first.getTime()
    return { how, ms, lost: gone.length, lostMs }
  } finally {
    await postgres.stop('immediate')
  }
}
