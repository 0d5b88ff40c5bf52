import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../support/switchyard.ts'
import { naughtyStrings } from './support/naughty-strings.ts'
import { sendRawRequest } from './support/raw-request.ts'
import { expectPage, expectSafeResponse } from './support/response-expectations.ts'

const switchyard = await switchyardForThisFile()
const workspace = await switchyard.newWorkspace()

const send = (method: string, path: string, body?: object) =>
  sendRawRequest(workspace.address, {
    method,
    path,
    token: workspace.token,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

/** The free-text members of a customer with their maximum length. */
const freeTexts = [
  { maxLength: 500, toInput: (text: string) => ({ name: text }) },
  { maxLength: 5_000, toInput: (text: string) => ({ description: text }) },
  { maxLength: 50, toInput: (text: string) => ({ address: { ...noAddress, postal_code: text } }) },
  ...(['line1', 'line2', 'city', 'state'] as const).map((member) => ({
    maxLength: 500,
    toInput: (text: string) => ({ address: { ...noAddress, [member]: text } }),
  })),
  { maxLength: 100, toInput: (text: string) => ({ tax_ids: [{ type: 'eu_vat', value: text }] }) },
  { maxLength: 500, toInput: (text: string) => ({ metadata: { constructor: text } }) },
]
const noAddress = { line1: null, line2: null, city: null, state: null, postal_code: null, country: null }

test(`${naughtyStrings.length} naughty strings are returned unchanged in responses and events, or are rejected as too long`, async () => {
  await checkConcurrently(naughtyStrings, async (text) => {
    const withinLimit = freeTexts.filter(({ maxLength }) => [...text].length <= maxLength)
    const customer = Object.assign({}, ...withinLimit.map(({ toInput }) => toInput(text)))
    const created = await send('POST', '/customers', customer)
    expect(created, text).toMatchObject({ status: 201, body: customer })
    const { id } = created.body
    const read = await send('GET', `/customers/${id}`)
    expect(read.body, text).toEqual(created.body)
    const [event] = await workspace.eventsOf(id)
    expect(event.object, text).toEqual(created.body)

    for (const { toInput } of freeTexts.filter((member) => !withinLimit.includes(member))) {
      const rejected = await send('PUT', `/customers/${id}`, toInput(text))
      expectSafeResponse(rejected, text)
      expect(rejected.body, text).toMatchObject({ errors: [{ code: 'too_long' }] })
    }
  })
})

/** Members with a format, which rejects most of the strings. */
const formattedMembers = [
  (text: string) => ({ email: text }),
  (text: string) => ({ phone: text }),
  (text: string) => ({ locale: text }),
  (text: string) => ({ address: { ...noAddress, country: text } }),
  (text: string) => ({ tax_ids: [{ type: text, value: '1' }] }),
  (text: string) => ({ metadata: Object.fromEntries([[text, 'value']]) }),
]

test('members with a format reject naughty strings or return them unchanged', async () => {
  await checkConcurrently(naughtyStrings, async (text) => {
    const responses = await Promise.all(
      formattedMembers.map((toInput) => send('POST', '/customers', toInput(text))),
    )
    for (const [index, response] of responses.entries()) {
      expectSafeResponse(response, text)
      const sent = formattedMembers[index]?.(text)
      if (response.status < 300) expect(response.body, text).toMatchObject(sent as object)
    }
  })
})

test('a change from one naughty string to the next emits an event with both strings', async () => {
  const id = await workspace.aCustomer({ name: 'first' })
  const names = naughtyStrings.filter((text) => [...text].length <= 500).slice(0, 99)
  for (const name of names) await send('PUT', `/customers/${id}`, { name })

  const [, ...events] = await workspace.eventsOf(id)

  expect(events.map((event: { object: { name: string } }) => event.object.name)).toEqual(names)
  expect(events.map((event: { previous: { name: string } }) => event.previous.name)).toEqual([
    'first',
    ...names.slice(0, -1),
  ])
})

test('naughty strings in paths and queries get safe responses', async () => {
  const texts = [...naughtyStrings, '\0', 'a\0b'].filter(({ length }) => length < 1_000)
  await checkConcurrently(texts, async (text) => {
    const encoded = encodeURIComponent(text)
    const responses = await Promise.all([
      send('GET', `/customers/${encoded}`),
      send('GET', `/${encoded}`),
      send('GET', `/customers?email=${encoded}`),
      send('GET', `/events?type=${encoded}`),
      send('GET', `/events?object_id=${encoded}`),
      send('GET', `/customers?limit=${encoded}`),
      send('GET', `/customers?starting_after=${encoded}`),
      send('GET', `/customers?${encodeURIComponent('created_at[gt]')}=${encoded}`),
      send('GET', `/customers?${encoded}=1`),
    ])
    for (const response of responses) expectSafeResponse(response, JSON.stringify(text))
    expectPage(await send('GET', `/docs/errors/${encoded}`), JSON.stringify(text))
  })
})

/** Checks as many strings concurrently as the database has connections. */
async function checkConcurrently(
  texts: readonly string[],
  check: (text: string) => Promise<void>,
): Promise<void> {
  const remaining = texts.values()
  const worker = async () => {
    for (const text of remaining) await check(text)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}
