import { expect, test } from 'vitest'
import { aPrice, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'

const switchyard = await subscriptionsForThisFile()

test('a subscription can be created, paused, paused again, resumed and cancelled, and then refuses commands', async () => {
  const workspace = await switchyard.newWorkspace()
  const { post, put } = workspace
  const { customerId: customer_id } = await switchyard.aPayer(workspace)
  const created = await post('/subscriptions', {
    customer_id,
    items: [{ price_id: await aPrice(workspace) }],
  })
  expect(created, JSON.stringify(created.body)).toMatchObject({ status: 201, body: { status: 'trialing' } })
  const path = `/subscriptions/${created.body.id}`

  await switchyard.settle()
  expect((await workspace.get(path)).body).toMatchObject({ status: 'active', access: { granted: true } })

  const paused = await put(`${path}/pause`)
  expect(paused, JSON.stringify(paused.body)).toMatchObject({ status: 200, body: { status: 'paused' } })
  const again = await put(`${path}/pause`)
  expect(again).toMatchObject({ status: 200, body: { status: 'paused' } })
  expect(again.body).toEqual(paused.body)
  expect(await put(`${path}/resume`)).toMatchObject({ status: 200, body: { status: 'active' } })
  expect(await put(`${path}/cancel`)).toMatchObject({ status: 200, body: { status: 'cancelled' } })
  expect(await put(`${path}/pause`)).toMatchObject({
    status: 409,
    body: { code: 'invalid_state', current_status: 'cancelled', allowed_actions: [] },
  })
})

test('a command with an idempotency key runs once and returns the same response again', async () => {
  const workspace = await switchyard.newWorkspace()
  const { post, put } = workspace
  const key = (name: string) => ({ headers: { 'idempotency-key': name } })
  const body = {
    customer_id: await workspace.aCustomer(),
    items: [{ price_id: await aPrice(workspace) }],
    trial: { days: 14 },
  }
  const created = await post('/subscriptions', body, key('create'))
  expect((await post('/subscriptions', body, key('create'))).body).toEqual(created.body)
  const path = `/subscriptions/${created.body.id}`
  for (const [action, body] of [
    ['', { description: 'Team' }],
    ['/pause', {}],
    ['/resume', {}],
    ['/cancel', { feedback: 'Too expensive.' }],
  ] as const) {
    const first = await put(`${path}${action}`, body, key(`act${action}`))
    expect(first.status, JSON.stringify(first.body)).toBe(200)
    expect((await put(`${path}${action}`, body, key(`act${action}`))).body).toEqual(first.body)
  }
  const previewRequest = { ...body, action: 'create' }
  const preview = await post('/subscriptions/preview', previewRequest, key('preview'))
  expect((await post('/subscriptions/preview', previewRequest, key('preview'))).body).toEqual(preview.body)
})

test('lists can be filtered by customer, price and status, and ids of other kinds are refused', async () => {
  const workspace = await switchyard.newWorkspace()
  const { get, post } = workspace
  const price_id = await aPrice(workspace)
  const customer_id = await workspace.aCustomer()
  const trial = { days: 14 }
  const first = await post('/subscriptions', { customer_id, items: [{ price_id }], trial })
  const second = await post('/subscriptions', {
    customer_id: await workspace.aCustomer(),
    items: [{ price_id: await aPrice(workspace) }],
    trial,
  })
  await workspace.put(`/subscriptions/${second.body.id}/pause`)
  const idsOf = async (query: string) =>
    (await get(`/subscriptions?${query}`)).body.data.map(({ id }: { id: string }) => id)
  expect(await idsOf('')).toEqual([second.body.id, first.body.id])
  expect(await idsOf(`customer_id=${customer_id}`)).toEqual([first.body.id])
  expect(await idsOf(`price_id=${price_id}`)).toEqual([first.body.id])
  expect(await idsOf('status=paused')).toEqual([second.body.id])
  expect(await idsOf('collection_status=past_due')).toEqual([])
  expect(await get('/subscriptions?customer_id=nonsense')).toMatchObject({ status: 400 })
  expect(await get(`/subscriptions/${customer_id}`)).toMatchObject({ status: 404 })
})

test('a customer has access if one of their subscriptions grants it', async () => {
  const workspace = await switchyard.newWorkspace()
  const customer_id = await workspace.aCustomer()
  const items = [{ price_id: await aPrice(workspace) }]
  const createSubscription = async () =>
    (await workspace.post('/subscriptions', { customer_id, items, trial: { days: 14 } })).body.id
  const [first] = [await createSubscription(), await createSubscription()]
  await workspace.put(`/subscriptions/${first}/cancel`)
  const { body } = await workspace.get(`/customers/${customer_id}/billing-state`)
  expect(body).toMatchObject({
    access: { granted: true, reason: 'trial' },
    subscriptions: [{}, { id: first }],
  })
  expect((await workspace.get(`/subscriptions/${first}/access`)).body).toMatchObject({
    subscription_id: first,
    access: { granted: false, reason: 'cancelled' },
  })
  expect(await workspace.get(`/customers/${first}/billing-state`)).toMatchObject({ status: 404 })
})
