// The life of a payment method as its users meet it: attached, changed, detached.

import { expect, test } from 'vitest'
import { anAttached, anAuthorized, typesOf } from '../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../kernel/id.ts'
import { asOwner } from '../../platform/db/owner.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
})

/** How many of its cards are still in the vault, and how many names providers have for this one. */
async function leftOf(workspace: Workspace, method: string): Promise<{ cards: number; tokens: number }> {
  await switchyard.settle()
  const [workspaceUuid, uuid] = [
    uuidOf(workspace.workspaceId as Id<'workspace'>),
    uuidOf(method as Id<'payment_method'>),
  ]
  return asOwner(switchyard.databaseUrl, async (client) => {
    const { rows } = await client.query(
      `select (select count(*)::int from vault.cards where workspace_id = $1) as cards,
         (select count(*)::int from payment_method_provider_tokens where payment_method_id = $2) as tokens`,
      [workspaceUuid, uuid],
    )
    return rows[0]
  })
}

test('attach again: the same customer is no change, another is refused, and a trailing slash is no fault', async () => {
  const workspace = await switchyard.newWorkspace()
  const [ours, theirs] = [await workspace.aCustomer(), await workspace.aCustomer()]
  const id = await anAttached(workspace, ours)

  expect(await workspace.post(`/payment-methods/${id}/attach/`, { customer_id: ours })).toMatchObject({
    status: 200,
    body: { status: 'attached', customer_id: ours },
  })
  expect(await workspace.post(`/payment-methods/${id}/attach`, { customer_id: theirs })).toMatchObject({
    status: 409,
    body: {
      code: 'attached_to_other_customer',
      current_status: 'attached',
      allowed_actions: ['detach', 'update'],
    },
  })
  expect(await typesOf(workspace, id)).toEqual(['payment_method.authorized', 'payment_method.attached'])
})

test('of two customers at once, one gets it', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await anAuthorized(workspace)
  const customers = await Promise.all([1, 2, 3, 4].map(() => workspace.aCustomer()))
  const answers = await Promise.all(
    customers.map((customer_id) => workspace.post(`/payment-methods/${id}/attach`, { customer_id })),
  )

  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
})

test('attach to a customer that is not there is a fault of the body', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await anAuthorized(workspace)
  const customer_id = await workspace.aCustomer()
  await workspace.delete(`/customers/${customer_id}`)

  expect(await workspace.post(`/payment-methods/${id}/attach`, { customer_id })).toMatchObject({
    status: 422,
    body: { code: 'reference_not_found', errors: [{ pointer: '/customer_id' }] },
  })
})

test.each(['authorized', 'attached'])(
  'detach while %s is for good: card and names of it are destroyed, a repeat answers the same, nothing else is possible',
  async (state) => {
    const workspace = await switchyard.newWorkspace()
    const customer_id = await workspace.aCustomer()
    const id = state === 'attached' ? await anAttached(workspace, customer_id) : await anAuthorized(workspace)
    expect(await leftOf(workspace, id)).toEqual({ cards: 1, tokens: 1 })

    const first = await workspace.post(`/payment-methods/${id}/detach`)
    expect(first).toMatchObject({ status: 200, body: { status: 'detached', detached_reason: 'requested' } })
    expect((await workspace.post(`/payment-methods/${id}/detach`)).body).toEqual(first.body)
    expect(await leftOf(workspace, id)).toEqual({ cards: 0, tokens: 0 })

    const refusal = {
      status: 409,
      body: { code: 'invalid_state', current_status: 'detached', allowed_actions: [] },
    }
    expect(await workspace.post(`/payment-methods/${id}/attach`, { customer_id })).toMatchObject(refusal)
    expect(await workspace.put(`/payment-methods/${id}`, { metadata: { a: 'b' } })).toMatchObject(refusal)
    expect((await typesOf(workspace, id)).at(-1)).toBe('payment_method.detached')
  },
)

