// What all steps of a restore share: where things lie, how long each step took, and the way from the backup to a
// second server.

import { join } from 'node:path'
import type { Postgres } from '../../../../scripts/services/postgres.ts'
import { type Archive, makeArchive, restore, type Target } from './archived-postgres.ts'
import type { House } from './house.ts'

export type RestoreDrill = {
  /** How long callers are at it before the backup, between it and the instant, and after that. */
  readonly seconds: { readonly before: number; readonly between: number; readonly after: number }
  readonly perSecond: number
  readonly subscriptions: number
  /** Whether the other ways to restore are tried as well. */
  readonly otherWays: boolean
  /** Of both servers. */
  readonly settings: Readonly<Record<string, string>>
}

export type Step = { readonly step: string; readonly ms: number; readonly bytes?: number }

export type Stage = {
  readonly house: House
  readonly archive: Archive
  readonly dataDir: string
  readonly backup: string
  readonly steps: Step[]
  readonly drill: RestoreDrill
  time<T>(step: string, act: () => Promise<T>, bytesOf?: (done: T) => number | Promise<number>): Promise<T>
}

export function setStage(house: House, drill: RestoreDrill): Stage {
  const steps: Step[] = []
  const at = (name: string) => join(house.folder, name)
  return {
    ...{ house, drill, steps, archive: makeArchive(at('archive')) },
    ...{ dataDir: at('postgres'), backup: at('backup') },
    async time(step, act, bytesOf) {
      const startedMs = performance.now()
      const done = await act()
      const ms = performance.now() - startedMs
      steps.push({ step, ms, ...(bytesOf === undefined ? {} : { bytes: await bytesOf(done) }) })
      return done
    },
  }
}

export const restorePoint = 'before_the_mistake'

export function restoreTo(stage: Stage, name: string, target: Target, walLeft?: string): Promise<Postgres> {
  const { house, archive, backup, drill } = stage
  const dataDir = join(house.folder, name)
  const left = walLeft === undefined ? {} : { walLeft }
  return restore({ backup, archive, dataDir, target, ...left }, drill.settings)
}
