import { expect, test } from 'vitest'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })

type Finding = { severity: string; code: string; pointer: string; detail: string }

async function aScene(mode: 'test' | 'live' = 'test') {
  const workspace = await switchyard.newWorkspace(mode)
  const account = async (name: string, capabilities: object = {}): Promise<string> => {
    const url = mode === 'test' ? 'http://127.0.0.1:1024' : 'https://psp.example.com'
    const base = { provider: 'custom', display_name: name, config: { base_url: url } }
    return (await workspace.post('/provider-accounts', { ...base, capabilities })).body.id
  }
  const [euros, dollars] = [
    await account('Euros only', { currencies: ['eur'], amount: { min: 100, max: 100_000 } }),
    await account('Dollars only', { currencies: ['usd'] }),
  ]
  const definition = { name: 'Cards', default: { type: 'priority', targets: [euros, dollars] } }
  return { workspace, account, euros, dollars, definition }
}

async function findingsOf({ post }: Workspace, definition: object): Promise<Finding[]> {
  const { status, body } = await post('/payment-routes/lint', definition)
  expect(status).toBe(200)
  expect(body.publishable).toBe(body.findings.every(({ severity }: Finding) => severity !== 'error'))
  return body.findings
}

const on = (field: string, value: unknown, op = 'eq') => ({ field, op, value })
const rule = (name: string, when: object, targets: readonly string[]) => ({
  ...{ name, when },
  then: { type: 'priority', targets },
})
const placesOf = (findings: readonly Finding[]) => findings.map(({ code, pointer }) => `${code} ${pointer}`)

test('an impossible condition and a rule that is covered are errors, and say by whom', async () => {
  const { workspace, definition, euros, dollars } = await aScene()
  const both = [euros, dollars]
  const rules = [
    rule('Euros', on('currency', 'eur'), both),
    rule('Small euros', { all: [on('currency', 'eur'), on('amount', 500, 'lt')] }, both),
    rule('Two at once', { all: [on('currency', 'eur'), on('currency', 'usd')] }, both),
    rule('Nothing', on('amount', 0, 'lt'), both),
  ]

  const findings = await findingsOf(workspace, { ...definition, rules })

  expect(findings).toEqual([
    expect.objectContaining({
      severity: 'error',
      code: 'unreachable_rule',
      pointer: '/rules/1',
      detail: 'No payment gets here: rule 1 takes all that it matches.',
    }),
    expect.objectContaining({ code: 'impossible_condition', pointer: '/rules/2/when' }),
    expect.objectContaining({ code: 'impossible_condition', pointer: '/rules/3/when' }),
    expect.objectContaining({
      severity: 'warning',
      code: 'some_targets_incapable',
      pointer: '/rules/0/then/targets/1',
    }),
    expect.objectContaining({
      severity: 'warning',
      code: 'some_targets_incapable',
      pointer: '/default/targets/0',
    }),
  ])
})

test('rules that cover another one only together are told together', async () => {
  const { workspace, definition, euros, dollars } = await aScene()
  const both = [euros, dollars]
  const rules = [
    rule('Small', on('amount', 1_000, 'lt'), both),
    rule('Large', on('amount', 1_000, 'gte'), both),
    rule('Euros', on('currency', 'eur'), both),
  ]

  const findings = await findingsOf(workspace, { ...definition, rules })

  const covered = findings.find(({ code }) => code === 'unreachable_rule')
  expect(covered).toMatchObject({
    pointer: '/rules/2',
    detail: 'No payment gets here: the rules before it together take all that it matches.',
  })
})

test('an account that cannot take what gets there is told, with an example where a promise is broken', async () => {
  const { workspace, definition, euros, dollars } = await aScene()
  const rules = [rule('Yen', on('currency', 'jpy'), [euros, dollars])]

  expect(placesOf(await findingsOf(workspace, { ...definition, rules }))).toEqual([
    'no_capable_target /rules/0/then',
  ])
  const limits = { currencies: ['eur', 'usd'], amount: { min: 1, max: 100_000 } }
  const broken = await findingsOf(workspace, { ...definition, limits })
  expect(broken[0]).toMatchObject({ code: 'no_capable_target', pointer: '/default' })
  expect(broken[0]?.detail).toMatch(/within the limits: .*currency eur/)
  const kept = await findingsOf(workspace, {
    ...definition,
    limits: { ...limits, amount: { min: 100, max: 100_000 } },
  })
  expect(placesOf(kept)).toEqual([
    'some_targets_incapable /default/targets/0',
    'some_targets_incapable /default/targets/1',
  ])
})

