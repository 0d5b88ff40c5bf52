/**
 * Validates items with metered prices. The usage of a customer on a meter is billed by only one item of one
 * subscription, so that it is billed once. The primary key of `usage_periods` enforces it.
 */
import { refuseMember } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { billsMeter, lockMeterOfCustomer } from '../store/usage-periods.ts'
import type { Item, PricedItem } from '../subscription.ts'

/** The quantity of a metered item is its usage. */
export function refuseQuantities(
  inputs: readonly { readonly quantity?: number | undefined }[],
  prices: readonly (Pick<PricedItem, 'meterId'> | null)[],
): void {
  const index = inputs.findIndex(
    ({ quantity }, position) => quantity !== undefined && prices[position]?.meterId !== undefined,
  )
  if (index !== -1)
    refuseMember(`/items/${index}/quantity`, 'not_together', 'must be omitted for a price with a meter')
}

/** Concurrent requests for the same meter and customer wait for each other. */
export async function requireFreeMeters(
  tx: Tx,
  owner: { readonly id: Id<'subscription'> | null; readonly customerId: Id<'customer'> },
  items: readonly Pick<Item, 'meterId'>[],
): Promise<void> {
  const meters = items.flatMap(({ meterId }) => meterId ?? []).toSorted()
  if (new Set(meters).size < meters.length)
    refuseMember('/items', 'not_together', 'must have at most one item for each meter')
  for (const meterId of meters) {
    await lockMeterOfCustomer(tx, owner.customerId, meterId)
    if (await billsMeter(tx, owner, meterId))
      refuseMember(
        '/items',
        'not_together',
        `must not bill ${meterId}: another subscription of the customer already bills it`,
      )
  }
}
