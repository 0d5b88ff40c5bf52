// Settlement reports over HTTP: upload, matching with payments and refunds, postings, payouts, and resolving.

import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { billingForThisFile } from '../../../../test/support/billing.ts'
import { failSucceededRefund } from '../../../../test/support/failed-refund.ts'
import { inTransaction } from '../../../../test/support/invoices.ts'
import { ledgerDifferences, postingsOf } from '../../../../test/support/ledger.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { createToken } from '../../../../test/support/payment-methods.ts'
import { payoutLines, stripeColumns, stripeFile, uploadTo } from '../../../../test/support/settlement.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'

const switchyard = await billingForThisFile()

const workspaces: Workspace[] = []
async function newWorkspace() {
  const workspace = await switchyard.newWorkspace()
  workspaces.push(workspace)
  return workspace
}

afterEach(async () => {
  for (const { workspaceId } of workspaces.splice(0))
    expect(await ledgerDifferences(switchyard.deps, workspaceId)).toEqual([])
})

async function pay(workspace: Workspace, members: object = {}) {
  const token = await createToken(workspace, '4242424242424242')
  const { body } = await workspace.post('/payments', { amount: 1299, currency: 'eur', token, ...members })
  expect(body.status).toBe('succeeded')
  const operations = await workspace.get(`/payments/${body.id}/operations`)
  const [operation] = operations.body.data
  return {
    id: body.id,
    account: body.provider_account_id,
    reference: operation.provider_reference,
    operation: operation.id,
  }
}

async function refund(workspace: Workspace, payment: { readonly id: string }, amount: number) {
  const { body } = await workspace.post('/refunds', { payment_id: payment.id, amount })
  await switchyard.settle()
  const operations = await workspace.get(`/payments/${payment.id}/operations`)
  const found = operations.body.data.find(({ kind }: { kind: string }) => kind === 'refund')
  return { id: body.id, reference: found.provider_reference }
}

const importOf = async (workspace: Workspace, account: string, content: string, members: object = {}) => {
  const { body } = await workspace.post('/settlement-imports', {
    provider_account_id: account,
    format: 'stripe_payout_reconciliation',
    ...members,
  })
  const uploaded = await uploadTo(workspace, body.id, content)
  await switchyard.settle()
  return { uploaded, final: (await workspace.get(`/settlement-imports/${body.id}`)).body }
}
const linesOf = async ({ get }: Workspace, query = '') => (await get(`/settlement-lines${query}`)).body.data
const statusesOf = async (workspace: Workspace) => {
  const { body } = await workspace.get('/reconciliation')
  const { matched, amount_differs, missing_here, missing_there, resolved } = body
  return { matched, amount_differs, missing_here, missing_there, resolved }
}
const none = { matched: 0, amount_differs: 0, missing_here: 0, missing_there: 0, resolved: 0 }
const balancesOf = async ({ get }: Workspace) => {
  const { body } = await get('/balances')
  const entries = body.data.map(
    ({ account, currency, amount }: { account: string; currency: string; amount: number }) => [
      `${account} ${currency}`,
      amount,
    ],
  )
  return Object.fromEntries(entries)
}

