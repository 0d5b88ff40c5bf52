/** Payments: create, get, list, cancel, and release an authorization. */
import { randomUUID } from 'node:crypto'
import { cardNumberForScenario } from '../../cards.ts'
import type { Reply } from '../../faults.ts'
import { performOperation } from '../../operations.ts'
import { type Instrument, type RedirectType, redirectTypes } from '../../protocol.ts'
import type { Account } from '../../simulator-state.ts'
import type { DialectContext } from '../dialect.ts'
import {
  baseOf,
  fingerprintOf,
  isReply,
  listParameters,
  ok,
  pageOf,
  type Route,
  read,
  readEmptyBody,
  refusalOf,
  refuseMembers,
  runOnce,
} from './calls.ts'
import { cardNumberOfToken, failureOf } from './cards.ts'
import { chargeableMandate, createMandate } from './customers.ts'
import { errorReply, halJson, invalid, notFound } from './errors.ts'
import { amountsOf, isDeclinedAtCreation, type PaymentView, paymentObject, paymentView } from './objects.ts'
import { operationOf, type PaymentRequest, readPaymentRequest, referenceIn } from './requests.ts'
import {
  claimReference,
  find,
  findCustomer,
  idOf,
  listStoredPayments,
  type StoredPayment,
  save,
} from './store.ts'

export const createPayment: Route = (context, call) =>
  runOnce(context, call, async (body, key) => {
    const request = readPaymentRequest(body)
    if (isReply(request)) return request
    const card = cardOf(context.account, request)
    if (isReply(card)) return card
    const wanted = referenceIn(request.metadata, key) ?? randomUUID()
    const reference = claimReference(context, 'tr', { wanted, key })
    const stored = storePayment(context, { ...request, reference, key, mandateId: card.mandateId })
    const operation = operationOf({ reference, request, instrument: card.instrument })
    const put = { reference, body: operation, fingerprint: fingerprintOf(call), origin: context.origin }
    return paymentReply(context, stored, await performOperation(context, put))
  })

type Card = { readonly instrument: Instrument; readonly mandateId: string | null }

/** A redirect method, a new card, a saved card, or the card that the payer enters on Mollie's page, which is always approved. */
function cardOf(account: Account, request: PaymentRequest): Card | Reply {
  const { cardToken, customerId, mandateId, method, money, sequenceType } = request
  if (customerId !== null && findCustomer(account, customerId) === undefined)
    return invalid('customerId', 'The customer id is invalid')
  if (mandateId !== null || sequenceType === 'recurring') {
    const mandate = chargeableMandate(account, customerId ?? '', mandateId)
    if (mandate === undefined) return invalid('mandateId', 'The customer has no suitable mandates')
    return { instrument: { type: 'token', token: mandate.token }, mandateId: mandate.id }
  }
  const redirect = redirectTypes.find((type) => type === method)
  if (redirect !== undefined) return redirectOf(redirect, money.currency)
  const number = cardToken === null ? cardNumberForScenario('3000') : cardNumberOfToken(cardToken)
  return { instrument: { type: 'card', number: number ?? '' }, mandateId: null }
}

function redirectOf(type: RedirectType, currency: string): Card | Reply {
  if (type !== 'paypal' && currency !== 'eur')
    return invalid('amount.currency', 'The currency is not supported by the method')
  return { instrument: { type }, mandateId: null }
}

/** A repeated request finds the stored payment. */
function storePayment(
  context: DialectContext,
  { money: _, cardToken, ...request }: PaymentRequest & Pick<StoredPayment, 'reference' | 'key'>,
): StoredPayment {
  const id = idOf('tr', request.reference)
  const existing = find<StoredPayment>(context.account, id)
  if (existing !== undefined) return existing
  const isFirst = request.sequenceType === 'first'
  const at = context.state.clock.now()
  const stored: StoredPayment = {
    ...request,
    id,
    at,
    mandateId: isFirst ? idOf('mdt', request.reference) : request.mandateId,
    hasCardToken: cardToken !== null,
    captures: [],
    refunds: [],
  }
  save(context, stored)
  if (isFirst) createMandate(context, stored)
  return stored
}

