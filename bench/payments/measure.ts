/** Payments: how many a second, what they write, and how much time they add to that of the provider. */
import { effortOf, type Rounds, rateOf } from '../ratios/compare.ts'
import type { Effort } from '../ratios/measurement.ts'
import type { Stage } from '../ratios/stage.ts'
import { table } from '../table.ts'
import { type Commits, countCommits } from './commits.ts'
import { type Latency, measureLatency } from './latency.ts'
import { openShop } from './shop.ts'
import { bareName, measureThroughput, serviceName } from './throughput.ts'

export type Payments = { readonly rounds: Rounds; readonly latency: Latency; readonly commits: Commits }

/** Rare waits are seen only in many payments. */
const steadyRounds = 4

export async function measurePayments(stage: Stage, effort: Effort): Promise<Payments> {
  const shop = await openShop(stage)
  try {
    const rounds = await measureThroughput(stage, shop, effort)
    const offered = rateOf(rounds, serviceName) / 2
    const latency = await measureLatency(stage, shop, { offered, forMs: effort.forMs * steadyRounds })
    return { rounds, latency, commits: await countCommits(stage, shop, effort) }
  } finally {
    await shop.close()
  }
}

const hundredths = (number: number) => Math.round(number * 100) / 100

export function paymentsTable({ rounds, latency, commits }: Payments): string {
  const [ours, bare] = [serviceName, bareName].map((name) => effortOf(rounds, name)) as [number, number]
  const { added, simulator, offered, sentLateP99Ms } = latency
  return table(
    ['payments', 'measured', 'goal'],
    [
      // Moves less than the rates when others use the machine.
      ['processor time, bare / ours', hundredths(bare / ours), 0.5],
      [`added time p50, ms, at ${Math.round(offered)} a second`, hundredths(added.p50Ms), 5],
      ['added time p99, ms', hundredths(added.p99Ms), 20],
      ['time of the simulator p50, ms', hundredths(simulator.p50Ms), ''],
      ['time of the simulator p99, ms', hundredths(simulator.p99Ms), ''],
      ['sent later than meant p99, ms', hundredths(sentLateP99Ms), ''],
      ['commits that write, with both deliveries', hundredths(commits.perPayment), 2.5],
      ['statements, frames included', hundredths(commits.statementsPerPayment), ''],
      ['WAL bytes', Math.round(commits.walBytesPerPayment), ''],
      [`deliveries of ${commits.payments} payments`, commits.deliveries, commits.payments * 2],
    ],
  )
}
