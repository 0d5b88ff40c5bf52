/** Validates the text of a filter before it is sent to the API. No side effects. */

/** Null if the text is valid; otherwise what to enter instead. */
export type Check = (text: string) => string | null

export function idCheck(kind: string): Check {
  const pattern = new RegExp(`^${kind}_((live|test)_)?[0-9a-z]{26}$`, 'i')
  const noun = kind.replaceAll('_', ' ')
  return (text) =>
    pattern.test(text) ? null : `Enter a ${noun} ID: ${kind}_… To search by name or email, press Ctrl K.`
}

export const anyIdCheck: Check = (text) =>
  /^[a-z][a-z_]*_[0-9a-z]{26}$/i.test(text) ? null : 'Enter an ID, such as payment_test_…'

export const emailCheck: Check = (text) =>
  /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text) ? null : 'Enter a full email address, such as ada@example.com'

export const dayCheck: Check = (text) => {
  const day = new Date(`${text}T00:00:00Z`)
  // A date that does not exist, such as 31 February, is parsed as a different date.
  const isValid = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(`${text}T`)
  return isValid ? null : 'Enter a date, such as 2026-11-14'
}
