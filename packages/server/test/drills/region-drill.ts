// The loss of a region: the database in another region lacks the writes of the last seconds, during which the provider
// charged cards. Clients repeat their requests, and `reconcile` makes the database equal to the ledger of the
// provider. The guide docs/operations/disaster-recovery.md describes the same steps.

import { Switchyard } from '@switchyard/sdk'
import type { Client } from 'pg'
import type { Postgres } from '../../../../scripts/services/postgres.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { until } from '../flows/support/wait.ts'
import { backUp, createArchive, restore, startArchiving, waitUntilArchived } from './archived-postgres.ts'
import {
  compareWithLedger,
  fetchLedger,
  findDoubleCharges,
  findInconsistencies,
  type LedgerEntry,
} from './database-checks.ts'
import {
  type CommandResult,
  type DrillInstallation,
  newWorkspace,
  runCommand,
  startInstallation,
} from './installation.ts'

type RegionDrill = {
  /** The number of payments that are lost. */
  readonly charges: number
  readonly settings: Readonly<Record<string, string>>
}

type RegionReport = {
  readonly lost: number
  readonly dryRun: CommandResult
  /** The runs of `reconcile --apply`; the first one is killed after its first operation. */
  readonly runs: readonly CommandResult[]
  readonly charges: { readonly before: number; readonly after: number }
  readonly returned: number
  readonly steps: readonly { readonly step: string; readonly ms: number }[]
  readonly violations: readonly string[]
}

type Answer = { readonly id: string; readonly status: string }
type Repeatable = { readonly amount: number; readonly repeat: () => Promise<Answer> }

export async function drillRegion(drill: RegionDrill): Promise<RegionReport> {
  const installation = await startInstallation()
  const running: Postgres[] = []
  try {
    return await runDrill(installation, drill, running)
  } finally {
    await Promise.all(running.map((postgres) => postgres.stop('immediate')))
    await installation.clear()
  }
}

async function runDrill(
  installation: DrillInstallation,
  { charges, settings }: RegionDrill,
  running: Postgres[],
): Promise<RegionReport> {
  const steps: { step: string; ms: number }[] = []
  const measure = async <T>(step: string, action: () => Promise<T>): Promise<T> => {
    const startedMs = performance.now()
    const result = await action()
    steps.push({ step, ms: performance.now() - startedMs })
    return result
  }
  const path = (name: string) => `${installation.folder}/${name}`
  const [dataDir, backup, archive] = [path('postgres'), path('backup'), createArchive(path('archive'))]
  const first = await startArchiving(dataDir, archive, settings)
  running.push(first)
  await migrate(first.url)
  const environment = installation.environment(first.url)
  const token = await newWorkspace(environment)
  const listen = { TEST_LISTEN: `127.0.0.1:${installation.port}` }
  const server = await installation.start('all', { ...environment, ...listen })
  const requests = await prepare(installation, token, charges)
  await backUp(first.url, dataDir, backup)
  const recoveryTime = await currentTime(first.url)
  const answers = await measure('charges that will be lost', () => sendAll(requests.keyed))
  await requests.withoutKey()
  const facts = await asOwner(first.url, (client) => fetchLedger(installation.simulatorUrl, client))
  await waitUntilArchived(first.url, archive, 120_000)
  await first.stop('immediate')
  await server.kill('SIGKILL')

  const target = { kind: 'time', at: recoveryTime } as const
  const second = await measure('restore', () =>
    restore({ backup, archive, dataDir: path('restored'), target }, settings),
  )
  running.push(second)
  await migrate(second.url)
  await installation.replaceNats()
  const restored = installation.environment(second.url)
  const since = ['reconcile', '--since', recoveryTime.toISOString()]
  const dryRun = await measure('dry run', () => runCommand(since, restored))
  await installation.start('api', { ...restored, ...listen })
  // Some clients repeat their requests before the operator runs `reconcile`.
  const half = Math.ceil(requests.keyed.length / 2)
  await measure('repeats before reconcile', () => sendAll(requests.keyed.slice(0, half)))
  const apply = [...since, '--apply', '--return-unknown']
  const killed = await runCommand(apply, { ...restored, CRASHPOINT: 'reconcile.handled' })
  const applied = await measure('reconcile --apply', () => runCommand(apply, restored))
  const repeats = await measure('repeats after reconcile', () => sendAll(requests.keyed.slice(half)))
  await installation.start('worker', restored)
  const last = await asOwner(second.url, async (client) => {
    await measure('resolve open operations', () => waitUntilResolved(client))
    return runCommand(apply, restored)
  })
  const verified = await runCommand(['verify-ledger'], restored)
  const compared = await compareBooks(installation, second.url, facts)
  const otherAnswers = repeats.flatMap(({ status }, index) =>
    status === answers[half + index]?.status ? [] : [`the repeat of request ${half + index} is ${status}`],
  )
  const failed = verified.code === 0 ? [] : [verified.out]
  return {
    ...compared,
    lost: answers.length,
    dryRun,
    runs: [killed, applied, last],
    steps,
    violations: [...compared.violations, ...otherAnswers, ...failed],
  }
}

