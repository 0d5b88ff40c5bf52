// Timeline and operations of a payment, checks on demand, manual results, and changes to description and
// metadata.

import { expect, test } from 'vitest'
import { cardNumberForScenario } from '../../../../../simulator/src/cards.ts'
import { createToken, eventTypesOf, shortTimeouts } from '../../../../test/support/payment-methods.ts'
import { createWebhookSender } from '../../../../test/support/provider-webhooks.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { openLedger } from '../../../../test/support/simulator-ledger.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const ledger = openLedger(simulator.url)
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: shortTimeouts,
})
const provider = createWebhookSender(simulator, switchyard)

const approvedCard = '4242424242424242'
/** The simulator processes the operation, but does not respond. */
const noResponseCard = cardNumberForScenario('5004')
/** The simulator charges one cent less than requested. */
const wrongAmountCard = cardNumberForScenario('5014')

async function pay(workspace: Workspace, number: string, members: object = {}) {
  const token = await createToken(workspace, number)
  const { body } = await workspace.post('/payments', { amount: 1299, currency: 'eur', token, ...members })
  return (await workspace.get(`/payments/${body.resource_id ?? body.id}`)).body
}

const operationsOf = async ({ get }: Workspace, id: string) =>
  (await get(`/payments/${id}/operations`)).body.data

test('a check calls the provider immediately and returns the result', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, noResponseCard)
  expect(payment.status).toBe('processing')
  const headers = { 'idempotency-key': 'check-1' }

  const { status, body } = await workspace.post(`/payments/${payment.id}/check`, undefined, { headers })
  expect([status, body.status]).toEqual([200, 'succeeded'])
  await ledger.expectMatch(body)
  const again = await workspace.post(`/payments/${payment.id}/check`, undefined, { headers })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.body).toEqual(body)
  expect((await workspace.post(`/payments/${payment.id}/check`)).body).toEqual(body)
  const support = await workspace.tokenFor('SUPPORT')
  const path = `/payments/${payment.id}/check`
  expect((await workspace.post(path, undefined, { token: support })).status).toBe(200)
})

test('the list of operations contains each request to a provider with its calls, but no request or response bodies', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, noResponseCard)
  await workspace.post(`/payments/${payment.id}/check`)
  await workspace.post('/refunds', { payment_id: payment.id, amount: 300 })

  const [authorize, refund] = await operationsOf(workspace, payment.id)
  expect(authorize).toMatchObject({
    kind: 'authorize',
    reference: `${payment.id.slice(-26)}-1`,
    status: 'succeeded',
    amount: 1299,
    checks: 1,
    next_check_at: null,
    calls: [
      {
        step: 'authorize',
        status: null,
        outcome: 'unknown',
        fault_code: 'timeout',
        may_have_been_sent: true,
      },
      { step: 'authorize', status: 200, outcome: 'succeeded', fault_code: null },
    ],
  })
  expect(refund).toMatchObject({ kind: 'refund', amount: 300, refund_id: expect.any(String) })
  expect(JSON.stringify([authorize, refund])).not.toContain(noResponseCard)
})

test('the timeline lists events, attempts, operations and calls in order, each described in one sentence', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, cardNumberForScenario('5009'))
  await workspace.post('/refunds', { payment_id: payment.id, amount: 300 })
  const { body } = await workspace.get(`/payments/${payment.id}/timeline`)

  const names = body.data.map(({ type, name }: { type: string; name: string }) => `${type} ${name}`)
  expect(names).toEqual([
    'event payment.created',
    'attempt attempt',
    'operation authorize',
    'call authorize',
    'event payment_attempt.failed',
    'attempt attempt',
    'operation authorize',
    'call authorize',
    'event payment.succeeded',
    'event refund.created',
    'event payment.updated',
    'operation refund',
    'call refund',
    'event refund.succeeded',
    'event payment.updated',
  ])
  const sentences = body.data.map(({ sentence }: { sentence: string }) => sentence)
  const [first, second] = (await workspace.get(`/payments/${payment.id}/attempts`)).body.data
  const card = `Visa •••• ${payment.card.last4}`
  const reference = payment.id.slice(-26)
  expect(sentences).toEqual([
    `Authorizing €12.99 on ${card}.`,
    `Attempt 1 at ${first.provider_account_id}: default order.`,
    `Charge of €12.99 (reference ${reference}-1): request rejected (provider rate limited).`,
    expect.stringMatching(
      /^Call to authorize: HTTP 429 after \d+ ms\. Outcome: rejected \(provider rate limited\)\.$/,
    ),
    'The provider could not be reached, or rejected the request.',
    `Attempt 2 at ${second.provider_account_id}: default order; failover from the previous account. Skipped: ${first.provider_account_id} (already tried).`,
    `Charge of €12.99 (reference ${reference}-2): succeeded.`,
    expect.stringMatching(/^Call to authorize: HTTP 200 after \d+ ms\. Outcome: succeeded\.$/),
    `€12.99 charged to ${card} after 2 attempts.`,
    'Refund of €3.00 requested.',
    `€12.99 charged to ${card} after 2 attempts.`,
    `Refund of €3.00 (reference ${reference}-3): succeeded.`,
    expect.stringMatching(/^Call to refund: HTTP 200 after/),
    'Refund of €3.00 succeeded.',
    `€12.99 charged to ${card} after 2 attempts. €3.00 refunded.`,
  ])
})

