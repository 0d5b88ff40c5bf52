// Compares the records of a billing scenario with the providers' ledgers. Each check returns one sentence per
// violation; the text before the colon names the rule.

import { idFromUuid } from '../../src/kernel/id.ts'
import {
  type Access,
  automaticallyRefunded,
  type CheckInput,
  createLedger,
  sum,
  wireId,
} from './billing-check-input.ts'
import { type InvoiceRow, readBillingRecords, type SubscriptionRow } from './billing-records.ts'
import type { BillingRun } from './billing-run.ts'
import { linesAreCorrect } from './check-lines.ts'
import { appliedByNotes, creditedOwed, creditNotesAddUp, requestedNotesOf } from './check-notes.ts'
import { ledgerEntriesIn, ledgerViolations, paymentViolations } from './check-payments.ts'
import { sessionsMatchTheLedgers } from './check-sessions.ts'
import { hasOpenReview, type PaymentRow, readRecords } from './records.ts'
import { callApi } from './send-request.ts'

type Check = (input: CheckInput) => readonly string[]

export async function checkBilling(run: BillingRun): Promise<void> {
  const records = await readRecords(run)
  const ledgerEntries = await ledgerEntriesIn(run)
  run.violations.push(...paymentViolations({ records, ledgerEntries, run }), ...(await ledgerViolations(run)))
  // While a payment needs review, the records and the ledgers may differ.
  if (records.payments.some(({ id, review }) => review !== null || hasOpenReview(records, id))) return
  const billing = await readBillingRecords(run)
  const access = await readAccess(run, billing.subscriptions)
  const input = { records, billing, run, ledger: createLedger(ledgerEntries), access }
  for (const check of checks) run.violations.push(...check(input))
}

async function readAccess(run: BillingRun, rows: readonly SubscriptionRow[]) {
  const accessById = new Map<string, Access>()
  for (const { id } of rows) {
    const { text } = await callApi(
      run,
      'GET',
      `/subscriptions/${idFromUuid('subscription', 'test', id)}/access`,
    )
    accessById.set(id, JSON.parse(text))
  }
  return accessById
}

const describeInvoice = (invoice: InvoiceRow) =>
  `${wireId('invoice', invoice)} (${invoice.reason}, ${invoice.status})`

const paymentsOf = ({ records }: CheckInput, { id }: InvoiceRow) =>
  records.payments.filter(({ invoice_id }) => invoice_id === id)

const entriesFor = ({ billing }: CheckInput, { id }: InvoiceRow, ...reasons: string[]) =>
  sum(
    billing.entries.filter(({ invoice_id, reason }) => invoice_id === id && reasons.includes(reason)),
    ({ amount }) => amount,
  )

/** The credit of the customer that was applied to an invoice and not returned. */
const creditUsed = (input: CheckInput, invoice: InvoiceRow) =>
  -entriesFor(input, invoice, 'applied', 'returned') - appliedByNotes(input, invoice)

/** A paid invoice has exactly one payment that captured its amount. No money is kept for unpaid invoices. */
function invoicesMatchTheLedgers(input: CheckInput): string[] {
  return input.billing.invoices.flatMap((invoice) => {
    const { status, amount_paid, paid_out_of_band } = invoice
    const payments = paymentsOf(input, invoice)
    if (status === 'paid' && !paid_out_of_band && amount_paid > 0)
      return paidInvoiceViolations(input, invoice, payments)
    const keptAmount = netCaptured(input, payments)
    return keptAmount === 0
      ? []
      : [
          `money kept: ${keptAmount} was kept for ${describeInvoice(invoice)}, which was not paid by a payment`,
        ]
  })
}

const netCaptured = ({ ledger }: CheckInput, payments: readonly PaymentRow[]) =>
  sum(payments, (row) => ledger(row).captured - ledger(row).refunded - ledger(row).reversed)

