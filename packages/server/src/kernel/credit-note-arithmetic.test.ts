// Credit notes for all lines add up to the invoice, tax included, and the parts of each note add up to its
// total.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  creditableOf,
  creditNoteAmounts,
  remainingAmounts,
  splitCreditNote,
  type TaxedCreditLine,
} from './credit-note-arithmetic.ts'
import { calculateInvoice, type TaxRate } from './invoice-arithmetic.ts'

const rate = (percentage: string, inclusive = false): TaxRate => ({
  id: percentage,
  percentage,
  inclusive,
  category: 'S',
})

test('four notes for lines at 20% add up to the tax of the invoice, although rounding each note would give one unit more', () => {
  const amounts = [6833n, 5750n, 8500n, 6833n]
  const invoice = calculateInvoice(
    'eur',
    amounts.map((amount) => ({ amount, taxRate: rate('20') })),
    [],
  )
  const credited: TaxedCreditLine[] = []
  const notes = amounts.map((amount, index) => {
    const note = creditNoteAmounts(invoice.lines, credited, [{ index, amount }])
    credited.push(...note.lines)
    return note
  })
  expect(notes.map(({ taxTotal }) => taxTotal)).toEqual([1367n, 1150n, 1700n, 1366n])
  expect(notes.reduce((sum, { total }) => sum + total, 0n)).toBe(33499n)
  expect(invoice.total).toBe(33499n)
})

const rates = [null, rate('20'), rate('8.875'), rate('19', true), rate('7', true)]
const lineOf = fc.record({ amount: fc.bigInt(1n, 10_000_000n), taxRate: fc.constantFrom(...rates) })

/** Issues and voids notes of an invoice, and tracks how much of each line is left to credit. */
function notesOf(invoice: ReturnType<typeof calculateInvoice>) {
  const left = invoice.lines.map(creditableOf)
  const issued: ReturnType<typeof creditNoteAmounts>[] = []
  const credit = (index: number, amount: bigint) => {
    if (amount === 0n) return
    const before = issued.flatMap((note) => note.lines)
    const note = creditNoteAmounts(invoice.lines, before, [{ index, amount }])
    expect(note.lines.every(({ tax }) => tax >= 0n)).toBe(true)
    issued.push(note)
    left[index] = (left[index] ?? 0n) - amount
  }
  const voidFirst = () => {
    for (const { index, amount } of issued.shift()?.lines ?? []) left[index] = (left[index] ?? 0n) + amount
  }
  return { credit, voidFirst, left, issued }
}

test('any sequence of notes that credits all lines adds up to the invoice, tax included, with voids in between', () => {
  fc.assert(
    fc.property(
      fc.array(lineOf, { minLength: 1, maxLength: 8 }),
      fc.constantFrom('0', '10', '33.3'),
      fc.array(fc.tuple(fc.nat(7), fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean()), {
        maxLength: 20,
      }),
      (lines, percentage, steps) => {
        const discounts = [{ id: 'coupon', off: { percentage }, lines: null }]
        const invoice = calculateInvoice('eur', lines, discounts)
        const { credit, voidFirst, left, issued } = notesOf(invoice)
        for (const [at, share, isVoid] of steps) {
          const index = at % lines.length
          if (isVoid) voidFirst()
          credit(index, ((left[index] ?? 0n) * BigInt(Math.floor(share * 1000))) / 1000n)
        }
        for (const index of lines.keys()) credit(index, left[index] ?? 0n)
        expect(issued.reduce((sum, { total }) => sum + total, 0n)).toBe(invoice.total)
        expect(issued.reduce((sum, { taxTotal }) => sum + taxTotal, 0n)).toBe(invoice.taxTotal)
      },
    ),
  )
})

test('a credit note first reduces the amount owed, and its parts add up to its total', () => {
  const amount = fc.bigInt(0n, 1_000_000n)
  fc.assert(
    fc.property(amount, amount, fc.option(amount), fc.option(amount), (total, owed, refund, balance) => {
      const split = splitCreditNote(total, owed, { refund, balance })
      if (split === null) return
      expect(split.applied + split.refund + split.balance).toBe(total)
      expect(split.applied === total || split.applied === owed).toBe(true)
      expect(split.applied <= total && split.applied <= owed).toBe(true)
      if (refund !== null) expect(split.refund).toBe(refund)
      if (balance !== null) expect(split.balance).toBe(balance)
    }),
  )
  expect(splitCreditNote(100n, 30n, { refund: null, balance: null })).toEqual({
    applied: 30n,
    refund: 0n,
    balance: 70n,
  })
  expect(splitCreditNote(100n, 0n, { refund: 60n, balance: null })).toEqual({
    applied: 0n,
    refund: 60n,
    balance: 40n,
  })
  expect(splitCreditNote(100n, 0n, { refund: null, balance: 40n })).toEqual({
    applied: 0n,
    refund: 60n,
    balance: 40n,
  })
  expect(splitCreditNote(100n, 50n, { refund: 60n, balance: null })).toBeNull()
})

const anyLine = fc.record({
  amount: fc.oneof(fc.bigInt(1n, 10_000_000n), fc.bigInt(-1_000_000n, -1n)),
  taxRate: fc.constantFrom(...rates),
})

test('whatever notes have credited before, the note of a void invoice credits the rest, tax included', () => {
  fc.assert(
    fc.property(
      fc.array(anyLine, { minLength: 1, maxLength: 8 }),
      fc.constantFrom('0', '10', '33.3', '100'),
      fc.array(fc.tuple(fc.nat(7), fc.integer({ min: 0, max: 1000 }), fc.boolean()), { maxLength: 12 }),
      (lines, percentage, steps) => {
        const discounts = [{ id: 'coupon', off: { percentage }, lines: null }]
        const invoice = calculateInvoice('eur', lines, discounts)
        const { credit, voidFirst, left, issued } = notesOf(invoice)
        for (const [at, share, isVoid] of steps) {
          const index = at % lines.length
          if (isVoid) voidFirst()
          credit(index, ((left[index] ?? 0n) * BigInt(share)) / 1000n)
        }
        const rest = remainingAmounts(
          invoice.lines,
          issued.flatMap((note) => note.lines),
        )
        const sumOf = (member: 'total' | 'taxTotal' | 'subtotal') =>
          issued.reduce((sum, note) => sum + note[member], rest[member])
        expect(sumOf('total')).toBe(invoice.total)
        expect(sumOf('taxTotal')).toBe(invoice.taxTotal)
        expect(sumOf('subtotal')).toBe(invoice.subtotal - invoice.discountTotal)
        expect(rest.lines.every(({ amount, tax }) => amount !== 0n || tax !== 0n)).toBe(true)
      },
    ),
  )
})
