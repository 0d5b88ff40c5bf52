// Issues that need attention: each kind appears with its cause, and disappears with it.

import { expect, test } from 'vitest'
import { cardNumberForScenario } from '../../../../../simulator/src/cards.ts'
import { reportDispute } from '../../../../test/support/disputes.ts'
import { inTransaction } from '../../../../test/support/invoices.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { cards, createAttachedMethod, createToken } from '../../../../test/support/payment-methods.ts'
import { aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import { HealthMonitor } from '../../routing/provider-accounts/service/health-monitor.ts'
import { disableWithReason } from '../../webhooks/webhook-endpoints/service.ts'

const switchyard = await subscriptionsForThisFile()
const { deps, clock, health, databaseUrl } = switchyard

async function listConcerns({ get }: Workspace) {
  const { status, body } = await get('/attention')
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data
}

const sql = (text: string, values: readonly unknown[]) =>
  asOwner(databaseUrl, async (client) => {
    // The statement emits no event, so the triggers that require one are disabled.
    await client.query('set session_replication_role = replica')
    await client.query(text, [...values])
  })

async function pay(workspace: Workspace, number: string): Promise<string> {
  const input = { amount: 1299, currency: 'eur', token: await createToken(workspace, number) }
  return (await workspace.post('/payments', input)).body.id
}

test('a workspace without problems has no concerns', async () => {
  expect(await listConcerns(await switchyard.newWorkspace())).toEqual([])
})

test('a failing endpoint is listed until it recovers, and one that was disabled automatically until it is enabled', async () => {
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
  expect(await listConcerns(workspace)).toEqual([
    {
      object: 'concern',
      kind: 'webhook_endpoint_failing',
      severity: 'warning',
      object_id: id,
      since,
      title: 'Webhook endpoint Shop is failing',
      detail: expect.any(String),
      count: 1,
      has_more: false,
    },
  ])
  await inTransaction(deps, workspace.workspaceId, (tx) => disableWithReason(tx, id, 'gone'))
  expect(await listConcerns(workspace)).toMatchObject([
    {
      kind: 'webhook_endpoint_disabled',
      severity: 'critical',
      object_id: id,
      detail: expect.stringContaining('410'),
    },
  ])
  await workspace.post(`/webhook-endpoints/${id}/enable`)
  await setHealth('healthy')
  expect(await listConcerns(workspace)).toEqual([])

  // An endpoint that was disabled on request needs no attention.
  await workspace.post(`/webhook-endpoints/${id}/disable`)
  expect(await listConcerns(workspace)).toEqual([])
})

test('a provider account on hold is listed until it is released', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = (await workspace.get('/provider-accounts')).body.data[0].id
  const until_at = '2026-11-20T12:00:00.000Z'

  await workspace.post(`/provider-accounts/${id}/hold`, { reason: 'Maintenance', until_at })
  expect(await listConcerns(workspace)).toMatchObject([
    {
      kind: 'provider_account_held',
      severity: 'warning',
      object_id: id,
      title: 'Second simulator is on hold',
    },
  ])
  expect((await listConcerns(workspace))[0].detail).toContain(`${until_at}: Maintenance`)
  await workspace.post(`/provider-accounts/${id}/release`)
  expect(await listConcerns(workspace)).toEqual([])
})

test('a provider account whose breaker is open is listed until the breaker closes', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = (await workspace.get('/provider-accounts')).body.data[0].id
  const ref = { workspaceId: workspace.workspaceId as Id<'workspace'>, id }
  const timeout = { is: 'unknown', fault: { code: 'timeout', message: 'No.' } } as const
  for (let nth = 0; nth < 10; nth += 1)
    deps.health.recordResult(ref, { kind: 'authorize', observed: timeout, tookMs: 40 })
  await health.flush()

  expect(await listConcerns(workspace)).toMatchObject([
    { kind: 'provider_account_open', severity: 'critical', object_id: id },
  ])
  // Three successful probes close the breaker.
  for (const seconds of [30, 2, 2]) {
    clock.advance({ seconds })
    await switchyard.settle()
    await health.refresh()
  }
  expect(await listConcerns(workspace)).toEqual([])
})

