/**
 * The issues that need attention, with their descriptions. An issue disappears when it is resolved; it cannot be
 * dismissed. No side effects.
 */
import type { Id, Kind } from '../../../kernel/id.ts'

export const concernKinds = [
  'webhook_endpoint_disabled',
  'webhook_endpoint_failing',
  'provider_account_open',
  'provider_account_held',
  'provider_account_credentials_refused',
  'payments_unknown',
  'payments_in_review',
  'refunds_in_review',
  'disputes_due',
  'disputes_overdue',
  'settlement_differences',
  'export_destinations_failing',
  'invoices_blocked',
  'invoice_taxes_failed',
  'tax_documents_unrecorded',
  'subscriptions_parked',
  'dunning_ending',
  'customers_unreachable',
  'cancellation_requests_open',
] as const
export type ConcernKind = (typeof concernKinds)[number]
export const severities = ['critical', 'warning'] as const

export type Concern = {
  readonly kind: ConcernKind
  readonly severity: (typeof severities)[number]
  readonly title: string
  readonly detail: string
  /** The object that has the issue. If several objects have it, the one that has waited longest. */
  readonly objectId: Id<Kind>
  readonly since: Date | null
  readonly count: number
  /** Whether there are more objects than were counted. */
  readonly hasMore: boolean
}

/** At most this many objects are counted: above it the exact number does not matter. */
export const maxCounted = 1_000
/** An outcome that is unknown for this long needs attention. */
export const unknownMinutes = 15
/** Disputes that need a response within this number of hours need attention. */
export const disputeDueHours = 72
/** A dispute is critical within this number of hours before its deadline. */
export const disputeCriticalHours = 24
/** After this many failed attempts, an export destination needs attention. */
export const failuresUntilAttention = 3
/** Campaigns that end within this number of days need attention. */
export const endingDays = 3

export type Endpoint = {
  readonly id: Id<'webhook_endpoint'>
  readonly name: string | null
  readonly url: string
  readonly disabledReason: string | null
  readonly disabledAt: Date | null
  readonly failingSinceAt: Date | null
}

const single = { count: 1, hasMore: false } as const

export function endpointConcern(endpoint: Endpoint): Concern {
  const name = endpoint.name ?? endpoint.url
  const subject = { objectId: endpoint.id, ...single }
  if (endpoint.disabledAt === null)
    return {
      kind: 'webhook_endpoint_failing',
      severity: 'warning',
      ...subject,
      title: `Webhook endpoint ${name} is failing`,
      detail: 'Delivery attempts are failing. No event is lost: deliveries are retried for five days.',
      since: endpoint.failingSinceAt,
    }
  const reason = endpoint.disabledReason === 'gone' ? 'It returned 410 Gone' : 'It failed for several days'
  return {
    kind: 'webhook_endpoint_disabled',
    severity: 'critical',
    ...subject,
    title: `Webhook endpoint ${name} was disabled`,
    detail: `${reason}. Its events are held for 30 days. Enable it again once it works.`,
    since: endpoint.disabledAt,
  }
}

export type Account = {
  readonly id: Id<'provider_account'>
  readonly name: string
  readonly holdReason: string | null
  readonly holdUntilAt: Date | null
  readonly updatedAt: Date
  /** When its circuit breaker opened; null if it is closed. */
  readonly openedAt: Date | null
  /** When the provider began to reject its credentials; null if they are accepted. */
  readonly refusedSince: Date | null
}

export function accountConcerns({ id, name, ...account }: Account): readonly Concern[] {
  const subject = { objectId: id, ...single }
  const open: Concern = {
    kind: 'provider_account_open',
    severity: 'critical',
    ...subject,
    title: `${name} is failing`,
    detail: 'Too many calls failed, so payments go to other accounts first. It is probed until it recovers.',
    since: account.openedAt,
  }
  const held: Concern = {
    kind: 'provider_account_held',
    severity: 'warning',
    ...subject,
    title: `${name} is on hold`,
    detail: `It receives no new payments until ${account.holdUntilAt?.toISOString()}: ${account.holdReason}`,
    since: account.updatedAt,
  }
  const refused: Concern = {
    kind: 'provider_account_credentials_refused',
    severity: 'critical',
    ...subject,
    title: `${name} rejects our credentials`,
    detail:
      'The provider returns 401 or 403, so no payment can succeed there. Check the secret at the provider, or rotate it here and update it there.',
    since: account.refusedSince,
  }
  return [
    ...(account.refusedSince === null ? [] : [refused]),
    ...(account.openedAt === null ? [] : [open]),
    ...(account.holdReason === null ? [] : [held]),
  ]
}

/** All objects with the same issue. `objectId` is the one that has waited longest. */
export type IssueGroup = {
  readonly objectId: Id<Kind>
  readonly since: Date
  readonly count: number
  readonly hasMore: boolean
  /** Whether the first object is urgent, which raises a warning to critical. */
  readonly isUrgent: boolean
}
export type GroupedKind = Exclude<ConcernKind, `webhook_endpoint_${string}` | `provider_account_${string}`>