function paidInvoiceViolations(
  input: CheckInput,
  invoice: InvoiceRow,
  payments: readonly PaymentRow[],
): string[] {
  const paidBy = payments.find(({ id }) => id === invoice.payment_id)
  if (paidBy === undefined) return [`invoice: ${describeInvoice(invoice)} is paid without a payment`]
  // A debit that the bank has returned no longer pays the invoice.
  const captured = input.ledger(paidBy).captured - input.ledger(paidBy).reversed
  const others = payments.filter((row) => row !== paidBy)
  const paidAgain = netCaptured(input, others)
  const violations = [
    [
      captured !== invoice.amount_paid,
      `invoice: its amount_paid is ${invoice.amount_paid}, but the ledgers captured ${captured}`,
    ],
    [paidBy.cancel_requested_at !== null, 'invoice: it is paid by a cancelled payment'],
    [paidAgain !== 0, `paid twice: it was paid again with ${paidAgain}`],
  ] as const
  return violations
    .filter(([isViolated]) => isViolated)
    .map(([, violation]) => `${violation}: ${describeInvoice(invoice)}`)
}

/** The balance is the sum of its entries, and each entry matches an invoice or the initial credit. */
function creditAddsUp(input: CheckInput): string[] {
  const { billing, run } = input
  const balance = sum(billing.balances, (row) => row.balance)
  const entriesTotal = sum(billing.entries, ({ amount }) => amount)
  const violations =
    balance === entriesTotal ? [] : [`the balance is ${balance}, the sum of its entries is ${entriesTotal}`]
  const withoutInvoice = billing.entries.filter(({ invoice_id }) => invoice_id === null)
  const initialCredit = sum(withoutInvoice, ({ amount }) => amount)
  if (initialCredit !== run.scenario.credit)
    violations.push(
      `${initialCredit} of credit has no invoice, but the initial credit is ${run.scenario.credit}`,
    )
  for (const invoice of billing.invoices) {
    // What a void invoice returns is checked with its lines.
    const used = creditUsed(input, invoice) + creditedOwed(input, invoice)
    if (invoice.status !== 'void' && used !== invoice.credit_applied)
      violations.push(
        `${used} of credit was applied to ${describeInvoice(invoice)}, whose credit_applied is ${invoice.credit_applied}`,
      )
    const granted = entriesFor(input, invoice, 'invoice_below_zero')
    const expectedCredit = invoice.status === 'paid' ? Math.max(0, -invoice.total) : 0
    if (granted !== expectedCredit)
      violations.push(
        `${granted} was credited for ${describeInvoice(invoice)} with the total ${invoice.total}`,
      )
  }
  return violations.map((violation) => `credit: ${violation}`)
}

/** Automatic credits and refunds never exceed the amount received. */
function returnsAtMostWhatWasReceived(input: CheckInput): string[] {
  const { billing } = input
  const perSubscription = billing.subscriptions.flatMap((subscription) => {
    const invoices = billing.invoices.filter(({ subscription_id }) => subscription_id === subscription.id)
    const received = sum(invoices, (invoice) => receivedFor(input, invoice))
    const returned = sum(invoices, (invoice) => returnedFor(input, invoice))
    return returned <= received
      ? []
      : [
          `returned too much: ${returned} for ${wireId('subscription', subscription)}, which received ${received}`,
        ]
  })
  const perInvoice = billing.invoices.flatMap((invoice) => {
    const received = receivedFor(input, invoice)
    const returned = returnedFor(input, invoice) - entriesFor(input, invoice, 'invoice_below_zero')
    return returned <= received
      ? []
      : [`returned too much: ${returned} for ${describeInvoice(invoice)}, which received ${received}`]
  })
  return [...perSubscription, ...perInvoice]
}

/**
 * Unused time is credited or refunded only up to the amount that the merchant had not refunded before. Pending
 * lines and test clocks are excluded, because the time at which their amounts were computed is not recorded.
 */
function nothingIsReturnedTwice(input: CheckInput): string[] {
  const { billing, records, run } = input
  if (run.scenario.onClock || JSON.stringify(run.scenario.steps).includes('"next_invoice"')) return []
  return billing.subscriptions.flatMap((subscription) => {
    const invoices = billing.invoices.filter(({ subscription_id }) => subscription_id === subscription.id)
    const firstReturnMs = Math.min(...invoices.flatMap((invoice) => returnTimesOf(input, invoice)))
    const payments = invoices.flatMap((invoice) => paymentsOf(input, invoice))
    const refundedBefore = records.refunds.filter(
      ({ payment_id, source, status, created_at }) =>
        source === 'api' &&
        status === 'succeeded' &&
        Date.parse(created_at) < firstReturnMs &&
        payments.some(({ id }) => id === payment_id),
    )
    const refunded = sum(refundedBefore, ({ amount }) => amount)
    const received = sum(invoices, (invoice) => receivedFor(input, invoice))
    const returned = sum(invoices, (invoice) => returnedFor(input, invoice))
    return refunded === 0 || returned <= received - refunded
      ? []
      : [
          `returned twice: ${returned} for ${wireId('subscription', subscription)}, which received ${received}, and the merchant had refunded ${refunded}`,
        ]
  })
}

