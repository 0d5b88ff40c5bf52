// How often and how long is a merchant's decision, and it is checked when it is made.

import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()

const usual = {
  ...{ retry_days: [1, 3, 6, 10, 15, 21, 27], local_hour: 9, jitter_minutes: 30, grace: 'campaign' },
  final: { subscription: 'pause', invoice: 'leave_open' },
}

test('what a policy leaves out is as usual', async () => {
  const { post, get, eventsOf } = await switchyard.newWorkspace()
  const { status, body } = await post('/dunning-policies/', { name: 'Patient' })
  expect(status).toBe(201)
  expect(body).toMatchObject({ object: 'dunning_policy', name: 'Patient', ...usual, metadata: {} })
  expect((await get(`/dunning-policies/${body.id}`)).body).toEqual(body)
  expect((await get('/dunning-policies')).body.data).toEqual([body])
  expect((await eventsOf(body.id)).map(({ type }: { type: string }) => type)).toEqual([
    'dunning_policy.created',
  ])
})

test('a change leaves the other members, is told once, and may insist on a version', async () => {
  const { post, put, eventsOf } = await switchyard.newWorkspace()
  const made = await post('/dunning-policies', { name: 'Patient' })
  const path = `/dunning-policies/${made.body.id}`
  const changed = await put(path, { retry_days: [2, 9], final: { subscription: 'cancel', invoice: 'void' } })
  expect(changed.body).toMatchObject({
    ...{ ...usual, name: 'Patient', retry_days: [2, 9] },
    final: { subscription: 'cancel', invoice: 'void' },
  })
  expect((await put(path, { retry_days: [2, 9] })).body).toEqual(changed.body)
  const stale = { headers: { 'if-match': String(made.headers.get('etag')) } }
  expect(await put(path, { grace: 'none' }, stale)).toMatchObject({ status: 412 })
  expect(await eventsOf(made.body.id)).toHaveLength(2)
})

test.each([
  ['days that do not rise', { retry_days: [3, 3] }, '/retry_days'],
  ['no day at all', { retry_days: [] }, '/retry_days'],
  ['a day beyond two months', { retry_days: [61] }, '/retry_days/0'],
  ['an hour that no day has', { local_hour: 24 }, '/local_hour'],
  ['an end that there is not', { final: { subscription: 'delete', invoice: 'void' } }, '/final/subscription'],
])('a policy with %s is refused', async (_, members, pointer) => {
  const { post } = await switchyard.newWorkspace()
  const refused = await post('/dunning-policies', { name: 'Patient', ...members })
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer }] } })
})

test('a subscription names a policy that there is', async () => {
  const { post, aCustomer } = await switchyard.newWorkspace()
  const stranger = (await (await switchyard.newWorkspace()).post('/dunning-policies', { name: 'Theirs' }))
    .body
  const { body: product } = await post('/products', { name: 'Team plan' })
  const terms = { product_id: product.id, currency: 'eur', unit_amount: 2999 }
  const { body: price } = await post('/prices', { ...terms, recurring: { interval: 'month' } })
  const wanted = { customer_id: await aCustomer(), items: [{ price_id: price.id }], trial: { days: 14 } }
  expect(await post('/subscriptions', { ...wanted, dunning_policy_id: stranger.id })).toMatchObject({
    status: 422,
    body: { code: 'reference_not_found', errors: [{ pointer: '/dunning_policy_id' }] },
  })
  const { body: own } = await post('/dunning-policies', { name: 'Ours' })
  expect((await post('/subscriptions', { ...wanted, dunning_policy_id: own.id })).body).toMatchObject({
    dunning_policy_id: own.id,
  })
})
