// No request reaches a blocked address, in any notation and for any DNS response. A server
// listens on every address of this machine and counts connections.

import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { selfSigned } from '../../../test/support/certificate.ts'
import { startNameServer } from '../../../test/support/name-server.ts'
import { ok, startRawServer } from '../../../test/support/raw-server.ts'
import { createOutbound, type OutboundOptions } from './client.ts'
import { type FoundAddress, nameServerLookup } from './lookup.ts'
import { blockedText } from './target.ts'

afterEach(() => vi.unstubAllEnvs())

const name = 'hooks.example.com'
const certificate = selfSigned([name])

function outboundWith(options: Partial<OutboundOptions>) {
  const outbound = createOutbound({ allowCidrs: [], allowLoopback: false, ca: certificate.cert, ...options })
  onTestFinished(() => outbound.close())
  const post = (url: string, mode: 'live' | 'test' = 'test', timeoutMs = 2_000) =>
    outbound.send({
      url,
      mode,
      headers: {},
      body: '{}',
      timeoutMs,
      maxResponseBytes: 1_024,
      pool: 'pool',
      maxConnections: 2,
    })
  return { ...outbound, post }
}

const addressesOf = (...addresses: readonly string[]): FoundAddress[] =>
  addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

const isBlocked = {
  kind: 'failed',
  cause: 'blocked',
  detail: blockedText,
  mayHaveBeenSent: false,
  remoteIp: null,
}

const startCountingServer = () => startRawServer((socket) => socket.write(ok))

// biome-ignore format: a table.
test.each([
  '127.0.0.1', '2130706433', '0177.0.0.1', '0x7f.1', '127.1', '127.0.0.2', '127.0.0.1.', '0.0.0.0', '127。0。0。1',
  '①②⑦.⓪.⓪.①', '[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]', 'localhost', 'localhost.', 'a.localhost',
])('%s gets no connection', async (host) => {
  const rawServer = await startCountingServer()
  const { post } = outboundWith({ lookup: async () => addressesOf('127.0.0.1') })

  expect(await post(`https://${host}:${rawServer.port}/`, 'live')).toMatchObject(isBlocked)
  expect(await post(`https://${host}:${rawServer.port}/`, 'test')).toMatchObject(isBlocked)
  expect(await post(`http://${host}:${rawServer.port}/`, 'test')).toMatchObject({ kind: 'failed', cause: 'blocked' })
  expect(await post(`http://good@${host}:${rawServer.port}/`, 'test')).toMatchObject({ cause: 'blocked' })
  expect(rawServer.connections).toBe(0)
})

test.each([
  [['127.0.0.1']],
  [['::1']],
  [['::ffff:127.0.0.1']],
  [['10.0.0.1']],
  [['169.254.169.254']],
  [['fd00:ec2::254']],
  [['93.184.216.34', '127.0.0.1']],
  [['127.0.0.1', '93.184.216.34']],
  [['2606:4700::1111', '::1']],
  [['not an address']],
])('a name that resolves to %j gets no connection', async (addresses) => {
  const rawServer = await startCountingServer()
  const { post } = outboundWith({ lookup: async () => addressesOf(...addresses) })

  const reply = await post(`https://${name}:${rawServer.port}/`, 'live')

  expect(reply).toMatchObject(isBlocked)
  expect(rawServer.connections).toBe(0)
})

test('loopback, if allowed, is reachable from the test environment and not from live', async () => {
  const rawServer = await startRawServer((socket) => socket.write(ok), certificate)
  const { post } = outboundWith({ allowLoopback: true, lookup: async () => addressesOf('127.0.0.1') })
  const url = `https://${name}:${rawServer.port}/`

  expect(await post(url, 'live')).toMatchObject(isBlocked)
  expect(rawServer.connections).toBe(0)
  expect(await post(url, 'test')).toMatchObject({ kind: 'answered', status: 200, remoteIp: '127.0.0.1' })
  // The pool is the same, but the live environment must not use its connection.
  expect(await post(url, 'live')).toMatchObject(isBlocked)
  expect(rawServer.requests).toHaveLength(1)
})

test('localhost means this machine, regardless of the response of name servers', async () => {
  const rawServer = await startCountingServer()
  const server = await startNameServer({ localhost: { A: ['93.184.216.34'] } })
  const { post } = outboundWith({ allowLoopback: true, lookup: nameServerLookup([server]) })

  const reply = await post(`http://localhost:${rawServer.port}/`)

  expect(reply).toMatchObject({ kind: 'answered', remoteIp: expect.stringMatching(/^(127\.0\.0\.1|::1)$/) })
})

