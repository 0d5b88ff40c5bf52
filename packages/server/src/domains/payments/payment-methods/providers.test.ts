// The requests that a provider receives for a payment method, recorded by a custom provider in this file.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

type ProviderRequest = {
  readonly kind: string
  readonly instrument: object | null
  readonly stored_credential: object
  readonly billing: object | null
}

const requests: ProviderRequest[] = []
const provider = createServer(async (request, response) => {
  let text = ''
  for await (const part of request.setEncoding('utf8')) text += part
  const { reference, kind, amount, currency, ...rest } = JSON.parse(text)
  requests.push({ kind, ...rest })
  const provider_reference = `p-${reference}`
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ reference, kind, status: 'succeeded', provider_reference, amount, currency }))
})
await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
afterAll(() => provider.close())
const base_url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`

const switchyard = await switchyardForThisFile()

/** Creates a workspace whose only account is at the recording provider. */
async function workspaceWithProvider(members: object = {}) {
  const workspace = await switchyard.newWorkspace()
  const input = { provider: 'custom', display_name: 'Ours', config: { base_url }, ...members }
  const { status, body } = await workspace.post('/provider-accounts', input)
  expect(status, JSON.stringify(body)).toBe(201)
  requests.length = 0
  return { workspace, accountId: body.id as string }
}

async function createAttachedMethod(workspace: Workspace, token: object): Promise<string> {
  const { body } = await workspace.post('/tokens', token)
  const method = await workspace.post('/payment-methods', {
    token: body.id,
    billing_details: { name: 'Ada' },
  })
  expect(method.status, JSON.stringify(method.body)).toBe(201)
  const customer_id = await workspace.aCustomer()
  await workspace.post(`/payment-methods/${method.body.id}/attach`, { customer_id })
  return method.body.id
}

test('a provider that returned no token gets the card number with the current expiry, and no CVC for later payments', async () => {
  const { workspace } = await workspaceWithProvider()
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' }
  const payment_method_id = await createAttachedMethod(workspace, { type: 'card', card })
  await workspace.put(`/payment-methods/${payment_method_id}`, { card: { exp_month: 1, exp_year: 2035 } })
  const paid = await workspace.post('/payments', { amount: 100, currency: 'eur', payment_method_id })

  expect(paid.body.status).toBe('succeeded')
  expect(requests.map(({ kind, instrument }) => ({ kind, instrument }))).toEqual([
    { kind: 'verify', instrument: { type: 'card', ...card } },
    {
      kind: 'authorize',
      instrument: { type: 'card', number: card.number, exp_month: 1, exp_year: 2035 },
    },
  ])
  expect(requests.map((call) => call.stored_credential)).toEqual([
    { use: 'first', network_transaction_id: null },
    { use: 'subsequent', network_transaction_id: null },
  ])
  expect(requests.map((call) => call.billing)).toMatchObject([{ name: 'Ada' }, { name: 'Ada' }])
})

test('a card stored at a provider is verified and charged only there, with the provider token', async () => {
  const { workspace, accountId } = await workspaceWithProvider({ card_data: 'token' })
  const payment_method_id = await createAttachedMethod(workspace, {
    type: 'provider_token',
    provider_token: {
      provider_account_id: accountId,
      token: 'tok_of_provider',
      card: { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030 },
    },
  })
  const order = { amount: 100, currency: 'eur', payment_method_id }
  expect((await workspace.post('/payments', order)).body.status).toBe('succeeded')

  const instrument = { type: 'token', token: 'tok_of_provider' }
  expect(requests.map((call) => call.instrument)).toEqual([instrument, instrument])
  const { body: other } = await workspace.post('/provider-accounts', {
    provider: 'custom',
    display_name: 'Other',
    config: { base_url },
  })
  const refused = await workspace.post(`/payment-methods/${payment_method_id}/credentials`, {
    provider_account_id: other.id,
  })
  expect(refused).toMatchObject({ status: 409, body: { code: 'card_number_unavailable' } })
  await workspace.post(`/provider-accounts/${accountId}/disable`)
  expect((await workspace.post('/payments', order)).body.decline_code).toBe('no_eligible_provider')
})
