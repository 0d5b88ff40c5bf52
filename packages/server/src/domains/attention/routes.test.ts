// What needs a person: each kind of it comes with its cause, and goes with it.

import { expect, test } from 'vitest'
import { numberOfScenario } from '../../../../simulator/src/cards.ts'
import { inUnit } from '../../../test/support/invoices.ts'
import { anAttached, aToken, cards } from '../../../test/support/payment-methods.ts'
import { aSubscription, subscriptionsForThisFile } from '../../../test/support/subscriptions.ts'
import type { Workspace } from '../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../kernel/id.ts'
import { asOwner } from '../../platform/db/owner.ts'
import { disableAs } from '../webhook-endpoints/service.ts'

const switchyard = await subscriptionsForThisFile()
const { deps, clock, health, databaseUrl } = switchyard

async function concerns({ get }: Workspace) {
  const { status, body } = await get('/attention')
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data
}

const sql = (text: string, values: readonly unknown[]) =>
  asOwner(databaseUrl, async (client) => {
    // Nothing tells of it, so the triggers that ask for an event sleep meanwhile.
    await client.query('set session_replication_role = replica')
    await client.query(text, [...values])
  })

async function pay(workspace: Workspace, number: string): Promise<string> {
  const order = { amount: 1299, currency: 'eur', token: await aToken(workspace, number) }
  return (await workspace.post('/payments', order)).body.id
}

test('where all is well there is nothing to do', async () => {
  expect(await concerns(await switchyard.newWorkspace())).toEqual([])
})

test('an endpoint that fails is shown until it is well, one that we disabled until it is enabled', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = (await workspace.anEndpoint('http://127.0.0.1:1024/', {
    name: 'Shop',
  })) as Id<'webhook_endpoint'>
  const since = '2026-11-14T11:00:00.000Z'
  const setHealth = (state: string) =>
    sql('update webhook_lanes set health = $2, failing_since_at = $3 where id = $1', [
      uuidOf(id),
      state,
      since,
    ])

  await setHealth('open')
  expect(await concerns(workspace)).toEqual([
    {
      ...{ object: 'concern', kind: 'webhook_endpoint_failing', severity: 'warning', object_id: id, since },
      ...{ title: 'Webhook endpoint Shop is failing', detail: expect.any(String), count: 1, has_more: false },
    },
  ])
  await inUnit(deps, workspace.workspaceId, (tx) => disableAs(tx, id, 'gone'))
  expect(await concerns(workspace)).toMatchObject([
    {
      kind: 'webhook_endpoint_disabled',
      severity: 'critical',
      object_id: id,
      detail: expect.stringContaining('410'),
    },
  ])
  await workspace.post(`/webhook-endpoints/${id}/enable`)
  await setHealth('healthy')
  expect(await concerns(workspace)).toEqual([])

  // What somebody asked for needs nobody.
  await workspace.post(`/webhook-endpoints/${id}/disable`)
  expect(await concerns(workspace)).toEqual([])
})

test('an account that is held is shown until it is released', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = (await workspace.get('/provider-accounts')).body.data[0].id
  const until_at = '2026-11-20T12:00:00.000Z'

  await workspace.post(`/provider-accounts/${id}/hold`, { reason: 'Maintenance', until_at })
  expect(await concerns(workspace)).toMatchObject([
    { kind: 'provider_account_held', severity: 'warning', object_id: id, title: 'Second simulator is held' },
  ])
  expect((await concerns(workspace))[0].detail).toContain(`${until_at}: Maintenance`)
  await workspace.post(`/provider-accounts/${id}/release`)
  expect(await concerns(workspace)).toEqual([])
})

test('an account whose breaker is open is shown until it closes', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = (await workspace.get('/provider-accounts')).body.data[0].id
  const ref = { workspaceId: workspace.workspaceId as Id<'workspace'>, id }
  const learned = { is: 'unknown', fault: { code: 'timeout', message: 'No.' } } as const
  for (let nth = 0; nth < 10; nth += 1) deps.health.note(ref, { kind: 'authorize', learned, tookMs: 40 })
  await health.flush()

  expect(await concerns(workspace)).toMatchObject([
    { kind: 'provider_account_open', severity: 'critical', object_id: id },
  ])
  // It is probed, and three good answers close it.
  for (const seconds of [30, 2, 2]) {
    clock.advance({ seconds })
    await switchyard.settle()
    await health.look()
  }
  expect(await concerns(workspace)).toEqual([])
})

