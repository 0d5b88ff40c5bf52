/** Payment methods as text: "Visa •••• 4242", "SEPA debit •••• 3000", "iDEAL". */

export function cardText({ brand, last4 }: { readonly brand: string; readonly last4: string }): string {
  return last4 === '' ? brandText(brand) : `${brandText(brand)} •••• ${last4}`
}

const brands: { readonly [brand: string]: string } = {
  jcb: 'JCB',
  amex: 'American Express',
  unionpay: 'UnionPay',
  unknown: 'Card',
  ideal: 'iDEAL',
  paypal: 'PayPal',
  sepa_debit: 'SEPA debit',
  ach_debit: 'ACH debit',
  bacs_debit: 'Bacs debit',
}

function brandText(brand: string): string {
  return brands[brand] ?? brand.charAt(0).toUpperCase() + brand.slice(1)
}

type Expiry = { readonly exp_month: number; readonly exp_year: number }
type Card = Expiry & { readonly brand: string; readonly last4: string }
type Debits<Debit> = {
  readonly sepa_debit: Debit | null
  readonly ach_debit: Debit | null
  readonly bacs_debit: Debit | null
}
type Method = Debits<{ readonly last4: string }> & {
  readonly card: Card | null
  /** Only set for a payment. */
  readonly payment_method_type?: string
}

/** "12/2030", or null: some card fields of providers do not report the expiry date, and the year is 0 then. */
export function expiryText({ exp_month, exp_year }: Expiry): string | null {
  return exp_year === 0 ? null : `${String(exp_month).padStart(2, '0')}/${exp_year}`
}

const debitTypes = ['sepa_debit', 'ach_debit', 'bacs_debit'] as const

/** The bank account that a payment debits, or a saved one; null for other methods. */
export function debitOf<Debit>(method: Debits<Debit>): Debit | null {
  return method.sepa_debit ?? method.ach_debit ?? method.bacs_debit
}

/** The payment method, as text, of a payment or of a stored payment method. */
export function methodText(method: Method): string {
  const { card, payment_method_type: type } = method
  if (card !== null) return cardText(card)
  const brand = debitTypes.find((name) => method[name] !== null)
  const debit = debitOf(method)
  if (brand !== undefined && debit !== null) return cardText({ brand, last4: debit.last4 })
  return type === undefined ? 'Unknown' : brandText(type)
}

/** Like `methodText`, with the expiry date of a card. */
export function methodWithExpiry(method: Method): string {
  return method.card === null ? methodText(method) : cardWithExpiry(method.card)
}

/** With the expiry date, for fields that select a card. */
function cardWithExpiry(card: Card): string {
  const expiry = expiryText(card)
  return expiry === null ? cardText(card) : `${cardText(card)}, expires ${expiry}`
}
