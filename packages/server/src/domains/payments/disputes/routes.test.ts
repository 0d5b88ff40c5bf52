// Disputes that the simulator opens, changes and decides, and their effects on refunds and the ledger.

import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { reportDispute } from '../../../../test/support/disputes.ts'
import { inTransaction } from '../../../../test/support/invoices.ts'
import { ledgerDifferences, postingsOf } from '../../../../test/support/ledger.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { createToken, eventTypesOf } from '../../../../test/support/payment-methods.ts'
import { createWebhookSender } from '../../../../test/support/provider-webhooks.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { openLedger } from '../../../../test/support/simulator-ledger.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'

const simulator = await simulatorForThisFile()
const simulatorLedger = openLedger(simulator.url)
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
const provider = createWebhookSender(simulator, switchyard)

type Payment = { readonly id: string; readonly provider_account_id: string; readonly review: string | null }

async function pay(workspace: Workspace): Promise<Payment> {
  const token = await createToken(workspace)
  return (await workspace.post('/payments', { amount: 1299, currency: 'eur', token })).body
}

const referenceOf = ({ id }: Payment) => `${id.slice(-26)}-1`

/** Opens a dispute at the provider, or changes one, and processes the webhook. */
async function disputeAtProvider(payment: Payment, method: 'POST' | 'PUT', members: object): Promise<string> {
  const account = payment.provider_account_id
  const url = `${simulator.url}/control/${account}/disputes`
  const response = await fetch(url, { method, body: JSON.stringify(members) })
  const dispute = (await response.json()) as { id: string }
  expect(response.status).toBe(200)
  await simulatorLedger.flush(account)
  await switchyard.settle()
  return dispute.id
}

const open = (payment: Payment, members: object = {}) =>
  disputeAtProvider(payment, 'POST', { parent_reference: referenceOf(payment), ...members })
const change = (payment: Payment, id: string, members: object) =>
  disputeAtProvider(payment, 'PUT', { id, ...members })

const disputesOf = async ({ get }: Workspace, { id }: Payment) =>
  (await get(`/disputes?payment_id=${id}`)).body.data
const onlyDisputeOf = async (workspace: Workspace, payment: Payment) => {
  const [dispute, ...others] = await disputesOf(workspace, payment)
  expect(others).toEqual([])
  return dispute
}
const typesOf = (workspace: Workspace, { id }: { id: string }) => eventTypesOf(workspace, id)
const expectLedgerToMatch = async ({ workspaceId }: Workspace) =>
  expect(await ledgerDifferences(switchyard.deps, workspaceId)).toEqual([])

test('a chargeback holds the amount, charges the fee and can be read', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  const providerReference = await open(payment, { respond_by_at: '2026-11-28T23:59:59.000Z' })

  const dispute = await onlyDisputeOf(workspace, payment)
  expect(dispute).toEqual({
    id: expect.stringMatching(/^dispute_test_/),
    object: 'dispute',
    payment_id: payment.id,
    provider_account_id: payment.provider_account_id,
    provider_reference: providerReference,
    stage: 'chargeback',
    status: 'needs_response',
    amount: 1299,
    currency: 'eur',
    amount_held: 1299,
    file_ids: [],
    fee: { amount: 1500, currency: 'eur' },
    reason: 'fraudulent',
    network_reason_code: '10.4',
    respond_by_at: '2026-11-28T23:59:59.000Z',
    overdue: false,
    evidence: expect.objectContaining({ explanation: null }),
    response_error: null,
    ended_at: null,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  })
  expect((await workspace.get(`/disputes/${dispute.id}`)).body).toEqual(dispute)
  expect(await typesOf(workspace, dispute)).toEqual(['dispute.created'])
  expect(await postingsOf(workspace, dispute.id)).toEqual([
    'dispute_withdrawn: disputes_held > clearing 1299',
    'dispute_fee_charged: fees > clearing 1500',
  ])
  expect(await postingsOf(workspace, payment.id)).toEqual([
    'payment_captured: clearing > sales 1299',
    'dispute_withdrawn: disputes_held > clearing 1299',
    'dispute_fee_charged: fees > clearing 1500',
  ])
  await expectLedgerToMatch(workspace)
})

