import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressRules } from './address.ts'

const closed = addressRules({ allowCidrs: [], allowLoopback: false })

// biome-ignore format: a table.
test.each([
  ['127.0.0.1',               'loopback'],
  ['127.255.255.254',         'loopback'],
  ['0.0.0.0',                 'this machine'],
  ['0.1.2.3',                 'this network'],
  ['10.0.0.1',                'private'],
  ['172.16.0.1',              'private'],
  ['172.31.255.255',          'private'],
  ['192.168.1.1',             'private'],
  ['100.64.0.1',              'carrier-grade NAT'],
  ['169.254.1.1',             'link-local'],
  ['169.254.169.254',         'metadata'],
  ['169.254.170.2',           'metadata of AWS tasks'],
  ['100.100.100.200',         'metadata of Alibaba'],
  ['168.63.129.16',           'metadata of Azure, in a public range'],
  ['192.0.0.192',             'metadata of Oracle'],
  ['192.0.0.1',               'protocol assignments'],
  ['192.0.2.1',               'documentation'],
  ['198.51.100.1',            'documentation'],
  ['203.0.113.1',             'documentation'],
  ['192.88.99.1',             '6to4 relay'],
  ['198.18.0.1',              'benchmarking'],
  ['224.0.0.1',               'multicast'],
  ['239.255.255.250',         'multicast'],
  ['240.0.0.1',               'reserved'],
  ['255.255.255.255',         'broadcast'],
  ['::',                      'this machine'],
  ['::1',                     'loopback'],
  ['::127.0.0.1',             'IPv4-compatible'],
  ['::ffff:127.0.0.1',        'mapped loopback'],
  ['::ffff:7f00:1',           'mapped loopback'],
  ['::ffff:a9fe:a9fe',        'mapped metadata'],
  ['::ffff:168.63.129.16',    'mapped metadata'],
  ['::ffff:0:7f00:1',         'translated'],
  ['64:ff9b::7f00:1',         'NAT64 of loopback'],
  ['64:ff9b::a00:1',          'NAT64 of private'],
  ['64:ff9b::a83f:8110',      'NAT64 of metadata'],
  ['64:ff9b:1::808:808',      'local NAT64'],
  ['2002:7f00:1::',           '6to4 of loopback'],
  ['2002:a9fe:a9fe::1',       '6to4 of metadata'],
  ['2001:0:53aa:64c::1',      'Teredo'],
  ['fe80::1',                 'link-local'],
  ['fe80::1%eth0',            'link-local with a zone'],
  ['2606:4700::1%eth0',       'a zone'],
  ['fec0::1',                 'site-local'],
  ['fc00::1',                 'unique local'],
  ['fd00:ec2::254',           'metadata of AWS'],
  ['fd20:ce::254',            'metadata of Google'],
  ['ff02::1',                 'multicast'],
  ['2001:db8::1',             'documentation'],
  ['3fff::1',                 'documentation'],
  ['2001:2::1',               'benchmarking'],
  ['2001:10::1',              'ORCHID'],
  ['100::1',                  'discard only'],
  ['5f00::1',                 'segment routing'],
  ['4000::1',                 'unassigned'],
  ['127.1',                   'not a complete IP address'],
  ['0177.0.0.1',              'octal notation'],
  ['',                        'empty'],
])('%s is blocked: %s', (address) => {
  expect([closed(address, 'live'), closed(address, 'test')]).toEqual(['blocked', 'blocked'])
})

// biome-ignore format: a table.
test.each([
  '1.1.1.1', '93.184.216.34', '100.63.255.255', '100.128.0.0', '172.15.0.1', '172.32.0.1', '223.255.255.255',
  '2606:4700:4700::1111', '2a00:1450:4001:82a::200e', '::ffff:1.1.1.1', '64:ff9b::101:101', '2002:101:101::1',
])('%s is public', (address) => {
  expect([closed(address, 'live'), closed(address, 'test')]).toEqual(['public', 'public'])
})

test('loopback is allowed only in the test environment, and only if the operator allows it', () => {
  const withLoopback = addressRules({ allowCidrs: ['127.0.0.0/8', '::1/128'], allowLoopback: true })
  const withoutLoopback = addressRules({ allowCidrs: ['127.0.0.0/8', '::1/128'], allowLoopback: false })

  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
    expect(withLoopback(address, 'test')).toBe('allowed')
    expect(withLoopback(address, 'live')).toBe('blocked')
    expect(withoutLoopback(address, 'test')).toBe('blocked')
  }
  // Packets to these addresses would be routed to a gateway, not to this machine.
  expect(withLoopback('64:ff9b::7f00:1', 'test')).toBe('blocked')
  expect(withLoopback('2002:7f00:1::', 'test')).toBe('blocked')
})

test('a network that the operator allows is open in both environments, and no other address is', () => {
  const rules = addressRules({ allowCidrs: ['10.1.0.0/16', 'fd12:3456::/32'], allowLoopback: false })

  expect(rules('10.1.2.3', 'live')).toBe('allowed')
  expect(rules('10.1.2.3', 'test')).toBe('allowed')
  expect(rules('::ffff:10.1.2.3', 'live')).toBe('allowed')
  expect(rules('fd12:3456::9', 'live')).toBe('allowed')
  expect(rules('10.2.0.1', 'live')).toBe('blocked')
  expect(rules('fd12:3457::9', 'live')).toBe('blocked')
})

test('no network, however wide, opens metadata, loopback, link-local, multicast or wrapped addresses', () => {
  const rules = addressRules({ allowCidrs: ['0.0.0.0/0', '::/0'], allowLoopback: false })
  // biome-ignore format: a list.
  const alwaysBlocked = [
    '169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254',
    'fd00:ec2::23', 'fd20:ce::254', '::ffff:100.100.100.200', '64:ff9b::6464:64c8', '64:ff9b::a00:1', '64:ff9b:1::1',
    '2002:a00:1::', '2001::1', '127.0.0.1', '::1', '0.0.0.0', '::', '::7f00:1', '224.0.0.1', '255.255.255.255',
    'fe80::1', 'ff02::1',
  ]

  expect(alwaysBlocked.filter((address) => rules(address, 'test') !== 'blocked')).toEqual([])
  expect(rules('10.0.0.1', 'live')).toBe('allowed')
})

// biome-ignore format: a table.
test.each([
  '10.0.0.0', '10.0.0.0/33', '10.0.0.1/8', '10/8', '010.0.0.0/8', 'private', '', 'fd00::/129', 'fd00::1/8',
  '::ffff:10.0.0.0/104', '10.0.0.0/8 ', 'fe80::%eth0/64',
])('"%s" in the setting is rejected at startup with an error that quotes it', (network) => {
  const create = () => addressRules({ allowCidrs: ['192.168.0.0/16', network], allowLoopback: false })

  expect(create).toThrow(`"${network}" is not a valid network`)
})

test('an address that wraps an IPv4 address is never allowed if that address is not', () => {
  const byte = fc.integer({ min: 0, max: 255 })
  fc.assert(
    fc.property(byte, byte, byte, byte, (a, b, c, d) => {
      const ipv4 = [a, b, c, d].join('.')
      const high = ((a << 8) | b).toString(16)
      const low = ((c << 8) | d).toString(16)
      const status = closed(ipv4, 'live')
      expect(closed(`::ffff:${high}:${low}`, 'live')).toBe(status)
      expect(closed(`64:ff9b::${high}:${low}`, 'live')).toBe(status)
      expect(closed(`2002:${high}:${low}::1`, 'live')).toBe(status)
      expect(closed(`::${high}:${low}`, 'live')).toBe('blocked')
    }),
  )
})
