// The mapping from business transactions to accounts, with random histories of payments and invoices.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Currency } from '../../../kernel/currency.ts'
import { type Id, idFromUuid, idMaker, type Kind } from '../../../kernel/id.ts'
import {
  accounts,
  type LedgerAct,
  type LedgerPosting,
  postingsOf,
  splitRefund,
  taxedAccountOf,
  unearnedLeftByVoid,
  unearnedOf,
  unearnedPartOf,
} from './postings.ts'

const nextUuid = idMaker(new Date('2026-11-17T12:00:00.000Z'), 1)
const newId = <K extends Kind>(kind: K): Id<K> => idFromUuid(kind, 'test', nextUuid())
const currency: Currency = 'eur'
const amounts = fc.bigInt({ min: 1n, max: 999_999_999_999n })

/** The balance of an account on its normal side. */
function balanceOf(postings: readonly LedgerPosting[], account: keyof typeof accounts): bigint {
  let debits = 0n
  for (const { debitAccount, creditAccount, amount } of postings) {
    if (debitAccount === account) debits += amount
    if (creditAccount === account) debits -= amount
  }
  return accounts[account] === 'debit' ? debits : -debits
}

function expectWellFormed(postings: readonly LedgerPosting[]): void {
  const ids = postings.map(({ causeId, line }) => `${causeId} ${line}`)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { amount, debitAccount, creditAccount, providerAccountId, line } of postings) {
    expect(amount > 0n && debitAccount !== creditAccount && line >= 0 && line < 64).toBe(true)
    expect(providerAccountId !== null).toBe(debitAccount === 'clearing' || creditAccount === 'clearing')
  }
  const debits = Object.keys(accounts).reduce((sum, name) => {
    const account = name as keyof typeof accounts
    const balance = balanceOf(postings, account)
    return sum + (accounts[account] === 'debit' ? balance : -balance)
  }, 0n)
  expect(debits).toBe(0n)
}

type RefundCase = { readonly share: number; readonly succeeds: boolean | null }
const refundCases = fc.array(
  fc.record({
    share: fc.integer({ min: 1, max: 100 }),
    succeeds: fc.option(fc.boolean(), { nil: null }),
  }),
  { maxLength: 6 },
)

/** Posts a capture and refunds, as payments do. */
function payFor(captured: bigint, isUnapplied: boolean, refunds: readonly RefundCase[]) {
  const [paymentId, providerAccountId] = [newId('payment'), newId('provider_account')]
  const postings = postingsOf({
    act: 'payment_captured',
    operationId: newId('operation'),
    paymentId,
    providerAccountId,
    currency,
    amount: captured,
    isUnapplied,
  })
  const amountsOf = { refunding: 0n, refunded: 0n, unapplied: isUnapplied ? captured : 0n }
  for (const { share, succeeds } of refunds) {
    const amount = ((captured - amountsOf.refunding - amountsOf.refunded) * BigInt(share)) / 100n
    const refundId = newId('refund')
    const split = splitRefund(amountsOf.unapplied, amount)
    amountsOf.unapplied -= split.unapplied
    postings.push(...postingsOf({ act: 'refund_requested', refundId, paymentId, currency, ...split }))
    if (succeeds === null) amountsOf.refunding += amount
    if (succeeds === true) {
      amountsOf.refunded += amount
      postings.push(
        ...postingsOf({ act: 'refund_succeeded', refundId, paymentId, providerAccountId, currency, amount }),
      )
    }
    if (succeeds === false) {
      amountsOf.unapplied += split.unapplied
      postings.push(...postingsOf({ act: 'refund_failed', refundId, paymentId, currency, ...split }))
    }
  }
  return { postings, amountsOf, paymentId }
}

