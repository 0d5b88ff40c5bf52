/** API schemas of the operations of a payment, their provider calls, and the timeline. */
import { type Static, Type } from 'typebox'
import { CreatedAt, IdOf, nullable, nullableWithNullExample, OneOf, Time } from '../../../../kernel/shapes.ts'
import { operationKinds } from '../../../../providers/contract.ts'
import { isOpen, type Operation, operationStatuses, type Payment } from '../payment.ts'
import type { ProviderCall } from '../provider-call.ts'
import type { Entry } from '../timeline.ts'
import { Amount, CurrencyCode, timeOrNull } from './payment.ts'

const count = (description: string, example: number) =>
  Type.Integer({ description, examples: [example], loggable: true })

const CallObject = Type.Object(
  {
    step: Type.String({
      description: 'API call that was made: the operation itself, `lookup`, `close` or `complete`.',
    }),
    status: nullable(
      Type.Integer({
        description: 'HTTP status of the response. Null if there was no response.',
        examples: [200],
      }),
    ),
    outcome: Type.String({ description: 'Outcome established by this call.', examples: ['succeeded'] }),
    fault_code: nullable(Type.String({ description: 'Error code if the call failed, otherwise null.' })),
    may_have_been_sent: Type.Boolean({ description: 'Whether any byte of the request may have been sent.' }),
    request_bytes: count('Size of the request in bytes.', 412),
    answer_bytes: count('Size of the response in bytes.', 187),
    duration_ms: count('Total duration of the call in milliseconds.', 84),
    created_at: CreatedAt,
  },
  { description: 'An API call to the provider. Request and response bodies are not stored.' },
)

export const OperationObject = Type.Object(
  {
    id: IdOf('operation'),
    object: Type.Literal('operation'),
    payment_id: IdOf('payment'),
    payment_attempt_id: IdOf('payment_attempt'),
    refund_id: nullable(IdOf('refund')),
    kind: OneOf(operationKinds, { description: 'Type of the operation.', loggable: true }),
    reference: Type.String({
      description:
        'Reference that was sent to the provider. It is unique to this operation and the same in every retry.',
      examples: ['01M7CYVGQTEAKSNTBFR026MPQ1-1'],
    }),
    status: OneOf(operationStatuses, {
      description:
        'Status of the operation. `unknown`: the request was sent, but its outcome could not be determined.',
      loggable: true,
    }),
    amount: Amount('Amount in minor units, e.g. 1299 for €12.99.'),
    currency: CurrencyCode,
    provider_account_id: IdOf('provider_account'),
    provider_reference: nullable(
      Type.String({ description: 'ID assigned by the provider. Null if it is not known.' }),
    ),
    decline_code: nullable(
      Type.String({ description: 'Decline code. Null if the operation was not declined.' }),
    ),
    fault_code: nullable(
      Type.String({ description: 'Error code of the last call. Null if that call did not fail.' }),
    ),
    reported: nullable(
      Type.Object(
        {
          status: Type.String({
            description: 'Outcome reported by the provider.',
            examples: ['succeeded'],
            loggable: true,
          }),
          amount: nullable(
            Type.Integer({
              description: 'Amount in minor units that the provider reported. Null if it reported none.',
              examples: [1298],
              loggable: true,
            }),
          ),
          currency: nullable(
            Type.String({
              description: 'Currency that the provider reported. Null if it reported none.',
              examples: ['eur'],
              loggable: true,
            }),
          ),
        },
        {
          description:
            'Last outcome reported by the provider. If its amount or currency differs from the requested one, the operation needs manual review. Null if nothing was reported.',
        },
      ),
    ),
    checks: count('Number of times the provider was queried for the outcome.', 0),
    next_check_at: nullableWithNullExample({
      ...Time,
      description:
        'Time at which the provider is queried for the outcome next. Null if no query is scheduled.',
    }),
    resends: count(
      'Number of previous retries of the same capture or refund. Each retry is a separate operation.',
      0,
    ),
    resend_at: nullableWithNullExample({
      ...Time,
      description:
        'Time at which the capture or refund is retried as a new operation. Null if no retry is scheduled.',
    }),
    calls: Type.Array(CallObject, { description: 'Calls of the last 90 days, oldest first.' }),
    created_at: CreatedAt,
  },
  {
    $id: 'Operation',
    description: 'A single request to a provider, such as an authorization or a capture, and its outcome.',
  },
)

