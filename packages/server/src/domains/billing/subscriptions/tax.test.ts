// Tax on the invoices of subscriptions: start, renewal, changes with proration, cancellation, and their previews.

import { afterEach, expect, test } from 'vitest'
import { ledgerDifferences, postingsOf } from '../../../../test/support/ledger.ts'
import { aPrice, aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'

const switchyard = await subscriptionsForThisFile()
const { clock, settle, aPayer } = switchyard

const workspaceIds: Parameters<typeof ledgerDifferences>[1][] = []

afterEach(async () => {
  for (const id of workspaceIds.splice(0)) expect(await ledgerDifferences(switchyard.deps, id)).toEqual([])
})

const german = { type: 'eu_vat', value: 'DE136695976' }
const french = { type: 'eu_vat', value: 'FR40303265045' }
const address = { line1: 'Unter den Linden 1', postal_code: '10117', city: 'Berlin', country: 'DE' }

type Line = {
  kind: string
  amount: number
  net: number
  tax: number
  tax_rate_id: string
  source_line_id: string
}
type Invoice = {
  id: string
  subtotal: number
  tax_total: number
  total: number
  total_excluding_tax: number
  tax_breakdown: object[]
  status: string
  lines: (Line & { id: string })[]
}

/** A German seller with 19% for customers in Germany, and a customer there. */
async function aGermanSeller(customer: object = { address: { country: 'DE' } }) {
  const workspace = await switchyard.newWorkspace()
  workspaceIds.push(workspace.workspaceId)
  await workspace.put('/seller', { legal_name: 'Example GmbH', address, tax_ids: [german], tax: 'rates' })
  const { body: rate } = await workspace.post('/tax-rates', {
    name: 'Germany',
    percentage: '19',
    country: 'DE',
  })
  const { body: rule } = await workspace.post('/tax-rules', { tax_rate_id: rate.id, country: 'DE' })
  const { customerId } = await aPayer(workspace)
  await workspace.put(`/customers/${customerId}`, customer)
  return { ...workspace, workspace, rate, rule, customerId }
}

async function aTaxedSubscription({ price = {}, customer = { address: { country: 'DE' } } as object } = {}) {
  const seller = await aGermanSeller(customer)
  const price_id = await aPrice(seller.workspace, { currency: 'eur', unit_amount: 2999, ...price })
  const { id } = await aSubscription(seller.workspace, {
    customer_id: seller.customerId,
    items: [{ price_id }],
  })
  await settle()
  const path = `/subscriptions/${id}`
  const invoices = async () =>
    (await seller.get(`/invoices?subscription_id=${id}`)).body.data.toReversed() as Invoice[]
  const item = (await seller.get(path)).body.items[0].id as string
  return { ...seller, price_id, id, path, invoices, item }
}

test('start and renewal add the tax of the rule, per line and by rate', async () => {
  const { invoices, rate } = await aTaxedSubscription()
  const [start] = await invoices()
  const amounts = { subtotal: 2999, tax_total: 570, total: 3569, total_excluding_tax: 2999 }
  expect(start).toMatchObject({ status: 'paid', ...amounts })
  expect(start?.lines).toMatchObject([{ amount: 2999, net: 2999, tax: 570, tax_rate_id: rate.id }])
  expect(start?.tax_breakdown).toEqual([
    {
      tax_rate_id: rate.id,
      percentage: '19',
      category: 'S',
      inclusive: false,
      net: 2999,
      tax: 570,
      note: null,
    },
  ])

  clock.advance({ days: 32 })
  await settle()
  expect((await invoices())[1]).toMatchObject({ status: 'paid', ...amounts })
})

test('an inclusive price contains the tax', async () => {
  const { invoices } = await aTaxedSubscription({ price: { unit_amount: 11_900, tax_behavior: 'inclusive' } })
  const [start] = await invoices()

  expect(start).toMatchObject({
    subtotal: 11_900,
    tax_total: 1900,
    total: 11_900,
    total_excluding_tax: 10_000,
  })
  expect(start?.lines).toMatchObject([{ amount: 11_900, net: 10_000, tax: 1900 }])
})

test('a business in another EU country gets reverse charge, with the note in its language', async () => {
  const customer = { name: 'Exemple SARL', locale: 'fr', tax_ids: [french], address: { country: 'FR' } }
  const { invoices } = await aTaxedSubscription({ customer })
  const [start] = await invoices()

  expect(start).toMatchObject({ tax_total: 0, total: 2999, status: 'paid' })
  expect(start?.tax_breakdown).toMatchObject([
    { category: 'AE', percentage: '0', net: 2999, tax: 0, tax_rate_id: null, note: 'Autoliquidation' },
  ])
})

test('a change credits a line at its original tax rate, even if the rules have changed since', async () => {
  const { workspace, invoices, path, item, rule, rate, put, post } = await aTaxedSubscription()
  const dearer = await aPrice(workspace, { currency: 'eur', unit_amount: 4999 })
  await workspace.delete(`/tax-rules/${rule.id}`)
  const { body: lower } = await post('/tax-rates', { name: 'Germany', percentage: '16' })
  await post('/tax-rules', { tax_rate_id: lower.id })
  clock.advance({ days: 10 })

  expect((await put(path, { items: [{ id: item, price_id: dearer }] })).status).toBe(200)

  const [start, change] = await invoices()
  const [credit, debit] = change?.lines ?? []
  expect(credit).toMatchObject({
    kind: 'proration_credit',
    tax_rate_id: rate.id,
    source_line_id: start?.lines[0]?.id,
  })
  expect(debit).toMatchObject({ kind: 'proration_debit', tax_rate_id: lower.id })
  expect(credit?.tax).toBe(Math.round((credit?.net ?? 0) * 0.19))
  expect(debit?.tax).toBe(Math.round((debit?.net ?? 0) * 0.16))
  expect(change?.total).toBe((change?.total_excluding_tax ?? 0) + (change?.tax_total ?? 0))
  await settle()
  expect((await invoices())[1]).toMatchObject({ status: 'paid' })
})

test('a change and its reversal at the same instant net to zero, including tax', async () => {
  const { workspace, invoices, path, item, price_id, put } = await aTaxedSubscription()
  const dearer = await aPrice(workspace, { currency: 'eur', unit_amount: 4999 })
  clock.advance({ days: 11 })

  await put(path, { items: [{ id: item, price_id: dearer }] })
  await put(path, { items: [{ id: item, price_id }] })

  const [, change, reversal] = await invoices()
  expect(change?.tax_total).toBeGreaterThan(0)
  expect(reversal?.total).toBe(-(change?.total ?? 0))
  expect(reversal?.tax_total).toBe(-(change?.tax_total ?? 0))
})

test('committing a preview charges what it showed, or is refused as stale because the tax has changed', async () => {
  const { workspace, path, item, rule, put, post, invoices } = await aTaxedSubscription()
  const dearer = await aPrice(workspace, { currency: 'eur', unit_amount: 4999 })
  const body = { items: [{ id: item, price_id: dearer }] }
  clock.advance({ days: 5 })
  const { body: stale } = await post(`${path}/preview`, { action: 'update', ...body })
  await workspace.delete(`/tax-rules/${rule.id}`)
  expect((await put(path, { ...body, preview_token: stale.preview_token })).body.code).toBe('preview_stale')

  const { body: preview } = await post(`${path}/preview`, { action: 'update', ...body })
  expect((await put(path, { ...body, preview_token: preview.preview_token })).status).toBe(200)
  const [, change] = await invoices()
  const { tax_total, total, tax_breakdown } = preview.invoices[0]
  expect(change).toMatchObject({ tax_total, total, tax_breakdown })
  expect(tax_total).not.toBe(stale.invoices[0].tax_total)
})

test('a preview of a new subscription and of a renewal shows the tax', async () => {
  const { customerId, price_id, post, path } = await aTaxedSubscription()
  const create = { action: 'create', customer_id: customerId, items: [{ price_id }] }
  const { body: creation } = await post('/subscriptions/preview', create)
  const { body: renewal } = await post(`${path}/preview`, { action: 'renew' })

  for (const { invoices } of [creation, renewal])
    expect(invoices).toMatchObject([{ tax_total: 570, total: 3569, lines: [{ net: 2999, tax: 570 }] }])
})

test('cancelling with credit returns the tax on the unused time, up to the amount that was paid', async () => {
  const { invoices, path, put, customerId, get } = await aTaxedSubscription()
  // Amounts that were charged with tax are credited with tax, even if tax has been turned off since.
  await put('/seller', { tax: 'none' })
  clock.advance({ days: 15 })

  expect((await put(`${path}/cancel`, { at: 'now', unused_time: 'credit' })).status).toBe(200)
  await settle()

  const [, credit] = await invoices()
  const net = credit?.total_excluding_tax ?? 0
  expect(net).toBeLessThan(0)
  expect(credit?.tax_total).toBe(Math.round(net * 0.19))
  const { body: state } = await get(`/customers/${customerId}/billing-state`)
  expect(state.credit).toEqual([{ currency: 'eur', balance: -(credit?.total ?? 0) }])
})

test('an exempt customer and a small business have no tax, and without a matching rule there is none', async () => {
  const exempt = await aTaxedSubscription({ customer: { tax_exempt: true } })
  expect((await exempt.invoices())[0]).toMatchObject({ tax_total: 0, tax_breakdown: [{ category: 'E' }] })
  const abroad = await aTaxedSubscription({ customer: { address: { country: 'US' } } })
  expect((await abroad.invoices())[0]).toMatchObject({ tax_total: 0, total: 2999, tax_breakdown: [] })
})

test('the ledger moves the tax to tax_payable, and earns only the net amount', async () => {
  const { workspace, invoices, get } = await aTaxedSubscription()
  const [start] = await invoices()
  const posted = [
    'invoice_finalized: receivable > unearned 3569',
    'payment_applied: unapplied > receivable 3569',
    'tax_recorded: unearned > tax_payable 570',
  ]
  expect((await postingsOf(workspace, start?.id ?? '')).toSorted()).toEqual(posted)

  clock.advance({ days: 32 })
  await settle()
  expect((await postingsOf(workspace, start?.id ?? '')).toSorted()).toEqual(
    [...posted, 'period_ended: unearned > sales 2999'].toSorted(),
  )
  const { body: balances } = await get('/balances')
  const balanceOf = (account: string) =>
    balances.data.find((balance: { account: string }) => balance.account === account)?.amount
  expect([balanceOf('sales'), balanceOf('unearned'), balanceOf('tax_payable')]).toEqual([2999, 2999, 1140])
})

test('a credit note before the end of the period reduces what is earned at its end', async () => {
  const { workspace, invoices, get, post } = await aTaxedSubscription()
  const [start] = await invoices()
  const { body: balancesBefore } = await get('/balances')
  const amountIn = (balances: { data: { account: string; amount: number }[] }, account: string) =>
    balances.data.find((balance) => balance.account === account)?.amount ?? 0
  const { body: note } = await post('/credit-notes', {
    invoice_id: start?.id,
    lines: [{ invoice_line_id: start?.lines[0]?.id, amount: 1000 }],
    refund_amount: 690,
    balance_amount: 500,
  })
  expect(note).toMatchObject({ total: 1190, tax_total: 190 })
  await settle()
  const { body: balances } = await get('/balances')
  const incomeOf = (all: typeof balances) => amountIn(all, 'sales') - amountIn(all, 'refunded')
  expect(incomeOf(balances)).toBe(incomeOf(balancesBefore))
  expect([amountIn(balances, 'unearned'), amountIn(balances, 'tax_payable')]).toEqual([1999, 380])
  expect(await ledgerDifferences(switchyard.deps, workspace.workspaceId)).toEqual([])

  clock.advance({ days: 32 })
  await settle()
  expect(await postingsOf(workspace, start?.id ?? '')).toContain('period_ended: unearned > sales 1999')
  // A credit note for an earned invoice reduces income.
  await post('/credit-notes', {
    invoice_id: start?.id,
    lines: [{ invoice_line_id: start?.lines[0]?.id, amount: 999 }],
  })
  const { body: later } = await get('/balances')
  expect([incomeOf(later), amountIn(later, 'unearned')]).toEqual([1000, 2999])
})

test('voiding an invoice returns its tax', async () => {
  const { workspace, path, item, put, post, invoices } = await aTaxedSubscription()
  // The change is not paid: its customer has no payment method.
  await put(path, { payment_method_id: null })
  clock.advance({ days: 5 })
  await put(path, { items: [{ id: item, quantity: 4 }] })
  await settle()
  const [, change] = await invoices()
  expect(change?.status).toBe('open')

  expect((await post(`/invoices/${change?.id}/void`)).status).toBe(200)

  const postings = await postingsOf(workspace, change?.id ?? '')
  expect(postings).toContain(`tax_recorded: sales > tax_payable ${change?.tax_total}`)
  expect(postings).toContain(`tax_returned: tax_payable > sales ${change?.tax_total}`)
})
