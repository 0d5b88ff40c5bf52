import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, expectTypeOf, test } from 'vitest'
import { simulatorForThisFile } from '../../server/test/support/simulator.ts'
import { switchyardForThisFile } from '../../server/test/support/switchyard.ts'
import {
  type Answered,
  type Customer,
  type ErrorCode,
  type Event,
  type EventOf,
  type Payment,
  Switchyard,
  type SwitchyardError,
  type TypedEvent,
  type UnknownOutcomeError,
  unknownEvent,
  verifyWebhook,
} from '../src/index.ts'
import { compile } from './support/compile.ts'
import { callEveryOperation } from './support/every-operation.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
const entry = resolve(import.meta.dirname, '../src/index.ts')
const document = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../../openapi.json'), 'utf8'))

type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly properties?: { readonly [name: string]: Schema }
  readonly items?: Schema
}

/** A value of the schema, built from the examples of the document. */
function exampleOf(schema: Schema): unknown {
  if (schema.$ref !== undefined)
    return exampleOf(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''])
  if (schema.properties !== undefined)
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, member]) => [name, exampleOf(member)]),
    )
  if (schema.items !== undefined) return [exampleOf(schema.items)]
  const placeholders: Record<string, unknown> = { string: 'text', integer: 1, boolean: true, object: {} }
  return (
    schema.examples?.[0] ??
    schema.const ??
    schema.enum?.[0] ??
    placeholders[[schema.type ?? 'object'].flat()[0] ?? '']
  )
}

type Typed = { readonly type: string; readonly value: unknown }

function sourceOf(values: readonly Typed[]): string {
  const lines = values.map(
    ({ type, value }, index) => `export const v${index}: ${type} = ${JSON.stringify(value)}`,
  )
  return [`import type * as api from ${JSON.stringify(entry)}`, ...lines].join('\n')
}

const responseType = (id: string) => `api.Operations['${id}']['answer']`
const bodyType = (id: string) => `api.Operations['${id}']['body']`

test('every example of the document matches its type', () => {
  const methods: Record<string, never>[] = Object.values(document.paths)
  const operations = methods.flatMap((operation) => Object.values(operation)) as {
    operationId: string
    requestBody?: { content: { 'application/json': { schema: Schema } } }
    responses: Record<
      string,
      { content: { 'application/json'?: { schema: Schema }; 'text/event-stream'?: { 'x-data': Schema } } }
    >
  }[]
  // A response that is a document is binary, and has no example.
  const jsonOperations = operations.filter(
    ({ responses }) => !/application\/(pdf|xml)/.test(Object.keys(responses[200]?.content ?? {}).join()),
  )
  const values = jsonOperations.flatMap(({ operationId, requestBody, responses }) => {
    const content = (responses[200] ?? responses[201] ?? responses[202])?.content
    const response = content?.['application/json']?.schema ?? content?.['text/event-stream']?.['x-data'] ?? {}
    const body = requestBody?.content['application/json']?.schema
    return [
      { type: responseType(operationId), value: exampleOf(response) },
      ...(body === undefined ? [] : [{ type: bodyType(operationId), value: exampleOf(body) }]),
    ]
  })

  expect(values.length).toBeGreaterThan(operations.length)
  expect(compile(sourceOf(values))).toBe('')
})

test('every real response matches its type, without unknown members', async () => {
  const {
    address: baseUrl,
    token,
    anInvoice,
    aCampaign,
    aDispute,
    anExport,
    anEmail,
    aCancellationRequest,
    aPerson,
    aSettlementLine,
  } = await switchyard.newWorkspace()
  const sy = new Switchyard({ token, baseUrl })
  const factories = {
    anInvoice,
    aCampaign,
    aDispute,
    anExport,
    anEmail,
    aCancellationRequest,
    aPerson,
    aSettlementLine,
  }
  const responses = await callEveryOperation(sy, switchyard.flushRequestLog, factories)
  const problem = await sy.customers
    .create({ email: 'nobody' })
    .catch((error: SwitchyardError) => error.problem)
  const [event] = responses['events.list'].data
  const content = sy.events.contentOf(event as Event)
  const values = [
    ...Object.entries(responses)
      .filter(([, value]) => !(value instanceof Uint8Array))
      .map(([id, value]) => ({ type: responseType(id), value })),
    { type: 'api.Problem', value: problem },
    { type: "api.ContentOf<'customer.updated'>", value: content },
  ]

  expect(compile(sourceOf(values))).toBe('')
  const extra = { type: 'api.Problem', value: { ...(problem as object), undeclared: 1 } }
  expect(compile(sourceOf([...values, extra]))).toContain('"undeclared"')
})

