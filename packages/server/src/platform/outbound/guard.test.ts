// No request reaches an address that is not allowed, however it is written down and whatever name servers say.
// A stranger listens on every address of this machine and counts who came.

import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { selfSigned } from '../../../test/support/certificate.ts'
import { aNameServer } from '../../../test/support/name-server.ts'
import { aStranger, ok } from '../../../test/support/stranger.ts'
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
      maxAnswerBytes: 1_024,
      pool: 'pool',
      maxConnections: 2,
    })
  return { ...outbound, post }
}

const answersOf = (...addresses: readonly string[]): FoundAddress[] =>
  addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

const isBlocked = {
  is: 'failed',
  cause: 'blocked',
  detail: blockedText,
  mayHaveBeenSent: false,
  remoteIp: null,
}

const aCountingStranger = () => aStranger((socket) => socket.write(ok))

// biome-ignore format: a table.
test.each([
  '127.0.0.1', '2130706433', '0177.0.0.1', '0x7f.1', '127.1', '127.0.0.2', '127.0.0.1.', '0.0.0.0', '127。0。0。1',
  '①②⑦.⓪.⓪.①', '[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]', 'localhost', 'localhost.', 'a.localhost',
])('%s gets no connection', async (host) => {
  const stranger = await aCountingStranger()
  const { post } = outboundWith({ lookup: async () => answersOf('127.0.0.1') })

  expect(await post(`https://${host}:${stranger.port}/`, 'live')).toMatchObject(isBlocked)
  expect(await post(`https://${host}:${stranger.port}/`, 'test')).toMatchObject(isBlocked)
  expect(await post(`http://${host}:${stranger.port}/`, 'test')).toMatchObject({ is: 'failed', cause: 'blocked' })
  expect(await post(`http://good@${host}:${stranger.port}/`, 'test')).toMatchObject({ cause: 'blocked' })
  expect(stranger.connections).toBe(0)
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
])('a name that stands for %j gets no connection', async (addresses) => {
  const stranger = await aCountingStranger()
  const { post } = outboundWith({ lookup: async () => answersOf(...addresses) })

  const reply = await post(`https://${name}:${stranger.port}/`, 'live')

  expect(reply).toMatchObject(isBlocked)
  expect(stranger.connections).toBe(0)
})

test('loopback that is opened in the test environment is reached there, and not from the live one', async () => {
  const stranger = await aStranger((socket) => socket.write(ok), certificate)
  const { post } = outboundWith({ allowLoopback: true, lookup: async () => answersOf('127.0.0.1') })
  const url = `https://${name}:${stranger.port}/`

  expect(await post(url, 'live')).toMatchObject(isBlocked)
  expect(stranger.connections).toBe(0)
  expect(await post(url, 'test')).toMatchObject({ is: 'answered', status: 200, remoteIp: '127.0.0.1' })
  // The pool is the same, and the connection is not for the live environment.
  expect(await post(url, 'live')).toMatchObject(isBlocked)
  expect(stranger.requests).toHaveLength(1)
})

test('localhost means this machine, whatever name servers say', async () => {
  const stranger = await aCountingStranger()
  const server = await aNameServer({ localhost: { A: ['93.184.216.34'] } })
  const { post } = outboundWith({ allowLoopback: true, lookup: nameServerLookup([server]) })

  const reply = await post(`http://localhost:${stranger.port}/`)

  expect(reply).toMatchObject({ is: 'answered', remoteIp: expect.stringMatching(/^(127\.0\.0\.1|::1)$/) })
})

test('an alias of a private name is blocked when name servers are asked for real', async () => {
  const stranger = await aCountingStranger()
  const server = await aNameServer({
    'alias.example.com': { alias: 'inside.example.net', A: ['127.0.0.1'] },
    'mixed.example.com': { A: ['93.184.216.34'], AAAA: ['0:0:0:0:0:0:0:1'] },
  })
  const { post } = outboundWith({ lookup: nameServerLookup([server]) })

  expect(await post(`https://alias.example.com:${stranger.port}/`)).toMatchObject(isBlocked)
  expect(await post(`https://mixed.example.com:${stranger.port}/`)).toMatchObject(isBlocked)
  expect(stranger.connections).toBe(0)
})

test('a name is asked for once per connection, and the address that was judged is the one that is used', async () => {
  const stranger = await aStranger((socket) => socket.write(ok), certificate)
  const answers = [answersOf('127.0.0.1'), answersOf('10.0.0.1')]
  const asked: string[] = []
  const { post } = outboundWith({
    allowLoopback: true,
    lookup: async (hostname) => {
      asked.push(hostname)
      return answers[asked.length - 1] ?? []
    },
  })
  const url = `https://${name}:${stranger.port}/`

  expect(await post(url)).toMatchObject({ is: 'answered', remoteIp: '127.0.0.1', connectionReused: false })
  expect(await post(url)).toMatchObject({ is: 'answered', remoteIp: '127.0.0.1', connectionReused: true })
  expect(asked).toEqual([name])
})

test('a name server that changes its mind after the first question does not lead inside', async () => {
  const stranger = await aCountingStranger()
  let asked = 0
  const { post } = outboundWith({
    lookup: async () => {
      asked += 1
      // Nobody has the first one, and it is opened here so that it is tried at all.
      return asked === 1 ? answersOf('192.0.2.1') : answersOf('127.0.0.1')
    },
    allowCidrs: ['192.0.2.0/24'],
  })

  const reply = await post(`https://${name}:${stranger.port}/`, 'live', 300)

  expect(reply).toMatchObject({ is: 'failed', mayHaveBeenSent: false })
  expect(reply).not.toMatchObject({ cause: 'blocked' })
  expect(asked).toBe(1)
  expect(stranger.connections).toBe(0)
})

test('an address that is another one by the time it is connected to gets no byte', async () => {
  const stranger = await aCountingStranger()
  let reads = 0
  const shifty = {
    family: 4,
    get address() {
      reads += 1
      return reads === 1 ? '93.184.216.34' : '127.0.0.1'
    },
  }
  const { post } = outboundWith({ lookup: async () => [shifty] })

  expect(await post(`https://${name}:${stranger.port}/`, 'live')).toMatchObject(isBlocked)
  expect(stranger.requests).toEqual([])
})

test('a redirect is an answer and not followed', async () => {
  const location = 'http://169.254.169.254/latest/meta-data/'
  const stranger = await aStranger((socket) =>
    socket.write(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`),
  )
  const { post } = outboundWith({ allowLoopback: true })

  const reply = await post(`http://127.0.0.1:${stranger.port}/`)

  expect(reply).toMatchObject({ is: 'answered', status: 302, headers: { location } })
  expect(stranger).toMatchObject({ connections: 1, requests: { length: 1 } })
})

test('proxies that the environment names are not used', async () => {
  const proxy = await aCountingStranger()
  const stranger = await aCountingStranger()
  for (const variable of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy'])
    vi.stubEnv(variable, `http://127.0.0.1:${proxy.port}`)
  vi.stubEnv('NODE_USE_ENV_PROXY', '1')
  const { post } = outboundWith({ allowLoopback: true })

  expect(await post(`http://127.0.0.1:${stranger.port}/`)).toMatchObject({ is: 'answered' })
  expect(proxy.connections).toBe(0)
})

test('a network that is not one fails at the start, not at the first call', () => {
  expect(() => createOutbound({ allowCidrs: ['10.0.0.0/99'], allowLoopback: false })).toThrow(
    '"10.0.0.0/99" is not a network to allow. Write it like 10.0.0.0/8 or fd00::/8.',
  )
})
