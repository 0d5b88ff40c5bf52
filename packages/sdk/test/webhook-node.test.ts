// A handler of webhooks behind servers: the bytes come through, and no sender brings the server down.

import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import fastify from 'fastify'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Event, signWebhook } from '../src/index.ts'
import { toFastifyHandler, toNodeListener } from '../src/node.ts'
import { anEvent, aReceiver, secret } from './support/webhook-receiver.ts'

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const post = async (url: string, event: Event, changed: { body?: string } = {}) => {
  const answer = await fetch(url, { method: 'POST', ...(await signWebhook(event, secret)), ...changed })
  return { status: answer.status, body: await answer.json() }
}

test('a listener of Node handles what comes, and refuses what was changed', async () => {
  const { ran, handler } = aReceiver()
  const url = await listen(toNodeListener(handler))
  const event = anEvent()

  expect(await post(url, event)).toEqual({ status: 200, body: { result: 'handled' } })
  expect(ran).toEqual([`created ${event.id} ada@example.com`])
  // Only `webhook-signature` covers the whole body: that it is refused shows that the bytes came through.
  const body = JSON.stringify({ ...event, api_version: '2001-01-01' })
  expect(await post(url, event, { body })).toEqual({ status: 400, body: { reason: 'no_match' } })
  expect((await fetch(url)).status).toBe(400)
})

test.each<[string, (bytes: Buffer) => unknown]>([
  ['as bytes', (bytes) => bytes],
  ['as text', (bytes) => bytes.toString()],
  ['and parsed it', (bytes) => JSON.parse(bytes.toString())],
])('a listener of Node takes a body that a framework has read %s', async (_, parse) => {
  const { ran, errors, handler } = aReceiver()
  const listener = toNodeListener(handler)
  const url = await listen(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    await listener(Object.assign(request, { body: parse(Buffer.concat(chunks)) }), response)
  })
  const event = anEvent()

  expect(await post(url, event)).toEqual({ status: 200, body: { result: 'handled' } })
  expect({ ran, errors }).toEqual({ ran: [`created ${event.id} ada@example.com`], errors: [] })
  const forged = event.data.replace('ada@', 'eve@')
  expect(await post(url, event, { body: JSON.stringify({ ...event, data: forged }) })).toMatchObject({
    body: { reason: 'no_match' },
  })
})

test('a body longer than any event does not reach the handler', async () => {
  let reached = 0
  const url = await listen(
    toNodeListener(async () => {
      reached += 1
      return new Response('')
    }),
  )

  const long = fetch(url, { method: 'POST', body: 'x'.repeat(1_048_577) }).then(
    ({ status }) => status,
    () => 'cut',
  )

  expect([400, 'cut']).toContain(await long)
  expect((await fetch(url, { method: 'POST', body: 'x'.repeat(1_048_576) })).status).toBe(200)
  expect(reached).toBe(1)
})

test('a sender that goes away in the middle is no fault of the server', async () => {
  const listener = toNodeListener(aReceiver().handler)
  const answers: Promise<void>[] = []
  const url = new URL(await listen((request, response) => void answers.push(listener(request, response))))
  const sender = connect(Number(url.port), url.hostname)
  sender.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{"id":')
  await vi.waitFor(() => expect(answers).toHaveLength(1))

  sender.destroy()

  await expect(answers[0]).resolves.toBeUndefined()
})

test('a handler that rejects is answered with 500', async () => {
  const url = await listen(toNodeListener(() => Promise.reject(new Error('a fault'))))

  const answer = await fetch(url, { method: 'POST', body: '{}' })

  expect([answer.status, await answer.json()]).toEqual([500, { reason: 'handler_failed' }])
})

test.each(['parsed', 'raw'])('Fastify hands over its %s body', async (form) => {
  const { ran, handler } = aReceiver()
  const app = fastify()
  onTestFinished(() => app.close())
  if (form === 'raw')
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
  app.post('/webhooks', toFastifyHandler(handler))
  const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/webhooks`
  const event = anEvent()
  const changed = { body: JSON.stringify({ ...event, api_version: '2001-01-01' }) }

  expect(await post(url, event)).toEqual({ status: 200, body: { result: 'handled' } })
  expect(ran).toHaveLength(1)
  expect((await post(url, anEvent(), { body: '{}' })).body).toEqual({ reason: 'data_not_string' })
  expect((await post(url, event, changed)).status).toBe(form === 'raw' ? 400 : 200)
})
