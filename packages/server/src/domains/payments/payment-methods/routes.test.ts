// The API operations attach, update, detach and list of payment methods.

import { expect, test } from 'vitest'
import { asOwner } from '../../../../test/support/owner.ts'
import {
  createAttachedMethod,
  createAuthorizedMethod,
  eventTypesOf,
} from '../../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
})

/** The number of cards of the workspace in the vault, and the number of provider tokens of this method. */
async function countSecrets(
  workspace: Workspace,
  method: string,
): Promise<{ cards: number; tokens: number }> {
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

test('attaching to the same customer again changes nothing, and attaching to another customer is rejected', async () => {
  const workspace = await switchyard.newWorkspace()
  const [customer, otherCustomer] = [await workspace.aCustomer(), await workspace.aCustomer()]
  const id = await createAttachedMethod(workspace, customer)

  expect(await workspace.post(`/payment-methods/${id}/attach/`, { customer_id: customer })).toMatchObject({
    status: 200,
    body: { status: 'attached', customer_id: customer },
  })
  expect(await workspace.post(`/payment-methods/${id}/attach`, { customer_id: otherCustomer })).toMatchObject(
    {
      status: 409,
      body: {
        code: 'attached_to_other_customer',
        current_status: 'attached',
        allowed_actions: ['detach', 'update'],
      },
    },
  )
  expect(await eventTypesOf(workspace, id)).toEqual(['payment_method.authorized', 'payment_method.attached'])
})

test('if a method is attached to several customers concurrently, one succeeds', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await createAuthorizedMethod(workspace)
  const customers = await Promise.all([1, 2, 3, 4].map(() => workspace.aCustomer()))
  const responses = await Promise.all(
    customers.map((customer_id) => workspace.post(`/payment-methods/${id}/attach`, { customer_id })),
  )

  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
})

test('attaching to a deleted customer is rejected', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await createAuthorizedMethod(workspace)
  const customer_id = await workspace.aCustomer()
  await workspace.delete(`/customers/${customer_id}`)

  expect(await workspace.post(`/payment-methods/${id}/attach`, { customer_id })).toMatchObject({
    status: 422,
    body: { code: 'reference_not_found', errors: [{ pointer: '/customer_id' }] },
  })
})

test.each(['authorized', 'attached'])(
  'detaching an %s method deletes its card and its provider tokens, can be repeated, and prevents all other actions',
  async (state) => {
    const workspace = await switchyard.newWorkspace()
    const customer_id = await workspace.aCustomer()
    const id =
      state === 'attached'
        ? await createAttachedMethod(workspace, customer_id)
        : await createAuthorizedMethod(workspace)
    expect(await countSecrets(workspace, id)).toEqual({ cards: 1, tokens: 1 })

    const first = await workspace.post(`/payment-methods/${id}/detach`)
    expect(first).toMatchObject({ status: 200, body: { status: 'detached', detached_reason: 'requested' } })
    expect((await workspace.post(`/payment-methods/${id}/detach`)).body).toEqual(first.body)
    expect(await countSecrets(workspace, id)).toEqual({ cards: 0, tokens: 0 })

    const refusal = {
      status: 409,
      body: { code: 'invalid_state', current_status: 'detached', allowed_actions: [] },
    }
    expect(await workspace.post(`/payment-methods/${id}/attach`, { customer_id })).toMatchObject(refusal)
    expect(await workspace.put(`/payment-methods/${id}`, { metadata: { a: 'b' } })).toMatchObject(refusal)
    expect((await eventTypesOf(workspace, id)).at(-1)).toBe('payment_method.detached')
  },
)

test('deleting a customer detaches their payment methods', async () => {
  const workspace = await switchyard.newWorkspace()
  const customer_id = await workspace.aCustomer()
  const ids = [
    await createAttachedMethod(workspace, customer_id),
    await createAttachedMethod(workspace, customer_id),
  ]
  const other = await createAttachedMethod(workspace, await workspace.aCustomer())
  expect((await workspace.delete(`/customers/${customer_id}`)).status).toBe(200)

  for (const id of ids) {
    expect((await workspace.get(`/payment-methods/${id}`)).body).toMatchObject({
      status: 'detached',
      detached_reason: 'customer_deleted',
    })
    expect(await countSecrets(workspace, id)).toEqual({ cards: 1, tokens: 0 })
  }
  expect((await workspace.get(`/payment-methods/${other}`)).body.status).toBe('attached')
})

test('a method that is attached while its customer is being deleted does not stay attached', async () => {
  const workspace = await switchyard.newWorkspace()
  for (let round = 0; round < 5; round += 1) {
    const [customer_id, id] = [await workspace.aCustomer(), await createAuthorizedMethod(workspace)]
    await Promise.all([
      workspace.post(`/payment-methods/${id}/attach`, { customer_id }),
      workspace.delete(`/customers/${customer_id}`),
    ])
    expect((await workspace.get(`/payment-methods/${id}`)).body.status).not.toBe('attached')
  }
})

test('a method that is not attached within a week is detached, and an attached method stays', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await createAuthorizedMethod(workspace)
  const attached = await createAttachedMethod(workspace, await workspace.aCustomer())

  switchyard.clock.advance({ seconds: 7 * 24 * 3600 - 1 })
  await switchyard.settle()
  expect((await workspace.get(`/payment-methods/${id}`)).body.status).toBe('authorized')
  switchyard.clock.advance({ seconds: 2 })
  await switchyard.settle()

  expect((await workspace.get(`/payment-methods/${id}`)).body).toMatchObject({
    status: 'detached',
    detached_reason: 'never_attached',
  })
  expect((await workspace.get(`/payment-methods/${attached}`)).body.status).toBe('attached')
  // The card is kept after the token from which the method was created has been deleted.
  switchyard.clock.advance({ seconds: 7 * 24 * 3600 })
  expect(await countSecrets(workspace, attached)).toEqual({ cards: 1, tokens: 1 })
})

test('the list filtered by customer contains attached methods, and the list without a filter all methods', async () => {
  const workspace = await switchyard.newWorkspace()
  const customer = await workspace.aCustomer()
  const [first, second] = [
    await createAttachedMethod(workspace, customer),
    await createAttachedMethod(workspace, customer),
  ]
  await workspace.post(`/payment-methods/${first}/detach`)
  await createAttachedMethod(workspace, await workspace.aCustomer())
  const listIds = async (query: string) =>
    (await workspace.get(`/payment-methods${query}`)).body.data.map(({ id }: { id: string }) => id)

  expect(await listIds(`?customer_id=${customer}`)).toEqual([second])
  expect(await listIds('')).toHaveLength(3)
  expect((await workspace.get('/payment-methods?customer_id=nonsense')).status).toBe(400)
})

test('PUT changes billing details, expiry and metadata, and emits one event', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await createAttachedMethod(workspace, await workspace.aCustomer(), {
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
  // A request without a change emits no event.
  expect((await workspace.put(`/payment-methods/${id}`, change)).body).toEqual(body)
  expect((await eventTypesOf(workspace, id)).slice(2)).toEqual(['payment_method.updated'])
  const stale = await workspace.put(`/payment-methods/${id}`, {}, { headers: { 'if-match': '"1"' } })
  expect([stale.status, stale.body.code]).toEqual([412, 'version_mismatch'])
})
