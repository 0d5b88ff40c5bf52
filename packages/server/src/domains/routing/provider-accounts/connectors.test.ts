// Accounts of connectors: credentials and settings are validated with the data of the provider, and never returned.

import { expect, test } from 'vitest'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()

const stripe = {
  provider: 'stripe',
  display_name: 'Stripe',
  credentials: { secret_key: 'sk_test_51Abcdefgh' },
}
const adyen = {
  provider: 'adyen',
  display_name: 'Adyen',
  config: { settings: { merchant_account: 'ExampleShopECOM' } },
  credentials: { api_key: 'AQEyhmfxKonOaBFMqb4', hmac_key: 'ab'.repeat(32) },
}
const checkoutCom = {
  provider: 'checkout_com',
  display_name: 'Checkout.com',
  config: { settings: { processing_channel_id: `pc_${'a1'.repeat(13)}`, prefix: 'vkuhvk4v' } },
  credentials: { secret_key: `sk_sbox_${'a1'.repeat(13)}q` },
}
const mollie = {
  provider: 'mollie',
  display_name: 'Mollie',
  credentials: { api_key: 'test_dHar4XY7LxsDOtmnkVtjNVWXLSlXsM' },
}
const paypal = {
  provider: 'paypal',
  display_name: 'PayPal',
  credentials: { client_id: 'AeA1QIZXiflr1', client_secret: 'EGnHDxD_qRPd' },
}
const accounts = [stripe, adyen, checkoutCom, mollie, paypal]

const create = ({ post }: Workspace, account: object, changes: object = {}) =>
  post('/provider-accounts', { ...account, ...changes })

test.each(accounts)(
  'an account of $display_name is created, and shows the names of its credentials',
  async (account) => {
    const workspace = await switchyard.newWorkspace()

    const { status, body } = await create(workspace, account)

    expect(status).toBe(201)
    expect(body).toMatchObject({
      provider: account.provider,
      status: 'active',
      config: 'config' in account ? account.config : {},
      credentials: { set: true, rotated_at: null, names: Object.keys(account.credentials).toSorted() },
      card_data: 'token',
      check: null,
      webhook_url: `${workspace.address}/provider-webhooks/${body.id}`,
      secret: null,
    })
    const { secret: _, ...shown } = body
    expect((await workspace.get(`/provider-accounts/${body.id}`)).body).toEqual(shown)
  },
)

test('the capabilities of an account depend on its settings', async () => {
  const workspace = await switchyard.newWorkspace()
  const settings = { request_multicapture: 'if_available' }
  const { body: multiple } = await create(workspace, stripe, { config: { settings } })
  const path = `/provider-accounts/${multiple.id}`

  const { body: single } = await workspace.put(path, { config: { settings: { request_multicapture: null } } })

  expect([multiple.config, multiple.capabilities.multi_capture]).toEqual([{ settings }, true])
  expect([single.config, single.capabilities.multi_capture]).toEqual([{ settings: {} }, false])
})

// biome-ignore format: a table.
test.each<[string, object, object, string, string, RegExp]>([
  ['no credentials',      stripe, { credentials: undefined }, '/credentials/secret_key', 'required', /^is required$/],
  ['a missing one',       adyen, { credentials: { api_key: 'AQEyhmfxKonOaBFMqb4' } }, '/credentials/hmac_key', 'required', /^is required$/],
  ['an unknown one',      stripe, { credentials: { ...stripe.credentials, api_key: 'x'.repeat(20) } }, '/credentials/api_key', 'unknown_member',
    /^is not a credential of Stripe: use secret_key, signing_secret$/],
  ['a wrong format',      stripe, { credentials: { secret_key: 'pk_test_51Abcdefgh' } }, '/credentials/secret_key', 'bad_format', /^has the wrong format\. In the Stripe Dashboard/],
  ['a live key',          stripe, { credentials: { secret_key: 'sk_live_51Abcdefgh' } }, '/credentials/secret_key', 'bad_format',
    /^is a live key, but this is the test environment$/],
  ['another live key',    mollie, { credentials: { api_key: 'live_dHar4XY7LxsDOtmnkV' } }, '/credentials/api_key', 'bad_format',
    /^is a live key, but this is the test environment$/],
  ['a short one',         paypal, { credentials: { client_id: 'AeA1QIZXiflr1', client_secret: 'x' } }, '/credentials/client_secret', 'too_short', /8 characters/],
  ['a pasted line break', stripe, { credentials: { secret_key: 'sk_test_51Abcdefgh\n' } }, '/credentials/secret_key', 'bad_format', /control characters/],
  ['a pasted space',      paypal, { credentials: { client_id: 'AeA1QIZXiflr1 ', client_secret: 'EGnHDxD_qRPd' } }, '/credentials/client_id', 'bad_format', /end with a space/],
  ['not ASCII',           adyen, { credentials: { ...adyen.credentials, api_key: 'AQEyhmfxKö' } }, '/credentials/api_key', 'bad_format', /ASCII/],
  ['a value as a name',   stripe, { credentials: { sk_test_51Abcdefgh: 'secret_key' } }, '/credentials', 'bad_format', /lowercase letters/],
  ['a short value as a name', mollie, { credentials: { live_dHar4XY7LxsDOtmnkVtjNV: 'api_key' } }, '/credentials', 'bad_format', /lowercase letters/],
  ['an address of the provider', paypal, { config: { base_url: 'https://api-m.paypal.com' } }, '/config/base_url', 'not_together', /^must not be an address of PayPal/],
  ['a missing setting',   adyen, { config: {} }, '/config/settings/merchant_account', 'required', /^is required$/],
  ['an unknown setting',  adyen, { config: { settings: { merchant_account: 'A', region: 'eu' } } }, '/config/settings/region', 'unknown_member',
    /^is not a setting of Adyen: use merchant_account, live_url_prefix, client_key, client_environment, webhook_username$/],
  ['another unknown setting', mollie, { config: { settings: { profile: 'pfl_1' } } }, '/config/settings/profile', 'unknown_member', /^is not a setting of Mollie: use profile_id$/],
  ['a wrong setting',     checkoutCom, { config: { settings: { processing_channel_id: 'pc_1', prefix: 'a' } } }, '/config/settings/processing_channel_id', 'bad_format', /^has the wrong format/],
  ['behaviour',           stripe, { config: { auth_rate: 1 } }, '/config/auth_rate', 'unknown_member', /^is not a setting of stripe$/],
  ['card numbers',        mollie, { card_data: 'pan' }, '/card_data', 'not_in_list', /^must be token: Mollie accepts only its own tokens$/],
  ['an unknown provider', stripe, { provider: 'strpe' }, '/provider', 'not_in_list', /stripe/],
])('an account with %s is rejected', async (_, account, changes, pointer, code, detail) => {
  const workspace = await switchyard.newWorkspace()

  const { status, body } = await create(workspace, account, changes)

  expect(status).toBe(400)
  expect(body.errors).toEqual([{ pointer, code, detail: expect.stringMatching(detail) }])
})

