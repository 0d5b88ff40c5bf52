/** Today compared with the same weekday last week, by currency: volume, approval rate, failover recovery, refunds. */
import type { PaymentsReport } from '@switchyard/sdk'
import { useState } from 'react'
import { useObject } from '../../api/queries.ts'
import { useTestClocks } from '../../api/test-clocks.ts'
import { moneyText } from '../../format/money.ts'
import { countText } from '../../format/text.ts'
import { Figure, Figures, HowCounted } from '../../metrics/figures.tsx'
import { rateOf, rateText } from '../../metrics/rates.ts'
import { type CurrencyTotal, changeText, todayAndLastWeek, totalsByCurrency } from '../../metrics/totals.ts'
import { PageLink } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Loaded } from '../../ui/states.tsx'

const refetchMs = 30_000

export function Today() {
  const { query } = useTestClocks()
  const [day] = useState(() => new Date().toDateString())
  const reports = useObject(
    ['report', 'today', day, query],
    async (api, signal) => {
      const { today, lastWeek } = todayAndLastWeek(new Date())
      const [todayReport, lastWeekReport] = await Promise.all([
        api.reports.payments({ ...today, ...query, bucket: '15m' }, { signal }),
        api.reports.payments({ ...lastWeek, ...query, bucket: '15m' }, { signal }),
      ])
      return { todayReport, lastWeekReport }
    },
    { refetchInterval: refetchMs },
  )
  return (
    <Panel
      title="Today"
      flush
      titleExtra={<span className="text-compact">vs. same time last {weekdayText()}</span>}
    >
      <Loaded query={reports}>{(data) => <Totals {...data} />}</Loaded>
    </Panel>
  )
}

function Totals({
  todayReport,
  lastWeekReport,
}: {
  todayReport: PaymentsReport
  lastWeekReport: PaymentsReport
}) {
  const totals = totalsByCurrency(todayReport.data)
  const before = totalsByCurrency(lastWeekReport.data)
  return (
    <>
      {totals.length === 0 && <p className="p-4 text-ink2">No payments today yet.</p>}
      {totals.map((total) => (
        <div key={total.currency} className="not-first:border-t border-line">
          <Row
            total={total}
            before={before.find(({ currency }) => currency === total.currency)}
            from={todayReport.from}
          />
        </div>
      ))}
      <HowCounted>{todayReport.explanation}</HowCounted>
    </>
  )
}

function Row({
  total,
  before,
  from,
}: {
  total: CurrencyTotal
  before: CurrencyTotal | undefined
  from: string
}) {
  const money = (amount: number) => moneyText(amount, total.currency)
  const search = { from: localDay(from) }
  const comparison = (current: number, previous: number | undefined, text: (value: number) => string) =>
    previous === undefined || previous === 0
      ? null
      : `${changeText(current, previous)} (was ${text(previous)})`
  return (
    <Figures>
      <Figure
        name={`Volume, ${total.currency.toUpperCase()}`}
        value={
          <PageLink to="/payments" search={search} className="hover:underline">
            {money(total.volume)}
          </PageLink>
        }
        note={comparison(total.volume, before?.volume, money)}
      />
      <Figure
        name="Approval rate"
        value={
          <PageLink to="/payments" search={search} className="hover:underline">
            {rateText(rateOf(total.approved, total.attempts))}
          </PageLink>
        }
        note={joinTexts(
          countText(total.attempts, 'attempt'),
          before && `was ${rateText(rateOf(before.approved, before.attempts))}`,
        )}
      />
      <Figure
        name="Recovered by failover"
        value={
          <PageLink to="/payments" search={search} className="hover:underline">
            {money(total.recoveredVolume)}
          </PageLink>
        }
        note={joinTexts(
          countText(total.recovered, 'payment'),
          comparison(total.recoveredVolume, before?.recoveredVolume, money),
        )}
      />
      <Figure
        name="Refunds"
        value={
          <PageLink to="/refunds" search={search} className="hover:underline">
            {money(total.refunded)}
          </PageLink>
        }
        note={comparison(total.refunded, before?.refunded, money)}
      />
    </Figures>
  )
}

function joinTexts(...parts: readonly (string | null | undefined)[]): string {
  return parts.filter((part) => part != null).join('; ')
}

/** "Sunday". */
function weekdayText(): string {
  const { lastWeek } = todayAndLastWeek(new Date())
  const format = { weekday: 'long' } as const
  return new Intl.DateTimeFormat('en-GB', format).format(new Date(lastWeek.from))
}

/** The local date, as lists use it in the URL. */
function localDay(at: string): string {
  const day = new Date(at)
  const padded = (value: number) => String(value).padStart(2, '0')
  return `${day.getFullYear()}-${padded(day.getMonth() + 1)}-${padded(day.getDate())}`
}
