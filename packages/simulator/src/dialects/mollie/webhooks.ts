/**
 * The classic webhooks: a form with the id of the payment, not signed. They are sent when the payment reaches a status
 * that Mollie reports, and when a refund is done. A forged webhook looks the same: merchants cannot verify it
 * and must read the payment.
 */
import type { AccountContext } from '../../run-operation.ts'
import type { WebhookEvent, WebhookRequest } from '../dialect.ts'
import { paymentView } from './objects.ts'
import { find, idOf, type StoredPayment } from './store.ts'

export function webhooksOf({ account }: AccountContext, event: WebhookEvent): readonly WebhookRequest[] {
  const { record, forged } = event
  const parent =
    record.parent_reference ?? account.operations.get(record.reference)?.request?.parent_reference
  const stored = find<StoredPayment>(account, idOf('tr', parent ?? record.reference))
  if (stored === undefined || !(forged || isReported(event))) return []
  // A new card that is declined immediately has no payment.
  if (!forged && paymentView(account, stored) === undefined) return []
  const url = stored.webhookUrl
  return [
    {
      contentType: 'application/x-www-form-urlencoded',
      body: new URLSearchParams({ id: stored.id }).toString(),
      headers: () => ({}),
      ...(url === null ? {} : { url }),
    },
  ]
}

/** A failed capture or release does not change the status of the payment. */
function isReported({ record: { kind, status } }: WebhookEvent): boolean {
  if (status === 'pending' || status === 'action_required') return false
  return status === 'succeeded' || (kind !== 'capture' && kind !== 'void')
}
