/**
 * Webhooks of Postmark about bounces and spam complaints. No side effects. Postmark sends the user name and the
 * password of the webhook URL with HTTP basic authentication, and returns the metadata of the header
 * `X-PM-Metadata-switchyard`.
 */
import { type Json, type MailEvent, objectIn, textIn } from './mail-event.ts'

/** Other types, such as a full mailbox, may be temporary. */
const hardBounces: readonly unknown[] = ['HardBounce', 'BadEmailAddress', 'ManuallyDeactivated']

export function readPostmark(body: Json): readonly MailEvent[] {
  const type = typeOf(body)
  const recipient = textIn(body.Email)
  if (type === null || recipient === null) return []
  // Mail software may change the case of header names.
  const metadata = Object.entries(objectIn(body.Metadata) ?? {})
  const reference = textIn(metadata.find(([name]) => name.toLowerCase() === 'switchyard')?.[1])
  return [{ type, reference, recipient, detail: textIn(body.Details) ?? textIn(body.Description) }]
}

function typeOf({ RecordType, Type }: Json): MailEvent['type'] | null {
  if (RecordType === 'SpamComplaint' || Type === 'SpamComplaint') return 'complained'
  return RecordType === 'Bounce' && hardBounces.includes(Type) ? 'bounced' : null
}
