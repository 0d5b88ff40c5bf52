/** Test cards worth a click. All of them are in the reference. */
export const testCards = [
  { number: '4242424242424242', text: 'Visa, approved' },
  { number: '4000000000050007', text: 'Declined, the bank gives no reason (do_not_honor)' },
  { number: '4000000000510000', text: 'Declined, too little money (insufficient_funds)' },
  { number: '4000000000410003', text: 'Declined, asked not to retry (lost_card)' },
  { number: '4000000030000006', text: 'Asks for 3-D Secure, passes' },
  { number: '4000000050080003', text: 'Provider cannot be reached, the next one takes it' },
  { number: '4000000050040007', text: 'Charged, but the provider falls silent (unknown)' },
  { number: '4000000050190000', text: 'Silent for 3 minutes, then approved (unknown)' },
  { number: '4000000050140005', text: 'Charged another amount (needs review)' },
  { number: '4000000050160003', text: 'Pending for 5 seconds, then approved' },
  { number: '4000000060040005', text: 'Approved; a refund fails' },
  { number: '4000000060050004', text: 'Approved; a refund is pending for 5 seconds' },
] as const

export const anotherCard = 'another'

export const cardOptions = [
  ...testCards.map(({ number, text }) => ({ value: number as string, text })),
  { value: anotherCard, text: 'Another test card' },
]

export const currencyOptions = ['eur', 'usd', 'gbp', 'chf', 'jpy', 'brl', 'huf', 'kwd'].map((value) => ({
  value,
  text: value.toUpperCase(),
}))

/** What a page sends for a token: the security code and the expiry of a test card may be anything. */
export function tokenBody(number: string) {
  const year = new Date().getFullYear() + 4
  return { type: 'card' as const, card: { number, exp_month: 12, exp_year: year, cvc: '123' } }
}

/** A form that is sent again, because no answer came, gets the token of the first time: so it is the same request. */
export function keyOfToken({ idempotencyKey }: { readonly idempotencyKey: string }) {
  return { idempotencyKey: `${idempotencyKey}-token` }
}
