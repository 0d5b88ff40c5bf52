/**
 * The dispute state machine. Only the provider decides a dispute: a deadline that has passed changes nothing.
 * A report for which there is no row contradicts the recorded status.
 */
import type { Machine } from '../../../kernel/machine.ts'

export const statuses = [
  'needs_response',
  'submitting',
  'accepting',
  'under_review',
  'won',
  'lost',
  'closed',
] as const
export type Status = (typeof statuses)[number]
export type Trigger =
  /** Requests of the merchant, and the provider's response to them. An unknown response changes nothing. */
  | 'update'
  | 'submit'
  | 'accept'
  | 'provider_accepted'
  | 'provider_refused'
  /** Reports of the provider. */
  | 'response_requested'
  | 'response_received'
  | 'decided_for_merchant'
  | 'decided_for_cardholder'
  | 'inquiry_closed'
export type Facts = {
  /** The report is about a later stage than the recorded one. */
  readonly isEscalated: boolean
  /** No amount is claimed yet. */
  readonly isInquiry: boolean
}

const escalated = ({ isEscalated }: Facts) => isEscalated
const notAnInquiry = ({ isInquiry }: Facts) => !isInquiry

export const disputeMachine: Machine<Status, Trigger, Facts, never> = {
  object: 'dispute',
  initial: 'needs_response',
  actions: ['update', 'submit', 'accept'],
  // biome-ignore format: aligned columns are easier to read.
  rows: [
    { from: 'needs_response', on: 'update',                                     to: 'needs_response', effects: [] },
    { from: 'needs_response', on: 'submit',                                     to: 'submitting',     effects: [] },
    { from: 'needs_response', on: 'accept',                 when: notAnInquiry, to: 'accepting',      effects: [] },
    { from: 'needs_response', on: 'response_requested',                         to: 'needs_response', effects: [] },
    { from: 'needs_response', on: 'response_received',                          to: 'under_review',   effects: [] },
    { from: 'needs_response', on: 'decided_for_merchant',                       to: 'won',            effects: [] },
    { from: 'needs_response', on: 'decided_for_cardholder',                     to: 'lost',           effects: [] },
    { from: 'needs_response', on: 'inquiry_closed',                             to: 'closed',         effects: [] },
    // Repeating a request succeeds without a change, so that clients can retry.
    { from: 'submitting',     on: 'submit',                                     to: 'submitting',     effects: [] },
    { from: 'submitting',     on: 'provider_accepted',                          to: 'under_review',   effects: [] },
    { from: 'submitting',     on: 'provider_refused',                           to: 'needs_response', effects: [] },
    // The provider sent this report before it processed the submitted response. A later stage needs another response.
    { from: 'submitting',     on: 'response_requested',     when: escalated,    to: 'needs_response', effects: [] },
    { from: 'submitting',     on: 'response_requested',                         to: 'submitting',     effects: [] },
    { from: 'submitting',     on: 'response_received',                          to: 'under_review',   effects: [] },
    { from: 'submitting',     on: 'decided_for_merchant',                       to: 'won',            effects: [] },
    { from: 'submitting',     on: 'decided_for_cardholder',                     to: 'lost',           effects: [] },
    { from: 'submitting',     on: 'inquiry_closed',                             to: 'closed',         effects: [] },
    { from: 'accepting',      on: 'accept',                                     to: 'accepting',      effects: [] },
    { from: 'accepting',      on: 'provider_accepted',                          to: 'lost',           effects: [] },
    { from: 'accepting',      on: 'provider_refused',                           to: 'needs_response', effects: [] },
    { from: 'accepting',      on: 'response_requested',     when: escalated,    to: 'needs_response', effects: [] },
    { from: 'accepting',      on: 'response_requested',                         to: 'accepting',      effects: [] },
    // Someone responded at the provider before the acceptance arrived there.
    { from: 'accepting',      on: 'response_received',                          to: 'under_review',   effects: [] },
    { from: 'accepting',      on: 'decided_for_merchant',                       to: 'won',            effects: [] },
    { from: 'accepting',      on: 'decided_for_cardholder',                     to: 'lost',           effects: [] },
    { from: 'accepting',      on: 'inquiry_closed',                             to: 'closed',         effects: [] },
    { from: 'under_review',   on: 'submit',                                     to: 'under_review',   effects: [] },
    // The bank requests more evidence, or the next stage begins.
    { from: 'under_review',   on: 'response_requested',                         to: 'needs_response', effects: [] },
    { from: 'under_review',   on: 'response_received',                          to: 'under_review',   effects: [] },
    { from: 'under_review',   on: 'decided_for_merchant',                       to: 'won',            effects: [] },
    { from: 'under_review',   on: 'decided_for_cardholder',                     to: 'lost',           effects: [] },
    { from: 'under_review',   on: 'inquiry_closed',                             to: 'closed',         effects: [] },
    // The cardholder's bank can contest a decision in the next stage.
    { from: 'won',            on: 'response_requested',     when: escalated,    to: 'needs_response', effects: [] },
    { from: 'won',            on: 'response_received',      when: escalated,    to: 'under_review',   effects: [] },
    { from: 'won',            on: 'decided_for_cardholder', when: escalated,    to: 'lost',           effects: [] },
    // Providers repeat their reports.
    { from: 'won',            on: 'decided_for_merchant',                       to: 'won',            effects: [] },
    { from: 'lost',           on: 'decided_for_cardholder',                     to: 'lost',           effects: [] },
    { from: 'closed',         on: 'inquiry_closed',                             to: 'closed',         effects: [] },
  ],
}

export function isEnded(status: Status): boolean {
  return status === 'won' || status === 'lost' || status === 'closed'
}

/** Whether a request to the provider has no known result yet. */
export function isResponding(status: Status): boolean {
  return status === 'submitting' || status === 'accepting'
}