test('payments and refunds are matched by the reference of the provider, and the payout clears the balance', async () => {
  const workspace = await newWorkspace()
  const payment = await pay(workspace)
  const returned = await refund(workspace, payment, 299)
  const file = stripeFile([
    { id: 'txn_1', reference: payment.reference, gross: '12.99', fee: '0.43', net: '12.56' },
    {
      id: 'txn_2',
      category: 'refund',
      source: returned.reference,
      reference: payment.reference,
      gross: '-2.99',
      net: '-2.99',
    },
    { id: 'txn_3', category: 'fee', source: 'fee_1', gross: '-1.00', net: '-1.00' },
  ])

  const { uploaded, final } = await importOf(workspace, payment.account, file, { file_name: 'november.csv' })

  expect(uploaded).toMatchObject({ status: 200, body: { status: 'matching', lines_read: 3, lines_new: 3 } })
  expect(final).toMatchObject({
    object: 'settlement_import',
    status: 'completed',
    file_name: 'november.csv',
    lines_matched: 3,
    duplicate_of: null,
    failure: null,
  })
  expect(await statusesOf(workspace)).toEqual({ ...none, matched: 3 })
  const lines = await linesOf(workspace, '?status=matched')
  const line = lines.find(({ kind }: { kind: string }) => kind === 'payment')
  expect(line).toMatchObject({
    amount: 1299,
    recorded_amount: 1299,
    fee: 43,
    net: 1256,
    matched_id: payment.operation,
    payout_reference: 'po_1',
    in_suspense: 0,
  })
  expect(line.raw.balance_transaction_id).toBe('txn_1')
  expect(lines.find(({ kind }: { kind: string }) => kind === 'refund').matched_id).toBe(returned.id)
  const { body } = await workspace.get('/payouts')
  expect(body.data).toHaveLength(1)
  expect(body.data[0]).toMatchObject({
    provider_reference: 'po_1',
    status: 'paid',
    amount: 857,
    gross: 1000,
    fees: 143,
    lines: 3,
  })
  expect(await postingsOf(workspace, body.data[0].id)).toEqual([
    'processing_fee_charged: fees > clearing 43',
    'account_fee_charged: fees > clearing 100',
    'payout_paid: cash > clearing 857',
  ])
  expect(await balancesOf(workspace)).toMatchObject({ 'clearing eur': 0, 'fees eur': 143, 'cash eur': 857 })
})

test('the line of a refund that failed after it had succeeded is matched', async () => {
  const workspace = await newWorkspace()
  const payment = await pay(workspace)
  const returned = await refund(workspace, payment, 299)
  expect((await failSucceededRefund(switchyard.deps, workspace, payment.id)).status).toBe(200)
  const row = { category: 'refund', source: returned.reference, reference: payment.reference }

  await importOf(
    workspace,
    payment.account,
    stripeFile([
      { id: 'txn_1', reference: payment.reference, gross: '12.99', net: '12.99' },
      { ...row, id: 'txn_2', gross: '-2.99', net: '-2.99' },
      { ...row, id: 'txn_3', category: 'refund_failure', gross: '2.99', net: '2.99' },
    ]),
  )

  expect(await statusesOf(workspace)).toEqual({ ...none, matched: 3 })
  expect(await balancesOf(workspace)).toMatchObject({ 'clearing eur': 0, 'cash eur': 1299 })
})

test('importing the same file, or the same lines in another file, changes nothing', async () => {
  const workspace = await newWorkspace()
  const payment = await pay(workspace)
  const rows = [{ id: 'txn_1', reference: payment.reference, gross: '12.99', fee: '0.43', net: '12.56' }]
  const first = await importOf(workspace, payment.account, stripeFile(rows))
  const before = await Promise.all([linesOf(workspace), balancesOf(workspace), statusesOf(workspace)])

  const second = await importOf(workspace, payment.account, stripeFile(rows))
  const third = await importOf(workspace, payment.account, stripeFile(rows, [...stripeColumns, 'card_brand']))

  expect(second.final).toMatchObject({
    status: 'completed',
    lines_read: 1,
    lines_new: 0,
    duplicate_of: first.final.id,
  })
  expect(third.final).toMatchObject({ status: 'completed', lines_read: 1, lines_new: 0, duplicate_of: null })
  expect(await Promise.all([linesOf(workspace), balancesOf(workspace), statusesOf(workspace)])).toEqual(
    before,
  )
})

test('a report of Adyen is read in the time zone of each line', async () => {
  const workspace = await newWorkspace()
  const payment = await pay(workspace)
  const columns =
    'Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Batch Number'
  const settled = (reference: string, time: string, zone: string) =>
    `ShopEU,${reference},,visa,${time},${zone},Settled,${reference},EUR,,12.99,1,EUR,,12.70,,0.16,,0.13,214`
  // Half past midnight in Amsterdam is still the day before in UTC.
  const file = [
    columns,
    settled(payment.reference, '2026-11-15 00:30:00', 'CET'),
    settled('PSP2', '2026-11-14 16:30:00', 'PST'),
  ]

  const { final } = await importOf(workspace, payment.account, file.join('\n'), {
    format: 'adyen_settlement_details',
  })

  expect(final).toMatchObject({ status: 'completed', lines_read: 2 })
  const lines = await linesOf(workspace)
  expect(
    lines.map(({ created_at, status }: { created_at: string; status: string }) => [created_at, status]),
  ).toEqual([
    ['2026-11-15T00:30:00.000Z', 'missing_here'],
    ['2026-11-14T23:30:00.000Z', 'matched'],
  ])
})

