// Cards in the vault of another service, from the token to the payment, through simulated vaults.

import { afterEach, expect, test } from 'vitest'
import { tablesContaining } from '../../../../test/support/database-search.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import { planFaults, storeAtVault, useVault, type VaultName } from '../../../../test/support/vaults.ts'
import type { Deps } from '../../../deps.ts'
import type { Id } from '../../../kernel/id.ts'
import { openVault } from '../../access/organizations/service/card-data.ts'
import { checkVault } from '../../access/organizations/service/check-vault.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
afterEach(() => planFaults(simulator.url, []))

const number = '4242424242424242'
const vaults: readonly VaultName[] = ['basis_theory', 'vgs']

async function workspaceWith(vault: VaultName, ...providers: readonly string[]) {
  const workspace = await switchyard.newWorkspace()
  const accounts = await useVault(workspace, vault, providers)
  const createToken = async (cardNumber = number) => {
    const created = await workspace.post('/tokens', await storeAtVault(simulator.url, vault, cardNumber))
    expect(created).toMatchObject({ status: 201 })
    return created.body
  }
  const pay = async (changes: object = {}) => {
    const sent = { amount: 1299, currency: 'eur', token: (await createToken()).id, ...changes }
    const { status, body } = await workspace.post('/payments', sent)
    return status === 402 ? (await workspace.get(`/payments/${body.resource_id}`)).body : body
  }
  return { workspace, accounts, createToken, pay }
}

const facts = async (account: string) => {
  const response = await fetch(`${simulator.url}/control/${account}/ledger`)
  return ((await response.json()) as { facts: readonly { fact: string }[] }).facts.map(({ fact }) => fact)
}

test.each(vaults)('a card at %s becomes a token with its details and without its number', async (vault) => {
  const { createToken } = await workspaceWith(vault, 'stripe')

  expect(await createToken()).toMatchObject({
    type: 'vault_token',
    card: { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030 },
    used: false,
  })
})

test.each(
  vaults.flatMap((vault) =>
    ['stripe', 'adyen', 'checkout_com', 'paypal'].map((provider) => [vault, provider] as const),
  ),
)('a payment with a card at %s is authorized and captured at %s', async (vault, provider) => {
  const { workspace, pay, accounts } = await workspaceWith(vault, provider)

  const { id } = await pay()
  // Some providers report a capture later.
  switchyard.clock.advance({ seconds: 120 })
  await switchyard.settle()

  expect((await workspace.get(`/payments/${id}`)).body).toMatchObject({
    status: 'succeeded',
    amount_captured: 1299,
    card: { last4: '4242' },
  })
  expect(await facts(accounts[0] as string)).toEqual(['charge'])
})

test.each(vaults)(
  'an account that uses the protocol for custom providers verifies the signature of a call through %s',
  async (vault) => {
    const { workspace, pay } = await workspaceWith(vault)
    const { body: accounts } = await workspace.get('/provider-accounts')
    const account = accounts.data.find(({ provider }: { provider: string }) => provider === 'simulator')
    await workspace.post(`/provider-accounts/${account.id}/enable`)

    expect(await pay()).toMatchObject({ status: 'succeeded', provider_account_id: account.id })
    expect(await facts(account.id)).toEqual(['charge'])
    const [call] = await simulator.listCalls(account.id)
    expect(call).toMatchObject({ method: 'PUT', signature: 'valid' })
  },
)

test.each(vaults)('doctor calls %s to check its configuration', async (vault) => {
  const { workspace } = await workspaceWith(vault, 'adyen')
  const workspaceId = workspace.workspaceId as Id<'workspace'>

  expect(await checkVault(switchyard.deps, workspaceId)).toEqual({ fault: null })
  const opened = await openVault(switchyard.deps, workspaceId)
  const secret = vault === 'vgs' ? 'username' : 'api_key'
  const config = { ...opened?.config, [secret]: 'invalid0' }
  const openVaults = { get: async () => ({ ...opened, config }) } as unknown as Deps['openVaults']
  const rejected = await checkVault({ ...switchyard.deps, openVaults }, workspaceId)
  expect(rejected?.fault).toMatch(/rejected the API key|refused the connection with status 407/)
})

