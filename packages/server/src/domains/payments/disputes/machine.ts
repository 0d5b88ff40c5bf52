/**
 * The dispute state machine. Only the provider decides a dispute: a deadline that has passed changes nothing. A report
 * without a row contradicts the recorded status.
 */
import type { Machine } from '../../../kernel/machine.ts'

export const statuses = ['needs_response', 'under_review', 'won', 'lost', 'closed'] as const
export type Status = (typeof statuses)[number]
export type Trigger =
  | 'response_requested'
  | 'response_received'
  | 'decided_for_merchant'
  | 'decided_for_cardholder'
  | 'inquiry_closed'
export type Facts = {
  /** The report is about a later stage than the recorded one. */
  readonly isEscalated: boolean
}

const escalated = ({ isEscalated }: Facts) => isEscalated

export const disputeMachine: Machine<Status, Trigger, Facts, never> = {
  object: 'dispute',
  initial: 'needs_response',
  actions: [],
  // biome-ignore format: the columns are the point.
  rows: [
    { from: 'needs_response', on: 'response_requested',                      to: 'needs_response', effects: [] },
    { from: 'needs_response', on: 'response_received',                       to: 'under_review',   effects: [] },
    { from: 'needs_response', on: 'decided_for_merchant',                    to: 'won',            effects: [] },
    { from: 'needs_response', on: 'decided_for_cardholder',                  to: 'lost',           effects: [] },
    { from: 'needs_response', on: 'inquiry_closed',                          to: 'closed',         effects: [] },
    // The bank asks for more, or the next stage begins.
    { from: 'under_review',   on: 'response_requested',                      to: 'needs_response', effects: [] },
    { from: 'under_review',   on: 'response_received',                       to: 'under_review',   effects: [] },
    { from: 'under_review',   on: 'decided_for_merchant',                    to: 'won',            effects: [] },
    { from: 'under_review',   on: 'decided_for_cardholder',                  to: 'lost',           effects: [] },
    { from: 'under_review',   on: 'inquiry_closed',                          to: 'closed',         effects: [] },
    // The cardholder's bank can contest a decision in the next stage.
    { from: 'won',            on: 'response_requested',     when: escalated, to: 'needs_response', effects: [] },
    { from: 'won',            on: 'response_received',      when: escalated, to: 'under_review',   effects: [] },
    { from: 'won',            on: 'decided_for_cardholder', when: escalated, to: 'lost',           effects: [] },
    // Providers repeat their reports.
    { from: 'won',            on: 'decided_for_merchant',                    to: 'won',            effects: [] },
    { from: 'lost',           on: 'decided_for_cardholder',                  to: 'lost',           effects: [] },
    { from: 'closed',         on: 'inquiry_closed',                          to: 'closed',         effects: [] },
  ],
}

export function isEnded(status: Status): boolean {
  return status === 'won' || status === 'lost' || status === 'closed'
}
