// Runs the operator command `routes:evaluate` on payments stored in the database.

import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test, vi } from 'vitest'
import { inheritedEnvironment } from '../../../../../test/support/inherited-environment.ts'
import { testMasterKeys } from '../../../../../test/support/master-keys.ts'
import { insertPastPayments, type PastPayments } from '../../../../../test/support/past-payments.ts'
import { switchyardForThisFile } from '../../../../../test/support/switchyard.ts'

// Each call starts a process, which takes a while on a busy machine.
vi.setConfig({ testTimeout: 90_000 })

const switchyard = await switchyardForThisFile()
const root = resolve(import.meta.dirname, '../../../../../../..')

function evaluate(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = {
    ...inheritedEnvironment,
    MASTER_KEYS: testMasterKeys,
    DATABASE_URL: switchyard.databaseUrl,
  }
  return new Promise((finish) => {
    execFile(
      'npm',
      ['run', '--silent', 'routes:evaluate', '--', ...args],
      { cwd: root, env },
      (error, out, err) => finish({ code: error === null ? 0 : Number(error.code), out, err }),
    )
  })
}

async function setUp(actionOf: (first: string, second: string) => object) {
  const workspace = await switchyard.newWorkspace()
  const createAccount = async () => {
    const config = { base_url: 'http://127.0.0.1:1024' }
    const account = { provider: 'custom', display_name: 'Ours', config }
    return (await workspace.post('/provider-accounts', account)).body.id as string
  }
  const [first, second] = [await createAccount(), await createAccount()]
  const route = { name: 'Cards', default: actionOf(first, second) }
  const { body } = await workspace.post('/payment-routes', route)
  const insertPayments = (payments: readonly PastPayments[]) =>
    insertPastPayments(
      switchyard.databaseUrl,
      workspace.workspaceId,
      payments.map((payment) => ({ route: body.id, ...payment })),
    )
  return { id: body.id as string, first, second, insertPayments }
}

const candidate = (id: string) => ({ provider_account_id: id, eligible: true, reasons: [] })

test('the evaluation of a live adaptive order reports the uplift, the interval and the number of payments', async () => {
  const { id, first, second, insertPayments } = await setUp((...targets) => {
    return { type: 'priority', targets, adaptive: { enabled: true, segment_by: ['currency'] } }
  })
  const accounts = [
    { provider_account_id: first, probability: 0.95 },
    { provider_account_id: second, probability: 0.05 },
  ]
  const trace = { rules: [], draw: null, candidates: [], adaptive: { drawn: 1, accounts } }
  const declined = { status: 'declined', decline: 'do_not_honor' }
  await insertPayments(
    Array.from({ length: 10 }, (_, nth) => 4_000 - nth * 60).flatMap((secondsAgo) => [
      { secondsAgo, count: 20, account: second, trace },
      { secondsAgo, count: 5, account: second, trace, ...declined },
      { secondsAgo, count: 340, account: first, trace },
      { secondsAgo, count: 135, account: first, trace, ...declined },
      // Payments without a draw provide no information.
      { secondsAgo, count: 10, account: second },
    ]),
  )
  const { code, out } = await evaluate('--route', id, '--days', '7', '--json')
  const result = JSON.parse(out)

  expect(code).toBe(0)
  expect(result).toMatchObject({ payment_route_id: id, days: 7, payments: 5_000, without_lot: 100 })
  // 5% of the payments went to an account whose approval rate is about eight percentage points higher.
  expect(result.uplift).toBeGreaterThan(0.002)
  expect(result.uplift).toBeLessThan(0.006)
  expect(result.low).toBeLessThan(result.uplift)
  expect(result.high).toBeGreaterThan(result.uplift)
  expect(result.fixed).toBeCloseTo(340 / 475, 2)
  expect((await evaluate('--route', id)).out).toMatch(
    /^Adaptive order vs\. fixed order: \+0\.\d\d percentage points of approval rate,\n95% interval [+-]\d\.\d\d to \+\d\.\d\d, from 5000 randomly assigned payments in 30 days\.\n/,
  )
})

test('the evaluation of a split reports the uplift that an adaptive order would have had', async () => {
  const { id, first, second, insertPayments } = await setUp((...targets) => {
    return {
      type: 'split',
      targets: targets.map((account) => ({ provider_account_id: account, weight: 50 })),
    }
  })
  const draw = { key: 'payment', drawn: 1, provider_account_id: first }
  const trace = { rules: [], draw, candidates: [candidate(first), candidate(second)] }
  const declined = { status: 'declined', decline: 'do_not_honor', trace }
  await insertPayments(
    Array.from({ length: 12 }, (_, nth) => 20_000 - nth * 1_200).flatMap((secondsAgo) => [
      { secondsAgo, count: 400, account: first, trace },
      { secondsAgo, count: 100, account: first, ...declined },
      { secondsAgo, count: 450, account: second, trace },
      { secondsAgo, count: 50, account: second, ...declined },
    ]),
  )
  const result = JSON.parse((await evaluate('--route', id, '--json')).out)

  // An adaptive order would have used the fixed order for the first 5,000 attempts.
  expect(result).toMatchObject({ payments: 7_000, still_learning: 5_000 })
  expect(result.uplift).toBeGreaterThan(0.08)
  expect(result.uplift).toBeLessThan(0.12)
  expect([result.low > 0, result.low < result.uplift, result.high > result.uplift]).toEqual([
    true,
    true,
    true,
  ])
})

test('without draws the evaluation reports a reason instead of an uplift', async () => {
  const { id, first, insertPayments } = await setUp((...targets) => ({ type: 'priority', targets }))
  await insertPayments([{ count: 100, account: first, secondsAgo: 3_600 }])

  const { code, out } = await evaluate('--route', id)
  expect(code).toBe(1)
  expect(out).toMatch(/^No result: Every payment of this route followed the fixed order\./)
  const json = await evaluate('--route', id, '--json')
  expect(JSON.parse(json.out)).toEqual({ payment_route_id: id, days: 30, refused: expect.any(String) })
})

test.each([
  [['--route', 'nonsense'], '"nonsense" is not a payment_route id.'],
  [
    ['--route', 'payment_route_test_01M7CYVGQTEAKSNTBFR026MPQ1'],
    'There is no payment route payment_route_test_',
  ],
  [['--route', 'payment_route_test_01M7CYVGQTEAKSNTBFR026MPQ1', '--days', '0'], '--days must be an integer'],
])('%j fails with an error message', async (args, message) => {
  const { code, err } = await evaluate(...args)

  expect(code).toBe(1)
  expect(err).toContain(message)
})
