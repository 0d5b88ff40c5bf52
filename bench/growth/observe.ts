/** What operations cost in a database of some size, in pages. */
import { Client } from 'pg'
import { idFromUuid, type Kind, uuidOf } from '../../packages/server/src/kernel/id.ts'
import { reconcilerDefaults } from '../../packages/server/src/platform/engine/reconcile.ts'
import { readDue } from '../../packages/server/src/platform/engine/settle.ts'
import { works } from '../../packages/server/src/worker.ts'
import { countOne } from '../counters/count-all.ts'
import { type FrontDoor, openFrontDoor } from '../counters/front-door.ts'
import { openMeter } from '../counters/meter.ts'
import type { Operation } from '../counters/operations.ts'
import { charge, keptCard } from '../payer.ts'
import { type State, smallRows } from './states.ts'

export const watched = [
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
  'payment.resolve, nothing due',
  'payment.expire, nothing due',
] as const
export type Watched = (typeof watched)[number]

/** Pages per operation. */
export type Pages = Readonly<Record<Watched, number>>
type Runs<Name extends Watched = Watched> = Record<Name, Pick<Operation, 'prepare' | 'run'>>
type PaymentName = Extract<Watched, `${string}payment${string}` | 'POST /refunds'>

const repeats = 100
const pageRows = 20
const deepestPage = 10_000
/** So many pages in a row: how their rows lie on pages of the disk evens out. */
const neighbours = 40

export async function observe({ url, key, simulatorUrl }: State): Promise<Pages> {
  const door = await openFrontDoor(url, { known: key, simulatorUrl })
  const meter = await openMeter(url)
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const pages: Partial<Record<Watched, number>> = {}
    const operations = await operationsOn(door, client)
    for (const name of watched) {
      const { pages: counted } = await countOne(meter, { name, ...operations[name] }, repeats)
      pages[name] = Math.round(counted * 10) / 10
    }
    return pages as Pages
  } finally {
    await client.end()
    await meter.close()
    await door.close()
  }
}

const pick = (ids: readonly string[], turn: number) => ids[turn % ids.length] as string

async function operationsOn(door: FrontDoor, client: Client): Promise<Runs> {
  return { ...(await operationsOnRows(door, client)), ...(await operationsOnPayments(door, client)) }
}

async function operationsOnPayments(door: FrontDoor, client: Client): Promise<Runs<PaymentName>> {
  const { call, switchyard, workspaceId } = door
  const payments = await readIds(client, {
    kind: 'payment',
    table: 'payments',
    workspace: uuidOf(workspaceId),
  })
  const payment_method_id = await keptCard(call)
  const body = charge({ payment_method_id })
  const path = '/payments'
  let held: string[] = []
  const due = (name: string) => {
    const work = works.find((one) => one.name === name) as (typeof works)[number]
    const { deps } = switchyard
    return { run: () => readDue(deps.databases.control, deps, work, reconcilerDefaults.maxHeld) }
  }
  return {
    'GET /payments/{id}': {
      run: (turn) => call({ method: 'GET', path: `${path}/${pick(payments.any, turn)}` }),
    },
    'GET /payments, page 1': {
      run: (turn) => call({ method: 'GET', path: `${path}?starting_after=${pick(payments.first, turn)}` }),
    },
    'GET /payments, deep page': {
      run: (turn) => call({ method: 'GET', path: `${path}?starting_after=${pick(payments.deep, turn)}` }),
    },
    'POST /payments': { run: () => call({ method: 'POST', path, body }) },
    'POST /payments/{id}/capture': {
      async prepare(turns) {
        const manual = { ...body, capture_method: 'manual' }
        held = []
        for (let made = 0; made < turns; made += 1)
          held.push(await call({ method: 'POST', path, body: manual }))
      },
      run: (turn) => call({ method: 'POST', path: `${path}/${pick(held, turn)}/capture`, body: {} }),
    },
    'POST /refunds': {
      run: (turn) =>
        call({ method: 'POST', path: '/refunds', body: { payment_id: pick(held, turn), amount: 500 } }),
    },
    'payment.resolve, nothing due': due('payment.resolve'),
    'payment.expire, nothing due': due('payment.expire'),
  }
}

async function operationsOnRows(
  door: FrontDoor,
  client: Client,
): Promise<Runs<Exclude<Watched, PaymentName>>> {
  const workspace = uuidOf(door.workspaceId)
  const events = await readIds(client, { kind: 'event', table: 'events', workspace })
  const customers = await readIds(client, { kind: 'customer', table: 'customers', workspace })
  const get = (path: string) => door.call({ method: 'GET', path })
  const path = '/customers'
  const body = (turn: number) => ({ name: `Ada Lovelace ${turn}`, email: `ada.${turn}@example.com` })
  const made: string[] = []
  const post = (turn: number) => door.call({ method: 'POST', path, body: body(turn) })
  return {
    'GET /events/{id}': { run: (turn) => get(`/events/${pick(events.any, turn)}`) },
    'GET /events, page 1': { run: (turn) => get(`/events?starting_after=${pick(events.first, turn)}`) },
    'GET /events, deep page': { run: (turn) => get(`/events?starting_after=${pick(events.deep, turn)}`) },
    'GET /customers/{id}': { run: (turn) => get(`/customers/${pick(customers.any, turn)}`) },
    'GET /customers, page 1': {
      run: (turn) => get(`/customers?starting_after=${pick(customers.first, turn)}`),
    },
    'GET /customers, deep page': {
      run: (turn) => get(`/customers?starting_after=${pick(customers.deep, turn)}`),
    },
    'POST /customers': { run: async (turn) => made.push(await post(turn)) },
    'POST /customers, with a key': {
      run: (turn) => door.call({ method: 'POST', path, body: body(turn), key: `key-${turn}` }),
    },
    'PUT /customers/{id}': {
      run: (turn) =>
        door.call({ method: 'PUT', path: `${path}/${pick(made, turn)}`, body: { name: `Augusta ${turn}` } }),
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
      neighbours * pageRows,
    ]).then((ids) => ids.filter((_, place) => place % pageRows === 0))
  const { rows } = await client.query(
    `select count(*) from (select from ${table} where workspace_id = $1 limit $2) as found`,
    [workspace, (deepestPage + neighbours) * pageRows],
  )
  const deepest = Number(rows[0].count) - (neighbours + 1) * pageRows
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
