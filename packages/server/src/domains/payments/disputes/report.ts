/**
 * Determines how a report of the provider changes a recorded dispute. Reports contain the whole state, except that some
 * do not state whether the amount is withdrawn. They can be lost, duplicated or reordered. No side effects.
 */
import { type DisputeReport, disputeStages } from '../../../providers/contract.ts'
import type { Dispute } from './dispute.ts'
import { isEnded, type Trigger } from './machine.ts'

const triggers = {
  needs_response: 'response_requested',
  under_review: 'response_received',
  won: 'decided_for_merchant',
  lost: 'decided_for_cardholder',
  closed: 'inquiry_closed',
} as const satisfies { readonly [S in DisputeReport['status']]: Trigger }

export function triggerOf({ status }: DisputeReport): Trigger {
  return triggers[status]
}

type Comparable = Pick<Dispute, 'stage' | 'status'> & { readonly isWithdrawn: boolean }

/**
 * Whether a newer report is already recorded. Some providers report times in seconds: of two reports with the
 * same time, the more advanced one counts as newer.
 */
export function isOutdated(report: DisputeReport, recorded: Dispute): boolean {
  const difference = report.reportedAt.getTime() - recorded.reportedAt.getTime()
  if (difference !== 0) return difference < 0
  const [reported, known] = [
    progressOf({
      stage: isEscalated(report, recorded) ? report.stage : recorded.stage,
      status: report.status,
      isWithdrawn: isWithdrawn(report, recorded),
    }),
    progressOf({ ...recorded, isWithdrawn: recorded.amountHeld > 0n }),
  ]
  const index = reported.findIndex((value, at) => value !== known[at])
  return index >= 0 && (reported[index] as number) < (known[index] as number)
}

const ranks = {
  needs_response: 0,
  submitting: 0,
  accepting: 0,
  under_review: 1,
  won: 2,
  lost: 2,
  closed: 2,
} as const

/** The most significant value first. */
function progressOf({ stage, status, isWithdrawn }: Comparable): readonly number[] {
  return [disputeStages.indexOf(stage), ranks[status], isWithdrawn && !isEnded(status) ? 1 : 0]
}

/**
 * The information that a late report adds. Stages only advance, and a newer report may not have stated whether the
 * amount is withdrawn. Null if it adds nothing.
 */
export function lateDetails(report: DisputeReport, recorded: Dispute): LateDetails | null {
  if (isEnded(recorded.status)) return null
  const stage = isEscalated(report, recorded) ? report.stage : recorded.stage
  const isStated = report.isWithdrawn !== null && statesLater(report, recorded)
  if (stage === recorded.stage && !isStated) return null
  return {
    stage,
    isWithdrawn: isStated ? report.isWithdrawn === true : recorded.amountHeld > 0n,
    withdrawalReportedAt: isStated ? report.reportedAt : recorded.withdrawalReportedAt,
  }
}

type LateDetails = Pick<Dispute, 'stage' | 'withdrawalReportedAt'> & { readonly isWithdrawn: boolean }

/** If two reports have the same time, the one that reports a withdrawal takes precedence. */
function statesLater({ reportedAt, isWithdrawn }: DisputeReport, recorded: Dispute): boolean {
  const difference = reportedAt.getTime() - recorded.withdrawalReportedAt.getTime()
  return difference > 0 || (difference === 0 && isWithdrawn === true)
}

/** If the report does not state it, the recorded value still applies. */
export function isWithdrawn(report: DisputeReport, recorded: Dispute): boolean {
  return report.isWithdrawn ?? recorded.amountHeld > 0n
}

export function isEscalated(report: DisputeReport, recorded: Dispute): boolean {
  return disputeStages.indexOf(report.stage) > disputeStages.indexOf(recorded.stage)
}
