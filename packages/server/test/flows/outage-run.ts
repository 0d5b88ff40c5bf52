// npm run test:outage -- [--seconds 60] [--rate 100] [--before 10] [--manner plain|reset] [--providers stripe_adyen]:
// one provider account fails for `--seconds` while `--rate` payments per second are created. Reports the results with
// and without the circuit breaker. With `--providers stripe_adyen` the accounts are an emulated Stripe and Adyen, and
// some cards are declined: the class of the decline determines how many accounts may be called.

import { parseArgs } from 'node:util'
import { table } from '../../../../bench/table.ts'
import { startTemporaryPostgres } from '../money/temporary-postgres.ts'
import { type Outage, type OutageReport, type Phase, runOutage } from './support/outage-scenario.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '100' },
    before: { type: 'string', default: '10' },
    manner: { type: 'string', default: 'plain' },
    providers: { type: 'string', default: 'simulator' },
  },
})

const scenario = {
  manner: values.manner as Outage['manner'],
  providers: values.providers as Outage['providers'],
  ratePerSecond: Number(values.rate),
  beforeSeconds: Number(values.before),
  outageSeconds: Number(values.seconds),
  probeImmediately: false,
}

const percent = (share: number) => Math.round(share * 10_000) / 100
const phaseRow = (
  label: string,
  { payments, overloaded, approved, unresolved, failedOver, rate, triedFailing, p50Ms, p99Ms }: Phase,
) => [
  label,
  payments,
  overloaded,
  approved,
  unresolved,
  failedOver,
  percent(rate),
  triedFailing,
  p50Ms,
  p99Ms,
]

function reportRows(name: string, { before, during, after }: OutageReport) {
  return [
    phaseRow(`${name}: before`, before),
    phaseRow(`${name}: outage`, during),
    phaseRow(`${name}: after`, after),
  ]
}

function declineTable(name: string, { declines }: OutageReport): string {
  const head = ['', 'decline', 'class', 'payments', 'unresolved', '1 account', '2 accounts', 'more']
  const rows = declines.counts.map((counts) => [
    `${name}: ${counts.phase}`,
    counts.decline,
    counts.class,
    counts.payments,
    counts.unresolved,
    counts.oneAccount,
    counts.twoAccounts,
    counts.moreAccounts,
  ])
  return table(head, rows)
}

const seconds = (ms: number | null) => (ms === null ? 'never' : `${Math.round(ms / 100) / 10} s`)

const temporaryPostgres = await startTemporaryPostgres()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => temporaryPostgres.stop().finally(() => process.exit(130)))
try {
  const run = async (hasBreaker: boolean) =>
    runOutage({ ...scenario, hasBreaker, databaseUrl: await temporaryPostgres.newDatabase() })
  const [withBreaker, withoutBreaker] = [await run(true), await run(false)]
  const head = [
    '',
    'payments',
    'overloaded',
    'approved',
    'unresolved',
    'failed over',
    '%',
    'tried the failing account',
    'p50 ms',
    'p99 ms',
  ]
  console.log(
    table(head, [...reportRows('breaker', withBreaker), ...reportRows('no breaker', withoutBreaker)]),
  )
  const share = withBreaker.during.rate / withBreaker.before.rate
  console.log(`\nApproval rate during the outage: ${percent(share)} % of the rate before (at least 95).`)
  console.log(`Time until the breaker opened: ${seconds(withBreaker.openedAfterMs)} (at most 5 s).`)
  console.log(
    `From the end of the outage until it closed: ${seconds(withBreaker.recoveredAfterMs)} (at most 15 s).`,
  )
  const { doubleCharges, mismatches, openedAfterMs, recoveredAfterMs } = withBreaker
  console.log(`Double charges: ${doubleCharges}. Payments that differ from the ledger: ${mismatches.length}.`)
  const reports = [withBreaker, withoutBreaker]
  if (scenario.providers === 'stripe_adyen') {
    console.log('\nDeclined cards, and how many accounts were asked to charge them:\n')
    console.log(`${declineTable('breaker', withBreaker)}\n\n${declineTable('no breaker', withoutBreaker)}\n`)
  }
  const violations = reports.flatMap(({ declines }) => declines.violations)
  console.log(`Declined payments that called other accounts than their class permits: ${violations.length}.`)
  for (const violation of violations.slice(0, 20)) console.log(`  ${violation}`)
  const isWithin = (ms: number | null, limitMs: number) => ms !== null && ms <= limitMs
  const isFast = isWithin(openedAfterMs, 5_000) && isWithin(recoveredAfterMs, 15_000)
  const isCorrect = doubleCharges === 0 && mismatches.length === 0 && violations.length === 0
  process.exitCode = share >= 0.95 && isFast && isCorrect ? 0 : 1
} finally {
  await temporaryPostgres.stop()
}