test('requests that the API schema rejects do not compile', () => {
  const sy = new Switchyard({ token: 'sk_test_x' })
  const notExecuted = () => [
    // @ts-expect-error: there is no such member.
    sy.customers.create({ nme: 'Ada' }),
    // @ts-expect-error: metadata values are strings.
    sy.customers.create({ metadata: { order: 4711 } }),
    // @ts-expect-error: the name of a token is required.
    sy.apiTokens.create({ role: 'ADMIN' }),
    // @ts-expect-error: there is no such role.
    sy.apiTokens.create({ name: 'x', role: 'OWNER' }),
    // @ts-expect-error: customers cannot be found by name.
    sy.customers.list({ name: 'Ada' }),
    // @ts-expect-error: a read has no key.
    sy.customers.get('x', { idempotencyKey: 'k' }),
    // @ts-expect-error: only updates and deletions accept ifMatch.
    sy.customers.create({}, { ifMatch: '"1"' }),
    // Times may be dates, and members may be undefined: both are common in callers.
    sy.apiTokens.create({ name: 'x', role: 'ADMIN', expires_at: new Date() }),
    sy.customers.create({ name: undefined, email: null }),
  ]
  expectTypeOf(notExecuted).toBeFunction()
})

test('responses, errors and contents have the types that a caller needs', () => {
  const sy = new Switchyard({ token: 'sk_test_x' })

  expectTypeOf(sy.customers.get).returns.resolves.toEqualTypeOf<Answered<Customer>>()
  expectTypeOf(sy.customers.list).returns.toExtend<AsyncIterable<Customer>>()
  expectTypeOf<'idempotency_key_in_use'>().toExtend<ErrorCode>()
  expectTypeOf<'no_such_code'>().not.toExtend<ErrorCode>()
  expectTypeOf<SwitchyardError['idempotencyKey']>().toEqualTypeOf<string | null>()
  expectTypeOf<UnknownOutcomeError['idempotencyKey']>().toEqualTypeOf<string>()
  const handle = (event: Event) => {
    const content = sy.events.contentOf(event)
    return content.type === 'customer.updated' ? content.previous?.email : content.object.id
  }
  expectTypeOf(handle).returns.toEqualTypeOf<string | null | undefined>()
})

test('the type of an event determines the type of its object, wherever the event comes from', async () => {
  const sy = new Switchyard({ token: 'sk_test_x' })
  const handle = (event: TypedEvent) => {
    if (event.type === 'payment.succeeded') expectTypeOf(event.content.object).toEqualTypeOf<Payment>()
    if (event.type === 'customer.updated')
      expectTypeOf(event.content.previous).toEqualTypeOf<Partial<Customer> | undefined>()
    // @ts-expect-error: not every object has an e-mail address.
    return event.content.object.email
  }

  expectTypeOf(sy.events.get).returns.resolves.toExtend<TypedEvent>()
  expectTypeOf(sy.events.list).returns.toExtend<AsyncIterable<TypedEvent>>()
  expectTypeOf(sy.events.stream).returns.toExtend<AsyncIterable<TypedEvent>>()
  expectTypeOf(verifyWebhook).returns.resolves.toEqualTypeOf<TypedEvent>()
  expectTypeOf<TypedEvent>().toExtend<Event>()
  const streamed = async () => {
    for await (const event of sy.events.stream()) {
      handle(event)
      if (event.type === 'payment.succeeded') return event.content.object.amount
    }
    return 0
  }
  expectTypeOf(streamed).returns.resolves.toEqualTypeOf<number>()
})

test('a switch over every event type compiles, an incomplete switch does not, and an unknown type does not throw', () => {
  type Ended = EventOf<'payment.succeeded' | 'payment.failed'>
  const complete = (event: Ended) => {
    switch (event.type) {
      case 'payment.succeeded':
        return event.content.object.amount_captured
      case 'payment.failed':
        return event.content.object.amount
      default:
        return unknownEvent(event).type
    }
  }
  const incomplete = (event: Ended) => {
    switch (event.type) {
      case 'payment.succeeded':
        return ''
      default:
        // @ts-expect-error: payment.failed has no case.
        return unknownEvent(event).type
    }
  }
  const newer = { type: 'payment.teleported', content: { object: {} } } as unknown as Ended

  expect([complete(newer), incomplete(newer)]).toEqual(['payment.teleported', 'payment.teleported'])
})
