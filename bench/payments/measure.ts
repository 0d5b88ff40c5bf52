/** Measures payments: throughput, writes, and the latency added to the provider's. */
import { cpuTimeOf, type Rounds, rateOf } from '../ratios/compare.ts'
import type { Effort } from '../ratios/effort.ts'
import type { BenchEnvironment } from '../ratios/environment.ts'
import { table } from '../table.ts'
import { type Commits, countCommits } from './commits.ts'
import { type Latency, measureLatency } from './latency.ts'
import { createMerchant } from './merchant.ts'
import { bareName, measureThroughput, serviceName } from './throughput.ts'

export type Payments = { readonly rounds: Rounds; readonly latency: Latency; readonly commits: Commits }

/** Several rounds, because rare delays show only in many payments. */
const latencyRounds = 4

export async function measurePayments(bench: BenchEnvironment, effort: Effort): Promise<Payments> {
  const merchant = await createMerchant(bench)
  try {
    const rounds = await measureThroughput(bench, merchant, effort)
    const offered = rateOf(rounds, serviceName) / 2
    const latency = await measureLatency(bench, merchant, { offered, forMs: effort.forMs * latencyRounds })
    return { rounds, latency, commits: await countCommits(bench, merchant, effort) }
  } finally {
    await merchant.close()
  }
}

const roundToHundredth = (number: number) => Math.round(number * 100) / 100

export function paymentsTable({ rounds, latency, commits }: Payments): string {
  const [service, bare] = [serviceName, bareName].map((name) => cpuTimeOf(rounds, name)) as [number, number]
  const { added, simulator, offered, sentLateP99Ms } = latency
  return table(
    ['payments', 'measured', 'goal'],
    [
      // CPU time varies less than the rates when other processes use the machine.
      ['CPU time, bare / service', roundToHundredth(bare / service), 0.5],
      [`added time p50, ms, at ${Math.round(offered)} per second`, roundToHundredth(added.p50Ms), 5],
      ['added time p99, ms', roundToHundredth(added.p99Ms), 20],
      ['simulator time p50, ms', roundToHundredth(simulator.p50Ms), ''],
      ['simulator time p99, ms', roundToHundredth(simulator.p99Ms), ''],
      ['generator delay p99, ms', roundToHundredth(sentLateP99Ms), ''],
      ['commits that write, with both deliveries', roundToHundredth(commits.perPayment), 2.5],
      ['statements, frames included', roundToHundredth(commits.statementsPerPayment), ''],
      ['WAL bytes', Math.round(commits.walBytesPerPayment), ''],
      [`deliveries of ${commits.payments} payments`, commits.deliveries, commits.payments * 2],
    ],
  )
}