test('a won dispute returns the amount, and a lost one is a loss', async () => {
  const workspace = await switchyard.newWorkspace()
  const [won, lost] = [await pay(workspace), await pay(workspace)]
  await change(won, await open(won, { fee: null }), { status: 'won' })
  await change(lost, await open(lost, { fee: null }), { status: 'lost' })

  const [wonDispute, lostDispute] = [
    await onlyDisputeOf(workspace, won),
    await onlyDisputeOf(workspace, lost),
  ]
  expect(wonDispute).toMatchObject({ status: 'won', amount_held: 0, ended_at: expect.any(String) })
  expect(lostDispute).toMatchObject({ status: 'lost', amount_held: 0, ended_at: expect.any(String) })
  expect(await typesOf(workspace, wonDispute)).toEqual(['dispute.created', 'dispute.won'])
  expect(await typesOf(workspace, lostDispute)).toEqual(['dispute.created', 'dispute.lost'])
  expect((await postingsOf(workspace, wonDispute.id)).slice(1)).toEqual([
    'dispute_returned: clearing > disputes_held 1299',
  ])
  expect((await postingsOf(workspace, lostDispute.id)).slice(1)).toEqual([
    'dispute_lost: dispute_losses > disputes_held 1299',
  ])
  const { body: balances } = await workspace.get('/balances')
  const amounts = Object.fromEntries(
    balances.data.map(({ account, amount }: { account: string; amount: number }) => [account, amount]),
  )
  expect(amounts).toEqual({ clearing: 1299, dispute_losses: 1299, disputes_held: 0, sales: 2598 })
  await expectLedgerToMatch(workspace)
})

test('an inquiry moves no money until it becomes a chargeback', async () => {
  const workspace = await switchyard.newWorkspace()
  const [closed, escalated] = [await pay(workspace), await pay(workspace)]
  await change(closed, await open(closed, { stage: 'inquiry' }), { status: 'closed' })
  const reference = await open(escalated, { stage: 'inquiry' })
  expect(await onlyDisputeOf(workspace, escalated)).toMatchObject({
    stage: 'inquiry',
    amount_held: 0,
    fee: null,
  })
  await change(escalated, reference, { stage: 'chargeback', fee: { amount: 1500, currency: 'eur' } })

  const closedDispute = await onlyDisputeOf(workspace, closed)
  expect(closedDispute).toMatchObject({ status: 'closed', stage: 'inquiry', amount_held: 0 })
  expect(await typesOf(workspace, closedDispute)).toEqual(['dispute.created', 'dispute.closed'])
  expect(await postingsOf(workspace, closedDispute.id)).toEqual([])
  const dispute = await onlyDisputeOf(workspace, escalated)
  expect(dispute).toMatchObject({ status: 'needs_response', stage: 'chargeback', amount_held: 1299 })
  expect(await typesOf(workspace, dispute)).toEqual(['dispute.created', 'dispute.updated'])
  await expectLedgerToMatch(workspace)
})

test('a won dispute that the bank contests is held again, and can then be lost', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  const reference = await open(payment, { fee: null })
  await change(payment, reference, { status: 'under_review' })
  await change(payment, reference, { status: 'won' })
  await change(payment, reference, { stage: 'pre_arbitration', status: 'needs_response' })
  expect(await onlyDisputeOf(workspace, payment)).toMatchObject({ amount_held: 1299, ended_at: null })
  await change(payment, reference, { status: 'lost' })

  const dispute = await onlyDisputeOf(workspace, payment)
  expect(dispute).toMatchObject({ stage: 'pre_arbitration', status: 'lost', amount_held: 0 })
  expect(await typesOf(workspace, dispute)).toEqual([
    'dispute.created',
    'dispute.submitted',
    'dispute.won',
    'dispute.updated',
    'dispute.lost',
  ])
  expect(await postingsOf(workspace, dispute.id)).toEqual([
    'dispute_withdrawn: disputes_held > clearing 1299',
    'dispute_returned: clearing > disputes_held 1299',
    'dispute_withdrawn: disputes_held > clearing 1299',
    'dispute_lost: dispute_losses > disputes_held 1299',
  ])
  await expectLedgerToMatch(workspace)
})