test('a payment is shown when its outcome has been unknown for 15 minutes, and until it is known', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await pay(workspace, cards.silentAfterCharging)

  clock.advance({ minutes: 14 })
  expect(await concerns(workspace)).toEqual([])
  clock.advance({ minutes: 2 })
  expect(await concerns(workspace)).toMatchObject([
    { kind: 'payments_unknown', object_id: id, count: 1, title: '1 payment has an unknown outcome' },
  ])
  await switchyard.letTimePass()
  expect((await workspace.get(`/payments/${id}`)).body.status).toBe('succeeded')
  expect(await concerns(workspace)).toEqual([])
})

test('payments and refunds that need a review are counted together, and gone when a person has said what is true', async () => {
  const workspace = await switchyard.newWorkspace()
  const odd = numberOfScenario('5014')
  const [first, second] = [await pay(workspace, odd), await pay(workspace, odd)]

  expect(await concerns(workspace)).toMatchObject([
    { kind: 'payments_in_review', object_id: first, count: 2, title: '2 payments need a review' },
  ])
  for (const id of [first, second]) {
    const { body } = await workspace.get(`/payments/${id}/operations`)
    const path = `/payments/${id}/operations/${body.data[0].id}/resolve`
    const word = { outcome: 'succeeded', note: 'It is in their books.' }
    expect((await workspace.post(path, word)).status).toBe(200)
  }
  expect(await concerns(workspace)).toEqual([])

  const { body: refund } = await workspace.post('/refunds', { payment_id: first, amount: 100 })
  const review = (state: string | null) =>
    sql('update refunds set review = $2 where id = $1', [uuidOf(refund.id), state])
  await review('needs_review')
  expect(await concerns(workspace)).toMatchObject([{ kind: 'refunds_in_review', object_id: refund.id }])
  await review(null)
  expect(await concerns(workspace)).toEqual([])
})

test('a dunning campaign is shown in its last three days, and until it is stopped', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await workspace.aCampaign()
  const { body } = await workspace.get(`/dunning-campaigns/${id}`)
  const reading = clock.read()
  const now = reading.from === 'harness' ? reading.at.getTime() : 0
  const days = (new Date(body.ends_at).getTime() - now) / 86_400_000

  clock.advance({ days: days - 4 })
  expect(await concerns(workspace)).toEqual([])
  clock.advance({ days: 2 })
  expect(await concerns(workspace)).toMatchObject([
    { kind: 'dunning_ending', severity: 'warning', object_id: id, title: '1 dunning campaign ends soon' },
  ])
  await workspace.post(`/dunning-campaigns/${id}/stop`)
  expect(await concerns(workspace)).toEqual([])
})

test('a subscription that is parked is shown until somebody unparks it', async () => {
  const workspace = await switchyard.newWorkspace()
  const customer_id = await workspace.aCustomer()
  await anAttached(workspace, customer_id)
  const { id } = await aSubscription(workspace, { customer_id })
  await switchyard.letTimePass(1)
  clock.advance({ days: 31 * 25 })
  await switchyard.settle()

  expect(await concerns(workspace)).toMatchObject([{ kind: 'subscriptions_parked', object_id: id, count: 1 }])
  await workspace.post(`/subscriptions/${id}/unpark`)
  expect(await concerns(workspace)).toEqual([])
})

test('more than a thousand are not counted, and the worst comes first', async () => {
  const workspace = await switchyard.newWorkspace()
  const account = (await workspace.get('/provider-accounts')).body.data[0].id
  await workspace.post(`/provider-accounts/${account}/hold`, {
    ...{ reason: 'Maintenance', until_at: '2036-11-20T12:00:00.000Z' },
  })
  await sql(
    `insert into payments (workspace_id, id, status, purpose, amount, currency, capture_method, initiator,
       three_d_secure, card, review, created_at, updated_at)
     select $1, uuidv7(), 'processing', 'payment', 100, 'eur', 'automatic', 'customer', 'auto', '{}',
       'needs_review', now(), now() from generate_series(1, 1200)`,
    [uuidOf(workspace.workspaceId as Id<'workspace'>)],
  )

  expect(await concerns(workspace)).toMatchObject([
    { severity: 'critical', count: 1000, has_more: true, title: '1,000+ payments need a review' },
    { severity: 'warning', kind: 'provider_account_held' },
  ])
})

test('what needs others needs nobody here', async () => {
  await pay(await switchyard.newWorkspace(), numberOfScenario('5014'))

  expect(await concerns(await switchyard.newWorkspace())).toEqual([])
})
