/** PaymentMethods and customers. A card number selects a scenario and is not stored. */
import { scenarioOfBankAccount } from '../../bank-accounts.ts'
import { cardNumberForScenario, passesLuhnCheck, scenarioOfNumber, testCards } from '../../cards.ts'
import type { Reply } from '../../faults.ts'
import type { AccountContext } from '../../run-operation.ts'
import { isScenario } from '../../scenarios.ts'
import type { Account } from '../../simulator-state.ts'
import { errorReply, invalidRequest, missing, Refusal } from './errors.ts'
import { customerObject, methodObject } from './objects.ts'
import {
  expand,
  integer,
  mapOf,
  metadata,
  oneOf,
  type Rules,
  requireParameter,
  text,
  type Values,
} from './parameters.ts'
import { customerOf, progressOf } from './progress.ts'
import {
  type Customer,
  findCustomer,
  findIntent,
  findMethod,
  type Method,
  newId,
  nowSeconds,
  type RedirectMethod,
  redirectMethods,
  save,
} from './stored.ts'

/** Parameters of a new card, as members of a PaymentMethod or of `payment_method_data`. */
export function cardRules(member: (name: string) => string): Rules {
  return {
    [member('type')]: oneOf('card', 'sepa_debit', ...redirectMethods),
    [`${member('sepa_debit')}[iban]`]: text(34),
    [`${member('card')}[number]`]: text(),
    [`${member('card')}[exp_month]`]: integer,
    [`${member('card')}[exp_year]`]: integer,
    [`${member('card')}[cvc]`]: text(),
    [`${member('billing_details')}[name]`]: text(),
    [`${member('billing_details')}[email]`]: text(),
    ...Object.fromEntries(
      ['city', 'country', 'line1', 'line2', 'postal_code', 'state'].map((part) => [
        `${member('billing_details')}[address][${part}]`,
        text(),
      ]),
    ),
  }
}

export const methodRules: Rules = { ...cardRules((name) => name), ...metadata, ...expand }
export const attachRules: Rules = { customer: text(), ...expand }
export const customerRules: Rules = {
  description: text(350),
  email: text(512),
  name: text(),
  ...metadata,
  ...expand,
}

export function createMethod(context: AccountContext, values: Values): Reply {
  const method = newMethod(context, values, (name) => name)
  return { status: 200, body: methodObject(method, null) }
}

export function newMethod(context: AccountContext, values: Values, member: (name: string) => string): Method {
  if (values[member('type')] === 'sepa_debit') return newBankAccount(context, values, member)
  const redirect = redirectMethods.find((type) => type === values[member('type')])
  if (redirect !== undefined) return newRedirectMethod(context, redirect, { values, member })
  const card = member('card')
  requireParameter(values, member('type'), `${card}[number]`, `${card}[exp_month]`, `${card}[exp_year]`)
  const number = values[`${card}[number]`] ?? ''
  const [expMonth, expYear] = [Number(values[`${card}[exp_month]`]), Number(values[`${card}[exp_year]`])]
  const now = new Date(context.state.clock.now())
  const isPast = expYear * 12 + expMonth < now.getUTCFullYear() * 12 + now.getUTCMonth() + 1
  if (!passesLuhnCheck(number) || number.length < 12) throw cardError('incorrect_number', 'number')
  if (expMonth < 1 || expMonth > 12) throw cardError('invalid_expiry_month', 'exp_month')
  if (isPast) throw cardError('invalid_expiry_year', 'exp_year')
  if (!/^\d{3,4}$/.test(values[`${card}[cvc]`] ?? '000')) throw cardError('invalid_cvc', 'cvc')
  return saveMethod(context, number, {
    expMonth,
    expYear,
    name: values[`${member('billing_details')}[name]`] ?? null,
    metadata: member('metadata') === 'metadata' ? mapOf(values, 'metadata') : {},
  })
}

