/** What is counted about payments: with three endpoints that are told, and a simulator that answers at once. */
import { type Id, uuidOf } from '../../packages/server/src/kernel/id.ts'
import { asOwner } from '../../packages/server/src/platform/db/owner.ts'
import { works } from '../../packages/server/src/worker.ts'
import { cards, charge, keptCard, newToken } from '../payer.ts'
import type { Operation } from './operations.ts'
import type { Seeded } from './seed.ts'

const endpoints = 3
const path = '/payments'

export function paymentOperations(seeded: Seeded): Operation[] {
  return [...reads(seeded), ...payments(seeded), ...afterwards(seeded)]
}

function reads({ door, payments, deepPage, customers }: Seeded): Operation[] {
  const get = (from: string) => door.call({ method: 'GET', path: from })
  const pick = (ids: readonly string[], turn: number) => ids[turn % ids.length] as string
  return [
    { name: 'GET /payments/{id}', run: (turn) => get(`${path}/${pick(payments, turn)}`) },
    { name: 'GET /payments, first page', run: () => get(path) },
    { name: 'GET /payments, deep page', run: () => get(`${path}?starting_after=${deepPage.payment}`) },
    {
      name: 'GET /payments, by customer',
      run: (turn) => get(`${path}?customer_id=${pick(customers, turn)}`),
    },
  ]
}

function payments({ door: { call } }: Seeded): Operation[] {
  let tokens: string[] = []
  let method = ''
  const bySavedMethod = (key?: string) =>
    call({
      ...{ method: 'POST', path, body: charge({ payment_method_id: method }) },
      ...(key && { key }),
    })
  return [
    {
      name: 'POST /tokens',
      async prepare() {
        for (let made = 0; made < endpoints; made += 1) await call(endpoint(made))
      },
      run: () => newToken(call),
    },
    {
      name: 'POST /payments, by token',
      async prepare(turns) {
        tokens = []
        for (let made = 0; made < turns; made += 1) tokens.push(await newToken(call))
      },
      run: (turn) => call({ method: 'POST', path, body: charge({ token: tokens[turn] as string }) }),
    },
    {
      name: 'POST /payments, saved method',
      prepare: async () => {
        method = await keptCard(call)
      },
      run: () => bySavedMethod(),
    },
    { name: 'POST /payments, with a key', run: (turn) => bySavedMethod(`payment-${turn}`) },
    { name: 'POST /payments, repeated with its key', run: (turn) => bySavedMethod(`payment-${turn}`) },
  ]
}

const endpoint = (number: number) => ({
  ...{ method: 'POST' as const, path: '/webhook-endpoints' },
  body: { url: `https://receiver-${number}.example.com/webhooks`, event_types: ['payment.*', 'refund.*'] },
})

function afterwards(seeded: Seeded): Operation[] {
  const { call } = seeded.door
  let held: string[] = []
  let unknown: string[] = []
  return [
    {
      name: 'POST /payments/{id}/capture',
      async prepare(turns) {
        const payment_method_id = await keptCard(call)
        const body = { ...charge({ payment_method_id }), capture_method: 'manual' }
        held = []
        for (let made = 0; made < turns; made += 1) held.push(await call({ method: 'POST', path, body }))
      },
      run: (turn) => call({ method: 'POST', path: `${path}/${held[turn]}/capture`, body: {} }),
    },
    {
      name: 'POST /refunds',
      run: (turn) =>
        call({ method: 'POST', path: '/refunds', body: { payment_id: held[turn] as string, amount: 500 } }),
    },
    {
      name: 'payment.resolve, one step',
      prepare: async (turns) => {
        unknown = await makeUnknown(seeded, turns)
      },
      run: (turn) => resolve(seeded, unknown[turn] as Id<'payment'>),
    },
  ]
}

/** Payments of which nobody knows what became of them, and whose time to be asked about has come. */
async function makeUnknown({ door: { call }, databaseUrl }: Seeded, count: number): Promise<string[]> {
  const made: string[] = []
  for (let nth = 0; nth < count; nth += 1) {
    const token = await newToken(call, cards.failsAfterCharging)
    made.push(await call({ method: 'POST', path, body: charge({ token }) }))
  }
  await asOwner(databaseUrl, (client) =>
    client.query('update operations set due_at = now() where payment_id = any($1::uuid[])', [
      made.map((id) => uuidOf(id as Id<'payment'>)),
    ]),
  )
  return made
}

const resolver = works.find(({ name }) => name === 'payment.resolve')

async function resolve({ door: { switchyard, workspaceId } }: Seeded, id: Id<'payment'>): Promise<void> {
  await resolver?.handle(switchyard.deps, { workspaceId, id })
}