/** A report of the provider. Only `updated_at` determines which of two reports is newer. */
const reportOf = (payment: Payment, members: object = {}) => ({
  id: 'dp_1',
  parent_reference: referenceOf(payment),
  stage: 'chargeback',
  status: 'needs_response',
  amount: 1299,
  currency: 'eur',
  reason: 'not_received',
  withdrawn: true,
  updated_at: '2026-11-14T12:00:00Z',
  ...members,
})

async function send(payment: Payment, ...reports: readonly object[]): Promise<void> {
  for (const members of reports) {
    const dispute = reportOf(payment, members)
    await provider.sendCallback(payment.provider_account_id, { type: 'dispute.updated', dispute })
    await switchyard.settle()
  }
}

test('repeated and outdated reports change nothing, in whatever order they arrive', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  const [opened, reviewed, lost] = [
    {},
    { status: 'under_review', updated_at: '2026-11-15T12:00:00Z' },
    { status: 'lost', updated_at: '2026-11-16T12:00:00Z' },
  ]
  await send(payment, lost, opened, reviewed, lost, opened)

  const dispute = await onlyDisputeOf(workspace, payment)
  expect(dispute).toMatchObject({ status: 'lost', amount_held: 0 })
  expect(await typesOf(workspace, dispute)).toEqual(['dispute.created', 'dispute.lost'])
  expect(await postingsOf(workspace, dispute.id)).toEqual([
    'dispute_withdrawn: disputes_held > clearing 1299',
    'dispute_lost: dispute_losses > disputes_held 1299',
  ])
  expect((await workspace.get(`/payments/${payment.id}`)).body.review).toBe(null)
  await expectLedgerToMatch(workspace)
})

test('of two reports with the same time, the one that is further advanced applies', async () => {
  const workspace = await switchyard.newWorkspace()
  const [first, second] = [await pay(workspace), await pay(workspace)]
  const notWithdrawn = { withdrawn: false }
  await send(first, notWithdrawn, {})
  await send(second, { id: 'dp_2' }, { id: 'dp_2', withdrawn: false })
  expect(await onlyDisputeOf(workspace, first)).toMatchObject({ amount_held: 1299 })
  expect(await onlyDisputeOf(workspace, second)).toMatchObject({ amount_held: 1299 })
  await send(first, { status: 'won' }, {})

  expect(await onlyDisputeOf(workspace, first)).toMatchObject({ status: 'won', amount_held: 0 })
  expect((await workspace.get(`/payments/${first.id}`)).body.review).toBe(null)
})

const [announced, withdrawn, answered] = [
  { stage: 'chargeback', status: 'needs_response', isWithdrawn: false, seconds: 0 },
  { stage: 'chargeback', status: 'needs_response', isWithdrawn: true, seconds: 0 },
  { stage: 'inquiry', status: 'under_review', isWithdrawn: null, seconds: 1 },
] as const

