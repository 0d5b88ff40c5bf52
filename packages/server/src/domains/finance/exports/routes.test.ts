// Exports over HTTP: what is in the files, their sums and hashes, and who can download them.

import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { billingForThisFile } from '../../../../test/support/billing.ts'
import { downloadExport, parseCsv } from '../../../../test/support/exports.ts'
import { createToken, eventTypesOf } from '../../../../test/support/payment-methods.ts'
import { stripeFile, uploadTo } from '../../../../test/support/settlement.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'

const billing = await billingForThisFile()
const { clock, newWorkspace, settle } = billing
const november = { from: '2026-11-01', to: '2026-11-30' }

async function pay(workspace: Workspace, members: object = {}) {
  const token = await createToken(workspace)
  return (await workspace.post('/payments', { amount: 1299, currency: 'eur', token, ...members })).body
}

async function linesOf(workspace: Workspace, members: object) {
  const { content } = await downloadExport(workspace, await workspace.anExport(members))
  return parseCsv(content.toString())
}

const sumsOf = ({ sums }: { sums: { column: string; currency: string; amount: number }[] }) =>
  Object.fromEntries(sums.map(({ column, currency, amount }) => [`${column} ${currency}`, amount]))

test('an export runs in the background, and its file can be downloaded', async () => {
  const workspace = await newWorkspace()
  const payment = await pay(workspace, { description: '=cmd()' })
  await pay(workspace, { amount: 900, currency: 'jpy' })

  const { body: created } = await workspace.post('/exports', { of: 'payments', format: 'csv', ...november })
  expect(created).toMatchObject({
    status: 'running',
    file: null,
    rows: 0,
    progress: { done: 0, total: null },
  })
  await settle()

  const { body: exported } = await workspace.get(`/exports/${created.id}`)
  expect(exported).toEqual({
    id: created.id,
    object: 'export',
    of: 'payments',
    format: 'csv',
    ...november,
    status: 'completed',
    failure: null,
    progress: { done: 2, total: 2 },
    rows: 2,
    sums: expect.any(Array),
    file: {
      name: 'payments-2026-11-01-2026-11-30.csv',
      bytes: expect.any(Number),
      sha256: expect.any(String),
    },
    export_destination_id: null,
    upload: null,
    expires_at: '2026-11-21T12:00:00.000Z',
    created_at: expect.any(String),
    updated_at: expect.any(String),
    completed_at: expect.any(String),
  })
  expect(sumsOf(exported)).toMatchObject({ 'amount eur': 1299, 'amount jpy': 900, 'amount_refunded eur': 0 })
  expect((await workspace.get('/exports')).body.data).toEqual([exported])
  expect(await eventTypesOf(workspace, created.id)).toEqual(['export.created', 'export.completed'])

  const { headers, content } = await downloadExport(workspace, created.id)
  expect(headers.get('content-disposition')).toBe(`attachment; filename="${exported.file.name}"`)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(content).toHaveLength(exported.file.bytes)
  expect(createHash('sha256').update(content).digest('hex')).toBe(exported.file.sha256)
  const lines = parseCsv(content.toString())
  expect(lines).toHaveLength(2)
  expect(lines[0]).toMatchObject({
    id: payment.id,
    created_at: payment.created_at,
    status: 'succeeded',
    currency: 'eur',
    amount: '1299',
    amount_decimal: '12.99',
    amount_captured_decimal: '12.99',
    customer_id: '',
    description: "'=cmd()",
    card_brand: 'visa',
    card_last4: '4242',
  })
  expect(lines[1]).toMatchObject({ currency: 'jpy', amount: '900', amount_decimal: '900' })
})

