// Looking into a payment, checking it at once, resolving it by hand, changing its words.

import { expect, test } from 'vitest'
import { numberOfScenario } from '../../../../simulator/src/cards.ts'
import { ledgerOf } from '../../../test/support/ledger.ts'
import { aToken, impatient, typesOf } from '../../../test/support/payment-methods.ts'
import { providerOf } from '../../../test/support/provider-words.ts'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const ledger = ledgerOf(simulator.url)
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: impatient,
})
const provider = providerOf(simulator, switchyard)

const good = '4242424242424242'
const silent = numberOfScenario('5004')
/** Charges one cent less than it is asked for. */
const wrongAmount = numberOfScenario('5014')

async function pay(workspace: Workspace, number: string, members: object = {}) {
  const token = await aToken(workspace, number)
  const { body } = await workspace.post('/payments', { amount: 1299, currency: 'eur', token, ...members })
  return (await workspace.get(`/payments/${body.resource_id ?? body.id}`)).body
}

const operationsOf = async ({ get }: Workspace, id: string) =>
  (await get(`/payments/${id}/operations`)).body.data

test('a check asks at once, and answers with what is known then', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, silent)
  expect(payment.status).toBe('processing')
  const headers = { 'idempotency-key': 'check-1' }

  const { status, body } = await workspace.post(`/payments/${payment.id}/check`, undefined, { headers })
  expect([status, body.status]).toEqual([200, 'succeeded'])
  await ledger.agreesWith(body)
  const again = await workspace.post(`/payments/${payment.id}/check`, undefined, { headers })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.body).toEqual(body)
  expect((await workspace.post(`/payments/${payment.id}/check`)).body).toEqual(body)
  const support = await workspace.tokenFor('SUPPORT')
  const path = `/payments/${payment.id}/check`
  expect((await workspace.post(path, undefined, { token: support })).status).toBe(200)
})

test('operations show what was asked of whom, and every call that was made for it, without a word of it', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, silent)
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
  expect(JSON.stringify([authorize, refund])).not.toContain(silent)
})

test('the timeline tells the whole story in order and in sentences', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, numberOfScenario('5009'))
  await workspace.post('/refunds', { payment_id: payment.id, amount: 300 })
  const { body } = await workspace.get(`/payments/${payment.id}/timeline`)

  const names = body.data.map(({ type, name }: { type: string; name: string }) => `${type} ${name}`)
  expect(names).toEqual([
    ...['event payment.created', 'attempt attempt', 'operation authorize'],
    ...['call authorize', 'event payment_attempt.failed', 'attempt attempt', 'operation authorize'],
    ...['call authorize', 'event payment.succeeded'],
    ...['event refund.created', 'event payment.updated', 'operation refund'],
    ...['call refund', 'event refund.succeeded', 'event payment.updated'],
  ])
  const sentences = body.data.map(({ sentence }: { sentence: string }) => sentence)
  const [first, second] = (await workspace.get(`/payments/${payment.id}/attempts`)).body.data
  const card = `visa ending in ${payment.card.last4}`
  const reference = payment.id.slice(-26)
  expect(sentences).toEqual([
    `EUR 12.99 is being asked for from ${card}.`,
    `Attempt 1 goes to ${first.provider_account_id}: the order of the accounts.`,
    `The account was asked to take EUR 12.99, as ${reference}-1: it refused to act (provider rate limited).`,
    expect.stringMatching(
      /^Call to authorize: answered 429 after \d+ ms\. It proves: rejected \(provider rate limited\)\.$/,
    ),
    'The account could not be reached, or refused to act.',
    `Attempt 2 goes to ${second.provider_account_id}: the order of the accounts; the account before could not take it. Passed over: ${first.provider_account_id} (tried).`,
    `The account was asked to take EUR 12.99, as ${reference}-2: it did.`,
    expect.stringMatching(/^Call to authorize: answered 200 after \d+ ms\. It proves: succeeded\.$/),
    `EUR 12.99 was taken from ${card} after 2 attempts.`,
    'EUR 3.00 is to be given back.',
    `EUR 12.99 was taken from ${card} after 2 attempts.`,
    `The account was asked to give back EUR 3.00, as ${reference}-3: it did.`,
    expect.stringMatching(/^Call to refund: answered 200 after/),
    'EUR 3.00 was given back.',
    `EUR 12.99 was taken from ${card} after 2 attempts. EUR 3.00 was given back.`,
  ])
})

test('a person who has asked the provider ends what nobody else could, and is audited', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, wrongAmount)
  expect(payment).toMatchObject({ status: 'processing', review: 'needs_review' })
  const [{ id }] = await operationsOf(workspace, payment.id)
  const path = `/payments/${payment.id}/operations/${id}/resolve`
  const word = { outcome: 'succeeded', note: 'Case 4711. Card 4242424242424242.' }
  const developer = await workspace.tokenFor('DEVELOPER')
  expect((await workspace.post(path, word, { token: developer })).status).toBe(403)

  const { status, body } = await workspace.post(path, word)
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
  expect(await workspace.post(path, word)).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
})

