/** The figures as tables. */
import { table } from '../table.ts'
import type { Counting, Played } from './play.ts'

const hundredths = (number: number) => Math.round(number * 100) / 100
const thousandths = (number: number) => Math.round(number * 1_000) / 1_000

export function ratesTable(played: Played): string {
  const { subscriptions, collected, workers, plannedSeconds, invoicedSeconds, paidSeconds, caused } = played
  const rate = (count: number, seconds: number) => Math.round(count / seconds)
  return table(
    [`${subscriptions} renewals of one instant, ${workers} workers`, 's after it', 'a second', 'goal'],
    [
      ['the first is planned', hundredths(played.firstSeconds), '', ''],
      ['all are planned', hundredths(plannedSeconds), rate(subscriptions, plannedSeconds), ''],
      [
        'all are planned and invoiced',
        hundredths(invoicedSeconds),
        rate(subscriptions, invoicedSeconds),
        2_000,
      ],
      ...(paidSeconds === null
        ? []
        : [[`${collected} of them are paid`, hundredths(paidSeconds), rate(collected, paidSeconds), '']]),
      ...(caused === null
        ? []
        : [
            ['workers killed', '', caused.killed, ''],
            ['Postgres restarted', '', caused.restarted, ''],
            ['JetStream wiped', '', caused.wiped, ''],
          ]),
    ],
  )
}

export function costsTable(counted: Counting, cpuMs: Played['cpuMs']): string {
  const cpu = Object.entries(cpuMs).map(([who, ms]) => [`processor time, ms, ${who}`, hundredths(ms), ''])
  return table(
    ['for each renewal', 'measured', 'at most'],
    [
      ['statements, without frames', thousandths(counted.statements), 0.3],
      ['commits that write', thousandths(counted.commits), 0.02],
      ['pages', Math.round(counted.pages), 120],
      ['WAL bytes', Math.round(counted.walBytes), 8_000],
      ...cpu,
    ],
  )
}

export function statementsTable({ slowest }: Counting): string {
  return table(
    ['statement', 'calls for each renewal', 'us for each renewal'],
    slowest.map(({ text, calls, ms }) => [text, thousandths(calls), Math.round(ms * 1_000)]),
  )
}
