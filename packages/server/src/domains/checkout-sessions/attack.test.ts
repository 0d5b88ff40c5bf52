// Somebody has bought a list of stolen cards, and tries at a payment link which of them still work. The calls that
// the simulator saw are the judge: what is refused here has reached no bank.

import { expect, test, vi } from 'vitest'
import { numberOfScenario } from '../../../../simulator/src/cards.ts'
import { aLink, cards, payerAt } from '../../../test/support/checkout.ts'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { type Answer, switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../kernel/id.ts'
import { asOwner } from '../../platform/db/owner.ts'

vi.setConfig({ testTimeout: 120_000 })

const simulator = await simulatorForThisFile()
// Behind a proxy, which says where each payer is.
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url, TRUST_PROXY: 'true' },
})
const at = (from: string) => payerAt(switchyard.addresses.test, from)

/** As many different numbers as there are test cards that a bank declines. */
const stolen = Array.from({ length: 99 }, (_, code) =>
  numberOfScenario(`00${String(code + 1).padStart(2, '0')}`),
)
const numberOf = (place: number) => stolen[place % stolen.length] as string

/** A new session for each card, as an attacker would. */
async function tryCard(from: string, slug: string, number: string): Promise<Answer> {
  const payer = at(from)
  return payer.pay(await payer.openOne(slug), number)
}

/** How many payments there are: none of them was refused before it reached somebody. */
async function reached(workspace: Workspace): Promise<number> {
  const ids = new Set<string>()
  for (let after = ''; ; ) {
    const { body } = await workspace.get(`/payments?limit=100${after}`)
    for (const { id } of body.data) ids.add(id)
    if (!body.has_more) return ids.size
    after = `&starting_after=${body.data.at(-1).id}`
  }
}

async function alarms(): Promise<number> {
  const { values } = await switchyard.metrics.checkoutAlarms.get()
  return values[0]?.value ?? 0
}

test('1,000 cards from one network: ten reach a bank in ten minutes, and other payers notice nothing', async () => {
  const workspace = await switchyard.newWorkspace()
  const [attacked, other] = [
    await aLink(workspace, { max_completions: null }),
    await aLink(workspace, { max_completions: null }),
  ]

  const answers: Answer[] = []
  for (let place = 0; place < 1_000; place += 20) {
    const batch = Array.from({ length: 20 }, (_, one) => place + one)
    answers.push(
      ...(await Promise.all(
        batch.map((one) => tryCard(`203.0.113.${one % 250}`, attacked.slug, numberOf(one))),
      )),
    )
  }
  const honest = await Promise.all(
    Array.from({ length: 10 }, (_, one) => tryCard(`198.51.${one}.7`, other.slug, cards.good)),
  )

  const refused = answers.filter(({ status }) => status === 429)
  expect([answers.length - refused.length, refused.length]).toEqual([10, 990])
  for (const { body, headers } of refused) {
    expect(body.code).toBe('too_many_tries')
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
  for (const { body } of honest) expect(body.status).toBe('completed')
  expect(await reached(workspace)).toBe(20)

  switchyard.clock.advance({ minutes: 11 })
  expect((await tryCard('203.0.113.1', other.slug, cards.good)).body.status).toBe('completed')
})

test('from many networks: told within 60 tries, then five from each; another link is left alone', async () => {
  const workspace = await switchyard.newWorkspace()
  const [attacked, other] = [
    await aLink(workspace, { max_completions: null }),
    await aLink(workspace, { max_completions: null }),
  ]
  const networks = Array.from({ length: 20 }, (_, place) => `203.0.${place}.9`)
  const before = await alarms()

  let [passed, untilAlarm] = [0, 0]
  for (let begun = 0; begun < 200; begun += 10) {
    const batch = Array.from({ length: 10 }, (_, one) => begun + one)
    const tries = batch.map((one) => tryCard(networks[one % 20] as string, attacked.slug, numberOf(one)))
    passed += (await Promise.all(tries)).filter(({ status }) => status === 200).length
    if (untilAlarm === 0 && (await alarms()) > before) untilAlarm = passed
  }

  expect(untilAlarm).toBeGreaterThan(0)
  expect(untilAlarm).toBeLessThanOrEqual(60)
  expect(passed).toBe(networks.length * 5)
  // The same network, at a link that nobody attacks: its tries are counted, but its limit is the usual one.
  const elsewhere: Answer[] = []
  for (let tries = 0; tries < 6; tries += 1)
    elsewhere.push(await tryCard('203.0.0.9', other.slug, cards.good))
  expect(elsewhere.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429])
})

test('what is tried at once from one network is counted as exactly', async () => {
  const workspace = await switchyard.newWorkspace()
  const { slug } = await aLink(workspace, { max_completions: null })
  const payer = at('192.0.2.7')
  const sessions = await Promise.all(Array.from({ length: 25 }, () => payer.openOne(slug)))

  const answers = await Promise.all(sessions.map((session) => payer.pay(session)))

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
  expect(await reached(workspace)).toBe(10)
})

test('honest payers, each from a network of their own, are never refused', async () => {
  const workspace = await switchyard.newWorkspace()
  const { slug } = await aLink(workspace, { max_completions: null })

  for (let place = 0; place < 100; place += 10) {
    const batch = Array.from({ length: 10 }, (_, one) => `10.${place}.${one}.7`)
    const answers = await Promise.all(batch.map((from) => tryCard(from, slug, cards.good)))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
  }
})

test('where payers are is kept nowhere, but as a hash that only we can make', async () => {
  const workspace = await switchyard.newWorkspace()
  const { slug } = await aLink(workspace)
  await tryCard('192.0.2.77', slug, cards.good)

  const { rows } = await asOwner(switchyard.databaseUrl, (client) =>
    client.query('select to_jsonb(one) as one from checkout_tries as one where workspace_id = $1', [
      uuidOf(workspace.workspaceId as Id<'workspace'>),
    ]),
  )
  expect(rows).toMatchObject([{ one: { network: expect.stringMatching(/^[\w-]{43}$/), result: 'approved' } }])
  expect(JSON.stringify(rows)).not.toContain('192.0.2')
})
