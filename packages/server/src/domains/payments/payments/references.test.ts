// References of operations. If a client repeats a request after the database was restored to an earlier
// state, the provider receives the same reference and does not charge the payer again.

import { expect, test } from 'vitest'
import { asOwner } from '../../../../test/support/owner.ts'
import { createAttachedMethod, createToken, shortTimeouts } from '../../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'

const simulator = await simulatorForThisFile({ closesUnansweredCalls: true })
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: shortTimeouts,
})

const withKey = (key: string) => ({ headers: { 'idempotency-key': key } })
const derived = (number: number) => expect.stringMatching(new RegExp(`^R[0-9A-HJKMNP-TV-Z]{25}-${number}$`))

/** A saved card that a repeated request can use after the restore. */
const aSavedCard = async (workspace: Workspace) => ({
  payment_method_id: await createAttachedMethod(workspace, await workspace.aCustomer()),
})

const referencesOf = async ({ get }: Workspace, id: string): Promise<string[]> =>
  (await get(`/payments/${id}/operations`)).body.data
    .toSorted((a: { number: number }, b: { number: number }) => a.number - b.number)
    .map(({ reference }: { reference: string }) => reference)

/** Deletes rows that were written after the restored point in time. */
async function lose(workspace: Workspace, where: { readonly [table: string]: string }): Promise<void> {
  await asOwner(switchyard.databaseUrl, async (client) => {
    await client.query(`set session_replication_role = replica`)
    for (const [table, condition] of Object.entries(where))
      await client.query(`delete from ${table} where workspace_id = $1 and ${condition}`, [
        uuidOf(workspace.workspaceId as Id<'workspace'>),
      ])
  })
}

const everyPayment = {
  operation_references: 'true',
  payments: 'true',
  payment_attempts: 'true',
  operations: 'true',
  ledger_postings: 'true',
  idempotency_keys: 'true',
}

async function chargesAt(account: string): Promise<{ reference: string; fact: string }[]> {
  const response = await fetch(`${simulator.url}/control/${account}/ledger`)
  const { facts } = (await response.json()) as { facts: { reference: string; fact: string }[] }
  return facts.filter(({ fact }) => fact === 'charge' || fact === 'refund')
}

test('a request that is repeated after its payment was lost has the same reference, and charges once', async () => {
  const workspace = await switchyard.newWorkspace()
  const body = { amount: 1299, currency: 'eur', ...(await aSavedCard(workspace)) }
  const first = (await workspace.post('/payments', body, withKey('order-1'))).body
  const [reference] = await referencesOf(workspace, first.id)
  await lose(workspace, everyPayment)

  const repeat = (await workspace.post('/payments', body, withKey('order-1'))).body
  for (let check = 0; check < 3; check++) {
    switchyard.clock.advance({ seconds: 90 })
    await switchyard.settle()
  }

  expect(reference).toEqual(derived(1))
  expect(repeat.id).not.toBe(first.id)
  expect(await referencesOf(workspace, repeat.id)).toEqual([reference])
  expect((await workspace.get(`/payments/${repeat.id}`)).body).toMatchObject({
    status: 'succeeded',
    amount_captured: 1299,
  })
  expect(await chargesAt(repeat.provider_account_id)).toMatchObject([{ reference }])
  // Operators search for the reference that the provider shows.
  expect((await workspace.get(`/search?q=${reference}`)).body.data).toMatchObject([{ id: repeat.id }])
})

test('a key that is used again after its retention period gets a new reference, with the same body or a different one', async () => {
  const workspace = await switchyard.newWorkspace()
  const body = { amount: 1299, currency: 'eur', ...(await aSavedCard(workspace)) }
  const payments: { id: string; provider_account_id: string }[] = []
  for (const amount of [1299, 1299, 1000]) {
    payments.push((await workspace.post('/payments', { ...body, amount }, withKey('order-1'))).body)
    await lose(workspace, { idempotency_keys: 'true' })
  }

  const references = await Promise.all(payments.map(({ id }) => referencesOf(workspace, id)))

  expect(new Set(references.flat()).size).toBe(3)
  expect(payments).toMatchObject([{ status: 'succeeded' }, { status: 'succeeded' }, { status: 'succeeded' }])
  expect(await chargesAt(payments[0]?.provider_account_id as string)).toHaveLength(3)
})

test('each attempt of a request has its own reference, and the reference of a request without a key contains the payment id', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body: accounts } = await workspace.get('/provider-accounts')
  for (const { id } of accounts.data) await simulator.configure(id, { outage: true })
  const pay = async (options?: object) => {
    const body = { amount: 1299, currency: 'eur', token: await createToken(workspace) }
    const answer = (await workspace.post('/payments', body, options)).body
    return answer.resource_id ?? answer.id
  }

  const withKeyReferences = await referencesOf(workspace, await pay(withKey('order-1')))
  const id = await pay()

  expect(withKeyReferences).toEqual([derived(1), derived(2)])
  expect(new Set(withKeyReferences.map((reference) => reference.slice(0, 26))).size).toBe(1)
  expect(await referencesOf(workspace, id)).toEqual([`${id.slice(-26)}-1`, `${id.slice(-26)}-2`])
})

test('refunds that are repeated in a different order have the same references as before', async () => {
  const workspace = await switchyard.newWorkspace()
  const token = await createToken(workspace, '4242424242424242')
  const payment = (await workspace.post('/payments', { amount: 1299, currency: 'eur', token })).body
  const refund = (key: string, amount: number) =>
    workspace.post('/refunds', { payment_id: payment.id, amount }, withKey(key))
  await refund('a', 100)
  await refund('b', 200)
  const [charge, a, b] = await referencesOf(workspace, payment.id)
  await lose(workspace, {
    operation_references: 'true',
    operations: `kind = 'refund'`,
    refunds: 'true',
    ledger_postings: `act <> 'payment_captured'`,
    idempotency_keys: 'true',
  })
  await asOwner(switchyard.databaseUrl, (client) =>
    client.query(
      `set session_replication_role = replica; update payments set amount_refunded = 0 where id = '${uuidOf(payment.id)}'`,
    ),
  )

  await refund('b', 200)
  await refund('a', 100)

  expect(charge).toBe(`${payment.id.slice(-26)}-1`)
  expect([a, b]).toEqual([derived(1), derived(1)])
  expect(await referencesOf(workspace, payment.id)).toEqual([charge, b, a])
  expect(await chargesAt(payment.provider_account_id)).toHaveLength(3)
  expect((await workspace.get(`/payments/${payment.id}`)).body).toMatchObject({ amount_refunded: 300 })
})
