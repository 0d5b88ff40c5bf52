/** Counts attempts against the retry limits of the card networks. */
import { modeOf } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { recordSlotResult, type Slot } from '../../card-budgets/service.ts'
import type { ObservedOperation } from '../observation.ts'
import type { Attempt, Intent, Payment } from '../payment.ts'

/** The slot of an attempt: the data that the retry limits of the card networks need. */
export function slotOf(
  payment: CountedCard & Pick<Intent, 'card' | 'amount' | 'currency' | 'initiator'>,
  attemptId: Attempt['id'],
): Slot {
  const { card, amount, currency, initiator } = payment
  return {
    attemptId,
    paymentId: payment.id,
    cardKey: cardKeyOf(payment),
    card,
    amount,
    currency,
    initiator,
  }
}

type CountedCard = Pick<Payment, 'id' | 'fingerprint' | 'paymentMethodId' | 'customerId'>

/**
 * In live mode all attempts with a card number are counted together. In test mode each payment method is
 * counted separately, and a card without a payment method per customer, because all tests share the same few
 * card numbers. A customer has one test clock, so attempts on different clocks are never counted together.
 */
function cardKeyOf({ id, fingerprint, paymentMethodId, customerId }: CountedCard): string | null {
  if (modeOf(id) === 'live') return fingerprint ?? paymentMethodId
  if (paymentMethodId !== null || fingerprint === null) return paymentMethodId
  return customerId === null ? fingerprint : `${customerId} ${fingerprint}`
}

/** A result with a different amount needs review, so it is not counted. */
export async function recordCardResult(
  tx: Tx,
  payment: Payment,
  attempt: Attempt,
  { operation, observation }: Pick<ObservedOperation, 'operation' | 'observation'>,
): Promise<void> {
  const isAuthorization = operation.kind === 'authorize' || operation.kind === 'verify'
  if (isAuthorization && !observation.differs)
    await recordSlotResult(tx, slotOf(payment, attempt.id), observation.result)
}
