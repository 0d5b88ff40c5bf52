/**
 * How long a dry run of a route over so many payments takes, on a database that holds them, and what memory it
 * needs. The payments are made inside the database; the run is the one that a worker does.
 */
import { Client } from 'pg'
import { runSimulation } from '../../packages/server/src/domains/route-simulations/service/run.ts'
import { type Id, uuidOf } from '../../packages/server/src/kernel/id.ts'
import { ensurePartitions } from '../../packages/server/src/platform/db/partitions.ts'
import { type FrontDoor, openFrontDoor } from '../counters/front-door.ts'
import { rowsOf, uuidAt } from '../fill.ts'
import { familyMs, loadAverage } from '../ratios/processor.ts'
import { table } from '../table.ts'
import { throwawayPostgres } from '../throwaway.ts'

const days = 60
const accounts = 4
const currencies = ['eur', 'usd', 'gbp', 'chf']
const countries = ['DE', 'FR', 'NL', 'BE', 'AT', 'IT', 'ES', 'PT', 'PL', 'SE']

export async function measureHistory(payments: number): Promise<void> {
  const settings = { max_wal_size: '8GB', shared_buffers: '512MB', maintenance_work_mem: '256MB' }
  const postgres = await throwawayPostgres(settings)
  const door = await openFrontDoor(postgres.url)
  try {
    const targets = await Promise.all(Array.from({ length: accounts }, () => anAccount(door)))
    const fillMs = await timed(() => fillHistory(postgres.url, door, { payments, targets }))
    console.log(`${payments} payments were made in ${Math.round(fillMs / 1000)} s.\n`)
    const rows = []
    for (const rules of [1, 20, 200]) rows.push(await measure(door, postgres.pid, { rules, targets }))
    const head = [
      ...['rules', 'seconds', 'our processor s', 'that of Postgres s', 'payments/s'],
      ...['would go elsewhere', 'heap MB', 'with buffers MB'],
    ]
    console.log(table(head, rows))
    console.log(`\nLoad of the machine: ${loadAverage()}.`)
    console.log(`\nA run that is cancelled had stopped after ${await cancelMs(door, targets)} ms.`)
  } finally {
    await door.close()
    await postgres.remove()
  }
}

function anAccount({ call }: FrontDoor): Promise<string> {
  const config = { base_url: 'https://psp.example.com' }
  const body = { provider: 'custom', display_name: 'Measured', config }
  return call({ method: 'POST', path: '/provider-accounts', body })
}

type Wanted = { readonly payments: number; readonly targets: readonly string[] }

/** Payments of the last days, made inside the database. */
export async function fillHistory(
  url: string,
  { workspaceId }: Pick<FrontDoor, 'workspaceId'>,
  { payments, targets }: Wanted,
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
  // As the database would have done by itself long ago.
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

/** Rules that most payments pass by, a split for the rest, and a draft that splits otherwise. */
async function aRoute({ call }: FrontDoor, rules: number, targets: readonly string[]): Promise<string> {
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
    rules: Array.from({ length: rules }, (_, at) => ruleAt(at, targets)),
    default: { type: 'split', key: 'payment', targets: shares },
  }
}

function ruleAt(at: number, targets: readonly string[]) {
  const from = Math.floor(at / currencies.length) * 1_000 + 1
  const conditions = [
    { field: 'currency', op: 'eq', value: currencies[at % currencies.length] },
    { field: 'amount', op: 'between', value: [from, from + 999] },
    { field: 'metadata.tier', op: 'eq', value: 'gold' },
  ]
  const action = {
    type: 'priority',
    targets: [targets[at % targets.length], targets[(at + 1) % targets.length]],
  }
  return Object.fromEntries<unknown>([
    ['name', `rule ${at}`],
    ['when', { all: conditions }],
    ['then', action],
  ])
}

const history = () => ({
  from_at: new Date(Date.now() - (days + 1) * 86_400_000).toISOString(),
  payments: 'all',
})

function begin({ call }: FrontDoor, route: string): Promise<string> {
  return call({ method: 'POST', path: `/payment-routes/${route}/simulate`, body: { history: history() } })
}

type Measured = { readonly rules: number; readonly targets: readonly string[] }

async function measure(
  door: FrontDoor,
  postgresPid: number,
  { rules, targets }: Measured,
): Promise<(string | number)[]> {
  const id = await begin(door, await aRoute(door, rules, targets))
  const memory = watchMemory()
  const [ours, theirs] = [process.cpuUsage(), familyMs(postgresPid)]
  const tookMs = await timed(() => runToItsEnd(door, id))
  const { user, system } = process.cpuUsage(ours)
  const { heapMb, rssMb } = memory.stop()
  const { done, elsewhere } = await outcomeOf(door, id)
  const seconds = (ms: number) => Math.round(ms / 100) / 10
  const processor = [seconds((user + system) / 1000), seconds(familyMs(postgresPid) - theirs)]
  const perSecond = Math.round((done / tookMs) * 1000)
  return [rules, seconds(tookMs), ...processor, perSecond, elsewhere, heapMb, rssMb]
}

async function runToItsEnd({ switchyard, workspaceId }: FrontDoor, id: string): Promise<void> {
  const ref = { workspaceId, id: id as Id<'route_simulation'> }
  // A turn ends after a while, so that others have theirs.
  while ((await statusOf({ switchyard, workspaceId } as FrontDoor, id)) === 'running')
    await runSimulation(switchyard.deps, ref)
}

type Row = { readonly status: string; readonly done: number; readonly result: { moved: number } | null }

async function rowOf({ switchyard, workspaceId }: FrontDoor, id: string): Promise<Row> {
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

async function statusOf(door: FrontDoor, id: string): Promise<string> {
  return (await rowOf(door, id)).status
}

async function outcomeOf(door: FrontDoor, id: string): Promise<{ done: number; elsewhere: number }> {
  const { done, result } = await rowOf(door, id)
  return { done, elsewhere: result?.moved ?? 0 }
}

/** The most that was held at once. */
function watchMemory(): { stop(): { heapMb: number; rssMb: number } } {
  const most = { heapMb: 0, rssMb: 0 }
  const look = () => {
    const { heapUsed, external, rss } = process.memoryUsage()
    most.heapMb = Math.max(most.heapMb, Math.round((heapUsed + external) / 1e6))
    most.rssMb = Math.max(most.rssMb, Math.round(rss / 1e6))
  }
  const timer = setInterval(look, 50)
  return {
    stop() {
      clearInterval(timer)
      return most
    },
  }
}

/** From the answer to the cancel until nobody runs it any more. */
async function cancelMs(door: FrontDoor, targets: readonly string[]): Promise<number> {
  const route = await aRoute(door, 20, targets)
  const id = await begin(door, route)
  const running = runSimulation(door.switchyard.deps, {
    workspaceId: door.workspaceId,
    id: id as Id<'route_simulation'>,
  })
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  return Math.round(
    await timed(async () => {
      await door.call({ method: 'POST', path: `/payment-routes/${route}/simulations/${id}/cancel` })
      await running
    }),
  )
}

async function timed(body: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await body()
  return performance.now() - startedMs
}
