import type { Deps } from '../../../deps.ts'
import { errors, Refusal } from '../../../kernel/errors.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf, TestClocks } from '../../../platform/http/pagination.ts'
import type { PublicResponse, PublicRoute } from '../../../platform/http/public-routes.ts'
import { cancelPayment } from './commands/cancel-payment.ts'
import { capturePayment } from './commands/capture-payment.ts'
import { checkPayment } from './commands/check-payment.ts'
import { createCredential } from './commands/create-credential.ts'
import { createPayment } from './commands/create-payment.ts'
import { createPaymentMethod } from './commands/create-payment-method.ts'
import { createRefund } from './commands/create-refund.ts'
import { handlePayerReturn, type PayerRedirect, redirectPayer } from './commands/handle-payer-return.ts'
import { resolveOperation } from './commands/resolve-operation.ts'
import { updatePayment } from './commands/update-payment.ts'
import type { Progress } from './operations/progress.ts'
import {
  getPayment,
  getPaymentTimeline,
  getRefund,
  listPaymentAttempts,
  listPaymentOperations,
  listPayments,
  listRefunds,
  type PaymentAttempts,
} from './queries.ts'
import type { Refund } from './refund.ts'
import {
  OperationPath,
  OperationsOfPayment,
  presentOperations,
  presentTimeline,
  ResolveOperation,
  TimelineOfPayment,
} from './schema/operation.ts'
import {
  AttemptsOfPayment,
  CreateCredential,
  CreatePayment,
  CreatePaymentMethod,
  PaymentMethodObject,
  PaymentMethodPath,
  PaymentObject,
  PaymentPath,
  present,
  presentAttempts,
  presentMethod,
} from './schema/payment.ts'
import { CreateRefund, presentRefund, RefundObject, RefundPath } from './schema/refund.ts'
import { CapturePayment, ListPayments, ListRefunds, UpdatePayment } from './schema/requests.ts'

/** A failed payment exists, but the response is an error with the id of the payment and the decline code. */
const refusalIfFailed =
  (code: 'payment_failed' | 'payment_method_declined') =>
  ({ payment: { id, status, failure } }: Progress): Refusal | null => {
    if (status !== 'failed') return null
    return new Refusal(code, {
      detail: failure?.message ?? errors[code].detail,
      resource_id: id,
      ...(failure === null ? {} : { decline_code: failure.code, advice_code: failure.advice_code }),
    })
  }

const presentProgress = ({ payment }: Progress) => present(payment)
const presentCreatedRefund = ({ refund }: Progress) => presentRefund(refund as Refund)
const presentCreatedMethod = ({ method }: Progress) => presentMethod(method as NonNullable<typeof method>)

export const paymentOperations = (deps: Deps) => [
  ...paymentCommands(deps),
  ...inspectionOperations(deps),
  ...refundOperations(deps),
]

