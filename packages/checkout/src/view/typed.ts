/**
 * What the payer has typed. It stands outside the form, so that nothing is lost when the form gives way to another
 * state and comes back. Cards are forgotten when they have done their work, and are never kept anywhere else.
 */

import { type Values, withoutCard } from '../form.ts'
import { keepTyped, recallTyped } from '../memory.ts'

let values: Values = {}

export function typedValues(): Values {
  return values
}

export function typeInto(changes: Values): void {
  values = { ...values, ...changes }
}

export function forgetCard(): void {
  values = withoutCard(values)
}

/** Before the page is left for the bank: who is declined there comes back to a page that begins anew. */
export function keepForReturn(sessionId: string): void {
  keepTyped(sessionId, withoutCard(values))
}

export function recallFrom(sessionId: string): void {
  values = { ...recallTyped(sessionId), ...values }
}
