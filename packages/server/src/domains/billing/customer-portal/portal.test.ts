// Tests the customer portal over HTTP, as a customer’s browser uses it: its pages, the changes that it makes,
// and that a session accesses only the objects of its own customer.

import { expect, test, vi } from 'vitest'
import { cards, payerAt } from '../../../../test/support/checkout.ts'
import { aPrice, aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'

vi.setConfig({ testTimeout: 30_000 })

const { clock, settle, aPayer, newWorkspace } = await subscriptionsForThisFile()

async function aSubscriber(workspace: Workspace, members: object = {}) {
  const { customerId } = await aPayer(workspace)
  await workspace.put(`/customers/${customerId}`, {
    email: 'ada@example.com',
    name: 'Ada <Lovelace>',
    ...members,
  })
  const { id: subscriptionId } = await aSubscription(workspace, { customer_id: customerId })
  await settle()
  return { customerId, subscriptionId }
}

async function openPortal({ post }: Workspace, customer_id: string, members: object = {}) {
  const { status, body } = await post('/portal-sessions', { customer_id, ...members })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.url as string
}

const fetchPage = async (url: string, init: RequestInit = {}) => {
  const response = await fetch(url, { redirect: 'manual', ...init })
  const html = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    html,
    location: response.headers.get('location'),
  }
}

const submit = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetchPage(url, { method: 'POST', headers, body: new URLSearchParams(fields) })

const tokenIn = (html: string) => /name="preview_token" value="([^"]+)"/.exec(html)?.[1] as string

/** Opens the preview of a change, and confirms it. */
async function change(
  url: string,
  subscriptionId: string,
  action: string,
  fields: Record<string, string> = {},
) {
  const page = `${url}/subscriptions/${subscriptionId}/${action}`
  const preview = await fetchPage(`${page}?${new URLSearchParams(fields)}`)
  expect(preview.status, preview.html).toBe(200)
  return { preview, result: await submit(page, { ...fields, preview_token: tokenIn(preview.html) }) }
}

test('the overview shows subscriptions, cards, invoices and details; the URL is shown once and expires after 30 minutes', async () => {
  const workspace = await newWorkspace()
  const { customerId } = await aSubscriber(workspace)
  const { body } = await workspace.post('/portal-sessions', {
    customer_id: customerId,
    return_url: 'https://shop.example.com/account',
  })
  expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(30 * 60_000)

  const { status, headers, html } = await fetchPage(body.url)
  expect(status).toBe(200)
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  for (const text of [
    'Team plan',
    'Renews on',
    '$29.99',
    'Visa •••• 4242',
    'View invoice',
    'Ada &lt;Lovelace&gt;',
    'ada@example.com',
    'https://shop.example.com/account',
  ])
    expect(html.includes(text), text).toBe(true)
  expect(html).not.toContain('<script')
  const wrongSecret = body.url.slice(0, -2) + (body.url.endsWith('AA') ? 'BA' : 'AA')
  expect((await fetchPage(wrongSecret)).status).toBe(404)

  clock.advance({ minutes: 31 })
  const expired = await fetchPage(body.url, { headers: { 'accept-language': 'de-DE,de;q=0.9' } })
  expect(expired.html).toContain('Diese Seite ist abgelaufen')
  expect(expired.html).not.toContain('ada@example.com')
  expect((await submit(`${body.url}/details`, { email: 'eve@example.com' })).html).toContain('has expired')
  expect((await workspace.get(`/customers/${customerId}`)).body.email).toBe('ada@example.com')
})

