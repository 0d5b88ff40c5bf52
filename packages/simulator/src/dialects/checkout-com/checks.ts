/**
 * The documented members of requests, their checks, and the error code of each. Members that are not listed are
 * rejected. No side effects.
 */
import { isIP } from 'node:net'
import { passesLuhnCheck } from '../../cards.ts'
import { isObject } from '../../protocol.ts'

export type Members = { readonly [name: string]: unknown }
type Check = (value: unknown) => boolean
type Rules = { readonly [member: string]: readonly [check: Check, code: string] }

const isBoolean: Check = (value) => typeof value === 'boolean'
const isText =
  (max: number): Check =>
  (value) =>
    typeof value === 'string' && value !== '' && [...value].length <= max
const matches =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value)
const isOneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value)
const isUrl: Check = (value) =>
  isText(1024)(value) && /^https?:$/.test(URL.parse(value as string)?.protocol ?? '')
const isMetadata: Check = (value) =>
  isObject(value) && Object.values(value).every((inner) => typeof inner !== 'object')
const isAny: Check = (value) => typeof value === 'object' && value !== null
const isCardNumber: Check = (value) => matches(/^\d{12,19}$/)(value) && passesLuhnCheck(value as string)
const isAmount: Check = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 1e10

// biome-ignore format: a table.
const address: Rules = {
  address_line1: [isText(200), 'address_invalid'],
  address_line2: [isText(200), 'address_invalid'],
  city:          [isText(50), 'city_invalid'],
  state:         [matches(/^[A-Za-z0-9]{1,2}$/), 'address_invalid'],
  zip:           [isText(50), 'zip_invalid'],
  country:       [matches(/^[A-Z]{2}$/), 'country_invalid'],
}