test('an alias of a private name is blocked with real DNS queries', async () => {
  const rawServer = await startCountingServer()
  const server = await startNameServer({
    'alias.example.com': { alias: 'inside.example.net', A: ['127.0.0.1'] },
    'mixed.example.com': { A: ['93.184.216.34'], AAAA: ['0:0:0:0:0:0:0:1'] },
  })
  const { post } = outboundWith({ lookup: nameServerLookup([server]) })

  expect(await post(`https://alias.example.com:${rawServer.port}/`)).toMatchObject(isBlocked)
  expect(await post(`https://mixed.example.com:${rawServer.port}/`)).toMatchObject(isBlocked)
  expect(rawServer.connections).toBe(0)
})

test('a name is resolved once per connection, and the checked address is the one that is used', async () => {
  const rawServer = await startRawServer((socket) => socket.write(ok), certificate)
  const results = [addressesOf('127.0.0.1'), addressesOf('10.0.0.1')]
  const lookups: string[] = []
  const { post } = outboundWith({
    allowLoopback: true,
    lookup: async (hostname) => {
      lookups.push(hostname)
      return results[lookups.length - 1] ?? []
    },
  })
  const url = `https://${name}:${rawServer.port}/`

  expect(await post(url)).toMatchObject({ kind: 'answered', remoteIp: '127.0.0.1', connectionReused: false })
  expect(await post(url)).toMatchObject({ kind: 'answered', remoteIp: '127.0.0.1', connectionReused: true })
  expect(lookups).toEqual([name])
})

test('a name server that changes its answer after the first query does not lead to an internal address', async () => {
  const rawServer = await startCountingServer()
  let lookups = 0
  const { post } = outboundWith({
    lookup: async () => {
      lookups += 1
      // The first address is unassigned; it is allowed here so that a connection is attempted.
      return lookups === 1 ? addressesOf('192.0.2.1') : addressesOf('127.0.0.1')
    },
    allowCidrs: ['192.0.2.0/24'],
  })

  const reply = await post(`https://${name}:${rawServer.port}/`, 'live', 300)

  expect(reply).toMatchObject({ kind: 'failed', mayHaveBeenSent: false })
  expect(reply).not.toMatchObject({ cause: 'blocked' })
  expect(lookups).toBe(1)
  expect(rawServer.connections).toBe(0)
})

test('if the connected address differs from the checked one, no data is sent', async () => {
  const rawServer = await startCountingServer()
  let reads = 0
  const changingAddress = {
    family: 4,
    get address() {
      reads += 1
      return reads === 1 ? '93.184.216.34' : '127.0.0.1'
    },
  }
  const { post } = outboundWith({ lookup: async () => [changingAddress] })

  expect(await post(`https://${name}:${rawServer.port}/`, 'live')).toMatchObject(isBlocked)
  expect(rawServer.requests).toEqual([])
})

test('a redirect is returned as the response and not followed', async () => {
  const location = 'http://169.254.169.254/latest/meta-data/'
  const rawServer = await startRawServer((socket) =>
    socket.write(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`),
  )
  const { post } = outboundWith({ allowLoopback: true })

  const reply = await post(`http://127.0.0.1:${rawServer.port}/`)

  expect(reply).toMatchObject({ kind: 'answered', status: 302, headers: { location } })
  expect(rawServer).toMatchObject({ connections: 1, requests: { length: 1 } })
})

test('proxies from the environment are not used', async () => {
  const proxy = await startCountingServer()
  const rawServer = await startCountingServer()
  for (const variable of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy'])
    vi.stubEnv(variable, `http://127.0.0.1:${proxy.port}`)
  vi.stubEnv('NODE_USE_ENV_PROXY', '1')
  const { post } = outboundWith({ allowLoopback: true })

  expect(await post(`http://127.0.0.1:${rawServer.port}/`)).toMatchObject({ kind: 'answered' })
  expect(proxy.connections).toBe(0)
})

test('an invalid network fails at startup, not at the first call', () => {
  expect(() => createOutbound({ allowCidrs: ['10.0.0.0/99'], allowLoopback: false })).toThrow(
    '"10.0.0.0/99" is not a valid network. Write it like 10.0.0.0/8 or fd00::/8.',
  )
})