test('a customer schedules a cancellation and undoes it; each change is previewed', async () => {
  const workspace = await newWorkspace()
  const { customerId, subscriptionId } = await aSubscriber(workspace)
  const url = await openPortal(workspace, customerId)

  const { preview, result } = await change(url, subscriptionId, 'cancel')
  expect(preview.html).toContain('Ends on')
  expect(preview.html).toMatch(/Charged now<\/th><td>\$0\.00/)
  expect([result.status, result.location]).toEqual([303, `${url}?notice=saved`])
  const read = async () => (await workspace.get(`/subscriptions/${subscriptionId}`)).body
  expect(await read()).toMatchObject({
    status: 'active',
    scheduled_change: { action: 'cancel', at: 'period_end' },
  })
  expect((await fetchPage(`${url}?notice=saved`)).html).toContain('Your change is saved.')

  await change(url, subscriptionId, 'keep')
  expect(await read()).toMatchObject({ status: 'active', scheduled_change: null })
  // Pausing is switched off.
  const pause = await fetchPage(`${url}/subscriptions/${subscriptionId}/pause`)
  expect([pause.status, pause.location]).toEqual([303, `${url}?notice=impossible`])
  await workspace.put('/portal-configuration', { pause: true, cancel: false })
  await change(url, subscriptionId, 'pause')
  expect(await read()).toMatchObject({ scheduled_change: { action: 'pause' } })
  await workspace.put(`/subscriptions/${subscriptionId}/pause`, { at: 'now' })
  await change(url, subscriptionId, 'resume')
  await settle()
  expect(await read()).toMatchObject({ status: 'active' })
  expect((await submit(`${url}/subscriptions/${subscriptionId}/cancel`, {})).location).toBe(
    `${url}?notice=impossible`,
  )
})

test('switching the plan charges what the preview shows; an outdated preview is shown again', async () => {
  const workspace = await newWorkspace()
  const { customerId, subscriptionId } = await aSubscriber(workspace)
  const larger = await aPrice(workspace, { unit_amount: 5999 })
  const other = await aPrice(workspace, { unit_amount: 9999 })
  await workspace.put('/portal-configuration', { switch_plan: { price_ids: [larger] } })
  const url = await openPortal(workspace, customerId, {
    flow: { type: 'switch', subscription_id: subscriptionId },
  })
  const base = url.replace(/\/subscriptions.*/, '')
  expect((await fetchPage(url)).html).toContain('$59.99 / 1 month')
  expect((await fetchPage(`${url}?price_id=${other}`)).location).toBe(`${base}?notice=impossible`)

  const preview = await fetchPage(`${url}?price_id=${larger}`)
  expect(preview.html).toMatch(/Charged now<\/th><td>\$30\.00/)
  const fields = { price_id: larger, preview_token: tokenIn(preview.html) }
  expect((await submit(url, { price_id: other, preview_token: fields.preview_token })).location).toBe(
    `${base}?notice=impossible`,
  )
  await workspace.put(`/subscriptions/${subscriptionId}`, { metadata: { changed: 'meanwhile' } })
  const stale = await submit(url, fields)
  expect(stale.html).toContain('The amounts have changed.')
  const before = (await workspace.get(`/invoices?customer_id=${customerId}`)).body.data.length
  const again = await submit(url, { price_id: larger, preview_token: tokenIn(stale.html) })
  expect(again.location).toBe(`${base}?notice=saved`)
  await settle()
  const invoices = (await workspace.get(`/invoices?customer_id=${customerId}`)).body.data
  expect(invoices).toHaveLength(before + 1)
  expect(invoices[0]).toMatchObject({ status: 'paid', total: 3000 })
})

