// The books of the simulator, kept by somebody who is not us: whatever we say was taken has to stand there.

import { expect } from 'vitest'

/** What all accounts together hold about one payment. */
export type Sums = {
  readonly approvals: number
  readonly authorized: number
  readonly captured: number
  readonly voided: number
  readonly refunded: number
}

const nothing: Sums = { approvals: 0, authorized: 0, captured: 0, voided: 0, refunded: 0 }

export function ledgerOf(simulatorUrl: string) {
  const control = async (path: string, body?: object): Promise<object> => {
    const text = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const answer = await fetch(`${simulatorUrl}/control/${path}`, text)
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as object
  }
  const sumsOf = async (paymentId: string): Promise<Sums> => {
    const { sums } = (await control(`sums?payment_id=${paymentId}`)) as { sums: readonly Sums[] }
    return sums[0] ?? nothing
  }

  return {
    sumsOf,
    /** The simulator's own delays run out, and it tells what it has to tell. */
    advance: (ms: number) => control('time', { advance_ms: ms }),
    /** All that the account has to tell is told. */
    flush: (accountId: string) => control(`${accountId}/webhooks/flush`, {}),
    /** Nothing was charged twice, nothing is missing, and nothing is here that is not there. */
    async agreesWith(payment: Booked): Promise<void> {
      const { approvals, captured, refunded } = await sumsOf(payment.id)
      const here = { captured: payment.amount_captured, refunded: payment.amount_refunded }
      expect({ captured, refunded }, payment.summary).toEqual(here)
      expect(approvals, payment.summary).toBeLessThanOrEqual(1)
      expect(captured).toBeLessThanOrEqual(payment.amount)
      expect(refunded).toBeLessThanOrEqual(captured)
    },
  }
}

type Booked = {
  readonly id: string
  readonly amount: number
  readonly amount_captured: number
  readonly amount_refunded: number
  readonly summary: string
}