/** When unused time of the invoice was credited or automatically refunded. */
function returnTimesOf(input: CheckInput, invoice: InvoiceRow): number[] {
  const { billing, records } = input
  const entries = billing.entries.filter(({ invoice_id }) => invoice_id === invoice.id)
  const payments = paymentsOf(input, invoice)
  const refunds = records.refunds.filter(
    ({ source, payment_id }) => source === 'automatic' && payments.some(({ id }) => id === payment_id),
  )
  return [
    // The credit of an invoice below zero is granted later, but its amount is computed with the invoice.
    ...entries.filter(({ reason }) => reason === 'invoice_below_zero').map(() => invoice.created_at),
    ...entries.filter(({ reason }) => reason === 'unused_time').map(({ created_at }) => created_at),
    ...refunds.map(({ created_at }) => created_at),
  ].map((text) => Date.parse(text))
}

function receivedFor(input: CheckInput, invoice: InvoiceRow): number {
  const payments = paymentsOf(input, invoice).map((row) => input.ledger(row))
  const reversed = payments.map((row) => row.reversed)
  // The customer owes the returned amount again, and keeps the credit for unused time.
  const owedAgain = invoice.status === 'paid' ? 0 : Math.max(0, ...reversed)
  const captured = sum(payments, (row) => row.captured) - sum(reversed, (amount) => amount) + owedAgain
  const byOtherMeans = invoice.paid_out_of_band ? invoice.amount_paid : 0
  return captured + byOtherMeans + creditUsed(input, invoice)
}

function returnedFor(input: CheckInput, invoice: InvoiceRow): number {
  const refunded = sum(paymentsOf(input, invoice), (row) => automaticallyRefunded(input, row))
  return refunded + entriesFor(input, invoice, 'invoice_below_zero', 'unused_time')
}

const keptFor = (input: CheckInput, invoice: InvoiceRow) =>
  netCaptured(input, paymentsOf(input, invoice)) +
  (invoice.paid_out_of_band ? invoice.amount_paid : 0) +
  creditUsed(input, invoice) -
  entriesFor(input, invoice, 'unused_time', 'credit_note') +
  appliedByNotes(input, invoice)

/** Whether the period billed by the invoice began, or was kept for later. */
function periodBegan({ billing }: CheckInput, invoice: InvoiceRow): boolean {
  const id = wireId('invoice', invoice)
  return billing.eventStates.some(
    (state) =>
      (state.status === 'active' && state.period_invoice_id === id) ||
      (state.activation_state === 'done' && state.activation_invoice_id === id),
  )
}

/** A paid start or resume invoice results in its period or a full refund. */
function paymentsHavePeriods(input: CheckInput): string[] {
  return input.billing.invoices
    .filter(({ reason, status }) => status === 'paid' && (reason === 'start' || reason === 'resume'))
    .filter((invoice) => keptFor(input, invoice) > 0 && !periodBegan(input, invoice))
    .map((invoice) => {
      const keptAmount = keptFor(input, invoice)
      return `paid for nothing: ${keptAmount} was kept for ${describeInvoice(invoice)}, whose period never began`
    })
}

/** Tolerance for rounding. */
const tolerance = 2

/** Unused time of a paid period is credited or refunded if the request specified it. */
function unusedTimeIsReturned(input: CheckInput): string[] {
  const { billing, run, records } = input
  if (records.refunds.some(({ status, source }) => status === 'failed' || source === 'api')) return []
  // What notes have credited is not returned again.
  if (billing.invoices.some((invoice) => requestedNotesOf(input, invoice).length > 0)) return []
  return [...Map.groupBy(run.unusedTimes, ({ subscription }) => subscription)].flatMap(
    ([number, unusedTimes]) => {
      const paid = unusedTimes.filter(({ invoiceId }) =>
        billing.invoices.some(({ id, status }) => id === invoiceId && status === 'paid'),
      )
      // A repeated request counts once.
      const byInvoice = new Map(paid.map((unused) => [unused.invoiceId, unused]))
      const value = sum(byInvoice.values(), (unused) => unused.value)
      const ids = new Set(paid.map(({ invoiceId }) => invoiceId))
      const owners = new Set(
        billing.invoices.filter(({ id }) => ids.has(id)).map(({ subscription_id }) => subscription_id),
      )
      const returned = sum(
        billing.invoices.filter(({ subscription_id }) => owners.has(subscription_id)),
        (invoice) => returnedFor(input, invoice),
      )
      return returned >= value - tolerance
        ? []
        : [
            `unused time kept: subscription ${number} had ${value} of unused time, and ${returned} was returned`,
          ]
    },
  )
}

