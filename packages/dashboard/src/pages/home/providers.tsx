/** The approval rate of each provider account over the last 24 hours, by hour. */
import { countText } from '../../format/text.ts'
import { ApprovalStrip } from '../../metrics/approval.tsx'
import { HowCounted } from '../../metrics/figures.tsx'
import { rateOf, rateText } from '../../metrics/rates.ts'
import { usePaymentsReport } from '../../metrics/reports.ts'
import { type ProviderDay, providersOf } from '../../metrics/totals.ts'
import { PageLink } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Loaded } from '../../ui/states.tsx'
import { useAccountName } from '../accounts.ts'

export function ProviderApproval() {
  const nameOf = useAccountName()
  const report = usePaymentsReport('provider_account')
  return (
    <Panel title="Approval rate by provider, 24 hours" flush>
      <Loaded query={report}>
        {({ data, explanation }) => {
          const days = providersOf(data, Date.now())
          return (
            <>
              {days.length === 0 && <p className="p-4 text-ink2">No attempts in the last 24 hours.</p>}
              <ul>
                {days.map((day) => (
                  <Row key={day.accountId} day={day} name={nameOf(day.accountId)} />
                ))}
              </ul>
              <HowCounted>{explanation}</HowCounted>
            </>
          )
        }}
      </Loaded>
    </Panel>
  )
}

function Row({ day, name }: { day: ProviderDay; name: string }) {
  return (
    <li className="grid gap-2 border-b border-line px-4 py-2.5 last:border-0">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <PageLink to={`/provider-accounts/${day.accountId}`}>{name}</PageLink>
        <span>
          <strong>{rateText(rateOf(day.approved, day.attempts))}</strong>{' '}
          <span className="text-compact text-ink2">of {countText(day.attempts, 'attempt')} approved</span>
        </span>
      </div>
      <ApprovalStrip day={day} name={name} />
    </li>
  )
}