const paymentCommands = (deps: Deps) => [
  operation({
    id: 'payments.create',
    method: 'POST',
    path: '/payments',
    summary: 'Create a payment',
    description:
      'Tries the provider accounts in order, one at a time, and waits up to 25 seconds for a final status. After that it returns the payment in its current status. No other provider is tried while an outcome is unknown.',
    body: CreatePayment,
    status: 201,
    response: PaymentObject,
    errors: ['payment_failed', 'reference_not_found', 'invalid_state', 'order_has_payment'],
    refusal: refusalIfFailed('payment_failed'),
    present: presentProgress,
    handle: ({ caller, body }) => createPayment(deps, caller, body),
  }),
  operation({
    id: 'payments.get',
    method: 'GET',
    path: '/payments/:payment_id',
    summary: 'Get a payment',
    description:
      'Returns the current state of a payment. `summary` explains in one sentence what happened and why.',
    params: PaymentPath,
    response: PaymentObject,
    errors: ['not_found'],
    present,
    version: (payment) => payment.version,
    handle: ({ caller, params }) => getPayment(deps, caller, params.payment_id),
  }),
  operation({
    id: 'payments.update',
    method: 'PUT',
    path: '/payments/:payment_id',
    summary: 'Update a payment',
    description:
      'Changes the description or metadata, at any time. Omitted fields are unchanged; `null` clears a field. Providers keep the values that were sent to them first.',
    params: PaymentPath,
    body: UpdatePayment,
    response: PaymentObject,
    errors: ['not_found', 'conflict', 'version_mismatch'],
    takesIfMatch: true,
    present,
    version: (payment) => payment.version,
    handle: ({ caller, params, body, ifMatch }) =>
      updatePayment(deps, caller, params.payment_id, { ...body, ifMatch }),
  }),
  operation({
    id: 'payments.list',
    method: 'GET',
    path: '/payments',
    summary: 'List payments',
    description: 'Returns payments, newest first. At most one filter can be used.',
    query: PageQuery({ ...ListPayments, test_clocks: TestClocks }),
    response: PageOf(PaymentObject),
    errors: ['invalid_cursor'],
    present: presentPage('/payments', present),
    handle: ({ caller, query }) => listPayments(deps, caller, rangeOf('payment', caller.mode, query), query),
  }),
  operation({
    id: 'payments.attempts',
    method: 'GET',
    path: '/payments/:payment_id/attempts',
    summary: 'List the attempts of a payment',
    description:
      'Returns one attempt for each provider account that was tried. Each attempt lists the accounts that were skipped and why.',
    params: PaymentPath,
    response: AttemptsOfPayment,
    errors: ['not_found'],
    present: ({ payment, attempts }: PaymentAttempts) => presentAttempts(payment.id, attempts),
    handle: ({ caller, params }) => listPaymentAttempts(deps, caller, params.payment_id),
  }),
  operation({
    id: 'payments.capture',
    method: 'POST',
    path: '/payments/:payment_id/capture',
    summary: 'Capture a payment',
    description: 'Captures the authorized amount or part of it. The rest is voided, unless `final` is false.',
    params: PaymentPath,
    body: CapturePayment,
    response: PaymentObject,
    errors: ['not_found', 'invalid_state'],
    present: presentProgress,
    handle: ({ caller, params, body }) => capturePayment(deps, caller, params.payment_id, body),
  }),
  operation({
    id: 'payments.cancel',
    method: 'POST',
    path: '/payments/:payment_id/cancel',
    summary: 'Cancel a payment',
    description:
      'Voids the authorization. If the outcome of the payment is still unknown, the payment is cancelled once it is certain that nothing was charged.',
    params: PaymentPath,
    response: PaymentObject,
    errors: ['not_found', 'invalid_state'],
    present: presentProgress,
    handle: ({ caller, params }) => cancelPayment(deps, caller, params.payment_id),
  }),
  operation({
    id: 'payment_methods.create',
    method: 'POST',
    path: '/payment-methods',
    summary: 'Create a payment method',
    description:
      'Verifies the card behind a token with a zero-amount payment. Returns 202 with that payment if the payer must authenticate first or the outcome is still unknown. `payment_method_id` of the payment is set once it succeeds.',
    body: CreatePaymentMethod,
    status: 201,
    response: PaymentMethodObject,
    accepted: {
      response: PaymentObject,
      present: ({ payment, method }: Progress) => (method === undefined ? present(payment) : null),
    },
    errors: ['payment_method_declined', 'reference_not_found'],
    refusal: refusalIfFailed('payment_method_declined'),
    present: presentCreatedMethod,
    handle: ({ caller, body }) => createPaymentMethod(deps, caller, body),
  }),
  operation({
    id: 'payment_methods.create_credential',
    method: 'POST',
    path: '/payment-methods/:payment_method_id/credentials',
    summary: 'Create a credential at a provider account',
    description:
      'Verifies the card of an attached payment method at another provider account with a zero-amount payment, so that the account can charge it with a token of its own. Requires that a vault still has the card number. Returns 202 with that payment if its outcome is still unknown: `credentials[].status` is `pending` until then.',
    params: PaymentMethodPath,
    body: CreateCredential,
    status: 201,
    response: PaymentMethodObject,
    accepted: {
      response: PaymentObject,
      present: ({ payment }: Progress) => (payment.status === 'succeeded' ? null : present(payment)),
    },
    errors: [
      'not_found',
      'reference_not_found',
      'invalid_state',
      'credential_exists',
      'card_number_unavailable',
      'payment_method_declined',
      'conflict',
    ],
    refusal: refusalIfFailed('payment_method_declined'),
    present: presentCreatedMethod,
    handle: ({ caller, params, body }) => createCredential(deps, caller, params.payment_method_id, body),
  }),
]

/**
 * Operations to inspect a payment, and to resolve manually an outcome that cannot be determined
 * automatically.
 */