test('a different amount and an unknown payment are posted to suspense, and can be resolved', async () => {
  const workspace = await newWorkspace()
  const payment = await pay(workspace)
  await importOf(
    workspace,
    payment.account,
    stripeFile([
      { id: 'txn_1', reference: payment.reference, gross: '12.49', net: '12.49' },
      { id: 'txn_2', reference: 'pi_unknown', gross: '77.77', net: '77.77' },
      { id: 'txn_3', category: 'other_adjustment', source: 'adj_1', gross: '-5.00', net: '-5.00' },
    ]),
  )

  expect(await statusesOf(workspace)).toEqual({ ...none, amount_differs: 1, missing_here: 2 })
  expect(await balancesOf(workspace)).toMatchObject({ 'clearing eur': 0, 'suspense eur': 7777 - 500 - 50 })
  const [differing] = await linesOf(workspace, '?status=amount_differs')
  expect(differing).toMatchObject({ amount: 1249, recorded_amount: 1299, in_suspense: -50 })
  const missing = await linesOf(workspace, '?status=missing_here')
  const resolve = (id: string, resolution: string) =>
    workspace.post(`/settlement-lines/${id}/resolve`, { resolution, note: 'Checked with the provider.' })
  const unknown = missing.find(({ amount }: { amount: number }) => amount === 7777)
  const adjustment = missing.find(({ amount }: { amount: number }) => amount === -500)

  expect((await resolve(unknown.id, 'payment')).body).toMatchObject({
    status: 'resolved',
    resolution: 'payment',
    note: 'Checked with the provider.',
    in_suspense: 0,
  })
  expect((await resolve(differing.id, 'fee')).status).toBe(200)
  expect((await resolve(adjustment.id, 'ignored')).body).toMatchObject({ in_suspense: -500 })

  expect(await postingsOf(workspace, unknown.id)).toEqual([
    'unexplained_received: clearing > suspense 7777',
    'unexplained_credited: suspense > sales 7777',
  ])
  expect(await balancesOf(workspace)).toMatchObject({ 'suspense eur': -500, 'fees eur': 50 })
  expect(await statusesOf(workspace)).toEqual({ ...none, resolved: 3 })
  expect((await resolve(unknown.id, 'fee')).body).toMatchObject({
    code: 'invalid_state',
    current_status: 'resolved',
  })
  const { body: audit } = await workspace.get(`/audit-entries?object_id=${unknown.id}`)
  expect(audit.data).toMatchObject([
    {
      act: 'settlement_line.resolved',
      details: { resolution: 'payment', note: 'Checked with the provider.' },
    },
  ])
})

test('a posting is matched with one line only', async () => {
  const workspace = await newWorkspace()
  const payment = await pay(workspace)
  await importOf(
    workspace,
    payment.account,
    stripeFile([
      { id: 'txn_1', reference: payment.reference, gross: '12.99', net: '12.99' },
      { id: 'txn_2', reference: payment.reference, gross: '12.99', net: '12.99' },
    ]),
  )
  await importOf(
    workspace,
    payment.account,
    stripeFile([{ id: 'txn_3', reference: payment.reference, gross: '12.99', net: '12.99' }]),
  )

  expect(await statusesOf(workspace)).toEqual({ ...none, matched: 1, missing_here: 2 })
})

test('a line without a known reference is matched by amount and day, if the pair is unique on both sides', async () => {
  const workspace = await newWorkspace()
  const [unique, ...pair] = [
    await pay(workspace, { amount: 4321 }),
    await pay(workspace, { amount: 2000 }),
    await pay(workspace, { amount: 2000 }),
  ]
  const today = new Date().toISOString().slice(0, 10)
  const longAgo = new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 10)
  await importOf(
    workspace,
    unique.account,
    stripeFile([
      { id: 'txn_1', reference: 'ch_1', gross: '43.21', net: '43.21', created: `${today} 10:00:00` },
      { id: 'txn_2', reference: 'ch_2', gross: '20.00', net: '20.00', created: `${today} 10:00:00` },
      { id: 'txn_3', reference: 'ch_3', gross: '43.21', net: '43.21', created: `${longAgo} 10:00:00` },
    ]),
  )

  expect(pair).toHaveLength(2)
  expect(await statusesOf(workspace)).toEqual({ ...none, matched: 1, missing_here: 2 })
  const [line] = await linesOf(workspace, '?status=matched')
  expect(line).toMatchObject({ provider_reference: 'ch_1', matched_id: unique.operation })
})

