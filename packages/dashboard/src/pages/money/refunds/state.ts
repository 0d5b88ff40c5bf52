/** What a refund is at the moment, and the sentence that says so. Pure. */
import type { Operation, Refund, TimelineEntry } from '@switchyard/sdk'
import { moneyText } from '../../../format/money.ts'
import type { Story } from '../../../line/story.ts'
import { operationNodes } from '../payments/story.ts'

export function shownRefundStatus({ status, review, unresolved_since_at }: Refund): string {
  if (review !== null) return review
  return unresolved_since_at === null ? status : 'unknown'
}

export function refundSentence(refund: Refund): string {
  const money = moneyText(refund.amount, refund.currency)
  if (refund.review !== null)
    return `It is not known whether ${money} was given back, and the provider does not tell. Somebody has to ask them.`
  if (refund.unresolved_since_at !== null)
    return `It is not known yet whether ${money} was given back. The provider is being asked.`
  switch (refund.status) {
    case 'succeeded':
      return `${money} was given back${sources[refund.source]}.`
    case 'pending':
      return `${money} is on its way back. The provider has not confirmed it yet.`
    case 'failed':
      return `${money} could not be given back${codeText(refund)}. It stays captured, and can be refunded again.`
  }
}

const sources: { readonly [S in Refund['source']]: string } = {
  api: '',
  provider: ', by somebody at the provider',
  automatic: ' by itself, because the payment had been cancelled',
}

function codeText({ failure }: Refund): string {
  return failure === null ? '' : ` (\`${failure.code}\`)`
}

export function refundStory(
  refund: Refund,
  {
    operations,
    events,
  }: { readonly operations: readonly Operation[]; readonly events: readonly TimelineEntry[] },
  nameOf: (accountId: string) => string,
): Story {
  const own = operations.filter(({ refund_id }) => refund_id === refund.id)
  const accounts = [...new Set(own.map((one) => one.provider_account_id))]
  const first = refund.source === 'provider' ? 'Seen at the provider' : 'Asked for'
  return {
    lanes: [
      { id: 'you', text: refund.source === 'provider' ? 'Provider' : 'You' },
      ...accounts.map((id) => ({ id, text: nameOf(id) })),
    ],
    nodes: [
      {
        ...{ id: refund.id, lane: 'you', atMs: Date.parse(refund.created_at), text: first },
        ...{ tone: 'ink', mark: 'open' },
      },
      ...own.flatMap((operation) => operationNodes(operation, events)),
    ],
  }
}
