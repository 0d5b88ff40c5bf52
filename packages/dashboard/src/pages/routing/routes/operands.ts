/** What a rule can ask of a payment, in the words of the API, and how it can be compared. */

export type Shape = 'number' | 'word' | 'country' | 'currency' | 'account' | 'digits' | 'text' | 'code'
export type Operand = {
  readonly field: string
  readonly text: string
  readonly shape: Shape
  readonly words?: readonly string[]
}

export const operands: readonly Operand[] = [
  { field: 'amount', text: 'amount', shape: 'number' },
  { field: 'currency', text: 'currency', shape: 'currency' },
  { field: 'card.brand', text: 'card brand', shape: 'code' },
  { field: 'card.country', text: 'card country', shape: 'country' },
  { field: 'card.funding', text: 'card funding', shape: 'word', words: ['credit', 'debit', 'prepaid'] },
  { field: 'card.bin', text: 'card number', shape: 'digits' },
  { field: 'card.issuer', text: 'card issuer', shape: 'text' },
  { field: 'billing.country', text: 'billing country', shape: 'country' },
  { field: 'customer.country', text: 'customer country', shape: 'country' },
  { field: 'customer.id', text: 'customer', shape: 'code' },
  { field: 'initiator', text: 'initiator', shape: 'word', words: ['customer', 'merchant'] },
  { field: 'recurring', text: 'recurring', shape: 'word', words: ['none', 'first', 'subsequent'] },
  { field: 'purpose', text: 'purpose', shape: 'word', words: ['payment', 'verification'] },
  { field: 'channel', text: 'channel', shape: 'code' },
  { field: 'capture_method', text: 'capture method', shape: 'word', words: ['automatic', 'manual'] },
  { field: 'three_d_secure', text: '3-D Secure', shape: 'word', words: ['auto', 'required'] },
  { field: 'method.type', text: 'method type', shape: 'word', words: ['card'] },
  { field: 'method.last_provider_account_id', text: 'last used at', shape: 'account' },
  { field: 'payment_link_id', text: 'payment link', shape: 'code' },
  { field: 'price_id', text: 'price', shape: 'code' },
  { field: 'created.hour', text: 'hour (UTC)', shape: 'number' },
  { field: 'created.weekday', text: 'weekday (Monday is 1)', shape: 'number' },
]

export const metadataKinds = ['metadata.', 'customer.metadata.'] as const

export function operandOf(field: string): Operand {
  const known = operands.find((operand) => operand.field === field)
  return known ?? { field, text: field, shape: 'text' }
}

/** The kind of a field of one's own: its beginning; null if it is none. */
export function metadataKindOf(field: string): (typeof metadataKinds)[number] | null {
  return metadataKinds.find((kind) => field.startsWith(kind)) ?? null
}

const comparing = ['eq', 'ne', 'in', 'not_in', 'exists'] as const

export function operatorsOf(shape: Shape): readonly string[] {
  if (shape === 'number') return [...comparing, 'lt', 'lte', 'gt', 'gte', 'between']
  return shape === 'text' || shape === 'digits' ? [...comparing, 'starts_with'] : comparing
}

export const operatorWords: { readonly [op: string]: string } = {
  eq: 'is',
  ne: 'is not',
  in: 'is one of',
  not_in: 'is none of',
  lt: 'is below',
  lte: 'is at most',
  gt: 'is over',
  gte: 'is at least',
  between: 'is between',
  starts_with: 'starts with',
  exists: 'is known',
}

/** A value to begin with. */
export function firstValue(
  shape: Shape,
  op: string,
  words?: readonly string[],
): string | number | boolean | (string | number)[] {
  if (op === 'exists') return true
  const one = shape === 'number' ? 0 : shape === 'currency' ? 'eur' : (words?.[0] ?? '')
  if (op === 'in' || op === 'not_in') return one === '' ? [] : [one]
  return op === 'between' ? [0, 0] : one
}