/** Compares the restored database with the ledger of the provider. `before`: the ledger when the region was lost. */
async function compareBooks(installation: DrillInstallation, url: string, before: readonly LedgerEntry[]) {
  return asOwner(url, async (client) => {
    const entries = await fetchLedger(installation.simulatorUrl, client)
    const { missingInDatabase, missingInLedger, different } = await compareWithLedger(client, entries)
    const count = (all: readonly LedgerEntry[], wanted: string) =>
      all.filter(({ fact }) => fact === wanted).length
    return {
      charges: { before: count(before, 'charge'), after: count(entries, 'charge') },
      returned: count(entries, 'refund') - count(before, 'refund'),
      violations: [
        ...missingInDatabase.map(({ fact, reference }) => `${fact} ${reference} is missing in the database`),
        ...missingInLedger.map((reference) => `${reference} is missing in the ledger`),
        ...different,
        ...findDoubleCharges(entries),
        ...(await findInconsistencies(client)),
        ...(await findUnequalSums(client, entries)),
      ],
    }
  })
}

/** The requests that will be lost. What they need exists before the restored point in time. */
async function prepare({ address }: DrillInstallation, token: string, charges: number) {
  const api = new Switchyard({ token, baseUrl: address })
  const createToken = async () => {
    const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' }
    return (await api.tokens.create({ type: 'card', card })).id
  }
  const captured = await api.payments.create({ amount: 5_000, currency: 'eur', token: await createToken() })
  const manual = { capture_method: 'manual', amount: 3_000, currency: 'eur' } as const
  const authorized = await api.payments.create({ ...manual, token: await createToken() })
  const tokens: string[] = []
  for (let index = 0; index <= charges; index++) tokens.push(await createToken())
  const [unkeyed = '', ...others] = tokens
  const keyed: Repeatable[] = others.map((card, index) => ({
    amount: 1_000 + index,
    repeat: () => {
      const capture_method = index % 5 === 4 ? 'manual' : 'automatic'
      const body = { amount: 1_000 + index, currency: 'eur', token: card, capture_method } as const
      return api.payments.create(body, { idempotencyKey: `order-${index}` })
    },
  }))
  for (const amount of [300, 400]) {
    const refund = { payment_id: captured.id, amount }
    keyed.push({
      amount,
      repeat: () => api.refunds.create(refund, { idempotencyKey: `refund-${amount}` }),
    })
  }
  keyed.push({
    amount: 2_000,
    repeat: () => api.payments.capture(authorized.id, { amount: 2_000 }, { idempotencyKey: 'capture-1' }),
  })
  /** The SDK sends a key with every request. */
  const withoutKey = async () => {
    const response = await fetch(`${address}/payments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ amount: 7_777, currency: 'eur', token: unkeyed }),
    })
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`)
  }
  return { keyed, withoutKey }
}

async function sendAll(requests: readonly Repeatable[]): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const { repeat } of requests) answers.push(await repeat())
  return answers
}

async function currentTime(url: string): Promise<Date> {
  const { rows } = await asOwner(url, (client) => client.query('select clock_timestamp() as at'))
  return rows[0].at
}

const countOpen = `select count(*)::int as count from operations
  where status in ('sending', 'pending', 'unknown', 'awaiting_customer')`

async function waitUntilResolved(client: Client): Promise<void> {
  const isIdle = async () => (await client.query(countOpen)).rows[0].count === 0
  await until('no operation is open', isIdle, { withinMs: 120_000 })
}

/** The sums of the payments must equal the sums at the provider. */
async function findUnequalSums(
  client: Client,
  entries: readonly { readonly fact: string; readonly amount: number; readonly capture?: boolean }[],
): Promise<string[]> {
  const { rows } = await client.query(
    `select coalesce(sum(amount_captured), 0)::int as captured, coalesce(sum(amount_refunded), 0)::int as refunded
     from payments`,
  )
  const sumOf = (isWanted: (entry: (typeof entries)[number]) => boolean) =>
    entries.filter(isWanted).reduce((total, { amount }) => total + amount, 0)
  const captured = sumOf(({ fact, capture }) => fact === 'capture' || (fact === 'charge' && capture === true))
  const refunded = sumOf(({ fact }) => fact === 'refund')
  const [ours] = rows
  return ours.captured === captured && ours.refunded === refunded
    ? []
    : [`captured ${ours.captured} and refunded ${ours.refunded}, at the provider ${captured} and ${refunded}`]
}
