// Who may speak in whose name: a signature holds for one body, address, way and time, and nothing beside.

import { createHash, createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import vectors from '../../../../simulator/test/signature-vectors.json' with { type: 'json' }
import { type Signed, sign, verify } from './signature.ts'

const now = new Date('2026-11-14T12:00:00.000Z')
const secret = 'psec_newest'
const signed: Signed = { way: 'request', method: 'PUT', path: '/psp/operations/A-1?x=1', body: '{"a":"ä"}' }
const header = sign(signed, [secret], now)
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000)
const judged = (text: string | undefined, changes: Partial<Signed> = {}, secrets = [secret], time = now) =>
  verify({ ...signed, ...changes }, text, { secrets, now: time })

test('the signature is what the protocol says it is', () => {
  const digest = createHash('sha256').update('{"a":"ä"}', 'utf8').digest('hex')
  const text = `request.1794657600.PUT./psp/operations/A-1?x=1.${digest}`

  expect(header).toBe(`t=1794657600,v1=${createHmac('sha256', 'psec_newest').update(text).digest('hex')}`)
  expect(judged(header)).toBe('valid')
  expect(judged(header, { body: Buffer.from('{"a":"ä"}') })).toBe('valid')
})

// biome-ignore format: a table.
test.each<[string, Partial<Signed>]>([
  ['another body',    { body: '{"a":"b"}' }],
  ['no body',         { body: '' }],
  ['another path',    { path: '/psp/operations/A-2?x=1' }],
  ['another query',   { path: '/psp/operations/A-1?x=2' }],
  ['another method',  { method: 'POST' }],
  ['the other way',   { way: 'callback' }],
])('it does not hold for %s', (_, changes) => {
  expect(judged(header, changes)).toBe('no_match')
})

test('it holds for five minutes, before and after', () => {
  const verdicts = [-301, -300, 300, 301].map((seconds) => judged(header, {}, [secret], at(seconds)))

  expect(verdicts).toEqual(['future', 'valid', 'valid', 'stale'])
})

test('while secrets rotate, each side may be ahead of the other', () => {
  const both = sign(signed, [secret, 'psec_older'], now)

  expect(judged(both, {}, ['psec_older'])).toBe('valid')
  expect(judged(header, {}, ['psec_other', secret])).toBe('valid')
  expect(judged(both, {}, ['psec_other'])).toBe('no_match')
  expect(judged(header, {}, [])).toBe('no_match')
})

test('versions to come are passed over, and so is the order', () => {
  const [t = '', v1 = ''] = header.split(',')

  expect(judged(`v2=0123,${v1}, ${t},x`)).toBe('valid')
})

// biome-ignore format: a table.
test.each<[string, string | undefined, string]>([
  ['no header',        undefined,                                  'no_header'],
  ['nothing',          '',                                         'bad_header'],
  ['no time',          header.replace('t=', 'x='),                 'bad_header'],
  ['two times',        `t=1,${header}`,                            'bad_header'],
  ['no number',        header.replace('1794657600', '0x6AF'),      'bad_header'],
  ['no signature',     't=1794657600',                             'bad_header'],
  ['a short one',      't=1794657600,v1=abcd',                     'bad_header'],
  ['no hexadecimal',   `t=1794657600,v1=${'z'.repeat(64)}`,        'bad_header'],
  ['a later time',     header.replace('1794657600', '1794657601'), 'no_match'],
  ['too many to read', `t=1794657600,${Array(8).fill(`v1=${'0'.repeat(64)}`).join(',')},${header.split(',')[1]}`, 'no_match'],
])('%s is refused', (_, text, verdict) => {
  expect(judged(text)).toBe(verdict)
})

test('the empty secret of a missing setting opens nothing by itself', () => {
  expect(judged(sign(signed, [''], now))).toBe('no_match')
})

test.each(vectors.signed)(
  'made elsewhere, the same: $name',
  ({ role, method, path, body, secrets, t, signature }) => {
    const way = role as Signed['way']

    expect(sign({ way, method, path, body }, secrets, new Date(t * 1000))).toBe(signature)
  },
)
