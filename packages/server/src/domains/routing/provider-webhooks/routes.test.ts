// Provider webhooks: early, late, duplicated, out of order, forged, and contradicting our records.

import { afterEach, expect, test } from 'vitest'
import { cardNumberForScenario } from '../../../../../simulator/src/cards.ts'
import { sign } from '../../../../../simulator/src/signature.ts'
import { ledgerDifferences, postingsOf } from '../../../../test/support/ledger.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import type { LogFields } from '../../../platform/log.ts'

const warnings: { message: string; fields: LogFields }[] = []
const quiet = { debug() {}, info() {}, error() {} }
const log = {
  ...quiet,
  warn: (message: string, fields: LogFields = {}) => warnings.push({ message, fields }),
}
afterEach(() => {
  warnings.length = 0
})

const simulator = await simulatorForThisFile({ closesUnansweredCalls: true })
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: { log, limits: { providerMs: 1_500, requestMs: 10_000 } },
})

async function pay({ post, get }: Workspace, number: string, members: object = {}) {
  const card = { number, exp_month: 12, exp_year: 2030, cvc: '123' }
  const { body: token } = await post('/tokens', { type: 'card', card })
  const { body } = await post('/payments', { amount: 1299, currency: 'eur', token: token.id, ...members })
  return (await get(`/payments/${body.resource_id ?? body.id}`)).body
}

/** The first account of the workspace, which is tried first. */
async function accountOf({ get }: Workspace): Promise<string> {
  const { body } = await get('/provider-accounts')
  return body.data.toSorted((a: { position: number }, b: { position: number }) => a.position - b.position)[0]
    .id
}

const referenceOf = (paymentId: string, number = 1) => `${paymentId.slice(-26)}-${number}`

function success(paymentId: string, members: object = {}) {
  return {
    reference: referenceOf(paymentId),
    kind: 'authorize',
    status: 'succeeded',
    provider_reference: 'sim_late',
    amount: 1299,
    currency: 'eur',
    ...members,
  }
}

let sentCount = 0

/** A webhook signed by the provider, with a secret of the account unless another is given. */
async function sendEvent(
  accountId: string,
  operation: object,
  overrides: { secret?: string; id?: string } = {},
) {
  sentCount += 1
  const event = { id: overrides.id ?? `event_${sentCount}`, type: 'operation.updated', operation }
  return send(accountId, JSON.stringify(event), overrides.secret)
}

async function send(accountId: string, body: string, secret?: string) {
  const path = `/provider-webhooks/${accountId}`
  const [accountSecret = ''] = (await simulator.fetchConfig(accountId)).secrets
  const signed = { role: 'callback', method: 'POST', path, body } as const
  const signature = sign(signed, [secret ?? accountSecret], Math.floor(Date.now() / 1000))
  return switchyard.call('test', 'POST', path, undefined, {
    raw: body,
    headers: { 'switchyard-signature': signature },
  })
}