type IssueText = {
  readonly severity: Concern['severity']
  readonly noun: string
  readonly detail: string
} & {
  readonly verb: readonly [one: string, more: string]
}

// biome-ignore format: a table.
const issueTexts: { readonly [K in GroupedKind]: IssueText } = {
  payments_unknown:     { severity: 'critical', noun: 'payment', verb: ['has an unknown outcome', 'have an unknown outcome'],
    detail: `The provider has not reported the outcome for more than ${unknownMinutes} minutes. It is being queried; no other provider is tried in the meantime.` },
  payments_in_review:   { severity: 'critical', noun: 'payment', verb: ['needs review', 'need review'],
    detail: "The provider's report contradicts the request or the recorded outcome. An admin must check with the provider and confirm what happened." },
  refunds_in_review:    { severity: 'critical', noun: 'refund', verb: ['needs review', 'need review'],
    detail: 'The provider does not report the outcome, or its report contradicts the request. An admin must check with the provider and confirm what happened.' },
  disputes_due:         { severity: 'warning', noun: 'dispute', verb: ['needs a response', 'need a response'],
    detail: `The deadline is within ${disputeDueHours} hours. Without a response the dispute is lost. Submit evidence, or accept the dispute.` },
  disputes_overdue:     { severity: 'warning', noun: 'dispute', verb: ['is overdue', 'are overdue'],
    detail: 'The deadline has passed without a response. Ask the provider whether it still accepts one; otherwise wait for its decision.' },
  settlement_differences: { severity: 'warning', noun: 'settlement line', verb: ['differs or is missing', 'differ or are missing'],
    detail: 'What the provider has settled differs from what was recorded. Check the line with the provider, and resolve it.' },
  export_destinations_failing: { severity: 'warning', noun: 'export destination', verb: ['is failing', 'are failing'],
    detail: 'Files of daily exports cannot be uploaded. No day is lost: uploads are retried. See `error` of the destination for the reason.' },
  invoices_blocked:     { severity: 'critical', noun: 'invoice', verb: ['cannot be finalized', 'cannot be finalized'],
    detail: 'Legal fields of the seller or the customer are missing, so the draft is not collected. See `missing` of the invoice. It is tried again every 15 minutes.' },
  invoice_taxes_failed: { severity: 'critical', noun: 'invoice', verb: ['waits for its tax', 'wait for their tax'],
    detail: 'The tax provider rejects the draft, or has not responded for a day, so it is not finalized. See `tax_error` of the invoice. It is retried every hour.' },
  tax_documents_unrecorded: { severity: 'warning', noun: 'invoice', verb: ['is not recorded at the tax provider', 'are not recorded at the tax provider'],
    detail: 'The tax provider rejects the document, or has not responded for a day. Check the credentials and the dashboard of the provider. It is retried every hour.' },
  subscriptions_parked: { severity: 'critical', noun: 'subscription', verb: ['is parked', 'are parked'],
    detail: 'An error stopped billing for the subscription. See `parked` for the reason, fix it, and unpark the subscription.' },
  dunning_ending:       { severity: 'warning', noun: 'dunning campaign', verb: ['ends soon', 'end soon'],
    detail: `The last retry is within ${endingDays} days. If it fails, the final action of the dunning policy applies to the subscription.` },
  customers_unreachable: { severity: 'warning', noun: 'customer', verb: ['cannot be reached by e-mail', 'cannot be reached by e-mail'],
    detail: 'E-mails to the address bounced, or its owner marked one as spam, so no further e-mails are sent. Correct the address of the customer.' },
  cancellation_requests_open: { severity: 'warning', noun: 'cancellation request', verb: ['waits for a decision', 'wait for a decision'],
    detail: 'A subscriber submitted a cancellation or a withdrawal, which takes legal effect when it is received. Accept it, or reject it with a reason.' },
}

export function groupedConcern(kind: GroupedKind, group: IssueGroup | null): readonly Concern[] {
  if (group === null) return []
  const { noun, verb, detail, ...issue } = issueTexts[kind]
  const { isUrgent, ...found } = group
  const { count, hasMore } = found
  const severity = isUrgent ? 'critical' : issue.severity
  const countText = `${count.toLocaleString('en')}${hasMore ? '+' : ''}`
  const title = count === 1 ? `1 ${noun} ${verb[0]}` : `${countText} ${noun}s ${verb[1]}`
  return [{ kind, severity, title, detail, ...found }]
}

/** Sorts by severity, and then by age, oldest first. */
export function sortBySeverity(concerns: readonly Concern[]): readonly Concern[] {
  const rank = ({ severity, since }: Concern) =>
    [severities.indexOf(severity), since?.getTime() ?? 0] as const
  return concerns.toSorted((a, b) => {
    const [[severityA, sinceA], [severityB, sinceB]] = [rank(a), rank(b)]
    return severityA - severityB || sinceA - sinceB
  })
}
