/** The result of a verification that adds a credential to an existing payment method. */
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { recordCredential } from '../../payment-methods/service/credentials.ts'
import { sealedTokenOf } from '../observation.ts'
import { addsCredential, type Payment } from '../payment.ts'
import type { Approval } from './save-card.ts'

/** Without a token the provider has approved the card, but did not store it: there is nothing to charge later. */
export async function saveCredential(
  tx: Tx,
  { id: paymentId, paymentMethodId }: Payment,
  { operation: { providerAccountId }, observation, to }: Approval,
): Promise<void> {
  const { result } = observation
  if (to !== 'succeeded' || result.is !== 'succeeded' || paymentMethodId === null) return
  await recordCredential(tx, paymentMethodId, {
    providerAccountId,
    paymentId,
    sealedToken: sealedTokenOf(observation),
    networkTransactionId: result.extra?.networkTransactionId ?? null,
  })
}

/** Records that the verification has failed, so that the credential can be requested again. */
export async function failPendingCredential(tx: Tx, payment: Payment): Promise<void> {
  const { id: paymentId, paymentMethodId, providerAccountId } = payment
  if (!addsCredential(payment) || paymentMethodId === null || providerAccountId === null) return
  await recordCredential(tx, paymentMethodId, {
    providerAccountId,
    paymentId,
    sealedToken: null,
    networkTransactionId: null,
  })
}
