import { expect, test } from 'vitest'
import { addressRules } from './address.ts'
import { blockedText, checkTarget } from './target.ts'

const closed = addressRules({ allowCidrs: [], allowLoopback: false })
const open = addressRules({ allowCidrs: ['10.1.0.0/16'], allowLoopback: true })

const faultOf = (url: string, mode: 'live' | 'test' = 'live', rules = closed) => {
  const check = checkTarget(url, mode, rules)
  return check.kind === 'fault' ? check.fault : null
}

// biome-ignore format: a table.
test.each([
  ['https://example.com',                       'https://example.com',       '/'],
  ['https://example.com:443/a?b=c',             'https://example.com',       '/a?b=c'],
  ['https://example.com:8443/a',                'https://example.com:8443',  '/a'],
  ['https://example.com:1024/',                 'https://example.com:1024',  '/'],
  ['https://EXAMPLE.com./a#fragment',           'https://example.com',       '/a'],
  ['https://bücher.example/ä',                  'https://xn--bcher-kva.example', '/%C3%A4'],
  ['https://1.1.1.1/a',                         'https://1.1.1.1',           '/a'],
  ['https://[2606:4700::1111]:8443/',           'https://[2606:4700::1111]:8443', '/'],
  ['https://localhost.example.com/',            'https://localhost.example.com', '/'],
  ['https://notlocal/',                         'https://notlocal',          '/'],
])('the origin of %s is %s', (url, origin, path) => {
  expect(checkTarget(url, 'live', closed)).toEqual({ kind: 'target', target: { origin, path } })
})

// biome-ignore format: a table.
test.each([
  ['https://example.com/'.padEnd(2_049, 'a'), 'The URL is longer than 2,048 characters.'],
  ['',                                'The text is not a valid URL.'],
  ['example.com',                     'The text is not a valid URL.'],
  ['https://',                        'The text is not a valid URL.'],
  ['https://exa mple.com',            'The text is not a valid URL.'],
  ['https://exam\nple.com',           'The text is not a valid URL.'],
  [' https://example.com',            'The text is not a valid URL.'],
  ['https://example.com\0',           'The text is not a valid URL.'],
  ['https://[fe80::1%25eth0]/',       'The text is not a valid URL.'],
  ['https://[fe80::1%eth0]/',         'The text is not a valid URL.'],
  ['https://127.0.0.1../',            'The text is not a valid URL.'],
  ['https://a..example.com/',         'The text is not a valid URL.'],
  ['https://./',                      'The text is not a valid URL.'],
  ['https://256.1.1.1/',              'The text is not a valid URL.'],
  ['https://user@example.com/',       'The URL must not contain a user name or password.'],
  ['https://:secret@example.com/',    'The URL must not contain a user name or password.'],
  ['http://good@127.0.0.1/',          'The URL must not contain a user name or password.'],
  ['http://example.com/',             'The URL must begin with https://.'],
  ['ftp://example.com/',              'The URL must begin with https://.'],
  ['javascript:alert(1)',             'The URL must begin with https://.'],
  ['file:///etc/passwd',              'The URL must begin with https://.'],
  ['https://example.com:22/',         'The port must be the default port or 1024 or higher.'],
  ['https://example.com:80/',         'The port must be the default port or 1024 or higher.'],
  ['https://example.com:0/',          'The port must be the default port or 1024 or higher.'],
  ['https://example.com:1023/',       'The port must be the default port or 1024 or higher.'],
])('%j is rejected: %s', (url, fault) => {
  expect(faultOf(url)).toBe(fault)
  expect(faultOf(url, 'test')).toBe(fault)
})

// biome-ignore format: a table.
test.each([
  'https://127.0.0.1/', 'https://2130706433/', 'https://0177.0.0.1/', 'https://0x7f.1/', 'https://0x7f000001/',
  'https://127.1/', 'https://127.0.0.1./', 'https://0/', 'https://0.0.0.0/', 'https://%31%32%37.0.0.1/',
  'https://127。0。0。1/', 'https://①②⑦.⓪.⓪.①/', 'https://１２７.0.0.1/', 'https://[::1]/', 'https://[::]/',
  'https://[0:0:0:0:0:0:0:1]/', 'https://[::ffff:127.0.0.1]/', 'https://[::ffff:7f00:1]/', 'https://[::127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/', 'https://[64:ff9b:1::7f00:1]/', 'https://[2002:7f00:1::]/', 'https://[fd00::1]/',
  'https://[fe80::1]/', 'https://[ff02::1]/', 'https://10.0.0.1/', 'https://100.64.0.1/', 'https://169.254.1.1/',
  'https://169.254.169.254/latest/meta-data/', 'https://[fd00:ec2::254]/', 'https://100.100.100.200/',
  'https://224.0.0.1/', 'https://255.255.255.255/', 'https://localhost/', 'https://LOCALHOST./', 'https://a.localhost/',
  'https://printer.local/', 'https://metadata.google.internal/', 'https://internal/', 'https://ⓛocalhost/',
])('%s is rejected with the same message as every blocked address', (url) => {
  expect(faultOf(url)).toBe(blockedText)
  expect(faultOf(url, 'test')).toBe(blockedText)
})

// biome-ignore format: a table.
test.each([
  ['http://127.0.0.1:3000/hook',     null],
  ['http://[::1]:3000/hook',         null],
  ['http://localhost/hook',          null],
  ['http://localhost:3000/hook',     null],
  ['http://10.1.0.5/hook',           null],
  ['https://localhost:3000/hook',    null],
  ['http://10.2.0.5/hook',           'The URL must begin with https://.'],
  ['http://a.localhost:3000/hook',   'The URL must begin with https://.'],
  ['http://receiver:3000/hook',      'The URL must begin with https://.'],
  ['http://example.com/hook',        'The URL must begin with https://.'],
  ['http://localhost:22/hook',       'The port must be the default port or 1024 or higher.'],
  ['https://a.localhost/hook',       blockedText],
])('with loopback and 10.1.0.0/16 allowed, the test environment reports for %s: %s', (url, fault) => {
  expect(faultOf(url, 'test', open)).toBe(fault)
})

test('the live environment accepts an allowed network with https only, and never loopback', () => {
  expect(faultOf('https://10.1.0.5/hook', 'live', open)).toBeNull()
  expect(faultOf('http://10.1.0.5/hook', 'live', open)).toBe('The URL must begin with https://.')
  expect(faultOf('https://localhost/hook', 'live', open)).toBe(blockedText)
  expect(faultOf('https://127.0.0.1/hook', 'live', open)).toBe(blockedText)
})
