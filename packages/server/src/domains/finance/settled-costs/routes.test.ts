// Settled costs over HTTP: settlement reports are imported, and dry runs of routes compare the costs.

import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { billingForThisFile } from '../../../../test/support/billing.ts'
import { inTransaction } from '../../../../test/support/invoices.ts'
import { insertPastPayments, type PastPayments } from '../../../../test/support/past-payments.ts'
import { createToken } from '../../../../test/support/payment-methods.ts'
import { stripeColumns, stripeFile, uploadTo } from '../../../../test/support/settlement.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'

const switchyard = await billingForThisFile()

const workspaces: Workspace[] = []

/** The sums of each segment, computed from the lines. */
const recomputed = sql`
  select provider_account_id, currency, coalesce(card_brand, ''), coalesce(card_country, ''), coalesce(card_funding, ''),
    floor(log(amount::numeric))::int, count(1), sum(amount), sum(fee), sum(amount * amount), sum(amount * fee), sum(fee * fee)
  from (
    select *, (fee_processing + fee_scheme + fee_interchange)::numeric as fee from settlement_lines
    where kind = 'payment' and status <> 'pending' and import_id is not null and amount > 0
      and currency = settlement_currency) as line
  group by 1, 2, 3, 4, 5, 6`
const stored = sql`
  select provider_account_id, currency, card_brand, card_country, card_funding, amount_band, lines, amounts, fees,
    amount_squares, products, fee_squares
  from settled_costs where lines > 0`

afterEach(async () => {
  for (const { workspaceId } of workspaces.splice(0)) {
    const different = await inTransaction(
      switchyard.deps,
      workspaceId,
      async ({ db }) =>
        (await sql`(${stored} except ${recomputed}) union all (${recomputed} except ${stored})`.execute(db))
          .rows,
    )
    expect(different).toEqual([])
  }
})

const cardColumns = [...stripeColumns, 'card_brand', 'card_country', 'card_funding']

type Row = Parameters<typeof stripeFile>[0][number]
type Fees = {
  readonly basisPoints: number
  readonly fixed: number
  readonly members?: Partial<Row>
  readonly from?: number
}

const decimals = (minor: number) => (minor / 100).toFixed(2)

/**
 * Payments from 10.00 to 95.00 that Switchyard has not recorded, all with the same percentage and fixed fee.
 */
function rowsOf(count: number, { basisPoints, fixed, members = {}, from = 0 }: Fees): Row[] {
  return Array.from({ length: count }, (_, index) => {
    const amount = 1_000 + 500 * (index % 18)
    const fee = Math.round((amount * basisPoints) / 10_000) + fixed
    return {
      id: `txn_${basisPoints}_${from + index}`,
      reference: `pi_${basisPoints}_${from + index}`,
      gross: decimals(amount),
      fee: decimals(fee),
      net: decimals(amount - fee),
      brand: 'Visa',
      country: 'DE',
      funding: 'credit',
      ...members,
    }
  })
}

async function anAccount({ post }: Workspace): Promise<string> {
  const config = { base_url: 'http://127.0.0.1:1024' }
  return (await post('/provider-accounts', { provider: 'custom', display_name: 'Ours', config })).body.id
}

async function setUp() {
  const workspace = await switchyard.newWorkspace()
  workspaces.push(workspace)
  const { post, get } = workspace
  const [first, second] = [await anAccount(workspace), await anAccount(workspace)]
  const upload = async (account: string, content: string, members: object = {}) => {
    const format = 'stripe_payout_reconciliation'
    const input = { provider_account_id: account, format, ...members }
    const { body } = await post('/settlement-imports', input)
    const uploaded = await uploadTo(workspace, body.id, content)
    await switchyard.settle()
    return uploaded
  }
  const importRows = (account: string, rows: readonly Row[], columns = cardColumns) =>
    upload(account, stripeFile(rows, columns))
  /** A dry run of a route that sends everything to the second account. */
  const run = async () => {
    const route = { name: 'Second', default: { type: 'priority', targets: [second] }, draft: true }
    const { body: created } = await post('/payment-routes', route)
    const history = { from_at: new Date(Date.now() - 3_600_000).toISOString(), payments: 'all' }
    const { body: started } = await post(`/payment-routes/${created.id}/simulate`, { history })
    await switchyard.settle()
    const { body } = await get(`/payment-routes/${created.id}/simulations/${started.id}`)
    return body.result.settled_costs
  }
  const insertPayments = (...payments: PastPayments[]) =>
    insertPastPayments(switchyard.databaseUrl, workspace.workspaceId, payments)
  const costsOf = async (account: string) =>
    (await get(`/provider-accounts/${account}/settled-costs`)).body.data
  return { ...workspace, first, second, upload, importRows, run, insertPayments, costsOf }
}

