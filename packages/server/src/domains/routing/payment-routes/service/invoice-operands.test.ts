import { expect, test } from 'vitest'
import { simulatorForThisFile } from '../../../../../test/support/simulator.ts'
import { switchyardForThisFile } from '../../../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })

test('a subscription payment is routed by its price, its channel and the account that verified the card', async () => {
  const workspace = await switchyard.newWorkspace()
  const { get, post } = workspace
  const { body: accounts } = await get('/provider-accounts')
  const [second, first] = accounts.data.map(({ id }: { id: string }) => id) as [string, string]
  const { body: product } = await post('/products', { name: 'Team plan' })
  const createPrice = async (unit_amount: number) => {
    const recurring = { interval: 'month' }
    return (await post('/prices', { product_id: product.id, currency: 'eur', unit_amount, recurring })).body
      .id
  }
  const [price, otherPrice] = [await createPrice(2999), await createPrice(4999)]
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2036, cvc: '123' }
  const { body: token } = await post('/tokens', { type: 'card', card })
  const { body: method } = await post('/payment-methods', { token: token.id })
  const customer_id = await workspace.aCustomer()
  await post(`/payment-methods/${method.id}/attach`, { customer_id })
  const equals = (field: string, value: string) => ({ field, op: 'eq', value })
  const conditions = [
    equals('price_id', price),
    equals('channel', 'invoice'),
    equals('method.last_provider_account_id', first),
  ]
  const { body: route } = await post('/payment-routes', {
    name: 'By price',
    rules: [{ name: 'Team', when: { all: conditions }, then: { type: 'priority', targets: [second] } }],
    default: { type: 'priority', targets: [first] },
  })
  const chargedAccountFor = async (items: object[]) => {
    const request = { customer_id, items, payment_method_id: method.id, payment_route_id: route.id }
    const { body: subscription } = await post('/subscriptions', request)
    await switchyard.settle()
    const { body } = await get(`/payments?customer_id=${customer_id}&limit=1`)
    expect(subscription).toMatchObject({ object: 'subscription' })
    return body.data[0].provider_account_id
  }

  expect(await chargedAccountFor([{ price_id: price, quantity: 2 }])).toBe(second)
  expect(await chargedAccountFor([{ price_id: otherPrice }])).toBe(first)
  // With several prices the payment has no price operand.
  expect(await chargedAccountFor([{ price_id: price }, { price_id: otherPrice }])).toBe(first)
})
