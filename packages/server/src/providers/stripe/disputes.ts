/** Interprets the disputes of Stripe. What cannot be read is `Unreadable`. */
import type { Money } from '../../kernel/money.ts'
import type { DisputeReason, DisputeReport } from '../contract.ts'
import { reasonOfNetworkCode } from '../dispute-reasons.ts'
import { Unreadable } from '../read.ts'
import { moneyOf } from './response.ts'
import type { Dispute } from './wire.ts'

/** Source: type `Dispute.Status` of npm package `stripe` 23.1. An appeal contests the decision of a chargeback. */
// biome-ignore format: a table.
const states: ReadonlyMap<string, Pick<DisputeReport, 'stage' | 'status'>> = new Map([
  ['warning_needs_response', { stage: 'inquiry',         status: 'needs_response' }],
  ['warning_under_review',   { stage: 'inquiry',         status: 'under_review'   }],
  ['warning_closed',         { stage: 'inquiry',         status: 'closed'         }],
  ['prevented',              { stage: 'inquiry',         status: 'closed'         }],
  ['needs_response',         { stage: 'chargeback',      status: 'needs_response' }],
  ['under_review',           { stage: 'chargeback',      status: 'under_review'   }],
  ['won',                    { stage: 'chargeback',      status: 'won'            }],
  ['lost',                   { stage: 'chargeback',      status: 'lost'           }],
  ['appeal_needs_response',  { stage: 'pre_arbitration', status: 'needs_response' }],
  ['appeal_under_review',    { stage: 'pre_arbitration', status: 'under_review'   }],
] as const)

const reasons: ReadonlyMap<string, DisputeReason> = new Map([
  ['credit_not_processed', 'credit_not_processed'],
  ['debit_not_authorized', 'authorization'],
  ['duplicate', 'duplicate'],
  ['fraudulent', 'fraudulent'],
  ['product_not_received', 'not_received'],
  ['product_unacceptable', 'not_as_described'],
  ['subscription_canceled', 'subscription_cancelled'],
  ['unrecognized', 'fraudulent'],
] as const)

export function reportOf(dispute: Dispute, createdSeconds: number): DisputeReport {
  const state = states.get(dispute.status)
  if (state === undefined || createdSeconds === 0)
    throw new Unreadable('The dispute has an unknown status, or the event has no time.')
  const networkReasonCode = dispute.network_reason_code ?? null
  const dueBy = dispute.evidence_details?.due_by ?? null
  return {
    ...state,
    providerReference: dispute.id,
    money: moneyOf(dispute.amount, dispute.currency),
    reason: reasons.get(dispute.reason) ?? reasonOfNetworkCode(networkReasonCode ?? ''),
    networkReasonCode,
    respondByAt: dueBy === null ? null : new Date(dueBy * 1000),
    isWithdrawn: isWithdrawn(dispute),
    fee: feeOf(dispute),
    reportedAt: new Date(createdSeconds * 1000),
  }
}

/** Whether Stripe has withdrawn more than it has returned. */
function isWithdrawn({ balance_transactions: transactions }: Dispute): boolean | null {
  if (transactions === undefined || transactions === null) return null
  return transactions.reduce((sum, { amount }) => sum + amount, 0) < 0
}

function feeOf({ balance_transactions: transactions }: Dispute): Money | null {
  const [first] = transactions ?? []
  if (first === undefined) return null
  const sum = (transactions ?? []).reduce((total, { fee }) => total + fee, 0)
  return moneyOf(Math.max(sum, 0), first.currency)
}
