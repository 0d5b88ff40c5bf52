// Tests which payments use a unit of a decline budget, and which return it. The budgets are so small that a few
// payments use them up.

import { expect, test, vi } from 'vitest'
import { cards, createLink, payerAt } from '../../../../test/support/checkout.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { openLedger } from '../../../../test/support/simulator-ledger.ts'
import {
  type ApiResponse,
  switchyardForThisFile,
  type Workspace,
} from '../../../../test/support/switchyard.ts'

vi.setConfig({ testTimeout: 60_000 })

const simulator = await simulatorForThisFile({ closesUnansweredCalls: true })
const switchyard = await switchyardForThisFile({
  environment: {
    SIMULATOR_URL: simulator.url,
    TRUST_PROXY: 'true',
    CHECKOUT_DECLINES_PER_NETWORK: '3',
    CHECKOUT_DECLINES_PER_LINK: '4',
    CHECKOUT_DECLINES_PER_WORKSPACE: '6',
    CHECKOUT_DECLINE_WINDOW_SECONDS: '600',
  },
  overrides: { limits: { providerMs: 1_500, requestMs: 10_000 } },
})

const unlimitedLink = (workspace: Workspace) => createLink(workspace, { max_completions: null })

async function tryCard(from: string, slug: string, number: string = cards.declined): Promise<ApiResponse> {
  const payer = payerAt(switchyard.addresses.test, from)
  return payer.pay(await payer.openSession(slug), number)
}

async function statuses(count: number, run: (index: number) => Promise<ApiResponse>): Promise<number[]> {
  const collected: number[] = []
  for (let index = 0; index < count; index += 1) collected.push((await run(index)).status)
  return collected
}

test('approvals use no budget: after any number of approved payments from one network, three declines are allowed', async () => {
  const { slug } = await unlimitedLink(await switchyard.newWorkspace())

  const paid = await statuses(12, () => tryCard('192.0.2.1', slug, cards.approved))
  // Approvals add credit for further declines, up to five times the budget. It expires within two hours.
  switchyard.clock.advance({ hours: 2 })
  const declined = await statuses(4, () => tryCard('192.0.2.1', slug))

  expect(paid).toEqual(Array(12).fill(200))
  expect(declined).toEqual([200, 200, 200, 429])
})

test('each approval allows one more decline', async () => {
  const { slug } = await unlimitedLink(await switchyard.newWorkspace())
  const attackCards = [cards.declined, cards.declined, cards.declined, cards.declined, cards.approved]

  const alternating = await statuses(8, (index) =>
    tryCard('192.0.2.1', slug, index % 2 === 0 ? cards.declined : cards.approved),
  )
  const attack = await statuses(attackCards.length, (index) => tryCard('192.0.2.1', slug, attackCards[index]))

  expect(alternating).toEqual(Array(8).fill(200))
  expect(attack).toEqual([200, 200, 200, 429, 429])
})

test('an unknown outcome uses a unit of the budget, which is returned if it turns out to be an approval', async () => {
  const workspace = await switchyard.newWorkspace()
  const { slug } = await unlimitedLink(workspace)

  const unknown = await statuses(3, () => tryCard('192.0.2.1', slug, cards.noResponse))
  const refused = await tryCard('192.0.2.1', slug, cards.approved)

  expect(unknown).toEqual([200, 200, 200])
  expect(refused.status).toBe(429)
  // Nothing was declined, so the wait is short.
  expect(refused.headers.get('retry-after')).toBe('2')

  switchyard.clock.advance({ minutes: 10 })
  await openLedger(simulator.url).advance(600_000)
  await switchyard.settle()
  expect(await statuses(4, () => tryCard('192.0.2.1', slug, cards.approved))).toEqual(Array(4).fill(200))
})

test('a payment that reached no provider uses no budget', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body: accounts } = await workspace.get('/provider-accounts')
  for (const { id } of accounts.data) await workspace.post(`/provider-accounts/${id}/disable`)
  const { slug } = await unlimitedLink(workspace)

  expect(await statuses(6, () => tryCard('192.0.2.1', slug, cards.approved))).toEqual(Array(6).fill(200))
})

test('when the budget of a link is used up, networks with declines must wait, and others can use its reserve', async () => {
  const { slug } = await unlimitedLink(await switchyard.newWorkspace())
  await statuses(4, (index) => tryCard(`192.0.${index}.1`, slug))

  const sameNetwork = await tryCard('192.0.0.2', slug, cards.approved)
  const otherNetwork = await tryCard('198.51.100.1', slug, cards.approved)

  expect(sameNetwork).toMatchObject({ status: 429, body: { code: 'too_many_tries' } })
  const seconds = Number(sameNetwork.headers.get('retry-after'))
  expect(seconds).toBe(150)
  expect(otherNetwork.body.status).toBe('completed')

  switchyard.clock.advance({ seconds })
  expect((await tryCard('192.0.0.2', slug, cards.approved)).body.status).toBe('completed')
})

test('links share the budget of their workspace, and workspaces have separate budgets', async () => {
  const [workspace, other] = [await switchyard.newWorkspace(), await switchyard.newWorkspace()]
  const [firstLink, secondLink, thirdLink] = [
    await unlimitedLink(workspace),
    await unlimitedLink(workspace),
    await unlimitedLink(workspace),
  ]
  const otherWorkspaceLink = await unlimitedLink(other)

  await statuses(3, (index) => tryCard(`192.0.${index}.1`, firstLink.slug))
  await statuses(3, (index) => tryCard(`192.0.${index}.1`, secondLink.slug))

  expect((await tryCard('192.0.0.1', thirdLink.slug, cards.approved)).status).toBe(429)
  expect((await tryCard('198.51.100.1', thirdLink.slug, cards.approved)).body.status).toBe('completed')
  expect((await tryCard('192.0.0.1', otherWorkspaceLink.slug, cards.approved)).body.status).toBe('completed')
})

test('all addresses of an IPv6 /56 share a budget, and so do all addresses of a /48', async () => {
  const { slug } = await unlimitedLink(await switchyard.newWorkspace())

  expect(await statuses(4, (index) => tryCard(`2001:db8:1:10${index}::1`, slug))).toEqual([
    200, 200, 200, 429,
  ])
  const { slug: another } = await unlimitedLink(await switchyard.newWorkspace())
  expect(await statuses(4, (index) => tryCard(`2001:db8:1:${index + 1}00::1`, another))).toEqual([
    200, 200, 200, 429,
  ])
})