test('a provider account that rejects the credentials is listed until a call succeeds or the secret is rotated', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = (await workspace.get('/provider-accounts')).body.data[0].id
  const ref = { workspaceId: workspace.workspaceId as Id<'workspace'>, id }
  const fault = { code: 'provider_credentials_invalid', message: 'No.' }
  const approved = { is: 'succeeded', ref: 'r', money: { amount: 100n, currency: 'eur' } } as const
  const recordCall = async (
    observed: { is: 'rejected' | 'unknown'; fault: typeof fault } | typeof approved,
  ) => {
    deps.health.recordResult(ref, { kind: 'authorize', observed, tookMs: 40 })
    await health.flush()
  }
  const credentialsConcern = {
    kind: 'provider_account_credentials_refused',
    severity: 'critical',
    object_id: id,
  }
  const since = async () =>
    (await workspace.get(`/provider-accounts/${id}`)).body.health.credentials_refused_since

  await recordCall({ is: 'rejected', fault })
  expect(await listConcerns(workspace)).toMatchObject([
    { ...credentialsConcern, title: 'Second simulator rejects our credentials' },
  ])
  expect(await since()).toBe((await listConcerns(workspace))[0].since)
  await recordCall(approved)
  expect(await listConcerns(workspace)).toEqual([])
  expect(await since()).toBe(null)

  // If a repeated request is rejected, the outcome of the operation stays unknown, but the rejection is still
  // recorded.
  await recordCall({ is: 'unknown', fault })
  expect(await listConcerns(workspace)).toMatchObject([credentialsConcern])
  // Another process reads the rejection from the database.
  const otherProcess = new HealthMonitor({ deps, metrics: switchyard.metrics, processes: () => 2 })
  await otherProcess.refresh()
  otherProcess.recordResult(ref, { kind: 'authorize', observed: approved, tookMs: 40 })
  await otherProcess.flush()
  expect(await listConcerns(workspace)).toEqual([])

  await recordCall({ is: 'rejected', fault })
  await recordCall({ is: 'rejected', fault })
  await workspace.post(`/provider-accounts/${id}/rotate_secret`, {})
  expect(await listConcerns(workspace)).toEqual([])
})

test('a payment is listed when its outcome has been unknown for 15 minutes, until the outcome is known', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await pay(workspace, cards.noResponse)

  clock.advance({ minutes: 14 })
  expect(await listConcerns(workspace)).toEqual([])
  clock.advance({ minutes: 2 })
  expect(await listConcerns(workspace)).toMatchObject([
    { kind: 'payments_unknown', object_id: id, count: 1, title: '1 payment has an unknown outcome' },
  ])
  await switchyard.advanceTime()
  expect((await workspace.get(`/payments/${id}`)).body.status).toBe('succeeded')
  expect(await listConcerns(workspace)).toEqual([])
})

test('payments in review are listed as one concern until they are resolved, and so are refunds', async () => {
  const workspace = await switchyard.newWorkspace()
  const conflictCard = cardNumberForScenario('5014')
  const [first, second] = [await pay(workspace, conflictCard), await pay(workspace, conflictCard)]

  expect(await listConcerns(workspace)).toMatchObject([
    { kind: 'payments_in_review', object_id: first, count: 2, title: '2 payments need review' },
  ])
  for (const id of [first, second]) {
    const { body } = await workspace.get(`/payments/${id}/operations`)
    const path = `/payments/${id}/operations/${body.data[0].id}/resolve`
    const resolution = { outcome: 'succeeded', note: 'The provider dashboard shows the payment.' }
    expect((await workspace.post(path, resolution)).status).toBe(200)
  }
  expect(await listConcerns(workspace)).toEqual([])

  const { body: refund } = await workspace.post('/refunds', { payment_id: first, amount: 100 })
  const setReview = (state: string | null) =>
    sql('update refunds set review = $2 where id = $1', [uuidOf(refund.id), state])
  await setReview('needs_review')
  expect(await listConcerns(workspace)).toMatchObject([{ kind: 'refunds_in_review', object_id: refund.id }])
  await setReview(null)
  expect(await listConcerns(workspace)).toEqual([])
})

