/** Why payments failed in the last day. */
import { useObject } from '../../api/queries.ts'
import { PageLink } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Loaded } from '../../ui/states.tsx'
import { HowCounted } from './explained.tsx'
import { type Reason, reasonsOf } from './sums.ts'

const shown = 6

export function Reasons() {
  const report = useObject(
    ['report', 'reasons'],
    (api, signal) => api.reports.payments({ group: 'reason', bucket: '1h' }, { signal }),
    { refetchInterval: 30_000 },
  )
  return (
    <Panel title="Failures by reason, 24 hours" flush beside={<PageLink to="/payments">Payments</PageLink>}>
      <Loaded of={report}>
        {({ data, explanation }) => (
          <>
            <List reasons={reasonsOf(data)} />
            <HowCounted>{explanation}</HowCounted>
          </>
        )}
      </Loaded>
    </Panel>
  )
}

function List({ reasons }: { reasons: readonly Reason[] }) {
  if (reasons.length === 0) return <p className="p-4 text-ink2">No payment failed in the last 24 hours.</p>
  const most = reasons[0]?.failed ?? 1
  return (
    <ul className="grid gap-2 p-4">
      {reasons.slice(0, shown).map(({ reason, failed }) => (
        <li key={reason} className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1">
          <span className="font-mono text-compact break-all">{reason}</span>
          <strong>{failed.toLocaleString('en')}</strong>
          <span className="col-span-2 h-1.5 rounded-chip bg-sunken">
            <span
              className="block h-full rounded-chip bg-danger-solid"
              style={{ width: `${Math.max(1, (failed / most) * 100)}%` }}
            />
          </span>
        </li>
      ))}
      {reasons.length > shown && (
        <li className="text-compact text-ink2">and {reasons.length - shown} more reasons</li>
      )}
    </ul>
  )
}