test('what a person says did not happen fails the payment, and no other account is asked', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, wrongAmount)
  const [{ id }] = await operationsOf(workspace, payment.id)
  const word = { outcome: 'not_processed', note: 'Undone by them.' }
  const { body } = await workspace.post(`/payments/${payment.id}/operations/${id}/resolve`, word)

  expect(body).toMatchObject({ status: 'failed', attempts_count: 1, review: null })
  const other = await pay(workspace, good)
  const nowhere = `/payments/${other.id}/operations/${id}/resolve`
  expect(await workspace.post(nowhere, word)).toMatchObject({ status: 404, body: { code: 'not_found' } })
})

test('money that is held for something dead is let go at once, and nobody has to look any more', async () => {
  const workspace = await switchyard.newWorkspace()
  const { provider_account_id: account } = await pay(workspace, good)
  await simulator.configure(account, { webhooks: 'off' })
  const payment = await pay(workspace, silent, { capture_method: 'manual' })
  // Nothing is heard of it for a week, and then a person is wrong about it.
  await simulator.configure(account, { outage: true })
  switchyard.clock.advance({ days: 8 })
  await switchyard.settle()
  const [{ id, reference }] = await operationsOf(workspace, payment.id)
  const word = { outcome: 'not_processed', note: 'They say that there is nothing.' }
  const resolved = await workspace.post(`/payments/${payment.id}/operations/${id}/resolve`, word)
  expect(resolved.body).toMatchObject({ status: 'failed', review: null })

  await simulator.configure(account, { outage: false })
  await provider.tell(account, {
    ...{ reference, kind: 'authorize', status: 'succeeded', provider_reference: 'sim_late' },
    ...{ amount: 1299, currency: 'eur' },
  })
  await switchyard.settle()

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'failed', review: null, amount_captured: 0, amount_capturable: 0 })
  expect(await ledger.sumsOf(payment.id)).toMatchObject({ approvals: 1, captured: 0, voided: 1299 })
  expect((await typesOf(workspace, payment.id)).slice(-3)).toEqual([
    ...['payment.failed', 'payment.conflict_detected', 'payment.updated'],
  ])
})

test('money that was taken for something dead is for a person, who says when it is put right', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '4000000000510000')
  await provider.tell(payment.provider_account_id, {
    ...{ reference: `${payment.id.slice(-26)}-1`, kind: 'authorize', status: 'succeeded' },
    ...{ provider_reference: 'sim_late', amount: 1299, currency: 'eur' },
  })
  await switchyard.settle()
  const { body: contradicted } = await workspace.get('/payments?review=conflict')
  expect(contradicted.data).toMatchObject([{ id: payment.id, status: 'failed', review: 'conflict' }])

  const [{ id }, ...others] = await operationsOf(workspace, payment.id)
  expect(others).toEqual([])
  const path = `/payments/${payment.id}/operations/${id}/resolve`
  expect(await workspace.post(path, { outcome: 'succeeded', note: 'x' })).toMatchObject({ status: 400 })
  const { body } = await workspace.post(path, { outcome: 'not_processed', note: 'They refunded it.' })
  expect(body).toMatchObject({ status: 'failed', review: null })
  expect((await workspace.get('/payments?review=conflict')).body.data).toEqual([])
})

test('words of a payment change at any time, and a repeat still has the bytes of the first call', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, silent, { description: 'A book', metadata: { a: '1', b: '2' } })
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

  const { body: known } = await workspace.post(`${path}/check`)
  expect(known).toMatchObject({ status: 'succeeded', description: null, metadata: { b: '2', c: '3' } })
  const calls = await simulator.callsOf(payment.provider_account_id)
  const puts = calls.filter(({ method }) => method === 'PUT').map(({ body: sent }) => sent)
  expect(puts).toHaveLength(2)
  expect(puts[1]).toEqual(puts[0])
  expect(puts[0]).toMatchObject({ description: 'A book', metadata: { a: '1', b: '2' } })
})

test('payments are listed by customer, order, state or by what a person has to look at: one of them', async () => {
  const workspace = await switchyard.newWorkspace()
  const customer_id = await workspace.aCustomer()
  const ordered = await pay(workspace, good, { order_reference: 'order-1' })
  const theirs = await pay(workspace, good, { customer_id })
  const odd = await pay(workspace, wrongAmount)
  const listed = async (filter: string) =>
    (await workspace.get(`/payments?${filter}`)).body.data.map(({ id }: { id: string }) => id)

  expect(await listed('order_reference=order-1')).toEqual([ordered.id])
  expect(await listed(`customer_id=${customer_id}`)).toEqual([theirs.id])
  expect(await listed('review=needs_review')).toEqual([odd.id])
  expect(await listed('status=succeeded')).toEqual([theirs.id, ordered.id])
  expect(await listed(`status=${odd.status}`)).toEqual([odd.id])
  expect(await listed('status=failed')).toEqual([])
  expect((await workspace.get('/payments?status=lost')).status).toBe(400)
  expect((await workspace.get('/payments?payment_link_id=nobody')).status).toBe(400)
  expect(await workspace.get(`/payments?review=conflict&customer_id=${customer_id}`)).toMatchObject({
    status: 400,
    body: { errors: [{ code: 'not_together' }] },
  })
})