describe('the postings of a payment', () => {
  test('add up to its amounts, with any outcome of its refunds', () => {
    fc.assert(
      fc.property(amounts, fc.boolean(), refundCases, (captured, isUnapplied, refunds) => {
        const { postings, amountsOf } = payFor(captured, isUnapplied, refunds)

        expectWellFormed(postings)
        expect(balanceOf(postings, 'clearing')).toBe(captured - amountsOf.refunded)
        expect(balanceOf(postings, 'refunds_payable')).toBe(amountsOf.refunding)
        expect(balanceOf(postings, 'unapplied')).toBe(amountsOf.unapplied)
        const income = balanceOf(postings, 'sales') - balanceOf(postings, 'refunded')
        expect(income + amountsOf.unapplied).toBe(captured - amountsOf.refunded - amountsOf.refunding)
      }),
    )
  })

  test('leave nothing unapplied and nothing owed when the payment is applied to its invoice', () => {
    fc.assert(
      fc.property(amounts, refundCases, (captured, refunds) => {
        const { postings, amountsOf, paymentId } = payFor(captured, true, refunds)
        const refunded = amountsOf.refunding + amountsOf.refunded
        fc.pre(refunded < captured)
        const invoiceId = newId('invoice')
        postings.push(
          ...postingsOf({
            act: 'invoice_finalized',
            invoiceId,
            currency,
            amount: captured,
            revenue: 'unearned',
          }),
          ...postingsOf({
            act: 'payment_applied',
            paymentId,
            invoiceId,
            currency,
            unapplied: captured - refunded,
            refunded,
          }),
        )

        expectWellFormed(postings)
        expect(balanceOf(postings, 'unapplied')).toBe(0n)
        expect(balanceOf(postings, 'receivable')).toBe(0n)
        expect(balanceOf(postings, 'refunded')).toBe(refunded)
        expect(balanceOf(postings, 'unearned')).toBe(captured)
      }),
    )
  })
})

type InvoiceEnd =
  | 'paid_out_of_band'
  | 'voided'
  | 'written_off'
  | 'written_off_then_paid'
  | 'written_off_then_voided'
const ends: readonly InvoiceEnd[] = [
  'paid_out_of_band',
  'voided',
  'written_off',
  'written_off_then_paid',
  'written_off_then_voided',
]

describe('the postings of an invoice', () => {
  test('leave nothing owed at its end, and a void returns credit and income', () => {
    fc.assert(
      fc.property(
        amounts,
        fc.integer({ min: 0, max: 99 }),
        fc.constantFrom(...ends),
        fc.boolean(),
        (total, creditShare, end, isEarned) => {
          const postings = finalize(total, (total * BigInt(creditShare)) / 100n)
          const credit = balanceOf(postings.all, 'credit')
          const revenue = isEarned ? 'sales' : 'unearned'
          if (isEarned)
            postings.add({ act: 'period_ended', invoiceId: postings.invoiceId, currency, amount: total })
          endInvoice(postings, end, revenue)

          expectEnded(postings, { end, revenue, credit, total })
        },
      ),
    )
  })
})

type Expected = {
  readonly end: InvoiceEnd
  readonly revenue: 'unearned' | 'sales'
  readonly credit: bigint
  readonly total: bigint
}

function expectEnded(postings: InvoicePostings, { end, revenue, credit, total }: Expected): void {
  const isVoid = end.endsWith('voided')
  const { all, applied } = postings
  expectWellFormed(all)
  expect(balanceOf(all, 'receivable')).toBe(0n)
  expect(balanceOf(all, revenue)).toBe((isVoid ? 0n : total) + grantedOf(postings, revenue))
  expect(balanceOf(all, 'credit') - credit).toBe(isVoid ? applied : 0n)
  expect(balanceOf(all, 'bad_debt')).toBe(end === 'written_off' ? total - applied : 0n)
}

type InvoicePostings = ReturnType<typeof finalize>

/** The customer first gets credit, which the invoice uses. Granted credit reduces sales. */
const grantedOf = ({ applied }: InvoicePostings, revenue: 'sales' | 'unearned') =>
  revenue === 'sales' ? -applied : 0n