test('every kind of object can be exported', async () => {
  const workspace = await newWorkspace()
  const { customerId, paymentMethodId } = await billing.aPayer(workspace)
  const payment = await pay(workspace)
  await workspace.post('/refunds', { payment_id: payment.id, amount: 300 })
  const dispute = await workspace.aDispute(payment.id)
  const invoice = await billing.createOpenInvoice(workspace, { customerId, amount: 2999 })
  await workspace.post(`/invoices/${invoice}/pay`, { payment_method_id: paymentMethodId })
  await settle()

  const [refund] = await linesOf(workspace, { of: 'refunds' })
  expect(refund).toMatchObject({
    payment_id: payment.id,
    status: 'succeeded',
    amount: '300',
    amount_decimal: '3.00',
  })
  const [customer] = await linesOf(workspace, { of: 'customers' })
  expect(customer).toMatchObject({ id: customerId })
  const [exportedInvoice] = await linesOf(workspace, { of: 'invoices' })
  expect(exportedInvoice).toMatchObject({
    id: invoice,
    status: 'paid',
    customer_id: customerId,
    total: '2999',
    amount_paid_decimal: '29.99',
  })
  const [exportedDispute] = await linesOf(workspace, { of: 'disputes' })
  expect(exportedDispute).toMatchObject({
    id: dispute,
    status: 'needs_response',
    fee_amount: '1500',
    fee_amount_decimal: '15.00',
  })
  expect(await linesOf(workspace, { of: 'subscriptions' })).toEqual([])
})

test('credit entries have the currency of their balance', async () => {
  const workspace = await newWorkspace()
  const { customerId } = await billing.aPayer(workspace)
  await billing.createOpenInvoice(workspace, { customerId, amount: -500 })

  const [entry] = await linesOf(workspace, { of: 'credit_entries' })
  expect(entry).toMatchObject({
    customer_id: customerId,
    currency: 'eur',
    amount: '500',
    amount_decimal: '5.00',
    balance_after: '500',
  })
})

test('settlement lines contain the object that they were matched with, and payouts their status when the export was created', async () => {
  const workspace = await newWorkspace()
  const payment = await pay(workspace)
  const { body: operations } = await workspace.get(`/payments/${payment.id}/operations`)
  const [operation] = operations.data
  const { body: imported } = await workspace.post('/settlement-imports', {
    provider_account_id: payment.provider_account_id,
    format: 'stripe_payout_reconciliation',
  })
  const [fee, payout] = ['0.30', 'po_1']
  const charge = {
    id: 'txn_1',
    reference: operation.provider_reference,
    gross: '12.99',
    fee,
    net: '12.69',
    payout,
  }
  const paidOut = { id: 'txn_2', category: 'payout', source: payout, gross: '-12.69', net: '-12.69', payout }
  await uploadTo(workspace, imported.id, stripeFile([charge, paidOut]))
  await settle()

  const lines = await linesOf(workspace, { of: 'settlement_lines' })
  const { body: listed } = await workspace.get('/settlement-lines')
  expect(lines.map(({ id }) => id).toSorted()).toEqual(
    listed.data.map(({ id }: { id: string }) => id).toSorted(),
  )
  expect(lines.find(({ kind }) => kind === 'payment')).toMatchObject({
    created_at: '2026-11-09T12:00:00.000Z',
    provider_account_id: payment.provider_account_id,
    settlement_import_id: imported.id,
    status: 'matched',
    matched_id: operation.id,
    amount: '1299',
    recorded_amount: '1299',
    settlement_currency: 'eur',
    fee: '30',
    net_decimal: '12.69',
    payout_reference: 'po_1',
  })
  const { body: payouts } = await workspace.get('/payouts')
  const [exported] = await linesOf(workspace, { of: 'payouts' })
  expect(exported).toMatchObject({
    id: payouts.data[0].id,
    provider_reference: 'po_1',
    status: payouts.data[0].status,
    amount: '1269',
    fees: '30',
    lines: '2',
    arrives_at: '2026-11-10T00:00:00.000Z',
  })
})