const control = async (path: string, body: object = {}) => {
  const response = await fetch(`${simulator.url}/control/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
}

/** Sends all pending webhooks of the simulator. */
const flush = (accountId: string) => control(`${accountId}/webhooks/flush`)

async function rowsOf(table: 'provider_events' | 'conflicts', { workspaceId }: Workspace) {
  const statement = `select * from ${table} where workspace_id = $1 order by id`
  return asOwner(
    switchyard.databaseUrl,
    async (client) => (await client.query(statement, [uuidOf(workspaceId as Id<'workspace'>)])).rows,
  )
}

const typesOf = async ({ eventsOf }: Workspace, id: string) =>
  (await eventsOf(id)).map(({ type }: { type: string }) => type)

async function approvalsOf(paymentId: string): Promise<number> {
  const response = await fetch(`${simulator.url}/control/sums?payment_id=${paymentId}`)
  return ((await response.json()) as { sums: { approvals: number }[] }).sums[0]?.approvals ?? 0
}

test('a webhook that arrives before the response, or three times, causes one success and one event', async () => {
  for (const scenario of ['5012', '5013']) {
    const workspace = await switchyard.newWorkspace()
    const payment = await pay(workspace, cardNumberForScenario(scenario))
    await flush(payment.provider_account_id)
    await switchyard.settle()

    const { body } = await workspace.get(`/payments/${payment.id}`)
    expect(body).toMatchObject({ status: 'succeeded', amount_captured: 1299, review: null })
    expect(body.summary).toMatch(/^€12.99 charged to Visa •••• \d{4}\.$/)
    expect(await typesOf(workspace, payment.id)).toEqual(['payment.created', 'payment.succeeded'])
    const rows = await rowsOf('provider_events', workspace)
    expect(rows.map(({ outcome, verdict }) => [outcome, verdict])).toEqual([['recorded', 'valid']])
    expect(await approvalsOf(payment.id)).toBe(1)
  }
})

test('a forged webhook gets 401 and leaves no row, and a lookup determines the outcome', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, cardNumberForScenario('5020'))
  expect(payment).toMatchObject({ status: 'processing', amount_captured: 0 })
  await flush(payment.provider_account_id)

  const { status, body: problem } = await sendEvent(payment.provider_account_id, success(payment.id), {
    secret: 'psec_wrong',
  })
  expect([status, problem.code]).toEqual([401, 'provider_signature_invalid'])
  expect(await rowsOf('provider_events', workspace)).toEqual([])

  for (let minutes = 0; minutes < 6; minutes += 1) {
    switchyard.clock.advance({ minutes: 2 })
    await switchyard.settle()
  }
  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'failed', failure: { code: 'do_not_honor' }, review: null })
  expect(body.summary).toBe(
    // The outcome was known too late for a failover.
    `Payment failed: do not honor. Your bank declined this payment. Use another card.`,
  )
  expect(await approvalsOf(payment.id)).toBe(0)
})

test('a webhook ends a pending payment without a lookup', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, cardNumberForScenario('5016'))
  expect(payment).toMatchObject({
    status: 'processing',
    summary: `Authorizing €12.99 on Visa •••• ${payment.card.last4}.`,
  })

  await control('time', { advance_ms: 5_000 })
  await flush(payment.provider_account_id)
  await switchyard.settle()

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'succeeded', amount_captured: 1299 })
  expect(body.summary).toBe(`€12.99 charged to Visa •••• ${body.card.last4}.`)
  const calls = await simulator.listCalls(payment.provider_account_id)
  expect(calls.filter(({ method, path }) => method === 'GET' && path.includes('/operations/'))).toEqual([])
})

test('webhooks that arrive out of order lead to the newest state', async () => {
  const workspace = await switchyard.newWorkspace()
  await pay(workspace, '4242424242424242')
  const account = await accountOf(workspace)
  await simulator.configure(account, { webhooks: 'reordered' })
  const payment = await pay(workspace, cardNumberForScenario('5016'))
  await control('time', { advance_ms: 5_000 })
  await flush(account)
  // The provider reports the first state again, after the payment has ended.
  await sendEvent(account, success(payment.id, { status: 'pending', provider_reference: 'sim_old' }))
  await switchyard.settle()

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'succeeded', amount_captured: 1299, review: null })
  expect(body.summary).toBe(`€12.99 charged to Visa •••• ${body.card.last4}.`)
  expect(await typesOf(workspace, payment.id)).toEqual(['payment.created', 'payment.succeeded'])
})

test('a webhook without a matching operation is retried five times, then dropped with a warning', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '4242424242424242')
  await flush(payment.provider_account_id)
  const unmatched = success(payment.id, { reference: referenceOf(payment.id, 9) })

  const { status, body } = await sendEvent(payment.provider_account_id, unmatched, { id: 'event_unmatched' })
  expect([status, body]).toEqual([200, { received: true }])
  expect((await sendEvent(payment.provider_account_id, unmatched, { id: 'event_unmatched' })).status).toBe(
    200,
  )
  await switchyard.settle()
  for (const seconds of [1, 5, 30, 300]) {
    switchyard.clock.advance({ seconds })
    await switchyard.settle()
  }
  expect(warnings).toEqual([])
  switchyard.clock.advance({ seconds: 3_600 })
  await switchyard.settle()

  const rows = await rowsOf('provider_events', workspace)
  const [row] = rows.filter(({ dedupe_key }) => dedupe_key === 'event_unmatched')
  expect(rows.filter(({ dedupe_key }) => dedupe_key === 'event_unmatched')).toHaveLength(1)
  expect(row).toMatchObject({ outcome: 'unmatched', tries: 6, due_at: null })
  expect(warnings.map(({ message }) => message)).toEqual(['A provider event matches no operation.'])
  const { body: after } = await workspace.get(`/payments/${payment.id}`)
  expect(after).toEqual(payment)
})

test('a reported success of a failed payment is a conflict that emits one event and overwrites nothing', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '4000000000510000')
  expect(payment.status).toBe('failed')
  const account = payment.provider_account_id

  await sendEvent(account, success(payment.id))
  await sendEvent(account, success(payment.id))
  await switchyard.settle()

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({
    status: 'failed',
    review: 'conflict',
    amount_captured: 0,
    failure: { code: 'insufficient_funds' },
    summary: "The provider's report contradicts the recorded outcome. An admin must confirm what happened.",
  })
  const types = await typesOf(workspace, payment.id)
  expect(types.filter((type: string) => type === 'payment.conflict_detected')).toHaveLength(1)
  expect(types.at(-1)).toBe('payment.conflict_detected')
  const conflicts = await rowsOf('conflicts', workspace)
  expect(conflicts.map(({ kind }) => kind)).toEqual(['late_success'])
})

test('a reported failure of a succeeded payment is a conflict that emits one event and changes no amount', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '4242424242424242')
  const account = payment.provider_account_id
  await flush(account)

  const decline = { code: 'do_not_honor' }
  for (const _ of [1, 2]) await sendEvent(account, success(payment.id, { status: 'declined', decline }))
  await switchyard.settle()

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({
    status: 'succeeded',
    review: 'conflict',
    amount_captured: 1299,
    summary: "The provider's report contradicts the recorded outcome. An admin must confirm what happened.",
  })
  const types = await typesOf(workspace, payment.id)
  expect(types).toEqual(['payment.created', 'payment.succeeded', 'payment.conflict_detected'])
  expect(await rowsOf('conflicts', workspace)).toMatchObject([
    { kind: 'late_failure', detail: expect.stringContaining('failed (declined), but') },
  ])

  const { body: operations } = await workspace.get(`/payments/${payment.id}/operations`)
  const path = `/payments/${payment.id}/operations/${operations.data[0].id}/resolve`
  const resolved = await workspace.post(path, { outcome: 'not_processed', note: 'Their mistake.' })
  expect(resolved.body).toMatchObject({ status: 'succeeded', review: null, amount_captured: 1299 })
})

/** A payment with a refund of 500 that the provider first reports as succeeded and then as failed. */
async function payAndFailRefund(workspace: Workspace) {
  const payment = await pay(workspace, '4242424242424242')
  const { body: refund } = await workspace.post('/refunds', { payment_id: payment.id, amount: 500 })
  expect(refund.status).toBe('succeeded')

  const reference = referenceOf(payment.id, 2)
  const failed = { reference, kind: 'refund', status: 'declined', decline: { code: 'do_not_honor' } }
  await sendEvent(payment.provider_account_id, failed)
  await switchyard.settle()

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ review: 'conflict', amount_refunded: 500 })
  expect((await rowsOf('conflicts', workspace)).map(({ kind }) => kind)).toEqual(['late_failure'])
  const { body: operations } = await workspace.get(`/payments/${payment.id}/operations`)
  const { id } = operations.data.find(({ kind }: { kind: string }) => kind === 'refund')
  return { payment, refund, failed, resolvePath: `/payments/${payment.id}/operations/${id}/resolve` }
}

test('a refund that failed after it had succeeded can be requested again once a person has confirmed it', async () => {
  const workspace = await switchyard.newWorkspace()
  const { payment, refund, failed, resolvePath } = await payAndFailRefund(workspace)

  const resolved = await workspace.post(resolvePath, {
    outcome: 'not_processed',
    note: 'The bank returned it.',
  })

  expect(resolved.body).toMatchObject({ review: null, amount_refunded: 0, amount_refunding: 0 })
  expect((await workspace.get(`/refunds/${refund.id}`)).body).toMatchObject({
    status: 'failed',
    failure: { code: 'provider_error' },
  })
  expect(await typesOf(workspace, refund.id)).toEqual(['refund.created', 'refund.succeeded', 'refund.failed'])
  expect(await postingsOf(workspace, payment.id)).toEqual([
    'payment_captured: clearing > sales 1299',
    'refund_requested: refunded > refunds_payable 500',
    'refund_succeeded: refunds_payable > clearing 500',
    'refund_failed: refunds_payable > refunded 500',
    'refund_returned: clearing > refunds_payable 500',
  ])
  expect(await ledgerDifferences(switchyard.deps, workspace.workspaceId)).toEqual([])

  await sendEvent(payment.provider_account_id, failed)
  await switchyard.settle()
  expect((await workspace.get(`/payments/${payment.id}`)).body).toMatchObject({ review: null })
  const tooMuch = await workspace.post('/refunds', { payment_id: payment.id, amount: 1300 })
  const all = await workspace.post('/refunds', { payment_id: payment.id, amount: 1299 })
  expect([tooMuch.status, all.status]).toEqual([400, 201])
})

test('a refund that succeeded, although its failure was reported, stays succeeded', async () => {
  const workspace = await switchyard.newWorkspace()
  const { payment, refund, resolvePath } = await payAndFailRefund(workspace)

  const resolved = await workspace.post(resolvePath, { outcome: 'succeeded', note: 'The bank confirmed it.' })

  expect(resolved.body).toMatchObject({ review: null, amount_refunded: 500 })
  expect((await workspace.get(`/refunds/${refund.id}`)).body.status).toBe('succeeded')
  expect((await workspace.post(resolvePath, { outcome: 'not_processed', note: 'Again.' })).status).toBe(409)
  expect((await workspace.get(`/payments/${payment.id}`)).body.amount_refunded).toBe(500)
})

test('an authorization that is reported as cancelled is a conflict, unless it was voided', async () => {
  const workspace = await switchyard.newWorkspace()
  const held = await pay(workspace, '4242424242424242', { capture_method: 'manual' })
  const voided = await pay(workspace, '4242424242424242', { capture_method: 'manual' })
  expect((await workspace.post(`/payments/${voided.id}/cancel`)).body.status).toBe('cancelled')

  for (const { id, provider_account_id } of [held, voided])
    await sendEvent(provider_account_id, success(id, { status: 'closed' }))
  await switchyard.settle()

  expect((await workspace.get(`/payments/${held.id}`)).body).toMatchObject({
    status: 'requires_capture',
    review: 'conflict',
  })
  expect((await workspace.get(`/payments/${voided.id}`)).body).toMatchObject({
    status: 'cancelled',
    review: null,
  })
})

test('a success with a different amount is not accepted: the payment needs review', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, cardNumberForScenario('5016'))

  await sendEvent(payment.provider_account_id, success(payment.id, { amount: 1 }))
  await sendEvent(payment.provider_account_id, success(payment.id, { amount: 1 }))
  await switchyard.settle()

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'processing', review: 'needs_review', amount_captured: 0 })
  expect(body.summary).toBe(
    "The provider's report contradicts the request. An admin must confirm what happened.",
  )
  expect(await typesOf(workspace, payment.id)).toEqual(['payment.created', 'payment.needs_review'])
  expect((await rowsOf('conflicts', workspace)).map(({ kind }) => kind)).toEqual(['different_amount'])
})

test('a webhook from one account about an operation at another account is ignored', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, cardNumberForScenario('5016'))
  const { body: accounts } = await workspace.get('/provider-accounts')
  const other = accounts.data.find(({ id }: { id: string }) => id !== payment.provider_account_id).id
  const otherPayment = await pay(await switchyard.newWorkspace(), '4242424242424242')
  // The simulator is configured with an account and its secret when the account is first opened.
  await switchyard.call('test', 'POST', `/provider-webhooks/${other}`, {})

  for (const account of [other, otherPayment.provider_account_id])
    expect((await sendEvent(account, success(payment.id))).status).toBe(200)
  await switchyard.settle()

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'processing', review: null, amount_captured: 0 })
  expect(body.summary).toBe(`Authorizing €12.99 on Visa •••• ${body.card.last4}.`)
})

test('an unreadable, an unsigned and a misaddressed webhook are rejected', async () => {
  const workspace = await switchyard.newWorkspace()
  const { provider_account_id: account } = await pay(workspace, '4242424242424242')
  await flush(account)
  const before = await rowsOf('provider_events', workspace)

  const unreadable = await send(account, '{"id": 7')
  expect([unreadable.status, unreadable.body.code]).toEqual([400, 'invalid_request'])
  const unsigned = await switchyard.call('test', 'POST', `/provider-webhooks/${account}`, {})
  expect([unsigned.status, unsigned.body.code]).toEqual([401, 'provider_signature_invalid'])
  const nonexistent = `${account.slice(0, -1)}${account.endsWith('0') ? '1' : '0'}`
  for (const id of [nonexistent, 'nonsense']) {
    const { status, body } = await switchyard.call('test', 'POST', `/provider-webhooks/${id}`, {})
    expect([status, body.code]).toEqual([404, 'not_found'])
  }
  const inLiveMode = await switchyard.call('live', 'POST', `/provider-webhooks/${account}`, {})
  expect(inLiveMode.status).toBe(404)
  expect(await rowsOf('provider_events', workspace)).toEqual(before)
})

test('a webhook is accepted with any content type, and without one', async () => {
  const workspace = await switchyard.newWorkspace()
  const { provider_account_id: account } = await pay(workspace, '4242424242424242')
  for (const type of ['application/x-www-form-urlencoded', 'text/plain; charset=utf-8', null]) {
    const response = await fetch(`${switchyard.addresses.test}/provider-webhooks/${account}`, {
      method: 'POST',
      body: Buffer.from('id=tr_5B8cwPMGnU6qLbRvo7qEZo'),
      headers: type === null ? {} : { 'content-type': type },
    })
    // The body reaches the webhook verification, which rejects it because it is not signed.
    expect([response.status, await response.json()], type ?? 'none').toMatchObject([
      401,
      { code: 'provider_signature_invalid' },
    ])
  }
})

test('a payment whose outcome stays unknown for a week needs review', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, cardNumberForScenario('5001'))
  expect(payment.summary).toMatch(/^Outcome unknown: checking with the provider whether €12.99 was charged/)
  await simulator.configure(payment.provider_account_id, { outage: true })

  for (let day = 0; day < 8; day += 1) {
    switchyard.clock.advance({ days: 1, minutes: 1 })
    await switchyard.settle()
  }

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'processing', review: 'needs_review', amount_captured: 0 })
  expect(body.summary).toBe(
    `Outcome unknown: the provider does not report whether €12.99 was charged to Visa •••• ${body.card.last4}. An admin must confirm what happened.`,
  )
  expect(await typesOf(workspace, payment.id)).toEqual([
    'payment.created',
    'payment.unresolved',
    'payment.needs_review',
  ])
  // A late webhook still completes the payment.
  await sendEvent(payment.provider_account_id, success(payment.id))
  await switchyard.settle()
  const { body: after } = await workspace.get(`/payments/${payment.id}`)
  expect(after).toMatchObject({ status: 'succeeded', amount_captured: 1299, review: null })
})
