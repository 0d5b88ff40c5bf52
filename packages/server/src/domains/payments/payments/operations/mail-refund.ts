/** The e-mail about a refund, in the unit of work that records its success. */
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { createMails } from '../../mails/service.ts'
import type { Payment } from '../payment.ts'
import type { Refund } from '../refund.ts'

export async function mailRefund(
  tx: Tx,
  { id, customerId }: Payment,
  { id: objectId, amount, currency }: Refund,
): Promise<void> {
  // Without a customer there is no address.
  if (customerId === null) return
  const facts = { amount: String(amount), currency, reference: id }
  await createMails(tx, [
    { kind: 'refunded', objectId, step: 0, customerId, recipient: null, locale: null, facts },
  ])
}
