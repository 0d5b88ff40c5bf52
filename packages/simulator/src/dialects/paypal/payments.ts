/** Authorizations, captures and refunds: get, capture, void and refund. */
import { latencyOf } from '../../config.ts'
import type { Reply } from '../../faults.ts'
import type { IncomingCall } from '../../incoming.ts'
import { type Account, deleteToken } from '../../simulator-state.ts'
import type { DialectContext } from '../dialect.ts'
import { type Amount, type Money, toMoney } from './amounts.ts'
import { paymentWindowMs, perform, problemReply, type Route, runOnce } from './calls.ts'
import type { Check } from './checks.ts'
import { errorReply, notFound } from './errors.ts'
import { authorizationState, captureState, partObject, recordOf } from './objects.ts'
import { baseOf } from './orders.ts'
import { captureMembers, noMembers, refundMembers } from './requests.ts'
import { findPart, idOf, type PartType, type StoredPart, savePart } from './store.ts'

const dayMs = 24 * 3_600_000

function latestPart(context: DialectContext, type: PartType, id: string): object | undefined {
  const part = findPart(context.account, type, id)
  return part === undefined ? undefined : partObject(context.account, part, baseOf(context))
}

export const getPart =
  (type: PartType): Route =>
  async (context, call, id) => {
    const { state, account } = context
    await state.clock.sleep(latencyOf(account.config, call.path))
    const body = latestPart(context, type, id)
    return body === undefined ? notFound : { status: 200, body }
  }

type Kind = 'capture' | 'void' | 'refund'

/** `issues`: why the parent does not allow the operation: its status, its age, or the requested amount. */
type Change = {
  readonly name: string
  readonly parentType: 'authorization' | 'capture'
  readonly members: Check
  readonly stateOf: (account: Account, parent: StoredPart) => { status: string; remaining: number }
  readonly maxAgeMs: number
  readonly issues: { readonly [status: string]: string }
}

const ofAuthorization = {
  parentType: 'authorization',
  stateOf: authorizationState,
  maxAgeMs: 29 * dayMs,
} as const

// A declined capture has no issue: PayPal returns it with its status.
// biome-ignore format: a table.
const changes: { readonly [K in Kind]: Change } = {
  capture: {
    ...ofAuthorization, name: 'authorizations.capture', members: captureMembers,
    issues: {
      PENDING: 'TRANSACTION_REFUSED', DENIED: 'AUTHORIZATION_DENIED', VOIDED: 'AUTHORIZATION_VOIDED',
      CAPTURED: 'AUTHORIZATION_ALREADY_CAPTURED', currency: 'AUTH_CAPTURE_CURRENCY_MISMATCH',
      amount: 'MAX_CAPTURE_AMOUNT_EXCEEDED', age: 'AUTHORIZATION_EXPIRED',
    },
  },
  void: {
    ...ofAuthorization, name: 'authorizations.void', members: noMembers,
    issues: {
      DENIED: 'CANNOT_BE_VOIDED', VOIDED: 'PREVIOUSLY_VOIDED', CAPTURED: 'PREVIOUSLY_CAPTURED', age: 'CANNOT_BE_VOIDED',
      declined: 'CANNOT_BE_VOIDED',
    },
  },
  refund: {
    name: 'captures.refund', parentType: 'capture', stateOf: captureState, maxAgeMs: 180 * dayMs, members: refundMembers,
    issues: {
      PENDING: 'PENDING_CAPTURE', DECLINED: 'REFUND_NOT_ALLOWED', REFUNDED: 'CAPTURE_FULLY_REFUNDED',
      currency: 'REFUND_CAPTURE_CURRENCY_MISMATCH', amount: 'REFUND_AMOUNT_EXCEEDED', age: 'REFUND_TIME_LIMIT_EXCEEDED',
      declined: 'REFUND_FAILED_INSUFFICIENT_FUNDS',
    },
  },
}

type ChangeBody = Partial<
  Pick<StoredPart, 'invoice_id' | 'custom_id' | 'note_to_payer' | 'final_capture'>
> & {
  readonly amount?: Amount
}

/** Captures or voids an authorization, or refunds a capture. */
export const changePayment =
  (kind: Kind): Route =>
  (context, call, parentId) => {
    const { name, members } = changes[kind]
    const latest = (id: string) => latestPart(context, returnedType(kind), id)
    return runOnce(context, call, { name, windowMs: paymentWindowMs, latest }, ({ body, reference }) => {
      const problem = members(body, '')
      if (problem !== null) return problemReply(problem)
      return change(context, call, { kind, parentId, body, claim: reference })
    })
  }

/** The response to a void is the authorization. */
const returnedType = (kind: Kind) => (kind === 'void' ? 'authorization' : kind)

type ChangeRequest = {
  readonly kind: Kind
  readonly parentId: string
  readonly body: ChangeBody
  readonly claim: () => string
}

async function change(
  context: DialectContext,
  call: IncomingCall,
  { kind, parentId, body, claim }: ChangeRequest,
): Promise<Reply> {
  const { state, account } = context
  const { parentType, stateOf, issues } = changes[kind]
  const parent = findPart(account, parentType, parentId)
  const currency = parent && recordOf(account, parent)?.currency
  if (parent === undefined || !currency) return notFound
  const { amount, ...details } = body
  const rest = { amount: stateOf(account, parent).remaining, currency }
  const money = amount === undefined ? rest : toMoney(amount)
  const reference = claim()
  // A repeated request gets the result of the first one.
  const issue = account.operations.has(reference) ? null : issueOf(context, kind, parent, money)
  if (issue !== null) return errorReply(422, issue)
  const { invoice_id, custom_id, orderId } = parent
  const id = idOf(kind, reference)
  const at = state.clock.now()
  savePart(context, { invoice_id, custom_id, ...details, id, type: kind, reference, at, orderId, parentId })
  const payment_id = account.operations.get(parent.reference)?.request?.payment_id
  const operation = { reference, kind, parent_reference: parent.reference, payment_id, ...money }
  const { reply, record } = await perform(context, call, operation)
  if (record === null) return reply
  if (record.status === 'declined' && issues.declined)
    return { ...reply, ...errorReply(422, issues.declined) }
  const object = latestPart(context, returnedType(kind), kind === 'void' ? parentId : id)
  return { ...reply, status: kind === 'void' ? 200 : 201, body: object ?? {} }
}

function issueOf({ state, account }: DialectContext, kind: Kind, parent: StoredPart, money: Money) {
  const { stateOf, maxAgeMs, issues } = changes[kind]
  const { status, remaining } = stateOf(account, parent)
  const isExpired = state.clock.now() - parent.at > maxAgeMs
  const isOtherCurrency = money.currency !== recordOf(account, parent)?.currency
  const isTooMuch = money.amount > remaining
  const reason = isExpired ? 'age' : isOtherCurrency ? 'currency' : isTooMuch ? 'amount' : null
  return issues[status] ?? (reason === null ? null : (issues[reason] ?? null))
}

/** PayPal also confirms the deletion of a token that does not exist. */
export const deletePaymentToken: Route = ({ state, account }, _call, token) => {
  deleteToken(state, account, token)
  return { status: 204 }
}
