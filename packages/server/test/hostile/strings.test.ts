import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../support/switchyard.ts'
import { ask } from './support/ask.ts'
import { expectHarmless, expectPage } from './support/harmless.ts'
import { naughtyStrings } from './support/naughty-strings.ts'

const switchyard = await switchyardForThisFile()
const workspace = await switchyard.newWorkspace()

const send = (method: string, path: string, body?: object) =>
  ask(workspace.address, {
    method,
    path,
    token: workspace.token,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

/** The free texts of a customer and the number of characters that they hold. */
const freeTexts = [
  { characters: 500, put: (text: string) => ({ name: text }) },
  { characters: 5_000, put: (text: string) => ({ description: text }) },
  { characters: 50, put: (text: string) => ({ address: { ...noAddress, postal_code: text } }) },
  ...(['line1', 'line2', 'city', 'state'] as const).map((member) => ({
    characters: 500,
    put: (text: string) => ({ address: { ...noAddress, [member]: text } }),
  })),
  { characters: 100, put: (text: string) => ({ tax_ids: [{ type: 'eu_vat', value: text }] }) },
  { characters: 500, put: (text: string) => ({ metadata: { constructor: text } }) },
]
const noAddress = { line1: null, line2: null, city: null, state: null, postal_code: null, country: null }

test(`${naughtyStrings.length} naughty strings come back byte for byte, also inside the event, or are refused`, async () => {
  await eachOf(naughtyStrings, async (text) => {
    const fitting = freeTexts.filter(({ characters }) => [...text].length <= characters)
    const customer = Object.assign({}, ...fitting.map(({ put }) => put(text)))
    const created = await send('POST', '/customers', customer)
    expect(created, text).toMatchObject({ status: 201, body: customer })
    const { id } = created.body
    const read = await send('GET', `/customers/${id}`)
    expect(read.body, text).toEqual(created.body)
    const [told] = await workspace.eventsOf(id)
    expect(told.object, text).toEqual(created.body)

    for (const { put } of freeTexts.filter((one) => !fitting.includes(one))) {
      const refused = await send('PUT', `/customers/${id}`, put(text))
      expectHarmless(refused, text)
      expect(refused.body, text).toMatchObject({ errors: [{ code: 'too_long' }] })
    }
  })
})

/** Texts with a form of their own: most of the list is refused, and what is taken comes back as it was sent. */
const formed = [
  (text: string) => ({ email: text }),
  (text: string) => ({ phone: text }),
  (text: string) => ({ locale: text }),
  (text: string) => ({ address: { ...noAddress, country: text } }),
  (text: string) => ({ tax_ids: [{ type: text, value: '1' }] }),
  (text: string) => ({ metadata: Object.fromEntries([[text, 'value']]) }),
]

test('in texts with a form of their own they are refused, or come back as they were sent', async () => {
  await eachOf(naughtyStrings, async (text) => {
    const replies = await Promise.all(formed.map((put) => send('POST', '/customers', put(text))))
    for (const [place, reply] of replies.entries()) {
      expectHarmless(reply, text)
      const sent = formed[place]?.(text)
      if (reply.status < 300) expect(reply.body, text).toMatchObject(sent as object)
    }
  })
})

test('a change of one naughty string to the next is told with both of them', async () => {
  const id = await workspace.aCustomer({ name: 'first' })
  const names = naughtyStrings.filter((text) => [...text].length <= 500).slice(0, 99)
  for (const name of names) await send('PUT', `/customers/${id}`, { name })

  const [, ...told] = await workspace.eventsOf(id)

  expect(told.map((event: { object: { name: string } }) => event.object.name)).toEqual(names)
  expect(told.map((event: { previous: { name: string } }) => event.previous.name)).toEqual([
    'first',
    ...names.slice(0, -1),
  ])
})

test('in paths and queries they do no harm', async () => {
  const texts = [...naughtyStrings, '\0', 'a\0b'].filter(({ length }) => length < 1_000)
  await eachOf(texts, async (text) => {
    const encoded = encodeURIComponent(text)
    const replies = await Promise.all([
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
    for (const reply of replies) expectHarmless(reply, JSON.stringify(text))
    expectPage(await send('GET', `/docs/errors/${encoded}`), JSON.stringify(text))
  })
})

/** A few at a time: as many as the database has connections. */
async function eachOf(texts: readonly string[], check: (text: string) => Promise<void>): Promise<void> {
  const waiting = texts.values()
  const worker = async () => {
    for (const text of waiting) await check(text)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}
