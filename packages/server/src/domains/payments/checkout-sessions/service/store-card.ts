/** Attaches the card of a session to its customer. The customer is created if the session has none. */
import type { Id } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { addCustomer, customerExists } from '../../customers/service.ts'
import { attachTo, findPaymentMethod } from '../../payment-methods/service.ts'
import type { Payment } from '../../payments/commands/pay-checkout-session.ts'
import type { CheckoutSession, Payer } from '../session.ts'

type StoredCard = {
  readonly customerId: Id<'customer'>
  /** Null if the card was deleted in the meantime. */
  readonly paymentMethodId: Id<'payment_method'> | null
}

/** Null if the customer was deleted in the meantime. */
export async function storeCard(
  tx: Tx,
  session: CheckoutSession,
  { paymentMethodId: methodId, customerId: payerId }: Payment,
): Promise<StoredCard | null> {
  // A payer who has entered a code is a known customer, even if the session has no customer.
  const existingId = session.customerId ?? payerId
  if (existingId !== null && !(await customerExists(tx, existingId))) return null
  const customerId = existingId ?? (await createCustomer(tx, session))
  const isDetached = methodId === null || (await findPaymentMethod(tx, methodId)).status === 'detached'
  if (isDetached) return { customerId, paymentMethodId: null }
  await attachTo(tx, customerId, methodId)
  return { customerId, paymentMethodId: methodId }
}

async function createCustomer(tx: Tx, { payer, locale }: CheckoutSession): Promise<Id<'customer'>> {
  const { name, email, phone, billing_address: address } = payer as Payer
  return (await addCustomer(tx, { name, email, phone, address, locale })).id
}
