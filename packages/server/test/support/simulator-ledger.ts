// Reads the ledger of the simulator, which is independent of the server. The amounts of payments must match
// it.

import { expect } from 'vitest'

/** The totals of one payment over all accounts. */
export type LedgerTotals = {
  readonly approvals: number
  readonly authorized: number
  readonly captured: number
  readonly voided: number
  readonly refunded: number
}

const noTotals: LedgerTotals = { approvals: 0, authorized: 0, captured: 0, voided: 0, refunded: 0 }

export function openLedger(simulatorUrl: string) {
  const control = async (path: string, body?: object): Promise<object> => {
    const options = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(`${simulatorUrl}/control/${path}`, options)
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as object
  }
  const fetchTotals = async (paymentId: string): Promise<LedgerTotals> => {
    const { sums } = (await control(`sums?payment_id=${paymentId}`)) as { sums: readonly LedgerTotals[] }
    return sums[0] ?? noTotals
  }

  return {
    fetchTotals,
    /** Advances the clock of the simulator, which ends delays and sends webhooks. */
    advance: (ms: number) => control('time', { advance_ms: ms }),
    /** Sends all pending webhooks of the account. */
    flush: (accountId: string) => control(`${accountId}/webhooks/flush`, {}),
    /** Expects that the ledger has the amounts of the payment, and at most one approval. */
    async expectMatch(payment: PaymentAmounts): Promise<void> {
      const { approvals, captured, refunded } = await fetchTotals(payment.id)
      const expected = { captured: payment.amount_captured, refunded: payment.amount_refunded }
      expect({ captured, refunded }, payment.summary).toEqual(expected)
      expect(approvals, payment.summary).toBeLessThanOrEqual(1)
      expect(captured).toBeLessThanOrEqual(payment.amount)
      expect(refunded).toBeLessThanOrEqual(captured)
    },
  }
}

type PaymentAmounts = {
  readonly id: string
  readonly amount: number
  readonly amount_captured: number
  readonly amount_refunded: number
  readonly summary: string
}
