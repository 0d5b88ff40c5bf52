// A signature is valid for one body, address, direction and time only.

import { createHash, createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import vectors from '../../../../simulator/test/signature-vectors.json' with { type: 'json' }
import { type Signed, sign, verify } from './signature.ts'

const now = new Date('2026-11-14T12:00:00.000Z')
const secret = 'psec_newest'
const signed: Signed = { way: 'request', method: 'PUT', path: '/psp/operations/A-1?x=1', body: '{"a":"ä"}' }
const header = sign(signed, [secret], now)
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000)
const verifySignature = (
  text: string | undefined,
  changes: Partial<Signed> = {},
  secrets = [secret],
  time = now,
) => verify({ ...signed, ...changes }, text, { secrets, now: time })

test('the signature matches the specification', () => {
  const digest = createHash('sha256').update('{"a":"ä"}', 'utf8').digest('hex')
  const text = `request.1794657600.PUT./psp/operations/A-1?x=1.${digest}`

  expect(header).toBe(`t=1794657600,v1=${createHmac('sha256', 'psec_newest').update(text).digest('hex')}`)
  expect(verifySignature(header)).toBe('valid')
  expect(verifySignature(header, { body: Buffer.from('{"a":"ä"}') })).toBe('valid')
})

// biome-ignore format: a table.
test.each<[string, Partial<Signed>]>([
  ['another body',    { body: '{"a":"b"}' }],
  ['no body',         { body: '' }],
  ['another path',    { path: '/psp/operations/A-2?x=1' }],
  ['another query',   { path: '/psp/operations/A-1?x=2' }],
  ['another method',  { method: 'POST' }],
  ['the other direction', { way: 'callback' }],
])('a signature is not valid for %s', (_, changes) => {
  expect(verifySignature(header, changes)).toBe('no_match')
})

test('a signature is valid from five minutes before its time to five minutes after it', () => {
  const results = [-301, -300, 300, 301].map((seconds) => verifySignature(header, {}, [secret], at(seconds)))

  expect(results).toEqual(['future', 'valid', 'valid', 'stale'])
})

test('during a secret rotation either side may switch first', () => {
  const both = sign(signed, [secret, 'psec_older'], now)

  expect(verifySignature(both, {}, ['psec_older'])).toBe('valid')
  expect(verifySignature(header, {}, ['psec_other', secret])).toBe('valid')
  expect(verifySignature(both, {}, ['psec_other'])).toBe('no_match')
  expect(verifySignature(header, {}, [])).toBe('no_match')
})

test('unknown versions and the order of elements are ignored', () => {
  const [t = '', v1 = ''] = header.split(',')

  expect(verifySignature(`v2=0123,${v1}, ${t},x`)).toBe('valid')
})

// biome-ignore format: a table.
test.each<[string, string | undefined, string]>([
  ['no header',        undefined,                                  'no_header'],
  ['no content',       '',                                         'bad_header'],
  ['no time',          header.replace('t=', 'x='),                 'bad_header'],
  ['two times',        `t=1,${header}`,                            'bad_header'],
  ['a time that is not a number', header.replace('1794657600', '0x6AF'),      'bad_header'],
  ['no signature',     't=1794657600',                             'bad_header'],
  ['a short signature', 't=1794657600,v1=abcd',                     'bad_header'],
  ['a signature that is not hexadecimal', `t=1794657600,v1=${'z'.repeat(64)}`,        'bad_header'],
  ['a later time',     header.replace('1794657600', '1794657601'), 'no_match'],
  ['too many signatures', `t=1794657600,${Array(8).fill(`v1=${'0'.repeat(64)}`).join(',')},${header.split(',')[1]}`, 'no_match'],
])('an invalid header is rejected: %s', (_, text, result) => {
  expect(verifySignature(text)).toBe(result)
})

test('a signature made with an empty secret does not match', () => {
  expect(verifySignature(sign(signed, [''], now))).toBe('no_match')
})

test.each(vectors.signed)(
  'signatures of other implementations are the same: $name',
  ({ role, method, path, body, secrets, t, signature }) => {
    const way = role as Signed['way']

    expect(sign({ way, method, path, body }, secrets, new Date(t * 1000))).toBe(signature)
  },
)
