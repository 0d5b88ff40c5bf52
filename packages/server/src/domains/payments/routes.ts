import type { Deps } from '../../deps.ts'
import { errors, Refusal } from '../../kernel/errors.ts'
import type { Door, DoorAnswer } from '../../platform/http/doors.ts'
import { operation } from '../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
import type { Refund } from './payment.ts'
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
  CreatePayment,
  CreatePaymentMethod,
  PaymentMethodObject,
  PaymentObject,
  PaymentPath,
  present,
  presentAttempts,
  presentMethod,
} from './schema/payment.ts'
import { CreateRefund, presentRefund, RefundObject, RefundPath } from './schema/refund.ts'
import { CapturePayment, ListPayments, ListRefunds, UpdatePayment } from './schema/requests.ts'
import { updatePayment } from './service/change.ts'
import { checkPayment } from './service/check.ts'
import { forwardPayer, returnPayer, type WayOn } from './service/complete.ts'
import { cancelPayment, capturePayment, createRefund } from './service/held.ts'
import { getPaymentTimeline, listPaymentOperations } from './service/inspect.ts'
import type { Progress } from './service/record.ts'
import { resolveOperation } from './service/settle.ts'
import {
  createPayment,
  getPayment,
  getRefund,
  listPaymentAttempts,
  listPayments,
  listRefunds,
  type PaymentAttempts,
} from './service/verbs.ts'
import { createPaymentMethod } from './service/verify.ts'

/** It was tried and did not work: the payment exists, and says why. */
const failedOf =
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
const presentGivenBack = ({ refund }: Progress) => presentRefund(refund as Refund)
const presentVerified = ({ method }: Progress) => presentMethod(method as NonNullable<typeof method>)

export const paymentOperations = (deps: Deps) => [
  ...operationsOnPayments(deps),
  ...operationsOfInspection(deps),
  ...operationsOnRefunds(deps),
]

