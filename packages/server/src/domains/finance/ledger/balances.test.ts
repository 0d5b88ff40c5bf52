// Balances through the API: their amounts, and that they are exact before and after the roll-up.

import { afterEach, expect, test } from 'vitest'
import { billingForThisFile } from '../../../../test/support/billing.ts'
import { ledgerDifferences } from '../../../../test/support/ledger.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { createToken } from '../../../../test/support/payment-methods.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import { rollUpBalances } from './service/roll-up.ts'

const billing = await billingForThisFile()
const { createOpenInvoice, settle } = billing

const workspaces: Workspace[] = []
async function newWorkspace() {
  const workspace = await billing.newWorkspace()
  workspaces.push(workspace)
  return workspace
}

afterEach(async () => {
  for (const { workspaceId } of workspaces.splice(0))
    expect(await ledgerDifferences(billing.deps, workspaceId)).toEqual([])
})

type Balance = {
  readonly account: string
  readonly side: 'debit' | 'credit'
  readonly provider_account_id: string | null
  readonly currency: string
  readonly amount: number
}

async function fetchBalances({ get }: Workspace, query = ''): Promise<readonly Balance[]> {
  const { status, body } = await get(`/balances${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data
}

const amountsOf = (balances: readonly Balance[]) =>
  Object.fromEntries(balances.map(({ account, currency, amount }) => [`${account} ${currency}`, amount]))

function sumOfSide(balances: readonly Balance[], currency: string, side: string): number {
  return balances
    .filter((balance) => balance.currency === currency && balance.side === side)
    .reduce((sum, { amount }) => sum + amount, 0)
}

const rollUp = ({ workspaceId }: Workspace) => {
  const id = workspaceId as Id<'workspace'>
  return rollUpBalances(billing.deps, { workspaceId: id, id })
}

async function pay(workspace: Workspace, members: object = {}) {
  const token = await createToken(workspace, '4242424242424242')
  const { body } = await workspace.post('/payments', { amount: 1299, currency: 'eur', token, ...members })
  expect(body.status).toBe('succeeded')
  return body
}

test('a workspace without postings has no balances', async () => {
  const workspace = await newWorkspace()

  expect((await workspace.get('/balances')).body).toEqual({
    object: 'list',
    data: [],
    has_more: false,
    url: '/balances',
  })
})

test('payments, refunds, invoices and credit change balances, which are the same after each roll-up', async () => {
  const workspace = await newWorkspace()
  const payment = await pay(workspace)
  const clearing = {
    object: 'balance',
    account: 'clearing',
    side: 'debit',
    provider_account_id: payment.provider_account_id,
    currency: 'eur',
    amount: 1299,
  }
  const sales = { account: 'sales', side: 'credit', provider_account_id: null, currency: 'eur', amount: 1299 }
  expect(await fetchBalances(workspace)).toEqual([clearing, { object: 'balance', ...sales }])
  await rollUp(workspace)
  expect(await fetchBalances(workspace)).toEqual([clearing, { object: 'balance', ...sales }])

  await workspace.post('/refunds', { payment_id: payment.id, amount: 300 })
  await pay(workspace, { amount: 500, currency: 'usd' })
  const customerId = (await workspace.aCustomer()) as Id<'customer'>
  await createOpenInvoice(workspace, { customerId, amount: -1000 })
  await createOpenInvoice(workspace, { customerId })
  const paidId = await createOpenInvoice(workspace, { customerId, amount: 200 })
  await workspace.post(`/invoices/${paidId}/pay`, { out_of_band: true })

  const balances = await fetchBalances(workspace)
  await rollUp(workspace)
  const rolledUp = await fetchBalances(workspace)
  await settle()

  expect(amountsOf(balances)).toEqual({
    'cash eur': 200,
    'clearing eur': 999,
    'clearing usd': 500,
    'credit eur': 0,
    'receivable eur': 1999,
    'refunded eur': 300,
    'refunds_payable eur': 0,
    'sales eur': 299,
    'sales usd': 500,
    'unearned eur': 3199,
  })
  expect(rolledUp).toEqual(balances)
  expect(await fetchBalances(workspace)).toEqual(balances)
  for (const currency of ['eur', 'usd'])
    expect(sumOfSide(balances, currency, 'debit')).toBe(sumOfSide(balances, currency, 'credit'))
  const keys = balances.map(({ currency, account }) => `${currency} ${account}`)
  expect(keys).toEqual(keys.toSorted())
})

test('a balance is negative if the other side of its account is larger', async () => {
  const workspace = await newWorkspace()
  const customerId = (await workspace.aCustomer()) as Id<'customer'>
  await createOpenInvoice(workspace, { customerId, amount: -1000 })

  expect(amountsOf(await fetchBalances(workspace))).toEqual({ 'credit eur': 1000, 'sales eur': -1000 })
})

test('clearing has a balance for each provider account', async () => {
  const workspace = await newWorkspace()
  const { provider_account_id: firstId } = await pay(workspace)
  expect((await workspace.post(`/provider-accounts/${firstId}/disable`)).status).toBe(200)
  const { provider_account_id: secondId } = await pay(workspace, { amount: 700 })

  const balances = await fetchBalances(workspace)

  expect(secondId).not.toBe(firstId)
  expect(
    balances
      .filter(({ account }) => account === 'clearing')
      .map(({ provider_account_id, amount }) => [provider_account_id, amount])
      .toSorted(),
  ).toEqual(
    [
      [firstId, 1299],
      [secondId, 700],
    ].toSorted(),
  )
})

test('as_of includes postings until the end of that day in UTC, before and after the roll-up', async () => {
  const workspace = await newWorkspace()
  const today = billing.clock.read()
  if (today.from !== 'harness') throw new Error('The clock of tests is set by the test.')
  const dayAfter = (days: number) =>
    new Date(today.at.getTime() + days * 86_400_000).toISOString().slice(0, 10)
  await pay(workspace)
  billing.clock.advance({ days: 2 })
  await pay(workspace, { amount: 1 })
  const salesByDay = async () => {
    const days = [-1, 0, 1, 2, 3].map((days) => fetchBalances(workspace, `?as_of=${dayAfter(days)}`))
    return (await Promise.all(days)).map((balances) => amountsOf(balances)['sales eur'])
  }

  const before = await salesByDay()
  await rollUp(workspace)

  expect(before).toEqual([undefined, 1299, 1299, 1300, 1300])
  expect(await salesByDay()).toEqual(before)
})

test.each(['2026-02-31', 'yesterday', '2026-11-14T00:00:00Z'])(
  'as_of=%s is rejected with an error at /as_of',
  async (asOf) => {
    const { get } = await newWorkspace()

    expect(await get(`/balances?as_of=${asOf}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [{ pointer: '/as_of' }] },
    })
  },
)

test('balances of another workspace are not included', async () => {
  const [workspace, other] = [await newWorkspace(), await newWorkspace()]
  await pay(workspace)
  await rollUp(workspace)
  await pay(workspace)

  expect(await fetchBalances(other)).toEqual([])
})

test('a stored balance that differs from its postings is found', async () => {
  const workspace = await billing.newWorkspace()
  const payment = await pay(workspace)
  await rollUp(workspace)
  await asOwner(billing.databaseUrl, (client) =>
    client.query(
      `update ledger_balances set debits = debits - 1 where account = 'clearing' and workspace_id = $1`,
      [uuidOf(workspace.workspaceId as Id<'workspace'>)],
    ),
  )

  expect(await ledgerDifferences(billing.deps, workspace.workspaceId)).toEqual([
    `clearing ${payment.provider_account_id} eur ${payment.created_at.slice(0, 10)}: the sum of debits is 1298, but its postings add up to 1299`,
  ])
})
