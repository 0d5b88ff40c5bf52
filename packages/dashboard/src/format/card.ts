/** Cards and bank accounts as text: "Visa •••• 4242", "SEPA debit •••• 3000". */

export function cardText({ brand, last4 }: { readonly brand: string; readonly last4: string }): string {
  return last4 === '' ? brandText(brand) : `${brandText(brand)} •••• ${last4}`
}

const brands: { readonly [brand: string]: string } = {
  jcb: 'JCB',
  amex: 'American Express',
  unionpay: 'UnionPay',
  unknown: 'Card',
}

function brandText(brand: string): string {
  return brands[brand] ?? brand.charAt(0).toUpperCase() + brand.slice(1)
}

type Expiry = { readonly exp_month: number; readonly exp_year: number }
type Card = Expiry & { readonly brand: string; readonly last4: string }
type Method = { readonly card: Card | null; readonly sepa_debit: { readonly last4: string } | null }

/** "12/2030", or null: some card fields of providers do not report the expiry date, and the year is 0 then. */
export function expiryText({ exp_month, exp_year }: Expiry): string | null {
  return exp_year === 0 ? null : `${String(exp_month).padStart(2, '0')}/${exp_year}`
}

/** The card or bank account of a payment or a payment method. */
export function methodText({ card, sepa_debit: debit }: Method): string {
  if (card !== null) return cardText(card)
  return debit === null ? 'Unknown' : `SEPA debit •••• ${debit.last4}`
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