function finalize(total: bigint, applied: bigint) {
  const [invoiceId, customerId] = [newId('invoice'), newId('customer')]
  const all: LedgerPosting[] = []
  const add = (act: LedgerAct) => all.push(...postingsOf(act))
  const entry = { customerId, currency, amount: applied }
  add({ act: 'credit_granted', entryId: newId('credit_entry'), ...entry, invoiceId: null, revenue: 'sales' })
  add({ act: 'invoice_finalized', invoiceId, currency, amount: total, revenue: 'unearned' })
  add({ act: 'credit_applied', entryId: newId('credit_entry'), ...entry, invoiceId })
  return { all, add, invoiceId, customerId, applied, owed: total - applied }
}

function endInvoice(
  { add, invoiceId, customerId, applied, owed }: InvoicePostings,
  end: InvoiceEnd,
  revenue: 'unearned' | 'sales',
): void {
  const ofInvoice = { invoiceId, currency, amount: owed }
  if (end.startsWith('written_off')) add({ act: 'invoice_written_off', ...ofInvoice })
  if (end.startsWith('written_off_then')) add({ act: 'write_off_reversed', ...ofInvoice })
  if (end.includes('paid')) add({ act: 'invoice_paid_out_of_band', ...ofInvoice })
  if (!end.endsWith('voided')) return
  add({ act: 'invoice_voided', ...ofInvoice, revenue })
  const returned = { entryId: newId('credit_entry'), customerId, currency, amount: applied }
  add({ act: 'credit_returned', ...returned, invoiceId, revenue })
}

test('after the tax is recorded, the income of an invoice is its net amount, and voiding the invoice returns the tax', () => {
  const tax = fc.bigInt({ min: -10_000n, max: 10_000n })
  fc.assert(
    fc.property(amounts, tax, fc.boolean(), (total, taxAmount, isVoid) => {
      const invoiceId = newId('invoice')
      const amountsOfInvoice = { total, tax: taxAmount }
      const revenue = taxedAccountOf(amountsOfInvoice, 'unearned')
      const ofTax = { invoiceId, currency, amount: taxAmount, revenue }
      const acts: LedgerAct[] = [
        { act: 'invoice_finalized', invoiceId, currency, amount: total, revenue: 'unearned' },
        { act: 'tax_recorded', ...ofTax },
        ...(isVoid
          ? ([
              { act: 'invoice_voided', invoiceId, currency, amount: total, revenue: 'unearned' },
              { act: 'tax_returned', ...ofTax },
            ] as const)
          : []),
      ]
      const all = acts.flatMap(postingsOf)

      expectWellFormed(all)
      expect(balanceOf(all, 'unearned')).toBe(
        isVoid ? 0n : unearnedOf({ ...amountsOfInvoice, unearnedCredited: 0n }),
      )
      expect(balanceOf(all, 'tax_payable')).toBe(isVoid ? 0n : taxAmount)
      expect(balanceOf(all, 'unearned') + balanceOf(all, 'sales')).toBe(isVoid ? 0n : total - taxAmount)
    }),
  )
})

const noteCases = fc.array(
  fc.record({
    share: fc.bigInt({ min: 1n, max: 100n }),
    taxShare: fc.bigInt({ min: 0n, max: 50n }),
    isVoided: fc.boolean(),
  }),
  { maxLength: 5 },
)

