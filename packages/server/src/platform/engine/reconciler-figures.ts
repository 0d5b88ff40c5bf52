/** What the reconciler tells of its looks. Figures of one who no longer looks would stay as they were for ever. */
import { machineTime } from '../../kernel/clock.ts'
import type { Metrics } from '../metrics.ts'
import type { WorkName } from './work.ts'

export type LookFigures = Pick<Metrics, 'workDue' | 'workOldestSeconds' | 'workParked' | 'reconcilerLookedAt'>

export function tellOfLook(metrics: LookFigures, parked: number): void {
  metrics.workParked.set(parked)
  metrics.reconcilerLookedAt.set(machineTime().getTime() / 1000)
}

export function tellOfDue(metrics: LookFigures, work: WorkName, due: number, oldestSeconds: number): void {
  metrics.workDue.set({ work }, due)
  metrics.workOldestSeconds.set({ work }, oldestSeconds)
}

export function forgetLooks(metrics: LookFigures): void {
  const { workDue, workOldestSeconds, workParked, reconcilerLookedAt } = metrics
  for (const gauge of [workDue, workOldestSeconds, workParked, reconcilerLookedAt]) gauge.reset()
}
