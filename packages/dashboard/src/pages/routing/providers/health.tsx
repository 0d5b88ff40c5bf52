/** Approval rate and calls of an account over time. docs/concepts/metrics.md says how the two differ. */
import type { ProviderAccount, ProviderAccountHealth } from '@switchyard/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useObject } from '../../../api/queries.ts'
import { StackedBars } from '../../../charts/bars.tsx'
import { HeatStrip } from '../../../charts/heat.tsx'
import { countText } from '../../../format/text.ts'
import { dateText, dayMs, timeText } from '../../../format/time.ts'
import { rateOf, rateText } from '../../../metrics/rates.ts'
import { usePaymentsReport } from '../../../metrics/reports.ts'
import { approvalOf } from '../../../metrics/totals.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { errorCells, type Interval, intervalsOf, ranges, totalOf } from './account-health.ts'

const pollMs = 15_000
function useHealth(id: string, days: number) {
  return useObject<ProviderAccountHealth>(
    ['provider_account', id, 'health', days],
    (api, signal) => {
      const to = new Date()
      const from = new Date(to.getTime() - days * dayMs)
      return api.providerAccounts.health(id, { from, to }, { signal })
    },
    { refetchInterval: pollMs },
  )
}

export function Health({ account }: { account: ProviderAccount }) {
  const search: { days?: string } = useSearch({ strict: false })
  const navigate = useNavigate()
  const days = ranges.find((one) => String(one) === search.days) ?? 1
  const health = useHealth(account.id, days)
  const selectRange = (next: number) =>
    void navigate({
      to: '.',
      search: ((before: object) => ({ ...before, days: next === 1 ? undefined : String(next) })) as never,
      replace: true,
      resetScroll: false,
    })
  return (
    <Panel
      title="Health"
      titleExtra={ranges.map((range) => (
        <button
          key={range}
          type="button"
          aria-pressed={days === range}
          onClick={() => selectRange(range)}
          className="min-h-6 rounded-control border border-edge px-2 text-compact aria-pressed:bg-ink aria-pressed:text-surface max-md:min-h-11"
        >
          {range === 1 ? '24 hours' : `${range} days`}
        </button>
      ))}
    >
      <div className="grid gap-4">
        <Approval account={account} days={days} />
        <Loaded query={health}>
          {(loaded) => (
            <Calls intervals={intervalsOf(loaded, days)} total={totalOf(loaded.data)} days={days} />
          )}
        </Loaded>
      </div>
    </Panel>
  )
}

function Approval({ account, days }: { account: ProviderAccount; days: number }) {
  const report = usePaymentsReport('provider_account', days)
  return (
    <Loaded query={report} rows={1}>
      {({ data }) => {
        const { attempts, approved } = approvalOf(data, account.id)
        return (
          <p>
            {attempts === 0
              ? 'No attempts in this period.'
              : `${countText(attempts, 'attempt')}, ${rateText(rateOf(approved, attempts))} approved.`}
          </p>
        )
      }}
    </Loaded>
  )
}

const series = [
  { name: 'Approved', color: 'success-solid' },
  { name: 'Declined', color: 'ink2' },
  { name: 'Provider errors', color: 'danger-solid' },
  { name: 'Unknown', color: 'warning-solid' },
] as const

function Calls(props: {
  intervals: readonly Interval[]
  total: ReturnType<typeof totalOf>
  days: (typeof ranges)[number]
}) {
  const { intervals, total, days } = props
  return (
    <>
      <p className="text-ink2">{callsText(total)}</p>
      <HeatStrip kind="errors" label="Error rate over time" cells={errorCells(intervals)} />
      {total.attempts > 0 && (
        <StackedBars label="Requests over time" series={series} bars={barsOf(intervals, days)} />
      )}
    </>
  )
}

function callsText({ attempts, technical, unknown }: ReturnType<typeof totalOf>): string {
  if (attempts === 0) return 'No requests were sent to the provider in this period.'
  const errors = countText(technical, 'provider error')
  return `${countText(attempts, 'request')}, including card verifications and test clocks: ${errors}, ${unknown.toLocaleString('en')} with an unknown outcome.`
}

function barsOf(intervals: readonly Interval[], days: number) {
  return intervals.map(({ startMs, approved, declined, technical, unknown }) => {
    const time = timeText(startMs).slice(0, 5)
    return {
      label: days === 1 ? time : `${dateText(startMs)}, ${time}`,
      values: [approved, declined, technical, unknown],
    }
  })
}
