// People who integrate: the secret of an endpoint, and sending again what a receiver has missed.

import { beforeEach, expect, test } from 'vitest'
import { receiverForThisFile } from '../../support/receiver.ts'
import type { Workspace } from '../../support/switchyard.ts'
import { officeForThisFile } from './support/office.ts'

const office = await officeForThisFile()
const receiver = await receiverForThisFile()
beforeEach(() => receiver.clear())

const menu = 'More'

test('Show Secret shows an ADMIN the whole secret, once it is chosen and not before', async () => {
  const workspace = await office.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.url)
  const page = await office.open(workspace, `/webhook-endpoints/${endpointId}`)
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const secret = await workspace.secretOf(endpointId)

  await page.getByRole('button', { name: menu, exact: true }).click()
  expect(asked.filter((path) => path.endsWith('/reveal_secret'))).toEqual([])
  await page.getByRole('menuitem', { name: 'Show Secret', exact: true }).click()
  await page.getByText(secret, { exact: true }).waitFor()

  expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain(secret)
  expect(page.url()).not.toContain(secret)
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByText(secret, { exact: true }).count()).toBe(0)
  const { body } = await workspace.get('/audit-entries?limit=5')
  expect(body.data[0].act).toBe('webhook_endpoint.secret_revealed')
})

test('anybody else finds Show Secret disabled and the reason beside it, and the server refuses them too', async () => {
  const workspace = await office.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.url)
  const path = `/webhook-endpoints/${endpointId}`
  const page = await office.open(workspace, path, 'DEVELOPER')

  await page.getByRole('button', { name: menu, exact: true }).click()
  const item = page.getByRole('menuitem', { name: /^Show Secret/ })
  await expect.poll(() => item.getAttribute('aria-disabled')).toBe('true')
  await item.getByText('Only admins can view the signing secret').waitFor()
  await item.click({ force: true })

  expect(await page.getByRole('dialog').count()).toBe(0)
  const token = await workspace.tokenFor('DEVELOPER')
  expect((await workspace.get(`${path}/reveal_secret`, { token })).status).toBe(403)
})

test('what a receiver has missed is counted, sent again at a pace, and comes in its order', async () => {
  const workspace = await office.newWorkspace()
  const endpointId = await exhausted(workspace, 3)
  const missed = await workspace.deliveriesTo(endpointId)
  const page = await office.open(workspace, `/webhook-endpoints/${endpointId}`)

  await page.getByRole('button', { name: 'Resend…' }).click()
  await page.getByRole('button', { name: 'Preview' }).click()
  await office.settle()
  await page.getByText('3 deliveries match.').waitFor()
  await page.getByRole('button', { name: 'Resend 3', exact: true }).click()
  await expect.poll(async () => (await recoveries(workspace, endpointId)).length).toBe(2)
  await office.settle()
  await page
    .getByRole('dialog')
    .getByText(/^Completed: 3 of 3/)
    .waitFor()

  const came = receiver.requests.map(({ headers }) => headers['webhook-id'])
  expect(came).toEqual(missed.map(({ event_id }: { event_id: string }) => event_id))
})

async function recoveries({ get }: Workspace, endpointId: string): Promise<unknown[]> {
  return (await get(`/webhook-endpoints/${endpointId}/recoveries`)).body.data
}

/** An endpoint with deliveries that were given up. */
async function exhausted(workspace: Workspace, count: number): Promise<string> {
  const endpointId = await workspace.anEndpoint(receiver.at('/missed'), { max_in_flight: 1 })
  receiver.answer = () => ({ status: 404 })
  for (let made = 0; made < count; made += 1) await workspace.aCustomer()
  for (const minutes of [0, 1, 2, 15]) {
    office.clock.advance({ minutes })
    await office.settle()
  }
  receiver.clear()
  return endpointId
}

test('an event that happens elsewhere appears in the tail by itself', async () => {
  const workspace = await office.newWorkspace()
  const page = await office.open(workspace, '/events/tail')

  // The stream begins when it is connected, and nothing tells when that is.
  const shown = async () => {
    await workspace.aCustomer()
    return page.getByRole('main').getByText('customer.created').count()
  }

  await expect.poll(shown, { interval: 500 }).toBeGreaterThan(0)
})
