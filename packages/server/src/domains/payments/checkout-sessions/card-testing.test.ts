// Card testing: an attacker with a list of stolen cards uses a payment link to find out which of them still work.
// The tests count the payments that reached a provider. A payment that is rate limited reaches none.

import { expect, test, vi } from 'vitest'
import { cardNumberForScenario } from '../../../../../simulator/src/cards.ts'
import { cards, createLink, payerAt } from '../../../../test/support/checkout.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import {
  type ApiResponse,
  switchyardForThisFile,
  type Workspace,
} from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'

vi.setConfig({ testTimeout: 400_000 })

const simulator = await simulatorForThisFile()
// The server is behind a proxy that forwards the address of each payer. The limits are the defaults.
const switchyard = await switchyardForThisFile({
  environment: {
    SIMULATOR_URL: simulator.url,
    TRUST_PROXY: 'true',
    RATE_LIMIT_TEST: '1000000',
    IN_FLIGHT_LIMIT: '100000',
  },
})
const payerFrom = (from: string) => payerAt(switchyard.addresses.test, from)

/** The numbers of all declined test cards. */
const stolenNumbers = Array.from({ length: 99 }, (_, code) =>
  cardNumberForScenario(`00${String(code + 1).padStart(2, '0')}`),
)
const stolenNumber = (index: number) => stolenNumbers[index % stolenNumbers.length] as string

/** Opens a new session for each card, as an attacker would. */
async function tryCard(from: string, slug: string, number: string): Promise<ApiResponse> {
  const payer = payerFrom(from)
  return payer.pay(await payer.openSession(slug), number)
}

