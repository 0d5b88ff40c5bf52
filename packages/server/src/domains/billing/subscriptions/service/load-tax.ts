/** Adds the tax rates that a command needs to a snapshot. */
import type { View } from '../../../../platform/db/unit-of-work.ts'
import { loadTaxRates } from '../../tax-rules/service/load-rates.ts'
import type { Command } from '../plan/commands.ts'
import type { Item, Subscription } from '../subscription.ts'
import type { LoadedSnapshot } from './load-snapshot.ts'

/** The items that a subscription bills now and after its scheduled change. */
export function itemsOf({ items, scheduledChange }: Subscription): readonly Item[] {
  return scheduledChange?.action === 'update' ? [...items, ...scheduledChange.payload.items] : items
}

/** The snapshot with the rates of the items that a command adds. */
export async function withTaxOfCommand(
  view: View,
  snapshot: LoadedSnapshot,
  command: Command,
): Promise<LoadedSnapshot> {
  const { subscription, money, taxMode } = snapshot
  if (taxMode === 'none' || command.kind !== 'update' || command.options.items === null) return snapshot
  const items = [...itemsOf(subscription), ...command.options.items.items]
  const [loaded] = await loadTaxRates(view, [{ customerId: subscription.customerId, items }])
  return { ...snapshot, money: { ...money, tax: { ...money.tax, ...loaded } } }
}
