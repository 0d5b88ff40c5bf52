import { expect, test } from 'vitest'
import { simulatorForThisFile } from '../../../../../test/support/simulator.ts'
import { switchyardForThisFile } from '../../../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })

async function setUp() {
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

test('the simulation of a described payment returns the whole trace and the path', async () => {
  const { simulate, first, second, route } = await setUp()

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

test('assumed holds, open circuit breakers and outcomes are applied', async () => {
  const { simulate, first, second } = await setUp()
  const simulateWith = async (assume: object) => (await simulate({ operands: euros, assume })).body

  expect((await simulateWith({ held: [second] })).trace.order).toEqual([first])
  expect((await simulateWith({ open: [second] })).trace.order).toEqual([first, second])
  expect(await simulateWith({ outcomes: ['do_not_honor', 'insufficient_funds'] })).toMatchObject({
    end: 'failed',
    path: [
      { provider_account_id: second, outcome: 'do_not_honor', next: `tries ${first}` },
      {
        provider_account_id: first,
        outcome: 'insufficient_funds',
        next: 'stops: failover does not apply to this outcome',
      },
    ],
  })
  expect(await simulateWith({ outcomes: ['unknown'] })).toMatchObject({
    end: 'unknown',
    path: [{ next: 'no other account is tried until the outcome is known' }],
  })
  expect(await simulateWith({ outcomes: ['provider_error', 'provider_error'] })).toMatchObject({
    end: 'failed',
    path: [{}, { next: 'stops: max_attempts of the route is reached' }],
  })
  expect(await simulateWith({ held: [first, second] })).toMatchObject({ end: 'no_provider', path: [] })
})

test('a revision or an unsaved definition can be simulated, and nothing is written', async () => {
  const { simulate, put, get, route, definition, first, second } = await setUp()
  await put(`/payment-routes/${route.id}`, { rules: [], draft: true })
  const before = (await get(`/payment-routes/${route.id}`)).body

  expect((await simulate({ operands: euros, revision: 2 })).body.provider_account_id).toBe(first)
  expect((await simulate({ operands: euros })).body.provider_account_id).toBe(second)
  const declining = { ...definition, rules: [], default: { type: 'decline' } }
  expect((await simulate({ operands: euros, definition: declining })).body).toMatchObject({
    end: 'declined',
    provider_account_id: null,
    trace: { revision: null, cause: 'declined by default action of the route' },
  })
  expect((await get(`/payment-routes/${route.id}`)).body).toEqual(before)
})

test('an existing payment is simulated with its own data', async () => {
  const { simulate, post, second } = await setUp()
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' }
  const { body: token } = await post('/tokens', { type: 'card', card })
  const { body: payment } = await post('/payments', { ...euros, token: token.id, metadata: { tier: 'gold' } })

  const { body } = await simulate({ payment_id: payment.id })

  expect(body).toMatchObject({
    provider_account_id: second,
    operands: { ...euros, recurring: 'none', 'card.country': 'US', 'metadata.tier': 'gold' },
  })
})

test('invalid input is rejected with its location', async () => {
  const { simulate, definition } = await setUp()
  const errorsOf = async (input: object) => {
    const { status, body } = await simulate(input)
    return [status, ...body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`)]
  }
  const invalid = { ...definition, rules: [{ ...definition.rules[0], when: { any: [] } }] }

  expect(await errorsOf({})).toEqual([400, '/operands required'])
  expect(await errorsOf({ operands: { amount: 1 } })).toEqual([400, '/operands/currency required'])
  expect(await errorsOf({ operands: { ...euros, colour: 'red' } })).toEqual([
    400,
    '/operands/colour unknown_member',
  ])
  // A cost is calculated from the payment and the account, so it cannot be part of the description.
  const cost = `estimated_cost.${definition.default.targets[0]}`
  expect(await errorsOf({ operands: { ...euros, [cost]: 1 } })).toEqual([
    400,
    `/operands/${cost} unknown_member`,
  ])
  expect(await errorsOf({ operands: euros, payment_id: 'x' })).toEqual([400, '/operands not_together'])
  expect(await errorsOf({ payment_id: 'x' })).toEqual([422, '/payment_id not_found'])
  expect(await errorsOf({ operands: euros, definition: invalid })).toEqual([
    400,
    '/definition/rules/0/when/any too_short',
  ])
  expect(await errorsOf({ operands: euros, assume: { outcomes: ['perhaps'] } })).toEqual([
    400,
    '/assume/outcomes/0 not_in_list',
  ])
})
