import { defineEvent } from '../../../platform/db/events.ts'
import type { CancellationRequest } from './cancellation-request.ts'
import { CancellationRequestObject, present } from './schema.ts'

const closedAt = '2026-11-14T12:40:00.000Z'

export const cancellationRequestReceived = defineEvent<CancellationRequest>({
  type: 'cancellation_request.received',
  about: 'A subscriber has submitted a cancellation or a withdrawal on the public page.',
  schema: CancellationRequestObject,
  present,
  example: { object: { status: 'received', confirmed_at: null, closed_at: null, note: null } },
})

export const cancellationRequestUpdated = defineEvent<CancellationRequest>({
  type: 'cancellation_request.updated',
  about: 'A cancellation request was confirmed by the subscriber, completed, or rejected.',
  schema: CancellationRequestObject,
  present,
  example: {
    object: { status: 'completed', confirmed_at: closedAt, closed_at: closedAt, note: null },
    before: { status: 'received', confirmed_at: null, closed_at: null },
  },
})