test('a payment that is recorded later explains its line, and suspense is reversed', async () => {
  const workspace = await newWorkspace()
  const known = await pay(workspace)
  const token = await createToken(workspace, '4242424242424242')
  const order = { amount: 5555, currency: 'eur', token, capture_method: 'manual' }
  const { body: authorized } = await workspace.post('/payments', order)
  const operations = await workspace.get(`/payments/${authorized.id}/operations`)
  const { provider_reference: reference } = operations.body.data[0]
  await importOf(
    workspace,
    known.account,
    stripeFile([{ id: 'txn_1', reference, gross: '55.55', net: '55.55', created: '2026-01-02 03:04:05' }]),
  )
  expect(await statusesOf(workspace)).toEqual({ ...none, missing_here: 1 })

  await workspace.post(`/payments/${authorized.id}/capture`, {})
  const rows = [{ id: 'txn_2', reference: known.reference, gross: '12.99', net: '12.99' }]
  await importOf(workspace, known.account, stripeFile(rows))

  expect(await statusesOf(workspace)).toMatchObject({ matched: 2, missing_here: 0 })
  const lines = await linesOf(workspace, '?status=matched')
  const late = lines.find(({ amount }: { amount: number }) => amount === 5555)
  expect(late.in_suspense).toBe(0)
  expect(await postingsOf(workspace, late.id)).toEqual([
    'unexplained_received: clearing > suspense 5555',
    'unexplained_withdrawn: suspense > clearing 5555',
  ])
  expect(await balancesOf(workspace)).toMatchObject({ 'clearing eur': 0, 'suspense eur': 0 })
})

test('a capture without a line is missing_there once its time has passed, until its line is imported', async () => {
  const workspace = await newWorkspace()
  const settled = await pay(workspace)
  const late = await pay(workspace, { amount: 3000 })
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  await importOf(
    workspace,
    settled.account,
    stripeFile([
      {
        id: 'txn_1',
        reference: settled.reference,
        gross: '12.99',
        net: '12.99',
        created: `${day(-1)} 00:00:00`,
      },
      { id: 'txn_2', category: 'fee', gross: '-0.10', net: '-0.10', created: `${day(5)} 00:00:00` },
    ]),
    { settle_days: 3 },
  )

  expect(await statusesOf(workspace)).toEqual({ ...none, matched: 2, missing_there: 1 })
  const [missing] = await linesOf(workspace, '?status=missing_there')
  expect(missing).toMatchObject({
    kind: 'payment',
    amount: 3000,
    matched_id: late.operation,
    settlement_import_id: null,
    raw: null,
  })
  const path = `/settlement-lines/${missing.id}/resolve`
  expect((await workspace.post(path, { resolution: 'fee', note: 'No.' })).status).toBe(400)

  await importOf(
    workspace,
    settled.account,
    stripeFile([
      { id: 'txn_3', reference: late.reference, gross: '30.00', net: '30.00', created: `${day(5)} 01:00:00` },
    ]),
  )
  expect(await statusesOf(workspace)).toEqual({ ...none, matched: 3 })
})

test('a failed payout is reversed', async () => {
  const workspace = await newWorkspace()
  const payment = await pay(workspace)
  const row = { id: 'txn_1', reference: payment.reference, gross: '12.99', net: '12.99' }
  await importOf(workspace, payment.account, stripeFile([row]))
  await importOf(
    workspace,
    payment.account,
    stripeFile([
      {
        id: 'txn_2',
        category: 'payout_reversal',
        source: 'po_1',
        gross: '12.99',
        net: '12.99',
        payout: 'po_2',
      },
    ]),
  )

  const { body } = await workspace.get('/payouts')
  const failed = body.data.find(
    ({ provider_reference }: { provider_reference: string }) => provider_reference === 'po_1',
  )
  expect(failed).toMatchObject({ status: 'failed', failed_at: expect.any(String) })
  expect(await postingsOf(workspace, failed.id)).toEqual([
    'payout_failed: clearing > cash 1299',
    'payout_paid: cash > clearing 1299',
  ])
  expect(await statusesOf(workspace)).toEqual({ ...none, matched: 2 })
  expect(await balancesOf(workspace)).toMatchObject({ 'clearing eur': 0, 'cash eur': 1299 })
})

