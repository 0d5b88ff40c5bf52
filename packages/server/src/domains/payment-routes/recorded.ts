/** From an attempt as it was stored to what an evaluation needs to know of it. The trace says what was possible. Pure. */
import { type Adaptive, segmentKey, usualAdaptive } from './adaptive.ts'
import type { Trace } from './choose.ts'
import { orderFrom } from './draw.ts'
import type { Recorded } from './evaluation.ts'
import { approvedStatuses, failedStatuses, payersOwn } from './outcomes.ts'
import type { Action, Definition, Split, SplitKey } from './payment-route.ts'

/** The first attempt of a payment, with what it takes to know its segment and its lot. */
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

/** Null if it is not over yet, or says nothing: a payer who is still asked to act, say. */
export function recordedOf(
  stored: StoredAttempt,
  definition: Definition,
  published: ReadonlyMap<string, Adaptive>,
): Recorded | null {
  const outcome = outcomeOf(stored)
  if (outcome === null) return null
  const { rule, action } = actionIn(stored.trace, definition)
  const own = action?.type === 'priority' ? action.adaptive : undefined
  // Of an order that was not adaptive: as it would be now, or as it usually is.
  const settings = own ?? published.get(rule) ?? { ...usualAdaptive, enabled: true }
  return {
    ...{ atMs: stored.atMs, group: groupOf(rule, stored, settings), settings, asked: stored.accountId },
    ...lotIn(stored, action),
    ...outcome,
  }
}

function outcomeOf({ status, declineCode }: StoredAttempt): Pick<Recorded, 'approved' | 'counts'> | null {
  if ((approvedStatuses as readonly string[]).includes(status)) return { approved: true, counts: true }
  if ((failedStatuses as readonly string[]).includes(status)) return { approved: false, counts: true }
  if (status !== 'declined') return null
  return { approved: false, counts: !payersOwn.includes(declineCode ?? '') }
}

function actionIn({ rules = [] }: Partial<Trace>, definition: Definition) {
  const last = rules.at(-1)
  const met = last?.matched ? definition.rules[last.rule] : undefined
  return met === undefined
    ? { rule: '', action: definition.default }
    : { rule: met.name, action: met.then as Action | undefined }
}

function groupOf(rule: string, stored: StoredAttempt, { segment_by }: Adaptive): string {
  const values = {
    currency: stored.currency,
    'card.brand': stored.cardBrand,
    'card.country': stored.cardCountry,
  }
  return `${rule} ${segmentKey(segment_by.map((field) => values[field]))}`
}

type Lot = Pick<Recorded, 'accounts' | 'probabilities' | 'adapted' | 'cluster'>

function lotIn(stored: StoredAttempt, action: Action | undefined): Lot {
  const { trace, accountId } = stored
  const { adaptive, draw } = trace
  const lot =
    adaptive !== undefined && adaptive.drawn !== null
      ? { ...adaptiveLot(adaptive.accounts), adapted: true, cluster: null }
      : draw !== null && draw !== undefined && action?.type === 'split'
        ? { ...splitLot(action, trace), adapted: false, cluster: clusterOf(stored, draw.key) }
        : null
  // An account that no lot could fall to was asked for another reason.
  return lot === null || !lot.accounts.includes(accountId) ? withoutLot : lot
}

const withoutLot: Lot = { accounts: [], probabilities: null, adapted: false, cluster: null }

function adaptiveLot(accounts: readonly { provider_account_id: string; probability: number | null }[]) {
  return {
    accounts: accounts.map((one) => one.provider_account_id),
    probabilities: accounts.map((one) => one.probability ?? 0),
  }
}

/** A lot may fall to an account that cannot take the payment: then the next of its order is asked. */
function splitLot(split: Split, { candidates }: Trace) {
  const able = new Set(
    candidates
      .filter(({ eligible, reasons }) => eligible && reasons.length === 0)
      .map((candidate) => candidate.provider_account_id),
  )
  const shares = new Map<string, number>()
  for (const share of split.targets) {
    const asked = orderFrom(split, share).find((id) => able.has(id))
    if (asked !== undefined) shares.set(asked, (shares.get(asked) ?? 0) + share.weight / 100)
  }
  const accounts = split.targets
    .map((share) => share.provider_account_id)
    .filter((id) => (shares.get(id) ?? 0) > 0)
  return { accounts, probabilities: accounts.map((id) => shares.get(id) as number) }
}

function clusterOf({ customerId, fingerprint }: StoredAttempt, key: SplitKey): string | null {
  return { payment: null, customer: customerId, card: fingerprint }[key]
}
