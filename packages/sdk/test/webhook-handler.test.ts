// The responses of a receiver made with `webhookHandler`, and the functions it runs.

import { inspect } from 'node:util'
import { expect, expectTypeOf, test } from 'vitest'
import { type Customer, Switchyard, signWebhook, type WebhookEvent, webhookHandler } from '../src/index.ts'
import { newEvent, newReceiver, requestOf, secret } from './support/webhook-receiver.ts'

const older = 'whsec_q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s='

test('a handler runs the function of the type, and responds with 200', async () => {
  const { handled, errors, receive } = newReceiver()
  const event = newEvent()

  expect(await receive(await requestOf(event))).toEqual({ status: 200, body: { result: 'handled' } })
  expect(handled).toEqual([`created ${event.id} ada@example.com`])
  expect(errors).toEqual([])
})

test('a handler runs an event once, even if it is delivered repeatedly', async () => {
  const { handled, receive } = newReceiver({ seen: new Set<string>() })
  const event = newEvent()

  const bodies = [
    await receive(await requestOf(event)),
    await receive(await requestOf(event)),
    await receive(await requestOf(newEvent())),
  ].map(({ status, body }) => `${status} ${body.result}`)

  expect(bodies).toEqual(['200 handled', '200 seen', '200 handled'])
  expect(handled).toHaveLength(2)
})

test('a handler awaits an asynchronous event store', async () => {
  const stored = new Map<string, Date>()
  const seen = {
    has: async (id: string) => stored.has(id),
    add: async (id: string) => void stored.set(id, new Date()),
  }
  const { handled, receive } = newReceiver({ seen })
  const event = newEvent()

  await receive(await requestOf(event))
  await receive(await requestOf(event))

  expect([...stored.keys()]).toEqual([event.id])
  expect(handled).toHaveLength(1)
})

test('a handler that throws responds with 500 and stores nothing, so that the next attempt runs it again', async () => {
  const seen = new Set<string>()
  const databaseError = new Error('the database is unavailable')
  let attempts = 0
  const { errors, receive } = newReceiver({
    seen,
    on: {
      'customer.created': async () => {
        attempts += 1
        if (attempts === 1) throw databaseError
      },
    },
  })
  const event = newEvent()

  expect(await receive(await requestOf(event))).toEqual({ status: 500, body: { reason: 'handler_failed' } })
  expect([...seen]).toEqual([])
  expect(errors).toEqual([databaseError])
  expect((await receive(await requestOf(event))).body).toEqual({ result: 'handled' })
  expect([...seen]).toEqual([event.id])
})

test.each(['has', 'add'] as const)(
  'a handler does not claim success if %s of its event store fails',
  async (verb) => {
    const failing = () => Promise.reject(new Error('unavailable'))
    const seen = { has: () => false, add: () => {}, [verb]: failing }
    const { receive } = newReceiver({ seen })

    expect((await receive(await requestOf(newEvent()))).status).toBe(500)
  },
)

test('a handler passes all other types to otherwise, and ignores them without it', async () => {
  const others: string[] = []
  const { handled, receive } = newReceiver({ otherwise: ({ type }) => void others.push(type) })
  const unknown = newEvent('invoice.paid')

  expect((await receive(await requestOf(unknown))).body).toEqual({ result: 'handled' })
  expect((await receive(await requestOf(newEvent('customer.deleted')))).status).toBe(200)
  expect(others).toEqual(['invoice.paid', 'customer.deleted'])
  expect((await newReceiver().receive(await requestOf(unknown))).body).toEqual({ result: 'ignored' })
  // No event type has this name, but a careless property lookup would find something to run.
  expect((await newReceiver().receive(await requestOf(newEvent('constructor')))).body.result).toBe('ignored')
  expect(handled).toEqual([])
})

test('a handler responds with 400 and the reason, and neither returns nor logs a secret', async () => {
  const { handled, errors, receive } = newReceiver()
  const forged = new Request('https://example.com', {
    method: 'POST',
    ...(await signWebhook(newEvent(), 'whsec_c3dpdGNoeWFyZCB0ZXN0IHNlY3JldCBuby4gdGhyZWU=')),
  })
  const late = new Request('https://example.com', {
    method: 'POST',
    ...(await signWebhook(newEvent(), secret, { now: new Date(Date.now() - 301_000) })),
  })

  expect(await receive(forged)).toEqual({ status: 400, body: { reason: 'no_match' } })
  expect(await receive(late)).toEqual({ status: 400, body: { reason: 'stale' } })
  expect(await receive(new Request('https://example.com', { method: 'POST' }))).toEqual({
    status: 400,
    body: { reason: 'no_header' },
  })
  expect(handled).toEqual([])
  expect(errors).toHaveLength(3)
  expect(inspect(errors, { depth: 10 })).not.toContain(secret.slice(6, 20))
})

test('a handler rejects a captured webhook from which the webhook-* headers were removed', async () => {
  const { body, headers } = await signWebhook(newEvent(), secret)
  const stripped = { 'signature-digest': headers['signature-digest'] ?? '' }
  const replay = () => new Request('https://example.com', { method: 'POST', body, headers: stripped })
  const { handled, receive } = newReceiver()

  expect(await receive(replay())).toEqual({ status: 400, body: { reason: 'no_header' } })
  expect(handled).toEqual([])
  expect((await newReceiver({ signatureDigestOnly: true }).receive(replay())).status).toBe(200)
})

test('a handler accepts a webhook that waited in a queue, if any age is allowed', async () => {
  const { receive } = newReceiver({ toleranceSeconds: 0 })
  const signed = await signWebhook(newEvent(), secret, { now: new Date(Date.now() - 86_400_000) })

  const { status } = await receive(new Request('https://example.com', { method: 'POST', ...signed }))

  expect(status).toBe(200)
})

test('a handler accepts either secret during a rotation', async () => {
  const { receive } = newReceiver({ secret: [secret, older] })

  for (const keys of [[older], [secret], [secret, older]])
    expect((await receive(await requestOf(newEvent(), keys))).status).toBe(200)
})

test('a handler responds even if the error listener throws', async () => {
  const { receive } = newReceiver({
    onError: () => {
      throw new Error('the log is full')
    },
  })

  expect((await receive(new Request('https://example.com', { method: 'POST' }))).status).toBe(400)
})

test.each([undefined, '', 'not a secret', `${secret}\n`])(
  'a handler does not start with the secret %j',
  (invalidSecret) => {
    expect(() => webhookHandler({ secret: invalidSecret, on: {} })).toThrow(TypeError)
  },
)

test('the content of an event is typed in its handler', () => {
  const sy = new Switchyard({ token: 'sk_test_x' })
  const handler = sy.webhooks.handler({
    secret,
    on: {
      'customer.updated': (event) => {
        expectTypeOf(event.content.object).toEqualTypeOf<Customer>()
        expectTypeOf(event.content.previous?.email).toEqualTypeOf<string | null | undefined>()
        expectTypeOf(event.type).toEqualTypeOf<'customer.updated'>()
      },
    },
    otherwise: (event) => expectTypeOf(event).toEqualTypeOf<WebhookEvent>(),
  })
  // @ts-expect-error: there is no such type.
  const notExecuted = () => sy.webhooks.handler({ secret, on: { 'customer.creatd': () => {} } })

  expectTypeOf(handler).returns.resolves.toEqualTypeOf<Response>()
  expectTypeOf(notExecuted).toBeFunction()
})
