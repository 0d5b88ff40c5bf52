/** The failed deliveries of the last day grouped by outcome, each group with a resend button. */
import type { Delivery, WebhookEndpoint } from '@switchyard/sdk'
import { useState } from 'react'
import { useDisabledReason } from '../../../api/workspace.tsx'
import { relativeText } from '../../../format/time.ts'
import { Button } from '../../../ui/button.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { type Cause, causesOf } from './failures.ts'
import { ResendMany } from './resend-many.tsx'
import { causeText } from './responses.ts'

export function FailureReasons({ endpoint, day }: { endpoint: WebhookEndpoint; day: readonly Delivery[] }) {
  const disabledReasonFor = useDisabledReason()
  const [selected, setSelected] = useState<Cause | null>(null)
  const causes = causesOf(day)
  const titleOf = ({ outcome, status }: Cause) => causeText(outcome, status, endpoint.timeout_seconds)
  return (
    <Panel title="Failure reasons" flush>
      {causes.length === 0 && <p className="p-4 text-ink2">No failed deliveries in the last 24 hours.</p>}
      <ul>
        {causes.map((cause) => (
          <li
            key={cause.key}
            className="flex items-center justify-between gap-3 border-b border-line px-4 py-2 last:border-0"
          >
            <div className="min-w-0">
              <p className="font-bold">{titleOf(cause)}</p>
              <p className="text-compact text-ink2">{spanText(cause)}</p>
            </div>
            <div className="flex items-center gap-3">
              <strong className="text-section">{cause.deliveries.length}</strong>
              <Button
                compact
                disabledReason={disabledReasonFor('deliveries.resend')}
                aria-label={`Resend ${cause.deliveries.length}: ${titleOf(cause)}`}
                onClick={() => setSelected(cause)}
              >
                Resend
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {selected !== null && (
        <ResendMany
          deliveries={selected.deliveries}
          intro={`${titleOf(selected)}. These deliveries are sent immediately, ahead of all pending ones.`}
          onClose={() => setSelected(null)}
        />
      )}
    </Panel>
  )
}

function spanText({ firstAt, lastAt }: Cause): string {
  const [first, last] = [relativeText(firstAt), relativeText(lastAt)]
  return first === last ? first : `first ${first}, last ${last}`
}