/** Runs the function `count` times, twenty at a time. */
async function inBatches<Result>(count: number, run: (index: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  for (let start = 0; start < count; start += 20) {
    const batch = Array.from({ length: Math.min(20, count - start) }, (_, index) => run(start + index))
    results.push(...(await Promise.all(batch)))
  }
  return results
}

const unlimitedLink = (workspace: Workspace) => createLink(workspace, { max_completions: null })
const rateLimited = (responses: readonly ApiResponse[]) => responses.filter(({ status }) => status === 429)

/** How many payments were sent to a provider. */
async function countSentPayments(workspace: Workspace): Promise<number> {
  const ids = new Set<string>()
  for (let after = ''; ; ) {
    const { body } = await workspace.get(`/payments?limit=100${after}`)
    for (const { id, attempts_count } of body.data) if (attempts_count > 0) ids.add(id)
    if (!body.has_more) return ids.size
    after = `&starting_after=${body.data.at(-1).id}`
  }
}

async function countAlarms(): Promise<number> {
  const { values } = await switchyard.metrics.checkoutAlarms.get()
  return values[0]?.value ?? 0
}

test('500 honest payers behind one address can all pay, though every twentieth is declined once', async () => {
  const workspace = await switchyard.newWorkspace()
  const { slug } = await unlimitedLink(workspace)
  const payer = payerFrom('203.0.113.7')

  const responses = await inBatches(500, async (index) => {
    const session = await payer.openSession(slug)
    if (index % 20 === 0) expect((await payer.pay(session, cards.declined)).body.status).toBe('open')
    return payer.pay(session, cards.approved)
  })

  expect(responses.map(({ body }) => body.status)).toEqual(Array(500).fill('completed'))
})

test('from one IPv4 /24, 20 cards reach a provider in ten minutes, and other payers are not affected', async () => {
  const workspace = await switchyard.newWorkspace()
  const { slug } = await unlimitedLink(workspace)

  const responses = await inBatches(300, (index) =>
    tryCard(`203.0.113.${index % 250}`, slug, stolenNumber(index)),
  )
  const honestResponses = await inBatches(10, (index) => tryCard(`198.51.${index}.7`, slug, cards.approved))

  const refused = rateLimited(responses)
  expect([responses.length - refused.length, refused.length]).toEqual([20, 280])
  for (const { body, headers } of refused) {
    expect(body.code).toBe('too_many_tries')
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect(honestResponses.map(({ body }) => body.status)).toEqual(Array(10).fill('completed'))
  expect(await countSentPayments(workspace)).toBe(30)

  // An honest payer in the attacker's network waits at most half a minute.
  switchyard.clock.advance({ seconds: 31 })
  expect((await tryCard('203.0.113.250', slug, cards.approved)).body.status).toBe('completed')
})

test('from one IPv6 /48, 20 cards reach a provider, regardless of how many /64 networks in it are used', async () => {
  const workspace = await switchyard.newWorkspace()
  const { slug } = await unlimitedLink(workspace)
  const address = (index: number) => `2001:470:1f0b:${(index * 257).toString(16)}::1`

  const responses = await inBatches(200, (index) => tryCard(address(index), slug, stolenNumber(index)))

  expect(responses.length - rateLimited(responses).length).toBe(20)
  expect(await countSentPayments(workspace)).toBe(20)
})

test('from 1,000 networks, 500 cards reach a provider at one link, then its payers wait, and other links are not affected', async () => {
  const workspace = await switchyard.newWorkspace()
  const [attacked, other] = [await unlimitedLink(workspace), await unlimitedLink(workspace)]
  const before = await countAlarms()

  const responses = await inBatches(1_000, (index) =>
    tryCard(`10.${index >> 8}.${index & 255}.9`, attacked.slug, stolenNumber(index)),
  )
  const waiting = await tryCard('198.51.100.7', attacked.slug, cards.approved)

  expect(rateLimited(responses).length).toBeGreaterThan(400)
  expect(await countSentPayments(workspace)).toBe(500)
  expect(await countAlarms()).toBeGreaterThan(before)
  expect(waiting).toMatchObject({ status: 429, body: { code: 'too_many_tries', retryable: true } })
  const seconds = Number(waiting.headers.get('retry-after'))
  expect(seconds).toBeLessThanOrEqual(10)
  expect((await tryCard('198.51.100.8', other.slug, cards.approved)).body.status).toBe('completed')

  // The networks of the attacker have had a decline, so only other networks can use the reserve.
  switchyard.clock.advance({ seconds })
  const again = await inBatches(20, (index) => tryCard(`10.0.${index}.9`, attacked.slug, stolenNumber(index)))
  expect(rateLimited(again)).toHaveLength(20)
  expect((await tryCard('198.51.100.7', attacked.slug, cards.approved)).body.status).toBe('completed')
})

test('concurrent tries are counted exactly, before their outcome is known', async () => {
  const workspace = await switchyard.newWorkspace()
  const { slug } = await unlimitedLink(workspace)
  const payer = payerFrom('192.0.2.7')
  const sessions = await Promise.all(Array.from({ length: 40 }, () => payer.openSession(slug)))

  const responses = await Promise.all(sessions.map((session) => payer.pay(session, cards.declined)))

  const counts = Map.groupBy(responses, ({ status }) => status)
  expect([counts.get(200)?.length, counts.get(429)?.length]).toEqual([20, 20])
  expect(await countSentPayments(workspace)).toBe(20)
})

test('the networks of payers are stored as keyed hashes only', async () => {
  const workspace = await switchyard.newWorkspace()
  const { slug } = await createLink(workspace)
  await tryCard('192.0.2.77', slug, cards.approved)

  const { rows } = await asOwner(switchyard.databaseUrl, (client) =>
    client.query(
      `select to_jsonb(budget) as entry from checkout_budgets as budget where workspace_id = $1
       union all select to_jsonb(try) from checkout_tries as try where workspace_id = $1`,
      [uuidOf(workspace.workspaceId as Id<'workspace'>)],
    ),
  )
  expect(rows.map(({ entry }) => entry.key)).toContainEqual(expect.stringMatching(/^network [\w-]{43}$/))
  expect(JSON.stringify(rows)).not.toContain('192.0.2')
})

test('guessing promotion codes is limited like card testing, and other payers can still use a code', async () => {
  const workspace = await switchyard.newWorkspace()
  const coupon = { name: 'Spring offer', percent_off: '20', duration: 'once' }
  const { id: coupon_id } = (await workspace.post('/coupons', coupon)).body
  await workspace.post('/promotion-codes', { coupon_id, code: 'SPRING' })
  const { slug } = await createLink(workspace, { max_completions: null, allow_promotion_codes: true })
  const enter = (from: string, promotion_code: string) =>
    payerFrom(from).call('POST', `/checkout/links/${slug}/promotion-code`, { promotion_code })
  const attacker = '203.0.113.7'
  const responses = await inBatches(60, (index) => enter(attacker, `GUESS${index}`))
  const codes = responses.map(({ body }) => body.code)
  const answered = codes.filter((code) => code === 'discount_not_applicable')
  expect(answered).toHaveLength(switchyard.deps.checkoutLimits.network)
  expect(new Set(codes)).toEqual(new Set(['discount_not_applicable', 'too_many_tries']))

  // Neither the page nor a payment now shows the attacker whether a code exists.
  expect((await enter(attacker, 'SPRING')).body.code).toBe('too_many_tries')
  const session = await payerFrom(attacker).openSession(slug)
  const paid = await payerFrom(attacker).pay(session, cards.approved, { promotion_code: 'SPRING' })
  expect(paid.body.code).toBe('too_many_tries')
  expect((await payerFrom(attacker).pay(session, cards.approved)).body.status).toBe('completed')
  expect((await enter('198.51.100.9', 'spring')).body).toMatchObject({ amount: 1039 })
})