/** The name and e-mail address of the account holder are required for SEPA debits. */
function newBankAccount(context: AccountContext, values: Values, member: (name: string) => string): Method {
  const [iban, details] = [`${member('sepa_debit')}[iban]`, member('billing_details')]
  requireParameter(values, iban, `${details}[name]`, `${details}[email]`)
  const number = values[iban] ?? ''
  const scenario = scenarioOfBankAccount({ type: 'sepa_debit', iban: number })
  if (scenario === null)
    throw invalidRequest('The IBAN is invalid.', { code: 'invalid_bank_account_iban', param: iban })
  return save(context, {
    id: newId('pm'),
    created: nowSeconds(context),
    scenario,
    iban: number,
    brand: 'sepa_debit',
    last4: number.slice(-4),
    expMonth: 0,
    expYear: 0,
    name: values[`${details}[name]`] ?? null,
    metadata: {},
    customer: null,
    intent: null,
    isDetached: false,
  })
}

/** The name of the payer is required for Bancontact. */
function newRedirectMethod(
  context: AccountContext,
  redirect: RedirectMethod,
  { values, member }: { readonly values: Values; readonly member: (name: string) => string },
): Method {
  const name = `${member('billing_details')}[name]`
  if (redirect === 'bancontact') requireParameter(values, name)
  return save(context, {
    id: newId('pm'),
    created: nowSeconds(context),
    scenario: '3000',
    redirect,
    brand: redirect,
    last4: '',
    expMonth: 0,
    expYear: 0,
    name: values[name] ?? null,
    metadata: {},
    customer: null,
    intent: null,
    isDetached: false,
  })
}

/** The card data of the request is invalid. Nothing was created. */
function cardError(code: string, param: string): Refusal {
  const message = `Your card's ${param.replace('_', ' ')} is incorrect.`
  return new Refusal(errorReply(402, { type: 'card_error', code, message, param }))
}

function saveMethod(
  context: AccountContext,
  number: string,
  details: Pick<Method, 'expMonth' | 'expYear' | 'name' | 'metadata'>,
): Method {
  return save(context, {
    id: newId('pm'),
    created: nowSeconds(context),
    scenario: scenarioOfNumber(number) ?? 'decline:14',
    brand: brandOf(number),
    last4: number.slice(-4),
    ...details,
    customer: null,
    intent: null,
    isDetached: false,
  })
}

function brandOf(number: string): string {
  if (number.startsWith('4')) return 'visa'
  return number.startsWith('3') ? 'amex' : 'mastercard'
}

/** The number of the test card with this scenario. */
export function cardNumberOf({ scenario }: Method): string {
  // Stripe redirects the payer, and never opens the page of the bank with a form.
  if (scenario === '3005') return cardNumberForScenario('3000')
  const [, code] = /^decline:(\d\d)$/.exec(scenario) ?? []
  if (code !== undefined) return cardNumberForScenario(`00${code}`)
  return testCards.find((card) => card.scenario === scenario)?.number ?? cardNumberForScenario('0005')
}

/** Test PaymentMethods of Stripe. Each use creates a new PaymentMethod. */
// biome-ignore format: a table.
const testMethods: { readonly [id: string]: string } = {
  pm_card_visa: '4242424242424242',
  pm_card_mastercard: '5555555555554444',
  pm_card_amex: '378282246310005',
  pm_card_authenticationRequired: cardNumberForScenario('3000'),
  pm_card_threeDSecure2Required: cardNumberForScenario('3000'),
  pm_card_chargeDeclined: cardNumberForScenario('0005'),
  pm_card_visa_chargeDeclined: cardNumberForScenario('0005'),
  pm_card_chargeDeclinedExpiredCard: cardNumberForScenario('0054'),
  pm_card_chargeDeclinedIncorrectCvc: cardNumberForScenario('0082'),
  pm_card_chargeDeclinedInsufficientFunds: cardNumberForScenario('0051'),
  pm_card_chargeDeclinedProcessingError: cardNumberForScenario('0096'),
}

/**
 * The card number of a test PaymentMethod. Its id is in `testMethods`, or is `pm_sim_` followed by a scenario, such
 * as `pm_sim_5004` or `pm_sim_decline_51`. Null for other ids.
 */
