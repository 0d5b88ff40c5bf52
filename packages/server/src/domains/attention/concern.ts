/** What needs a person, in words. It is there while it is so, and gone when it is not: nobody ticks it off. Pure. */
import type { Id, Kind } from '../../kernel/id.ts'

export const concernKinds = [
  ...(['webhook_endpoint_disabled', 'webhook_endpoint_failing'] as const),
  ...(['provider_account_open', 'provider_account_held'] as const),
  ...(['payments_unknown', 'payments_in_review', 'refunds_in_review'] as const),
  ...(['subscriptions_parked', 'dunning_ending'] as const),
] as const
export type ConcernKind = (typeof concernKinds)[number]
export const severities = ['critical', 'warning'] as const

export type Concern = {
  readonly kind: ConcernKind
  readonly severity: (typeof severities)[number]
  readonly title: string
  readonly detail: string
  /** What it is about; of several the one that waits for longest. */
  readonly objectId: Id<Kind>
  readonly since: Date | null
  readonly count: number
  /** Whether there are more than were looked at. */
  readonly hasMore: boolean
}

/** So many are looked at. Whoever has more of them needs no exact figure. */
export const mostLookedAt = 1_000
/** An outcome that is not known for so long is asked for by people. */
export const unknownMinutes = 15
/** Campaigns that end within so many days. */
export const endingDays = 3

export type Endpoint = {
  readonly id: Id<'webhook_endpoint'>
  readonly name: string | null
  readonly url: string
  readonly disabledReason: string | null
  readonly disabledAt: Date | null
  readonly failingSinceAt: Date | null
}

const one = { count: 1, hasMore: false } as const

export function endpointConcern(endpoint: Endpoint): Concern {
  const name = endpoint.name ?? endpoint.url
  const about = { objectId: endpoint.id, ...one }
  if (endpoint.disabledAt === null)
    return {
      ...{ kind: 'webhook_endpoint_failing', severity: 'warning', ...about },
      title: `Webhook endpoint ${name} is failing`,
      detail: 'Attempts fail. Nothing is lost: they are repeated for five days.',
      since: endpoint.failingSinceAt,
    }
  const why = endpoint.disabledReason === 'gone' ? 'It answered 410 Gone' : 'It failed for days'
  return {
    ...{ kind: 'webhook_endpoint_disabled', severity: 'critical', ...about },
    title: `Webhook endpoint ${name} was disabled`,
    detail: `${why}. Its events are held for 30 days; enable it when it is well again.`,
    since: endpoint.disabledAt,
  }
}

export type Account = {
  readonly id: Id<'provider_account'>
  readonly name: string
  readonly holdReason: string | null
  readonly holdUntilAt: Date | null
  readonly updatedAt: Date
  /** Since when its breaker is open; null if it is closed. */
  readonly openedAt: Date | null
}

export function accountConcerns({ id, name, ...account }: Account): readonly Concern[] {
  const about = { objectId: id, ...one }
  const open: Concern = {
    ...{ kind: 'provider_account_open', severity: 'critical', ...about },
    title: `${name} is failing`,
    detail: 'Too many calls failed, so payments go to other accounts first. It is probed until it is well.',
    since: account.openedAt,
  }
  const held: Concern = {
    ...{ kind: 'provider_account_held', severity: 'warning', ...about },
    title: `${name} is held`,
    detail: `No new payment goes there until ${account.holdUntilAt?.toISOString()}: ${account.holdReason}`,
    since: account.updatedAt,
  }
  return [...(account.openedAt === null ? [] : [open]), ...(account.holdReason === null ? [] : [held])]
}

/** Several of a kind, of which the one that waits for longest is named. */
export type Several = {
  readonly objectId: Id<Kind>
  readonly since: Date
  readonly count: number
  readonly hasMore: boolean
}
export type SeveralKind = Exclude<ConcernKind, `webhook_endpoint_${string}` | `provider_account_${string}`>

type Words = { readonly severity: Concern['severity']; readonly noun: string; readonly detail: string } & {
  readonly verb: readonly [one: string, more: string]
}

// biome-ignore format: a table.
const words: { readonly [K in SeveralKind]: Words } = {
  payments_unknown:     { severity: 'critical', noun: 'payment', verb: ['has an unknown outcome', 'have an unknown outcome'],
    detail: `For more than ${unknownMinutes} minutes the provider has not said what became of it. It is asked about; nobody else is tried meanwhile.` },
  payments_in_review:   { severity: 'critical', noun: 'payment', verb: ['needs a review', 'need a review'],
    detail: 'What the provider says contradicts what was asked of it. An ADMIN looks there, and says what is true.' },
  refunds_in_review:    { severity: 'critical', noun: 'refund', verb: ['needs a review', 'need a review'],
    detail: 'The provider does not say what became of it, or says something else. An ADMIN looks there, and says what is true.' },
  subscriptions_parked: { severity: 'critical', noun: 'subscription', verb: ['is parked', 'are parked'],
    detail: 'Something is wrong, so nothing happens by itself. Look at `parked`, mend it, and unpark.' },
  dunning_ending:       { severity: 'warning', noun: 'dunning campaign', verb: ['ends soon', 'end soon'],
    detail: `Within ${endingDays} days nothing is tried any more, and the policy says what becomes of the subscription.` },
}

export function severalConcern(kind: SeveralKind, several: Several | null): readonly Concern[] {
  if (several === null) return []
  const { severity, noun, verb, detail } = words[kind]
  const { count, hasMore } = several
  const figure = `${count.toLocaleString('en')}${hasMore ? '+' : ''}`
  const title = count === 1 ? `1 ${noun} ${verb[0]}` : `${figure} ${noun}s ${verb[1]}`
  return [{ kind, severity, title, detail, ...several }]
}

/** The worst first, and of those what waits for longest. */
export function inOrder(concerns: readonly Concern[]): readonly Concern[] {
  const rank = ({ severity, since }: Concern) =>
    [severities.indexOf(severity), since?.getTime() ?? 0] as const
  return concerns.toSorted((a, b) => {
    const [[severityA, sinceA], [severityB, sinceB]] = [rank(a), rank(b)]
    return severityA - severityB || sinceA - sinceB
  })
}