function paymentReply(context: DialectContext, stored: StoredPayment, reply: Reply): Reply {
  const { account } = context
  const operation = account.operations.get(stored.reference)
  if (operation !== undefined && isDeclinedAtCreation(stored, operation)) {
    const extra = failureOf(operation.record?.decline ?? { code: '', message: '' })
    return { ...reply, ...errorReply(422, extra.failureMessage, { extra }) }
  }
  const view = paymentView(account, stored)
  if (view === undefined) return { ...reply, ...refusalOf(reply) }
  return { ...reply, ...ok(paymentObject(view, baseOf(context)), 201) }
}

export function findPayment(account: Account, id: string): PaymentView | undefined {
  const stored = id.startsWith('tr_') ? find<StoredPayment>(account, id) : undefined
  return stored === undefined ? undefined : paymentView(account, stored)
}

export const getPayment: Route = async (context, call, [id = '']) => {
  const problem = await read(context, call)
  if (problem !== null) return problem
  const view = findPayment(context.account, id)
  return view === undefined ? notFound(id) : ok(paymentObject(view, baseOf(context)))
}

/** A list does not contain new payments immediately if lookups are configured to lag. */
export const listPayments: Route = async (context, call) => {
  const { state, account } = context
  const problem = await read(context, call, listParameters)
  if (problem !== null) return problem
  if (!account.config.lookup) return errorReply(403, 'The API key has no permission to list payments')
  const items = listStoredPayments(account).flatMap((stored) => {
    const view = paymentView(account, stored)
    const isVisible = view !== undefined && view.operation.visible_at <= state.clock.now()
    return isVisible ? [paymentObject(view, baseOf(context))] : []
  })
  return pageOf(context, call, { name: 'payments', path: '/payments', items })
}

/** An open card payment cannot be canceled. An authorized payment can: that releases the authorization. */
export const cancelPayment: Route = async (context, call, [id = '']) => {
  const problem = readEmptyBody(call)
  if (problem !== null) return problem
  const view = findPayment(context.account, id)
  if (view === undefined) return notFound(id)
  if (view.status !== 'authorized') return errorReply(422, 'The payment cannot be canceled')
  const reply = await release(context, view, `cancel-${randomUUID()}`)
  if (reply.status !== 202) return reply
  const canceled = findPayment(context.account, id) ?? view
  return { ...reply, ...ok(paymentObject(canceled, baseOf(context))) }
}

/** Mollie accepts a release and executes it later. The payment shows the result. */
export const releaseAuthorization: Route = (context, call, [id = '']) =>
  runOnce(context, call, async (body, key) => {
    const problem = refuseMembers(body)
    if (problem !== null) return problem
    const view = findPayment(context.account, id)
    if (view === undefined) return notFound(id)
    const reference = claimReference(context, 'release', { wanted: key ?? randomUUID(), key })
    if (view.status !== 'authorized' && !context.account.operations.has(reference)) return notReleasable
    save(context, { id: idOf('release', reference), reference, key, at: context.state.clock.now() } as {
      id: string
    })
    return release(context, view, reference)
  })

const notReleasable = errorReply(
  422,
  'Authorization cannot be released because the payment is not in the authorized state.',
)

async function release(context: DialectContext, view: PaymentView, reference: string): Promise<Reply> {
  const { request, record } = view.operation
  const body = {
    reference,
    kind: 'void',
    mode: 'test',
    parent_reference: view.stored.reference,
    payment_id: request?.payment_id,
    amount: (record.amount ?? 0) - amountsOf(view).captured,
    currency: record.currency,
  }
  const put = { reference, body, fingerprint: reference, origin: context.origin }
  const reply = await performOperation(context, put)
  const status = context.account.operations.get(reference)?.record?.status
  if (status === 'succeeded' || status === 'pending') {
    const { body: _, ...accepted } = reply
    return { ...accepted, status: 202 }
  }
  const error =
    status === 'declined' ? errorReply(422, 'The authorization cannot be released') : refusalOf(reply)
  return { ...reply, ...error, headers: halJson }
}
