/** Requests for payments and verifications. Each runs one operation of the simulator. */
import type { Reply } from '../../faults.ts'
import type { IncomingCall } from '../../incoming.ts'
import { performOperation } from '../../operations.ts'
import { isObject, type OperationRecord } from '../../protocol.ts'
import { scheduleDecision } from '../../run-operation.ts'
import { type Account, saveObject, saveOperation } from '../../simulator-state.ts'
import type { DialectContext } from '../dialect.ts'
import { toLedger } from './amounts.ts'
import { type Members, paymentProblems } from './checks.ts'
import { invalid, rejectionOf, unavailable } from './errors.ts'
import { idOf } from './ids.ts'
import { acceptedResponse, paymentResponse } from './objects.ts'
import { findPayment, operationName, savePayment, unusedReference } from './payments.ts'
import { duplicate, responseCodeOf } from './response-codes.ts'
import { findSource, type Source, storeInstrument, useToken } from './vault.ts'

/** A payment that is not authenticated within 15 minutes is declined. */
const sessionMs = 15 * 60_000

export async function requestPayment(context: DialectContext, call: IncomingCall): Promise<Reply> {
  const { state, account } = context
  const { body } = call
  if (!isObject(body)) return invalid('request_json_invalid')
  const problems = paymentProblems(body, state.clock.now())
  if (problems.length > 0) return invalid(...problems)
  const source = findSource(context, body.source as Members)
  if (typeof source === 'string') return invalid(source)

  const operation = unusedReference(account, operationName(call, body))
  const id = idOf('pay', account, operation)
  const payment = paymentFrom(context, { id, operation, body, source })
  savePayment(context, payment)
  // The merchant receives the id of the instrument only if the payment is approved.
  if (payment.instrument !== null && source.instrument === null)
    storeInstrument(context, payment.instrument, source)
  const put = { reference: operation, fingerprint: operation, origin: context.origin }
  const reply = await performOperation(context, { ...put, body: paymentOperation(operation, body, source) })
  const rejection = rejectionOf(reply)
  if (rejection !== null) return rejection
  if (source.token !== null) useToken(context, source.token)
  return paymentReply(context, id, reply)
}

type NewPayment = {
  readonly id: string
  readonly operation: string
  readonly body: Members
  readonly source: Source
}

const echoedMembers = [
  'payment_type',
  'description',
  'billing_descriptor',
  'shipping',
  'payment_ip',
  'metadata',
]

function paymentFrom(
  { state, account, origin }: DialectContext,
  { id, operation, body, source }: NewPayment,
) {
  const { store_for_future_use: stores = true } = body.source as Members
  const isAgreement = body.payment_type === 'Recurring' || body.payment_type === 'Unscheduled'
  const newInstrument = stores || isAgreement ? idOf('src', account, operation) : null
  return {
    id,
    operation,
    reference: (body.reference as string | undefined) ?? null,
    requestedAt: state.clock.now(),
    url: `${origin}/${account.name}/payments/${id}`,
    card: source.card,
    instrument: source.instrument ?? newInstrument,
    failureUrl: (body.failure_url as string | undefined) ?? null,
    echo: {
      ...Object.fromEntries(
        echoedMembers.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
      ),
      ...customerOf(account, body.customer),
    },
  }
}

function customerOf(account: Account, customer: unknown): object {
  if (!isObject(customer)) return {}
  return { customer: { id: idOf('cus', account, String(customer.email)), ...customer } }
}

/** The payment as an operation of the simulator. */
function paymentOperation(operation: string, body: Members, { number }: Source): object {
  const { capture = true } = body
  const currency = (body.currency as string).toLowerCase()
  // The checks accept only amounts that the ledger can represent.
  const amount = toLedger((body.amount as number | undefined) ?? 0, currency)
  const metadata = isObject(body.metadata) ? body.metadata : {}
  const customer = isObject(body.customer) ? body.customer : {}
  const threeDSecure = isObject(body['3ds']) ? body['3ds'] : {}
  return {
    reference: operation,
    kind: amount === 0 ? 'verify' : 'authorize',
    parent_reference: null,
    mode: 'test',
    amount,
    currency,
    capture: amount !== 0 && capture,
    initiator: body.merchant_initiated === true ? 'merchant' : 'customer',
    stored_credential: { use: 'none', network_transaction_id: null },
    instrument: { type: 'card', number },
    payment_id: metadata.switchyard_payment_id ?? operation,
    return_url: body.success_url ?? null,
    three_d_secure: threeDSecure.enabled === true ? 'required' : 'auto',
    customer: { id: customer.id ?? customer.email ?? null },
    metadata,
  }
}

function paymentReply(context: DialectContext, id: string, reply: Reply): Reply {
  openSession(context, id, reply.body as OperationRecord)
  const view = findPayment(context, id)
  if (view === null) return { ...reply, body: '', ...unavailable }
  const { record } = view
  if (record.status === 'pending' || record.status === 'action_required')
    return { ...reply, status: 202, body: acceptedResponse(view) }
  const isDuplicate = reply.responseMode === 'duplicate_notice'
  const body = paymentResponse(context.account, view, isDuplicate ? duplicate : responseCodeOf(record))
  return { ...reply, status: 201, body, ...(isDuplicate ? { responseMode: 'plain' } : {}) }
}

/**
 * Checkout.com always redirects the payer, so a page that would be opened with a form is opened with a
 * redirect. The payer returns with the session, which identifies the payment for 15 minutes.
 */
function openSession(context: DialectContext, id: string, record: OperationRecord): void {
  const { state, account } = context
  const operation = account.operations.get(record.reference)
  if (operation?.challenge == null || operation.decision === null || record.action === undefined) return
  const at = state.clock.now() + sessionMs
  const { fields: _, ...action } = record.action
  const redirected = {
    ...operation,
    record: { ...record, action: { ...action, type: 'redirect', expires_at: new Date(at).toISOString() } },
    challenge: { ...operation.challenge, formSecret: null },
    decision: { ...operation.decision, at },
  } as const
  saveOperation(state, account, redirected, null)
  scheduleDecision(context, redirected)
  const session = idOf('sid', account, record.reference)
  saveObject(state, account, `session/${session}`, { payment: id, expiresAt: at })
}
