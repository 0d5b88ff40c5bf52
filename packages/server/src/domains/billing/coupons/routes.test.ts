import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()

const percent = { name: 'Spring offer', percent_off: '12.50', duration: 'periods', duration_periods: 3 }
const amount = { name: 'Five off', amount_off: 500, currency: 'eur', duration: 'once' }

test('a coupon is returned as it was created, can be archived, and keeps its terms', async () => {
  const { post, put, get } = await switchyard.newWorkspace()
  const { body: product } = await post('/products', { name: 'Team plan' })
  const created = await post('/coupons', { ...percent, product_ids: [product.id], max_redemptions: 10 })
  const { body: fixed } = await post('/coupons', amount)

  expect(created).toMatchObject({
    status: 201,
    body: {
      ...percent,
      object: 'coupon',
      percent_off: '12.5',
      amount_off: null,
      currency: null,
      product_ids: [product.id],
      active: true,
      times_redeemed: 0,
    },
  })
  expect(fixed).toMatchObject({ ...amount, percent_off: null, product_ids: null, max_redemptions: null })

  const archived = await put(`/coupons/${created.body.id}`, { active: false })
  expect(archived.body).toMatchObject({ active: false, percent_off: '12.5' })
  expect((await put(`/coupons/${created.body.id}`, { percent_off: '50' })).status).toBe(400)
  expect((await get('/coupons?active=true')).body.data).toMatchObject([{ id: fixed.id }])
  const { body: events } = await get(`/events?object_id=${created.body.id}`)
  expect(events.data).toMatchObject([{ type: 'coupon.updated' }, { type: 'coupon.created' }])
})

test.each([
  ['/percent_off', { name: 'None', duration: 'once' }],
  ['/percent_off', { ...amount, percent_off: '10' }],
  ['/percent_off', { name: 'Zero', percent_off: '0', duration: 'once' }],
  ['/percent_off', { name: 'Above', percent_off: '101', duration: 'once' }],
  ['/currency', { name: 'No currency', amount_off: 500, duration: 'once' }],
  ['/currency', { name: 'Currency', percent_off: '10', currency: 'eur', duration: 'once' }],
  ['/duration_periods', { name: 'No periods', percent_off: '10', duration: 'periods' }],
  ['/duration_periods', { ...amount, duration_periods: 2 }],
  ['/redeem_by', { ...amount, redeem_by: '2020-01-01T00:00:00Z' }],
  ['/product_ids/0', { ...amount, product_ids: ['product_test_01M7CYVGQTEAKSNTBFR026MPQ1'] }],
])('a coupon with a wrong %s is rejected', async (pointer, body) => {
  const { post } = await switchyard.newWorkspace()
  expect(await post('/coupons', body)).toMatchObject({ body: { errors: [{ pointer }] } })
})
