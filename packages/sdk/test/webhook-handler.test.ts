// What a receiver made with `webhookHandler` answers, and what it runs.

import { inspect } from 'node:util'
import { expect, expectTypeOf, test } from 'vitest'
import { type Customer, Switchyard, signWebhook, type WebhookEvent, webhookHandler } from '../src/index.ts'
import { anEvent, aReceiver, requestOf, secret } from './support/webhook-receiver.ts'

const older = 'whsec_q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s='

test('a handler runs the function of the type, and answers 200', async () => {
  const { ran, errors, receive } = aReceiver()
  const event = anEvent()

  expect(await receive(await requestOf(event))).toEqual({ status: 200, body: { result: 'handled' } })
  expect(ran).toEqual([`created ${event.id} ada@example.com`])
  expect(errors).toEqual([])
})

test('a handler runs an event once, however often it comes', async () => {
  const { ran, receive } = aReceiver({ seen: new Set<string>() })
  const event = anEvent()

  const bodies = [
    await receive(await requestOf(event)),
    await receive(await requestOf(event)),
    await receive(await requestOf(anEvent())),
  ].map(({ status, body }) => `${status} ${body.result}`)

  expect(bodies).toEqual(['200 handled', '200 seen', '200 handled'])
  expect(ran).toHaveLength(2)
})

test('a handler waits for what remembers, wherever it keeps it', async () => {
  const kept = new Map<string, Date>()
  const seen = {
    has: async (id: string) => kept.has(id),
    add: async (id: string) => void kept.set(id, new Date()),
  }
  const { ran, receive } = aReceiver({ seen })
  const event = anEvent()

  await receive(await requestOf(event))
  await receive(await requestOf(event))

  expect([...kept.keys()]).toEqual([event.id])
  expect(ran).toHaveLength(1)
})

test('a handler that throws answers 500 and remembers nothing, so that the next try runs it again', async () => {
  const seen = new Set<string>()
  const down = new Error('the database is away')
  let tries = 0
  const { errors, receive } = aReceiver({
    seen,
    on: {
      'customer.created': async () => {
        tries += 1
        if (tries === 1) throw down
      },
    },
  })
  const event = anEvent()

  expect(await receive(await requestOf(event))).toEqual({ status: 500, body: { reason: 'handler_failed' } })
  expect([...seen]).toEqual([])
  expect(errors).toEqual([down])
  expect((await receive(await requestOf(event))).body).toEqual({ result: 'handled' })
  expect([...seen]).toEqual([event.id])
})

test.each(['has', 'add'] as const)(
  'a handler does not claim success if %s of what remembers fails',
  async (verb) => {
    const failing = () => Promise.reject(new Error('away'))
    const seen = { has: () => false, add: () => {}, [verb]: failing }
    const { receive } = aReceiver({ seen })

    expect((await receive(await requestOf(anEvent()))).status).toBe(500)
  },
)

test('a handler gives all other types to otherwise, and ignores them without it', async () => {
  const others: string[] = []
  const { ran, receive } = aReceiver({ otherwise: ({ type }) => void others.push(type) })
  const unknown = anEvent('invoice.paid')

  expect((await receive(await requestOf(unknown))).body).toEqual({ result: 'handled' })
  expect((await receive(await requestOf(anEvent('customer.deleted')))).status).toBe(200)
  expect(others).toEqual(['invoice.paid', 'customer.deleted'])
  expect((await aReceiver().receive(await requestOf(unknown))).body).toEqual({ result: 'ignored' })
  // No type is called so, but a lookup that is not careful would find something to run.
  expect((await aReceiver().receive(await requestOf(anEvent('constructor')))).body.result).toBe('ignored')
  expect(ran).toEqual([])
})

test('a handler answers what it refuses with 400 and the reason, and neither tells nor logs a secret', async () => {
  const { ran, errors, receive } = aReceiver()
  const forged = new Request('https://example.com', {
    method: 'POST',
    ...(await signWebhook(anEvent(), 'whsec_c3dpdGNoeWFyZCB0ZXN0IHNlY3JldCBuby4gdGhyZWU=')),
  })
  const late = new Request('https://example.com', {
    method: 'POST',
    ...(await signWebhook(anEvent(), secret, { now: new Date(Date.now() - 301_000) })),
  })

  expect(await receive(forged)).toEqual({ status: 400, body: { reason: 'no_match' } })
  expect(await receive(late)).toEqual({ status: 400, body: { reason: 'stale' } })
  expect(await receive(new Request('https://example.com', { method: 'POST' }))).toEqual({
    status: 400,
    body: { reason: 'no_header' },
  })
  expect(ran).toEqual([])
  expect(errors).toHaveLength(3)
  expect(inspect(errors, { depth: 10 })).not.toContain(secret.slice(6, 20))
})

test('a handler takes what waited in a queue, if any age is allowed', async () => {
  const { receive } = aReceiver({ toleranceSeconds: 0 })
  const signed = await signWebhook(anEvent(), secret, { now: new Date(Date.now() - 86_400_000) })

  const { status } = await receive(new Request('https://example.com', { method: 'POST', ...signed }))

  expect(status).toBe(200)
})

test('a handler takes either secret while they rotate', async () => {
  const { receive } = aReceiver({ secret: [secret, older] })

  for (const keys of [[older], [secret], [secret, older]])
    expect((await receive(await requestOf(anEvent(), keys))).status).toBe(200)
})

test('a handler answers even if the listener of errors throws', async () => {
  const { receive } = aReceiver({
    onError: () => {
      throw new Error('the log is full')
    },
  })

  expect((await receive(new Request('https://example.com', { method: 'POST' }))).status).toBe(400)
})

test.each([undefined, '', 'not a secret', `${secret}\n`])(
  'a handler does not start with the secret %j',
  (wrong) => {
    expect(() => webhookHandler({ secret: wrong, on: {} })).toThrow(TypeError)
  },
)

test('a handler knows what each type carries', () => {
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
  const never = () => sy.webhooks.handler({ secret, on: { 'customer.creatd': () => {} } })

  expectTypeOf(handler).returns.resolves.toEqualTypeOf<Response>()
  expectTypeOf(never).toBeFunction()
})
