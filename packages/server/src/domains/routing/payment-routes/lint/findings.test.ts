import { expect, test } from 'vitest'
import { simulatorForThisFile } from '../../../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../../../test/support/switchyard.ts'
import { useVault } from '../../../../../test/support/vaults.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })

type Finding = { severity: string; code: string; pointer: string; detail: string }

async function setUp(mode: 'test' | 'live' = 'test') {
  const workspace = await switchyard.newWorkspace(mode)
  const createAccount = async (name: string, capabilities: object = {}): Promise<string> => {
    const url = mode === 'test' ? 'http://127.0.0.1:1024' : 'https://psp.example.com'
    const base = { provider: 'custom', display_name: name, config: { base_url: url } }
    return (await workspace.post('/provider-accounts', { ...base, capabilities })).body.id
  }
  const [euros, dollars] = [
    await createAccount('Euros only', { currencies: ['eur'], amount: { min: 100, max: 100_000 } }),
    await createAccount('Dollars only', { currencies: ['usd'] }),
  ]
  const definition = { name: 'Cards', default: { type: 'priority', targets: [euros, dollars] } }
  return { workspace, createAccount, euros, dollars, definition }
}

async function findingsOf({ post }: Workspace, definition: object): Promise<Finding[]> {
  const { status, body } = await post('/payment-routes/lint', definition)
  expect(status).toBe(200)
  expect(body.publishable).toBe(body.findings.every(({ severity }: Finding) => severity !== 'error'))
  return body.findings
}

const on = (field: string, value: unknown, op = 'eq') => ({ field, op, value })
const rule = (name: string, when: object, targets: readonly string[]) => ({
  name,
  when,
  then: { type: 'priority', targets },
})
const codesWithPointers = (findings: readonly Finding[]) =>
  findings.map(({ code, pointer }) => `${code} ${pointer}`)

test('a repeated lint with an idempotency key returns the first response, even if its findings would differ now', async () => {
  const { workspace, definition, euros } = await setUp()
  const headers = { 'idempotency-key': 'lint-1' }
  const lint = () => workspace.post('/payment-routes/lint', definition, { headers })

  const first = await lint()
  await workspace.post(`/provider-accounts/${euros}/disable`)
  const repeat = await lint()

  expect(first).toMatchObject({ status: 200, body: { publishable: true } })
  expect(repeat.body).toEqual(first.body)
  expect(repeat.headers.get('idempotent-replayed')).toBe('true')
  expect(await findingsOf(workspace, definition)).toMatchObject([{ code: 'account_not_active' }])
})

test('a route whose only account accepts only tokens can be published', async () => {
  const { workspace } = await setUp()
  const { body } = await workspace.post('/provider-accounts', {
    provider: 'mollie',
    display_name: 'Tokens only',
    credentials: { api_key: `test_${'a'.repeat(30)}` },
  })
  expect(body).toMatchObject({ card_data: 'token' })
  const definition = { name: 'Tokens', default: { type: 'priority', targets: [body.id] } }

  expect(codesWithPointers(await findingsOf(workspace, definition))).toEqual(['single_target /default'])
})

test('an impossible condition and an unreachable rule are errors, and the latter names the covering rule', async () => {
  const { workspace, definition, euros, dollars } = await setUp()
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
      detail: 'No payment reaches this rule: rule 1 matches all of its payments first.',
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

test('a rule that several preceding rules cover only together is reported as unreachable', async () => {
  const { workspace, definition, euros, dollars } = await setUp()
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
    detail: 'No payment reaches this rule: the preceding rules together match all of its payments first.',
  })
})

test('an account that cannot process the payments sent to it is reported, with an example payment if the route has limits', async () => {
  const { workspace, definition, euros, dollars } = await setUp()
  const rules = [rule('Yen', on('currency', 'jpy'), [euros, dollars])]

  expect(codesWithPointers(await findingsOf(workspace, { ...definition, rules }))).toEqual([
    'no_capable_target /rules/0/then',
  ])
  const limits = { currencies: ['eur', 'usd'], amount: { min: 1, max: 100_000 } }
  const uncovered = await findingsOf(workspace, { ...definition, limits })
  expect(uncovered[0]).toMatchObject({ code: 'no_capable_target', pointer: '/default' })
  expect(uncovered[0]?.detail).toMatch(/within the limits: .*currency eur/)
  const narrower = await findingsOf(workspace, {
    ...definition,
    limits: { ...limits, amount: { min: 100, max: 100_000 } },
  })
  expect(codesWithPointers(narrower)).toEqual([
    'some_targets_incapable /default/targets/0',
    'some_targets_incapable /default/targets/1',
  ])
})