test('a customer who is deleted takes the cards along, and nobody pays with them any more', async () => {
  const workspace = await switchyard.newWorkspace()
  const customer_id = await workspace.aCustomer()
  const ids = [await anAttached(workspace, customer_id), await anAttached(workspace, customer_id)]
  const other = await anAttached(workspace, await workspace.aCustomer())
  expect((await workspace.delete(`/customers/${customer_id}`)).status).toBe(200)

  for (const id of ids) {
    expect((await workspace.get(`/payment-methods/${id}`)).body).toMatchObject({
      status: 'detached',
      detached_reason: 'customer_deleted',
    })
    expect(await leftOf(workspace, id)).toEqual({ cards: 1, tokens: 0 })
  }
  expect((await workspace.get(`/payment-methods/${other}`)).body.status).toBe('attached')
})

test('attach and the deletion of the customer at once: no card stays with one who is gone', async () => {
  const workspace = await switchyard.newWorkspace()
  for (let round = 0; round < 5; round += 1) {
    const [customer_id, id] = [await workspace.aCustomer(), await anAuthorized(workspace)]
    await Promise.all([
      workspace.post(`/payment-methods/${id}/attach`, { customer_id }),
      workspace.delete(`/customers/${customer_id}`),
    ])
    expect((await workspace.get(`/payment-methods/${id}`)).body.status).not.toBe('attached')
  }
})

test('a method that nobody attached within a week is detached; one that is attached stays', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await anAuthorized(workspace)
  const kept = await anAttached(workspace, await workspace.aCustomer())

  switchyard.clock.advance({ seconds: 7 * 24 * 3600 - 1 })
  await switchyard.settle()
  expect((await workspace.get(`/payment-methods/${id}`)).body.status).toBe('authorized')
  switchyard.clock.advance({ seconds: 2 })
  await switchyard.settle()

  expect((await workspace.get(`/payment-methods/${id}`)).body).toMatchObject({
    status: 'detached',
    detached_reason: 'never_attached',
  })
  expect((await workspace.get(`/payment-methods/${kept}`)).body.status).toBe('attached')
  // Long after the token that it came by is forgotten.
  switchyard.clock.advance({ seconds: 7 * 24 * 3600 })
  expect(await leftOf(workspace, kept)).toEqual({ cards: 1, tokens: 1 })
})

test('the list of a customer shows what is attached; without one it shows all', async () => {
  const workspace = await switchyard.newWorkspace()
  const customer = await workspace.aCustomer()
  const [first, second] = [await anAttached(workspace, customer), await anAttached(workspace, customer)]
  await workspace.post(`/payment-methods/${first}/detach`)
  await anAttached(workspace, await workspace.aCustomer())
  const idsIn = async (query: string) =>
    (await workspace.get(`/payment-methods${query}`)).body.data.map(({ id }: { id: string }) => id)

  expect(await idsIn(`?customer_id=${customer}`)).toEqual([second])
  expect(await idsIn('')).toHaveLength(3)
  expect((await workspace.get('/payment-methods?customer_id=nonsense')).status).toBe(400)
})

test('PUT changes billing details, expiry and metadata, and tells of it once', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await anAttached(workspace, await workspace.aCustomer(), {
    billing_details: { name: 'Ada', email: 'ada@example.com' },
    metadata: { plan: 'gold' },
  })
  const change = {
    card: { exp_month: 1, exp_year: 2035 },
    billing_details: { name: 'Ada Lovelace' },
    metadata: { seats: '2', plan: null },
  }
  const { status, body } = await workspace.put(`/payment-methods/${id}`, change)
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body).toMatchObject({
    card: { last4: '4242', exp_month: 1, exp_year: 2035 },
    billing_details: { name: 'Ada Lovelace', email: null },
  })
  expect(body.metadata).toEqual({ seats: '2' })
  // Nothing new is nothing to tell.
  expect((await workspace.put(`/payment-methods/${id}`, change)).body).toEqual(body)
  expect((await typesOf(workspace, id)).slice(2)).toEqual(['payment_method.updated'])
  const stale = await workspace.put(`/payment-methods/${id}`, {}, { headers: { 'if-match': '"1"' } })
  expect([stale.status, stale.body.code]).toEqual([412, 'version_mismatch'])
})
