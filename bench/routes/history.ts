/**
 * Measures the time and memory of a route simulation with many payments. The payments are created inside the database,
 * and the simulation runs the same code as in a worker.
 */
import { Client } from 'pg'
import { runSimulation } from '../../packages/server/src/domains/routing/route-simulations/service/run.ts'
import { type Id, uuidOf } from '../../packages/server/src/kernel/id.ts'
import { ensurePartitions } from '../../packages/server/src/platform/db/partitions.ts'
import { type ApiServer, startApiServer } from '../counters/api-server.ts'
import { rowsOf, uuidAt } from '../fill.ts'
import { loadAverage, processTreeMs } from '../ratios/processor.ts'
import { table } from '../table.ts'
import { startTemporaryPostgres } from '../temporary-postgres.ts'

const days = 60
const accounts = 4
const currencies = ['eur', 'usd', 'gbp', 'chf']
const countries = ['DE', 'FR', 'NL', 'BE', 'AT', 'IT', 'ES', 'PT', 'PL', 'SE']

export async function measureHistory(payments: number): Promise<void> {
  const settings = { max_wal_size: '8GB', shared_buffers: '512MB', maintenance_work_mem: '256MB' }
  const postgres = await startTemporaryPostgres(settings)
  const api = await startApiServer(postgres.url)
  try {
    const targets = await Promise.all(Array.from({ length: accounts }, () => createAccount(api)))
    const fillMs = await measureMs(() => fillHistory(postgres.url, api, { payments, targets }))
    console.log(`${payments} payments were created in ${Math.round(fillMs / 1000)} s.\n`)
    const rows = []
    for (const rules of [1, 20, 200]) rows.push(await measure(api, postgres.pid, { rules, targets }))
    const head = [
      'rules',
      'seconds',
      'server CPU s',
      'Postgres CPU s',
      'payments/s',
      'rerouted',
      'heap MB',
      'with buffers MB',
    ]
    console.log(table(head, rows))
    console.log(`\nSystem load: ${loadAverage()}.`)
    console.log(`\nA cancelled simulation stopped after ${await cancelMs(api, targets)} ms.`)
  } finally {
    await api.close()
    await postgres.remove()
  }
}

function createAccount({ call }: ApiServer): Promise<string> {
  const config = { base_url: 'https://psp.example.com' }
  const body = { provider: 'custom', display_name: 'Measured', config }
  return call({ method: 'POST', path: '/provider-accounts', body })
}

type HistoryOptions = { readonly payments: number; readonly targets: readonly string[] }

/** Creates payments of the last 60 days inside the database. */
export async function fillHistory(
  url: string,
  { workspaceId }: Pick<ApiServer, 'workspaceId'>,
  { payments, targets }: HistoryOptions,
): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const to = new Date()
  const from = new Date(to.getTime() - days * 86_400_000)
  await ensurePartitions((text) => client.query(text), from)
  await client.query(uuidAt)
  await client.query('set session_replication_role = replica')
  const values = [payments, from, to, [uuidOf(workspaceId)]]
  const uuids = targets.map((id) => uuidOf(id as Id<'provider_account'>))
  await client.query(insertPayments, [...values, currencies, countries])
  await client.query(insertAttempts, [...values, uuids])
  // Autovacuum would have done this already.
  for (const name of ['payments', 'payment_attempts']) await client.query(`vacuum analyze ${name}`)
  await client.end()
}

const payment = 'pg_temp.uuid_at(made_at, n * 8)'

const insertPayments = `
  insert into payments (workspace_id, id, status, purpose, amount, currency, amount_captured, capture_method,
    initiator, three_d_secure, customer_id, card, fingerprint, attempts_count, metadata, created_at, updated_at)
  select workspace_id, ${payment}, 'succeeded', 'payment', 100 + n * 7919 % 60000, ($5::text[])[1 + n % 4],
    100 + n * 7919 % 60000, 'automatic', 'customer', 'auto', pg_temp.uuid_at($2::timestamptz, n % 10000),
    jsonb_build_object('brand', 'visa', 'last4', '4242', 'exp_month', 12, 'exp_year', 2030, 'funding', 'credit',
      'bin', '424242', 'country', ($6::text[])[1 + n / 4 % 10]), md5(n::text), 1, '{"tier": "gold"}', made_at, made_at
  from (${rowsOf}) as filling`

/** One in twelve was declined. */
const insertAttempts = `
  insert into payment_attempts (workspace_id, payment_id, id, number, status, provider_account_id, trace,
    card_fingerprint, created_at, updated_at)
  select workspace_id, ${payment}, pg_temp.uuid_at(made_at, n * 8 + 1), 1,
    case when n % 12 = 0 then 'declined' else 'captured' end, ($5::uuid[])[1 + n / 40 % cardinality($5::uuid[])],
    '{"cause": "rule \\"EU cards\\"", "candidates": []}', md5(n::text), made_at, made_at
  from (${rowsOf}) as filling`

/** Rules that most payments do not match, a split as the default, and a draft with a different split. */
async function createRoute({ call }: ApiServer, rules: number, targets: readonly string[]): Promise<string> {
  const route = { name: `${rules} rules`, ...definition(rules, targets, 80) }
  const id = await call({ method: 'POST', path: '/payment-routes', body: route })
  const body = { ...definition(rules, targets, 60), draft: true }
  await call({ method: 'PUT', path: `/payment-routes/${id}`, body })
  return id
}

