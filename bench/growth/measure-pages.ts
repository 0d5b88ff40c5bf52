/** Measures the cost of operations in pages. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { rollUpBalances } from '../../packages/server/src/domains/finance/ledger/service/roll-up.ts'
import { idFromUuid, type Kind, uuidOf } from '../../packages/server/src/kernel/id.ts'
import { lookBackSeconds } from '../../packages/server/src/kernel/log-snapshot.ts'
import { readDue } from '../../packages/server/src/platform/engine/read-due.ts'
import { reconcilerDefaults } from '../../packages/server/src/platform/engine/reconcile.ts'
import { workTypes } from '../../packages/server/src/work-types.ts'
import { type ApiServer, startApiServer } from '../counters/api-server.ts'
import { countOne } from '../counters/count-all.ts'
import { openMeter } from '../counters/meter.ts'
import type { Operation } from '../counters/operations.ts'
import { charge, createSavedCard } from '../payer.ts'
import { type GrownDatabase, smallRows } from './states.ts'

export const measuredOperations = [
  'GET /events/{id}',
  'GET /events, page 1',
  'GET /events, deep page',
  'GET /customers/{id}',
  'GET /customers, page 1',
  'GET /customers, deep page',
  'POST /customers',
  'POST /customers, with a key',
  'PUT /customers/{id}',
  'GET /payments/{id}',
  'GET /payments, page 1',
  'GET /payments, deep page',
  'POST /payments',
  'POST /payments/{id}/capture',
  'POST /refunds',
  'GET /balances',
  'payment.resolve, nothing due',
  'payment.expire, nothing due',
] as const
export type MeasuredOperation = (typeof measuredOperations)[number]

/** Pages per operation. */
export type Pages = Readonly<Record<MeasuredOperation, number>>
type OperationRuns<Name extends MeasuredOperation = MeasuredOperation> = Record<
  Name,
  Pick<Operation, 'prepare' | 'run'>
>
type PaymentName = Extract<MeasuredOperation, `${string}payment${string}` | 'POST /refunds' | 'GET /balances'>

const repeats = 100
const pageRows = 20
const deepestPage = 10_000
/** The number of consecutive list pages, to average out the position of rows on disk pages. */
const consecutivePages = 40

export async function measurePages({ url, credentials, simulatorUrl }: GrownDatabase): Promise<Pages> {
  const api = await startApiServer(url, { credentials, simulatorUrl })
  const meter = await openMeter(url)
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const pages: Partial<Record<MeasuredOperation, number>> = {}
    const operations = await operationsOn(api, client)
    for (const name of measuredOperations) {
      const { pages: counted } = await countOne(meter, { name, ...operations[name] }, repeats)
      pages[name] = Math.round(counted * 10) / 10
    }
    return pages as Pages
  } finally {
    await client.end()
    await meter.close()
    await api.close()
  }
}

const pick = (ids: readonly string[], nth: number) => ids[nth % ids.length] as string

async function operationsOn(api: ApiServer, client: Client): Promise<OperationRuns> {
  return { ...(await operationsOnRows(api, client)), ...(await operationsOnPayments(api, client)) }
}

async function operationsOnPayments(api: ApiServer, client: Client): Promise<OperationRuns<PaymentName>> {
  const { call, switchyard, workspaceId } = api
  const payments = await readIds(client, {
    kind: 'payment',
    table: 'payments',
    workspace: uuidOf(workspaceId),
  })
  const payment_method_id = await createSavedCard(call)
  const body = charge({ payment_method_id })
  const path = '/payments'
  let authorized: string[] = []
  const due = (name: string) => {
    const work = workTypes.find((work) => work.name === name) as (typeof workTypes)[number]
    const { deps } = switchyard
    return { run: () => readDue(deps.databases.control, deps, work, reconcilerDefaults.maxQueued) }
  }
  return {
    'GET /payments/{id}': {
      run: (nth) => call({ method: 'GET', path: `${path}/${pick(payments.any, nth)}` }),
    },
    'GET /payments, page 1': {
      run: (nth) => call({ method: 'GET', path: `${path}?starting_after=${pick(payments.first, nth)}` }),
    },
    'GET /payments, deep page': {
      run: (nth) => call({ method: 'GET', path: `${path}?starting_after=${pick(payments.deep, nth)}` }),
    },
    'POST /payments': { run: () => call({ method: 'POST', path, body }) },
    'POST /payments/{id}/capture': {
      async prepare(turns) {
        const manual = { ...body, capture_method: 'manual' }
        authorized = []
        for (let count = 0; count < turns; count += 1)
          authorized.push(await call({ method: 'POST', path, body: manual }))
      },
      run: (nth) => call({ method: 'POST', path: `${path}/${pick(authorized, nth)}/capture`, body: {} }),
    },
    'POST /refunds': {
      run: (nth) =>
        call({ method: 'POST', path: '/refunds', body: { payment_id: pick(authorized, nth), amount: 500 } }),
    },
    'GET /balances': {
      async prepare() {
        // Balances look for postings that were booked shortly before the roll-up. Postings of the other
        // measured operations would be included.
        await sleep((lookBackSeconds + 1) * 1_000)
        await rollUpAll(api, client)
      },
      run: () => call({ method: 'GET', path: '/balances' }),
    },
    'payment.resolve, nothing due': due('payment.resolve'),
    'payment.expire, nothing due': due('payment.expire'),
  }
}

