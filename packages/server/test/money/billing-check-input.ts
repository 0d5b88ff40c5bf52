// The input of the billing checks, and calculations they share.

import { idFromUuid, type Kind } from '../../src/kernel/id.ts'
import type { BillingRecords } from './billing-records.ts'
import type { BillingRun } from './billing-run.ts'
import { chargeTotals } from './check-payments.ts'
import { type PaymentRow, type Records, wireIdOf } from './records.ts'
import type { LedgerEntry } from './scenario-run.ts'

export type Access = { readonly granted: boolean; readonly reason: string }

export type CheckInput = {
  readonly records: Records
  readonly billing: BillingRecords
  readonly run: BillingRun
  readonly ledger: Ledger
  /** The access of each subscription, by uuid. */
  readonly access: ReadonlyMap<string, Access>
}
/**
 * The amounts of a payment in the ledgers of the providers. `authorized` is the amount that was neither
 * captured nor voided; `reversed` is the amount that the payer's bank has returned.
 */
export type Ledger = (row: PaymentRow) => {
  readonly captured: number
  readonly refunded: number
  readonly reversed: number
  readonly authorized: number
}

export function createLedger(ledgerEntries: readonly LedgerEntry[]): Ledger {
  const totalsByPayment = Map.groupBy(chargeTotals(ledgerEntries), ({ payment }) => payment)
  return ({ id }) => {
    const charges = totalsByPayment.get(wireIdOf(id)) ?? []
    return {
      captured: sum(charges, ({ captured }) => captured),
      refunded: sum(charges, ({ refunded }) => refunded),
      reversed: sum(charges, ({ reversed }) => reversed),
      authorized: sum(charges, ({ authorized }) => authorized),
    }
  }
}

export function sum<T>(items: Iterable<T>, amount: (item: T) => number): number {
  let total = 0
  for (const item of items) total += amount(item)
  return total
}

export const wireId = (kind: Kind, { id }: { readonly id: string }) => idFromUuid(kind, 'test', id)

/** Refunds that no API request created, such as those of a cancelled payment. */
export function automaticallyRefunded({ records }: CheckInput, payment: PaymentRow): number {
  const refunds = records.refunds.filter(({ payment_id }) => payment_id === payment.id)
  return sum(
    refunds.filter(({ source, status }) => source === 'automatic' && status === 'succeeded'),
    ({ amount }) => amount,
  )
}
