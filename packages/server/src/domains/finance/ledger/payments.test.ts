// The postings of payments and refunds, and their comparison with the amounts of the payments.

import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { cardNumberForScenario } from '../../../../../simulator/src/cards.ts'
import { inTransaction } from '../../../../test/support/invoices.ts'
import { ledgerDifferences, postingsOf } from '../../../../test/support/ledger.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { createToken, shortTimeouts } from '../../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'

const simulator = await simulatorForThisFile({ closesUnansweredCalls: true })
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: shortTimeouts,
})
const approvedCard = '4242424242424242'
/** The simulator processes the operation, but does not respond. */
const noResponseCard = cardNumberForScenario('5004')

async function pay(workspace: Workspace, number: string, members: object = {}) {
  const token = await createToken(workspace, number)
  return (await workspace.post('/payments', { amount: 1299, currency: 'eur', token, ...members })).body
}

test('a captured payment debits the clearing account of its provider account', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, approvedCard)

  const { body, status } = await workspace.get(`/ledger-postings?object_id=${payment.id}`)

  expect(status).toBe(200)
  const { body: operations } = await workspace.get(`/payments/${payment.id}/operations`)
  expect(body).toMatchObject({
    has_more: false,
    data: [
      {
        object: 'ledger_posting',
        act: 'payment_captured',
        cause_id: operations.data[0].id,
        debit: { account: 'clearing', object_id: payment.id },
        credit: { account: 'sales', object_id: payment.id },
        provider_account_id: payment.provider_account_id,
        amount: 1299,
        currency: 'eur',
        effective_at: expect.any(String),
      },
    ],
  })
  expect(await ledgerDifferences(switchyard.deps, workspace.workspaceId)).toEqual([])
})

test('an authorization and its void move no money, and each partial capture is posted', async () => {
  const workspace = await switchyard.newWorkspace()
  const voided = await pay(workspace, approvedCard, { capture_method: 'manual' })
  await workspace.post(`/payments/${voided.id}/cancel`)
  const captured = await pay(workspace, approvedCard, { capture_method: 'manual' })
  await workspace.post(`/payments/${captured.id}/capture`, { amount: 1000, final: false })
  await workspace.post(`/payments/${captured.id}/capture`, { amount: 299 })

  expect(await postingsOf(workspace, voided.id)).toEqual([])
  expect(
    (await postingsOf(workspace, captured.id)).reduce((sum, text) => sum + Number(text.split(' ').at(-1)), 0),
  ).toBe((await workspace.get(`/payments/${captured.id}`)).body.amount_captured)
  expect(await ledgerDifferences(switchyard.deps, workspace.workspaceId)).toEqual([])
})

test('a refund is payable until it succeeds, and a failed refund is reversed', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, approvedCard)
  await workspace.post('/refunds', { payment_id: payment.id, amount: 300 })
  const failing = await pay(workspace, cardNumberForScenario('6004'))
  await workspace.post('/refunds', { payment_id: failing.id, amount: 400 })
  await switchyard.settle()

  expect(await postingsOf(workspace, payment.id)).toEqual([
    'payment_captured: clearing > sales 1299',
    'refund_requested: refunded > refunds_payable 300',
    'refund_succeeded: refunds_payable > clearing 300',
  ])
  expect(await postingsOf(workspace, failing.id)).toEqual([
    'payment_captured: clearing > sales 1299',
    'refund_requested: refunded > refunds_payable 400',
    'refund_failed: refunds_payable > refunded 400',
  ])
  expect(await ledgerDifferences(switchyard.deps, workspace.workspaceId)).toEqual([])
})

test('a charge of a payment that was cancelled in the meantime is unapplied, and its refund returns it', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, noResponseCard)
  await workspace.post(`/payments/${payment.id}/cancel`)
  switchyard.clock.advance({ seconds: 1 })
  await switchyard.settle()

  expect(await postingsOf(workspace, payment.id)).toEqual([
    'payment_captured: clearing > unapplied 1299',
    'refund_requested: unapplied > refunds_payable 1299',
    'refund_succeeded: refunds_payable > clearing 1299',
  ])
  expect(await ledgerDifferences(switchyard.deps, workspace.workspaceId)).toEqual([])
})

