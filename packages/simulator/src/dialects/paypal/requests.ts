/** Validates requests, and translates orders into operations of the simulator. No side effects. */
import { cardNumberForScenario, scenarioOfNumber } from '../../cards.ts'
import type { Instrument } from '../../protocol.ts'
import { type Amount, type Money, toMoney } from './amounts.ts'
import { amount, object, oneOf, type Problem, refused, single, text, texts, url } from './checks.ts'
import type { StoredOrder, UnitMembers } from './store.ts'

export type Members = { readonly [name: string]: unknown }

const address = object(
  {
    ...texts(300, 'address_line_1', 'address_line_2', 'admin_area_1'),
    ...texts(120, 'admin_area_2'),
    ...texts(60, 'postal_code'),
    country_code: text(2, /^([A-Z]{2}|C2)$/),
  },
  'country_code',
)

const networkTransaction = object(
  { id: text(36, /^[\w\-@.:&+=*^'~#!$%()]{9,}$/), date: text(4, /^\d{4}$/), network: text(255, /^[A-Z_]+$/) },
  'id',
)

const storedCredential = object(
  {
    payment_initiator: oneOf('CUSTOMER', 'MERCHANT'),
    payment_type: oneOf('ONE_TIME', 'RECURRING', 'UNSCHEDULED'),
    usage: oneOf('FIRST', 'SUBSEQUENT', 'DERIVED'),
    previous_network_transaction_reference: networkTransaction,
  },
  'payment_initiator',
  'payment_type',
)

const card = object({
  name: text(300),
  number: text(19, /^\d{13,19}$/),
  expiry: text(7, /^\d{4}-(0[1-9]|1[0-2])$/),
  security_code: text(4, /^\d{3,4}$/),
  billing_address: address,
  vault_id: text(255, /^[\w-]+$/),
  attributes: object({
    verification: object({ method: oneOf('SCA_ALWAYS', 'SCA_WHEN_REQUIRED') }, 'method'),
    vault: object({ store_in_vault: oneOf('ON_SUCCESS') }, 'store_in_vault'),
  }),
  stored_credential: storedCredential,
  experience_context: object({ return_url: url, cancel_url: url }),
})

const softDescriptor = text(22, /^[A-Za-z0-9 .*-]+$/)

const purchaseUnit = object(
  {
    ...texts(127, 'description', 'custom_id', 'invoice_id'),
    reference_id: text(256),
    soft_descriptor: softDescriptor,
    amount,
  },
  'amount',
)

const order = object(
  {
    intent: oneOf('CAPTURE', 'AUTHORIZE'),
    purchase_units: single(purchaseUnit),
    payment_source: object({ card }, 'card'),
  },
  'intent',
  'purchase_units',
  // Without a payment source PayPal creates an order that a payer has to approve, which is not emulated.
  'payment_source',
)

const changeMembers = { amount, ...texts(127, 'invoice_id'), ...texts(255, 'note_to_payer') }
export const captureMembers = object({
  ...changeMembers,
  final_capture: oneOf(true, false),
  soft_descriptor: softDescriptor,
})
export const refundMembers = object({ ...changeMembers, ...texts(127, 'custom_id') })
export const noMembers = object({})

type Texts<Name extends string> = { readonly [N in Name]?: string }

type Card = Texts<'name' | 'number' | 'expiry' | 'security_code' | 'vault_id'> & {
  readonly attributes?: { readonly verification?: Texts<'method'>; readonly vault?: object }
  readonly stored_credential?: Texts<'payment_initiator' | 'payment_type' | 'usage'> & {
    readonly previous_network_transaction_reference?: object
  }
  readonly experience_context?: Texts<'return_url'>
}

export type OrderRequest = {
  readonly intent: 'CAPTURE' | 'AUTHORIZE'
  readonly money: Money
  readonly unit: UnitMembers
  readonly source: Card
}

export function readOrder(body: Members, now: number): OrderRequest | Problem {
  const problem = order(body, '')
  if (problem !== null) return problem
  const [given] = body.purchase_units as [Partial<UnitMembers> & { readonly amount: Amount }]
  const { amount: value, ...unit } = given
  const source = (body.payment_source as { readonly card: Card }).card
  const request = {
    intent: body.intent as OrderRequest['intent'],
    money: toMoney(value),
    unit: { ...unit, reference_id: unit.reference_id ?? 'default' },
    source,
  }
  return cardProblemOf(source, now) ?? storedCredentialProblemOf(source) ?? request
}

const cardField = '/payment_source/card'

function cardProblemOf({ number, expiry, security_code: code, vault_id: vaultId }: Card, now: number) {
  if (vaultId !== undefined)
    return number === undefined ? null : refused('INCOMPATIBLE_PARAMETER_VALUE', `${cardField}/number`)
  if (number === undefined) return refused('CARD_NUMBER_REQUIRED', `${cardField}/number`)
  if (expiry === undefined) return refused('CARD_EXPIRY_REQUIRED', `${cardField}/expiry`)
  if (expiry < new Date(now).toISOString().slice(0, 7)) return refused('CARD_EXPIRED', `${cardField}/expiry`)
  const codeLength = brandOf(number) === 'AMEX' ? 4 : 3
  if (code !== undefined && code.length !== codeLength)
    return refused('INVALID_SECURITY_CODE_LENGTH', `${cardField}/security_code`)
  return null
}

/** Which members of `stored_credential` can be combined (Orders v2, `card_stored_credential`). */
function storedCredentialProblemOf({ security_code: code, stored_credential: credential, attributes }: Card) {
  const field = `${cardField}/stored_credential`
  const isMerchant = credential?.payment_initiator === 'MERCHANT'
  if (isMerchant && code !== undefined)
    return refused('MERCHANT_INITIATED_WITH_SECURITY_CODE', `${cardField}/security_code`)
  if (isMerchant && attributes?.verification !== undefined)
    return refused('INCOMPATIBLE_PARAMETER_VALUE', `${cardField}/attributes/verification`)
  const isCustomerOnly = credential?.payment_type === 'ONE_TIME' || credential?.usage === 'FIRST'
  const hasReference = credential?.previous_network_transaction_reference !== undefined
  const isIncompatible = isMerchant ? isCustomerOnly : hasReference
  return isIncompatible ? refused('INCOMPATIBLE_PARAMETER_VALUE', field) : null
}

/** The request of the `custom` protocol. */
export function operationOf({ intent, money, unit, source }: OrderRequest): Members {
  const { attributes, stored_credential: credential, experience_context: experience } = source
  return {
    kind: 'authorize',
    ...money,
    capture: intent === 'CAPTURE',
    initiator: credential?.payment_initiator === 'MERCHANT' ? 'merchant' : 'customer',
    stored_credential: { use: attributes?.vault === undefined ? 'none' : 'first' },
    instrument: instrumentOf(source),
    payment_id: unit.custom_id,
    return_url: experience?.return_url,
    three_d_secure: attributes?.verification?.method === 'SCA_ALWAYS' ? 'required' : 'auto',
  }
}

function instrumentOf({ number = '', vault_id: token }: Card): Instrument {
  if (token !== undefined) return { type: 'token', token }
  // PayPal always redirects the payer. It never opens the 3-D Secure page with a form.
  return {
    type: 'card',
    number: scenarioOfNumber(number) === '3005' ? cardNumberForScenario('3000') : number,
  }
}

export function cardDetailsOf({ name, number, expiry }: Card): StoredOrder['card'] {
  return {
    ...(name === undefined ? {} : { name }),
    ...(expiry === undefined ? {} : { expiry }),
    ...(number === undefined ? {} : { last_digits: number.slice(-4), brand: brandOf(number) }),
  }
}

function brandOf(number: string): string {
  return { 3: 'AMEX', 5: 'MASTERCARD' }[number[0] ?? ''] ?? 'VISA'
}
