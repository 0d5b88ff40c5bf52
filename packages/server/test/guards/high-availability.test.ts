// The configuration in deploy/high-availability contains the settings that prevent lost writes, and its files agree
// with each other. `npm run drill:failover` tests what the settings do.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from './support/repository.ts'

const read = (name: string) => readFileSync(join(root, 'deploy/high-availability', name), 'utf8')
// Patroni reads YAML 1.1, in which `on` is true.
const patroni = parse(read('patroni.yml'), { version: '1.1' })
const haproxy = read('haproxy.cfg')
const [patroniNode, etcdNode] = [parseEnv(read('patroni.env')), parseEnv(read('etcd.env'))]

test('a commit waits for the one standby that can be promoted', () => {
  expect(patroni.bootstrap.dcs).toMatchObject({
    synchronous_mode: true,
    synchronous_mode_strict: true,
    synchronous_node_count: 1,
    failsafe_mode: true,
  })
})

test('HAProxy asks Patroni for the primary, and closes the connections to any other node', () => {
  expect(haproxy).toContain('option httpchk OPTIONS /primary')
  expect(haproxy).toMatch(/default-server .* on-marked-down shutdown-sessions$/m)
})

test('all files name the same nodes', () => {
  const clients: string[] = patroni.etcd3.hosts
  const addresses = clients.map((host) => host.replace(/:2379$/, ''))
  const servers = [...haproxy.matchAll(/^ {2}server (\S+) (\S+) check port 8008$/gm)].map(([, name, to]) => [
    name,
    to,
  ])
  const members = addresses.map((address, index) => `pg${index + 1}=http://${address}:2380`)

  expect(addresses).toHaveLength(3)
  expect(servers).toEqual(addresses.map((address, index) => [`pg${index + 1}`, `${address}:5432`]))
  expect(etcdNode.ETCD_INITIAL_CLUSTER).toBe(members.join(','))
  expect(patroniNode.PATRONI_NAME).toBe(etcdNode.ETCD_NAME)
  expect(patroniNode.PATRONI_POSTGRESQL_CONNECT_ADDRESS).toBe(`${addresses[0]}:5432`)
  expect(patroniNode.PATRONI_RESTAPI_CONNECT_ADDRESS).toBe(`${addresses[0]}:8008`)
})
