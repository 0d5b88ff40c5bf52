/** Today against the same weekday, by currency: volume, approval, what failover recovered, refunds. */
import type { PaymentsReport } from '@switchyard/sdk'
import { useState } from 'react'
import { useObject } from '../../api/queries.ts'
import { moneyText } from '../../format/money.ts'
import { counted } from '../../format/words.ts'
import { PageLink } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Figure, Figures, HowCounted } from './explained.tsx'
import { changeText, type Sum, shareText, sumsOf, todayAndBefore } from './sums.ts'

const rereadMs = 30_000

export function Today() {
  const [day] = useState(() => new Date().toDateString())
  const reports = useObject(
    ['report', 'today', day],
    async (api, signal) => {
      const { today, before } = todayAndBefore(new Date())
      const [now, then] = await Promise.all([
        api.reports.payments({ ...today, bucket: '15m' }, { signal }),
        api.reports.payments({ ...before, bucket: '15m' }, { signal }),
      ])
      return { now, then }
    },
    { refetchInterval: rereadMs },
  )
  return (
    <Panel
      title="Today"
      flush
      beside={<span className="text-compact">against {weekdayText()} until the same time</span>}
    >
      <Loaded of={reports}>{(found) => <Sums {...found} />}</Loaded>
    </Panel>
  )
}

function Sums({ now, then }: { now: PaymentsReport; then: PaymentsReport }) {
  const sums = sumsOf(now.data)
  const before = sumsOf(then.data)
  return (
    <>
      {sums.length === 0 && <p className="p-4 text-ink2">Nothing was paid today yet.</p>}
      {sums.map((sum) => (
        <div key={sum.currency} className="not-first:border-t border-line">
          <Row sum={sum} before={before.find(({ currency }) => currency === sum.currency)} from={now.from} />
        </div>
      ))}
      <HowCounted>{now.explanation}</HowCounted>
    </>
  )
}

function Row({ sum, before, from }: { sum: Sum; before: Sum | undefined; from: string }) {
  const money = (amount: number) => moneyText(amount, sum.currency)
  const search = { from: localDay(from) }
  const than = (now: number, then: number | undefined, text: (value: number) => string) =>
    then === undefined || then === 0 ? null : `${changeText(now, then)}: ${text(then)} then`
  return (
    <Figures>
      <Figure
        name={`Volume, ${sum.currency.toUpperCase()}`}
        value={
          <PageLink to="/payments" search={search} className="hover:underline">
            {money(sum.volume)}
          </PageLink>
        }
        note={than(sum.volume, before?.volume, money)}
      />
      <Figure
        name="Approval"
        value={
          <PageLink to="/payments" search={search} className="hover:underline">
            {shareText(sum.approved, sum.attempts)}
          </PageLink>
        }
        note={joined(
          counted(sum.attempts, 'attempt'),
          before && `${shareText(before.approved, before.attempts)} then`,
        )}
      />
      <Figure
        name="Recovered by failover"
        value={
          <PageLink to="/payments" search={search} className="hover:underline">
            {money(sum.recoveredVolume)}
          </PageLink>
        }
        note={joined(
          counted(sum.recovered, 'payment'),
          than(sum.recoveredVolume, before?.recoveredVolume, money),
        )}
      />
      <Figure
        name="Refunds"
        value={
          <PageLink to="/refunds" search={search} className="hover:underline">
            {money(sum.refunded)}
          </PageLink>
        }
        note={than(sum.refunded, before?.refunded, money)}
      />
    </Figures>
  )
}

function joined(...parts: readonly (string | null | undefined)[]): string {
  return parts.filter((part) => part != null).join('; ')
}

/** "Sunday, 8 Nov". */
function weekdayText(): string {
  const { before } = todayAndBefore(new Date())
  const format = { weekday: 'long', day: 'numeric', month: 'short' } as const
  return new Intl.DateTimeFormat('en-GB', format).format(new Date(before.from))
}

/** The day as the lists name it in the address: that of whoever looks. */
function localDay(at: string): string {
  const day = new Date(at)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
}
