/** Receives provider webhooks: first verifies the signature, then parses the events. */
import { withoutCards } from './call-record.ts'
import type { IncomingCall, Provider, ProviderEvent, Verdict } from './contract.ts'

export type Received =
  | { readonly status: 'invalid' }
  | { readonly status: 'unreadable' }
  | {
      readonly status: 'received'
      readonly verdict: 'valid' | 'unsigned'
      readonly events: readonly ProviderEvent[]
    }

/** The content of an unreadable webhook is not guessed; the sender gets an error. */
export function receive(
  { webhooks }: Provider,
  call: IncomingCall,
  context: { readonly config: unknown; readonly now: Date; readonly certificate: string | null },
): Received {
  const verdict = verdictOf(webhooks, call, context)
  if (webhooks === undefined || verdict === 'invalid') return { status: 'invalid' }
  try {
    return { status: 'received', verdict, events: webhooks.parse(call.body).map((event) => storable(event)) }
  } catch {
    return { status: 'unreadable' }
  }
}

/** A webhook that cannot be verified is not valid. */
function verdictOf(
  webhooks: Provider['webhooks'],
  call: IncomingCall,
  context: { readonly config: unknown; readonly now: Date; readonly certificate: string | null },
): Verdict {
  try {
    return webhooks?.verify(call, context) ?? 'invalid'
  } catch {
    return 'invalid'
  }
}

/**
 * Makes the event storable. Messages are for people and may quote the request, so card numbers are redacted.
 */
function storable<T>(value: T, name = ''): T {
  if (typeof value === 'string') {
    const text = value.toWellFormed().replaceAll('\u0000', '')
    return (name === 'message' ? withoutCards(text) : text) as T
  }
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [member, storable(inner, member)]),
  ) as T
}
