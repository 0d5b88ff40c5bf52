import { defineEvent } from '../../../platform/db/events.ts'
import type { Dispute } from './dispute.ts'
import type { Status } from './machine.ts'
import { DisputeObject, presentInEvent } from './schema.ts'

type Example = { readonly object: object; readonly before?: object }

const disputeEvent = (verb: string, about: string, example: Example) =>
  defineEvent<Dispute>({
    type: `dispute.${verb}`,
    about,
    schema: DisputeObject,
    present: presentInEvent,
    example,
  })

const open = { status: 'needs_response', amount_held: 1299, evidence: null }
const ended = { evidence: null, amount_held: 0, ended_at: '2026-12-14T12:00:00.000Z' }

export const disputeCreated = disputeEvent(
  'created',
  'A provider reported a new dispute. Respond by `respond_by_at`.',
  { object: open },
)
export const disputeUpdated = disputeEvent(
  'updated',
  'A dispute was updated: its stage, deadline, amount, held amount, fee or evidence, it became overdue, or a response is being sent or was refused. `previous` contains the old values.',
  { object: { ...open, stage: 'pre_arbitration' }, before: { stage: 'chargeback' } },
)
export const disputeSubmitted = disputeEvent(
  'submitted',
  'The provider received your response. The bank reviews it.',
  { object: { ...open, status: 'under_review' }, before: { status: 'needs_response' } },
)
export const disputeWon = disputeEvent('won', 'The dispute was decided in your favor.', {
  object: { ...ended, status: 'won' },
  before: { ...open, ended_at: null },
})
export const disputeLost = disputeEvent(
  'lost',
  'The dispute was decided in favor of the cardholder, who keeps the amount. This state is final.',
  { object: { ...ended, status: 'lost' }, before: { ...open, ended_at: null } },
)
export const disputeClosed = disputeEvent(
  'closed',
  'An inquiry ended without a chargeback. This state is final.',
  {
    object: { ...ended, stage: 'inquiry', status: 'closed' },
    before: { status: 'needs_response', ended_at: null },
  },
)

/** The event of a change to this status. */
export const eventsByStatus: { readonly [S in Status]: typeof disputeUpdated } = {
  needs_response: disputeUpdated,
  submitting: disputeUpdated,
  accepting: disputeUpdated,
  under_review: disputeSubmitted,
  won: disputeWon,
  lost: disputeLost,
  closed: disputeClosed,
}

export const disputeEvents = [
  disputeCreated,
  disputeUpdated,
  disputeSubmitted,
  disputeWon,
  disputeLost,
  disputeClosed,
]
