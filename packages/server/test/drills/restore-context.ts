// The shared state of a restore drill: folders, step durations, and the restore of a backup to a second
// server.

import { join } from 'node:path'
import type { Postgres } from '../../../../scripts/services/postgres.ts'
import { type Archive, createArchive, type RecoveryTarget, restore } from './archived-postgres.ts'
import type { DrillInstallation } from './installation.ts'

export type RestoreDrill = {
  /** How long the load runs before the backup, between the backup and the restore point, and after that. */
  readonly seconds: { readonly before: number; readonly between: number; readonly after: number }
  readonly perSecond: number
  readonly subscriptions: number
  /** Whether to measure the data loss of other recovery targets as well. */
  readonly measureOtherTargets: boolean
  /** The PostgreSQL settings of the original and the restored server. */
  readonly settings: Readonly<Record<string, string>>
}

export type Step = { readonly step: string; readonly ms: number; readonly bytes?: number }

export type RestoreContext = {
  readonly installation: DrillInstallation
  readonly archive: Archive
  readonly dataDir: string
  readonly backup: string
  readonly steps: Step[]
  readonly drill: RestoreDrill
  /** Runs an action and records how long it took and, optionally, how many bytes it produced. */
  measure<T>(
    step: string,
    action: () => Promise<T>,
    bytesOf?: (result: T) => number | Promise<number>,
  ): Promise<T>
}

export function createRestoreContext(installation: DrillInstallation, drill: RestoreDrill): RestoreContext {
  const steps: Step[] = []
  const pathOf = (name: string) => join(installation.folder, name)
  return {
    installation,
    drill,
    steps,
    archive: createArchive(pathOf('archive')),
    dataDir: pathOf('postgres'),
    backup: pathOf('backup'),
    async measure(step, action, bytesOf) {
      const startedMs = performance.now()
      const result = await action()
      const ms = performance.now() - startedMs
      steps.push({ step, ms, ...(bytesOf === undefined ? {} : { bytes: await bytesOf(result) }) })
      return result
    },
  }
}

export const restorePoint = 'before_the_deletion'

export function restoreTo(
  context: RestoreContext,
  name: string,
  target: RecoveryTarget,
  remainingWal?: string,
): Promise<Postgres> {
  const { installation, archive, backup, drill } = context
  const dataDir = join(installation.folder, name)
  const wal = remainingWal === undefined ? {} : { remainingWal }
  return restore({ backup, archive, dataDir, target, ...wal }, drill.settings)
}