/**
 * Access with the reason `paid` requires a period whose invoice is paid and was not automatically refunded.
 */
function accessIsPaidFor(input: CheckInput): string[] {
  const { billing, access } = input
  return billing.subscriptions.flatMap((subscription) => {
    const { granted, reason } = access.get(subscription.id) as Access
    const invoice = billing.invoices.find(({ id }) => id === subscription.period_invoice_id)
    if (!granted || reason !== 'paid' || invoice === undefined) return []
    const violation = accessViolation(input, invoice)
    const subject = `${wireId('subscription', subscription)} has access for ${describeInvoice(invoice)}`
    return violation === null ? [] : [`access: ${subject}, ${violation}`]
  })
}

function accessViolation(input: CheckInput, invoice: InvoiceRow): string | null {
  if (invoice.status === 'paid') {
    const payment = input.records.payments.find(({ id }) => id === invoice.payment_id)
    const returned = payment === undefined ? 0 : automaticallyRefunded(input, payment)
    return returned > 0 ? `of which ${returned} was refunded automatically` : null
  }
  const isUnpaid = invoice.status === 'open' || invoice.status === 'draft'
  const isCollected = invoice.collect_at !== null || invoice.held || invoice.overdue_since_at !== null
  return isUnpaid && !isCollected ? 'which is not being collected' : null
}

function deletedCustomersAreNotBilled(input: CheckInput): string[] {
  const { billing } = input
  const [customer] = billing.customers
  if (customer === undefined || customer.deleted_at === null) return []
  const running = billing.subscriptions.filter(({ status }) => status !== 'cancelled')
  const collected = billing.invoices.filter(
    ({ collect_at, status }) => collect_at !== null || status === 'draft',
  )
  const dunned = billing.campaigns.filter(({ status }) => status === 'running')
  return [
    ...running.map((row) => `deleted customer: ${wireId('subscription', row)} is ${row.status}`),
    ...collected.map((row) => `deleted customer: ${describeInvoice(row)} is still collected`),
    ...dunned.map((row) => `deleted customer: ${wireId('dunning_campaign', row)} still runs`),
  ]
}

/** No object waits for an event that can no longer happen. */
function noWaitWithoutReason(input: CheckInput): string[] {
  const { billing } = input
  const violations = [
    ...billing.invoices.flatMap((invoice) => waitingInvoiceViolations(input, invoice)),
    ...billing.subscriptions.flatMap((subscription) => waitingViolations(input, subscription)),
    ...billing.campaigns.flatMap((campaign) => {
      const invoice = billing.invoices.find(({ id }) => id === campaign.invoice_id)
      return campaign.status === 'running' && invoice?.status !== 'open'
        ? [`${wireId('dunning_campaign', campaign)} runs for an invoice that is ${invoice?.status}`]
        : []
    }),
  ]
  return violations.map((violation) => `waits forever: ${violation}`)
}

/**
 * A subscription that was paused during its first payment does not require another payment if the first one
 * fails.
 */
function noPaymentForPausedStart({ billing }: CheckInput): string[] {
  return billing.eventStates
    .filter(({ status, activation_state }) => status === 'paused' && activation_state === 'requires_action')
    .filter(({ activation_purpose }) => activation_purpose === 'start')
    .map(
      (state) => `paused start: ${state.activation_invoice_id} of a paused subscription requires a payment`,
    )
}

/** The invoice that blocks the start or resumption of a subscription, or null. */
function awaitedInvoice({ activation, status }: SubscriptionRow): string | null {
  const isPending = activation?.state === 'pending' || activation?.state === 'requires_action'
  return isPending && status !== 'cancelled' ? (activation?.invoiceId ?? null) : null
}

