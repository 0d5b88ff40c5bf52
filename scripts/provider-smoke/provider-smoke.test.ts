// The smoke test of every connector against its emulator: no step fails, nothing is charged twice, and the transcript
// contains no secrets. A broken connector fails the steps that test the broken part.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createOutbound } from '../../packages/server/src/platform/outbound/client.ts'
import type { OutboundReply } from '../../packages/server/src/platform/outbound/outbound.ts'
import { connectors } from '../../packages/server/src/providers/connectors.ts'
import type {
  ConnectorConfig,
  HttpCall,
  Provider,
  Sender,
  Setup,
} from '../../packages/server/src/providers/contract.ts'
import type { Config, PaymentSums } from '../../packages/simulator/src/index.ts'
import { emulatedCards } from './cards.ts'
import { emulatedAccount, startEmulator } from './emulator.ts'
import { readAccount } from './environment.ts'
import { automaticPayer } from './payer.ts'
import { createRedactor } from './redact.ts'
import { runSmoke } from './run.ts'
import { type Transcript, writeTranscript } from './transcript.ts'

type Connector = Provider<ConnectorConfig>
type Exchange = { readonly call: Pick<HttpCall, 'headers' | 'body'>; readonly reply: OutboundReply }

function connectorOf(name: string): { readonly provider: Connector; readonly setup: Setup } {
  const provider = connectors.find(({ id }) => id === name)
  if (provider?.setup === undefined) throw new Error(`There is no connector ${name}.`)
  return { provider, setup: provider.setup }
}

/** Runs the smoke test of the provider, or of a changed variant of it. */
async function smokeOf(name: string, change: (provider: Connector) => Connector = (provider) => provider) {
  const { provider, setup } = connectorOf(name)
  const { simulator, account } = await startEmulator(provider, setup)
  const outbound = createOutbound({ allowCidrs: [], allowLoopback: true })
  const payer = await automaticPayer()
  onTestFinished(async () => {
    await Promise.all([outbound.close(), payer.close()])
    await simulator.stop()
  })
  const exchanges: Exchange[] = []
  const sender: Sender = {
    async send(request) {
      const reply = await outbound.send(request)
      exchanges.push({ call: request, reply })
      return reply
    },
  }
  const lines: string[] = []
  const print = (line: string) => lines.push(line)
  const transcript = await runSmoke({ provider: change(provider), setup, account, sender, payer, print })
  const { sums } = await simulator.control<{ sums: PaymentSums[] }>('GET', `${emulatedAccount}/sums`)
  const { credentials } = await simulator.control<Config>('GET', `${emulatedAccount}/config`)
  return { transcript, exchanges, sums, credentials, lines }
}

const stepsWith = ({ steps }: Transcript, wanted: string) =>
  steps.filter(({ status }) => status === wanted).map(({ name, detail }) => `${name}: ${detail}`)

const noReferenceSearch = 'lookup by our reference: the provider cannot search for our reference'
const noClose = 'close: the provider cannot close an open payment'

const unsupported: { readonly [name: string]: readonly string[] } = {
  stripe: [],
  adyen: [noReferenceSearch, 'lookup by the provider’s reference: the provider has no lookup', noClose],
  mollie: [noReferenceSearch, noClose],
  checkout_com: ['replay: the connector never repeats a request', noClose],
  paypal: [noReferenceSearch, noClose],
}

/** Secrets in requests and responses, apart from credentials and cards. */
function secretsIn(exchanges: readonly Exchange[]): string[] {
  const secretMember =
    /"(?:client_secret|access_token|nonce|fingerprint|redirectResult|storedPaymentMethodId|payment_method)":"([^"]+)"/g
  return exchanges.flatMap(({ call, reply }) => {
    const texts = [call.body ?? '', reply.kind === 'answered' ? reply.body : '']
    const members = texts.flatMap((text) => [...text.matchAll(secretMember)].map(([, secret = '']) => secret))
    return [
      ...members,
      (call.headers.authorization ?? call.headers['x-api-key'] ?? '').split(' ').at(-1) ?? '',
    ]
  })
}

