// The end of a month: the exported journal agrees with the balances, the postings, and the amounts at the provider.

import { expect, test } from 'vitest'
import { billingForThisFile } from '../../../../test/support/billing.ts'
import { downloadExport, parseCsv } from '../../../../test/support/exports.ts'
import { readParquetRows } from '../../../../test/support/parquet.ts'
import { createToken } from '../../../../test/support/payment-methods.ts'
import { openLedger } from '../../../../test/support/simulator-ledger.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'

const billing = await billingForThisFile()
const simulatorLedger = openLedger(billing.simulator.url)
const november = { from: '2026-11-01', to: '2026-11-30' }

async function pay(workspace: Workspace, members: object) {
  const token = await createToken(workspace)
  return (await workspace.post('/payments', { token, ...members })).body
}

/** Payments in two currencies, refunds, a dispute, an invoice that is paid, and one that is not. */
async function simulateNovember(workspace: Workspace) {
  const euros = await pay(workspace, { amount: 12_999, currency: 'eur' })
  await pay(workspace, { amount: 5_000, currency: 'usd' })
  await pay(workspace, { amount: 777, currency: 'eur', capture_method: 'manual' })
  await workspace.post('/refunds', { payment_id: euros.id, amount: 1_333 })
  const { customerId, paymentMethodId } = await billing.aPayer(workspace)
  const paid = await billing.createOpenInvoice(workspace, { customerId, amount: 2_999 })
  await workspace.post(`/invoices/${paid}/pay`, { payment_method_id: paymentMethodId })
  await billing.createOpenInvoice(workspace, { customerId, amount: 4_000 })
  await billing.settle()
}

type Line = { readonly [column: string]: string }
const net = (lines: readonly Line[], account: string, currency: string) =>
  lines
    .filter((line) => line.account === account && line.currency === currency)
    .reduce((sum, { debit, credit }) => sum + Number(debit) - Number(credit), 0)

test('the journal of a month equals the balances, and the ledger of the provider', async () => {
  const workspace = await billing.newWorkspace()
  await simulateNovember(workspace)
  // Changes in December are not part of November.
  billing.clock.advance({ days: 17 })
  await pay(workspace, { amount: 100_000, currency: 'eur' })

  const csvId = await workspace.anExport({ of: 'journal', ...november })
  const lines = parseCsv((await downloadExport(workspace, csvId)).content.toString())
  const parquetId = await workspace.anExport({ of: 'journal', format: 'parquet', ...november })
  const rows = readParquetRows((await downloadExport(workspace, parquetId)).content)

  // Balances: at the end of the month, to the cent.
  const { body: balances } = await workspace.get('/balances?as_of=2026-11-30')
  expect(balances.data.length).toBeGreaterThan(5)
  for (const { account, side, currency, amount, provider_account_id: id } of balances.data) {
    const own = lines.filter((line) => line.provider_account_id === (id ?? ''))
    expect(net(own, account, currency), `${account} ${currency}`).toBe(side === 'debit' ? amount : 0 - amount)
  }

  // The same sums in both files and in both exports.
  const [csv, parquet] = await Promise.all(
    [csvId, parquetId].map(async (id) => (await workspace.get(`/exports/${id}`)).body),
  )
  expect(parquet.sums).toEqual(csv.sums)
  for (const { column, currency, amount } of csv.sums) {
    const inCsv = lines.filter((line) => line.currency === currency)
    expect(inCsv.reduce((sum, line) => sum + Number(line[column]), 0)).toBe(amount)
    const inParquet = rows.filter((row) => row.currency === currency)
    expect(inParquet.reduce((sum, row) => sum + ((row[column] ?? 0n) as bigint), 0n)).toBe(BigInt(amount))
  }
  const sumOf = (column: string) => csv.sums.filter((sum: { column: string }) => sum.column === column)
  expect(sumOf('debit').map(({ amount }: { amount: number }) => amount)).toEqual(
    sumOf('credit').map(({ amount }: { amount: number }) => amount),
  )

  // The provider: what it captured and refunded in November.
  for (const currency of ['eur', 'usd'])
    expect(net(lines, 'clearing', currency), currency).toBe(await heldByProvider(workspace, currency))
})

/** What the simulator captured minus what it refunded, for the payments of November. */
async function heldByProvider({ get }: Workspace, currency: string): Promise<number> {
  const { body } = await get('/payments')
  const payments = (body.data as { id: string; currency: string; created_at: string }[]).filter(
    (payment) => payment.currency === currency && payment.created_at < '2026-12-01',
  )
  const totals = await Promise.all(payments.map(({ id }) => simulatorLedger.fetchTotals(id)))
  const held = totals.reduce((sum, { captured, refunded }) => sum + captured - refunded, 0)
  expect(held).toBeGreaterThan(0)
  return held
}
