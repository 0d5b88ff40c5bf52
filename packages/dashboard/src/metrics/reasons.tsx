/** Failed payments of the last day by reason. */
import { countText } from '../format/text.ts'
import { PageLink } from '../ui/link.tsx'
import { Panel } from '../ui/panel.tsx'
import { Loaded } from '../ui/states.tsx'
import { HowCounted } from './figures.tsx'
import { usePaymentsReport } from './reports.ts'
import { type Reason, reasonsOf } from './totals.ts'

const maxReasons = 6

export function FailureReasons() {
  const report = usePaymentsReport('reason')
  return (
    <Panel
      title="Failures by reason, 24 hours"
      flush
      titleExtra={<PageLink to="/payments">View payments</PageLink>}
    >
      <Loaded query={report}>
        {({ data, explanation }) => (
          <>
            <ReasonList reasons={reasonsOf(data)} />
            <HowCounted>{explanation}</HowCounted>
          </>
        )}
      </Loaded>
    </Panel>
  )
}

function ReasonList({ reasons }: { reasons: readonly Reason[] }) {
  if (reasons.length === 0) return <p className="p-4 text-ink2">No payment failed in the last 24 hours.</p>
  const most = reasons[0]?.failed ?? 1
  return (
    <ul className="grid gap-2 p-4">
      {reasons.slice(0, maxReasons).map(({ reason, failed }) => (
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
      {reasons.length > maxReasons && (
        <li className="text-compact text-ink2">
          and {countText(reasons.length - maxReasons, 'more reason')}
        </li>
      )}
    </ul>
  )
}
