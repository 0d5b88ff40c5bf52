// Compares the records of disputes with the disputes of the providers.

import { uuidOf } from '../../src/kernel/id.ts'
import type { ReportedDispute } from './provider-actions.ts'
import { type DisputeRow, hasOpenReview, type PaymentRow, type Records, wireIdOf } from './records.ts'
import type { PaymentRun } from './scenario-run.ts'

type DisputeCheckInput = { readonly records: Records; readonly run: PaymentRun }

/** Payments that need review, and those with a conflict, are not compared. */
function isComparable({ records }: DisputeCheckInput, { id, review }: PaymentRow): boolean {
  const hasConflict = records.conflicts.some(({ payment_id }) => payment_id === id)
  return review === null && !hasConflict && !hasOpenReview(records, id)
}

/** Each dispute at a provider has one record with the same state, and there are no other records. */
export function disputesMatchProviders(input: DisputeCheckInput): string[] {
  const { records, run } = input
  return records.payments
    .filter((payment) => isComparable(input, payment))
    .flatMap((payment) => {
      const recorded = records.disputes.filter(({ payment_id }) => payment_id === payment.id)
      const reported = run.disputes.filter(({ paymentId }) => paymentId === wireIdOf(payment.id))
      const violations =
        recorded.length === reported.length
          ? differencesOf(recorded, reported)
          : [`it has ${recorded.length} records, but the provider has ${reported.length}`]
      return violations.map((violation) => `dispute: ${wireIdOf(payment.id)}: ${violation}`)
    })
}

function differencesOf(recorded: readonly DisputeRow[], reported: readonly ReportedDispute[]): string[] {
  return reported.flatMap(({ account, record }, index) => {
    const row = recorded[index] as DisputeRow
    const isOpen = !['won', 'lost', 'closed'].includes(record.status)
    const expected = {
      provider_account_id: uuidOf(account as Parameters<typeof uuidOf>[0]),
      stage: record.stage,
      status: record.status,
      amount: record.amount,
      amount_held: isOpen && record.withdrawn ? record.amount : 0,
    }
    return Object.entries(expected)
      .filter(([name, value]) => row[name as keyof typeof expected] !== value)
      .map(
        ([name, value]) =>
          `${name} is ${row[name as keyof typeof expected]}, but ${value} at the provider (${record.id})`,
      )
  })
}

/**
 * The providers of a scenario contradict neither themselves nor each other. Only an amount can seem too high: the provider
 * has captured it, and the response to the capture was lost.
 */
export function disputesHaveNoConflicts({ records }: DisputeCheckInput): string[] {
  return records.conflicts
    .filter(({ kind, detail }) => kind === 'dispute' && !detail.includes('exceeds the captured amount'))
    .map(({ payment_id, detail }) => `conflict of a dispute: ${wireIdOf(payment_id)}: ${detail}`)
}

/** The times of two actions of a scenario differ by seconds, unless the actions are concurrent. */
const laterMs = 1_000

/** No refund is created for an amount that was already disputed, unless the merchant won the dispute. */
export function disputedAmountsAreNotRefunded({ records }: DisputeCheckInput): string[] {
  return records.payments.flatMap((payment) => {
    const disputes = records.disputes.filter(
      ({ payment_id, id, status, stage }) =>
        payment_id === payment.id && status !== 'closed' && stage !== 'inquiry' && !wasWon(records, id),
    )
    const refunds = records.refunds.filter(
      ({ payment_id, status }) => payment_id === payment.id && status !== 'failed',
    )
    const isLater = ({ created_at }: { readonly created_at: string }) =>
      disputes.some(({ id }) => Date.parse(created_at) > disputedSinceMs(records, id) + laterMs)
    const disputed = disputes.reduce((sum, { amount }) => sum + amount, 0)
    const refunded = refunds.reduce((sum, { amount }) => sum + amount, 0)
    const isReturnedTwice = disputed + refunded > payment.amount_captured
    return isReturnedTwice && refunds.some((refund) => refund.source === 'api' && isLater(refund))
      ? [
          `refunded and disputed: ${refunded} and ${disputed} of ${payment.amount_captured} of ${wireIdOf(payment.id)}`,
        ]
      : []
  })
}

/**
 * An inquiry does not prevent refunds, so the amount counts as disputed only once the dispute is more than an
 * inquiry.
 */
function disputedSinceMs({ events }: Records, disputeUuid: string): number {
  const first = events.find(
    ({ object_id, object }) => object_id === disputeUuid && object.stage !== 'inquiry',
  )
  return first === undefined ? Number.POSITIVE_INFINITY : Date.parse(String(first.object.updated_at))
}

function wasWon({ events }: Records, disputeUuid: string): boolean {
  return events.some(({ object_id, object }) => object_id === disputeUuid && object.status === 'won')
}