test('the journal has a debit and a credit per posting, and equals the postings and the balances', async () => {
  const workspace = await newWorkspace()
  const payment = await pay(workspace)
  await workspace.post('/refunds', { payment_id: payment.id, amount: 300 })
  await pay(workspace, { amount: 900, currency: 'jpy' })

  const postings = await linesOf(workspace, { of: 'ledger_postings' })
  const journal = await linesOf(workspace, { of: 'journal' })
  const { body: listed } = await workspace.get('/ledger-postings')
  expect(postings.map(({ id }) => id)).toEqual(listed.data.map(({ id }: { id: string }) => id).reverse())
  expect(postings[0]).toMatchObject({
    act: 'payment_captured',
    debit_account: 'clearing',
    credit_account: 'sales',
    debit_object_id: payment.id,
    amount: '1299',
  })
  expect(journal).toHaveLength(2 * postings.length)
  expect(journal.slice(0, 2)).toMatchObject([
    {
      date: '2026-11-14',
      account: 'clearing',
      provider_account_id: payment.provider_account_id,
      debit: '1299',
      debit_decimal: '12.99',
      credit: '',
    },
    {
      date: '2026-11-14',
      account: 'sales',
      provider_account_id: '',
      debit: '',
      credit: '1299',
      credit_decimal: '12.99',
    },
  ])

  const { body: balances } = await workspace.get('/balances?as_of=2026-11-30')
  for (const { account, side, currency, amount } of balances.data) {
    const lines = journal.filter((line) => line.account === account && line.currency === currency)
    const sum = (name: 'debit' | 'credit') => lines.reduce((total, line) => total + Number(line[name]), 0)
    expect(sum('debit') - sum('credit')).toBe(side === 'debit' ? amount : 0 - amount)
  }
})

test('only objects of the period are exported, and an object on a test clock has the date of that clock', async () => {
  const workspace = await newWorkspace()
  const { body: testClock } = await workspace.post('/test-clocks', { now_at: '2027-03-31T23:59:59.000Z' })
  const later = await workspace.aCustomer({ test_clock_id: testClock.id })
  const now = await workspace.aCustomer()

  const idsOf = async (from: string, to: string) => {
    const lines = await linesOf(workspace, { of: 'customers', from, to })
    return lines.map(({ id }) => id)
  }
  expect(await idsOf('2026-11-14', '2026-11-14')).toEqual([now])
  expect(await idsOf('2027-03-31', '2027-03-31')).toEqual([later])
  expect(await idsOf('2026-11-14', '2027-03-30')).toEqual([now])
  expect(await idsOf('2026-11-13', '2026-11-13')).toEqual([])
  expect(await idsOf('2027-04-01', '2027-04-01')).toEqual([])
})

test('workspaces and environments never mix', async () => {
  const [workspace, other, live] = [await newWorkspace(), await newWorkspace(), await newWorkspace('live')]
  const ids = [await workspace.aCustomer(), await other.aCustomer(), await live.aCustomer()]

  for (const [index, each] of [workspace, other, live].entries())
    expect((await linesOf(each, { of: 'customers' })).map(({ id }) => id)).toEqual([ids[index]])

  const exported = await workspace.anExport()
  expect((await other.get(`/exports/${exported}`)).status).toBe(404)
  expect((await other.get(`/exports/${exported}/download`)).status).toBe(404)
  const { body } = await workspace.get(`/exports/${exported}/download`)
  const liveUrl = body.url.replace(billing.addresses.test, billing.addresses.live)
  expect(liveUrl).not.toBe(body.url)
  expect(await (await fetch(liveUrl)).json()).toMatchObject({ code: 'download_link_invalid' })
})

