/**
 * Fills a workspace with example data through the public API. Every call has an idempotency key, so that a second
 * run creates no duplicates.
 */
import type { Invoice, Switchyard } from '@switchyard/sdk'
import { waitForDispute } from '../triggers/disputes.ts'
import {
  customers,
  disputedPayments,
  links,
  paymentScripts,
  receiptAddresses,
  settlementFile,
  tieredPrice,
} from './examples.ts'

export type Seeded = { readonly id: string; readonly about: string }

/** Yields each object after it was created. */
export async function* seed(client: Switchyard): AsyncGenerator<Seeded, void, undefined> {
  const ids: string[] = []
  for (const [index, customer] of customers.entries()) {
    const { id, name } = await client.customers.create(customer, key(`customer-${index}`))
    ids.push(id)
    yield { id, about: name ?? '' }
  }
  const items = await seedPlan(client)
  yield* seedSubscriptions(client, items, ids)
  yield* seedOneOffInvoices(client, ids[0] ?? '')
  for (const [index, link] of links.entries()) {
    const { id, url } = await client.paymentLinks.create(link, key(`payment-link-${index}`))
    yield { id, about: url }
  }
  const subscription = await client.paymentLinks.create(
    {
      mode: 'subscription',
      description: 'Team plan, two weeks free',
      line_items: items.map((item) => ({ ...item, adjustable_quantity: true })),
      subscription: { trial: { days: 14 } },
      max_completions: null,
    },
    key('payment-link-subscription'),
  )
  yield { id: subscription.id, about: subscription.url }
  yield* seedClock(client, items)
  yield* seedSettlement(client)
  const journal = await client.exports.create(
    { of: 'journal', format: 'csv', from: '2027-01-01', to: '2027-03-31' },
    key('journal'),
  )
  yield { id: journal.id, about: 'Journal of the first quarter of 2027' }
  // Nothing listens on this URL, so the workspace shows pending, failed and retried deliveries.
  const endpoint = await client.webhookEndpoints.create(
    { url: 'http://127.0.0.1:8090/webhooks', event_types: ['*'], name: 'A receiver on this machine' },
    key('webhook-endpoint'),
  )
  yield { id: endpoint.id, about: endpoint.url }
  yield* seedDisputes(client)
  yield* seedDebit(client, items)
  yield* seedReceipts(client)
}

type Items = { price_id: string; quantity: number }[]

function key(name: string) {
  return { idempotencyKey: `seed-${name}` }
}

async function seedPlan(client: Switchyard): Promise<Items> {
  const product = await client.products.create({ name: 'Team plan', unit_label: 'seat' }, key('product'))
  const terms = { product_id: product.id, currency: 'eur', unit_amount: 1500 } as const
  const price = await client.prices.create({ ...terms, recurring: { interval: 'month' } }, key('price'))
  const yearly = { ...terms, unit_amount: 15_000, recurring: { interval: 'year' } } as const
  await client.prices.create(yearly, key('price-yearly'))
  const { product_id, currency } = terms
  await client.prices.create({ ...tieredPrice, product_id, currency }, key('price-tiers'))
  return [{ price_id: price.id, quantity: 3 }]
}

/** Three subscriptions to the plan: in trial, active and paused. */
async function* seedSubscriptions(
  client: Switchyard,
  items: Items,
  [trialCustomer = '', payingCustomer = '', pausedCustomer = '']: readonly string[],
): AsyncGenerator<Seeded> {
  for (const customer_id of [payingCustomer, pausedCustomer]) await seedCard(client, customer_id)
  const trial = { days: 14 }
  const { subscriptions } = client
  const trialing = await subscriptions.create({ customer_id: trialCustomer, items, trial }, key('trial'))
  const discounts = [{ promotion_code: await seedCode(client) }]
  const paid = await subscriptions.create({ customer_id: payingCustomer, items, discounts }, key('paid'))
  const paused = await subscriptions.create({ customer_id: pausedCustomer, items, trial }, key('paused'))
  await subscriptions.pause(paused.id)
  for (const { id } of [trialing, paid, paused]) yield { id, about: 'Team plan' }
}

/** A coupon and its promotion code. */
async function seedCode(client: Switchyard): Promise<string> {
  const coupon = await client.coupons.create(
    {
      name: 'Spring offer',
      percent_off: '20',
      duration: 'periods',
      duration_periods: 3,
      max_redemptions: 100,
    },
    key('coupon'),
  )
  const { code } = await client.promotionCodes.create(
    { coupon_id: coupon.id, code: 'SPRING20' },
    key('promotion-code'),
  )
  return code
}

/** One-off invoices: a draft, and one that was sent to the customer. */
async function* seedOneOffInvoices(client: Switchyard, customer_id: string): AsyncGenerator<Seeded> {
  const terms = { collection_method: 'send_invoice', terms: { days: 14 } } as const
  for (const name of ['draft', 'sent'] as const) {
    const { id } = await client.invoices.create(
      {
        customer_id,
        currency: 'eur',
        ...terms,
        purchase_order: 'PO-4711',
        lines: [
          { description: 'Workshop, one day', unit_amount: 120_000 },
          { description: 'Travel', unit_amount: 9_000, quantity: 2 },
        ],
      },
      key(`invoice-${name}`),
    )
    if (name === 'sent') await seedCreditNote(client, await client.invoices.send(id, key('send-invoice')))
    yield { id, about: `A one-off invoice: ${name}` }
  }
}

/** A credit note for part of an open invoice. */
async function seedCreditNote(client: Switchyard, { id, lines }: Invoice): Promise<void> {
  const credited = [{ invoice_line_id: lines[1]?.id ?? '', amount: 9_000 }]
  await client.creditNotes.create(
    { invoice_id: id, reason: 'order_change', lines: credited },
    key('credit-note'),
  )
}