// biome-ignore format: a table.
const card: Rules = {
  type:            [isOneOf('card'), 'source_invalid'],
  number:          [isCardNumber, 'card_number_invalid'],
  expiry_month:    [(value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 12, 'card_expiry_month_invalid'],
  expiry_year:     [(value) => Number.isInteger(value) && (value as number) >= 1000 && (value as number) <= 9999, 'card_expiry_year_invalid'],
  name:            [isText(255), 'card_holder_invalid'],
  cvv:             [matches(/^\d{3,4}$/), 'cvv_invalid'],
  billing_address: [isObject, 'address_invalid'],
  phone:           [isObject, 'phone_number_invalid'],
}

// biome-ignore format: a table.
const cardSource: Rules = {
  ...card,
  stored:               [isBoolean, 'parameter_invalid'],
  store_for_future_use: [isBoolean, 'parameter_invalid'],
}

// biome-ignore format: a table.
const tokenSource: Rules = {
  type:                 [isOneOf('token'), 'source_invalid'],
  token:                [matches(/^tok_(\w{26}|sim_\w+)$/), 'source_token_invalid'],
  billing_address:      [isObject, 'address_invalid'],
  phone:                [isObject, 'phone_number_invalid'],
  store_for_future_use: [isBoolean, 'parameter_invalid'],
}

// biome-ignore format: a table.
const idSource: Rules = {
  type: [isOneOf('id'), 'source_invalid'],
  id:   [matches(/^src_(\w{26}|sim_\w+)$/), 'source_id_invalid'],
  cvv:  [matches(/^\d{3,4}$/), 'cvv_invalid'],
}

// biome-ignore format: a table.
const payment: Rules = {
  source:                [isObject, 'source_invalid'],
  amount:                [isAmount, 'amount_invalid'],
  currency:              [matches(/^[A-Z]{3}$/), 'currency_invalid'],
  payment_type:          [isOneOf('Regular', 'Recurring', 'MOTO', 'Installment', 'Unscheduled'), 'payment_type_invalid'],
  merchant_initiated:    [isBoolean, 'parameter_invalid'],
  reference:             [isText(50), 'parameter_invalid'],
  description:           [isText(100), 'parameter_invalid'],
  authorization_type:    [isOneOf('Final', 'Estimated'), 'parameter_invalid'],
  capture:               [isBoolean, 'parameter_invalid'],
  customer:              [isObject, 'customer_id_invalid'],
  billing_descriptor:    [isObject, 'billing_descriptor_name_invalid'],
  shipping:              [isObject, 'address_invalid'],
  '3ds':                 [isObject, 'parameter_invalid'],
  processing_channel_id: [matches(/^pc_\w{26}$/), 'channel_details_invalid'],
  previous_payment_id:   [isText(100), 'previous_payment_id_invalid'],
  risk:                  [isObject, 'parameter_invalid'],
  success_url:           [isUrl, 'success_url_invalid'],
  failure_url:           [isUrl, 'fail_url_invalid'],
  payment_ip:            [(value) => typeof value === 'string' && isIP(value) !== 0, 'ip_address_invalid'],
  processing:            [isObject, 'parameter_invalid'],
  items:                 [isAny, 'parameter_invalid'],
  metadata:              [isMetadata, 'metadata_key_invalid'],
}

// biome-ignore format: a table.
const threeDSecure: Rules = {
  enabled:             [isBoolean, 'parameter_invalid'],
  attempt_n3d:         [isBoolean, 'parameter_invalid'],
  challenge_indicator: [isOneOf('no_preference', 'no_challenge_requested', 'challenge_requested', 'challenge_requested_mandate'), 'parameter_invalid'],
  exemption:           [isText(50), 'parameter_invalid'],
}

// biome-ignore format: a table.
const descriptor: Rules = {
  name: [isText(25), 'billing_descriptor_name_invalid'],
  city: [isText(13), 'billing_descriptor_city_invalid'],
}

// biome-ignore format: a table.
const customer: Rules = {
  id:    [matches(/^cus_\w{26}$/), 'customer_id_invalid'],
  email: [matches(/^\S+@\S+$/), 'customer_email_invalid'],
  name:  [isText(255), 'parameter_invalid'],
  phone: [isObject, 'phone_number_invalid'],
}

const action: Rules = {
  reference: payment.reference as Rules[string],
  metadata: payment.metadata as Rules[string],
}
const positiveAmount: Rules[string] = [(value) => isAmount(value) && value !== 0, 'amount_invalid']

// biome-ignore format: a table.
const actionRules = {
  capture: { ...action, amount: positiveAmount, capture_type: [isOneOf('Final', 'NonFinal'), 'parameter_invalid'], description: payment.description as Rules[string] },
  refund:  { ...action, amount: positiveAmount, capture_action_id: [matches(/^act_\w{26}$/), 'parameter_invalid'] },
  void:    { ...action, amount: positiveAmount },
} satisfies { readonly [kind: string]: Rules }

export type ActionKind = keyof typeof actionRules

// biome-ignore format: a table.
const instrument: Rules = {
  type:           [isOneOf('token'), 'source_token_type_invalid'],
  token:          tokenSource.token as Rules[string],
  account_holder: [isObject, 'parameter_invalid'],
  customer:       [isObject, 'customer_id_invalid'],
}

/** The error codes of a payment request, empty if it is valid. `now` is the time in milliseconds. */
export function paymentProblems(body: Members, now: number): readonly string[] {
  if (body.source === undefined) return ['payment_source_required']
  return [
    ...check(payment, body, ['currency']),
    ...sourceProblems(body.source, now),
    ...checkMember(threeDSecure, body['3ds']),
    ...checkMember(descriptor, body.billing_descriptor, ['name', 'city']).map((code) =>
      code.replace(/^(name|city)_required$/, 'billing_descriptor_$1_required'),
    ),
    ...checkMember(customer, body.customer),
    ...(hasExactAmount(body) ? [] : ['amount_invalid']),
  ]
}

/** The last digit of three-decimal amounts must be 0, and amounts of Chilean pesos end with 00. */
function hasExactAmount({ amount, currency }: Members): boolean {
  if (typeof amount !== 'number') return true
  if (currency === 'CLP') return amount % 100 === 0
  return !/^(BHD|IQD|JOD|KWD|LYD|OMR|TND)$/.test(String(currency)) || amount % 10 === 0
}

function sourceProblems(source: unknown, now: number): readonly string[] {
  if (!isObject(source)) return []
  if (source.type === undefined) return ['source_type_required']
  if (source.type === 'card') return cardProblems(cardSource, source, now)
  if (source.type === 'id') return check(idSource, source, ['id']).map(withSourcePrefix)
  if (source.type !== 'token') return ['source_invalid']
  const problems = check(tokenSource, source, ['token']).map(withSourcePrefix)
  return [...problems, ...checkMember(address, source.billing_address)]
}

function withSourcePrefix(code: string): string {
  return code.replace(/^(id|token)_required$/, 'source_$1_required')
}

/** The error codes of a request for a token. */
export function tokenProblems(body: Members, now: number): readonly string[] {
  if (body.type === undefined) return ['token_type_required']
  return body.type === 'card' ? cardProblems(card, body, now) : ['token_type_invalid']
}

function cardProblems(rules: Rules, body: Members, now: number): readonly string[] {
  const problems = [
    ...check(rules, body, ['number', 'expiry_month', 'expiry_year']).map((code) =>
      code.replace(/^(number|expiry_\w+)_required$/, 'card_$1_required'),
    ),
    ...checkMember(address, body.billing_address),
  ]
  const isExpired = Date.UTC(body.expiry_year as number, body.expiry_month as number, 1) <= now
  return problems.length === 0 && isExpired ? ['card_expired'] : problems
}

export function actionProblems(kind: ActionKind, body: Members): readonly string[] {
  return check(actionRules[kind], body)
}

export function instrumentProblems(body: Members): readonly string[] {
  return check(instrument, body, ['type', 'token'])
}

function checkMember(rules: Rules, value: unknown, required: readonly string[] = []): readonly string[] {
  return isObject(value) ? check(rules, value, required) : []
}

function check(rules: Rules, body: Members, required: readonly string[] = []): readonly string[] {
  const missing = required.filter((name) => body[name] === undefined).map((name) => `${name}_required`)
  const wrong = Object.entries(body).flatMap(([name, value]) => {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (rule === undefined) return ['parameter_invalid']
    const [isValid, code] = rule
    return isValid(value) ? [] : [code]
  })
  return [...missing, ...wrong]
}
