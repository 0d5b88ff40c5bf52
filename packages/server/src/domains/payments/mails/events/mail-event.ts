/** A report of a mail service about one e-mail. */
export type BounceType = 'bounced' | 'complained'

export type MailEvent = {
  readonly type: BounceType
  /** The reference that the e-mail was sent with; null if the report does not contain it. */
  readonly reference: string | null
  /** The address that could not be reached, or that complained. */
  readonly recipient: string
  readonly detail: string | null
}

export type Json = { readonly [name: string]: unknown }

/** Null if the text is not a JSON object. */
export function objectIn(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null
}

export function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
