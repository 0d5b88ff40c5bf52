/**
 * Determines which amounts a change of a dispute moves. While a dispute is open, the provider may withdraw
 * the amount and return it. A won or closed dispute returns the amount that is held. A lost dispute is a
 * loss, even if the amount was never held. No side effects.
 */
import type { Currency } from '../../../kernel/currency.ts'
import type { Money } from '../../../kernel/money.ts'
import type { Dispute } from './dispute.ts'
import { isEnded } from './machine.ts'

export type Movement = {
  readonly act:
    | 'dispute_withdrawn'
    | 'dispute_returned'
    | 'dispute_lost'
    | 'dispute_fee_charged'
    | 'dispute_fee_returned'
  readonly amount: bigint
  readonly currency: Currency
}

/** What a dispute has moved so far. A new dispute has moved nothing. */
export type Moved = Pick<Dispute, 'status' | 'amountHeld' | 'fee'>

export function movementsOf(before: Moved, after: Pick<Dispute, 'amount' | 'currency'> & Moved): Movement[] {
  return [...heldMovements(before, after), ...feeMovements(before.fee, after.fee)].filter(
    ({ amount }) => amount > 0n,
  )
}

function heldMovements(
  before: Moved,
  { status, amount, currency, amountHeld }: Pick<Dispute, 'amount' | 'currency'> & Moved,
): Movement[] {
  if (before.status === 'lost') return []
  const isLost = status === 'lost'
  const change = (isLost ? amount : amountHeld) - before.amountHeld
  const moved: Movement =
    change > 0n
      ? { act: 'dispute_withdrawn', amount: change, currency }
      : { act: 'dispute_returned', amount: -change, currency }
  return isLost ? [moved, { act: 'dispute_lost', amount, currency }] : [moved]
}

/** A changed fee is returned and charged again, because its currency may have changed too. */
function feeMovements(before: Money | null, after: Money | null): Movement[] {
  const isSame = before?.amount === after?.amount && before?.currency === after?.currency
  if (after === null || isSame) return []
  return [
    ...(before === null ? [] : [{ act: 'dispute_fee_returned' as const, ...before }]),
    { act: 'dispute_fee_charged' as const, ...after },
  ]
}

/** The amount that the provider holds in the new status. */
export function heldAmount({
  status,
  amount,
  isWithdrawn,
}: Pick<Dispute, 'status' | 'amount'> & { readonly isWithdrawn: boolean }): bigint {
  return isWithdrawn && !isEnded(status) ? amount : 0n
}
