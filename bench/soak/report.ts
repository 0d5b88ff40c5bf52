/** Formats the result of a soak run as a table. */
import { quantile } from '../ratios/quartiles.ts'
import { table } from '../table.ts'
import { type Interval, thirdsOf } from './judge.ts'
import type { Totals } from './verify.ts'

const round = (figure: number) => Math.round(figure * 10) / 10

export function soakTable(
  intervals: readonly Interval[],
  totals: Totals,
  latenciesMs: readonly number[],
): string {
  const sorted = latenciesMs.toSorted((a, b) => a - b)
  const sum = (pick: (interval: Interval) => number) => intervals.reduce((all, each) => all + pick(each), 0)
  const seconds = sum((interval) => interval.seconds)
  const paid = totals.payments + totals.renewals
  const processes = Object.keys(intervals[0]?.memoryMb ?? {})
  const perSecond = sum(({ payments }) => payments) / seconds
  const growth = (name: string, pick: (interval: Interval) => number) => {
    const { first, last } = thirdsOf(intervals, pick)
    return [`${name}, first and last third`, round(first), round(last)]
  }
  return table(
    ['', 'measured', 'last third'],
    [
      ['POST /payments per second', round(perSecond), ''],
      ['p50, ms', round(quantile(sorted, 0.5)), ''],
      ['p99, ms', round(quantile(sorted, 0.99)), ''],
      [
        'p99 of the worst interval, ms',
        round(Math.max(...intervals.map(({ p99Ms }) => p99Ms).filter(Number.isFinite))),
        '',
      ],
      [
        'generator delay, highest p99, ms',
        round(Math.max(...intervals.map(({ sentLateP99Ms }) => sentLateP99Ms))),
        '',
      ],
      ['payments, renewals included', paid, ''],
      ['of which renewals', totals.renewals, ''],
      ['refunds', totals.refunds, ''],
      ['events per payment', round(totals.events / paid), ''],
      ['deliveries per payment', round(totals.deliveries / paid), ''],
      ['deliveries per second', round(sum((each) => each.deliveriesPerSecond * each.seconds) / seconds), ''],
      ...processes.map((name) => [
        `CPU of ${name}, % of one core`,
        round(sum(({ cpuMs }) => cpuMs[name] ?? 0) / (seconds * 10)),
        '',
      ]),
      growth('p99 delay of deliveries, ms', ({ lagP99Ms }) => lagP99Ms),
      growth('undelivered events', ({ pendingDeliveries }) => pendingDeliveries),
      growth('open operations', ({ openOperations }) => openOperations),
      ...processes.map((name) => growth(`memory of ${name}, MB`, ({ memoryMb }) => memoryMb[name] ?? 0)),
      ['database, MB', '', round((intervals.at(-1)?.databaseBytes ?? 0) / 1e6)],
      ['WAL, MB', '', round((intervals.at(-1)?.walBytes ?? 0) / 1e6)],
    ],
  )
}