test('a customer replaces the card, selects an older one, and changes their details', async () => {
  const workspace = await newWorkspace()
  const { customerId, subscriptionId } = await aSubscriber(workspace)
  const url = await openPortal(workspace, customerId, { flow: { type: 'update_payment_method' } })
  const base = url.replace(/\/card$/, '')
  const cardOf = async () => (await workspace.get(`/subscriptions/${subscriptionId}`)).body.payment_method_id
  const old = await cardOf()
  expect((await fetchPage(url)).html).toContain('Enter a new card')
  const { location } = await submit(url, {})
  const [path = '', client_secret = ''] = (location ?? '').split('#')
  await payerAt(workspace.address).pay({ id: path.split('/').at(-1) as string, client_secret }, cards.other)
  expect(await cardOf()).not.toBe(old)
  expect((await fetchPage(base)).html).toContain('Mastercard •••• 4444')
  expect((await submit(`${base}/select-card`, { payment_method_id: old })).location).toBe(
    `${base}?notice=saved`,
  )
  expect(await cardOf()).toBe(old)

  const wrong = await submit(`${base}/details`, { email: 'nobody', country: 'Germany' })
  expect(wrong.html.match(/aria-invalid/g)).toHaveLength(2)
  await submit(`${base}/details`, {
    name: 'Ada King',
    email: 'ada.king@example.com',
    city: 'Bonn',
    country: 'DE',
  })
  expect((await workspace.get(`/customers/${customerId}`)).body).toMatchObject({
    name: 'Ada King',
    email: 'ada.king@example.com',
    address: { city: 'Bonn', country: 'DE', line1: null },
  })
  await workspace.put('/portal-configuration', { payment_methods: false, invoices: false, address: false })
  const { html } = await fetchPage(base)
  for (const text of ['Visa', 'View invoice', 'ada.king@example.com']) expect(html).not.toContain(text)
  for (const page of ['card', 'details', 'select-card'])
    expect((await submit(`${base}/${page}`, {})).status).toBe(404)
})

test('a session never reads or changes objects of another customer, and forms submitted by other sites are refused', async () => {
  const workspace = await newWorkspace()
  const [own, other] = [
    await aSubscriber(workspace),
    await aSubscriber(workspace, { email: 'grace@example.com' }),
  ]
  const url = await openPortal(workspace, own.customerId)
  const { html } = await fetchPage(url)
  expect(html).toContain(own.subscriptionId)
  expect(html).not.toContain(other.subscriptionId)
  expect(html).not.toContain('grace@example.com')
  const foreign = `${url}/subscriptions/${other.subscriptionId}/cancel`
  expect((await fetchPage(foreign)).status).toBe(404)
  const preview = await workspace.post(`/subscriptions/${other.subscriptionId}/preview`, {
    action: 'cancel',
    at: 'period_end',
  })
  expect((await submit(foreign, { preview_token: preview.body.preview_token })).status).toBe(404)
  const { payment_method_id: card } = (await workspace.get(`/subscriptions/${other.subscriptionId}`)).body
  expect((await submit(`${url}/select-card`, { payment_method_id: card })).status).toBeGreaterThanOrEqual(400)
  expect((await workspace.get(`/subscriptions/${own.subscriptionId}`)).body.payment_method_id).not.toBe(card)
  expect((await workspace.get(`/subscriptions/${other.subscriptionId}`)).body.scheduled_change).toBeNull()

  const otherSite = await submit(
    `${url}/details`,
    { email: 'eve@example.com' },
    { 'sec-fetch-site': 'cross-site' },
  )
  expect(otherSite.status).toBe(403)
  const inOtherWorkspace = await newWorkspace()
  const foreignSession = await inOtherWorkspace.post('/portal-sessions', { customer_id: own.customerId })
  expect(foreignSession.body.code).toBe('reference_not_found')
})

test('the configuration has defaults, is changed member by member, and is in the audit log', async () => {
  const workspace = await newWorkspace()
  expect((await workspace.get('/portal-configuration')).body).toMatchObject({
    cancel: true,
    pause: false,
    switch_plan: null,
  })
  const price = await aPrice(workspace)
  const { body } = await workspace.put('/portal-configuration', {
    switch_plan: { price_ids: [price, price] },
  })
  expect(body).toMatchObject({ cancel: true, switch_plan: { price_ids: [price] } })
  expect(
    (await workspace.put('/portal-configuration', { switch_plan: null, cancel: false })).body,
  ).toMatchObject({
    cancel: false,
    switch_plan: null,
  })
  const once = await aPrice(workspace, { recurring: null })
  const refused = await workspace.put('/portal-configuration', { switch_plan: { price_ids: [once] } })
  expect(refused.body.errors).toMatchObject([{ pointer: '/switch_plan/price_ids/0' }])
  const { data } = (await workspace.get('/audit-entries')).body
  expect(data[0]).toMatchObject({ act: 'portal_configuration.updated' })
})
