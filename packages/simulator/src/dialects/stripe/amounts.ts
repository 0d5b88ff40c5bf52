/**
 * Converts amounts between Stripe and the ledger, and validates Stripe amounts. The ledger uses ISO 4217 minor units.
 * For a few currencies, Stripe uses a different number of decimal places.
 */
import { invalidRequest } from './errors.ts'

/** Stripe units per ledger unit, if they differ. */
const unitsPerLedgerUnit: { readonly [currency: string]: number } = { isk: 100, ugx: 100, mga: 0.01 }
const threeDecimals = ['bhd', 'jod', 'kwd', 'omr', 'tnd']
const maxAmount = 99_999_999

export function toLedger(amount: number, currency: string): number {
  return Math.round(amount / (unitsPerLedgerUnit[currency] ?? 1))
}

export function fromLedger(amount: number, currency: string): number {
  return Math.round(amount * (unitsPerLedgerUnit[currency] ?? 1))
}

export function requireAmount(amount: number, currency: string, param: string): void {
  const fail = (code: string, message: string) => invalidRequest(message, { code, param })
  if (amount < 1) throw fail('parameter_invalid_integer', 'This value must be greater than or equal to 1.')
  if (amount > maxAmount) throw fail('amount_too_large', 'Amount must be no more than 999,999.99.')
  const step = threeDecimals.includes(currency) ? 10 : (unitsPerLedgerUnit[currency] ?? 1)
  if (step > 1 && amount % step !== 0)
    throw fail('invalid_charge_amount', `Amounts in ${currency} must be divisible by ${step}.`)
}
