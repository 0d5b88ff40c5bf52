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

type Method = {
  readonly card: {
    readonly brand: string
    readonly last4: string
    readonly exp_month: number
    readonly exp_year: number
  } | null
  readonly sepa_debit: { readonly last4: string } | null
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
function cardWithExpiry(card: {
  readonly brand: string
  readonly last4: string
  readonly exp_month: number
  readonly exp_year: number
}): string {
  const expiry = `${String(card.exp_month).padStart(2, '0')}/${String(card.exp_year).slice(-2)}`
  return `${cardText(card)}, expires ${expiry}`
}