test('a converted payment moves from the currency of the payment to that of the payout', async () => {
  const workspace = await newWorkspace()
  const payment = await pay(workspace, { currency: 'usd', amount: 1000 })
  const facing = { facing: '10.00', facingCurrency: 'usd' }
  const row = {
    id: 'txn_1',
    reference: payment.reference,
    gross: '9.00',
    fee: '0.30',
    net: '8.70',
    ...facing,
  }
  await importOf(workspace, payment.account, stripeFile([row]))

  expect(await statusesOf(workspace)).toEqual({ ...none, matched: 1 })
  expect(await balancesOf(workspace)).toMatchObject({
    'clearing usd': 0,
    'clearing eur': 0,
    'fx usd': 1000,
    'fx eur': -900,
    'fees eur': 30,
    'cash eur': 870,
  })
})

test('gross minus fees may differ from net by one minor unit, which is posted to rounding', async () => {
  const workspace = await newWorkspace()
  const payment = await pay(workspace)
  const row = { id: 'txn_1', reference: payment.reference, gross: '12.99', fee: '0.42', net: '12.56' }
  await importOf(workspace, payment.account, stripeFile([row]))

  expect(await balancesOf(workspace)).toMatchObject({ 'clearing eur': 0, 'rounding eur': 1 })
})

test.each([
  [
    'a missing column',
    'balance_transaction_id,gross\ntxn_1,1.00\n',
    /^The file lacks the columns "created_utc"/,
  ],
  [
    'an unknown column',
    stripeFile([], [...stripeColumns, 'surprise']),
    'The file has unknown columns "surprise".',
  ],
  [
    'a wrong amount',
    stripeFile([{ id: 'txn_1', gross: 'much', net: '1' }]),
    'Line 2: "gross" must be an amount, not "much".',
  ],
  [
    'amounts that do not add up',
    stripeFile([
      { id: 'txn_1', gross: '1.00', net: '1.00' },
      { id: 'txn_2', gross: '1.00', fee: '0.20', net: '0.70' },
    ]),
    'Line 3: gross minus fees differs from net by 10 minor units.',
  ],
  ['a line with too few values', `${stripeColumns.join()}\ntxn_1,2\n`, /^The file is not valid CSV: /],
  ['no content', '', 'The file is empty.'],
])('a file with %s fails the import with a reason', async (_, content, reason) => {
  const workspace = await newWorkspace()
  const { account } = await pay(workspace)

  const { uploaded, final } = await importOf(workspace, account, content)

  const detail = typeof reason === 'string' ? reason : expect.stringMatching(reason)
  expect(uploaded).toMatchObject({ status: 422, body: { code: 'invalid_settlement_file', detail } })
  expect(final).toMatchObject({ status: 'failed', failure: detail })
  expect((await uploadTo(workspace, final.id, content)).body.code).toBe('invalid_state')
  // The failed upload does not block the next one.
  expect((await importOf(workspace, account, stripeFile([]))).final.status).toBe('completed')
})