test('a dispute is listed from 72 hours before its deadline, is critical in the last 24 hours, and then overdue', async () => {
  const workspace = await switchyard.newWorkspace()
  const [later, sooner] = [await pay(workspace, cards.approved), await pay(workspace, cards.approved)]
  const reading = clock.read()
  const nowMs = reading.from === 'harness' ? reading.at.getTime() : 0
  const inHours = (hours: number) => new Date(nowMs + hours * 3_600_000)
  await reportDispute(deps, workspace.workspaceId, later, { respondByAt: inHours(120) })
  const id = await reportDispute(deps, workspace.workspaceId, sooner, { respondByAt: inHours(96) })

  clock.advance({ hours: 23 })
  expect(await listConcerns(workspace)).toEqual([])
  clock.advance({ hours: 2 })
  expect(await listConcerns(workspace)).toMatchObject([
    {
      kind: 'disputes_due',
      severity: 'warning',
      object_id: id,
      count: 1,
      title: '1 dispute needs a response',
    },
  ])
  clock.advance({ hours: 48 })
  expect(await listConcerns(workspace)).toMatchObject([
    {
      kind: 'disputes_due',
      severity: 'critical',
      object_id: id,
      count: 2,
      title: '2 disputes need a response',
    },
  ])
  clock.advance({ hours: 24 })
  await switchyard.settle()
  expect(await listConcerns(workspace)).toMatchObject([
    { kind: 'disputes_due', severity: 'critical', count: 1 },
    {
      kind: 'disputes_overdue',
      severity: 'warning',
      object_id: id,
      since: inHours(96).toISOString(),
      title: '1 dispute is overdue',
    },
  ])
  clock.advance({ hours: 24 })
  await switchyard.settle()
  expect(await listConcerns(workspace)).toMatchObject([
    { kind: 'disputes_overdue', count: 2, title: '2 disputes are overdue' },
  ])
})

test('a dunning campaign is listed in its last three days, until it is stopped', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await workspace.aCampaign()
  const { body } = await workspace.get(`/dunning-campaigns/${id}`)
  const reading = clock.read()
  const now = reading.from === 'harness' ? reading.at.getTime() : 0
  const days = (new Date(body.ends_at).getTime() - now) / 86_400_000

  clock.advance({ days: days - 4 })
  expect(await listConcerns(workspace)).toEqual([])
  clock.advance({ days: 2 })
  expect(await listConcerns(workspace)).toMatchObject([
    { kind: 'dunning_ending', severity: 'warning', object_id: id, title: '1 dunning campaign ends soon' },
  ])
  await workspace.post(`/dunning-campaigns/${id}/stop`)
  expect(await listConcerns(workspace)).toEqual([])
})

test('a parked subscription is listed until it is unparked', async () => {
  const workspace = await switchyard.newWorkspace()
  const customer_id = await workspace.aCustomer()
  await createAttachedMethod(workspace, customer_id)
  const { id } = await aSubscription(workspace, { customer_id })
  await switchyard.advanceTime(1)
  clock.advance({ days: 31 * 25 })
  await switchyard.settle()

  expect(await listConcerns(workspace)).toMatchObject([
    { kind: 'subscriptions_parked', object_id: id, count: 1 },
  ])
  await workspace.post(`/subscriptions/${id}/unpark`)
  expect(await listConcerns(workspace)).toEqual([])
})

test('at most a thousand objects are counted, and the most severe concern is listed first', async () => {
  const workspace = await switchyard.newWorkspace()
  const account = (await workspace.get('/provider-accounts')).body.data[0].id
  await workspace.post(`/provider-accounts/${account}/hold`, {
    reason: 'Maintenance',
    until_at: '2036-11-20T12:00:00.000Z',
  })
  await sql(
    `insert into payments (workspace_id, id, status, purpose, amount, currency, capture_method, initiator,
       three_d_secure, card, review, created_at, updated_at)
     select $1, uuidv7(), 'processing', 'payment', 100, 'eur', 'automatic', 'customer', 'auto', '{}',
       'needs_review', now(), now() from generate_series(1, 1200)`,
    [uuidOf(workspace.workspaceId as Id<'workspace'>)],
  )

  expect(await listConcerns(workspace)).toMatchObject([
    { severity: 'critical', count: 1000, has_more: true, title: '1,000+ payments need review' },
    { severity: 'warning', kind: 'provider_account_held' },
  ])
})

test('concerns of other workspaces are not listed', async () => {
  await pay(await switchyard.newWorkspace(), cardNumberForScenario('5014'))

  expect(await listConcerns(await switchyard.newWorkspace())).toEqual([])
})

test('settlement lines that differ or are missing are listed until they are resolved', async () => {
  const workspace = await switchyard.newWorkspace()
  const line = await workspace.aSettlementLine()

  expect((await workspace.get('/attention')).body.data).toMatchObject([
    {
      kind: 'settlement_differences',
      severity: 'warning',
      title: '1 settlement line differs or is missing',
      object_id: line,
    },
  ])
  await workspace.post(`/settlement-lines/${line}/resolve`, { resolution: 'fee', note: 'A monthly fee.' })
  expect((await workspace.get('/attention')).body.data).toEqual([])
})
