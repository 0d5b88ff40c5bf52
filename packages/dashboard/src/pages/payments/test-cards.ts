/** Common test cards. The reference lists all of them. */
export const testCards = [
  { number: '4242424242424242', text: 'Visa, approved' },
  { number: '4000000000050007', text: 'Declined, the bank gives no reason (do_not_honor)' },
  { number: '4000000000510000', text: 'Declined, insufficient funds (insufficient_funds)' },
  { number: '4000000000410003', text: 'Declined, do not retry (lost_card)' },
  { number: '4000000030000006', text: 'Requires 3-D Secure, passes' },
  { number: '4000000050080003', text: 'Provider unreachable, fails over to the next one' },
  { number: '4000000050040007', text: 'Charged, but the provider does not respond (unknown)' },
  { number: '4000000050190000', text: 'No response for 3 minutes, then approved (unknown)' },
  { number: '4000000050140005', text: 'Charged a different amount (needs review)' },
  { number: '4000000050160003', text: 'Pending for 5 seconds, then approved' },
  { number: '4000000060040005', text: 'Approved; a refund fails' },
  { number: '4000000060050004', text: 'Approved; a refund is pending for 5 seconds' },
  { number: '4000000070010006', text: 'Approved, then disputed as fraudulent' },
  { number: '4000000070020005', text: 'Approved, then an inquiry by the bank' },
] as const

export const otherCard = 'another'

export const cardOptions = [
  ...testCards.map(({ number, text }) => ({ value: number as string, text })),
  { value: otherCard, text: 'Another test card' },
]

export const currencyOptions = ['eur', 'usd', 'gbp', 'chf', 'jpy', 'brl', 'huf', 'kwd'].map((value) => ({
  value,
  text: value.toUpperCase(),
}))

/** The body of a token request. Test cards accept any security code and expiry date. */
export function tokenBody(number: string) {
  const year = new Date().getFullYear() + 4
  return { type: 'card' as const, card: { number, exp_month: 12, exp_year: year, cvc: '123' } }
}

/**
 * The idempotency key of the token request: resubmitting the form gets the same token and sends the same payment
 * request.
 */
export function tokenRequestKey({ idempotencyKey }: { readonly idempotencyKey: string }) {
  return { idempotencyKey: `${idempotencyKey}-token` }
}