test('accounts must exist and be active, and need no conformance check in test mode', async () => {
  const { workspace, definition, euros, dollars } = await setUp()
  await workspace.post(`/provider-accounts/${dollars}/disable`)

  expect(codesWithPointers(await findingsOf(workspace, definition))).toEqual([
    'account_not_active /default/targets/1',
  ])
  const response = await workspace.post('/payment-routes', definition)
  expect(response).toMatchObject({
    status: 422,
    body: {
      code: 'route_invalid',
      errors: [{ pointer: '/default/targets/1', code: 'account_not_active' }],
    },
  })
  const missingAccount = {
    ...definition,
    default: { type: 'priority', targets: [euros, 'provider_account_nonsense'] },
  }
  expect(codesWithPointers(await findingsOf(workspace, missingAccount))).toEqual([
    'account_not_active /default/targets/1',
  ])
  const draft = await workspace.post('/payment-routes', { ...missingAccount, draft: true })
  expect([draft.status, codesWithPointers(draft.body.lint)]).toEqual([
    201,
    ['account_not_active /default/targets/1'],
  ])
  expect((await workspace.post(`/payment-routes/${draft.body.id}/revisions/1/publish`)).body.code).toBe(
    'route_invalid',
  )
})

test('in live mode a custom provider must have passed a conformance check', async () => {
  const { workspace, definition } = await setUp('live')

  expect(codesWithPointers(await findingsOf(workspace, definition))).toEqual([
    'custom_not_checked /default/targets/0',
    'custom_not_checked /default/targets/1',
  ])
})

test('valid but unusual rules are warnings', async () => {
  const { workspace, definition, euros, dollars } = await setUp()
  const both = [euros, dollars]
  const rules = [
    rule('Large', on('amount', 1_000, 'gt'), [euros]),
    rule('Germany', on('card.country', 'DE'), both),
    rule('France, in euros', { all: [on('card.country', 'FR'), on('currency', 'eur')] }, both),
  ]

  const findings = await findingsOf(workspace, {
    ...definition,
    rules,
    default: { type: 'decline' },
    failover: { max_attempts: 1 },
  })

  expect(codesWithPointers(findings)).toEqual([
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

test('a failing example blocks publishing', async () => {
  const { workspace, definition, euros, dollars } = await setUp()
  const payment = { amount: 500, currency: 'eur' }
  const examples = [
    { name: 'euros', payment, expect: { provider_account_id: euros } },
    { name: 'dollars', payment: { ...payment, currency: 'usd' }, expect: { provider_account_id: euros } },
    { name: 'declined', payment, expect: { decline: true } },
  ]

  const response = await workspace.post('/payment-routes', { ...definition, examples })

  expect(response.status).toBe(422)
  expect(response.body.errors).toEqual([
    {
      pointer: '/examples/1',
      code: 'example_failed',
      detail: `The example "dollars" should go to ${euros}, but goes to ${dollars}: default action of the route.`,
    },
    {
      pointer: '/examples/2',
      code: 'example_failed',
      detail: `The example "declined" should be declined, but goes to ${euros}.`,
    },
  ])
  expect(
    (await workspace.post('/payment-routes', { ...definition, examples: examples.slice(0, 1) })).status,
  ).toBe(201)
})

test('in a split, each account that can be drawn satisfies an example', async () => {
  const { workspace, createAccount } = await setUp()
  const [one, two] = [await createAccount('One'), await createAccount('Two')]
  const split = {
    type: 'split',
    targets: [
      { provider_account_id: one, weight: 100 },
      { provider_account_id: two, weight: 0 },
    ],
  }
  const payment = { amount: 500, currency: 'eur' }
  const expecting = (id: string) => ({
    name: 'Split',
    default: split,
    examples: [{ name: 'an example', payment, expect: { provider_account_id: id } }],
  })

  expect(codesWithPointers(await findingsOf(workspace, expecting(one)))).toEqual([])
  expect(codesWithPointers(await findingsOf(workspace, expecting(two)))).toEqual([
    'example_failed /examples/0',
  ])
})

test('a repeated lint with the same idempotency key gets the same response', async () => {
  const { workspace, definition } = await setUp()
  const headers = { 'idempotency-key': 'lint-1' }
  const lint = () => workspace.post('/payment-routes/lint', definition, { headers })

  const first = await lint()

  expect(first).toMatchObject({ status: 200, body: { publishable: true } })
  expect(await lint()).toMatchObject({ status: 200, body: first.body })
})

test('an account that an external vault cannot reach is reported while the workspace uses one', async () => {
  const { workspace, definition, createAccount } = await setUp()
  const codesOf = async (route: object) =>
    codesWithPointers(await findingsOf(workspace, route)).filter((code) =>
      code.startsWith('unreachable_through'),
    )
  const [mollie, adyen] = await useVault(workspace, 'basis_theory', ['mollie', 'adyen'])
  const unchecked = await createAccount('Unchecked')
  const route = { ...definition, default: { type: 'priority', targets: [adyen, mollie, unchecked] } }

  expect(await codesOf(route)).toEqual([
    'unreachable_through_vault /default/targets/1',
    'unreachable_through_vault /default/targets/2',
  ])
  await workspace.put('/workspace', { card_data: { mode: 'own_vault' } })
  expect(await codesOf(route)).toEqual([])
})