const unknown = {
  covered_payments: 0,
  actual_amount: null,
  simulated_amount: null,
  simulated_low: null,
  simulated_high: null,
}

test('a dry run shows the exact cost now and with the new route, from the fees in settlement reports', async () => {
  const { first, second, importRows, insertPayments, run } = await setUp()
  await importRows(first, rowsOf(200, { basisPoints: 140, fixed: 25 }))
  await importRows(second, rowsOf(250, { basisPoints: 120, fixed: 10 }))
  await insertPayments(
    { count: 90, account: first, amount: 2_500 },
    { count: 10, account: second, amount: 9_500 },
    // Cards from another country, and amounts of another magnitude, are not covered.
    { count: 7, account: first, amount: 2_500, country: 'FR' },
    { count: 3, account: first, amount: 10_000 },
    // No settled payments in this currency.
    { count: 5, account: first, currency: 'usd' },
    // Failed attempts and authorizations that were not captured have no cost.
    { count: 4, account: first, amount: 2_500, status: 'declined' },
    { count: 6, account: first, amount: 2_500, status: 'voided' },
  )

  const simulated = 90 * (30 + 10) + 10 * (114 + 10)
  expect(await run()).toEqual([
    {
      currency: 'eur',
      payments: 110,
      covered_payments: 100,
      actual_amount: 90 * (35 + 25) + 10 * (114 + 10),
      simulated_amount: simulated,
      simulated_low: simulated,
      simulated_high: simulated,
    },
    { currency: 'usd', payments: 5, ...unknown },
  ])
})

test('the cost is unknown until both accounts have at least 200 lines', async () => {
  const { first, second, importRows, insertPayments, run, costsOf } = await setUp()
  await importRows(first, rowsOf(200, { basisPoints: 140, fixed: 25 }))
  await importRows(second, rowsOf(199, { basisPoints: 120, fixed: 10 }))
  await insertPayments({ count: 2, account: first, amount: 2_500 })

  expect(await run()).toEqual([{ currency: 'eur', payments: 2, ...unknown }])
  expect(await costsOf(second)).toMatchObject([{ lines: 199, basis_points: null, fixed_amount: null }])
  await importRows(second, rowsOf(1, { basisPoints: 120, fixed: 10, from: 199 }))

  expect(await run()).toMatchObject([{ covered_payments: 2, actual_amount: 120, simulated_amount: 80 }])
  expect(await costsOf(second)).toMatchObject([{ lines: 200, basis_points: 120, fixed_amount: 10 }])
})

test('without settlement reports there are no settled costs', async () => {
  const { first, insertPayments, run, costsOf, get } = await setUp()
  await insertPayments({ count: 2, account: first })

  expect(await run()).toEqual([])
  expect(await costsOf(first)).toEqual([])
  expect((await get('/provider-accounts/provider_account_test_none/settled-costs')).status).toBe(404)
})

test('if fees vary, the estimate has a confidence interval', async () => {
  const { first, second, importRows, insertPayments, run } = await setUp()
  const rows = rowsOf(360, { basisPoints: 140, fixed: 25 }).map((row, index) => {
    // Half of the lines of each amount cost 0.05 more, half 0.05 less.
    const fee = Number(row.fee) + (Math.floor(index / 18) % 2 === 0 ? 0.05 : -0.05)
    return { ...row, fee: fee.toFixed(2), net: (Number(row.gross) - fee).toFixed(2) }
  })
  await importRows(first, rows)
  await importRows(second, rows)
  await insertPayments({ count: 100, account: first, amount: 5_250 })

  const [cost] = await run()

  // 52.50 is the average, where the fit is most certain.
  const expected = 100 * (73.5 + 25)
  const margin = 1.96 * Math.sqrt(25 * (360 / 358) * (100 + 100 ** 2 / 360))
  expect(cost).toMatchObject({ actual_amount: expected, simulated_amount: expected, covered_payments: 100 })
  expect(cost.simulated_low).toBe(Math.round(expected - margin))
  expect(cost.simulated_high).toBe(Math.round(expected + margin))
})

test('the calculated fees of an account are listed by segment, without refunds, fees, payouts and conversions', async () => {
  const { first, importRows, costsOf } = await setUp()
  const french = { country: 'FR', brand: 'MasterCard', funding: 'debit' }
  await importRows(first, [
    ...rowsOf(200, { basisPoints: 140, fixed: 25 }),
    ...rowsOf(18, { basisPoints: 290, fixed: 30, members: french }),
    {
      ...rowsOf(1, { basisPoints: 1, fixed: 9 })[0],
      id: 'refund',
      category: 'refund',
      gross: '-10.00',
      net: '-10.09',
    },
    { id: 'fee', category: 'fee', gross: '-1.00', net: '-1.00' },
    { id: 'payout', category: 'payout', gross: '-5.00', net: '-5.00' },
    { id: 'dollars', gross: '9.00', fee: '0.30', net: '8.70', facing: '10.00', facingCurrency: 'usd' },
  ] as Row[])

  const [german, other, ...rest] = await costsOf(first)

  expect(rest).toEqual([])
  const amount = 11 * 18 * 5_250 + 1_000 + 1_500
  expect(german).toEqual({
    object: 'settled_cost',
    provider_account_id: first,
    currency: 'eur',
    card_brand: 'visa',
    card_country: 'DE',
    card_funding: 'credit',
    min_amount: 1_000,
    max_amount: 9_999,
    lines: 200,
    amount,
    fee: amount * 0.014 + 200 * 25,
    basis_points: 140,
    fixed_amount: 25,
  })
  expect(other).toMatchObject({
    card_brand: 'mastercard',
    card_country: 'FR',
    card_funding: 'debit',
    lines: 18,
  })
})

