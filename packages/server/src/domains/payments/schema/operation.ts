/** Operations of payments on the wire, the calls that were made for them, and the whole story in order. */
import { type Static, Type } from 'typebox'
import { IdOf, mostlyNull, nullable, OneOf, Time } from '../../../kernel/shapes.ts'
import { operationKinds } from '../../../providers/contract.ts'
import type { Call } from '../call.ts'
import { isOpen, type Operation, operationStatuses, type Payment } from '../payment.ts'
import type { Entry } from '../timeline.ts'
import { Amount, CurrencyCode, timeOrNull } from './payment.ts'

const count = (description: string, example: number) =>
  Type.Integer({ description, examples: [example], loggable: true })

const CallObject = Type.Object(
  {
    step: Type.String({
      description: 'What was called: the operation itself, `lookup`, `close` or `complete`.',
    }),
    status: nullable(
      Type.Integer({ description: 'Of the answer; null if there was none.', examples: [200] }),
    ),
    outcome: Type.String({ description: 'What the call proves.', examples: ['succeeded'] }),
    fault_code: nullable(Type.String({ description: 'What went wrong, if something did.' })),
    may_have_been_sent: Type.Boolean({ description: 'Whether a byte of the request may have left.' }),
    request_bytes: count('How long the request was.', 412),
    answer_bytes: count('How long the answer was.', 187),
    duration_ms: count('From the first step to the last byte.', 84),
    created_at: Time,
  },
  { description: 'A call to the provider. Nothing of what was said is kept.' },
)

export const OperationObject = Type.Object(
  {
    id: IdOf('operation'),
    object: Type.Literal('operation'),
    payment_id: IdOf('payment'),
    payment_attempt_id: IdOf('payment_attempt'),
    refund_id: nullable(IdOf('refund')),
    kind: OneOf(operationKinds, { description: 'What the provider was asked to do.', loggable: true }),
    reference: Type.String({
      description:
        'What the provider was told to call it: the same in every repeat, and in no other operation.',
      examples: ['01M7CYVGQTEAKSNTBFR026MPQ1-1'],
    }),
    status: OneOf(operationStatuses, {
      description: 'What is known of it. `unknown`: it was sent, and nothing proves what became of it.',
      loggable: true,
    }),
    amount: Amount('In the smallest unit of the currency.'),
    currency: CurrencyCode,
    provider_account_id: IdOf('provider_account'),
    provider_reference: nullable(Type.String({ description: 'What the provider calls it.' })),
    decline_code: nullable(Type.String({ description: 'Why it was declined.' })),
    fault_code: nullable(
      Type.String({ description: 'What went wrong with the last call, if something did.' }),
    ),
    checks: count('How often the provider was asked what became of it.', 0),
    next_check_at: mostlyNull(Time),
    resends: count('How often the same was sent before, as an operation of its own.', 0),
    resend_at: mostlyNull(Time),
    calls: Type.Array(CallObject, { description: 'Those of the last 90 days, the oldest first.' }),
    created_at: Time,
  },
  { $id: 'Operation', description: 'One thing that a provider was asked to do, and what is known of it.' },
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
      description: 'What kind of step it is.',
      loggable: true,
    }),
    name: Type.String({
      description: 'The type of the event, the kind of the operation, the step of the call.',
      examples: ['payment.succeeded'],
    }),
    sentence: Type.String({
      description: 'What happened, for people.',
      examples: ['EUR 12.99 was taken from visa ending in 4242.'],
    }),
    object_id: Type.String({
      description: 'Of the event, the attempt or the operation.',
      examples: ['event_test_01M7CYVGQTEAKSNTBFR026MPQ1'],
    }),
    at: Time,
  },
  { $id: 'TimelineEntry', description: 'One step of the story of a payment.' },
)

export const OperationsOfPayment = listOf(OperationObject)
export const TimelineOfPayment = listOf(TimelineEntry)
export const OperationPath = Type.Object({ payment_id: IdOf('payment'), operation_id: IdOf('operation') })

export const ResolveOperation = Type.Object(
  {
    outcome: OneOf(['succeeded', 'not_processed'], {
      description:
        'What the books of the provider say: it happened as it was asked for, or it did not and will not.',
    }),
    provider_reference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'What the provider calls it. Required if it succeeded and that is not known yet.',
        examples: ['ch_8Qm2'],
      }),
    ),
    note: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'How you know. It is kept in the audit log.',
      examples: ['Their support confirmed it by phone, case 4711.'],
    }),
  },
  { additionalProperties: false },
)

function presentOperation(operation: Operation, calls: readonly Call[]): Static<typeof OperationObject> {
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
    checks: operation.checks,
    next_check_at: isOpen(operation) ? timeOrNull(dueAt) : null,
    resends: operation.resends,
    resend_at: isOpen(operation) ? null : timeOrNull(dueAt),
    calls: calls.map(presentCall),
    created_at: operation.createdAt.toISOString(),
  }
}

function presentCall(call: Call): Static<typeof CallObject> {
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
  readonly calls: readonly Call[]
}): Static<typeof OperationsOfPayment> {
  const data = operations.map((one) =>
    presentOperation(
      one,
      calls.filter(({ operationId }) => operationId === one.id),
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
    ...{ type, name, sentence, object_id: objectId, at: at.toISOString() },
  }))
  return { object: 'list', data, has_more: false, url: `/payments/${payment.id}/timeline` }
}
