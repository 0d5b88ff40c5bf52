// `npm run bench:settlement -- --lines 200000`: creates that many captured payments and a report about them, imports the
// report over HTTP, and measures upload and matching: lines per second, WAL, and the peak resident memory of the
// processes. Goal: 10 million lines in 10 minutes, below 300 MB.

import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { type Id, uuidOf } from '../packages/server/src/kernel/id.ts'
import { callApi } from './ratios/call-api.ts'
import { startEnvironment } from './ratios/environment.ts'
import { mainScript, nodeArgumentsOfImage, startScript } from './ratios/processes.ts'
import { loadAverage, peakResidentMb, processMs, processTreeMs } from './ratios/processor.ts'
import { table } from './table.ts'

const { values } = parseArgs({ options: { lines: { type: 'string', default: '200000' } } })
const lines = Number(values.lines)
const cpuColumns = ['API CPU s', 'worker CPU s', 'PostgreSQL CPU s']
/** The report covers a month, ordered by time. */
const reportedMs = 30 * 86_400_000
/** One in this many lines has a different amount. */
const differingEvery = 10_000
const header =
  'automatic_payout_id,automatic_payout_effective_at_utc,balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category,source_id,customer_facing_amount,customer_facing_currency,payment_intent_id,card_brand,card_country,card_funding,description\n'

// The server runs from its sources, as in the container image.
const bench = await startEnvironment(null)
const call = (method: string, path: string, body?: object) => callApi(bench, { method, path, body })
const worker = await startScript({
  folder: bench.folder,
  name: 'worker',
  script: mainScript,
  args: ['worker'],
  environment: await bench.environment(),
  nodeArguments: nodeArgumentsOfImage(),
})
const client = new Client({ connectionString: bench.postgres.url })
try {
  await client.connect()
  await worker.waitForOutput('"ready"')
  await measure()
} finally {
  await client.end()
  await worker.end('SIGTERM')
  await bench.clear()
}

async function measure(): Promise<void> {
  const account = (await call('GET', '/provider-accounts?limit=1')).data[0].id
  await createPayments(account)
  await waitUntilRolledUp()
  const created = await call('POST', '/settlement-imports', {
    provider_account_id: account,
    format: 'stripe_payout_reconciliation',
  })
  const parts = [
    await timed('upload', () => upload(created.id)),
    await timed('matching', () => waitUntilCompleted(created.id)),
  ]
  const { matched, amount_differs, missing_here } = await call('GET', '/reconciliation')
  const rows = parts.map(({ name, seconds, cpuSeconds, walBytes }) => [
    name,
    rounded(seconds),
    Math.round(lines / seconds),
    ...cpuSeconds.map((value) => rounded((value / lines) * 100_000)),
    Math.round(walBytes / lines),
  ])
  const columns = ['part', 'seconds', 'lines per second', ...cpuColumns, 'bytes of WAL per line']
  console.log(`\n${table(columns, rows)}`)
  console.log('CPU seconds are per 100,000 lines.\n')
  const seconds = parts.reduce((sum, part) => sum + part.seconds, 0)
  const extrapolated = Math.round((seconds / lines) * 10_000_000)
  console.log(`${lines} lines: ${matched} matched, ${amount_differs} differ, ${missing_here} missing here.`)
  console.log(`10 million lines would take ${extrapolated} s. Goal: 600 s.`)
  console.log(
    `Peak resident memory: API ${peakMb(bench.server.pid)} MB, worker ${peakMb(worker.pid)} MB. Goal: 300 MB.`,
  )
  console.log(`System load: ${loadAverage()}.`)
  if (matched + amount_differs !== lines) throw new Error('Lines were not matched.')
}

