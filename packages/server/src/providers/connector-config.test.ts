import { expect, test } from 'vitest'
import { adyen } from './adyen/provider.ts'
import { connectorConfig, requireMatchingConfig } from './connector-config.ts'
import type { Setup } from './contract.ts'
import { stripe } from './stripe/provider.ts'

const setup = stripe.setup as Setup
const account = {
  mode: 'test',
  settings: {},
  baseUrl: undefined,
  webhookUrl: 'https://pay.example.com/provider-webhooks/1',
  credentials: [
    { secret_key: 'sk_test_newest', signing_secret: 'whsec_newest' },
    { secret_key: 'sk_test_older', signing_secret: 'whsec_older' },
    { signing_secret: 'whsec_newest' },
  ],
} as const

test('calls use the newest credentials, and webhooks are verified with all active ones', () => {
  expect(connectorConfig(setup, account)).toEqual({
    base_url: 'https://api.stripe.com',
    settings: {},
    credentials: { secret_key: 'sk_test_newest' },
    webhook_secrets: { signing_secret: ['whsec_newest', 'whsec_older'] },
    webhook_url: account.webhookUrl,
  })
  expect(connectorConfig(setup, { ...account, credentials: [] })).toMatchObject({
    credentials: {},
    webhook_secrets: {},
  })
})

test('another address is used in test mode only', () => {
  const baseUrl = 'http://127.0.0.1:4200/stripe/'

  expect(connectorConfig(setup, { ...account, baseUrl }).base_url).toBe('http://127.0.0.1:4200/stripe')
  expect(connectorConfig(setup, { ...account, baseUrl, mode: 'live' }).base_url).toBe(
    'https://api.stripe.com',
  )
})

test('a configuration that does not match the schema of the provider is a bug, and its values are not in the error', () => {
  const config = connectorConfig(adyen.setup as Setup, account)

  expect(() => requireMatchingConfig(adyen, config)).toThrow(
    /^The configuration of adyen does not match its schema at /,
  )
  expect(() => requireMatchingConfig(adyen, config)).not.toThrow(/sk_test|whsec/)
})