test('a difference between a payment and its postings is found', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, approvedCard)
  await asOwner(switchyard.databaseUrl, async (client) => {
    await client.query(
      'alter table payments disable trigger user; alter table payments no force row level security',
    )
    await client.query('update payments set amount_captured = 1298 where id = $1', [uuidOf(payment.id)])
    await client.query(
      'alter table payments enable trigger user; alter table payments force row level security',
    )
  })

  expect(await ledgerDifferences(switchyard.deps, workspace.workspaceId)).toEqual([
    `${payment.id}: amount_captured is 1298, but its postings add up to 1299`,
    `${payment.id}: the amount at the provider is 1298, but its postings add up to 1299`,
  ])
})

const posting = (payment: string, members: Record<string, unknown> = {}) => {
  const uuid = uuidOf(payment as Id<'payment'>)
  const row = {
    debit_account: 'clearing',
    credit_account: 'sales',
    currency: 'eur',
    amount: 1,
    line: 7,
    ...members,
  }
  return sql`insert into ledger_postings (workspace_id, id, cause_id, line, act, debit_account, credit_account,
      debit_object, credit_object, provider_account_id, currency, amount, effective_at)
    select current_workspace(), ledger_posting_id(${uuid}::uuid, ${row.line}::int), ${uuid}::uuid,
      ${members.stored_line ?? row.line}::int, 'test', ${row.debit_account}, ${row.credit_account}, ${uuid}::uuid,
      ${uuid}::uuid, ${members.provider_account_id === null ? null : uuid}::uuid, ${row.currency}, ${row.amount}::int8,
      now()`
}

test.each([
  ['a negative amount', { amount: -1 }, 'amount_check'],
  ['an amount of 0', { amount: 0 }, 'amount_check'],
  ['the same account twice', { credit_account: 'clearing' }, 'accounts_differ'],
  ['an unknown account', { credit_account: 'pocket' }, 'accounts_are_known'],
  ['clearing without a provider account', { provider_account_id: null }, 'clearing_names_its_account'],
  ['a provider account without clearing', { debit_account: 'cash' }, 'clearing_names_its_account'],
  ['a currency in upper case', { currency: 'EUR' }, 'currency_check'],
  ['an id that does not follow from its cause', { stored_line: 8 }, 'id_follows_from_cause'],
])('the database refuses a posting with %s', async (_, members, constraint) => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, approvedCard)

  const insert = inTransaction(switchyard.deps, workspace.workspaceId, (tx) =>
    posting(payment.id, members).execute(tx.db),
  )

  await expect(insert).rejects.toThrow(constraint)
})

test('a cause is posted once, and a posting is never changed or deleted', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, approvedCard)
  const run = (statement: ReturnType<typeof posting>) =>
    inTransaction(switchyard.deps, workspace.workspaceId, (tx) => statement.execute(tx.db))
  await run(posting(payment.id))

  await expect(run(posting(payment.id))).rejects.toThrow('duplicate key')
  await expect(run(sql`update ledger_postings set amount = 2`)).rejects.toThrow('permission denied')
  await expect(run(sql`delete from ledger_postings`)).rejects.toThrow('permission denied')
})

test('postings of another workspace are not listed, and a string that is not an id lists none', async () => {
  const [workspace, other] = [await switchyard.newWorkspace(), await switchyard.newWorkspace()]
  const payment = await pay(workspace, approvedCard)

  expect(await postingsOf(other, payment.id)).toEqual([])
  expect((await workspace.get('/ledger-postings?object_id=nothing')).body).toMatchObject({
    code: 'invalid_request',
  })
  const { body: all } = await workspace.get('/ledger-postings')
  expect(all.data).toMatchObject([{ debit: { object_id: payment.id } }])
  expect((await other.get('/ledger-postings')).body.data).toEqual([])
})
