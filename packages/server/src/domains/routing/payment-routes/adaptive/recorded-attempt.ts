/**
 * Converts a stored attempt to the input of an evaluation. The trace shows which accounts could have been tried. No
 * side effects.
 */

import type { Trace } from '../engine/choose.ts'
import { orderAfterDraw } from '../engine/split-draw.ts'
import type { Action, Adaptive, Definition, Split, SplitKey } from '../payment-route.ts'
import { defaultAdaptive, segmentKey } from './adaptive.ts'
import type { RecordedAttempt } from './evaluation.ts'
import { approvedStatuses, failedStatuses, uncountedDeclines } from './outcomes.ts'

/** The first attempt of a payment, with the data that determines its segment and draw. */
export type StoredAttempt = {
  readonly atMs: number
  readonly accountId: string
  readonly status: string
  readonly declineCode: string | null
  readonly trace: Trace
  readonly revision: number
  readonly currency: string
  readonly cardBrand: string
  readonly cardCountry: string | null
  readonly customerId: string | null
  readonly fingerprint: string | null
}

/** Null if the attempt has not ended or provides no information, for example while the payer has to act. */
export function recordedAttemptOf(
  stored: StoredAttempt,
  definition: Definition,
  publishedSettings: ReadonlyMap<string, Adaptive>,
): RecordedAttempt | null {
  const outcome = outcomeOf(stored)
  if (outcome === null) return null
  const { rule, action } = actionIn(stored.trace, definition)
  const actionSettings = action?.type === 'priority' ? action.adaptive : undefined
  // If the order was not adaptive, evaluate the published settings or the defaults.
  const settings = actionSettings ?? publishedSettings.get(rule) ?? { ...defaultAdaptive, enabled: true }
  return {
    atMs: stored.atMs,
    group: groupOf(rule, stored, settings),
    settings,
    accountId: stored.accountId,
    ...drawOf(stored, action),
    ...outcome,
  }
}

function outcomeOf({
  status,
  declineCode,
}: StoredAttempt): Pick<RecordedAttempt, 'approved' | 'isAttributable'> | null {
  if ((approvedStatuses as readonly string[]).includes(status))
    return { approved: true, isAttributable: true }
  if ((failedStatuses as readonly string[]).includes(status)) return { approved: false, isAttributable: true }
  if (status !== 'declined') return null
  return { approved: false, isAttributable: !uncountedDeclines.includes(declineCode ?? '') }
}

function actionIn({ rules = [] }: Partial<Trace>, definition: Definition) {
  const last = rules.at(-1)
  const matched = last?.matched ? definition.rules[last.rule] : undefined
  return matched === undefined
    ? { rule: '', action: definition.default }
    : { rule: matched.name, action: matched.then as Action | undefined }
}

function groupOf(rule: string, stored: StoredAttempt, { segment_by }: Adaptive): string {
  const values = {
    currency: stored.currency,
    'card.brand': stored.cardBrand,
    'card.country': stored.cardCountry,
  }
  return `${rule} ${segmentKey(segment_by.map((field) => values[field]))}`
}

type RecordedDraw = Pick<RecordedAttempt, 'accounts' | 'probabilities' | 'isAdaptiveDraw' | 'cluster'>

function drawOf(stored: StoredAttempt, action: Action | undefined): RecordedDraw {
  const { trace, accountId } = stored
  const { adaptive, draw } = trace
  const recorded =
    adaptive !== undefined && adaptive.drawn !== null
      ? { ...adaptiveProbabilities(adaptive.accounts), isAdaptiveDraw: true, cluster: null }
      : draw !== null && draw !== undefined && action?.type === 'split'
        ? {
            ...splitProbabilities(action, trace),
            isAdaptiveDraw: false,
            cluster: clusterOf(stored, draw.key),
          }
        : null
  // If the account is not among those that could be drawn, the draw did not decide.
  return recorded === null || !recorded.accounts.includes(accountId) ? withoutDraw : recorded
}

const withoutDraw: RecordedDraw = { accounts: [], probabilities: null, isAdaptiveDraw: false, cluster: null }

function adaptiveProbabilities(
  accounts: readonly { provider_account_id: string; probability: number | null }[],
) {
  return {
    accounts: accounts.map((account) => account.provider_account_id),
    probabilities: accounts.map((account) => account.probability ?? 0),
  }
}

/** If a drawn account is not eligible, its probability goes to the next eligible account. */
function splitProbabilities(split: Split, { candidates }: Trace) {
  const eligibleIds = new Set(
    candidates
      .filter(({ eligible, reasons }) => eligible && reasons.length === 0)
      .map((candidate) => candidate.provider_account_id),
  )
  const shares = new Map<string, number>()
  for (const share of split.targets) {
    const first = orderAfterDraw(split, share).find((id) => eligibleIds.has(id))
    if (first !== undefined) shares.set(first, (shares.get(first) ?? 0) + share.weight / 100)
  }
  const accounts = split.targets
    .map((share) => share.provider_account_id)
    .filter((id) => (shares.get(id) ?? 0) > 0)
  return { accounts, probabilities: accounts.map((id) => shares.get(id) as number) }
}

function clusterOf({ customerId, fingerprint }: StoredAttempt, key: SplitKey): string | null {
  return { payment: null, customer: customerId, card: fingerprint }[key]
}