test.each([
  [announced, withdrawn, answered],
  [announced, answered, withdrawn],
  [withdrawn, announced, answered],
  [withdrawn, answered, announced],
  [answered, announced, withdrawn],
  [answered, withdrawn, announced],
])(
  'a withdrawal is recorded even if a newer report that does not state it arrives first (%#)',
  async (...reports) => {
    const workspace = await switchyard.newWorkspace()
    const payment = await pay(workspace)
    for (const { seconds, ...report } of reports) {
      const reportedAt = new Date(Date.parse('2026-11-14T12:00:00.000Z') + seconds * 1_000)
      const members = { ...report, providerReference: 'dp_reordered', reportedAt, fee: null }
      await reportDispute(switchyard.deps, workspace.workspaceId, payment.id, members)
    }

    const dispute = await onlyDisputeOf(workspace, payment)
    expect(dispute).toMatchObject({ stage: 'chargeback', status: 'under_review', amount_held: 1299 })
    await expectLedgerToMatch(workspace)
  },
)

test('a lost dispute that was never held reduces the balance at the provider, and a changed amount or fee is posted', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  await send(
    payment,
    { fee: { amount: 1500, currency: 'usd' } },
    { updated_at: '2026-11-15T12:00:00Z', amount: 1000, fee: { amount: 2000, currency: 'eur' } },
    { updated_at: '2026-11-16T12:00:00Z', amount: 1000, withdrawn: false },
    { updated_at: '2026-11-17T12:00:00Z', amount: 1000, withdrawn: false, status: 'lost' },
  )

  const dispute = await onlyDisputeOf(workspace, payment)
  expect(dispute).toMatchObject({ status: 'lost', amount: 1000, fee: { amount: 2000, currency: 'eur' } })
  expect(await postingsOf(workspace, dispute.id)).toEqual([
    'dispute_withdrawn: disputes_held > clearing 1299',
    'dispute_fee_charged: fees > clearing 1500',
    'dispute_returned: clearing > disputes_held 299',
    'dispute_fee_returned: clearing > fees 1500',
    'dispute_fee_charged: fees > clearing 2000',
    'dispute_returned: clearing > disputes_held 1000',
    'dispute_withdrawn: disputes_held > clearing 1000',
    'dispute_lost: dispute_losses > disputes_held 1000',
  ])
  await expectLedgerToMatch(workspace)
})

test('a newer report that contradicts an ended dispute is a conflict, and changes nothing', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  const won = { status: 'won', updated_at: '2026-11-16T12:00:00Z' }
  await send(payment, { status: 'lost' }, won, won)

  const dispute = await onlyDisputeOf(workspace, payment)
  expect(dispute).toMatchObject({ status: 'lost' })
  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ review: 'conflict', amount_captured: 1299, amount_refunded: 0 })
  const types = await typesOf(workspace, payment)
  expect(types.filter((type: string) => type === 'payment.conflict_detected')).toHaveLength(1)
  await expectLedgerToMatch(workspace)
})

test('a dispute that is then reported for another payment is a conflict', async () => {
  const workspace = await switchyard.newWorkspace()
  const [disputed, other] = [await pay(workspace), await pay(workspace)]
  await send(disputed, {})
  await send(other, { status: 'lost', updated_at: '2026-11-16T12:00:00Z' })

  expect(await onlyDisputeOf(workspace, disputed)).toMatchObject({ status: 'needs_response' })
  expect(await disputesOf(workspace, other)).toEqual([])
  expect((await workspace.get(`/payments/${other.id}`)).body.review).toBe('conflict')
})

test('a dispute in another currency is a conflict, and one above the captured amount is recorded and flagged', async () => {
  const workspace = await switchyard.newWorkspace()
  const [foreign, excessive] = [await pay(workspace), await pay(workspace)]
  await send(foreign, { currency: 'usd' })
  await send(excessive, { amount: 1300 })

  expect(await disputesOf(workspace, foreign)).toEqual([])
  expect(await onlyDisputeOf(workspace, excessive)).toMatchObject({ amount: 1300, amount_held: 1300 })
  for (const { id } of [foreign, excessive])
    expect((await workspace.get(`/payments/${id}`)).body.review).toBe('conflict')
  await expectLedgerToMatch(workspace)
})

