import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HttpCall } from '../providers/contract.ts'
import { createVaultBreakers } from './breaker.ts'
import { vaults } from './registry.ts'
import { standInOf, withPlaceholders } from './stand-ins.ts'

const { basis_theory: basisTheory, vgs } = vaults
const token = { number: 'd2cbc1b4-5c3a-45a3-9ee2-392a1c475ab4', cvc: 'd2cbc1b4-5c3a-45a3-9ee2-392a1c475ab4' }
const reply = (status: number, headers: Record<string, string> = {}, body = '') => ({ status, headers, body })

test('stand-ins are 20 letters and digits, depend on the reference, and differ for number and CVC', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      const standIn = standInOf(a, 'number')
      expect(standIn).toMatch(/^[A-Za-z0-9]{20}$/)
      expect(standIn).toBe(standInOf(a, 'number'))
      expect(standIn).not.toBe(standInOf(a, 'cvc'))
      expect(standIn === standInOf(b, 'number')).toBe(a === b)
    }),
  )
})

const standIns = { number: standInOf('op_1', 'number'), cvc: standInOf('op_1', 'cvc') }
const call = (type: string, body: string): HttpCall => ({
  method: 'POST',
  url: 'https://api.provider.example/v1/payments?mode=fast',
  headers: { 'Content-Type': type, 'Idempotency-Key': 'op_1' },
  body,
})

test('placeholders are encoded as the body requires', () => {
  const target = { vault: basisTheory, token }
  const json = withPlaceholders(
    call('application/json', JSON.stringify({ card: { number: standIns.number, cvc: standIns.cvc } })),
    standIns,
    target,
  )
  const form = withPlaceholders(
    call('application/x-www-form-urlencoded', new URLSearchParams(standIns).toString()),
    standIns,
    target,
  )

  expect(JSON.parse(json.body ?? '')).toEqual({
    card: {
      number: `{{ ${token.number} | json: '$.number' }}`,
      cvc: `{{ ${token.number} | json: '$.cvc' }}`,
    },
  })
  expect(Object.fromEntries(new URLSearchParams(form.body ?? ''))).toEqual({
    number: `{{ ${token.number} | json: '$.number' }}`,
    cvc: `{{ ${token.number} | json: '$.cvc' }}`,
  })
})

test('a call without the stand-in is not sent', () => {
  expect(() => withPlaceholders(call('application/json', '{}'), standIns, { vault: vgs, token })).toThrow(
    'stand-in',
  )
})

test('Basis Theory receives the address in a header, and VGS is a proxy', () => {
  const sent = call('application/json', '{}')

  expect(basisTheory.wrap(sent, { api_key: 'key_1' })).toEqual({
    call: {
      ...sent,
      url: 'https://api.basistheory.com/proxy?mode=fast',
      headers: {
        ...sent.headers,
        'BT-API-KEY': 'key_1',
        'BT-PROXY-URL': 'https://api.provider.example/v1/payments',
      },
    },
  })
  expect(
    vgs.wrap(sent, { vault_id: 'tnt1', environment: 'live', username: 'US', password: 'pw', ca: 'PEM' }),
  ).toEqual({
    call: sent,
    proxy: { url: 'https://tnt1.live.verygoodproxy.com:8443', authorization: 'Basic VVM6cHc=', ca: 'PEM' },
  })
})

test.each([
  [basisTheory, 'bt-proxy-destination-status'],
  [vgs, 'vgs-upstream-status-code'],
])(
  '$name: only a client error without a status of the provider proves that nothing was forwarded',
  (vault, header) => {
    const is = (status: number, value?: string) =>
      vault.unwrap(reply(status, value === undefined ? {} : { [header]: value })).is

    expect([is(200, '200'), is(402, '402'), is(500, '500')]).toEqual(['provider', 'provider', 'provider'])
    expect([400, 401, 403, 404, 429].map((status) => is(status))).toEqual(Array(5).fill('refused'))
    expect([408, 500, 502, 503, 504, 200, 302].map((status) => is(status))).toEqual(Array(7).fill('unknown'))
    expect([is(200, '500'), is(400, ''), is(400, 'none')]).toEqual(['unknown', 'unknown', 'unknown'])
  },
)

test('a token of Basis Theory is read without its number', () => {
  const body = JSON.stringify({
    id: token.number,
    type: 'card',
    fingerprint: 'CC2XvyoohnqecEq4r3FtXv6MdCx4TbaW1UUTdCCN5MNL',
    data: { number: 'XXXXXXXXXXXX4242', expiration_month: 12, expiration_year: 2030, cvc: 'XXX' },
    card: {
      bin: '42424242',
      last4: '4242',
      brand: 'american-express',
      funding: 'credit',
      issuer_country: { alpha2: 'US' },
    },
  })

  expect(basisTheory.token?.parse(reply(200, {}, body))).toEqual({
    is: 'card',
    card: {
      brand: 'amex',
      bin: '424242',
      last4: '4242',
      expMonth: 12,
      expYear: 2030,
      funding: 'credit',
      country: 'US',
      issuer: null,
      fingerprint: 'CC2XvyoohnqecEq4r3FtXv6MdCx4TbaW1UUTdCCN5MNL',
      hasCvc: true,
    },
  })
  expect(basisTheory.token?.parse(reply(404))).toEqual({ is: 'missing' })
  expect(basisTheory.token?.parse(reply(403))).toEqual({ is: 'refused' })
  expect(basisTheory.token?.parse(reply(200, {}, '{"type":"token"}'))).toEqual({ is: 'unreadable' })
  expect(basisTheory.token?.parse(reply(200, {}, '<html>'))).toEqual({ is: 'unreadable' })
})

test('the breaker opens after half of ten calls failed, and closes after a successful probe', () => {
  let now = 0
  const breakers = createVaultBreakers(() => now)
  for (let nth = 0; nth < 10; nth += 1) breakers.recordResult('a', nth % 2 === 0)

  expect([breakers.mayCall('a'), breakers.mayCall('b')]).toEqual([false, true])
  now += 15_000
  expect([breakers.mayCall('a'), breakers.mayCall('a')]).toEqual([true, false])
  breakers.recordResult('a', true)
  expect(breakers.mayCall('a')).toBe(false)
  now += 15_000
  expect(breakers.mayCall('a')).toBe(true)
  breakers.recordResult('a', false)
  expect([breakers.mayCall('a'), breakers.mayCall('a')]).toEqual([true, true])
})

test.each([
  [200, { permissions: ['token:read', 'token:use'] }, null],
  [200, { permissions: [], rules: [{ permissions: ['token:read', 'proxy:invoke'] }] }, null],
  [200, { permissions: ['token:read'] }, /lacks the permission token:use or proxy:invoke/],
  [200, { permissions: ['token:use'] }, /lacks the permission token:read/],
  [401, {}, /rejected the API key/],
  [403, {}, /rejected the API key/],
  [503, {}, /status 503/],
])('the check of Basis Theory reads status %i and %j', (status, body, expected) => {
  const fault = vaults.basis_theory.check.parse({ status, headers: {}, body: JSON.stringify(body) })

  if (expected === null) expect(fault).toBe(null)
  else expect(fault).toMatch(expected)
})
