// A webhook handler behind servers: the bytes arrive unchanged, and no sender can crash the server.

import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import fastify from 'fastify'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Event, signWebhook } from '../src/index.ts'
import { toFastifyHandler, toNodeListener } from '../src/node.ts'
import { newEvent, newReceiver, secret } from './support/webhook-receiver.ts'

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const post = async (url: string, event: Event, changed: { body?: string } = {}) => {
  const response = await fetch(url, { method: 'POST', ...(await signWebhook(event, secret)), ...changed })
  return { status: response.status, body: await response.json() }
}

test('a Node.js listener handles requests, and rejects changed ones', async () => {
  const { handled, handler } = newReceiver()
  const url = await listen(toNodeListener(handler))
  const event = newEvent()

  expect(await post(url, event)).toEqual({ status: 200, body: { result: 'handled' } })
  expect(handled).toEqual([`created ${event.id} ada@example.com`])
  // Only `webhook-signature` covers the whole body: its rejection shows that the bytes were checked.
  const body = JSON.stringify({ ...event, api_version: '2001-01-01' })
  expect(await post(url, event, { body })).toEqual({ status: 400, body: { reason: 'no_match' } })
  expect((await fetch(url)).status).toBe(400)
})

test.each<[string, (bytes: Buffer) => unknown, boolean]>([
  ['as bytes', (bytes) => bytes, false],
  ['as text', (bytes) => bytes.toString(), false],
  ['and parsed it', (bytes) => JSON.parse(bytes.toString()), true],
])(
  'a Node.js listener accepts a body that a framework has read %s',
  async (_, parse, signatureDigestOnly) => {
    const { handled, errors, handler } = newReceiver({ signatureDigestOnly })
    const listener = toNodeListener(handler)
    const url = await listen(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      await listener(Object.assign(request, { body: parse(Buffer.concat(chunks)) }), response)
    })
    const event = newEvent()

    expect(await post(url, event)).toEqual({ status: 200, body: { result: 'handled' } })
    expect({ handled, errors }).toEqual({ handled: [`created ${event.id} ada@example.com`], errors: [] })
    const forged = event.data.replace('ada@', 'eve@')
    expect(await post(url, event, { body: JSON.stringify({ ...event, data: forged }) })).toMatchObject({
      body: { reason: 'no_match' },
    })
  },
)

test('a body longer than any event does not reach the handler', async () => {
  let calls = 0
  const url = await listen(
    toNodeListener(async () => {
      calls += 1
      return new Response('')
    }),
  )

  const tooLarge = fetch(url, { method: 'POST', body: 'x'.repeat(1_048_577) }).then(
    ({ status }) => status,
    () => 'cut',
  )

  expect([400, 'cut']).toContain(await tooLarge)
  expect((await fetch(url, { method: 'POST', body: 'x'.repeat(1_048_576) })).status).toBe(200)
  expect(calls).toBe(1)
})

test('a sender that disconnects during its request causes no server error', async () => {
  const listener = toNodeListener(newReceiver().handler)
  const responses: Promise<void>[] = []
  const url = new URL(await listen((request, response) => void responses.push(listener(request, response))))
  const sender = connect(Number(url.port), url.hostname)
  sender.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{"id":')
  await vi.waitFor(() => expect(responses).toHaveLength(1))

  sender.destroy()

  await expect(responses[0]).resolves.toBeUndefined()
})

test('a handler that throws results in a 500', async () => {
  const url = await listen(toNodeListener(() => Promise.reject(new Error('a fault'))))

  const response = await fetch(url, { method: 'POST', body: '{}' })

  expect([response.status, await response.json()]).toEqual([500, { reason: 'handler_failed' }])
})

test('a body that Fastify has parsed is rejected, unless signature-digest alone is enough', async () => {
  const { handled, handler } = newReceiver()
  const app = fastify()
  onTestFinished(() => app.close())
  app.post('/webhooks', toFastifyHandler(handler))
  const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/webhooks`

  expect(await post(url, newEvent())).toEqual({ status: 400, body: { reason: 'no_header' } })
  expect(handled).toEqual([])
})

test.each(['parsed', 'raw'])('Fastify passes on its %s body', async (form) => {
  const { handled, handler } = newReceiver({ signatureDigestOnly: form === 'parsed' })
  const app = fastify()
  onTestFinished(() => app.close())
  if (form === 'raw')
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
  app.post('/webhooks', toFastifyHandler(handler))
  const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/webhooks`
  const event = newEvent()
  const changed = { body: JSON.stringify({ ...event, api_version: '2001-01-01' }) }

  expect(await post(url, event)).toEqual({ status: 200, body: { result: 'handled' } })
  expect(handled).toHaveLength(1)
  expect((await post(url, newEvent(), { body: '{}' })).body).toEqual({ reason: 'data_not_string' })
  expect((await post(url, event, changed)).status).toBe(form === 'raw' ? 400 : 200)
})