/** Two subscriptions on a test clock, which is advanced by three months. */
async function* seedClock(client: Switchyard, items: Items): AsyncGenerator<Seeded> {
  const clockOptions = { now_at: '2027-01-01T00:00:00.000Z', name: 'Three months' }
  const clock = await client.testClocks.create(clockOptions, key('clock'))
  for (const [name, script] of Object.entries(paymentScripts)) {
    const keyFor = (noun: string) => key(`${noun}-of-${name.replace(' ', '-')}`)
    const customer = await client.customers.create({ name, test_clock_id: clock.id }, keyFor('customer'))
    await seedCard(client, customer.id, script)
    const { id } = await client.subscriptions.create(
      { customer_id: customer.id, items },
      keyFor('subscription'),
    )
    yield { id, about: `Team plan of ${name}, on ${clock.id}` }
  }
  await client.testClocks.advance(clock.id, { to_at: '2027-04-05T00:00:00.000Z' }, key('advance'))
}

/** Receipts by e-mail: one to a payer, one that bounces, and one that is marked as spam. */
async function* seedReceipts(client: Switchyard): AsyncGenerator<Seeded> {
  for (const [index, email] of receiptAddresses.entries()) {
    const keyFor = (noun: string) => key(`${noun}-of-receipt-${index}`)
    const session = await client.checkoutSessions.create(
      { amount: 2900, currency: 'eur', description: 'Inner tubes', collect: ['email'] },
      keyFor('session'),
    )
    const { status } = await client.checkoutSessions.get(session.id)
    if (status === 'open') {
      const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' }
      const token = await client.tokens.create({ type: 'card', card }, keyFor('token'))
      const body = { token: token.id, email }
      await client.checkoutSessions.confirm(session.id, session.client_secret ?? '', body, keyFor('confirm'))
    }
    yield { id: session.id, about: `A receipt to ${email}` }
  }
}

/** Disputes in different states: awaiting a response, under review, and decided. */
async function* seedDisputes(client: Switchyard): AsyncGenerator<Seeded> {
  for (const { name, number, amount, explanation, response } of disputedPayments) {
    const keyFor = (noun: string) => key(`${noun}-${name}`)
    const card = { number, exp_month: 12, exp_year: 2030, cvc: '123' }
    const token = await client.tokens.create({ type: 'card', card }, keyFor('token'))
    const payment = await client.payments.create(
      { amount, currency: 'eur', token: token.id, description: 'Order 4711' },
      keyFor('payment'),
    )
    const { id, status } = await waitForDispute(client, payment.id)
    // In a second run, most disputes have already been answered.
    if (status === 'needs_response') {
      if (explanation !== undefined) await client.disputes.update(id, { evidence: { explanation } })
      if (response !== undefined) await client.disputes[response](id, keyFor(response))
    }
    yield { id, about: `A dispute: ${name.replaceAll('-', ' ')}` }
  }
}

/** A settlement report with a payment that Switchyard has not recorded, and a fee. */
async function* seedSettlement(client: Switchyard): AsyncGenerator<Seeded> {
  const [account] = (await client.providerAccounts.list({ limit: 1 }).page()).data
  if (account === undefined) return
  const columns = {
    id: 'ID',
    type: 'Type',
    provider_reference: 'Reference',
    gross: 'Gross',
    fee: 'Fee',
    currency: 'Currency',
    created_at: 'Date',
    payout_reference: 'Payout',
  }
  const mapping = { columns, types: { sale: 'payment', fee: 'fee' } } as const
  const input = { provider_account_id: account.id, format: 'csv', file_name: 'example.csv', mapping } as const
  const { id } = await client.settlementImports.create(input, key('settlement-import'))
  const { status } = await client.settlementImports.get(id)
  if (status === 'awaiting_content') await client.settlementImports.upload(id, settlementFile)
  yield { id, about: 'A settlement report' }
}

/** A customer who pays for the plan by SEPA debit. The first debit is pending for 14 days. */
async function* seedDebit(client: Switchyard, items: Items): AsyncGenerator<Seeded> {
  const { id: customer_id } = await client.customers.create(debitCustomer, key('debit-customer'))
  const { id: token } = await client.tokens.create(
    {
      type: 'sepa_debit',
      sepa_debit: {
        iban: 'DE86370400440532018001',
        account_holder_name: debitCustomer.name,
        email: debitCustomer.email,
        mandate: { text_version: '2026-11' },
      },
    },
    key('debit-token'),
  )
  const method = await client.paymentMethods.create({ token, usage: 'off_session' }, key('debit-method'))
  await client.paymentMethods.attach(method.id, { customer_id }, key('debit-attach'))
  const { id } = await client.subscriptions.create(
    { customer_id, items, payment_method_id: method.id },
    key('debit-subscription'),
  )
  yield { id, about: 'Team plan, paid by SEPA debit' }
}

const debitCustomer = { name: 'Harbor Supplies', email: 'accounts@harbor.example' }

async function seedCard(
  client: Switchyard,
  customer_id: string,
  simulate: string | null = null,
): Promise<void> {
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' }
  const keyFor = (name: string) => key(`${name}-${customer_id}`)
  const token = await client.tokens.create({ type: 'card', card }, keyFor('token'))
  const metadata = simulate === null ? {} : { simulate }
  const method = await client.paymentMethods.create({ token: token.id, metadata }, keyFor('method'))
  await client.paymentMethods.attach(method.id, { customer_id }, keyFor('attach'))
}
