// Webhooks for developers: the secret of an endpoint, and resending deliveries that a receiver missed.

import { beforeEach, expect, test } from 'vitest'
import { receiverForThisFile } from '../../support/receiver.ts'
import type { Workspace } from '../../support/switchyard.ts'
import { dashboardForThisFile } from './support/dashboard-pages.ts'

const dashboard = await dashboardForThisFile()
const receiver = await receiverForThisFile()
beforeEach(() => receiver.clear())

const menuName = 'More actions'

test('Show Secret shows an ADMIN the full secret, and does not fetch it before it is chosen', async () => {
  const workspace = await dashboard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.url)
  const page = await dashboard.open(workspace, `/webhook-endpoints/${endpointId}`)
  const requestedPaths: string[] = []
  page.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname))
  const secret = await workspace.secretOf(endpointId)

  await page.getByRole('button', { name: menuName, exact: true }).click()
  expect(requestedPaths.filter((path) => path.endsWith('/reveal_secret'))).toEqual([])
  await page.getByRole('menuitem', { name: 'Show Secret', exact: true }).click()
  await page.getByText(secret, { exact: true }).waitFor()

  expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain(secret)
  expect(page.url()).not.toContain(secret)
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByText(secret, { exact: true }).count()).toBe(0)
  const { body } = await workspace.get('/audit-entries?limit=5')
  expect(body.data[0].act).toBe('webhook_endpoint.secret_revealed')
})

test('for other roles Show Secret is disabled with a reason, and the server rejects the request too', async () => {
  const workspace = await dashboard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.url)
  const path = `/webhook-endpoints/${endpointId}`
  const page = await dashboard.open(workspace, path, 'DEVELOPER')

  await page.getByRole('button', { name: menuName, exact: true }).click()
  const item = page.getByRole('menuitem', { name: /^Show Secret/ })
  await expect.poll(() => item.getAttribute('aria-disabled')).toBe('true')
  await item.getByText('Only admins can view the signing secret').waitFor()
  await item.click({ force: true })

  expect(await page.getByRole('dialog').count()).toBe(0)
  const token = await workspace.tokenFor('DEVELOPER')
  expect((await workspace.get(`${path}/reveal_secret`, { token })).status).toBe(403)
})

test('Resend on a failing endpoint includes deliveries that wait for their next attempt', async () => {
  const workspace = await dashboard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.url)
  receiver.answer = () => ({ status: 500 })
  await workspace.aCustomer()
  await workspace.aCustomer()
  await dashboard.settle()
  const page = await dashboard.open(workspace, `/webhook-endpoints/${endpointId}`)

  await page.getByRole('button', { name: 'Resend…' }).click()
  await page.getByRole('button', { name: 'Preview deliveries' }).click()
  await expect.poll(async () => (await listRecoveries(workspace, endpointId)).length).toBe(1)
  await dashboard.settle()
  await page.getByText('2 deliveries match.').waitFor()
})

test('the next attempt of a delivery that is overdue is shown as due now, not as past', async () => {
  const workspace = await dashboard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.url)
  receiver.answer = () => ({ status: 500 })
  await workspace.aCustomer()
  await dashboard.settle()
  const [{ next_attempt_at }] = await workspace.deliveriesTo(endpointId)
  const page = await dashboard.open(workspace, `/webhook-endpoints/${endpointId}`)
  const row = page.getByRole('table').getByRole('row').filter({ hasText: 'customer.created' })

  await expect.poll(() => row.textContent()).toMatch(/in \d/)
  await page.context().clock.setFixedTime(Date.parse(next_attempt_at) + 3_600_000)
  await page.reload()
  await expect.poll(() => row.textContent()).toContain('due now')
  expect(await row.textContent()).not.toContain('ago')
})

test('missed deliveries are counted, resent at a limited rate, and arrive in order', async () => {
  const workspace = await dashboard.newWorkspace()
  const endpointId = await createExhaustedDeliveries(workspace, 3)
  const missed = await workspace.deliveriesTo(endpointId)
  const page = await dashboard.open(workspace, `/webhook-endpoints/${endpointId}`)

  await page.getByRole('button', { name: 'Resend…' }).click()
  await page.getByRole('button', { name: 'Preview deliveries' }).click()
  await expect.poll(async () => (await listRecoveries(workspace, endpointId)).length).toBe(1)
  await dashboard.settle()
  await page.getByText('3 deliveries match.').waitFor()
  await page.getByRole('button', { name: 'Resend 3 deliveries', exact: true }).click()
  await expect.poll(async () => (await listRecoveries(workspace, endpointId)).length).toBe(2)
  await dashboard.settle()
  await page
    .getByRole('dialog')
    .getByText(/^Completed: 3 of 3/)
    .waitFor()

  const receivedIds = receiver.requests.map(({ headers }) => headers['webhook-id'])
  expect(receivedIds).toEqual(missed.map(({ event_id }: { event_id: string }) => event_id))
})

async function listRecoveries({ get }: Workspace, endpointId: string): Promise<unknown[]> {
  return (await get(`/webhook-endpoints/${endpointId}/recoveries`)).body.data
}

/** Creates an endpoint with deliveries that have used all their attempts. */
async function createExhaustedDeliveries(workspace: Workspace, count: number): Promise<string> {
  const endpointId = await workspace.anEndpoint(receiver.at('/missed'), { max_in_flight: 1 })
  receiver.answer = () => ({ status: 404 })
  for (let created = 0; created < count; created += 1) await workspace.aCustomer()
  for (const minutes of [0, 1, 2, 15]) {
    dashboard.clock.advance({ minutes })
    await dashboard.settle()
  }
  receiver.clear()
  return endpointId
}

test('a new event appears in the live tail without a reload', async () => {
  const workspace = await dashboard.newWorkspace()
  const page = await dashboard.open(workspace, '/events/tail')

  // The page does not show when the stream is connected, so create customers until one appears.
  const countShown = async () => {
    await workspace.aCustomer()
    return page.getByRole('main').getByText('customer.created').count()
  }

  await expect.poll(countShown, { interval: 500 }).toBeGreaterThan(0)
})