test('importing lines again changes nothing, and a failed import has no effect', async () => {
  const { first, importRows, upload, costsOf } = await setUp()
  // The first batch of an upload is stored before the last line is read.
  const rows = rowsOf(5_010, { basisPoints: 140, fixed: 25 })
  const complete = rows.slice(0, 5_005)

  expect((await upload(first, `${stripeFile(complete, cardColumns)}x\n`)).status).toBe(422)
  expect(await costsOf(first)).toEqual([])
  await importRows(first, complete)
  const before = await costsOf(first)
  expect(before).toMatchObject([{ lines: 5_005 }])
  await importRows(first, complete)
  await importRows(first, complete, stripeColumns)
  expect(await costsOf(first)).toEqual(before)
  // A file that overlaps adds its new lines only.
  await importRows(first, rows.slice(5_000))

  expect(await costsOf(first)).toMatchObject([{ lines: 5_010 }])
})

test('the country and funding type in the settlement line of a payment take precedence', async () => {
  const workspace = await setUp()
  const { importRows, run, post, get } = workspace
  const token = await createToken(workspace, '4242424242424242')
  const { body: payment } = await post('/payments', { amount: 2_500, currency: 'eur', token })
  expect(payment).toMatchObject({ status: 'succeeded', card: { country: 'US', funding: 'credit' } })
  const account = payment.provider_account_id
  const { body: operations } = await get(`/payments/${payment.id}/operations`)
  const swedish = { country: 'SE', funding: 'debit' }
  await importRows(account, rowsOf(200, { basisPoints: 140, fixed: 25, members: swedish }))
  await importRows(workspace.second, rowsOf(200, { basisPoints: 120, fixed: 10, members: swedish }))
  expect(await run()).toEqual([{ currency: 'eur', payments: 1, ...unknown }])

  const [row] = rowsOf(1, { basisPoints: 140, fixed: 25, members: swedish })
  const { provider_reference: reference } = operations.data[0]
  const matched = { ...row, id: 'own', reference, gross: '25.00', fee: '0.60', net: '24.40' } as Row
  await importRows(account, [matched])

  expect(await run()).toMatchObject([{ covered_payments: 1, actual_amount: 60, simulated_amount: 40 }])
})

test('columns of a CSV file with card details can be mapped, and are ignored if they are not mapped', async () => {
  const { first, second, upload, insertPayments, run, costsOf } = await setUp()
  const columns = { id: 'ID', gross: 'Gross', fee: 'Fee', currency: 'Currency', created_at: 'Date' }
  const fileOf = (fee: (amount: number) => number) => {
    const lines = Array.from({ length: 200 }, (_, index) => {
      const amount = 1_000 + 100 * (index % 50)
      return `${index},${amount},${fee(amount)},EUR,2026-11-09,mc,de,DEBIT`
    })
    return `${['ID,Gross,Fee,Currency,Date,Brand,Country,Type', ...lines].join('\n')}\n`
  }
  const details = { card_brand: 'Brand', card_country: 'Country', card_funding: 'Type' }
  const mapping = (cards: object) => ({ columns: { ...columns, ...cards }, amounts: 'minor' })
  await upload(
    first,
    fileOf((amount) => amount / 100),
    { format: 'csv', mapping: mapping(details) },
  )
  await upload(
    second,
    fileOf((amount) => amount / 50),
    { format: 'csv', mapping: mapping({}) },
  )
  await insertPayments({ count: 2, account: second, amount: 2_000 })

  const stated = { card_brand: 'mastercard', card_country: 'DE', card_funding: 'debit' }
  expect(await costsOf(first)).toMatchObject([{ ...stated, basis_points: 100, fixed_amount: 0 }])
  const unstated = { card_brand: null, card_country: null, card_funding: null }
  expect(await costsOf(second)).toMatchObject([{ ...unstated, basis_points: 200, fixed_amount: 0 }])
  expect(await run()).toMatchObject([{ covered_payments: 2, actual_amount: 80, simulated_amount: 80 }])
})