test('neither the database nor the calls of Switchyard contain the card number', async () => {
  const { workspace, createToken } = await workspaceWith('basis_theory', 'stripe')
  const { id } = await createToken()
  const customer_id = await workspace.aCustomer()
  await workspace.post('/payments', {
    amount: 500,
    currency: 'eur',
    token: id,
    customer_id,
    save_payment_method: true,
  })
  await switchyard.flushRequestLog()

  expect(await tablesContaining(switchyard.databaseUrl, number)).toEqual([])
})

// 5009 is the card for which the first account responds that it is too busy, which proves that it processed nothing.
test.each(vaults)(
  'the first account cannot process: the payment at %s is paid at the second in one request',
  async (vault) => {
    const { createToken, pay, accounts } = await workspaceWith(vault, 'stripe', 'adyen')
    const [first = '', second = ''] = accounts

    const payment = await pay({ token: (await createToken('4000000050090002')).id })

    expect(payment).toMatchObject({ status: 'succeeded', provider_account_id: second, attempts_count: 2 })
    expect(await facts(first)).toEqual([])
    expect(await facts(second)).toEqual(['charge'])
  },
)

test('a saved card is charged at another provider through the vault', async () => {
  const { workspace, createToken, accounts } = await workspaceWith('basis_theory', 'adyen', 'paypal')
  const [first = '', second = ''] = accounts
  const customer_id = await workspace.aCustomer()
  const { body: saved } = await workspace.post('/payments', {
    amount: 500,
    currency: 'eur',
    token: (await createToken()).id,
    customer_id,
    save_payment_method: true,
  })
  const charge = {
    amount: 700,
    currency: 'eur',
    payment_method_id: saved.payment_method_id,
    initiator: 'merchant',
  }
  const calls = await vaultCalls()

  // The first provider has stored the card, so its token is used.
  expect((await workspace.post('/payments', charge)).body).toMatchObject({ status: 'succeeded' })
  expect(await vaultCalls()).toBe(calls)
  await workspace.post(`/provider-accounts/${first}/disable`)
  expect((await workspace.post('/payments', charge)).body).toMatchObject({ status: 'succeeded' })

  expect(await vaultCalls()).toBe(calls + 1)
  expect(await facts(first)).toEqual(['charge', 'charge'])
  expect(await facts(second)).toEqual(['charge'])
})

const vaultCalls = async () =>
  ((await (await fetch(`${simulator.url}/control/vault-calls`)).json()) as { calls: number }).calls

test('captures and refunds go directly to the provider', async () => {
  const { workspace, pay, accounts } = await workspaceWith('vgs', 'stripe')
  const { id } = await pay({ capture_method: 'manual' })
  const calls = await vaultCalls()

  await workspace.post(`/payments/${id}/capture`)
  await workspace.post('/refunds', { payment_id: id, amount: 299 })
  await switchyard.settle()

  expect(await vaultCalls()).toBe(calls)
  expect(await facts(accounts[0] as string)).toEqual(['charge', 'capture', 'refund'])
})

test.each(vaults)(
  '%s rejects the call: nothing was charged, and no other account is tried',
  async (vault) => {
    const { pay, accounts } = await workspaceWith(vault, 'stripe', 'adyen')
    await planFaults(simulator.url, ['reject'])

    expect(await pay()).toMatchObject({
      status: 'failed',
      attempts_count: 1,
      failure: { code: 'vault_rejected', class: 'configuration' },
    })
    expect(await Promise.all(accounts.map(facts))).toEqual([[], []])
  },
)

test.each(
  vaults.flatMap((vault) =>
    (['timeout', 'server_error_after', 'reset_during', 'reset_after', 'cut'] as const).map(
      (fault) => [vault, fault] as const,
    ),
  ),
)(
  '%s fails with %s after the call was forwarded: the outcome is unknown, and resolved later',
  async (vault, fault) => {
    const { workspace, pay, accounts } = await workspaceWith(vault, 'stripe', 'adyen')
    await planFaults(simulator.url, [fault])

    const payment = await pay()
    expect(payment).toMatchObject({ status: 'processing', attempts_count: 1 })
    switchyard.clock.advance({ seconds: 120 })
    await switchyard.settle()

    expect((await workspace.get(`/payments/${payment.id}`)).body).toMatchObject({ status: 'succeeded' })
    expect((await Promise.all(accounts.map(facts))).flat()).toEqual(['charge'])
  },
)

