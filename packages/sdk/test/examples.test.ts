// The receivers of examples/webhooks in their real frameworks: each takes what was signed, once, and refuses what
// was forged.

import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { signWebhook } from '../src/index.ts'
import { anEvent, secret } from './support/webhook-receiver.ts'

type Post = (init: RequestInit) => Promise<Response>

const examples = '../../../examples/webhooks'
vi.stubEnv('WEBHOOK_SECRET', secret)
const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
vi.spyOn(console, 'error').mockImplementation(() => {})
beforeEach(() => void logged.mockClear())

/** Behind a socket, as it is deployed. */
async function served(server: Server): Promise<Post> {
  await vi.waitUntil(() => server.listening)
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return (init) => fetch(`http://127.0.0.1:${port}/webhooks`, init)
}

/** By the function that its runtime calls. */
const called =
  (handle: (request: Request) => Promise<Response> | Response): Post =>
  async (init) =>
    handle(new Request('https://example.com/webhooks', init))

const receivers: Record<string, () => Promise<Post>> = {
  node: async () => served((await import(`${examples}/node.ts`)).server.listen(0, '127.0.0.1')),
  express: async () => served((await import(`${examples}/express.ts`)).app.listen(0, '127.0.0.1')),
  async fastify() {
    const { app } = await import(`${examples}/fastify.ts`)
    onTestFinished(() => app.close())
    const address = await app.listen({ host: '127.0.0.1', port: 0 })
    return (init) => fetch(`${address}/webhooks`, init)
  },
  hono: async () => called((await import(`${examples}/hono.ts`)).default.fetch),
  next: async () => called((await import(`${examples}/next.ts`)).POST),
  async 'cloudflare-worker'() {
    const { default: worker } = await import(`${examples}/cloudflare-worker.ts`)
    return called((request) => worker.fetch(request, { WEBHOOK_SECRET: secret }))
  },
  bun: async () => called((await import(`${examples}/bun.ts`)).default.fetch),
  deno: async () => called((await import(`${examples}/deno.ts`)).default.fetch),
}

test.each(Object.entries(receivers))(
  '%s takes what was signed, once, and refuses what was forged',
  async (_, open) => {
    const post = await open()
    const { body, headers } = await signWebhook(anEvent(), secret)
    const send = (text: string) => post({ method: 'POST', headers, body: text })
    // Only the signature of the whole body covers this member: it shows that the bytes arrived as they were sent.
    const altered = body.replace('"pending_deliveries":1', '"pending_deliveries":2')

    const [first, again] = [await send(body), await send(body)]
    const [forged, touched] = [await send(body.replace('ada@', 'eve@')), await send(altered)]

    expect([first.status, again.status, forged.status, touched.status]).toEqual([200, 200, 400, 400])
    expect(await forged.json()).toEqual({ reason: 'no_match' })
    expect(logged.mock.calls).toEqual([['new customer:', 'ada@example.com']])
  },
)