const operationsOnPayments = (deps: Deps) => [
  operation({
    id: 'payments.create',
    method: 'POST',
    path: '/payments',
    summary: 'Create a payment',
    description:
      'Asks the provider accounts in order, one at a time. Waits up to 25 seconds; a payment that is not final by then answers as it stands. While it is not known what became of one, nobody else is asked.',
    body: CreatePayment,
    status: 201,
    answer: PaymentObject,
    refuses: ['payment_failed', 'reference_not_found', 'invalid_state', 'order_has_payment'],
    refusal: failedOf('payment_failed'),
    present: presentProgress,
    verb: ({ caller, body }) => createPayment(deps, caller, body),
  }),
  operation({
    id: 'payments.get',
    method: 'GET',
    path: '/payments/:payment_id',
    summary: 'Get a payment',
    description: 'Answers one payment as it stands. `summary` says in a sentence what happened and why.',
    params: PaymentPath,
    answer: PaymentObject,
    refuses: ['not_found'],
    present,
    version: (payment) => payment.version,
    verb: ({ caller, params }) => getPayment(deps, caller, params.payment_id),
  }),
  operation({
    id: 'payments.update',
    method: 'PUT',
    path: '/payments/:payment_id',
    summary: 'Change a payment',
    description:
      'Its description and metadata, at any time. Members that are not sent stay as they are, null clears. Providers go on to be told what they were told first.',
    params: PaymentPath,
    body: UpdatePayment,
    answer: PaymentObject,
    refuses: ['not_found', 'conflict', 'version_mismatch'],
    takesIfMatch: true,
    present,
    version: (payment) => payment.version,
    verb: ({ caller, params, body, ifMatch }) =>
      updatePayment(deps, caller, params.payment_id, { ...body, ifMatch }),
  }),
  operation({
    id: 'payments.list',
    method: 'GET',
    path: '/payments',
    summary: 'List payments',
    description: 'All, or those that one filter lets through.',
    query: PageQuery(ListPayments),
    answer: PageOf(PaymentObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/payments', present),
    verb: ({ caller, query }) => listPayments(deps, caller, rangeOf('payment', caller.mode, query), query),
  }),
  operation({
    id: 'payments.attempts',
    method: 'GET',
    path: '/payments/:payment_id/attempts',
    summary: 'List the attempts of a payment',
    description: 'One for each account that was asked, with those that were passed over and why.',
    params: PaymentPath,
    answer: AttemptsOfPayment,
    refuses: ['not_found'],
    present: ({ payment, attempts }: PaymentAttempts) => presentAttempts(payment.id, attempts),
    verb: ({ caller, params }) => listPaymentAttempts(deps, caller, params.payment_id),
  }),
  operation({
    id: 'payments.capture',
    method: 'POST',
    path: '/payments/:payment_id/capture',
    summary: 'Capture a payment',
    description:
      'Takes what is held, or a part of it. What is not captured is let go, unless `final` is false.',
    params: PaymentPath,
    body: CapturePayment,
    answer: PaymentObject,
    refuses: ['not_found', 'invalid_state'],
    present: presentProgress,
    verb: ({ caller, params, body }) => capturePayment(deps, caller, params.payment_id, body),
  }),
  operation({
    id: 'payments.cancel',
    method: 'POST',
    path: '/payments/:payment_id/cancel',
    summary: 'Cancel a payment',
    description:
      'Lets go of what is held. A payment whose outcome is not known yet is cancelled as soon as it is proven that nothing was taken.',
    params: PaymentPath,
    answer: PaymentObject,
    refuses: ['not_found', 'invalid_state'],
    present: presentProgress,
    verb: ({ caller, params }) => cancelPayment(deps, caller, params.payment_id),
  }),
  operation({
    id: 'payment_methods.create',
    method: 'POST',
    path: '/payment-methods',
    summary: 'Create a payment method',
    description:
      'Verifies the card of a token by a payment of nothing. If the payer has to act first, or it is not known yet what the bank says, it answers 202 with that payment; its `payment_method_id` is set when it succeeds.',
    body: CreatePaymentMethod,
    status: 201,
    answer: PaymentMethodObject,
    accepted: {
      answer: PaymentObject,
      present: ({ payment, method }: Progress) => (method === undefined ? present(payment) : null),
    },
    refuses: ['payment_method_declined', 'reference_not_found'],
    refusal: failedOf('payment_method_declined'),
    present: presentVerified,
    verb: ({ caller, body }) => createPaymentMethod(deps, caller, body),
  }),
]

/** Looking into payments, and what people do about those that nobody else can tell about. */
const operationsOfInspection = (deps: Deps) => [
  operation({
    id: 'payments.operations',
    method: 'GET',
    path: '/payments/:payment_id/operations',
    summary: 'List the operations of a payment',
    description:
      'What was asked of providers: authorizations, captures, voids and refunds, with the calls that were made for them.',
    params: PaymentPath,
    answer: OperationsOfPayment,
    refuses: ['not_found'],
    present: presentOperations,
    verb: ({ caller, params }) => listPaymentOperations(deps, caller, params.payment_id),
  }),
  operation({
    id: 'payments.timeline',
    method: 'GET',
    path: '/payments/:payment_id/timeline',
    summary: 'Get the timeline of a payment',
    description:
      'Everything that happened, in order and in sentences: events, attempts, operations and calls. Events and calls are kept for 90 days.',
    params: PaymentPath,
    answer: TimelineOfPayment,
    refuses: ['not_found'],
    present: presentTimeline,
    verb: ({ caller, params }) => getPaymentTimeline(deps, caller, params.payment_id),
  }),
  operation({
    id: 'payments.check',
    method: 'POST',
    path: '/payments/:payment_id/check',
    summary: 'Check a payment',
    description:
      'Asks the provider now what became of what is not known, rather than when it is due, and waits for the answer. What has ended stays as it is.',
    params: PaymentPath,
    answer: PaymentObject,
    refuses: ['not_found'],
    present,
    verb: ({ caller, params }) => checkPayment(deps, caller, params.payment_id),
  }),
  operation({
    id: 'payments.resolve_operation',
    method: 'POST',
    path: '/payments/:payment_id/operations/:operation_id/resolve',
    summary: 'Resolve an operation by hand',
    description:
      'For one that is `needs_review`: says what the books of the provider say, as if the provider had told it. Nobody else is asked, and nothing is sent again. For one that has ended and that a provider contradicts: says that it was put right there. It is audited.',
    params: OperationPath,
    body: ResolveOperation,
    answer: PaymentObject,
    refuses: ['not_found', 'invalid_state'],
    present: presentProgress,
    verb: ({ caller, params, body }) => resolveOperation(deps, caller, params, body),
  }),
]

const operationsOnRefunds = (deps: Deps) => [
  operation({
    id: 'refunds.create',
    method: 'POST',
    path: '/refunds',
    summary: 'Create a refund',
    description: 'Gives back what a payment took, or a part of it, through the account that took it.',
    body: CreateRefund,
    status: 201,
    answer: RefundObject,
    refuses: ['not_found', 'invalid_state'],
    present: presentGivenBack,
    verb: ({ caller, body }) => createRefund(deps, caller, body),
  }),
  operation({
    id: 'refunds.get',
    method: 'GET',
    path: '/refunds/:refund_id',
    summary: 'Get a refund',
    description: 'Answers one refund as it stands.',
    params: RefundPath,
    answer: RefundObject,
    refuses: ['not_found'],
    present: presentRefund,
    verb: ({ caller, params }) => getRefund(deps, caller, params.refund_id),
  }),
  operation({
    id: 'refunds.list',
    method: 'GET',
    path: '/refunds',
    summary: 'List refunds',
    description: 'Newest first, or those of one payment.',
    query: PageQuery(ListRefunds),
    answer: PageOf(RefundObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/refunds', presentRefund),
    verb: ({ caller, query }) => listRefunds(deps, caller, rangeOf('refund', caller.mode, query), query),
  }),
]

/** For payers, who have an address and nothing else. */
export const payerDoors = (deps: Deps): readonly Door[] => [
  {
    method: 'GET',
    path: '/a/:link',
    open: async ({ mode, params }) => onwards(await forwardPayer(deps, mode, params.link ?? '')),
  },
  {
    method: 'GET',
    path: '/a/:link/return',
    open: async ({ mode, params, query }) => onwards(await returnPayer(deps, mode, params.link ?? '', query)),
  },
]

function onwards({ to }: WayOn): DoorAnswer {
  if (to !== null) return { is: 'redirect', to }
  return { is: 'page', title: 'Thank you', text: 'You can close this page and go back to where you paid.' }
}
