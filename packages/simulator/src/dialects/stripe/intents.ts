/** Creates, confirms and cancels PaymentIntents and SetupIntents. */
import type { Reply } from '../../faults.ts'
import type { OperationRecord } from '../../protocol.ts'
import { recordOf } from '../../records.ts'
import { saveOperation } from '../../simulator-state.ts'
import type { DialectContext } from '../dialect.ts'
import { requireAmount, toLedger } from './amounts.ts'
import {
  cardNumberOf,
  cardRules,
  newMethod,
  requireCustomer,
  useConfirmationToken,
  useMethod,
} from './cards.ts'
import { cardErrorOf } from './declines.ts'
import { errorReply, invalidRequest, missing, type Refusal } from './errors.ts'
import { declineObject, intentObject } from './objects.ts'
import {
  boolean,
  currency,
  expand,
  integer,
  mapOf,
  metadata,
  oneOf,
  type Rules,
  requireParameter,
  text,
  url,
  type Values,
} from './parameters.ts'
import { perform, sendAs } from './perform.ts'
import { customerOf, type Progress, progressOf } from './progress.ts'
import {
  claimOperation,
  findIntent,
  type Intent,
  isSetup,
  type Method,
  newId,
  nowSeconds,
  redirectMethods,
  repeatedRecord,
  save,
} from './stored.ts'

export type Request = {
  readonly context: DialectContext
  readonly values: Values
  readonly key: string | null
}

const dataMember = (name: string) => `payment_method_data[${name}]`
const threeDSecure = 'payment_method_options[card][request_three_d_secure]'
const multicapture = 'payment_method_options[card][request_multicapture]'

/** Parameters of both kinds of intents, for their creation and confirmation. */
const commonRules: Rules = {
  'allowed_payment_method_types[]': oneOf('card', 'sepa_debit', ...redirectMethods),
  'mandate_data[customer_acceptance][type]': oneOf('offline'),
  'mandate_data[customer_acceptance][accepted_at]': integer,
  payment_method: text(),
  confirmation_token: text(),
  ...cardRules(dataMember),
  [threeDSecure]: oneOf('any', 'automatic', 'challenge'),
  return_url: url,
  use_stripe_sdk: boolean,
  ...expand,
}
const creationRules: Rules = {
  ...commonRules,
  'automatic_payment_methods[enabled]': boolean,
  'automatic_payment_methods[allow_redirects]': oneOf('always', 'never'),
  confirm: boolean,
  customer: text(),
  ...metadata,
}
const paymentConfirmationRules: Rules = {
  [multicapture]: oneOf('if_available', 'never'),
  capture_method: oneOf('automatic', 'automatic_async', 'manual'),
  off_session: oneOf('true', 'false', 'one_off', 'recurring'),
  receipt_email: text(),
  setup_future_usage: oneOf('off_session', 'on_session'),
}

