/**
 * Amounts in the format of Checkout.com. Chilean pesos have two decimals there, and none in the ledger, as in ISO 4217.
 * No side effects.
 */
import type { OperationRecord } from '../../protocol.ts'

const unitsPerLedgerUnit: { readonly [currency: string]: number } = { clp: 100 }

const unitsOf = (currency: string | null) => unitsPerLedgerUnit[currency ?? ''] ?? 1

/** Null if the ledger cannot represent the amount. */
export function toLedger(amount: number, currency: string | null): number | null {
  const converted = amount / unitsOf(currency)
  return Number.isInteger(converted) ? converted : null
}

export function fromLedger(amount: number, currency: string | null): number {
  return amount * unitsOf(currency)
}

export function amountOf({ amount, currency }: OperationRecord): number | null {
  return amount === null ? null : fromLedger(amount, currency)
}
