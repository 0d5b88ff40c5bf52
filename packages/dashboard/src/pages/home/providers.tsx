/** How each provider account approved over the last day, hour by hour. */
import { useObject } from '../../api/queries.ts'
import { HeatStrip } from '../../charts/heat.tsx'
import { clockText } from '../../format/time.ts'
import { counted } from '../../format/words.ts'
import { PageLink } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Loaded } from '../../ui/states.tsx'
import { useAccountName } from '../accounts.ts'
import { HowCounted } from './explained.tsx'
import { type ProviderDay, providersOf, shareText } from './sums.ts'

export function Providers() {
  const nameOf = useAccountName()
  const report = useObject(
    ['report', 'providers'],
    (api, signal) => api.reports.payments({ group: 'provider_account', bucket: '1h' }, { signal }),
    { refetchInterval: 30_000 },
  )
  return (
    <Panel title="Approval by provider, 24 hours" flush>
      <Loaded of={report}>
        {({ data, explanation }) => {
          const days = providersOf(data, Date.now())
          return (
            <>
              {days.length === 0 && (
                <p className="p-4 text-ink2">No provider was asked in the last 24 hours.</p>
              )}
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
  const cells = day.hours.map(({ startMs, share }) => ({
    label: `${clockText(startMs).slice(0, 5)}, not approved`,
    share,
  }))
  return (
    <li className="grid gap-2 border-b border-line px-4 py-2.5 last:border-0">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <PageLink to={`/provider-accounts/${day.accountId}`}>{name}</PageLink>
        <span>
          <strong>{shareText(day.approved, day.attempts)}</strong>{' '}
          <span className="text-compact text-ink2">of {counted(day.attempts, 'attempt')}</span>
        </span>
      </div>
      <HeatStrip label={`${name}, hour by hour`} cells={cells} />
    </li>
  )
}
