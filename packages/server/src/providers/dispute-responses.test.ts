// Requests about disputes at each provider, and which responses prove that they were processed.

import { expect, test } from 'vitest'
import { adyen } from './adyen/provider.ts'
import type { ConnectorConfig, DisputeSteps, HttpReply } from './contract.ts'
import { custom } from './custom/provider.ts'
import { stripe } from './stripe/provider.ts'

const now = new Date('2026-11-14T12:00:00.000Z')
const date = 'Sat, 14 Nov 2026 12:00:00 GMT'
const connector = (base_url: string, members: Partial<ConnectorConfig> = {}): ConnectorConfig => ({
  base_url,
  settings: {},
  credentials: {},
  webhook_secrets: {},
  webhook_url: 'https://pay.example.com/hooks',
  ...members,
})
const configs = {
  stripe: connector('https://api.stripe.com', { credentials: { secret_key: 'sk_test_1' } }),
  adyen: connector('https://checkout-test.adyen.com/v72', {
    settings: { merchant_account: 'Shop' },
    credentials: { api_key: 'key' },
  }),
  custom: { base_url: 'https://psp.example.com', secrets: ['psec_aaaaaaaaaaaaaaaaaaaa'] },
}
type Name = keyof typeof configs
const steps = { stripe: stripe.disputes, adyen: adyen.disputes, custom: custom.disputes } as unknown as {
  readonly [N in Name]: DisputeSteps<unknown>
}
const context = (name: Name) => ({ config: configs[name], now, accessToken: null })

const input = {
  reference: '01M7CYVGQTEAKSNTBFR026MPQ1-1',
  providerReference: 'dp_1',
  stage: 'chargeback',
  mode: 'test',
} as const
const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
const file = {
  name: 'a "receipt".pdf',
  purpose: 'receipt',
  contentType: 'application/pdf',
  size: 5,
  sha256,
} as const
const response = {
  ...input,
  evidence: { explanation: 'Delivered.' },
  files: [{ ...file, providerFileId: 'file_1' }],
}
const upload = { ...input, file, content: Buffer.from('%PDF-') }

const submission = (name: Name) => steps[name].submit.build(response, context(name))
const uploaded = (name: Name) => steps[name].upload.build(upload, context(name))
const acceptance = (name: Name) => steps[name].accept.build(input, context(name))

test('stripe receives the text fields and the file ids, and the files are uploaded to a separate host', () => {
  const { url, body, headers } = submission('stripe')
  expect(url).toBe('https://api.stripe.com/v1/disputes/dp_1')
  expect(Object.fromEntries(new URLSearchParams(body ?? ''))).toEqual({
    'evidence[uncategorized_text]': 'Delivered.',
    'evidence[receipt]': 'file_1',
    submit: 'true',
  })
  expect(headers['idempotency-key']).toBe('01M7CYVGQTEAKSNTBFR026MPQ1-1-file_1')
  expect(acceptance('stripe').url).toBe('https://api.stripe.com/v1/disputes/dp_1/close')
  const form = uploaded('stripe')
  expect(form.url).toBe('https://files.stripe.com/v1/files')
  expect(form.headers['idempotency-key']).toBe(`file-${sha256}`)
  const text = Buffer.from(form.bytes ?? []).toString()
  expect(text).toContain('name="purpose"\r\n\r\ndispute_evidence\r\n')
  expect(text).toContain('filename="a _receipt_.pdf"\r\ncontent-type: application/pdf\r\n\r\n%PDF-\r\n--')
})

test.each([
  ['https://checkout-test.adyen.com/v72', 'https://ca-test.adyen.com'],
  ['https://abc-Shop-checkout-live.adyenpayments.com/checkout/v72', 'https://ca-live.adyen.com'],
  ['http://127.0.0.1:4010/account/v72', 'http://127.0.0.1:4010/account'],
])('if the address of adyen is %s, dispute requests are sent to %s', (base_url, host) => {
  const config = { ...configs.adyen, base_url }
  const call = steps.adyen.accept.build(input, { config, now, accessToken: null })
  expect(call.url).toBe(`${host}/ca/services/DisputeService/v30/acceptDispute`)
  expect(JSON.parse(call.body ?? '')).toEqual({ disputePspReference: 'dp_1', merchantAccountCode: 'Shop' })
})

