/** The form of a one-off invoice, and the request that it sends. No side effects. */

import type { CreateInvoice, InvoiceLine } from '@switchyard/sdk'
import { amountOf } from '../../../format/money.ts'
import { discountInputOf } from '../coupons/coupon-text.ts'

export type LineForm = {
  readonly key: string
  readonly description: string
  readonly quantity: string
  /** As typed: `1,200.00`. */
  readonly unitAmount: string
}

export type InvoiceDraft = {
  readonly customerId: string
  readonly currency: string
  readonly collectionMethod: NonNullable<CreateInvoice['collection_method']>
  readonly days: string
  readonly purchaseOrder: string
  readonly memo: string
  /** The ID of a coupon, or a promotion code. */
  readonly discount: string
  readonly lines: readonly LineForm[]
}

export function emptyLine(): LineForm {
  return { key: crypto.randomUUID(), description: '', quantity: '1', unitAmount: '' }
}

export function emptyDraft(): InvoiceDraft {
  return {
    customerId: '',
    currency: 'eur',
    collectionMethod: 'send_invoice',
    days: '14',
    purchaseOrder: '',
    memo: '',
    discount: '',
    lines: [emptyLine()],
  }
}

export function isLineComplete(line: LineForm, currency: string): boolean {
  return (
    line.description.trim() !== '' &&
    Number(line.quantity) >= 1 &&
    amountOf(line.unitAmount, currency) !== null
  )
}

export function isComplete({ customerId, lines, currency }: InvoiceDraft): boolean {
  return customerId !== '' && lines.every((line) => isLineComplete(line, currency))
}

export function lineBodyOf({ description, quantity, unitAmount }: LineForm, currency: string) {
  return {
    description: description.trim(),
    quantity: Number(quantity),
    unit_amount: amountOf(unitAmount, currency) ?? 0,
  }
}

/** Omitted if empty, so that the invoice gets the discounts of the customer. */
function discountsOf(text: string): Pick<CreateInvoice, 'discounts'> {
  if (text === '') return {}
  return { discounts: [discountInputOf(text)] }
}

export function bodyOf(draft: InvoiceDraft): CreateInvoice {
  const { customerId, currency, collectionMethod, days, purchaseOrder, memo, discount, lines } = draft
  return {
    customer_id: customerId,
    currency: currency as CreateInvoice['currency'],
    collection_method: collectionMethod,
    ...(collectionMethod === 'send_invoice' ? { terms: { days: Number(days) } } : {}),
    ...(purchaseOrder === '' ? {} : { purchase_order: purchaseOrder }),
    ...(memo === '' ? {} : { memo }),
    ...discountsOf(discount.trim()),
    lines: lines.map((line) => lineBodyOf(line, currency)),
  }
}

/** The form of an existing line. `decimals` formats its unit amount for the field. */
export function formOfLine(line: InvoiceLine, decimals: (amount: number) => string): LineForm {
  return {
    key: line.id,
    description: line.description ?? '',
    quantity: String(line.quantity),
    unitAmount: decimals(Number(line.explanation.unit_amount_decimal)),
  }
}
