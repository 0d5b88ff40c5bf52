/** The amount that a payer pays, before discounts: fixed, the sum of the items, or chosen by the payer. */
import { faultsOfAmount, totalOf } from '../../../../kernel/cart.ts'
import { type Fault, refuseMembers } from '../../../../kernel/errors.ts'
import type { NewSession } from '../session.ts'

/** Refuses an amount that the payer cannot choose. */
export function requireAmount(session: NewSession, amount: number | undefined): bigint {
  const faults = faultsOfChosenAmount(session, amount)
  if (faults.length > 0) refuseMembers(faults)
  return amountOf(session, amount)
}

export function faultsOfChosenAmount(session: NewSession, amount: number | undefined): Fault[] {
  if (session.mode !== 'payment') return amount === undefined ? [] : faultsOfAmount(session, amount)
  if (amount !== undefined && BigInt(amount) !== fixedAmount(session)) return faultsOfAmount(session, amount)
  const isChosen = session.openAmount === null || session.amount !== null || amount !== undefined
  return isChosen ? [] : [{ pointer: '/amount', code: 'required', detail: 'is required' }]
}

export function amountOf(session: NewSession, amount: number | undefined): bigint {
  if (session.mode !== 'payment') return 0n
  if (session.openAmount !== null && amount !== undefined) return BigInt(amount)
  return fixedAmount(session) as bigint
}

function fixedAmount({ amount, lineItems }: NewSession): bigint | null {
  return lineItems === null ? amount : BigInt(totalOf(lineItems))
}