const inspectionOperations = (deps: Deps) => [
  operation({
    id: 'payments.operations',
    method: 'GET',
    path: '/payments/:payment_id/operations',
    summary: 'List the operations of a payment',
    description:
      'Returns the operations that were sent to providers (authorizations, captures, voids and refunds) with their API calls.',
    params: PaymentPath,
    response: OperationsOfPayment,
    errors: ['not_found'],
    present: presentOperations,
    handle: ({ caller, params }) => listPaymentOperations(deps, caller, params.payment_id),
  }),
  operation({
    id: 'payments.timeline',
    method: 'GET',
    path: '/payments/:payment_id/timeline',
    summary: 'Get the timeline of a payment',
    description:
      'Returns everything that happened to a payment in chronological order: events, attempts, operations and calls, each described in one sentence. Events and calls are kept for 90 days.',
    params: PaymentPath,
    response: TimelineOfPayment,
    errors: ['not_found'],
    present: presentTimeline,
    handle: ({ caller, params }) => getPaymentTimeline(deps, caller, params.payment_id),
  }),
  operation({
    id: 'payments.check',
    method: 'POST',
    path: '/payments/:payment_id/check',
    summary: 'Check a payment',
    description:
      'Queries the provider for an unknown outcome now instead of at the next scheduled check, and waits for the response. Has no effect on a payment with a known outcome.',
    params: PaymentPath,
    response: PaymentObject,
    errors: ['not_found'],
    present,
    handle: ({ caller, params }) => checkPayment(deps, caller, params.payment_id),
  }),
  operation({
    id: 'payments.resolve_operation',
    method: 'POST',
    path: '/payments/:payment_id/operations/:operation_id/resolve',
    summary: 'Resolve an operation manually',
    description:
      "For an operation in `needs_review`: records the outcome shown in the provider's dashboard, as if the provider had reported it. No request is sent to a provider. For an operation that has ended but that the provider contradicts: records that the conflict was settled with the provider. If the provider reports that a refund failed after it had succeeded, `not_processed` confirms the failure, and its amount can be refunded again. The action is recorded in the audit log.",
    params: OperationPath,
    body: ResolveOperation,
    response: PaymentObject,
    errors: ['not_found', 'invalid_state'],
    present: presentProgress,
    handle: ({ caller, params, body }) => resolveOperation(deps, caller, params, body),
  }),
]

const refundOperations = (deps: Deps) => [
  operation({
    id: 'refunds.create',
    method: 'POST',
    path: '/refunds',
    summary: 'Create a refund',
    description:
      'Refunds a captured payment in full or in part, through the provider account that captured it. An amount that the cardholder disputes cannot be refunded, unless the dispute is an inquiry or was won.',
    body: CreateRefund,
    status: 201,
    response: RefundObject,
    errors: ['not_found', 'invalid_state', 'payment_disputed'],
    present: presentCreatedRefund,
    handle: ({ caller, body }) => createRefund(deps, caller, body),
  }),
  operation({
    id: 'refunds.get',
    method: 'GET',
    path: '/refunds/:refund_id',
    summary: 'Get a refund',
    description: 'Returns the current state of a refund.',
    params: RefundPath,
    response: RefundObject,
    errors: ['not_found'],
    present: presentRefund,
    handle: ({ caller, params }) => getRefund(deps, caller, params.refund_id),
  }),
  operation({
    id: 'refunds.list',
    method: 'GET',
    path: '/refunds',
    summary: 'List refunds',
    description: 'Returns refunds, newest first. Can be filtered by payment.',
    query: PageQuery({ ...ListRefunds, test_clocks: TestClocks }),
    response: PageOf(RefundObject),
    errors: ['invalid_cursor'],
    present: presentPage('/refunds', presentRefund),
    handle: ({ caller, query }) => listRefunds(deps, caller, rangeOf('refund', caller.mode, query), query),
  }),
]

/** Routes for payers, who have no API token but a signed link. */
export const payerReturnRoutes = (deps: Deps): readonly PublicRoute[] => [
  {
    method: 'GET',
    path: '/a/:link',
    handle: async ({ mode, params }) => redirect(await redirectPayer(deps, mode, params.link ?? '')),
  },
  {
    method: 'GET',
    path: '/a/:link/return',
    handle: async ({ mode, params, query }) =>
      redirect(await handlePayerReturn(deps, mode, params.link ?? '', query)),
  },
  // Some banks return the payer with a form.
  {
    method: 'POST',
    path: '/a/:link/return',
    takesForm: true,
    handle: async ({ mode, params, query }) =>
      redirect(await handlePayerReturn(deps, mode, params.link ?? '', query)),
  },
]

function redirect({ to, fields }: PayerRedirect): PublicResponse {
  if (to !== null && fields !== undefined) return { kind: 'form', to, fields }
  if (to !== null) return { kind: 'redirect', to }
  return { kind: 'page', title: 'Thank you', text: 'You can close this page and go back to where you paid.' }
}