export const paymentIntentRules: Rules = {
  ...creationRules,
  ...paymentConfirmationRules,
  amount: integer,
  confirmation_method: oneOf('automatic'),
  currency,
  description: text(1_000),
  statement_descriptor_suffix: (value) =>
    /^[^<>\\'"*]{1,22}$/.test(value) && /[A-Za-z]/.test(value)
      ? null
      : 'The statement descriptor suffix is invalid.',
}
export const setupIntentRules: Rules = {
  ...creationRules,
  description: text(1_000),
  usage: oneOf('off_session', 'on_session'),
}
export const confirmPaymentRules: Rules = { ...commonRules, ...paymentConfirmationRules }
export const confirmSetupRules: Rules = commonRules
const reasons = ['abandoned', 'duplicate', 'requested_by_customer']
export const cancelPaymentRules: Rules = { cancellation_reason: oneOf(...reasons, 'fraudulent'), ...expand }
export const cancelSetupRules: Rules = { cancellation_reason: oneOf(...reasons), ...expand }

export function createPaymentIntent(request: Request): Reply | Promise<Reply> {
  const { values } = request
  requireParameter(values, 'amount', 'currency')
  const amount = Number(values.amount)
  const code = (values.currency ?? '').toLowerCase()
  requireAmount(amount, code, 'amount')
  return createIntent(request, {
    id: newId('pi'),
    amount,
    currency: code,
    // The default of the API since 2024.
    captureMethod: (values.capture_method ?? 'automatic_async') as Intent['captureMethod'],
    statementSuffix: values.statement_descriptor_suffix ?? null,
    futureUsage: values.setup_future_usage ?? null,
  })
}

export function createSetupIntent(request: Request): Reply | Promise<Reply> {
  return createIntent(request, {
    id: newId('seti'),
    amount: 0,
    // A SetupIntent has no currency, but the ledger needs one.
    currency: 'usd',
    captureMethod: 'automatic',
    statementSuffix: null,
    futureUsage: request.values.usage ?? 'off_session',
  })
}

type NewIntent = Pick<
  Intent,
  'id' | 'amount' | 'currency' | 'captureMethod' | 'statementSuffix' | 'futureUsage'
>

function createIntent(request: Request, details: NewIntent): Reply | Promise<Reply> {
  const { context, values, key } = request
  const isConfirmed = values.confirm === 'true'
  for (const param of isConfirmed ? [] : ['off_session', 'return_url'])
    if (values[param] !== undefined)
      throw invalidRequest(`You can only pass \`${param}\` if you also set confirm=true.`, { param })
  if (values.customer !== undefined) requireCustomer(context, values.customer, 'customer')
  const reference = mapOf(values, 'metadata').switchyard_reference ?? key ?? details.id
  const claim = isConfirmed ? claimOperation(context, reference, { key, newOwner: details.id }) : null
  const repeated = claim === null ? undefined : findIntent(context.account, claim.owner)
  const intent = repeated ?? newIntent(request, { ...details, id: claim?.owner ?? details.id })
  if (claim === null) return { status: 200, body: intentObject(intent, progressOf(context.account, intent)) }
  return attempt(request, intent, claim.reference)
}

function newIntent(request: Request, details: NewIntent): Intent {
  const { context, values } = request
  return save(context, {
    ...details,
    created: nowSeconds(context),
    customer: values.customer ?? null,
    description: values.description ?? null,
    metadata: mapOf(values, 'metadata'),
    method: methodIn(request, values.customer ?? null)?.id ?? null,
    returnUrl: values.return_url ?? null,
    isMulticapture: values[multicapture] === 'if_available',
    threeDSecure: values[threeDSecure] ?? 'automatic',
    isConfirmedOnCreation: values.confirm === 'true',
    attempts: [],
    captures: [],
    refunds: [],
    cancellation: null,
  })
}

function methodIn({ context, values }: Request, customer: string | null): Method | null {
  const hasData = values[dataMember('type')] !== undefined
  if (hasData && values.payment_method !== undefined)
    throw invalidRequest('You may only specify one of these parameters: payment_method, payment_method_data.')
  if (hasData) return newMethod(context, values, dataMember)
  if (values.confirmation_token !== undefined) return useConfirmationToken(context, values.confirmation_token)
  return values.payment_method === undefined ? null : useMethod(context, values.payment_method, customer)
}

export function confirmIntent(request: Request, intent: Intent): Promise<Reply> {
  const { context, values, key } = request
  const progress = progressOf(context.account, intent)
  if (!['requires_payment_method', 'requires_confirmation'].includes(progress.status))
    throw unexpectedState(intent, progress, 'confirm')
  const confirmed: Intent = {
    ...intent,
    method: methodIn(request, intent.customer)?.id ?? (progress.attempt === null ? intent.method : null),
    captureMethod: (values.capture_method ?? intent.captureMethod) as Intent['captureMethod'],
    returnUrl: values.return_url ?? intent.returnUrl,
    futureUsage: values.setup_future_usage ?? intent.futureUsage,
    isMulticapture:
      values[multicapture] === undefined ? intent.isMulticapture : values[multicapture] === 'if_available',
    threeDSecure: values[threeDSecure] ?? intent.threeDSecure,
  }
  const wanted = intent.metadata.switchyard_reference ?? key ?? intent.id
  const { reference } = claimOperation(context, wanted, { key, newOwner: intent.id })
  return attempt(request, confirmed, reference)
}

/** Charges or verifies the card of the intent. */
async function attempt({ context, values }: Request, intent: Intent, reference: string): Promise<Reply> {
  const { account } = context
  if (intent.method === null)
    throw unexpectedState(intent, progressOf(account, intent), 'confirm', 'it is missing a payment method')
  const { method: methodId } = intent
  const method = useMethodFor(context, intent, methodId)
  requireRedirectable(intent, method)
  const isKnown = intent.attempts.some((other) => other.reference === reference)
  const attempts = isKnown ? intent.attempts : [...intent.attempts, { reference, method: methodId }]
  const saved = save(context, { ...intent, attempts })
  const isOffSession = (values.off_session ?? 'false') !== 'false'
  const performed = await perform(context, reference, {
    kind: isSetup(saved) ? 'verify' : 'authorize',
    amount: toLedger(saved.amount, saved.currency),
    currency: saved.currency,
    capture: saved.captureMethod !== 'manual',
    initiator: isOffSession ? 'merchant' : 'customer',
    stored_credential: { use: saved.futureUsage === null ? 'none' : 'first' },
    instrument: instrumentOf(method, values),
    payment_id: saved.metadata.switchyard_payment_id ?? reference,
    return_url: saved.returnUrl,
    three_d_secure: saved.threeDSecure === 'automatic' ? 'auto' : 'required',
    customer: { id: saved.customer },
    metadata: { simulate: saved.metadata.simulate },
  })
  const { record, reply } = performed
  const reported =
    record !== null && reply.responseMode === 'duplicate_notice' ? duplicateOf(record) : undefined
  return sendAs(performed, intentReply(context, saved.id, reported))
}

/** iDEAL and Bancontact are for euros, are captured immediately, and need a page to return to. */
function requireRedirectable(
  { currency: code, captureMethod, returnUrl }: Intent,
  { redirect }: Method,
): void {
  if (redirect === undefined) return
  if (code !== 'eur') throw invalidRequest(`${redirect} supports only eur.`, { param: 'currency' })
  if (captureMethod === 'manual')
    throw invalidRequest(`${redirect} does not support manual capture.`, { param: 'capture_method' })
  if (returnUrl === null) throw invalidRequest('A return_url is required.', { param: 'return_url' })
}

/** The instrument of the simulator. A bank account can only be debited with a mandate. */
function instrumentOf(method: Method, values: Values): object {
  const { iban, redirect } = method
  if (redirect !== undefined) return { type: redirect }
  if (iban === undefined) return { type: 'card', number: cardNumberOf(method) }
  // A saved account has the mandate of its SetupIntent.
  if (method.customer === null && values['mandate_data[customer_acceptance][type]'] === undefined)
    throw invalidRequest('The mandate_data parameter is required for sepa_debit.', { param: 'mandate_data' })
  return { type: 'sepa_debit', iban }
}

function useMethodFor(context: DialectContext, intent: Intent, id: string): Method {
  const method = context.account.objects.get(id) as Method
  const customer = customerOf(context.account, method)
  return save(context, customer === null ? { ...method, intent: intent.id } : { ...method, customer })
}

/** The record of a payment that is declined as a duplicate, although the card was charged. */
function duplicateOf(record: OperationRecord): OperationRecord {
  const decline = { code: 'duplicate_transaction', network_code: '94', message: 'A duplicate transaction.' }
  return { ...record, status: 'declined', decline }
}

/** The intent, or the error of its declined attempt. */
export function intentReply({ account }: DialectContext, id: string, reported?: OperationRecord): Reply {
  const intent = findIntent(account, id)
  if (intent === undefined) throw missing('intent', id)
  const progress = progressOf(account, intent, reported)
  return progress.status === 'requires_payment_method' && progress.attempt !== null
    ? { status: 402, body: declineObject(intent, progress) }
    : { status: 200, body: intentObject(intent, progress) }
}

/** Cancels an intent before it is charged, or releases its authorization. */
export async function cancelIntent({ context, values, key }: Request, intent: Intent): Promise<Reply> {
  const wanted = key ?? `${intent.id}-cancel`
  const repeated = repeatedRecord(context, wanted, key)
  if (repeated !== null) return changeReply(context, intent.id, repeated)
  const progress = progressOf(context.account, intent)
  const { status, captured, authorized } = progress
  const isOpen = ['requires_payment_method', 'requires_confirmation', 'requires_action'].includes(status)
  if (!isOpen && (status !== 'requires_capture' || captured > 0))
    throw unexpectedState(intent, progress, 'cancel')
  const details = { reason: values.cancellation_reason ?? null, at: nowSeconds(context) }
  if (isOpen)
    return cancelOpen(context, { ...intent, cancellation: { reference: null, ...details } }, progress)

  const { reference } = claimOperation(context, wanted, { key, newOwner: intent.id })
  save(context, { ...intent, cancellation: { reference, ...details } })
  const performed = await perform(context, reference, {
    ...partOf(context, intent),
    kind: 'void',
    amount: toLedger(authorized, intent.currency),
  })
  return sendAs(performed, changeReply(context, intent.id, performed.record))
}

function cancelOpen(context: DialectContext, intent: Intent, { attempt }: Progress): Reply {
  const { account } = context
  save(context, intent)
  const operation = account.operations.get(attempt?.record.reference ?? '')
  if (operation?.record?.status !== 'action_required') return changeReply(context, intent.id, null)
  const record = recordOf(operation, 'closed')
  saveOperation(context.state, account, { ...operation, record, challenge: null, decision: null }, null)
  const afterSend = () => account.outbox.send('operation.updated', record)
  return { ...changeReply(context, intent.id, null), afterSend }
}

/** The members of an operation on the authorization of the intent. */
export function partOf({ account }: DialectContext, { attempts, currency }: Intent) {
  const root = attempts.at(-1)?.reference ?? ''
  const paymentId = account.operations.get(root)?.request?.payment_id
  return { parent_reference: root, payment_id: paymentId, currency }
}

/** The intent after a capture or cancellation, or an error if the record of that operation is a decline. */
export function changeReply({ account }: DialectContext, id: string, record: OperationRecord | null): Reply {
  const intent = findIntent(account, id)
  if (intent === undefined) throw missing('intent', id)
  const body = intentObject(intent, progressOf(account, intent))
  if (record?.decline === undefined) return { status: 200, body }
  return errorReply(402, { ...cardErrorOf(record.decline, false), payment_intent: body })
}

export function unexpectedState(intent: Intent, progress: Progress, verb: string, why?: string): Refusal {
  const [name, type] = isSetup(intent) ? ['setup_intent', 'SetupIntent'] : ['payment_intent', 'PaymentIntent']
  const reason = why ?? `it has a status of ${progress.status}`
  return invalidRequest(`You cannot ${verb} this ${type} because ${reason}.`, {
    code: `${name}_unexpected_state`,
    [name]: intentObject(intent, progress),
  })
}