function testCardNumberOf(id: string): string | null {
  const known = testMethods[id]
  if (known !== undefined) return known
  const scenario = /^pm_sim_(\w+)$/.exec(id)?.[1]?.replace('_', ':') ?? ''
  return isScenario(scenario) ? cardNumberOf({ scenario } as Method) : null
}

/** The card for an intent. It must be new, or saved for the customer of the intent. */
export function useMethod(context: AccountContext, id: string, customer: string | null): Method {
  const { account } = context
  const testNumber = testCardNumberOf(id)
  if (testNumber !== null) {
    const expYear = new Date(context.state.clock.now()).getUTCFullYear() + 4
    return saveMethod(context, testNumber, { expMonth: 12, expYear, name: null, metadata: {} })
  }
  const method = findMethod(account, id)
  if (method === undefined || !id.startsWith('pm_')) throw missing('PaymentMethod', id, 'payment_method')
  const owner = customerOf(account, method)
  if (owner !== null && owner !== customer)
    throw invalidRequest(
      `The PaymentMethod ${id} belongs to the Customer ${owner}. Please include the Customer in the \`customer\` parameter.`,
      { param: 'payment_method' },
    )
  if (owner === null && (method.isDetached || isUsed(account, method)))
    throw invalidRequest(
      'The provided PaymentMethod was previously used without Customer attachment, or was detached from a Customer. It may not be used again.',
      { param: 'payment_method' },
    )
  return method
}

/**
 * Stripe.js creates confirmation tokens in the browser with an API that is not documented, so the emulator only accepts
 * `ctoken_sim_` followed by a scenario, as in ids of test PaymentMethods.
 */
export function useConfirmationToken(context: AccountContext, token: string): Method {
  const method = token.replace(/^ctoken_sim_/, 'pm_sim_')
  if (testCardNumberOf(method) === null || method === token)
    throw missing('confirmation_token', token, 'confirmation_token')
  return useMethod(context, method, null)
}

/** A failed attempt does not use up the card. */
function isUsed(account: Account, { intent: id }: Method): boolean {
  const intent = findIntent(account, id ?? '')
  if (intent === undefined) return false
  return ['succeeded', 'requires_capture', 'requires_action', 'processing'].includes(
    progressOf(account, intent).status,
  )
}

export function requireMethod({ account }: AccountContext, id: string): Method {
  const method = id.startsWith('pm_') ? findMethod(account, id) : undefined
  if (method === undefined) throw missing('PaymentMethod', id)
  return method
}

export function readMethod(context: AccountContext, id: string): object {
  const method = requireMethod(context, id)
  return methodObject(method, customerOf(context.account, method))
}

export function attachMethod(context: AccountContext, id: string, values: Values): Reply {
  requireParameter(values, 'customer')
  const customer = requireCustomer(context, values.customer ?? '', 'customer').id
  const method = useMethod(context, id, customer)
  const attached = save(context, { ...method, customer })
  return { status: 200, body: methodObject(attached, customer) }
}

export function detachMethod(context: AccountContext, id: string): Reply {
  const method = requireMethod(context, id)
  const body = methodObject(method, null)
  if (customerOf(context.account, method) === null)
    throw invalidRequest(
      'The payment method you provided is not attached to a customer so detachment is impossible.',
      { payment_method: body },
    )
  save(context, { ...method, customer: null, isDetached: true })
  return { status: 200, body }
}

export function createCustomer(context: AccountContext, values: Values): Reply {
  const { email = null, name = null, description = null } = values
  const created = nowSeconds(context)
  const customer = {
    id: newId('cus'),
    created,
    email,
    name,
    description,
    metadata: mapOf(values, 'metadata'),
  }
  return { status: 200, body: customerObject(save(context, customer)) }
}

/** `cus_sim` always exists, so that tests can save a test card without creating a customer. */
export function requireCustomer({ account }: AccountContext, id: string, param?: string): Customer {
  const testCustomer = { id, created: 0, email: null, name: null, description: null, metadata: {} }
  const customer = id.startsWith('cus_') ? findCustomer(account, id) : undefined
  if (customer === undefined && id !== 'cus_sim') throw missing('customer', id, param)
  return customer ?? testCustomer
}
