// The documentation of each event type is correct: samples in the OpenAPI document and in the reference, and
// real events, match the schema of the type.

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

/** Validates a value against a schema of the OpenAPI document. */
function findViolations(schema: object, value: unknown): unknown[] {
  const completeSchema = { ...schema, components: document.components }
  const validate = validator({ schema: completeSchema, method: 'POST', url: '/', httpPart: 'body' } as never)
  validate(value)
  return (validate as unknown as { errors: unknown[] | null }).errors ?? []
}

const noPages = { invoicePage: () => null, cardPage: () => null }
const bodyOf = (type: string) => document.webhooks[type].post.requestBody.content['application/json']
const contentSchemaOf = (type: string) => bodyOf(type).schema.allOf[1].properties.data.contentSchema

test.each(eventTypes)('$type: the sample matches its schema', (event) => {
  const { data } = exampleRecord(event, '2026-11-14')
  const content = JSON.parse(data)

  expect(findViolations(contentSchemaOf(event.type), content)).toEqual([])
  expect(content).toMatchObject({ type: event.type, mode: 'test' })
  expect(content.object.id).toMatch(new RegExp(`^${content.object.object}_test_`))
  if ('previous' in content) expect(Object.keys(content.previous)).not.toEqual([])
})

test.each(eventTypes)(
  '$type: the sample has ids of the requested mode, and a new id if one is passed',
  (event) => {
    const { change } = exampleOf(event, 'live')
    const uuid = idMaker(new Date(), 7)()
    const newId = (kind: Kind) => idFromUuid(kind, 'live', uuid) as Id<Kind>
    const { event: definition, change: withNewId } = exampleOf(event, 'live', newId)

    expect(modeOf(change.after.id)).toBe('live')
    expect(JSON.stringify(change.after.wire)).not.toMatch(/_test_[0-9A-Z]{26}/)
    const object = definition.present(withNewId.after, noPages) as { id: string; object: Kind }
    expect(parseId(object.object, 'live', object.id)).toBe(newId(object.object))
    expect(withNewId.after.id).toBe(object.id)
  },
)

test.each(eventTypes)(
  '$type: the OpenAPI document describes the whole request and has an example',
  ({ type, about }) => {
    const { post } = document.webhooks[type]
    const { schema, example } = bodyOf(type)
    const resolveRef = (ref: string) => document.components[ref.split('/')[2] ?? ''][ref.split('/')[3] ?? '']

    expect(post).toMatchObject({ operationId: type, summary: about, security: [] })
    expect(findViolations(schema, example)).toEqual([])
    expect(findViolations(schema, { ...example, type: 'another.type' })).not.toEqual([])
    expect(findViolations(contentSchemaOf(type), JSON.parse(example.data))).toEqual([])
    expect(findViolations(contentSchemaOf(type), { ...JSON.parse(example.data), object: {} })).not.toEqual([])
    expect(post.parameters.map(({ $ref }: { $ref: string }) => resolveRef($ref).name)).toEqual([
      'signature-digest',
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
      'switchyard-delivery',
      'switchyard-attempt',
    ])
    expect(Object.keys(post.responses)).toEqual(['410', '429', '503', '2XX', 'default'])
    for (const { $ref } of Object.values<{ $ref: string }>(post.responses))
      expect(resolveRef($ref).description).toMatch(/\S/)
  },
)

test.each(eventTypes)('$type has a page with its sample in the reference, and a row in the list', (event) => {
  const page = join(root, `docs/reference/events/${event.type}.md`)
  const list = readFileSync(join(root, 'docs/reference/events/README.md'), 'utf8')

  expect(existsSync(page), 'Run `npm run generate`.').toBe(true)
  const text = readFileSync(page, 'utf8')
  const [sample] = fencesOf(text).filter(({ info }) => info === 'json')
  expect(JSON.parse(sample?.text ?? '')).toEqual(JSON.parse(exampleRecord(event, '2026-11-14').data))
  expect(text).toContain(event.about)
  expect(list).toContain(`| [\`${event.type}\`](${event.type}.md) | ${event.about} |`)
})

test('the API lists every event type once', async () => {
  const { get } = await switchyard.newWorkspace()
  const { body } = await get('/event-types')
  const listed = body.data.map(({ type }: { type: string }) => type)

  expect(listed).toEqual(eventTypes.map(({ type }) => type))
  expect(new Set(listed).size).toBe(listed.length)
  expect(Object.keys(document.webhooks)).toEqual(listed)
})

test('real events match their documentation', async () => {
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
    expect(findViolations(contentSchemaOf(content.type), content)).toEqual([])
    const sample = JSON.parse(bodyOf(content.type).example.data)
    expect([content.type, ...Object.keys(content)]).toEqual([content.type, ...Object.keys(sample)])
  }
})