/** Inserts operations and postings directly: the matching reads nothing else of a payment. */
async function createPayments(account: string): Promise<void> {
  await client.query('set session_replication_role = replica')
  for (let from = 0; from < lines; from += 100_000)
    await client.query(
      `with payment as (
         select uuidv7() as id, uuidv7() as operation_id, n from generate_series($3::int, $4::int) as n),
       operation as (
         insert into operations (workspace_id, payment_id, id, attempt_id, kind, number, reference, status, amount,
           currency, capture, provider_account_id, provider_reference, lease_until, created_at, updated_at)
         select $1, id, operation_id, id, 'authorize', 1, 'reference-' || n, 'succeeded', 1000 + n % 5000, 'eur', true,
           $2, 'pi_' || n, now(), now(), now() from payment)
       insert into ledger_postings (workspace_id, id, cause_id, line, act, debit_account, credit_account, debit_object,
         credit_object, provider_account_id, currency, amount, effective_at)
       select $1, ledger_posting_id(operation_id, 0), operation_id, 0, 'payment_captured', 'clearing', 'sales', id, id,
         $2, 'eur', 1000 + n % 5000, now() from payment`,
      [bench.workspace, uuidOf(account as Id<'provider_account'>), from, Math.min(lines, from + 100_000) - 1],
    )
  await client.query('vacuum analyze operations, ledger_postings')
}

/** Balances of the payments are rolled up when they are captured, long before their report is imported. */
async function waitUntilRolledUp(): Promise<void> {
  for (;;) {
    const { rows } = await client.query(
      `select coalesce(sum(debits), 0) = (select sum(amount) from ledger_postings where workspace_id = $1) as done
       from ledger_balances where workspace_id = $1 and account = 'clearing'`,
      [bench.workspace],
    )
    if (rows[0].done) return
    await pause(500)
  }
}

/** Yields the report in chunks, so that the bench does not hold it in memory. */
function* report(): Generator<Uint8Array> {
  const encoder = new TextEncoder()
  const finishMs = Date.now()
  const timeOf = (n: number) =>
    new Date(finishMs - reportedMs * (1 - n / lines)).toISOString().slice(0, 19).replace('T', ' ')
  const day = timeOf(lines).slice(0, 10)
  yield encoder.encode(header)
  for (let from = 0; from < lines; from += 500) {
    let chunk = ''
    for (let n = from; n < Math.min(lines, from + 500); n += 1) {
      const cents = 1000 + (n % 5000) - (n % differingEvery === 0 ? 1 : 0)
      const gross = (cents / 100).toFixed(2)
      const net = ((cents - 45) / 100).toFixed(2)
      chunk += `po_${n % 30},${day} 00:00:00,txn_${n},${timeOf(n)},eur,${gross},0.45,${net},charge,ch_${n},${gross},eur,pi_${n},visa,DE,credit,Order number ${n}\n`
    }
    yield encoder.encode(chunk)
  }
}

async function upload(id: string): Promise<void> {
  const chunks = report()
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
  const response = await fetch(`http://127.0.0.1:${bench.port}/settlement-imports/${id}/content`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${bench.token}`, 'content-type': 'text/csv' },
    body,
    duplex: 'half',
  } as RequestInit)
  if (!response.ok) throw new Error(`The upload failed: ${await response.text()}`)
}

async function waitUntilCompleted(id: string): Promise<void> {
  for (;;) {
    const { status, lines_matched } = await call('GET', `/settlement-imports/${id}`)
    if (status === 'completed') return
    if (status !== 'matching') throw new Error(`The import is ${status} after ${lines_matched} lines.`)
    await pause(100)
  }
}

async function timed(name: string, run: () => Promise<void>) {
  const [startedMs, startedAt, cpuBefore] = [performance.now(), await walPosition(), cpuMs()]
  await run()
  const cpuAfter = cpuMs()
  return {
    name,
    seconds: (performance.now() - startedMs) / 1000,
    cpuSeconds: cpuAfter.map((after, index) => (after - (cpuBefore[index] ?? 0)) / 1000),
    walBytes: (await walPosition()) - startedAt,
  }
}

/** The CPU time of the processes in the order of `cpuColumns`. Unlike seconds, it hardly depends on other load. */
function cpuMs(): readonly number[] {
  return [processMs(bench.server.pid), processMs(worker.pid), processTreeMs(bench.postgres.pid)]
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}

const peakMb = (pid: number) => Math.round(peakResidentMb(pid))

async function walPosition(): Promise<number> {
  const { rows } = await client.query("select (pg_current_wal_insert_lsn() - '0/0')::text as bytes")
  return Number(rows[0].bytes)
}