test('credit notes before the end of a period reduce what is earned later, and do not change income', () => {
  const tax = fc.bigInt({ min: -10_000n, max: 10_000n })
  const ends = fc.constantFrom('running', 'ended', 'void')
  fc.assert(
    fc.property(amounts, tax, noteCases, ends, (total, taxTotal, notes, end) => {
      const invoice = creditedInvoice(total, taxTotal)
      for (const note of notes) invoice.credit(note)
      const { all } = invoice
      expect(balanceOf(all, 'unearned')).toBe(invoice.left())
      expect(invoice.left() >= 0n).toBe(true)
      if (end === 'ended') invoice.endPeriod()
      const owed = end === 'void' ? 0n : invoice.owed()
      const payable = end === 'void' ? 0n : invoice.taxLeft()
      if (end === 'void') invoice.void()

      expectWellFormed(all)
      if (end !== 'running') expect(balanceOf(all, 'unearned')).toBe(0n)
      expect([balanceOf(all, 'tax_payable'), balanceOf(all, 'receivable')]).toEqual([payable, owed])
      // Together, `sales` and `unearned` contain exactly the amount owed without tax.
      expect(balanceOf(all, 'sales') + balanceOf(all, 'unearned')).toBe(owed - payable)
    }),
  )
})

type NoteCase = { readonly share: bigint; readonly taxShare: bigint; readonly isVoided: boolean }

/** An open invoice with a period that has not ended. Its notes reduce what is owed. */
function creditedInvoice(total: bigint, tax: bigint) {
  const [invoiceId, customerId] = [newId('invoice'), newId('customer')]
  const ofInvoice = { invoiceId, currency }
  const all: LedgerPosting[] = []
  const add = (act: LedgerAct) => all.push(...postingsOf(act))
  const invoice = { total, tax, taxCredited: 0n, unearnedCredited: 0n }
  let owed = total
  const revenue = taxedAccountOf(invoice, 'unearned')
  add({ act: 'invoice_finalized', ...ofInvoice, amount: total, revenue: 'unearned' })
  add({ act: 'tax_recorded', ...ofInvoice, amount: tax, revenue })
  const credit = ({ share, taxShare, isVoided }: NoteCase) => {
    const amount = (owed * share) / 100n
    const note = { total: amount, tax: (amount * taxShare) / 100n }
    const unearned = unearnedPartOf(invoice, note)
    const ofNote = { creditNoteId: newId('credit_note'), ...ofInvoice }
    const ofEntry = { customerId, ...ofInvoice, amount }
    add({ act: 'credit_granted', entryId: newId('credit_entry'), ...ofEntry, revenue: 'sales' })
    add({ act: 'credit_applied', entryId: newId('credit_entry'), ...ofEntry })
    add({ act: 'credit_note_tax_returned', ...ofNote, amount: note.tax })
    add({ act: 'credit_note_unearned_returned', ...ofNote, amount: unearned })
    if (isVoided) {
      add({ act: 'credit_note_voided', ...ofNote, amount })
      add({ act: 'credit_note_tax_recorded', ...ofNote, amount: note.tax })
      add({ act: 'credit_note_unearned_recorded', ...ofNote, amount: unearned })
      return
    }
    owed -= amount
    invoice.taxCredited += note.tax
    invoice.unearnedCredited += unearned
  }
  return {
    all,
    credit,
    owed: () => owed,
    taxLeft: () => tax - invoice.taxCredited,
    left: () => unearnedOf(invoice),
    endPeriod: () => add({ act: 'period_ended', ...ofInvoice, amount: unearnedOf(invoice) }),
    void: () => {
      add({ act: 'invoice_voided', ...ofInvoice, amount: owed, revenue: 'unearned' })
      add({ act: 'tax_returned', ...ofInvoice, amount: tax - invoice.taxCredited, revenue })
      add({ act: 'unearned_cleared', ...ofInvoice, amount: unearnedLeftByVoid(invoice, owed) })
    },
  }
}

test('a refund returns unapplied money first', () => {
  expect(splitRefund(300n, 500n)).toEqual({ unapplied: 300n, refunded: 200n })
  expect(splitRefund(300n, 200n)).toEqual({ unapplied: 200n, refunded: 0n })
  expect(splitRefund(0n, 200n)).toEqual({ unapplied: 0n, refunded: 200n })
})
