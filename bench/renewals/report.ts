/** Formats the results as tables. */
import { table } from '../table.ts'
import type { CountedRenewals, RenewalResult } from './run-renewals.ts'

const roundToHundredth = (number: number) => Math.round(number * 100) / 100
const roundToThousandth = (number: number) => Math.round(number * 1_000) / 1_000

export function ratesTable(result: RenewalResult): string {
  const { subscriptions, collected, workers, plannedSeconds, invoicedSeconds, paidSeconds, injectedFaults } =
    result
  const rate = (count: number, seconds: number) => Math.round(count / seconds)
  return table(
    [
      `${subscriptions} renewals due at the same time, ${workers} workers`,
      's after due',
      'per second',
      'goal',
    ],
    [
      ['the first is planned', roundToHundredth(result.firstSeconds), '', ''],
      ['all are planned', roundToHundredth(plannedSeconds), rate(subscriptions, plannedSeconds), ''],
      [
        'all are planned and invoiced',
        roundToHundredth(invoicedSeconds),
        rate(subscriptions, invoicedSeconds),
        2_000,
      ],
      ...(paidSeconds === null
        ? []
        : [
            [
              `${collected} of them are paid`,
              roundToHundredth(paidSeconds),
              rate(collected, paidSeconds),
              '',
            ],
          ]),
      ...(injectedFaults === null
        ? []
        : [
            ['workers killed', '', injectedFaults.killed, ''],
            ['Postgres restarted', '', injectedFaults.restarted, ''],
            ['JetStream wiped', '', injectedFaults.wiped, ''],
          ]),
    ],
  )
}

export function costsTable(counted: CountedRenewals, cpuMs: RenewalResult['cpuMs']): string {
  const cpu = Object.entries(cpuMs).map(([name, ms]) => [`CPU time, ms, ${name}`, roundToHundredth(ms), ''])
  return table(
    ['per renewal', 'measured', 'at most'],
    [
      ['statements, without frames', roundToThousandth(counted.statements), 0.3],
      ['commits that write', roundToThousandth(counted.commits), 0.02],
      ['pages', Math.round(counted.pages), 120],
      ['WAL bytes', Math.round(counted.walBytes), 8_000],
      ...cpu,
    ],
  )
}

export function statementsTable({ slowest }: CountedRenewals): string {
  return table(
    ['statement', 'calls per renewal', 'us per renewal'],
    slowest.map(({ text, calls, ms }) => [text, roundToThousandth(calls), Math.round(ms * 1_000)]),
  )
}