describe.each(connectors.map(({ id }) => id))('%s', (name) => {
  test('no step fails, and nothing is charged twice', async () => {
    const { transcript, sums, lines } = await smokeOf(name)

    expect(stepsWith(transcript, 'failed')).toEqual([])
    expect(stepsWith(transcript, 'not supported')).toEqual(unsupported[name])
    expect(lines).toHaveLength(transcript.steps.length)
    expect(sums.filter(({ approvals }) => approvals !== 1)).toEqual([])
    // A charge, a capture, a void, 3-D Secure, and a charge whose response was lost.
    expect(sums.map(({ captured }) => captured).toSorted()).toEqual([0, 1000, 1000, 1000, 600].toSorted())
    expect(sums.map(({ refunded }) => refunded).toSorted()).toEqual([0, 0, 0, 0, 400])
  })

  test('the transcript contains the calls, but no secrets, card data and tokens', async () => {
    const { transcript, exchanges, credentials } = await smokeOf(name)
    const text = JSON.stringify(transcript)
    const cards = Object.values(emulatedCards[name as keyof typeof emulatedCards])
    const secrets = [...Object.values(credentials), ...cards, ...secretsIn(exchanges)]

    expect(transcript.calls).toHaveLength(exchanges.length)
    expect(text).toContain('"amount"')
    expect(secrets.length).toBeGreaterThan(5)
    expect(secrets.filter((secret) => secret !== '' && text.includes(secret))).toEqual([])
    expect(text).not.toMatch(/\b\d{13,19}\b|"authorization"|"x-api-key"|\b(pm|tkn|tok|src|cus)_\w/)
  })
})

test('a connector without an idempotency key fails the replay and the lost responses', async () => {
  const { transcript } = await smokeOf('stripe', (provider) => {
    const { authorize, refund } = provider.operations
    if (authorize === undefined || refund === undefined)
      throw new Error('The Stripe connector lacks an operation.')
    const withoutKey = (step: typeof authorize): typeof authorize => ({
      ...step,
      build(input, context) {
        const call = step.build(input, context)
        const { 'idempotency-key': _, ...headers } = call.headers
        return { ...call, headers }
      },
    })
    const operations = { authorize: withoutKey(authorize), refund: withoutKey(refund) }
    return { ...provider, operations: { ...provider.operations, ...operations } }
  })

  expect(stepsWith(transcript, 'failed').map((line) => line.split(':')[0])).toEqual([
    'replay',
    // The replay has charged a second time, so the search finds two payments.
    'lookup by our reference',
    'lost response to a payment',
    'lost response to a refund',
  ])
})

test('a connector that reads a decline as a success fails the decline', async () => {
  const { transcript } = await smokeOf('paypal', (provider) => {
    const { authorize } = provider.operations
    if (authorize === undefined) throw new Error('The PayPal connector lacks an operation.')
    const parse: typeof authorize.parse = (reply, input) => {
      const outcome = authorize.parse(reply, input)
      return outcome.is === 'declined' ? { is: 'succeeded', ref: 'x', money: input.money } : outcome
    }
    return { ...provider, operations: { ...provider.operations, authorize: { ...authorize, parse } } }
  })

  expect(stepsWith(transcript, 'failed')).toEqual(['decline: Expected a decline: 1000 eur, x'])
})

