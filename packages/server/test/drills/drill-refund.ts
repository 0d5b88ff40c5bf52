import type { Switchyard } from '@switchyard/sdk'

/** The client uses the same idempotency key for each repeat of a refund. */
export function createDrillRefund(api: Switchyard, paymentId: string, amount: number) {
  return api.refunds.create({ payment_id: paymentId, amount }, { idempotencyKey: `refund-of-${paymentId}` })
}
