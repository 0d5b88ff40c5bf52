// Counts what happened at each kind of account, to show that the scenarios used every connector.

import { type AccountKind, accountKinds } from './account-kinds.ts'
import { hasOpenReview, type Records, wireIdOf } from './records.ts'
import type { PaymentRun, ProviderCall } from './scenario-run.ts'

type Counts = {
  /** Payments with an attempt at the account. */
  readonly payments: number
  /** Payments whose last attempt was at the account. */
  readonly succeeded: number
  readonly failed: number
  readonly review: number
  readonly refunded: number
  readonly disputed: number
  readonly lostResponses: number
}
export type KindCounts = { readonly [Kind in AccountKind]?: Counts }

const noCounts: Counts = {
  payments: 0,
  succeeded: 0,
  failed: 0,
  review: 0,
  refunded: 0,
  disputed: 0,
  lostResponses: 0,
}

export function countByKind(
  { workspace }: PaymentRun,
  records: Records,
  callsByAccount: readonly (readonly ProviderCall[])[],
): KindCounts {
  return workspace.accounts
    .map((account, index) => ({
      [workspace.kinds[index] as AccountKind]: {
        ...countPayments(records, account),
        lostResponses: (callsByAccount[index] ?? []).filter(isLost).length,
      },
    }))
    .reduce<KindCounts>(addCounts, {})
}

function countPayments(records: Records, account: string): Omit<Counts, 'lostResponses'> {
  const isAtAccount = (uuid: string) => wireIdOf(uuid).slice(-26) === account.slice(-26)
  const attemptsOf = (id: string) =>
    records.attempts.filter(({ payment_id }) => payment_id === id).toSorted((a, b) => a.number - b.number)
  const tried = records.payments.filter(({ id }) =>
    attemptsOf(id).some((attempt) => isAtAccount(attempt.provider_account_id)),
  )
  const ended = tried.filter(({ id }) => isAtAccount(attemptsOf(id).at(-1)?.provider_account_id ?? id))
  const needsReview = ({ id, review }: (typeof ended)[number]) =>
    review !== null || hasOpenReview(records, id)
  const known = ended.filter((row) => !needsReview(row))
  return {
    payments: tried.length,
    succeeded: known.filter(({ status }) => status === 'succeeded' || status === 'requires_capture').length,
    failed: known.filter(({ status }) => status === 'failed' || status === 'cancelled').length,
    review: ended.filter(needsReview).length,
    refunded: known.filter(({ amount_refunded }) => amount_refunded > 0).length,
    disputed: known.filter(({ id }) => records.disputes.some(({ payment_id }) => payment_id === id)).length,
  }
}

/** The provider processed or received the request, and the response did not arrive or was unreadable. */
function isLost({ answer }: ProviderCall): boolean {
  return answer !== null && !answer.endsWith(' plain') && !answer.endsWith(' duplicate_notice')
}

export function addCounts(a: KindCounts, b: KindCounts): KindCounts {
  const sum = (kind: AccountKind): Counts => {
    const [left, right] = [a[kind] ?? noCounts, b[kind] ?? noCounts]
    const names = Object.keys(noCounts) as (keyof Counts)[]
    return Object.fromEntries(names.map((name) => [name, left[name] + right[name]])) as Counts
  }
  const kinds = accountKinds.filter((kind) => a[kind] !== undefined || b[kind] !== undefined)
  return Object.fromEntries(kinds.map((kind) => [kind, sum(kind)]))
}

/** One line per kind. */
export function formatCounts(counts: KindCounts): string {
  const lines = Object.entries(counts).map(
    ([kind, { payments, succeeded, failed, review, refunded, disputed, lostResponses }]) =>
      `${kind}: ${payments} payments, ${succeeded} succeeded, ${failed} failed, ${review} in review, ${refunded} refunded, ${disputed} disputed, ${lostResponses} lost responses`,
  )
  return lines.join('\n')
}
