/**
 * The metrics of the reconciler. They are reset when a process stops being the leader, because its last
 * values would be exported forever.
 */
import { machineTime } from '../../kernel/clock.ts'
import type { Metrics } from '../metrics.ts'
import type { WorkName } from './work.ts'

export type ReconcilerMetrics = Pick<
  Metrics,
  'workDue' | 'workOldestSeconds' | 'workParked' | 'reconcilerLookedAt'
>

export function recordPass(metrics: ReconcilerMetrics, parked: number): void {
  metrics.workParked.set(parked)
  metrics.reconcilerLookedAt.set(machineTime().getTime() / 1000)
}

export function recordDueWork(
  metrics: ReconcilerMetrics,
  work: WorkName,
  due: number,
  oldestSeconds: number,
): void {
  metrics.workDue.set({ work }, due)
  metrics.workOldestSeconds.set({ work }, oldestSeconds)
}

export function resetReconcilerMetrics(metrics: ReconcilerMetrics): void {
  const { workDue, workOldestSeconds, workParked, reconcilerLookedAt } = metrics
  for (const gauge of [workDue, workOldestSeconds, workParked, reconcilerLookedAt]) gauge.reset()
}