function definition(rules: number, targets: readonly string[], weight: number) {
  const [first, second] = targets
  const shares = [
    { provider_account_id: first, weight },
    { provider_account_id: second, weight: 100 - weight },
  ]
  return {
    rules: Array.from({ length: rules }, (_, index) => ruleAt(index, targets)),
    default: { type: 'split', key: 'payment', targets: shares },
  }
}

function ruleAt(index: number, targets: readonly string[]) {
  const from = Math.floor(index / currencies.length) * 1_000 + 1
  const conditions = [
    { field: 'currency', op: 'eq', value: currencies[index % currencies.length] },
    { field: 'amount', op: 'between', value: [from, from + 999] },
    { field: 'metadata.tier', op: 'eq', value: 'gold' },
  ]
  const action = {
    type: 'priority',
    targets: [targets[index % targets.length], targets[(index + 1) % targets.length]],
  }
  return Object.fromEntries<unknown>([
    ['name', `rule ${index}`],
    ['when', { all: conditions }],
    ['then', action],
  ])
}

const history = () => ({
  from_at: new Date(Date.now() - (days + 1) * 86_400_000).toISOString(),
  payments: 'all',
})

function startSimulation({ call }: ApiServer, route: string): Promise<string> {
  return call({ method: 'POST', path: `/payment-routes/${route}/simulate`, body: { history: history() } })
}

type SimulatedRoute = { readonly rules: number; readonly targets: readonly string[] }

async function measure(
  api: ApiServer,
  postgresPid: number,
  { rules, targets }: SimulatedRoute,
): Promise<(string | number)[]> {
  const id = await startSimulation(api, await createRoute(api, rules, targets))
  const memory = watchMemory()
  const [ownCpu, postgresMs] = [process.cpuUsage(), processTreeMs(postgresPid)]
  const tookMs = await measureMs(() => runUntilCompleted(api, id))
  const { user, system } = process.cpuUsage(ownCpu)
  const { heapMb, rssMb } = memory.stop()
  const { done, elsewhere } = await outcomeOf(api, id)
  const seconds = (ms: number) => Math.round(ms / 100) / 10
  const cpuSeconds = [seconds((user + system) / 1000), seconds(processTreeMs(postgresPid) - postgresMs)]
  const perSecond = Math.round((done / tookMs) * 1000)
  return [rules, seconds(tookMs), ...cpuSeconds, perSecond, elsewhere, heapMb, rssMb]
}

async function runUntilCompleted({ switchyard, workspaceId }: ApiServer, id: string): Promise<void> {
  const ref = { workspaceId, id: id as Id<'route_simulation'> }
  // A simulation runs in slices, so that other work is not blocked.
  while ((await statusOf({ switchyard, workspaceId } as ApiServer, id)) === 'running')
    await runSimulation(switchyard.deps, ref)
}

type Row = { readonly status: string; readonly done: number; readonly result: { moved: number } | null }

async function rowOf({ switchyard, workspaceId }: ApiServer, id: string): Promise<Row> {
  return switchyard.deps.databases.of(workspaceId).inWorkspace(workspaceId, async (db) => {
    const uuid = uuidOf(id as Id<'route_simulation'>)
    const row = await db
      .selectFrom('route_simulations')
      .select(['status', 'done', 'result'])
      .where('workspace_id', '=', uuidOf(workspaceId))
      .where('id', '=', uuid)
      .executeTakeFirstOrThrow()
    return row as Row
  })
}

async function statusOf(api: ApiServer, id: string): Promise<string> {
  return (await rowOf(api, id)).status
}

async function outcomeOf(api: ApiServer, id: string): Promise<{ done: number; elsewhere: number }> {
  const { done, result } = await rowOf(api, id)
  return { done, elsewhere: result?.moved ?? 0 }
}

/** Peak memory usage. */
function watchMemory(): { stop(): { heapMb: number; rssMb: number } } {
  const peak = { heapMb: 0, rssMb: 0 }
  const sample = () => {
    const { heapUsed, external, rss } = process.memoryUsage()
    peak.heapMb = Math.max(peak.heapMb, Math.round((heapUsed + external) / 1e6))
    peak.rssMb = Math.max(peak.rssMb, Math.round(rss / 1e6))
  }
  const timer = setInterval(sample, 50)
  return {
    stop() {
      clearInterval(timer)
      return peak
    },
  }
}

/** The time from the cancel request until the simulation has stopped. */
async function cancelMs(api: ApiServer, targets: readonly string[]): Promise<number> {
  const route = await createRoute(api, 20, targets)
  const id = await startSimulation(api, route)
  const running = runSimulation(api.switchyard.deps, {
    workspaceId: api.workspaceId,
    id: id as Id<'route_simulation'>,
  })
  // Cancel soon, because a short simulation completes within a second.
  await new Promise((resolve) => setTimeout(resolve, 50))
  return Math.round(
    await measureMs(async () => {
      await api.call({ method: 'POST', path: `/payment-routes/${route}/simulations/${id}/cancel` })
      await running
    }),
  )
}

async function measureMs(body: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await body()
  return performance.now() - startedMs
}