function waitingInvoiceViolations({ billing, records }: CheckInput, invoice: InvoiceRow): string[] {
  const { status, reason, subscription_id, live_payment_id } = invoice
  const payment = records.payments.find((row) => row.id === live_payment_id)
  if (payment !== undefined && ['succeeded', 'failed', 'cancelled'].includes(payment.status))
    return [`${describeInvoice(invoice)} waits for a payment that is ${payment.status}`]
  const isStartInvoice = reason === 'start' || reason === 'resume'
  // Its period has begun, and the dunning campaign or the customer pays it again.
  if (wasReturned(records, invoice)) return []
  if (status !== 'open' || !isStartInvoice || live_payment_id !== null) return []
  const subscription = billing.subscriptions.find((row) => row.id === subscription_id)
  const isAwaited = subscription !== undefined && awaitedInvoice(subscription) === wireId('invoice', invoice)
  return isAwaited ? [] : [`${describeInvoice(invoice)} is open, and its subscription does not wait for it`]
}

/** Whether the bank has returned a debit that had paid the invoice. */
const wasReturned = (records: CheckInput['records'], { id }: InvoiceRow) =>
  records.payments.some(({ invoice_id, amount_reversed }) => invoice_id === id && amount_reversed > 0)

function waitingViolations({ billing }: CheckInput, subscription: SubscriptionRow): string[] {
  const awaited = awaitedInvoice(subscription)
  const invoice = billing.invoices.find((row) => wireId('invoice', row) === awaited)
  if (invoice === undefined || invoice.status === 'open' || invoice.status === 'draft') return []
  return [`${wireId('subscription', subscription)} waits for ${describeInvoice(invoice)}`]
}

/**
 * Per customer: captured - refunded - reversed + credit used = totals of paid invoices that were kept + credit granted.
 */
function customerAddsUp(input: CheckInput): string[] {
  const { billing, records, run } = input
  const invoicePayments = records.payments.filter(({ invoice_id }) => invoice_id !== null)
  const captured = sum(invoicePayments, (row) => input.ledger(row).captured)
  const reversed = sum(invoicePayments, (row) => input.ledger(row).reversed)
  const refunded = sum(invoicePayments, (row) => input.ledger(row).refunded)
  const paid = billing.invoices.filter(({ status }) => status === 'paid')
  const byOtherMeans = sum(
    paid.filter((invoice) => invoice.paid_out_of_band),
    ({ amount_paid }) => amount_paid,
  )
  const sumCredit = (...reasons: string[]) =>
    sum(
      billing.entries.filter(({ reason }) => reasons.includes(reason)),
      ({ amount }) => amount,
    )
  const used = sum(paid, (invoice) => creditUsed(input, invoice))
  const credited = sum(paid, (invoice) => creditedOwed(input, invoice))
  const granted = sumCredit('invoice_below_zero', 'unused_time') - run.scenario.credit
  // Subtract what was refunded or credited.
  const returned = sum(
    records.refunds.filter(
      ({ status, payment_id }) =>
        status === 'succeeded' && invoicePayments.some(({ id }) => id === payment_id),
    ),
    ({ amount }) => amount,
  )
  const returnedAsCredit = sumCredit('unused_time') - run.scenario.credit
  // A fully refunded payment may belong to an invoice that it did not pay.
  const unassigned = sum(
    invoicePayments.filter(({ id }) => !paid.some(({ payment_id }) => payment_id === id)),
    (row) => row.amount_captured - row.amount_reversed,
  )
  const keptAmount = sum(paid, ({ total }) => total) - credited + unassigned - returned - returnedAsCredit
  const received = captured - refunded - reversed + byOtherMeans + used
  const accounted = keptAmount + granted
  return received === accounted
    ? []
    : [
        `customer: captured ${captured} - refunded ${refunded} - reversed ${reversed} + other means ${byOtherMeans} + credit used ${used} is ${received}, but invoices kept ${keptAmount} and credit granted ${granted} are ${accounted}`,
      ]
}

const checks: readonly Check[] = [
  invoicesMatchTheLedgers,
  creditAddsUp,
  returnsAtMostWhatWasReceived,
  nothingIsReturnedTwice,
  paymentsHavePeriods,
  unusedTimeIsReturned,
  accessIsPaidFor,
  sessionsMatchTheLedgers,
  deletedCustomersAreNotBilled,
  noWaitWithoutReason,
  noPaymentForPausedStart,
  customerAddsUp,
  creditNotesAddUp,
  linesAreCorrect,
]