test('an operation in review is resolved manually, and the action is audited', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, wrongAmountCard)
  expect(payment).toMatchObject({ status: 'processing', review: 'needs_review' })
  const [{ id }] = await operationsOf(workspace, payment.id)
  const path = `/payments/${payment.id}/operations/${id}/resolve`
  const manualResult = { outcome: 'succeeded', note: 'Case 4711. Card 4242424242424242.' }
  const developer = await workspace.tokenFor('DEVELOPER')
  expect((await workspace.post(path, manualResult, { token: developer })).status).toBe(403)

  const { status, body } = await workspace.post(path, manualResult)
  expect([status, body.status, body.review, body.amount_captured]).toEqual([200, 'succeeded', null, 1299])
  const { body: audit } = await workspace.get('/audit-entries')
  const [entry] = audit.data
  expect(entry).toMatchObject({
    act: 'operation.resolved',
    object_id: id,
    details: { payment_id: payment.id, outcome: 'succeeded' },
  })
  expect(entry.details.note).toContain('Case 4711')
  expect(JSON.stringify(entry)).not.toContain('4242424242424242')
  expect(await workspace.post(path, manualResult)).toMatchObject({
    status: 409,
    body: { code: 'invalid_state' },
  })
})

test('an operation in review shows the reported amount, and can be resolved with the amount that was actually captured', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, wrongAmountCard)
  const [operation] = await operationsOf(workspace, payment.id)
  expect(operation).toMatchObject({
    status: 'needs_review',
    amount: 1299,
    reported: { status: 'succeeded', amount: 1298, currency: 'eur' },
  })
  const { body: timeline } = await workspace.get(`/payments/${payment.id}/timeline`)
  const sentences = timeline.data.map(({ sentence }: { sentence: string }) => sentence)
  expect(sentences.join(' ')).toContain('Requested €12.99, provider reports €12.98.')

  const path = `/payments/${payment.id}/operations/${operation.id}/resolve`
  const note = 'Their dashboard says 12.98.'
  for (const invalid of [
    { outcome: 'succeeded', amount: 1300 },
    { outcome: 'not_processed', amount: 1298 },
  ])
    expect(await workspace.post(path, { ...invalid, note })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/amount' }] },
    })
  const { body } = await workspace.post(path, { outcome: 'succeeded', amount: 1298, note })

  expect(body).toMatchObject({ status: 'succeeded', review: null, amount: 1299, amount_captured: 1298 })
  await ledger.expectMatch(body)
  const { body: audit } = await workspace.get('/audit-entries')
  expect(audit.data[0].details).toMatchObject({ amount: 1298 })
  const { body: refund } = await workspace.post('/refunds', { payment_id: payment.id })
  expect(refund).toMatchObject({ status: 'succeeded', amount: 1298 })
})

test('a review resolved as not processed fails the payment, and no other account is tried', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, wrongAmountCard)
  const [{ id }] = await operationsOf(workspace, payment.id)
  const manualResult = { outcome: 'not_processed', note: 'Undone by them.' }
  const { body } = await workspace.post(`/payments/${payment.id}/operations/${id}/resolve`, manualResult)

  expect(body).toMatchObject({ status: 'failed', attempts_count: 1, review: null })
  const other = await pay(workspace, approvedCard)
  const wrongPath = `/payments/${other.id}/operations/${id}/resolve`
  expect(await workspace.post(wrongPath, manualResult)).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  })
})

