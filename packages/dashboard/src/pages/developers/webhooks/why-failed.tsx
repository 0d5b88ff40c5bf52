/** Why deliveries of the last day have not arrived, by what the receiver said, each with a way to resend them. */
import type { Delivery, WebhookEndpoint } from '@switchyard/sdk'
import { useState } from 'react'
import { useMay } from '../../../api/workspace.tsx'
import { relativeText } from '../../../format/time.ts'
import { Button } from '../../../ui/button.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { causeText } from './answers.ts'
import { type Cause, causesOf } from './failures.ts'
import { ResendMany } from './resend-many.tsx'

export function WhyFailed({ endpoint, day }: { endpoint: WebhookEndpoint; day: readonly Delivery[] }) {
  const may = useMay()
  const [chosen, setChosen] = useState<Cause | null>(null)
  const causes = causesOf(day)
  const titleOf = ({ outcome, status }: Cause) => causeText(outcome, status, endpoint.timeout_seconds)
  return (
    <Panel title="Why they failed" flush>
      {causes.length === 0 && <p className="p-4 text-ink2">Nothing has failed in the last 24 hours.</p>}
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
                refused={may('deliveries.resend')}
                aria-label={`Resend ${cause.deliveries.length}: ${titleOf(cause)}`}
                onClick={() => setChosen(cause)}
              >
                Resend
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {chosen !== null && (
        <ResendMany
          deliveries={chosen.deliveries}
          why={`${titleOf(chosen)}. They are sent at once, before everything that waits.`}
          onClose={() => setChosen(null)}
        />
      )}
    </Panel>
  )
}

function spanText({ firstAt, lastAt }: Cause): string {
  const [first, last] = [relativeText(firstAt), relativeText(lastAt)]
  return first === last ? first : `first ${first}, last ${last}`
}