/** Rolls up all postings, in as many batches as necessary. */
async function rollUpAll({ switchyard: { deps }, workspaceId }: ApiServer, client: Client): Promise<void> {
  const isBehind = `select from ledger_cursors where workspace_id = $1 and rolled_up_snapshot is null`
  do await rollUpBalances(deps, { workspaceId, id: workspaceId })
  while ((await client.query(isBehind, [uuidOf(workspaceId)])).rowCount !== 0)
  await client.query('vacuum analyze ledger_balances')
}

async function operationsOnRows(
  api: ApiServer,
  client: Client,
): Promise<OperationRuns<Exclude<MeasuredOperation, PaymentName>>> {
  const workspace = uuidOf(api.workspaceId)
  const events = await readIds(client, { kind: 'event', table: 'events', workspace })
  const customers = await readIds(client, { kind: 'customer', table: 'customers', workspace })
  const get = (path: string) => api.call({ method: 'GET', path })
  const path = '/customers'
  const body = (nth: number) => ({ name: `Ada Lovelace ${nth}`, email: `ada.${nth}@example.com` })
  const createdIds: string[] = []
  const post = (nth: number) => api.call({ method: 'POST', path, body: body(nth) })
  return {
    'GET /events/{id}': { run: (nth) => get(`/events/${pick(events.any, nth)}`) },
    'GET /events, page 1': { run: (nth) => get(`/events?starting_after=${pick(events.first, nth)}`) },
    'GET /events, deep page': { run: (nth) => get(`/events?starting_after=${pick(events.deep, nth)}`) },
    'GET /customers/{id}': { run: (nth) => get(`/customers/${pick(customers.any, nth)}`) },
    'GET /customers, page 1': {
      run: (nth) => get(`/customers?starting_after=${pick(customers.first, nth)}`),
    },
    'GET /customers, deep page': {
      run: (nth) => get(`/customers?starting_after=${pick(customers.deep, nth)}`),
    },
    'POST /customers': { run: async (nth) => createdIds.push(await post(nth)) },
    'POST /customers, with a key': {
      run: (nth) => api.call({ method: 'POST', path, body: body(nth), key: `key-${nth}` }),
    },
    'PUT /customers/{id}': {
      run: (nth) =>
        api.call({
          method: 'PUT',
          path: `${path}/${pick(createdIds, nth)}`,
          body: { name: `Augusta ${nth}` },
        }),
    },
  }
}

type Source = { readonly kind: Kind; readonly table: string; readonly workspace: string }

async function readIds(client: Client, { kind, table, workspace }: Source) {
  const read = async (text: string, values: unknown[] = []) => {
    const { rows } = await client.query(text, [workspace, ...values])
    return rows.map((row) => idFromUuid(kind, 'test', row.id))
  }
  const cursors = (offset: number) =>
    read(`select id from ${table} where workspace_id = $1 order by id desc offset $2 limit $3`, [
      offset,
      consecutivePages * pageRows,
    ]).then((ids) => ids.filter((_, index) => index % pageRows === 0))
  const { rows } = await client.query(
    `select count(*) from (select from ${table} where workspace_id = $1 limit $2) as found`,
    [workspace, (deepestPage + consecutivePages) * pageRows],
  )
  const deepest = Number(rows[0].count) - (consecutivePages + 1) * pageRows
  return {
    any: await read(
      `select id from (select id from ${table} where workspace_id = $1 order by id desc limit $2) as recent
       order by md5(id::text) limit 200`,
      [smallRows / 2],
    ),
    first: await cursors(0),
    deep: await cursors(deepest),
  }
}
