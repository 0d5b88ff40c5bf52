/**
 * The input of the payer. It is kept outside the form, so that it is not lost when the form is hidden and shown again.
 * Card data is cleared after the payment and never stored elsewhere.
 */

import { loadInputValues, saveInputValues } from '../browser-storage.ts'
import { type Values, withoutCard } from '../form.ts'

let values: Values = {}

export function inputValues(): Values {
  return values
}

export function updateInput(changes: Values): void {
  values = { ...values, ...changes }
}

export function clearCard(): void {
  values = withoutCard(values)
}

/** Stores the input before the redirect to the bank, for a payer who is declined there and returns. */
export function saveInputForReturn(sessionId: string): void {
  saveInputValues(sessionId, withoutCard(values))
}

export function restoreInput(sessionId: string): void {
  values = { ...loadInputValues(sessionId), ...values }
}
