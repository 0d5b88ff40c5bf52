/** Cards as text: "Visa •••• 4242". */

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

/** With the expiry date, for fields that select a card. */
export function cardWithExpiry(card: {
  readonly brand: string
  readonly last4: string
  readonly exp_month: number
  readonly exp_year: number
}): string {
  const expiry = `${String(card.exp_month).padStart(2, '0')}/${String(card.exp_year).slice(-2)}`
  return `${cardText(card)}, expires ${expiry}`
}
