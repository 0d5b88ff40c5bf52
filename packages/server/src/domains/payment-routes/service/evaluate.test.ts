// The command as an operator types it, on payments that lie in the database as the routes left them.

import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test, vi } from 'vitest'
import { type Past, putHistory } from '../../../../test/support/history.ts'
import { inherited } from '../../../../test/support/inherited.ts'
import { testMasterKeys } from '../../../../test/support/master-keys.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'

// Each question is a process of its own, and starting one takes a while on a busy machine.
vi.setConfig({ testTimeout: 90_000 })

const switchyard = await switchyardForThisFile()
const root = resolve(import.meta.dirname, '../../../../../..')

function evaluate(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = {
    ...inherited,
    MASTER_KEYS: testMasterKeys,
    DATABASE_URL: switchyard.databaseUrl,
  }
  return new Promise((done) => {
    execFile(
      'npm',
      ['run', '--silent', 'routes:evaluate', '--', ...args],
      { cwd: root, env },
      (error, out, err) => done({ code: error === null ? 0 : Number(error.code), out, err }),
    )
  })
}

async function aScene(actionOf: (first: string, second: string) => object) {
  const workspace = await switchyard.newWorkspace()
  const account = async () => {
    const config = { base_url: 'http://127.0.0.1:1024' }
    const made = { provider: 'custom', display_name: 'Ours', config }
    return (await workspace.post('/provider-accounts', made)).body.id as string
  }
  const [first, second] = [await account(), await account()]
  const route = { name: 'Cards', default: actionOf(first, second) }
  const { body } = await workspace.post('/payment-routes', route)
  const put = (pasts: readonly Past[]) =>
    putHistory(
      switchyard.databaseUrl,
      workspace.workspaceId,
      pasts.map((past) => ({ route: body.id, ...past })),
    )
  return { id: body.id as string, first, second, put }
}

const candidate = (id: string) => ({ provider_account_id: id, eligible: true, reasons: [] })

test('of an adaptive order that was live it says what it brought, with the interval and the number of payments', async () => {
  const { id, first, second, put } = await aScene((...targets) => {
    return { type: 'priority', targets, adaptive: { enabled: true, segment_by: ['currency'] } }
  })
  const accounts = [
    { provider_account_id: first, probability: 0.95 },
    { provider_account_id: second, probability: 0.05 },
  ]
  const trace = { rules: [], draw: null, candidates: [], adaptive: { drawn: 1, accounts } }
  const declined = { status: 'declined', decline: 'do_not_honor' }
  await put(
    Array.from({ length: 10 }, (_, nth) => 4_000 - nth * 60).flatMap((secondsAgo) => [
      { secondsAgo, count: 20, account: second, trace },
      { secondsAgo, count: 5, account: second, trace, ...declined },
      { secondsAgo, count: 340, account: first, trace },
      { secondsAgo, count: 135, account: first, trace, ...declined },
      // These went without a lot, and say nothing.
      { secondsAgo, count: 10, account: second },
    ]),
  )
  const { code, out } = await evaluate('--route', id, '--days', '7', '--json')
  const found = JSON.parse(out)

  expect(code).toBe(0)
  expect(found).toMatchObject({ payment_route_id: id, days: 7, payments: 5_000, without_lot: 100 })
  // A twentieth of the payments went to an account that approves about eight points more.
  expect(found.uplift).toBeGreaterThan(0.002)
  expect(found.uplift).toBeLessThan(0.006)
  expect(found.low).toBeLessThan(found.uplift)
  expect(found.high).toBeGreaterThan(found.uplift)
  expect(found.fixed).toBeCloseTo(340 / 475, 2)
  expect((await evaluate('--route', id)).out).toMatch(
    /^Adaptive against the fixed order: \+0\.\d\d points of approval,\n95 % interval [+-]\d\.\d\d to \+\d\.\d\d, from 5000 payments by lot in 30 days\.\n/,
  )
})

test('on the lots of a split it says what an adaptive order would have brought', async () => {
  const { id, first, second, put } = await aScene((...targets) => {
    return {
      type: 'split',
      targets: targets.map((account) => ({ provider_account_id: account, weight: 50 })),
    }
  })
  const draw = { key: 'payment', drawn: 1, provider_account_id: first }
  const trace = { rules: [], draw, candidates: [candidate(first), candidate(second)] }
  const declined = { status: 'declined', decline: 'do_not_honor', trace }
  await put(
    Array.from({ length: 12 }, (_, nth) => 20_000 - nth * 1_200).flatMap((secondsAgo) => [
      { secondsAgo, count: 400, account: first, trace },
      { secondsAgo, count: 100, account: first, ...declined },
      { secondsAgo, count: 450, account: second, trace },
      { secondsAgo, count: 50, account: second, ...declined },
    ]),
  )
  const found = JSON.parse((await evaluate('--route', id, '--json')).out)

  // Until there were 5,000 it would have been the fixed order.
  expect(found).toMatchObject({ payments: 7_000, still_learning: 5_000 })
  expect(found.uplift).toBeGreaterThan(0.08)
  expect(found.uplift).toBeLessThan(0.12)
  expect([found.low > 0, found.low < found.uplift, found.high > found.uplift]).toEqual([true, true, true])
})

test('where no lot was drawn it gives no figure, and says why', async () => {
  const { id, first, put } = await aScene((...targets) => ({ type: 'priority', targets }))
  await put([{ count: 100, account: first, secondsAgo: 3_600 }])

  const { code, out } = await evaluate('--route', id)
  expect(code).toBe(1)
  expect(out).toMatch(/^Nothing can be said: Every payment of this route went where its order sent it\./)
  const json = await evaluate('--route', id, '--json')
  expect(JSON.parse(json.out)).toEqual({ payment_route_id: id, days: 30, refused: expect.any(String) })
})

test.each([
  [['--route', 'nonsense'], '"nonsense" is not the id of a payment_route.'],
  [
    ['--route', 'payment_route_test_01M7CYVGQTEAKSNTBFR026MPQ1'],
    'There is no payment route payment_route_test_',
  ],
  [['--route', 'payment_route_test_01M7CYVGQTEAKSNTBFR026MPQ1', '--days', '0'], '--days is a whole number'],
])('%j is told in a sentence', async (args, sentence) => {
  const { code, err } = await evaluate(...args)

  expect(code).toBe(1)
  expect(err).toContain(sentence)
})
