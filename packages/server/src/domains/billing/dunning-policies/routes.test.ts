// Dunning policies: defaults, updates and validation.

import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()

const defaults = {
  retry_days: [1, 3, 6, 10, 15, 21, 27],
  reminder_days: [-3, 1, 7, 14],
  local_hour: 9,
  jitter_minutes: 30,
  grace: 'campaign',
  final: { subscription: 'pause', invoice: 'leave_open' },
}

test('omitted members of a policy have defaults', async () => {
  const { post, get, eventsOf } = await switchyard.newWorkspace()
  const { status, body } = await post('/dunning-policies/', { name: 'Patient' })
  expect(status).toBe(201)
  expect(body).toMatchObject({ object: 'dunning_policy', name: 'Patient', ...defaults, metadata: {} })
  expect((await get(`/dunning-policies/${body.id}`)).body).toEqual(body)
  expect((await get('/dunning-policies')).body.data).toEqual([body])
  expect((await eventsOf(body.id)).map(({ type }: { type: string }) => type)).toEqual([
    'dunning_policy.created',
  ])
})

test('a change keeps the other members, emits one event, and can require a version', async () => {
  const { post, put, eventsOf } = await switchyard.newWorkspace()
  const created = await post('/dunning-policies', { name: 'Patient' })
  const path = `/dunning-policies/${created.body.id}`
  const changed = await put(path, { retry_days: [2, 9], final: { subscription: 'cancel', invoice: 'void' } })
  expect(changed.body).toMatchObject({
    ...defaults,
    name: 'Patient',
    retry_days: [2, 9],
    final: { subscription: 'cancel', invoice: 'void' },
  })
  expect((await put(path, { retry_days: [2, 9] })).body).toEqual(changed.body)
  const stale = { headers: { 'if-match': String(created.headers.get('etag')) } }
  expect(await put(path, { grace: 'none' }, stale)).toMatchObject({ status: 412 })
  expect(await eventsOf(created.body.id)).toHaveLength(2)
})

test.each([
  ['retry days that are not ascending', { retry_days: [3, 3] }, '/retry_days'],
  ['reminder days that are not ascending', { reminder_days: [7, 1] }, '/reminder_days'],
  ['no reminder days', { reminder_days: [] }, '/reminder_days'],
  ['no retry days', { retry_days: [] }, '/retry_days'],
  ['a retry after day 60', { retry_days: [61] }, '/retry_days/0'],
  ['a local_hour of 24', { local_hour: 24 }, '/local_hour'],
  ['an unknown final action', { final: { subscription: 'delete', invoice: 'void' } }, '/final/subscription'],
])('a policy with %s is refused', async (_, members, pointer) => {
  const { post } = await switchyard.newWorkspace()
  const refused = await post('/dunning-policies', { name: 'Patient', ...members })
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer }] } })
})

test('a subscription can only use a dunning policy of its own workspace', async () => {
  const { post, aCustomer } = await switchyard.newWorkspace()
  const foreignPolicy = (
    await (await switchyard.newWorkspace()).post('/dunning-policies', { name: 'Theirs' })
  ).body
  const { body: product } = await post('/products', { name: 'Team plan' })
  const terms = { product_id: product.id, currency: 'eur', unit_amount: 2999 }
  const { body: price } = await post('/prices', { ...terms, recurring: { interval: 'month' } })
  const body = { customer_id: await aCustomer(), items: [{ price_id: price.id }], trial: { days: 14 } }
  expect(await post('/subscriptions', { ...body, dunning_policy_id: foreignPolicy.id })).toMatchObject({
    status: 422,
    body: { code: 'reference_not_found', errors: [{ pointer: '/dunning_policy_id' }] },
  })
  const { body: ownPolicy } = await post('/dunning-policies', { name: 'Ours' })
  expect((await post('/subscriptions', { ...body, dunning_policy_id: ownPolicy.id })).body).toMatchObject({
    dunning_policy_id: ownPolicy.id,
  })
})