const listOf = <Item extends typeof OperationObject | typeof TimelineEntry>(item: Item) =>
  Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(item),
    has_more: Type.Literal(false),
    url: Type.String(),
  })

export const TimelineEntry = Type.Object(
  {
    object: Type.Literal('timeline_entry'),
    type: OneOf(['event', 'attempt', 'operation', 'call'], {
      description: 'Type of the entry.',
      loggable: true,
    }),
    name: Type.String({
      description: 'Type of the event, kind of the operation or step of the call.',
      examples: ['payment.succeeded'],
    }),
    sentence: Type.String({
      description: 'Human-readable description of what happened.',
      examples: ['€12.99 charged to Visa •••• 4242.'],
    }),
    object_id: Type.String({
      description: 'ID of the event, attempt or operation.',
      examples: ['event_test_01M7CYVGQTEAKSNTBFR026MPQ1'],
    }),
    at: { ...Time, description: 'Time of the entry.' },
  },
  { $id: 'TimelineEntry', description: 'An entry in the timeline of a payment.' },
)

export const OperationsOfPayment = listOf(OperationObject)
export const TimelineOfPayment = listOf(TimelineEntry)
export const OperationPath = Type.Object({ payment_id: IdOf('payment'), operation_id: IdOf('operation') })

export const ResolveOperation = Type.Object(
  {
    outcome: OneOf(['succeeded', 'not_processed'], {
      description:
        "Outcome according to the provider's records. `not_processed`: it did not happen and will not happen.",
    }),
    provider_reference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          'ID assigned by the provider. Required if the operation succeeded and the ID is not known yet.',
        examples: ['ch_8Qm2'],
      }),
    ),
    amount: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Amount that was actually authorized or captured, in minor units, if it is lower than the requested amount. Only for an authorization or capture that succeeded. Default: the requested amount.',
        examples: [1298],
      }),
    ),
    note: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'How the outcome was confirmed. Stored in the audit log.',
      examples: ["Confirmed by phone with the provider's support, case 4711."],
    }),
  },
  { additionalProperties: false },
)

function presentOperation(
  operation: Operation,
  calls: readonly ProviderCall[],
): Static<typeof OperationObject> {
  const { dueAt } = operation
  return {
    id: operation.id,
    object: 'operation',
    payment_id: operation.paymentId,
    payment_attempt_id: operation.attemptId,
    refund_id: operation.refundId,
    kind: operation.kind,
    reference: operation.reference,
    status: operation.status,
    amount: Number(operation.amount),
    currency: operation.currency,
    provider_account_id: operation.providerAccountId,
    provider_reference: operation.providerReference,
    decline_code: operation.decline?.code ?? null,
    fault_code: operation.fault?.code ?? null,
    reported: operation.reported,
    checks: operation.checks,
    next_check_at: isOpen(operation) ? timeOrNull(dueAt) : null,
    resends: operation.resends,
    resend_at: isOpen(operation) ? null : timeOrNull(dueAt),
    calls: calls.map(presentCall),
    created_at: operation.createdAt.toISOString(),
  }
}

function presentCall(call: ProviderCall): Static<typeof CallObject> {
  return {
    step: call.step,
    status: call.status,
    outcome: call.outcome,
    fault_code: call.fault,
    may_have_been_sent: call.mayHaveBeenSent,
    request_bytes: call.requestBytes,
    answer_bytes: call.answerBytes,
    duration_ms: call.durationMs,
    created_at: call.createdAt.toISOString(),
  }
}

export function presentOperations({
  payment,
  operations,
  calls,
}: {
  readonly payment: Pick<Payment, 'id'>
  readonly operations: readonly Operation[]
  readonly calls: readonly ProviderCall[]
}): Static<typeof OperationsOfPayment> {
  const data = operations.map((operation) =>
    presentOperation(
      operation,
      calls.filter(({ operationId }) => operationId === operation.id),
    ),
  )
  return { object: 'list', data, has_more: false, url: `/payments/${payment.id}/operations` }
}

export function presentTimeline({
  payment,
  entries,
}: {
  readonly payment: Pick<Payment, 'id'>
  readonly entries: readonly Entry[]
}): Static<typeof TimelineOfPayment> {
  const data = entries.map(({ at, type, name, sentence, objectId }) => ({
    object: 'timeline_entry' as const,
    type,
    name,
    sentence,
    object_id: objectId,
    at: at.toISOString(),
  }))
  return { object: 'list', data, has_more: false, url: `/payments/${payment.id}/timeline` }
}
