/** What a provider sends us by itself: first whether it is theirs, then what it says. */
import { withoutCards } from './call-record.ts'
import type { IncomingCall, Provider, ProviderEvent } from './contract.ts'

export type Received =
  | { readonly is: 'invalid' }
  | { readonly is: 'unreadable' }
  | {
      readonly is: 'received'
      readonly verdict: 'valid' | 'unsigned'
      readonly events: readonly ProviderEvent[]
    }

/** What could not be understood is not guessed; whoever sent it hears that. */
export function receive(
  { webhooks }: Provider,
  call: IncomingCall,
  context: { readonly config: unknown; readonly now: Date },
): Received {
  const verdict = webhooks?.verify(call, context) ?? 'invalid'
  if (webhooks === undefined || verdict === 'invalid') return { is: 'invalid' }
  try {
    return { is: 'received', verdict, events: webhooks.parse(call.body).map((event) => cleaned(event)) }
  } catch {
    return { is: 'unreadable' }
  }
}

/** As it can be stored. A message is for people, and may quote what was sent: no card number stays in it. */
function cleaned<T>(value: T, name = ''): T {
  if (typeof value === 'string') {
    const text = value.toWellFormed().replaceAll('\u0000', '')
    return (name === 'message' ? withoutCards(text) : text) as T
  }
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [member, cleaned(inner, member)]),
  ) as T
}
