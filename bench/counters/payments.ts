/** The counted payment operations, with three webhook endpoints and a simulator that responds immediately. */
import { type Id, uuidOf } from '../../packages/server/src/kernel/id.ts'
import { asOwner } from '../../packages/server/src/platform/db/owner.ts'
import { workTypes } from '../../packages/server/src/work-types.ts'
import { cards, charge, createSavedCard, newToken } from '../payer.ts'
import type { Operation } from './operations.ts'
import type { Seeded } from './seed.ts'

const endpoints = 3
const path = '/payments'

export function paymentOperations(seeded: Seeded): Operation[] {
  return [...readOperations(seeded), ...createOperations(seeded), ...followUpOperations(seeded)]
}

function readOperations({ api, payments, deepPage, customers }: Seeded): Operation[] {
  const get = (from: string) => api.call({ method: 'GET', path: from })
  const pick = (ids: readonly string[], nth: number) => ids[nth % ids.length] as string
  return [
    { name: 'GET /payments/{id}', run: (nth) => get(`${path}/${pick(payments, nth)}`) },
    { name: 'GET /payments, first page', run: () => get(path) },
    { name: 'GET /payments, deep page', run: () => get(`${path}?starting_after=${deepPage.payment}`) },
    {
      name: 'GET /payments, by customer',
      run: (nth) => get(`${path}?customer_id=${pick(customers, nth)}`),
    },
  ]
}

function createOperations({ api: { call } }: Seeded): Operation[] {
  let tokens: string[] = []
  let method = ''
  const payWithSavedMethod = (key?: string) =>
    call({
      method: 'POST',
      path,
      body: charge({ payment_method_id: method }),
      ...(key && { key }),
    })
  return [
    {
      name: 'POST /tokens',
      async prepare() {
        for (let created = 0; created < endpoints; created += 1) await call(endpoint(created))
      },
      run: () => newToken(call),
    },
    {
      name: 'POST /payments, by token',
      async prepare(turns) {
        tokens = []
        for (let created = 0; created < turns; created += 1) tokens.push(await newToken(call))
      },
      run: (nth) => call({ method: 'POST', path, body: charge({ token: tokens[nth] as string }) }),
    },
    {
      name: 'POST /payments, saved method',
      prepare: async () => {
        method = await createSavedCard(call)
      },
      run: () => payWithSavedMethod(),
    },
    { name: 'POST /payments, with a key', run: (nth) => payWithSavedMethod(`payment-${nth}`) },
    { name: 'POST /payments, repeated with its key', run: (nth) => payWithSavedMethod(`payment-${nth}`) },
  ]
}

const endpoint = (number: number) => ({
  method: 'POST' as const,
  path: '/webhook-endpoints',
  body: { url: `https://receiver-${number}.example.com/webhooks`, event_types: ['payment.*', 'refund.*'] },
})

function followUpOperations(seeded: Seeded): Operation[] {
  const { call } = seeded.api
  let authorized: string[] = []
  let unknown: string[] = []
  return [
    {
      name: 'POST /payments/{id}/capture',
      async prepare(turns) {
        const payment_method_id = await createSavedCard(call)
        const body = { ...charge({ payment_method_id }), capture_method: 'manual' }
        authorized = []
        for (let created = 0; created < turns; created += 1)
          authorized.push(await call({ method: 'POST', path, body }))
      },
      run: (nth) => call({ method: 'POST', path: `${path}/${authorized[nth]}/capture`, body: {} }),
    },
    {
      name: 'POST /refunds',
      run: (nth) =>
        call({
          method: 'POST',
          path: '/refunds',
          body: { payment_id: authorized[nth] as string, amount: 500 },
        }),
    },
    {
      name: 'payment.resolve, one step',
      prepare: async (turns) => {
        unknown = await createUnknownPayments(seeded, turns)
      },
      run: (nth) => resolvePayment(seeded, unknown[nth] as Id<'payment'>),
    },
  ]
}

/** Payments with an unknown outcome that are due for a lookup. */
async function createUnknownPayments(
  { api: { call }, databaseUrl }: Seeded,
  count: number,
): Promise<string[]> {
  const created: string[] = []
  for (let nth = 0; nth < count; nth += 1) {
    const token = await newToken(call, cards.failsAfterCharging)
    created.push(await call({ method: 'POST', path, body: charge({ token }) }))
  }
  await asOwner(databaseUrl, (client) =>
    client.query('update operations set due_at = now() where payment_id = any($1::uuid[])', [
      created.map((id) => uuidOf(id as Id<'payment'>)),
    ]),
  )
  return created
}

const resolver = workTypes.find(({ name }) => name === 'payment.resolve')

async function resolvePayment(
  { api: { switchyard, workspaceId } }: Seeded,
  id: Id<'payment'>,
): Promise<void> {
  await resolver?.handle(switchyard.deps, { workspaceId, id })
}
