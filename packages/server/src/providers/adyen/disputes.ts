/**
 * Interprets the dispute webhooks of Adyen (see docs.adyen.com/risk-management/disputes-api/dispute-notifications). The
 * event code, which is signed, decides. The members of `additionalData` are not signed: they explain, or confirm an event
 * code that is not conclusive on its own.
 */
import type { DisputeReport } from '../contract.ts'
import { reasonOfNetworkCode } from '../dispute-reasons.ts'

type State = Pick<DisputeReport, 'stage' | 'status' | 'isWithdrawn'>

// biome-ignore format: a table.
const states: ReadonlyMap<string, State> = new Map<string, State>([
  ['REQUEST_FOR_INFORMATION',         { stage: 'inquiry',         status: 'needs_response', isWithdrawn: false }],
  ['NOTIFICATION_OF_CHARGEBACK',      { stage: 'chargeback',      status: 'needs_response', isWithdrawn: false }],
  ['CHARGEBACK',                      { stage: 'chargeback',      status: 'needs_response', isWithdrawn: true  }],
  ['INFORMATION_SUPPLIED',            { stage: 'inquiry',         status: 'under_review',   isWithdrawn: null  }],
  // Adyen returns the amount, but the bank can still contest the defense.
  ['CHARGEBACK_REVERSED',             { stage: 'chargeback',      status: 'under_review',   isWithdrawn: false }],
  ['ISSUER_RESPONSE_TIMEFRAME_EXPIRED', { stage: 'chargeback',    status: 'won',            isWithdrawn: false }],
  ['SECOND_CHARGEBACK',               { stage: 'pre_arbitration', status: 'lost',           isWithdrawn: true  }],
  ['PREARBITRATION_OPEN',             { stage: 'pre_arbitration', status: 'needs_response', isWithdrawn: null  }],
  ['PREARBITRATION_ISSUER_WITHDRAWN', { stage: 'pre_arbitration', status: 'won',            isWithdrawn: false }],
  ['PREARBITRATION_WON',              { stage: 'pre_arbitration', status: 'won',            isWithdrawn: false }],
  ['PREARBITRATION_LOST',             { stage: 'pre_arbitration', status: 'lost',           isWithdrawn: true  }],
  ['SCHEME_ARBITRATION',              { stage: 'arbitration',     status: 'under_review',   isWithdrawn: null  }],
  ['SCHEME_ARBITRATION_WON',          { stage: 'arbitration',     status: 'won',            isWithdrawn: false }],
  ['SCHEME_ARBITRATION_LOST',         { stage: 'arbitration',     status: 'lost',           isWithdrawn: true  }],
])

/** These events end a dispute only if `disputeStatus` says how. */
const stagesByStatusEvent: ReadonlyMap<string, DisputeReport['stage']> = new Map([
  ['DISPUTE_DEFENSE_PERIOD_ENDED', 'chargeback'],
  ['PREARBITRATION_ACCEPTED', 'pre_arbitration'],
  ['PREARBITRATION_DECLINED', 'pre_arbitration'],
] as const)

// biome-ignore format: a table.
const statesByStatus: ReadonlyMap<unknown, Pick<State, 'status' | 'isWithdrawn'>> = new Map<unknown, Pick<State, 'status' | 'isWithdrawn'>>([
  ['Lost',     { status: 'lost',         isWithdrawn: true  }],
  ['Accepted', { status: 'lost',         isWithdrawn: true  }],
  ['Won',      { status: 'won',          isWithdrawn: false }],
  ['Pending',  { status: 'under_review', isWithdrawn: null  }],
])

export const disputeEventCodes: readonly string[] = [...states.keys(), ...stagesByStatusEvent.keys()]

/** Null if the event says nothing about the state of the dispute. */
export function stateOf(eventCode: string, disputeStatus: unknown): State | null {
  const stage = stagesByStatusEvent.get(eventCode)
  const confirmed = statesByStatus.get(disputeStatus)
  if (stage !== undefined) return confirmed === undefined ? null : { stage, ...confirmed }
  const state = states.get(eventCode) ?? null
  // Adyen can defend a dispute automatically, before it withdraws the amount.
  const isDefended = state?.status === 'needs_response' && confirmed?.status === 'under_review'
  return state !== null && isDefended ? { ...state, status: 'under_review' } : state
}

/** Deadline and reason, which explain the dispute. */
export function explanationOf(data: { readonly [name: string]: unknown }) {
  const code = typeof data.chargebackReasonCode === 'string' ? data.chargebackReasonCode.trim() : ''
  return {
    reason: reasonOfNetworkCode(code),
    networkReasonCode: code === '' || code.length > 100 ? null : code,
    respondByAt: typeof data.defensePeriodEndsAt === 'string' ? dateOrNull(data.defensePeriodEndsAt) : null,
  }
}

export function dateOrNull(text: string): Date | null {
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? null : date
}
