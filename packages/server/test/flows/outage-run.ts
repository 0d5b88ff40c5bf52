// npm run test:outage -- [--seconds 60] [--rate 100] [--before 10] [--manner plain|reset]: an account fails for so long
// under so many payments a second; told with the breaker, and without one beside it.

import { parseArgs } from 'node:util'
import { table } from '../../../../bench/table.ts'
import { startThrowaway } from '../money/throwaway.ts'
import { type Outage, type Phase, type Told, tellOutage } from './support/outage-story.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '100' },
    before: { type: 'string', default: '10' },
    manner: { type: 'string', default: 'plain' },
  },
})

const story = {
  manner: values.manner as Outage['manner'],
  ratePerSecond: Number(values.rate),
  beforeSeconds: Number(values.before),
  outageSeconds: Number(values.seconds),
  probesAtOnce: false,
}

const percent = (share: number) => Math.round(share * 10_000) / 100
const lineOf = (
  what: string,
  { payments, turnedAway, approved, rate, askedFailing, p50Ms, p99Ms }: Phase,
) => [...[what, payments, turnedAway, approved, percent(rate), askedFailing, p50Ms, p99Ms]]

function linesOf(name: string, { before, during, after }: Told) {
  return [
    lineOf(`${name}: before`, before),
    lineOf(`${name}: outage`, during),
    lineOf(`${name}: after`, after),
  ]
}

const seconds = (ms: number | null) => (ms === null ? 'never' : `after ${Math.round(ms / 100) / 10} s`)

const throwaway = await startThrowaway()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => throwaway.stop().finally(() => process.exit(130)))
try {
  const tell = async (hasBreaker: boolean) =>
    tellOutage({ ...story, hasBreaker, databaseUrl: await throwaway.newDatabase() })
  const [guarded, bare] = [await tell(true), await tell(false)]
  const head = ['', 'payments', 'turned away', 'approved', '%', 'asked the failing one', 'p50 ms', 'p99 ms']
  console.log(table(head, [...linesOf('breaker', guarded), ...linesOf('none', bare)]))
  const share = guarded.during.rate / guarded.before.rate
  console.log(`\nApproved over the outage: ${percent(share)} % of before (at least 95).`)
  console.log(`The breaker opened ${seconds(guarded.openedAfterMs)} (at most 5 s).`)
  console.log(`It was closed ${seconds(guarded.recoveredAfterMs)} of the return (at most 15 s).`)
  const { openedAfterMs, recoveredAfterMs } = guarded
  const isSoon = (ms: number | null, mostMs: number) => ms !== null && ms <= mostMs
  const isWell = share >= 0.95 && isSoon(openedAfterMs, 5_000) && isSoon(recoveredAfterMs, 15_000)
  process.exitCode = isWell ? 0 : 1
} finally {
  await throwaway.stop()
}
