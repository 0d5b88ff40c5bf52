// The receivers of examples/webhooks in their real frameworks: each handles a signed event once, and rejects
// a forged one.

import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { signWebhook } from '../src/index.ts'
import { newEvent, secret } from './support/webhook-receiver.ts'

type Post = (init: RequestInit) => Promise<Response>

const examples = '../../../examples/webhooks'
vi.stubEnv('WEBHOOK_SECRET', secret)
const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
vi.spyOn(console, 'error').mockImplementation(() => {})
beforeEach(() => void logged.mockClear())

/** Posts over a real socket, as in production. */
async function serveOverHttp(server: Server): Promise<Post> {
  await vi.waitUntil(() => server.listening)
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return (init) => fetch(`http://127.0.0.1:${port}/webhooks`, init)
}

/** Calls the function that the runtime would call. */
const callDirectly =
  (handle: (request: Request) => Promise<Response> | Response): Post =>
  async (init) =>
    handle(new Request('https://example.com/webhooks', init))

const receivers: Record<string, () => Promise<Post>> = {
  node: async () => serveOverHttp((await import(`${examples}/node.ts`)).server.listen(0, '127.0.0.1')),
  express: async () => serveOverHttp((await import(`${examples}/express.ts`)).app.listen(0, '127.0.0.1')),
  async fastify() {
    const { app } = await import(`${examples}/fastify.ts`)
    onTestFinished(() => app.close())
    const address = await app.listen({ host: '127.0.0.1', port: 0 })
    return (init) => fetch(`${address}/webhooks`, init)
  },
  hono: async () => callDirectly((await import(`${examples}/hono.ts`)).default.fetch),
  next: async () => callDirectly((await import(`${examples}/next.ts`)).POST),
  async 'cloudflare-worker'() {
    const { default: worker } = await import(`${examples}/cloudflare-worker.ts`)
    return callDirectly((request) => worker.fetch(request, { WEBHOOK_SECRET: secret }))
  },
  bun: async () => callDirectly((await import(`${examples}/bun.ts`)).default.fetch),
  deno: async () => callDirectly((await import(`${examples}/deno.ts`)).default.fetch),
}

test.each(Object.entries(receivers))(
  '%s handles a signed event once, and rejects a forged one',
  async (_, startReceiver) => {
    const post = await startReceiver()
    const { body, headers } = await signWebhook(newEvent(), secret)
    const send = (text: string) => post({ method: 'POST', headers, body: text })
    // Only the signature of the whole body covers this member. A receiver that rejects the change verifies the raw bytes.
    const altered = body.replace('"pending_deliveries":1', '"pending_deliveries":2')

    const [first, second] = [await send(body), await send(body)]
    const [forgedResponse, alteredResponse] = [await send(body.replace('ada@', 'eve@')), await send(altered)]

    expect([first.status, second.status, forgedResponse.status, alteredResponse.status]).toEqual([
      200, 200, 400, 400,
    ])
    expect(await forgedResponse.json()).toEqual({ reason: 'no_match' })
    expect(logged.mock.calls).toEqual([['new customer:', 'ada@example.com']])
  },
)
