/** The status of a subscription with what stands beside it. */
import type { Subscription } from '@switchyard/sdk'
import { Chip, Status } from '../../../ui/status.tsx'
import { notesOf } from './words.ts'

export function SubscriptionChips({ of }: { of: Subscription }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <Status of={of.status} />
      {notesOf(of).map(({ text, tone }) => (
        <Chip key={text} tone={tone} text={text} />
      ))}
    </span>
  )
}
