/** For subscriptions: the usage of a period, exact to the second. */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import type { Id } from '../../../../kernel/id.ts'
import { read, type View } from '../../../../platform/db/unit-of-work.ts'
import { readProgress } from '../store/buckets.ts'
import { findMeter } from '../store/meters.ts'
import { readPeriodUsage, type UsageSpan } from '../store/period-usage.ts'
import { aggregateEvents } from './aggregate.ts'

/** Adds up all events that were recorded before the call. */
export async function countRecordedEvents(deps: Deps, workspaceId: Id<'workspace'>): Promise<void> {
  const ref = { workspaceId, id: workspaceId }
  const progress = () => read(deps, systemCaller(ref), readProgress)
  const { recorded } = await progress()
  while ((await progress()).counted < recorded) await aggregateEvents(deps, ref)
}

/** The usage to bill in whole units, and the number of the last event that is included. */
export type BillableUsage = { readonly quantity: number; readonly seq: bigint }

/** The maximum quantity that is billed, so that amounts stay exact. */
const maxQuantity = 1_000_000_000_000_000

export async function usageOfPeriod(
  view: View,
  meterId: Id<'meter'>,
  span: UsageSpan,
): Promise<BillableUsage> {
  const { value, seq } = await readPeriodUsage(view, await findMeter(view, meterId), span)
  return { quantity: toWholeUnits(value), seq }
}

/** Rounds half up. Usage below zero is not billed. */
function toWholeUnits(value: string): number {
  const [whole = '0', fraction = ''] = value.split('.')
  if (whole.startsWith('-')) return 0
  const units = BigInt(whole) + (fraction >= '5' ? 1n : 0n)
  return units > maxQuantity ? maxQuantity : Number(units)
}
