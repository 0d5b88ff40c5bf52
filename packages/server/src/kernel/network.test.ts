import { expect, test } from 'vitest'
import { networkOf, networksOf } from './network.ts'

test.each([
  ['192.0.2.1', ['192.0.2.1']],
  ['::ffff:192.0.2.1', ['192.0.2.1']],
  ['2001:db8:1:234:3:4:5:6', ['2001:db8:1:234/64', '2001:db8:1:200/56', '2001:db8:1:0/48']],
  ['2001:DB8:1:2::7', ['2001:db8:1:2/64', '2001:db8:1:0/56', '2001:db8:1:0/48']],
  ['2001:db8::7', ['2001:db8:0:0/64', '2001:db8:0:0/56', '2001:db8:0:0/48']],
  ['fe80::1%eth0', ['fe80:0:0:0/64', 'fe80:0:0:0/56', 'fe80:0:0:0/48']],
  ['::1', ['0:0:0:0/64', '0:0:0:0/56', '0:0:0:0/48']],
])('%s belongs to %j', (address, networks) => {
  expect(networksOf(address)).toEqual(networks)
  expect(networkOf(address)).toBe(networks[0])
})
