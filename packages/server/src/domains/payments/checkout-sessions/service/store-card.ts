/** Attaches the card of a session to its customer. The customer is created if the session has none. */
import type { Id } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { addCustomer, customerExists } from '../../customers/service.ts'
import { attachTo, findPaymentMethod } from '../../payment-methods/service.ts'
import type { Payment } from '../../payments/commands/pay-checkout-session.ts'
import type { CheckoutSession, Payer } from '../session.ts'
import type { SessionChanges } from '../store/sessions.ts'

/** Returns the customer and the card; null if the customer or the card was deleted meanwhile. */
export async function storeCard(
  tx: Tx,
  session: CheckoutSession,
  { paymentMethodId: methodId }: Payment,
): Promise<SessionChanges | null> {
  if (session.mode === 'payment') return {}
  const { customerId: existingId } = session
  const isGone = existingId !== null && !(await customerExists(tx, existingId))
  if (isGone || methodId === null) return null
  if ((await findPaymentMethod(tx, methodId)).status === 'detached') return null
  const customerId = existingId ?? (await createCustomer(tx, session))
  await attachTo(tx, customerId, methodId)
  return { customerId, paymentMethodId: methodId }
}

async function createCustomer(tx: Tx, { payer, locale }: CheckoutSession): Promise<Id<'customer'>> {
  const { name, email, phone, billing_address: address } = payer as Payer
  return (await addCustomer(tx, { name, email, phone, address, locale })).id
}
