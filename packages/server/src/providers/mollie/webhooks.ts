/**
 * Mollie's webhooks contain only the id of a payment and are not signed, so they prove nothing: the core looks the
 * payment up. Mollie also sends them for refunds of the payment, with the id of the payment.
 */
import type { ConnectorConfig, ProviderEvent, Webhooks } from '../contract.ts'
import { Unreadable } from '../read.ts'

export const webhooks: Webhooks<ConnectorConfig> = {
  signature: 'none',
  verify: () => 'unsigned',
  parse: eventsIn,
}

/** The body is a form, such as `id=tr_7UhSN1zuXS`. */
function eventsIn(body: Uint8Array): readonly ProviderEvent[] {
  const [id = '', ...others] = new URLSearchParams(new TextDecoder().decode(body)).getAll('id')
  if (id === '' || others.length > 0) throw new Unreadable('The webhook does not contain exactly one id.')
  // Ids of other objects, such as orders, are not sent for our payments.
  if (!/^tr_\w{1,64}$/.test(id)) return []
  return [{ dedupeKey: null, reference: null, providerReference: id, found: null }]
}
