/** Why payments failed in the last day, the most first. */
import type { PaymentsReport } from '@switchyard/sdk'
import { useObject } from '../../../api/queries.ts'
import { counted } from '../../../format/words.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { reasonsIn } from './words.ts'

export function TopReasons() {
  const found = useObject<PaymentsReport>(['report', 'payments', 'reason'], (api, signal) =>
    api.reports.payments({ group: 'reason', bucket: '1h' }, { signal }),
  )
  return (
    <Panel title="Why payments failed" beside="last 24 hours, all accounts">
      <Loaded of={found}>
        {({ data }) => {
          const reasons = reasonsIn(data)
          const most = reasons[0]?.count ?? 1
          return reasons.length === 0 ? (
            <p className="text-ink2">No payment failed in this time.</p>
          ) : (
            <ol className="grid gap-2">
              {reasons.map(({ reason, count }) => (
                <li
                  key={reason}
                  className="grid grid-cols-[minmax(0,1fr)_72px_auto] sm:grid-cols-[220px_1fr_auto] items-center gap-3"
                >
                  <code className="font-mono text-compact break-all">{reason}</code>
                  <span className="h-3 bg-sunken">
                    <span
                      className="block h-full bg-danger-solid"
                      style={{ width: `${(count / most) * 100}%` }}
                    />
                  </span>
                  <span>{counted(count, 'payment')}</span>
                </li>
              ))}
            </ol>
          )
        }}
      </Loaded>
    </Panel>
  )
}
