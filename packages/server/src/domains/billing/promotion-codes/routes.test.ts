import { expect, test } from 'vitest'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()

const aCoupon = async ({ post }: Workspace): Promise<string> =>
  (await post('/coupons', { name: 'Spring offer', percent_off: '20', duration: 'once' })).body.id

test('a code is stored in upper case and is unique among active codes, even with concurrent requests', async () => {
  const workspace = await switchyard.newWorkspace()
  const { post, put, get } = workspace
  const coupon_id = await aCoupon(workspace)
  const terms = { first_purchase: true, minimum_amount: 2000, currency: 'eur', max_redemptions: 5 }

  const answers = await Promise.all(
    ['spring20', 'SPRING20', 'Spring20'].map((code) =>
      post('/promotion-codes', { coupon_id, code, ...terms }),
    ),
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
  const created = answers.find(({ status }) => status === 201)?.body
  expect(created).toMatchObject({
    object: 'promotion_code',
    coupon_id,
    code: 'SPRING20',
    active: true,
    ...terms,
  })
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
    code: 'promotion_code_taken',
    resource_id: created.id,
  })

  await put(`/promotion-codes/${created.id}`, { active: false })
  const again = await post('/promotion-codes', { coupon_id, code: 'Spring20' })
  expect(again.status).toBe(201)
  expect((await put(`/promotion-codes/${created.id}`, { active: true })).body.code).toBe(
    'promotion_code_taken',
  )
  expect((await get('/promotion-codes?code=spring20')).body.data).toMatchObject([
    { id: again.body.id },
    { id: created.id },
  ])
  expect((await get(`/promotion-codes?coupon_id=${await aCoupon(workspace)}`)).body.data).toEqual([])
})

test('a code requires an existing coupon, and a minimum amount requires a currency', async () => {
  const workspace = await switchyard.newWorkspace()
  const { post } = workspace
  const coupon_id = await aCoupon(workspace)
  const unknown = 'coupon_test_01M7CYVGQTEAKSNTBFR026MPQ1'

  expect(await post('/promotion-codes', { coupon_id: unknown, code: 'A' })).toMatchObject({
    status: 422,
    body: { code: 'reference_not_found', errors: [{ pointer: '/coupon_id' }] },
  })
  expect(await post('/promotion-codes', { coupon_id, code: 'A', minimum_amount: 100 })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/currency' }] },
  })
})
