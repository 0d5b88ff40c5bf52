// The 3-D Secure page of the payer's bank. Its buttons only store a result: the operation ends when `complete` is called.

import { afterAll, expect, test } from 'vitest'
import { cardNumberForScenario } from '../src/cards.ts'
import { startSimulator } from '../src/index.ts'
import { charge, type Merchant, newMerchant } from './support/merchant.ts'

const simulator = await startSimulator()
afterAll(() => simulator.stop())

async function newChallenge(merchant: Merchant, scenario: string, changes = {}) {
  const request = charge(cardNumberForScenario(scenario), changes)
  const { body } = await merchant.put(request)
  return { reference: request.reference, record: body, url: body.action?.url ?? '' }
}

async function pressButton(url: string, result: string) {
  const response = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ result }),
    redirect: 'manual',
  })
  const location = response.headers.get('location')
  const params = location === null ? {} : Object.fromEntries(new URL(location).searchParams)
  return { status: response.status, location, params }
}

test('the payer is redirected to a page with three buttons, on the simulator itself', async () => {
  const merchant = await newMerchant(simulator.url)
  const { record, url } = await newChallenge(merchant, '3000')

  const page = await fetch(url)
  const html = await page.text()

  expect(record).toMatchObject({ status: 'action_required', action: { type: 'redirect' } })
  expect(url.startsWith(`${simulator.url}/${merchant.account}/3ds/`)).toBe(true)
  expect(page.headers.get('content-type')).toContain('text/html')
  for (const result of ['approve', 'fail', 'leave']) expect(html).toContain(`value="${result}"`)
  expect(await merchant.facts()).toEqual([])
})

// biome-ignore format: a table.
test.each([
  ['3000', 'approve', 'succeeded', undefined],
  ['3000', 'fail',    'declined',  'authentication_failed'],
  ['3001', 'approve', 'declined',  'authentication_failed'],
  ['3003', 'approve', 'succeeded', undefined],
])('card %s, button %s: complete returns %s', async (scenario, result, status, code) => {
  const merchant = await newMerchant(simulator.url)
  const { reference, url } = await newChallenge(merchant, scenario)

  const { status: redirect, location, params } = await pressButton(url, result)
  expect(redirect).toBe(303)
  expect(location).toContain('http://shop.example/return?order=7&reference=')
  expect(await merchant.facts()).toEqual([])
  const completed = await merchant.complete(reference, params)

  expect(completed.body.status).toBe(status)
  expect(completed.body.decline?.code).toBe(code)
  expect(await merchant.facts()).toHaveLength(status === 'succeeded' ? 1 : 0)
  expect(await merchant.complete(reference, params)).toEqual(completed)
})

test('return parameters without the secret have no effect', async () => {
  const merchant = await newMerchant(simulator.url)
  const { reference, url, record } = await newChallenge(merchant, '3000')

  expect((await merchant.complete(reference, { result: 'approve' })).body).toEqual(record)
  await pressButton(url, 'approve')
  expect((await merchant.complete(reference, { challenge: 'guessed' })).body).toEqual(record)
  expect(await merchant.facts()).toEqual([])
})

test('a payer who leaves can return', async () => {
  const merchant = await newMerchant(simulator.url)
  const { reference, url } = await newChallenge(merchant, '3000')

  expect(await pressButton(url, 'leave')).toMatchObject({ status: 200, location: null })
  const { params } = await pressButton(url, 'approve')

  expect((await merchant.complete(reference, params)).body.status).toBe('succeeded')
})

test('a challenge is abandoned if the payer does not return within 30 minutes', async () => {
  const merchant = await newMerchant(simulator.url)
  const { reference, url } = await newChallenge(merchant, '3003')
  await merchant.advance(30 * 60_000)

  expect((await merchant.lookUp(reference)).body).toMatchObject({
    status: 'declined',
    decline: { code: 'authentication_abandoned' },
  })
  expect((await fetch(url)).status).toBe(404)
})

test('the page of a closed operation is gone', async () => {
  const merchant = await newMerchant(simulator.url)
  const { reference, url } = await newChallenge(merchant, '3000')
  const { params } = await pressButton(url, 'approve')

  expect((await merchant.close(reference)).body.status).toBe('closed')
  expect((await merchant.complete(reference, params)).body.status).toBe('closed')
  expect((await fetch(url)).status).toBe(404)
})

test.each([
  ['3000', 303, 'succeeded'],
  ['3001', 303, 'declined'],
  ['3003', 200, 'action_required'],
])('%s completes automatically if `challenge` is `auto`', async (scenario, status, end) => {
  const merchant = await newMerchant(simulator.url, { challenge: 'auto' })
  const { reference, url } = await newChallenge(merchant, scenario)

  const response = await fetch(url, { redirect: 'manual' })
  const location = response.headers.get('location') ?? 'http://shop.example'
  const completed = await merchant.complete(reference, Object.fromEntries(new URL(location).searchParams))

  expect(response.status).toBe(status)
  expect(completed.body.status).toBe(end)
})

test('HTML in a reference is escaped in the page', async () => {
  const merchant = await newMerchant(simulator.url)
  const reference = '"><script>alert(1)</script>'
  const request = { ...charge(cardNumberForScenario('3000')), reference }
  const { body } = await merchant.call('PUT', `operations/${encodeURIComponent(reference)}`, request)

  const html = await (await fetch(body.action?.url ?? '')).text()

  expect(html).toContain('&lt;script>')
  expect(html).not.toContain('<script>')
})