test('adyen receives the document, and then the defense', () => {
  expect(JSON.parse(uploaded('adyen').body ?? '').defenseDocuments).toEqual([
    { content: 'JVBERi0=', contentType: 'application/pdf', defenseDocumentTypeCode: 'DefenseMaterial' },
  ])
  expect(JSON.parse(submission('adyen').body ?? '')).toEqual({
    defenseReasonCode: 'SupplyDefenseMaterial',
    disputePspReference: 'dp_1',
    merchantAccountCode: 'Shop',
  })
})

test('a file is uploaded to a custom provider under its hash', () => {
  expect(uploaded('custom')).toMatchObject({
    method: 'PUT',
    url: `https://psp.example.com/files/${sha256}`,
    body: null,
    bytes: upload.content,
  })
  const {
    contentType: content_type,
    providerFileId: _,
    ...rest
  } = response.files[0] as (typeof response.files)[0]
  expect(JSON.parse(submission('custom').body ?? '')).toEqual({
    reference: input.reference,
    evidence: response.evidence,
    files: [{ ...rest, content_type }],
  })
  expect(custom.disputes?.isSupported?.(configs.custom)).toBe(false)
})

test.each(['stripe', 'adyen', 'custom'] as const)(
  'the same input produces the same request to %s',
  (name) => {
    for (const build of [submission, uploaded, acceptance]) {
      const [{ headers: _, ...first }, { headers: __, ...second }] = [build(name), build(name)]
      expect(second).toEqual(first)
    }
  },
)

const dispute = (members: object) =>
  JSON.stringify({
    id: 'dp_1',
    object: 'dispute',
    amount: 1299,
    currency: 'eur',
    payment_intent: 'pi_1',
    parent_reference: 'reference-1',
    stage: 'chargeback',
    reason: 'fraudulent',
    withdrawn: true,
    updated_at: '2026-11-14T12:00:00.000Z',
    status: 'under_review',
    ...members,
  })
const adyenResult = (success: boolean) =>
  JSON.stringify({ disputeServiceResult: { success, errorMessage: 'No.' } })
const stripeError = JSON.stringify({ error: { type: 'invalid_request_error', message: 'No.' } })
const adyenError = JSON.stringify({ status: 422, errorCode: '1', errorType: 'validation', message: 'No.' })
const refusal = JSON.stringify({ processed: false, error: { code: 'late', message: 'No.' } })

// biome-ignore format: a table.
const replies: readonly (readonly [Name, string, number, string, string])[] = [
  ['stripe', 'the dispute',              200, dispute({}),                           'accepted'],
  ['stripe', 'an unchanged dispute',     200, dispute({ status: 'needs_response' }), 'unknown'],
  ['stripe', 'another dispute',          200, dispute({ id: 'dp_2' }),               'throws'],
  ['stripe', 'an invalid request',       400, stripeError,                           'rejected'],
  ['stripe', 'a conflict',               409, stripeError,                           'unknown'],
  ['stripe', 'a server error',           500, '{}',                                  'unknown'],
  ['stripe', 'invalid credentials',      401, '',                                    'rejected'],
  ['adyen',  'success',                  200, adyenResult(true),                     'accepted'],
  ['adyen',  'no success',               200, adyenResult(false),                    'rejected'],
  ['adyen',  'an invalid request',       422, adyenError,                            'rejected'],
  ['adyen',  'something else',           200, '{}',                                  'throws'],
  ['adyen',  'invalid credentials',      401, '',                                    'rejected'],
  ['custom', 'the dispute',              200, dispute({}),                           'accepted'],
  ['custom', 'an unchanged dispute',     200, dispute({ status: 'needs_response' }), 'unknown'],
  ['custom', 'another dispute',          200, dispute({ id: 'dp_2' }),               'throws'],
  ['custom', 'a refusal',                422, refusal,                               'rejected'],
  ['custom', 'a refusal without proof',  422, '{"error":{"code":"late"}}',           'throws'],
  ['custom', 'not processed',            503, '{"processed":false}',                 'rejected'],
  ['custom', 'unavailable',              503, '{}',                                  'unknown'],
  ['custom', 'a server error',           500, refusal,                               'unknown'],
  ['custom', 'invalid credentials',      401, '',                                    'rejected'],
]

test.each(replies)('%s: %s (%i)', (name, _, status, body, expected) => {
  const reply: HttpReply = { status, headers: { date }, body }
  const parse = () => steps[name].submit.parse(reply, response)

  if (expected === 'throws') return expect(parse).toThrow()
  const outcome = parse()
  expect(outcome.is).toBe(expected)
  if (outcome.is === 'accepted') expect(outcome.reportedAt).toEqual(now)
})
