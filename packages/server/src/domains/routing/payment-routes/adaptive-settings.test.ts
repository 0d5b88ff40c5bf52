import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import type { Id } from '../../../kernel/id.ts'

const switchyard = await switchyardForThisFile()

async function setUp() {
  const workspace = await switchyard.newWorkspace()
  const createAccount = async (): Promise<string> => {
    const config = { base_url: 'http://127.0.0.1:1024' }
    const account = { provider: 'custom', display_name: 'Ours', config }
    return (await workspace.post('/provider-accounts', account)).body.id
  }
  const targets = [await createAccount(), await createAccount()]
  const routeWith = (adaptive?: object) => ({
    name: 'Cards',
    default: { type: 'priority', targets, adaptive },
  })
  return { ...workspace, targets, routeWith }
}

test('a route without adaptive is stored as sent; with adaptive, omitted settings get their defaults', async () => {
  const { post, put, get, targets, routeWith } = await setUp()
  const { body: plain } = await post('/payment-routes', routeWith())
  expect(plain.default).toEqual({ type: 'priority', targets })

  const { body: changed } = await put(
    `/payment-routes/${plain.id}`,
    routeWith({ enabled: true, window_days: 7 }),
  )
  expect(changed.default.adaptive).toEqual({
    enabled: true,
    window_days: 7,
    exploration_percent: 5,
    segment_by: ['currency', 'card.brand', 'card.country'],
  })
  const { body: diff } = await get(`/payment-routes/${plain.id}/revisions/2/diff?against=1`)
  expect(diff.changes).toMatchObject([{ pointer: '/default', change: 'changed', words: 'default changed' }])
})

test.each([
  [{}, '/default/adaptive/enabled required'],
  [{ enabled: true, window_days: 31 }, '/default/adaptive/window_days too_large'],
  [{ enabled: true, exploration_percent: 1 }, '/default/adaptive/exploration_percent too_small'],
  [{ enabled: true, exploration_percent: 11 }, '/default/adaptive/exploration_percent too_large'],
  [{ enabled: true, segment_by: ['amount'] }, '/default/adaptive/segment_by/0 not_in_list'],
  [{ enabled: true, segment_by: ['currency', 'currency'] }, '/default/adaptive/segment_by/1 not_together'],
  [{ enabled: true, needed: 100 }, '/default/adaptive/needed unknown_member'],
])('%j is rejected with the pointer and code of the error', async (adaptive, error) => {
  const { post, routeWith } = await setUp()
  const { status, body } = await post('/payment-routes', routeWith(adaptive))

  expect(status).toBe(400)
  expect(body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`)).toContain(
    error,
  )
})

test('adaptive is only allowed with a priority', async () => {
  const { post, targets } = await setUp()
  const shares = targets.map((id) => ({ provider_account_id: id, weight: 50 }))
  const action = { type: 'split', targets: shares, adaptive: { enabled: true } }
  const { body } = await post('/payment-routes', { name: 'Cards', default: action })

  expect(body.errors).toEqual([
    {
      pointer: '/default/adaptive',
      code: 'not_together',
      detail: 'cannot be combined with the action split',
    },
  ])
})

test('an order by cost is stored as sent, and cannot be combined with adaptive or a split', async () => {
  const { post, targets } = await setUp()
  const action = { type: 'priority', targets, order_by: 'estimated_cost' }
  const create = (defaultAction: object) => post('/payment-routes', { name: 'Cards', default: defaultAction })

  expect(await create(action)).toMatchObject({ status: 201, body: { default: action } })
  const both = await create({ ...action, adaptive: { enabled: false } })
  expect(both.body.errors).toEqual([
    { pointer: '/default/order_by', code: 'not_together', detail: 'cannot be combined with adaptive' },
  ])
  const shares = targets.map((id) => ({ provider_account_id: id, weight: 50 }))
  const split = await create({ ...action, type: 'split', targets: shares })
  expect(split.body.errors).toMatchObject([{ pointer: '/default/order_by', code: 'not_together' }])
  expect((await create({ ...action, order_by: 'amount' })).body.errors).toMatchObject([
    { pointer: '/default/order_by', code: 'not_in_list' },
  ])
})

test('the linter warns if no segment can have enough attempts, and the route can still be published', async () => {
  const { post, targets, routeWith, workspaceId: id } = await setUp()
  const workspaceId = id as Id<'workspace'>
  const recordAttempts = (count: number) => {
    for (let nth = 0; nth < count; nth += 1) {
      const accountId = targets[nth % 2] as Id<'provider_account'>
      const observed = { is: 'pending', ref: 'r' } as const
      switchyard.health.recordResult(
        { workspaceId, id: accountId },
        { kind: 'authorize', observed, tookMs: 1 },
      )
    }
    return switchyard.health.flush()
  }
  const warnings = async (adaptive: object) => {
    const { status, body } = await post('/payment-routes', routeWith(adaptive))
    expect(status).toBe(201)
    return body.lint
  }
  await recordAttempts(4_999)
  switchyard.clock.advance({ days: 2 })

  expect(await warnings({ enabled: true })).toEqual([
    {
      severity: 'warning',
      code: 'adaptive_too_few_attempts',
      pointer: '/default/adaptive',
      detail:
        'Attempts at these accounts in the window: 4,999. The fixed order applies until a segment has 5,000.',
    },
  ])
  expect(await warnings({ enabled: false })).toEqual([])
  await recordAttempts(1)
  expect(await warnings({ enabled: true })).toEqual([])
  // A window of one day contains only the last attempt.
  expect(await warnings({ enabled: true, window_days: 1 })).toMatchObject([
    { detail: expect.stringContaining('in the window: 1.') },
  ])
})