// Lines are stored in batches of 1,500, and the next batch is read while one is stored.
test.each([
  { validLines: 2, storedLines: 0 },
  { validLines: 3_001, storedLines: 1_500 },
])(
  'a file that fails after $validLines lines can be corrected: its lines are matched and posted once',
  async ({ validLines, storedLines }) => {
    const workspace = await newWorkspace()
    const payment = await pay(workspace, { amount: 50_000 })
    const total = validLines + 2
    const charge = { id: 'txn_charge', reference: payment.reference, gross: '500.00', net: '500.00' }
    const fees = Array.from({ length: validLines - 1 }, (_, index) => ({
      id: `txn_fee_${index}`,
      category: 'fee',
      gross: '-0.01',
      net: '-0.01',
    }))
    const last = { id: 'txn_last', category: 'fee', gross: '-0.01', net: '-0.01' }
    const fileWith = (amount: string) =>
      stripeFile([charge, ...fees, { id: 'txn_wrong', category: 'fee', gross: amount, net: '-0.01' }, last])

    const failed = await importOf(workspace, payment.account, fileWith('much'))

    expect(failed.uploaded).toMatchObject({ status: 422, body: { code: 'invalid_settlement_file' } })
    const failure = `Line ${validLines + 2}: "gross" must be an amount, not "much".`
    expect(failed.final).toMatchObject({ status: 'failed', failure, lines_new: 0, lines_matched: 0 })
    expect(failed.final.lines_read).toBeGreaterThanOrEqual(storedLines)
    expect((await linesOf(workspace, '?status=pending')).length > 0).toBe(storedLines > 0)
    expect(await statusesOf(workspace)).toEqual(none)

    const corrected = await importOf(workspace, payment.account, fileWith('-0.01'))

    const counts = { status: 'completed', lines_read: total, lines_new: total, lines_matched: total }
    expect(corrected.final).toMatchObject({ ...counts, duplicate_of: null })
    expect(await statusesOf(workspace)).toEqual({ ...none, matched: total })
    expect(await linesOf(workspace, '?status=pending')).toEqual([])
    const { body: payouts } = await workspace.get('/payouts')
    const paid = 50_000 - (total - 1)
    expect(payouts.data).toMatchObject([{ amount: paid, gross: 50_000, fees: total - 1, lines: total }])
    expect(await balancesOf(workspace)).toMatchObject({
      'clearing eur': 0,
      'fees eur': total - 1,
      'cash eur': paid,
    })
    expect((await workspace.get(`/settlement-imports/${failed.final.id}`)).body).toEqual(failed.final)

    const state = () => Promise.all([linesOf(workspace), balancesOf(workspace), statusesOf(workspace)])
    const once = await state()
    const again = await importOf(workspace, payment.account, fileWith('-0.01'))

    expect(again.final).toMatchObject({ status: 'completed', lines_new: 0, duplicate_of: corrected.final.id })
    expect(await state()).toEqual(once)
    expect((await workspace.get('/payouts')).body).toEqual(payouts)
  },
)

test('a large file is stored in batches, and its counters are exact', async () => {
  const workspace = await newWorkspace()
  const { account } = await pay(workspace)
  const file = payoutLines(12_345)

  const { final } = await importOf(workspace, account, file)

  expect(final).toMatchObject({
    status: 'completed',
    lines_read: 12_345,
    lines_new: 12_345,
    lines_matched: 12_345,
  })
  expect(await statusesOf(workspace)).toEqual({ ...none, missing_here: 12_345 })
})

const createImport = async ({ post }: Workspace, account: string) => {
  const input = { provider_account_id: account, format: 'stripe_payout_reconciliation' }
  return (await post('/settlement-imports', input)).body.id
}

