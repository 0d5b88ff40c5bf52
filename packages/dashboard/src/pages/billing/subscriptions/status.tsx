/** The status of a subscription with its additional badges. */
import type { Subscription } from '@switchyard/sdk'
import { Chip, Status } from '../../../ui/status.tsx'
import { badgesOf } from './subscription-text.ts'

export function SubscriptionStatus({ subscription }: { subscription: Subscription }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <Status status={subscription.status} />
      {badgesOf(subscription).map(({ text, tone }) => (
        <Chip key={text} tone={tone} text={text} />
      ))}
    </span>
  )
}