test('an authorization that is reported for a failed attempt is voided immediately, which ends the review', async () => {
  const workspace = await switchyard.newWorkspace()
  const { provider_account_id: account } = await pay(workspace, approvedCard)
  await simulator.configure(account, { webhooks: 'off' })
  const payment = await pay(workspace, noResponseCard, { capture_method: 'manual' })
  // The provider is unreachable for a week, and then a person resolves the operation wrongly.
  await simulator.configure(account, { outage: true })
  switchyard.clock.advance({ days: 8 })
  await switchyard.settle()
  const [{ id, reference }] = await operationsOf(workspace, payment.id)
  const manualResult = { outcome: 'not_processed', note: 'The provider found no record of this payment.' }
  const resolved = await workspace.post(`/payments/${payment.id}/operations/${id}/resolve`, manualResult)
  expect(resolved.body).toMatchObject({ status: 'failed', review: null })

  await simulator.configure(account, { outage: false })
  await provider.send(account, {
    reference,
    kind: 'authorize',
    status: 'succeeded',
    provider_reference: 'sim_late',
    amount: 1299,
    currency: 'eur',
  })
  await switchyard.settle()

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'failed', review: null, amount_captured: 0, amount_capturable: 0 })
  expect(await ledger.fetchTotals(payment.id)).toMatchObject({ approvals: 1, captured: 0, voided: 1299 })
  expect((await eventTypesOf(workspace, payment.id)).slice(-3)).toEqual([
    'payment.failed',
    'payment.conflict_detected',
    'payment.updated',
  ])
})

test('a charge that is reported for a failed attempt needs review, until a person confirms that it was corrected', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '4000000000510000')
  await provider.send(payment.provider_account_id, {
    reference: `${payment.id.slice(-26)}-1`,
    kind: 'authorize',
    status: 'succeeded',
    provider_reference: 'sim_late',
    amount: 1299,
    currency: 'eur',
  })
  await switchyard.settle()
  const { body: conflicts } = await workspace.get('/payments?review=conflict')
  expect(conflicts.data).toMatchObject([{ id: payment.id, status: 'failed', review: 'conflict' }])

  const [{ id }, ...others] = await operationsOf(workspace, payment.id)
  expect(others).toEqual([])
  const path = `/payments/${payment.id}/operations/${id}/resolve`
  expect(await workspace.post(path, { outcome: 'succeeded', note: 'x' })).toMatchObject({ status: 400 })
  const { body } = await workspace.post(path, { outcome: 'not_processed', note: 'They refunded it.' })
  expect(body).toMatchObject({ status: 'failed', review: null })
  expect((await workspace.get('/payments?review=conflict')).body.data).toEqual([])
})

test('description and metadata can change at any time, and a repeated request still sends the original values', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, noResponseCard, {
    description: 'A book',
    metadata: { a: '1', b: '2' },
  })
  const path = `/payments/${payment.id}`
  const { headers } = await workspace.get(path)
  const ifMatch = { headers: { 'if-match': headers.get('etag') ?? '' } }

  const { status, body } = await workspace.put(
    path,
    { description: null, metadata: { a: null, c: '3' } },
    ifMatch,
  )
  expect([status, body.description, body.metadata]).toEqual([200, null, { b: '2', c: '3' }])
  expect((await workspace.put(path, { description: 'Late' }, ifMatch)).status).toBe(412)
  expect((await workspace.put(path, {})).body).toEqual(body)

  const { body: resolved } = await workspace.post(`${path}/check`)
  expect(resolved).toMatchObject({ status: 'succeeded', description: null, metadata: { b: '2', c: '3' } })
  const calls = await simulator.listCalls(payment.provider_account_id)
  const puts = calls.filter(({ method }) => method === 'PUT').map(({ body: sent }) => sent)
  expect(puts).toHaveLength(2)
  expect(puts[1]).toEqual(puts[0])
  expect(puts[0]).toMatchObject({ description: 'A book', metadata: { a: '1', b: '2' } })
})

test('payments can be filtered by customer, order, status or review, one filter at a time', async () => {
  const workspace = await switchyard.newWorkspace()
  const customer_id = await workspace.aCustomer()
  const ordered = await pay(workspace, approvedCard, { order_reference: 'order-1' })
  const ofCustomer = await pay(workspace, approvedCard, { customer_id })
  const inReview = await pay(workspace, wrongAmountCard)
  const listIds = async (filter: string) =>
    (await workspace.get(`/payments?${filter}`)).body.data.map(({ id }: { id: string }) => id)

  expect(await listIds('order_reference=order-1')).toEqual([ordered.id])
  expect(await listIds(`customer_id=${customer_id}`)).toEqual([ofCustomer.id])
  expect(await listIds('review=needs_review')).toEqual([inReview.id])
  expect(await listIds('status=succeeded')).toEqual([ofCustomer.id, ordered.id])
  expect(await listIds(`status=${inReview.status}`)).toEqual([inReview.id])
  expect(await listIds('status=failed')).toEqual([])
  expect((await workspace.get('/payments?status=lost')).status).toBe(400)
  expect((await workspace.get('/payments?payment_link_id=nobody')).status).toBe(400)
  expect(await workspace.get(`/payments?review=conflict&customer_id=${customer_id}`)).toMatchObject({
    status: 400,
    body: { errors: [{ code: 'not_together' }] },
  })
})