test('accounts have to be there and active, in the test environment unchecked too', async () => {
  const { workspace, definition, euros, dollars } = await aScene()
  await workspace.post(`/provider-accounts/${dollars}/disable`)

  expect(placesOf(await findingsOf(workspace, definition))).toEqual(['account_not_active /default/targets/1'])
  const refused = await workspace.post('/payment-routes', definition)
  expect(refused).toMatchObject({
    status: 422,
    body: {
      code: 'route_invalid',
      errors: [{ pointer: '/default/targets/1', code: 'account_not_active' }],
    },
  })
  const nobody = {
    ...definition,
    default: { type: 'priority', targets: [euros, 'provider_account_nonsense'] },
  }
  expect(placesOf(await findingsOf(workspace, nobody))).toEqual(['account_not_active /default/targets/1'])
  const draft = await workspace.post('/payment-routes', { ...nobody, draft: true })
  expect([draft.status, placesOf(draft.body.lint)]).toEqual([201, ['account_not_active /default/targets/1']])
  expect((await workspace.post(`/payment-routes/${draft.body.id}/revisions/1/publish`)).body.code).toBe(
    'route_invalid',
  )
})

test('in production a provider of one’s own has to have passed a check', async () => {
  const { workspace, definition } = await aScene('live')

  expect(placesOf(await findingsOf(workspace, definition))).toEqual([
    'custom_not_checked /default/targets/0',
    'custom_not_checked /default/targets/1',
  ])
})

test('what is legal and seldom meant is a warning', async () => {
  const { workspace, definition, euros, dollars } = await aScene()
  const both = [euros, dollars]
  const rules = [
    rule('Large', on('amount', 1_000, 'gt'), [euros]),
    rule('Germany', on('card.country', 'DE'), both),
    rule('France, large in euros', { all: [on('card.country', 'FR'), on('currency', 'eur')] }, both),
  ]

  const findings = await findingsOf(workspace, {
    ...definition,
    rules,
    default: { type: 'decline' },
    failover: { max_attempts: 1 },
  })

  expect(placesOf(findings)).toEqual([
    'some_targets_incapable /rules/2/then/targets/1',
    'amount_without_currency /rules/0/when',
    'single_target /rules/0/then',
    'no_fallback /default',
    'no_fallback /failover',
    'overlapping_rules /rules/1',
    'overlapping_rules /rules/2',
  ])
  expect(findings.find(({ code }) => code === 'overlapping_rules')?.detail).toMatch(/^Overlaps with "Large"/)
})

test('an example that does not end where it should keeps the route from being published', async () => {
  const { workspace, definition, euros, dollars } = await aScene()
  const payment = { amount: 500, currency: 'eur' }
  const examples = [
    { name: 'euros', payment, expect: { provider_account_id: euros } },
    { name: 'dollars', payment: { ...payment, currency: 'usd' }, expect: { provider_account_id: euros } },
    { name: 'refused', payment, expect: { decline: true } },
  ]

  const refused = await workspace.post('/payment-routes', { ...definition, examples })

  expect(refused.status).toBe(422)
  expect(refused.body.errors).toEqual([
    {
      pointer: '/examples/1',
      code: 'example_failed',
      detail: `The example "dollars" should go to ${euros}, and goes to ${dollars}: the default of the route.`,
    },
    {
      pointer: '/examples/2',
      code: 'example_failed',
      detail: `The example "refused" should be declined, and goes to ${euros}.`,
    },
  ])
  expect(
    (await workspace.post('/payment-routes', { ...definition, examples: examples.slice(0, 1) })).status,
  ).toBe(201)
})

test('of a split, each account that can be drawn is right', async () => {
  const { workspace, account } = await aScene()
  const [one, two] = [await account('One'), await account('Two')]
  const split = {
    type: 'split',
    targets: [
      { provider_account_id: one, weight: 100 },
      { provider_account_id: two, weight: 0 },
    ],
  }
  const payment = { amount: 500, currency: 'eur' }
  const expecting = (id: string) => ({
    ...{ name: 'Split', default: split },
    examples: [{ name: 'an example', payment, expect: { provider_account_id: id } }],
  })

  expect(placesOf(await findingsOf(workspace, expecting(one)))).toEqual([])
  expect(placesOf(await findingsOf(workspace, expecting(two)))).toEqual(['example_failed /examples/0'])
})