/** Sends most of a file, and waits until its first batch is stored. The upload lasts until it is interrupted. */
async function uploadPart(workspace: Workspace, id: string, file: string) {
  const abort = new AbortController()
  const part = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(file.slice(0, file.length * 0.9))),
  })
  const upload = fetch(`${workspace.address}/settlement-imports/${id}/content`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${workspace.token}`, 'content-type': 'text/csv' },
    body: part,
    duplex: 'half',
    signal: abort.signal,
  } as RequestInit)
  const linesRead = async () => (await workspace.get(`/settlement-imports/${id}`)).body.lines_read
  await expect.poll(linesRead).toBe(1_500)
  return async () => {
    abort.abort()
    await expect(upload).rejects.toThrow()
  }
}

/** The blocks of the database that the statements of uploads and matching have read. */
async function blocksRead(): Promise<number> {
  return asOwner(switchyard.databaseUrl, async (client) => {
    await client.query('create extension if not exists pg_stat_statements')
    const { rows } = await client.query(`
      select coalesce(sum(shared_blks_hit + shared_blks_read), 0)::int8 as blocks from pg_stat_statements
      where dbid = (select oid from pg_database where datname = current_database())
        and query like '%settlement_lines%' and query not like '%pg_stat_statements%'`)
    return Number(rows[0].blocks)
  })
}

test('a large file after many small ones is read from indexes', async () => {
  const workspace = await newWorkspace()
  const { account } = await pay(workspace)
  await asOwner(switchyard.databaseUrl, (client) => client.query('truncate settlement_lines; analyze'))
  // After five executions, a prepared statement may keep its plan.
  for (let file = 0; file < 8; file += 1) {
    const row = { id: `txn_small_${file}`, reference: `pi_small_${file}`, gross: '1.00', net: '1.00' }
    await importOf(workspace, account, stripeFile([row]))
  }
  const before = await blocksRead()

  await importOf(workspace, account, payoutLines(15_000))

  expect(await statusesOf(workspace)).toMatchObject({ missing_here: 15_008 })
  expect(((await blocksRead()) - before) / 15_000).toBeLessThan(200)
})

test('only one file is uploaded at a time, and an interrupted upload can be repeated', async () => {
  const workspace = await newWorkspace()
  const { account } = await pay(workspace)
  const [interrupted, other] = [
    await createImport(workspace, account),
    await createImport(workspace, account),
  ]
  const file = payoutLines(2_100)
  const interrupt = await uploadPart(workspace, interrupted, file)

  expect(await uploadTo(workspace, other, file)).toMatchObject({
    status: 409,
    body: { code: 'settlement_import_running' },
  })
  await interrupt()
  await expect.poll(async () => (await uploadTo(workspace, interrupted, file)).status).toBe(200)

  await switchyard.settle()
  expect((await workspace.get(`/settlement-imports/${interrupted}`)).body).toMatchObject({
    status: 'completed',
    lines_read: 2_100,
    lines_new: 2_100,
  })
})

test('another import takes over the lines of an interrupted upload, and keeps them', async () => {
  const workspace = await newWorkspace()
  const { account } = await pay(workspace)
  const [interrupted, other] = [
    await createImport(workspace, account),
    await createImport(workspace, account),
  ]
  const file = payoutLines(2_100)
  const upload = (id: string) =>
    expect.poll(async () => (await uploadTo(workspace, id, file)).status).toBe(200)
  await (await uploadPart(workspace, interrupted, file))()

  await upload(other)
  // The lines of the other import are not matched yet.
  await upload(interrupted)
  await switchyard.settle()

  const importWith = async (id: string) => (await workspace.get(`/settlement-imports/${id}`)).body
  const counts = { lines_read: 2_100, lines_new: 2_100, lines_matched: 2_100 }
  expect(await importWith(other)).toMatchObject({ status: 'completed', ...counts })
  expect(await importWith(interrupted)).toMatchObject({
    status: 'completed',
    lines_read: 2_100,
    lines_new: 0,
    lines_matched: 0,
    duplicate_of: other,
  })
  expect(await statusesOf(workspace)).toEqual({ ...none, missing_here: 2_100 })
})

test('an upload needs the content type of its file', async () => {
  const workspace = await newWorkspace()
  const { account } = await pay(workspace)
  const input = { provider_account_id: account, format: 'stripe_payout_reconciliation' }
  const { body } = await workspace.post('/settlement-imports', input)

  const asJson = await workspace.put(`/settlement-imports/${body.id}/content`, {})
  expect(asJson).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } })
  const headers = { 'content-type': 'text/csv' }
  expect((await workspace.post('/customers', undefined, { raw: 'a,b', headers })).status).toBe(415)
})

test('the database refuses a line or a payout entry whose amounts differ from its postings', async () => {
  const workspace = await newWorkspace()
  const { account } = await pay(workspace)
  const fee = { id: 'txn_2', category: 'fee', source: 'fee_1', gross: '-1.00', net: '-1.00' }
  await importOf(
    workspace,
    account,
    stripeFile([{ id: 'txn_1', reference: 'pi_elsewhere', gross: '9.99', net: '9.99' }, fee]),
  )
  const update = (statement: string) =>
    inTransaction(switchyard.deps, workspace.workspaceId, (tx) => sql.raw(statement).execute(tx.db))

  for (const change of ['suspense = 0', 'suspense = 998', 'postings = 0'])
    await expect(
      update(`update settlement_lines set ${change} where status = 'missing_here'`),
    ).rejects.toThrow('in suspense')
  await expect(update('update payout_entries set fee_account = fee_account + 1')).rejects.toThrow(
    'has postings of',
  )
})