describe('variables', () => {
  const read = (name: string, environment: Record<string, string>) => {
    const { provider, setup } = connectorOf(name)
    return readAccount(provider, setup, environment)
  }

  test('that are missing are listed together, with where to find them', () => {
    expect(read('mollie', {})).toEqual([
      expect.stringMatching(/^SMOKE_API_KEY is missing\. API key: In the Mollie dashboard/),
      expect.stringMatching(/^SMOKE_CARD is missing\. A token of Mollie/),
      expect.stringMatching(/^SMOKE_CARD_DECLINED is missing/),
      expect.stringMatching(/^SMOKE_CARD_3DS is missing/),
    ])
    expect(read('adyen', {})).toEqual([
      expect.stringMatching(/^SMOKE_API_KEY is missing/),
      expect.stringMatching(/^SMOKE_MERCHANT_ACCOUNT is missing/),
    ])
  })

  test('with a live key are refused, without quoting it', () => {
    const problems = read('stripe', { SMOKE_SECRET_KEY: 'sk_live_0123456789abcdef' })

    expect(problems).toEqual(['SMOKE_SECRET_KEY is a live key, but this is the test environment'])
  })

  test('select the sandbox and its test cards by default', () => {
    const account = read('checkout_com', {
      SMOKE_SECRET_KEY: `sk_sbox_${'a'.repeat(26)}b`,
      SMOKE_PROCESSING_CHANNEL_ID: `pc_${'a'.repeat(26)}`,
      SMOKE_PREFIX: 'abcd1234',
      SMOKE_CARD: '4111111111111111 03/30 737 Jane Doe, tok_one, tok_two',
    })
    if (!('config' in account)) throw new Error(account.join())
    const { config, cards } = account

    expect(config.base_url).toBe('https://abcd1234.api.sandbox.checkout.com')
    expect(cards.take('declined')).toMatchObject({ number: '4544249167673670', expMonth: 12, cvc: '100' })
    expect(cards.take('approved')).toEqual({
      type: 'card',
      number: '4111111111111111',
      brand: 'visa',
      bin: '411111',
      last4: '1111',
      expMonth: 3,
      expYear: 2030,
      cvc: '737',
      name: 'Jane Doe',
    })
    const tokens = [cards.take('approved'), cards.take('approved'), cards.take('approved')]
    expect(tokens.map((card) => (card.type === 'token' ? card.token : ''))).toEqual([
      'tok_one',
      'tok_two',
      'tok_two',
    ])
  })

  test('can select another URL', () => {
    const environment = { SMOKE_API_KEY: 'key', SMOKE_MERCHANT_ACCOUNT: 'Shop' }
    const account = read('adyen', { ...environment, SMOKE_BASE_URL: 'http://127.0.0.1:4010/smoke/v72/' })

    expect(account).toMatchObject({ config: { base_url: 'http://127.0.0.1:4010/smoke/v72' } })
  })
})

test('personal data and opaque values are redacted, but not statuses, ids and amounts', () => {
  const { value } = createRedactor(['known-secret', '737'])
  const body = {
    name: 'UNPROCESSABLE_ENTITY',
    id: 'pi_1',
    amount: 1299,
    note: 'a known-secret, 4111 1111 1111 1111 and jane@example.com',
    payment_source: { card: { name: 'Jane Doe', last_digits: '1111', number: '4111111111111111' } },
    payer: { name: { given_name: 'Jane' }, addresses: ['Street 1'] },
    additionalData: { cvcResult: '1', value: '737', redirectResult: 'X3XtfGC9' },
    url: 'https://bank.example.com/page?token=abc',
    blob: 'x'.repeat(600),
  }

  expect(value(body)).toEqual({
    name: 'UNPROCESSABLE_ENTITY',
    id: 'pi_1',
    amount: 1299,
    note: 'a [redacted], [redacted] and [redacted]',
    payment_source: { card: { name: '[redacted]', last_digits: '1111', number: '[redacted]' } },
    payer: { name: { given_name: '[redacted]' }, addresses: ['[redacted]'] },
    additionalData: { cvcResult: '[redacted]', value: '[redacted]', redirectResult: '[redacted]' },
    url: 'https://bank.example.com/page?…',
    blob: '[redacted: 600 characters]',
  })
})

test('the transcript is written to a file with the provider and the date', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-smoke-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const transcript = { provider: 'stripe', date: '2026-11-17T03:04:05.678Z', host: 'x', steps: [], calls: [] }

  const path = writeTranscript(folder, transcript)

  expect(basename(path)).toBe('stripe-2026-11-17T030405Z.json')
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(transcript)
})

test('the command explains how it is used, and which variables are missing', () => {
  const run = (...args: string[]) => {
    try {
      const script = join(import.meta.dirname, '../provider-smoke.ts')
      return execFileSync(process.execPath, [script, ...args], { encoding: 'utf8', stdio: 'pipe', env: {} })
    } catch (error) {
      return (error as { stderr: string }).stderr
    }
  }

  expect(run()).toMatch(/^Usage: npm run provider:smoke/)
  expect(run('all')).toMatch(/^Usage/)
  expect(run('stripe')).toMatch(/Stripe cannot be checked:\n- SMOKE_SECRET_KEY is missing/)
})