test('a link works for 15 minutes, and cannot be changed', async () => {
  const workspace = await newWorkspace()
  const { body } = await workspace.get(`/exports/${await workspace.anExport()}/download`)
  expect(body).toMatchObject({ object: 'export_download', expires_at: '2026-11-14T12:15:00.000Z' })
  const statusOf = async (url: string) => (await fetch(url)).status

  clock.advance({ minutes: 14, seconds: 59 })
  expect(await statusOf(body.url)).toBe(200)
  const later = body.url.replace(
    /\.(\d+)\.([\w-]+)$/,
    (_: string, ms: string, code: string) => `.${Number(ms) + 60_000}.${code}`,
  )
  clock.advance({ seconds: 1 })
  expect(await statusOf(body.url)).toBe(403)
  expect(await statusOf(later)).toBe(403)
})

test('the file is deleted after 7 days, and the export is kept', async () => {
  const workspace = await newWorkspace()
  const id = await workspace.anExport()
  const { body: before } = await workspace.get(`/exports/${id}`)
  const { body: link } = await workspace.get(`/exports/${id}/download`)

  clock.advance({ days: 7 })
  await settle()

  const { body: after } = await workspace.get(`/exports/${id}`)
  expect(after).toEqual({ ...before, updated_at: after.updated_at })
  expect(await workspace.get(`/exports/${id}/download`)).toMatchObject({ status: 404 })
  expect((await fetch(link.url)).status).toBe(403)
})

test('a running export can be cancelled, and cannot be downloaded', async () => {
  const workspace = await newWorkspace()
  const { body: created } = await workspace.post('/exports', { of: 'payments', format: 'csv', ...november })
  const { body: early } = await workspace.get(`/exports/${created.id}/download`)
  expect(early).toMatchObject({ code: 'invalid_state', current_status: 'running' })

  const { body: cancelled } = await workspace.post(`/exports/${created.id}/cancel`)
  await settle()

  expect(cancelled).toMatchObject({ status: 'cancelled', file: null })
  expect((await workspace.post(`/exports/${created.id}/cancel`)).body).toMatchObject({ status: 'cancelled' })
  expect(await eventTypesOf(workspace, created.id)).toEqual(['export.created', 'export.cancelled'])
  const finished = await workspace.anExport()
  expect((await workspace.post(`/exports/${finished}/cancel`)).body).toMatchObject({ code: 'invalid_state' })
})

test('at most five exports run concurrently', async () => {
  const workspace = await newWorkspace()
  const create = () => workspace.post('/exports', { of: 'payments', format: 'csv', ...november })
  const created = await Promise.all([1, 2, 3, 4, 5, 6].map(create))

  expect(created.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 201, 201, 409])
  await settle()
  expect((await create()).status).toBe(201)
})

test('settlement lines that are imported after the export was created are not included', async () => {
  const workspace = await newWorkspace()
  const create = async () => {
    const body = { of: 'settlement_lines', format: 'csv', ...november }
    return (await workspace.post('/exports', body)).body.id as string
  }
  const before = await create()
  clock.advance({ seconds: 1 })
  const line = await workspace.aSettlementLine()
  const after = await create()
  await settle()

  const idsOf = async (id: string) => {
    const { content } = await downloadExport(workspace, id)
    return parseCsv(content.toString()).map((row) => row.id)
  }
  expect(await idsOf(before)).toEqual([])
  expect(await idsOf(after)).toEqual([line])
})

// biome-ignore format: a table.
test.each([
  [{ from: '2026-11-02', to: '2026-11-01' }, '/to',     'too_small'],
  [{ from: '2026-01-01', to: '2027-01-02' }, '/to',     'too_large'],
  [{ from: '2026-02-30' },                   '/from',   'bad_format'],
  [{ of: 'secrets' },                        '/of',     'not_in_list'],
  [{ format: 'xls' },                        '/format', 'not_in_list'],
])('%j is rejected', async (members, pointer, code) => {
  const workspace = await newWorkspace()

  const { status, body } = await workspace.post('/exports', { of: 'payments', format: 'csv', ...november, ...members })

  expect(status).toBe(400)
  expect(body.errors).toMatchObject([{ pointer, code }])
})
