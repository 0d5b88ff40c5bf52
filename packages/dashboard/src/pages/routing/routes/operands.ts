/** The fields of a payment that rules can use, and their operators. */

export type Shape = 'number' | 'option' | 'country' | 'currency' | 'account' | 'digits' | 'text' | 'code'
export type Operand = {
  readonly field: string
  readonly text: string
  readonly shape: Shape
  readonly options?: readonly string[]
}

export const operands: readonly Operand[] = [
  { field: 'amount', text: 'amount', shape: 'number' },
  { field: 'currency', text: 'currency', shape: 'currency' },
  { field: 'card.brand', text: 'card brand', shape: 'code' },
  { field: 'card.country', text: 'card country', shape: 'country' },
  { field: 'card.funding', text: 'card funding', shape: 'option', options: ['credit', 'debit', 'prepaid'] },
  { field: 'card.bin', text: 'card BIN', shape: 'digits' },
  { field: 'card.issuer', text: 'card issuer', shape: 'text' },
  { field: 'billing.country', text: 'billing country', shape: 'country' },
  { field: 'customer.country', text: 'customer country', shape: 'country' },
  { field: 'customer.id', text: 'customer', shape: 'code' },
  { field: 'initiator', text: 'initiator', shape: 'option', options: ['customer', 'merchant'] },
  { field: 'recurring', text: 'recurring', shape: 'option', options: ['none', 'first', 'subsequent'] },
  { field: 'purpose', text: 'purpose', shape: 'option', options: ['payment', 'verification'] },
  {
    field: 'channel',
    text: 'channel',
    shape: 'option',
    options: ['api', 'checkout_session', 'payment_link', 'invoice'],
  },
  { field: 'capture_method', text: 'capture method', shape: 'option', options: ['automatic', 'manual'] },
  { field: 'three_d_secure', text: '3-D Secure', shape: 'option', options: ['auto', 'required'] },
  {
    field: 'method.type',
    text: 'method type',
    shape: 'option',
    options: ['card', 'sepa_debit', 'ach_debit', 'bacs_debit', 'ideal', 'bancontact', 'paypal'],
  },
  { field: 'method.last_provider_account_id', text: 'last provider account', shape: 'account' },
  { field: 'payment_link_id', text: 'payment link', shape: 'code' },
  { field: 'price_id', text: 'price', shape: 'code' },
  { field: 'created.hour', text: 'hour (UTC)', shape: 'number' },
  { field: 'created.weekday', text: 'weekday (Monday is 1)', shape: 'number' },
]

export const metadataKinds = ['metadata.', 'customer.metadata.'] as const
export const costPrefix = 'estimated_cost.'

export function operandOf(field: string): Operand {
  if (field.startsWith(costPrefix)) return { field, text: 'estimated cost', shape: 'number' }
  const known = operands.find((operand) => operand.field === field)
  return known ?? { field, text: field, shape: 'text' }
}

/** The prefix of a metadata field; null for other fields. */
export function metadataKindOf(field: string): (typeof metadataKinds)[number] | null {
  return metadataKinds.find((kind) => field.startsWith(kind)) ?? null
}

/** The account of an estimated cost; null for other fields. */
export function costAccountOf(field: string): string | null {
  return field.startsWith(costPrefix) ? field.slice(costPrefix.length) : null
}

const commonOperators = ['eq', 'ne', 'in', 'not_in', 'exists'] as const

export function operatorsOf(shape: Shape): readonly string[] {
  if (shape === 'number') return [...commonOperators, 'lt', 'lte', 'gt', 'gte', 'between']
  return shape === 'text' || shape === 'digits' ? [...commonOperators, 'starts_with'] : commonOperators
}

export const operatorLabels: { readonly [op: string]: string } = {
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
  exists: 'is set',
}

/** The value of a new condition with this operator. */
export function initialValue(
  shape: Shape,
  op: string,
  options?: readonly string[],
): string | number | boolean | (string | number)[] {
  if (op === 'exists') return true
  const single = shape === 'number' ? 0 : shape === 'currency' ? 'eur' : (options?.[0] ?? '')
  if (op === 'in' || op === 'not_in') return single === '' ? [] : [single]
  return op === 'between' ? [0, 0] : single
}
