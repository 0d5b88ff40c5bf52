import { expect, test } from 'vitest'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })

async function aScene() {
  const workspace = await switchyard.newWorkspace()
  const { body } = await workspace.get('/provider-accounts')
  const [second, first] = body.data.map(({ id }: { id: string }) => id) as [string, string]
  const euros = {
    name: 'Euros',
    when: { all: [{ field: 'currency', op: 'eq', value: 'eur' }] },
    then: { type: 'priority', targets: [second, first] },
  }
  const definition = {
    name: 'Cards',
    rules: [euros],
    default: { type: 'priority', targets: [first, second] },
  }
  const { body: route } = await workspace.post('/payment-routes', definition)
  const simulate = (input: object) => workspace.post(`/payment-routes/${route.id}/simulate`, input)
  return { ...workspace, first, second, route, definition, simulate }
}

const euros = { amount: 1299, currency: 'eur' }

test('a described payment is answered with the whole trace and its path', async () => {
  const { simulate, first, second, route } = await aScene()

  const { status, body } = await simulate({ operands: { ...euros, 'card.country': 'DE' } })

  expect(status).toBe(200)
  expect(body).toMatchObject({
    object: 'payment_route_simulation',
    provider_account_id: second,
    end: 'approved',
    operands: {
      ...euros,
      'card.country': 'DE',
      purpose: 'payment',
      'card.brand': 'visa',
      'created.hour': 12,
    },
    trace: {
      payment_route_id: route.id,
      revision: 1,
      rules: [{ rule: 0, matched: true, failed_at: null }],
      order: [second, first],
      cause: 'rule "Euros"',
    },
    path: [{ provider_account_id: second, outcome: 'approved', next: 'done' }],
  })
})

test('what is assumed is followed: holds, accounts that fail, and outcomes', async () => {
  const { simulate, first, second } = await aScene()
  const assuming = async (assume: object) => (await simulate({ operands: euros, assume })).body

  expect((await assuming({ held: [second] })).trace.order).toEqual([first])
  expect((await assuming({ open: [second] })).trace.order).toEqual([first, second])
  expect(await assuming({ outcomes: ['do_not_honor', 'insufficient_funds'] })).toMatchObject({
    end: 'failed',
    path: [
      { provider_account_id: second, outcome: 'do_not_honor', next: `asks ${first}` },
      {
        provider_account_id: first,
        outcome: 'insufficient_funds',
        next: 'stops: no other account would help',
      },
    ],
  })
  expect(await assuming({ outcomes: ['unknown'] })).toMatchObject({
    end: 'unknown',
    path: [{ next: 'nobody else is asked until it is known' }],
  })
  expect(await assuming({ outcomes: ['provider_error', 'provider_error'] })).toMatchObject({
    end: 'failed',
    path: [{}, { next: 'stops: the route asks no more accounts than these' }],
  })
  expect(await assuming({ held: [first, second] })).toMatchObject({ end: 'no_provider', path: [] })
})

test('a revision or a definition that was never saved can be tried, and nothing is written', async () => {
  const { simulate, put, get, route, definition, first, second } = await aScene()
  await put(`/payment-routes/${route.id}`, { rules: [], draft: true })
  const before = (await get(`/payment-routes/${route.id}`)).body

  expect((await simulate({ operands: euros, revision: 2 })).body.provider_account_id).toBe(first)
  expect((await simulate({ operands: euros })).body.provider_account_id).toBe(second)
  const declining = { ...definition, rules: [], default: { type: 'decline' } }
  expect((await simulate({ operands: euros, definition: declining })).body).toMatchObject({
    end: 'declined',
    provider_account_id: null,
    trace: { revision: null, cause: 'the default of the route declines it' },
  })
  expect((await get(`/payment-routes/${route.id}`)).body).toEqual(before)
})

test('a payment that there was is tried as it was made', async () => {
  const { simulate, post, second } = await aScene()
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' }
  const { body: token } = await post('/tokens', { type: 'card', card })
  const { body: payment } = await post('/payments', { ...euros, token: token.id, metadata: { tier: 'gold' } })

  const { body } = await simulate({ payment_id: payment.id })

  expect(body).toMatchObject({
    provider_account_id: second,
    operands: { ...euros, recurring: 'none', 'card.country': 'US', 'metadata.tier': 'gold' },
  })
})

test('what cannot be tried is refused with the place', async () => {
  const { simulate, definition } = await aScene()
  const faultsOf = async (input: object) => {
    const { status, body } = await simulate(input)
    return [status, ...body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`)]
  }
  const wrong = { ...definition, rules: [{ ...definition.rules[0], when: { any: [] } }] }

  expect(await faultsOf({})).toEqual([400, '/operands required'])
  expect(await faultsOf({ operands: { amount: 1 } })).toEqual([400, '/operands/currency required'])
  expect(await faultsOf({ operands: { ...euros, colour: 'red' } })).toEqual([
    400,
    '/operands/colour unknown_member',
  ])
  expect(await faultsOf({ operands: euros, payment_id: 'x' })).toEqual([400, '/operands not_together'])
  expect(await faultsOf({ payment_id: 'x' })).toEqual([422, '/payment_id not_found'])
  expect(await faultsOf({ operands: euros, definition: wrong })).toEqual([
    400,
    '/definition/rules/0/when/any too_short',
  ])
  expect(await faultsOf({ operands: euros, assume: { outcomes: ['perhaps'] } })).toEqual([
    400,
    '/assume/outcomes/0 not_in_list',
  ])
})