test('a dispute of an unknown operation, or of an operation at another account, is not recorded', async () => {
  const workspace = await switchyard.newWorkspace()
  const [payment, other] = [await pay(workspace), await pay(await switchyard.newWorkspace())]
  await send(payment, { parent_reference: `${payment.id.slice(-26)}-9` })
  const dispute = reportOf(payment)
  await provider.sendCallback(other.provider_account_id, { type: 'dispute.updated', dispute })
  await switchyard.settle()

  expect(await disputesOf(workspace, payment)).toEqual([])
  const { body: authorized } = await workspace.post('/payments', {
    amount: 1299,
    currency: 'eur',
    token: await createToken(workspace),
    capture_method: 'manual',
  })
  await send(authorized, {})
  expect(await disputesOf(workspace, authorized)).toEqual([])
  // The event is retried, so that a dispute that arrives before our own commit is not lost.
  await workspace.post(`/payments/${authorized.id}/capture`)
  switchyard.clock.advance({ seconds: 1 })
  await switchyard.settle()
  expect(await disputesOf(workspace, authorized)).toHaveLength(1)
})

test('disputes can be listed by status and by deadline, and by one filter only', async () => {
  const workspace = await switchyard.newWorkspace()
  const payments = [await pay(workspace), await pay(workspace), await pay(workspace)] as const
  const deadlines = ['2026-11-20T00:00:00Z', '2026-11-25T00:00:00Z', '2026-11-20T00:00:00Z']
  for (const [index, payment] of payments.entries())
    await send(payment, { id: `dp_${index}`, respond_by_at: deadlines[index] })
  await send(payments[2], { id: 'dp_2', status: 'won', updated_at: '2026-11-15T12:00:00Z' })
  const referencesOf = async (query: string) =>
    (await workspace.get(`/disputes?${query}`)).body.data.map(
      ({ provider_reference }: { provider_reference: string }) => provider_reference,
    )

  expect(await referencesOf('')).toEqual(['dp_2', 'dp_1', 'dp_0'])
  expect(await referencesOf('status=needs_response')).toEqual(['dp_1', 'dp_0'])
  expect(await referencesOf('status=won')).toEqual(['dp_2'])
  expect(await referencesOf('respond_by=2026-11-20T00:00:00Z')).toEqual(['dp_0'])
  expect(await referencesOf('respond_by=2026-11-30T00:00:00Z')).toEqual(['dp_1', 'dp_0'])
  const { status, body } = await workspace.get('/disputes?status=won&respond_by=2026-11-20T00:00:00Z')
  expect([status, body.code]).toEqual([400, 'invalid_request'])
  const missing = await workspace.get(`/disputes/${payments[0].id}`)
  expect([missing.status, missing.body.code]).toEqual([404, 'not_found'])
})

const refund = ({ post }: Workspace, { id }: Payment, amount?: number) =>
  post('/refunds', { payment_id: id, ...(amount === undefined ? {} : { amount }) })

test('the disputed part of a payment cannot be refunded while the dispute is open or lost', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  const reference = await open(payment, { amount: 1000 })

  for (const amount of [undefined, 300]) {
    const { status, body } = await refund(workspace, payment, amount)
    expect([status, body.code]).toEqual([409, 'payment_disputed'])
    expect(body.detail).toBe('1000 of the captured 1299 is disputed: at most 299 can be refunded.')
  }
  expect((await refund(workspace, payment, 1300)).status).toBe(400)
  expect((await refund(workspace, payment, 99)).status).toBe(201)
  await change(payment, reference, { status: 'lost' })
  expect((await refund(workspace, payment, 201)).body.code).toBe('payment_disputed')
  expect((await refund(workspace, payment, 200)).status).toBe(201)
  await expectLedgerToMatch(workspace)
})

test('a payment can be refunded during an inquiry and after a won dispute', async () => {
  const workspace = await switchyard.newWorkspace()
  const [inquired, won] = [await pay(workspace), await pay(workspace)]
  await open(inquired, { stage: 'inquiry' })
  await change(won, await open(won), { status: 'won' })

  for (const payment of [inquired, won]) expect((await refund(workspace, payment)).status).toBe(201)
  await expectLedgerToMatch(workspace)
})

