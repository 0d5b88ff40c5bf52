/** The displayed status of a refund and its summary sentence. No side effects. */
import type { Operation, Refund, TimelineEntry } from '@switchyard/sdk'
import { moneyText } from '../../../format/money.ts'
import type { Timeline } from '../../../timeline/timeline-model.ts'
import { operationNodes } from '../payments/payment-timeline.ts'

export function displayedRefundStatus({ status, review, unresolved_since_at }: Refund): string {
  if (review !== null) return review
  return unresolved_since_at === null ? status : 'unknown'
}

export function refundSentence(refund: Refund): string {
  const money = moneyText(refund.amount, refund.currency)
  if (refund.review !== null)
    return `The outcome of this refund of ${money} is unknown, and the provider has not reported it. An admin must confirm what happened.`
  if (refund.unresolved_since_at !== null)
    return `The outcome of this refund of ${money} is not known yet. We are checking with the provider.`
  switch (refund.status) {
    case 'succeeded':
      return `${money} refunded${sources[refund.source]}.`
    case 'pending':
      return `Refund of ${money} requested. The provider has not confirmed it yet.`
    case 'failed':
      return `Refund of ${money} failed${codeText(refund)}. The amount stays captured and can be refunded again.`
  }
}

const sources: { readonly [S in Refund['source']]: string } = {
  api: '',
  provider: ' at the provider',
  automatic: ' automatically because the payment had been cancelled',
}

function codeText({ failure }: Refund): string {
  return failure === null ? '' : ` (\`${failure.code}\`)`
}

export function refundTimeline(
  refund: Refund,
  {
    operations,
    events,
  }: { readonly operations: readonly Operation[]; readonly events: readonly TimelineEntry[] },
  nameOf: (accountId: string) => string,
): Timeline {
  const refundOperations = operations.filter(({ refund_id }) => refund_id === refund.id)
  const accounts = [...new Set(refundOperations.map((one) => one.provider_account_id))]
  const first = refund.source === 'provider' ? 'Created at the provider' : 'Requested'
  return {
    lanes: [
      { id: 'you', text: refund.source === 'provider' ? 'Provider' : 'You' },
      ...accounts.map((id) => ({ id, text: nameOf(id) })),
    ],
    nodes: [
      {
        id: refund.id,
        lane: 'you',
        atMs: Date.parse(refund.created_at),
        text: first,
        tone: 'ink',
        mark: 'open',
      },
      ...refundOperations.flatMap((operation) => operationNodes(operation, events)),
    ],
  }
}