test.each(
  vaults.flatMap((vault) =>
    (['server_error', 'reset_before'] as const).map((fault) => [vault, fault] as const),
  ),
)(
  '%s fails with %s before the call was forwarded: the outcome is unknown, and the payment is charged once',
  async (vault, fault) => {
    const { workspace, pay, accounts } = await workspaceWith(vault, 'stripe', 'adyen')
    await planFaults(simulator.url, [fault])

    const payment = await pay()
    expect(payment).toMatchObject({ status: 'processing' })
    switchyard.clock.advance({ seconds: 120 })
    await switchyard.settle()

    const after = (await workspace.get(`/payments/${payment.id}`)).body
    expect(['succeeded', 'failed']).toContain(after.status)
    const charges = (await Promise.all(accounts.map(facts))).flat()
    expect(charges).toEqual(after.status === 'succeeded' ? ['charge'] : [])
  },
)

test('faults of the vault do not count against the account, and open the breaker of the vault', async () => {
  const { workspace, pay, accounts } = await workspaceWith('basis_theory', 'stripe')
  const [account = ''] = accounts
  await planFaults(
    simulator.url,
    Array.from({ length: 12 }, () => 'server_error' as const),
  )

  const failures: unknown[] = []
  for (let nth = 0; nth < 12; nth += 1) failures.push((await pay()).failure?.code ?? null)

  expect(failures.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => null))
  expect(failures.slice(10)).toEqual(['vault_unavailable', 'vault_unavailable'])
  const { health } = (await workspace.get(`/provider-accounts/${account}`)).body
  expect(JSON.stringify(health)).not.toContain('open')
})

test('an account that the vault cannot reach is skipped, with the reason', async () => {
  const { workspace, createToken } = await workspaceWith('vgs')
  // It has not been checked, so it is not known whether it supports calls through a vault.
  const config = { base_url: 'http://127.0.0.1:1024' }
  await workspace.post('/provider-accounts', { provider: 'custom', display_name: 'Unchecked', config })

  const { body } = await workspace.post('/payments', {
    amount: 500,
    currency: 'eur',
    token: (await createToken()).id,
  })

  expect(body).toMatchObject({ decline_code: 'no_eligible_provider' })
})

test.each([
  ['basis_theory', { token: '00000000-0000-0000-0000-000000000000' }, 422, '/vault_token/token'],
  ['basis_theory', { token: '4242424242424242' }, 400, '/vault_token/token'],
  ['vgs', { token: 'tok_sandbox_abc' }, 400, '/vault_token/card'],
  ['vgs', { token: 'tok_sandbox_abc', cvc_token: '123' }, 400, '/vault_token/cvc_token'],
] as const)('a token of %s with %j is rejected', async (vault, vault_token, status, pointer) => {
  const { workspace } = await workspaceWith(vault)

  const refused = await workspace.post('/tokens', { type: 'vault_token', vault_token })

  expect(refused).toMatchObject({ status, body: { errors: [{ pointer }] } })
})

test('a workspace without a vault rejects tokens of one', async () => {
  const { post } = await switchyard.newWorkspace()

  const refused = await post('/tokens', { type: 'vault_token', vault_token: { token: 'tok_sandbox_abc' } })

  expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/type' }] } })
})

test('two tokens of one card have one fingerprint, so that limits of the card apply', async () => {
  const { workspace, createToken } = await workspaceWith('basis_theory', 'stripe')
  const ids = [(await createToken()).id, (await createToken()).id]
  const payments = await Promise.all(
    ids.map((token) => workspace.post('/payments', { amount: 100, currency: 'eur', token })),
  )

  const keys = payments.map(({ body }) => body.card)
  expect(keys[0]).toEqual(keys[1])
})
