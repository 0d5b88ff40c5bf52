// What is said of each type of event is true: its sample fits its schema, in the document and in the
// reference, and so do the events that really happen.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AjvCompiler } from '@fastify/ajv-compiler'
import { expect, test } from 'vitest'
import { documentOf } from '../../src/app.ts'
import type { Deps } from '../../src/deps.ts'
import { eventTypes } from '../../src/event-types.ts'
import { type Id, idFromUuid, idMaker, type Kind, modeOf, parseId } from '../../src/kernel/id.ts'
import { operationsOf } from '../../src/operations.ts'
import { exampleOf, exampleRecord } from '../../src/platform/db/event-example.ts'
import { validatorOptions } from '../../src/platform/http/validation.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'
import { fencesOf } from './support/markdown.ts'
import { root } from './support/repository.ts'

const switchyard = await switchyardForThisFile()
const document = JSON.parse(JSON.stringify(documentOf(operationsOf({} as Deps))))
const validator = AjvCompiler()({}, validatorOptions({ coerceTypes: false }))

/** What the document's schema has against the value. */
function faultsOf(schema: object, value: unknown): unknown[] {
  const whole = { ...schema, components: document.components }
  const validate = validator({ schema: whole, method: 'POST', url: '/', httpPart: 'body' } as never)
  validate(value)
  return (validate as unknown as { errors: unknown[] | null }).errors ?? []
}

const bodyOf = (type: string) => document.webhooks[type].post.requestBody.content['application/json']
const contentSchemaOf = (type: string) => bodyOf(type).schema.allOf[1].properties.data.contentSchema

test.each(eventTypes)('$type: the sample fits its schema', (event) => {
  const { data } = exampleRecord(event, '2026-11-14')
  const content = JSON.parse(data)

  expect(faultsOf(contentSchemaOf(event.type), content)).toEqual([])
  expect(content).toMatchObject({ type: event.type, mode: 'test' })
  expect(content.object.id).toMatch(new RegExp(`^${content.object.object}_test_`))
  if ('previous' in content) expect(Object.keys(content.previous)).not.toEqual([])
})

test.each(eventTypes)('$type: the sample has ids of the mode, and a new one if asked for', (event) => {
  const { change } = exampleOf(event, 'live')
  const uuid = idMaker(new Date(), 7)()
  const newId = (kind: Kind) => idFromUuid(kind, 'live', uuid) as Id<Kind>
  const { event: definition, change: fresh } = exampleOf(event, 'live', newId)

  expect(modeOf(change.after.id)).toBe('live')
  expect(JSON.stringify(change.after.wire)).not.toMatch(/_test_[0-9A-Z]{26}/)
  const object = definition.present(fresh.after) as { id: string; object: Kind }
  expect(parseId(object.object, 'live', object.id)).toBe(newId(object.object))
  expect(fresh.after.id).toBe(object.id)
})

test.each(eventTypes)('$type: the document describes the whole request, and shows it', ({ type, about }) => {
  const { post } = document.webhooks[type]
  const { schema, example } = bodyOf(type)
  const named = (ref: string) => document.components[ref.split('/')[2] ?? ''][ref.split('/')[3] ?? '']

  expect(post).toMatchObject({ operationId: type, summary: about, security: [] })
  expect(faultsOf(schema, example)).toEqual([])
  expect(faultsOf(schema, { ...example, type: 'another.type' })).not.toEqual([])
  expect(faultsOf(contentSchemaOf(type), JSON.parse(example.data))).toEqual([])
  expect(faultsOf(contentSchemaOf(type), { ...JSON.parse(example.data), object: {} })).not.toEqual([])
  expect(post.parameters.map(({ $ref }: { $ref: string }) => named($ref).name)).toEqual([
    'signature-digest',
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
    'switchyard-delivery',
    'switchyard-attempt',
  ])
  expect(Object.keys(post.responses)).toEqual(['410', '429', '503', '2XX', 'default'])
  for (const { $ref } of Object.values<{ $ref: string }>(post.responses))
    expect(named($ref).description).toMatch(/\S/)
})

test.each(eventTypes)(
  '$type: has a page in the reference, with its sample, and a row in the list',
  (event) => {
    const page = join(root, `docs/reference/events/${event.type}.md`)
    const list = readFileSync(join(root, 'docs/reference/events/README.md'), 'utf8')

    expect(existsSync(page), 'Run `npm run generate`.').toBe(true)
    const text = readFileSync(page, 'utf8')
    const [sample] = fencesOf(text).filter(({ info }) => info === 'json')
    expect(JSON.parse(sample?.text ?? '')).toEqual(JSON.parse(exampleRecord(event, '2026-11-14').data))
    expect(text).toContain(event.about)
    expect(list).toContain(`| [\`${event.type}\`](${event.type}.md) | ${event.about} |`)
  },
)

test('the types are those that the API lists, each once', async () => {
  const { get } = await switchyard.newWorkspace()
  const { body } = await get('/event-types')
  const listed = body.data.map(({ type }: { type: string }) => type)

  expect(listed).toEqual(eventTypes.map(({ type }) => type))
  expect(new Set(listed).size).toBe(listed.length)
  expect(Object.keys(document.webhooks)).toEqual(listed)
})

test('events that really happen fit what is said of them', async () => {
  const { put, post, delete: del, aCustomer, eventsOf } = await switchyard.newWorkspace()
  const customer = await aCustomer({
    address: { country: 'GB' },
    tax_ids: [{ type: 'eu_vat', value: 'DE1' }],
  })
  await put(`/customers/${customer}`, { name: 'Ada' })
  await del(`/customers/${customer}`)
  const url = 'https://shop.example.com/webhooks'
  const { body: endpoint } = await post('/webhook-endpoints', { url, event_types: ['*'] })
  const path = `/webhook-endpoints/${endpoint.id}`
  await put(path, { name: 'Shop', url: `${url}/2` })
  for (const verb of ['disable', 'enable', 'rotate_secret']) await post(`${path}/${verb}`, {})
  await del(path)

  const config = { base_url: 'https://psp.example.com' }
  const { body: account } = await post('/provider-accounts', {
    provider: 'custom',
    display_name: 'Our acquirer',
    config,
  })
  const accountPath = `/provider-accounts/${account.id}`
  await post(`${accountPath}/disable`)
  await post(`${accountPath}/hold`, { reason: 'Maintenance', until_at: '2036-11-14T12:00:00.000Z' })
  await post(`${accountPath}/release`)

  const ids = [customer, endpoint.id, account.id]
  const contents = (await Promise.all(ids.map(eventsOf))).flat()

  expect(contents.map(({ type }) => type)).toEqual([
    ...['created', 'updated', 'deleted'].map((verb) => `customer.${verb}`),
    ...['created', 'updated', 'disabled', 'enabled', 'secret_rotated', 'deleted'].map(
      (verb) => `webhook_endpoint.${verb}`,
    ),
    ...['created', 'updated', 'held', 'released'].map((verb) => `provider_account.${verb}`),
  ])
  for (const content of contents) {
    expect(faultsOf(contentSchemaOf(content.type), content)).toEqual([])
    const sample = JSON.parse(bodyOf(content.type).example.data)
    expect([content.type, ...Object.keys(content)]).toEqual([content.type, ...Object.keys(sample)])
  }
})
