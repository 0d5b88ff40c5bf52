import { type Static, Type } from 'typebox'
import { IdOf, nullableWithExample, nullableWithNullExample, OneOf, Time } from '../../../kernel/shapes.ts'
import { type CancellationRequest, requestStatuses, requestTypes } from './cancellation-request.ts'

const entered = (description: string, example: string) =>
  nullableWithExample(
    Type.String({ description: `${description} Null if the customer was deleted.`, examples: [example] }),
  )
const note = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'Why the request is rejected. For your records: the subscriber is not notified.',
  examples: ['The contract has already ended.'],
})

export const CancellationRequestObject = Type.Object(
  {
    id: IdOf('cancellation_request'),
    object: Type.Literal('cancellation_request'),
    type: OneOf(requestTypes, {
      description:
        '`cancellation`: at the end of the period. `extraordinary`: for good cause, which is in `reason`. `withdrawal`: from the contract, within the withdrawal period.',
      loggable: true,
    }),
    status: OneOf(requestStatuses, {
      description:
        '`received`: waits for the subscriber, who has to open the link in the e-mail, or for you. `confirmed`: the subscriber has opened the link, and you decide. `completed`: the subscription is cancelled, or its cancellation is scheduled. `rejected`: you have rejected it.',
      loggable: true,
    }),
    name: entered('Name that the subscriber entered.', 'Ada Lovelace'),
    email: entered('E-mail address that the subscriber entered.', 'ada@example.com'),
    contract: nullableWithExample(
      Type.String({
        description:
          'Contract that the subscriber entered: a subscription id or an invoice number. Null if it is empty.',
        examples: ['INV-000042'],
      }),
    ),
    reason: nullableWithNullExample(
      Type.String({ description: 'Reason that the subscriber entered. Null if there is none.' }),
    ),
    requested_end: nullableWithNullExample(
      Type.String({
        format: 'date',
        description: 'Day on which the subscriber wants the contract to end. Null: as early as possible.',
        examples: ['2026-12-31'],
      }),
    ),
    subscription_id: nullableWithExample(
      IdOf('subscription', 'Subscription that the request is about. Null if it could not be determined.'),
    ),
    customer_id: nullableWithExample(
      IdOf('customer', 'Customer of the subscription that matched. Null if none did.'),
    ),
    note: nullableWithNullExample(
      Type.String({ description: 'Why it was rejected. Null if it was not, or no reason was given.' }),
    ),
    received_at: {
      ...Time,
      description: 'When the request was received. It takes legal effect at that time.',
    },
    confirmed_at: nullableWithNullExample({
      ...Time,
      description: 'When the subscriber confirmed it with the link in the e-mail. Null if they have not.',
    }),
    closed_at: nullableWithNullExample({
      ...Time,
      description: 'When it was completed or rejected. Null if it is open.',
    }),
  },
  {
    $id: 'CancellationRequest',
    description: 'A cancellation or withdrawal that a subscriber submitted on the public page.',
  },
)

export const CancellationRequestPath = Type.Object({ cancellation_request_id: IdOf('cancellation_request') })

export const ListCancellationRequests = {
  status: Type.Optional(OneOf(requestStatuses, { description: 'Only requests with this status.' })),
}

export const AcceptCancellationRequest = Type.Object(
  {
    subscription_id: Type.Optional(
      IdOf('subscription', 'Subscription to cancel. Default: the one that matched.'),
    ),
    at: Type.Optional(
      OneOf(['now', 'period_end'], {
        description:
          'When the subscription ends. Default: `period_end` for a `cancellation`, otherwise `now`.',
      }),
    ),
    preview_token: Type.Optional(
      Type.String({
        maxLength: 1_000,
        description:
          'Token of a preview of the cancellation with the same `at`. It is refused if the amounts changed.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type AcceptCancellationRequest = Static<typeof AcceptCancellationRequest>

export const RejectCancellationRequest = Type.Object(
  { note: Type.Optional(note) },
  { additionalProperties: false },
)
export type RejectCancellationRequest = Static<typeof RejectCancellationRequest>

export function present(request: CancellationRequest): Static<typeof CancellationRequestObject> {
  return {
    id: request.id,
    object: 'cancellation_request',
    type: request.type,
    status: request.status,
    name: request.name,
    email: request.email,
    contract: request.contract,
    reason: request.reason,
    requested_end: request.requestedEnd,
    subscription_id: request.subscriptionId,
    customer_id: request.customerId,
    note: request.note,
    received_at: request.receivedAt.toISOString(),
    confirmed_at: request.confirmedAt?.toISOString() ?? null,
    closed_at: request.closedAt?.toISOString() ?? null,
  }
}