test('if a refund and a dispute arrive concurrently, the refund is recorded first or is refused', async () => {
  const workspace = await switchyard.newWorkspace()
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const payment = await pay(workspace)
      const [refunded, id] = await Promise.all([refund(workspace, payment), workspace.aDispute(payment.id)])
      const { body: dispute } = await workspace.get(`/disputes/${id}`)
      const isFirst = refunded.status === 201 && refunded.body.created_at <= dispute.created_at
      return isFirst || refunded.body.code === 'payment_disputed'
    }),
  )

  expect(outcomes).toEqual(Array(8).fill(true))
  await expectLedgerToMatch(workspace)
})

test('a refund that is requested while a dispute is being recorded waits for it, and is refused', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  await asOwner(switchyard.databaseUrl, async (client) => {
    await client.query('begin')
    await client.query('select from payments where id = $1 for update', [uuidOf(payment.id as Id<'payment'>)])
    const requested = refund(workspace, payment)
    const waiting = `select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock'`
    await expect.poll(async () => (await client.query(waiting)).rows[0].waiting).toBe(1)
    // The dispute is committed by another transaction, as if it had held the lock of the payment.
    await insertOpenDispute(payment, workspace)
    await client.query('commit')
    const { status, body } = await requested
    expect([status, body.code]).toEqual([409, 'payment_disputed'])
  })
})

/** Triggers are off, because the event and the postings do not matter here. */
async function insertOpenDispute(payment: Payment, { workspaceId }: Workspace): Promise<void> {
  const uuids = [workspaceId, payment.id, payment.provider_account_id].map((id) =>
    uuidOf(id as Id<'payment'>),
  )
  await asOwner(switchyard.databaseUrl, async (client) => {
    await client.query('set session_replication_role = replica')
    await client.query(
      `insert into disputes (workspace_id, id, payment_id, provider_account_id, provider_reference, stage, status, amount,
        currency, reason, reported_at, created_at, updated_at)
      values ($1, uuidv7(), $2, $3, 'dp_1', 'chargeback', 'needs_response', 1299, 'eur', 'other', now(), now(), now())`,
      uuids,
    )
  })
}

test('a refund of a disputed amount, made at the provider, is recorded and flagged', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  await open(payment, { amount: 1000 })
  const refundAtProvider = async (amount: number) => {
    const operation = {
      reference: `theirs-${amount}`,
      kind: 'refund',
      status: 'succeeded',
      amount,
      currency: 'eur',
    }
    const identity = { provider_reference: `re_${amount}`, parent_reference: referenceOf(payment) }
    await provider.send(payment.provider_account_id, { ...operation, ...identity }, 'refund.created')
    await switchyard.settle()
    return (await workspace.get(`/payments/${payment.id}`)).body
  }

  expect(await refundAtProvider(299)).toMatchObject({ amount_refunded: 299, review: null })
  expect(await refundAtProvider(100)).toMatchObject({ amount_refunded: 399, review: 'conflict' })
  await expectLedgerToMatch(workspace)
})

test('the database refuses a dispute whose amounts differ from its postings', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  const id = await workspace.aDispute(payment.id)
  const update = (change: string) =>
    inTransaction(switchyard.deps, workspace.workspaceId, (tx) =>
      sql`update disputes set ${sql.raw(change)} where id = ${uuidOf(id as Id<'dispute'>)}`.execute(tx.db),
    )

  for (const change of [
    'amount_held = 0',
    "status = 'lost', ended_at = now(), amount_held = 0",
    'fee_amount = 1',
  ])
    await expect(update(change)).rejects.toThrow('has postings of 1299 held, 0 lost and 1500 in fees')
  await expect(update("reason = 'other'")).rejects.toThrow('changed without an event')
})