test('in the live environment, the address of the provider is used, and test keys are rejected', async () => {
  const workspace = await switchyard.newWorkspace('live')
  const live = { credentials: { secret_key: 'sk_live_51Abcdefgh' } }
  const withPrefix = (live_url_prefix?: string) => ({
    config: { settings: { merchant_account: 'ExampleShopECOM', live_url_prefix } },
  })

  const rejected = [
    await create(workspace, stripe),
    await create(workspace, stripe, { ...live, config: { base_url: 'https://stripe.example.com' } }),
    await create(workspace, adyen),
    await create(workspace, adyen, withPrefix('no prefix')),
  ]

  expect(rejected.map(({ body }) => body.errors?.[0])).toMatchObject([
    { pointer: '/credentials/secret_key', detail: 'is a test key, but this is the live environment' },
    { pointer: '/config/base_url', detail: expect.stringMatching(/^cannot be set in the live environment/) },
    { pointer: '/config/settings/live_url_prefix', code: 'required' },
    { pointer: '/config/settings/live_url_prefix', code: 'bad_format' },
  ])
  expect((await create(workspace, stripe, live)).status).toBe(201)
  expect((await create(workspace, adyen, withPrefix('1797a841fbb37ca7-AdyenDemo'))).status).toBe(201)
})

test('credentials of custom providers and of the simulator cannot be set', async () => {
  const workspace = await switchyard.newWorkspace()
  const custom = { provider: 'custom', display_name: 'Ours', config: { base_url: 'https://psp.example.com' } }
  const { body } = await create(workspace, custom)

  const rejected = [
    await create(workspace, custom, { credentials: stripe.credentials }),
    await workspace.post(`/provider-accounts/${body.id}/rotate_secret`, { credentials: stripe.credentials }),
    await create(workspace, custom, { config: { ...custom.config, settings: { a: 'b' } } }),
  ]

  expect(rejected.map(({ status, body: problem }) => [status, problem.errors[0].pointer])).toEqual([
    [400, '/credentials'],
    [400, '/credentials'],
    [400, '/config/settings'],
  ])
})

test('a setting that identifies the account at the provider cannot be changed, others can', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body } = await create(workspace, adyen)
  const path = `/provider-accounts/${body.id}`
  const change = (settings: object) => workspace.put(path, { config: { settings } })

  const rejected = await change({ merchant_account: 'AnotherShop' })
  const accepted = await change({ webhook_username: 'switchyard' })

  expect(rejected.body.errors).toMatchObject([
    {
      pointer: '/config/settings/merchant_account',
      detail: expect.stringMatching(/create another provider account/),
    },
  ])
  expect(accepted.body.config.settings).toEqual({
    merchant_account: 'ExampleShopECOM',
    webhook_username: 'switchyard',
  })
  expect((await change({ merchant_account: null })).body.errors[0].pointer).toBe(
    '/config/settings/merchant_account',
  )
})

test('the address can be set in the test environment, but not changed, so that credentials are sent to no other address', async () => {
  const workspace = await switchyard.newWorkspace()
  const base_url = 'https://emulator.example.com'
  const { body } = await create(workspace, stripe, { config: { base_url } })
  const change = (url: string | null) =>
    workspace.put(`/provider-accounts/${body.id}`, { config: { base_url: url } })

  const rejected = [await change(null), await change('https://other.example.com')]
  const isPrivate = await create(workspace, stripe, { config: { base_url: 'https://10.0.0.1' } })

  expect(body.config).toEqual({ base_url })
  for (const { status, body: problem } of rejected)
    expect([status, problem.errors[0].pointer]).toEqual([400, '/config/base_url'])
  expect(isPrivate.body.code).toBe('url_not_allowed')
})

test('an account of another workspace can neither be read nor rotated', async () => {
  const [ours, theirs] = [await switchyard.newWorkspace(), await switchyard.newWorkspace()]
  const { body } = await create(theirs, stripe)
  const path = `/provider-accounts/${body.id}`

  const responses = [
    await ours.get(path),
    await ours.post(`${path}/rotate_secret`, { credentials: stripe.credentials }),
    await ours.post(`${path}/check`),
  ]

  expect(responses.map(({ status }) => status)).toEqual([404, 404, 404])
})
