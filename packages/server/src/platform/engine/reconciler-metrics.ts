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

export function recordPass(metrics: ReconcilerMetrics, shard: string, parked: number): void {
  metrics.workParked.set({ shard }, parked)
  metrics.reconcilerLookedAt.set({ shard }, machineTime().getTime() / 1000)
}

export function recordDueWork(
  metrics: ReconcilerMetrics,
  labels: { readonly shard: string; readonly work: WorkName },
  due: number,
  oldestSeconds: number,
): void {
  metrics.workDue.set(labels, due)
  metrics.workOldestSeconds.set(labels, oldestSeconds)
}

export function resetReconcilerMetrics(
  metrics: ReconcilerMetrics,
  shard: string,
  works: readonly WorkName[],
): void {
  const { workDue, workOldestSeconds, workParked, reconcilerLookedAt } = metrics
  for (const work of works) for (const gauge of [workDue, workOldestSeconds]) gauge.remove({ shard, work })
  for (const gauge of [workParked, reconcilerLookedAt]) gauge.set({ shard }, 0)
}
