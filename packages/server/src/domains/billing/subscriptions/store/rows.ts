/**
 * Converts subscriptions to rows and back. Members that belong together and are not used in queries are
 * stored as JSON documents.
 */
import type { Selectable } from 'kysely'
import type { Anchor, IntervalUnit } from '../../../../kernel/calendar.ts'
import type { Currency } from '../../../../kernel/currency.ts'
import { discountsToStore } from '../../../../kernel/discounts.ts'
import { idFromUuid, idOrNull, type Kind, type Mode, uuidOf, uuidOrNull } from '../../../../kernel/id.ts'
import type { Metadata } from '../../../../kernel/metadata.ts'
import type { Subscriptions } from '../../../../platform/db/tables.generated.ts'
import type { Status } from '../machine.ts'
import type {
  ActivationPolicy,
  CollectionStatus,
  CurrentPeriod,
  Item,
  Subscription,
} from '../subscription.ts'

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
// biome-ignore format: a table.
export const columns = [
  ['id', 'uuid'], ['status', 'text'], ['customer_id', 'uuid'], ['payment_method_id', 'uuid'],
  ['payment_route_id', 'uuid'], ['dunning_policy_id', 'uuid'], ['currency', 'text'], ['interval', 'text'],
  ['interval_count', 'int'], ['description', 'text'], ['metadata', 'jsonb'], ['activation_policy', 'text'],
  ['anchor_wish', 'jsonb'], ['anchor', 'jsonb'], ['period_epoch', 'int'], ['period_index', 'int'],
  ['period_start_at', 'timestamptz'], ['period_end_at', 'timestamptz'], ['period_nominal_start_at', 'timestamptz'],
  ['period_invoice_id', 'uuid'], ['trial', 'jsonb'], ['activation', 'jsonb'], ['pause', 'jsonb'],
  ['scheduled_change', 'jsonb'], ['cancellation', 'jsonb'], ['collection_status', 'text'], ['dunning', 'jsonb'],
  ['latest_invoice_id', 'uuid'], ['parked', 'jsonb'], ['unparked_at', 'timestamptz'], ['accounted_at', 'timestamptz'], ['trial_notices', 'int'],
  ['started_at', 'timestamptz'], ['cancelled_at', 'timestamptz'], ['ended_at', 'timestamptz'],
  ['next_action_at', 'timestamptz'], ['test_clock_id', 'uuid'], ['checkout_session_id', 'uuid'], ['discounts', 'jsonb'], ['created_at', 'timestamptz'],
  ['updated_at', 'timestamptz'], ['version', 'int'], ['sequence', 'int'],
] as const
export type SubscriptionRow = Pick<Selectable<Subscriptions>, (typeof columns)[number][0]>
type SubscriptionRecord = { readonly [C in (typeof columns)[number][0]]: unknown }

export function toRecord(subscription: Subscription): SubscriptionRecord {
  return {
    id: uuidOf(subscription.id),
    status: subscription.status,
    customer_id: uuidOf(subscription.customerId),
    payment_method_id: uuidOrNull(subscription.paymentMethodId),
    payment_route_id: uuidOrNull(subscription.paymentRouteId),
    dunning_policy_id: uuidOrNull(subscription.dunningPolicyId),
    currency: subscription.currency,
    interval: subscription.interval.unit,
    interval_count: subscription.interval.count,
    description: subscription.description,
    metadata: subscription.metadata,
    activation_policy: subscription.activationPolicy,
    anchor_wish: subscription.requestedAnchor,
    anchor: subscription.anchor,
    ...periodToRow(subscription),
    trial: subscription.trial,
    activation: subscription.activation,
    pause: subscription.pause,
    scheduled_change: subscription.scheduledChange,
    cancellation: subscription.cancellation,
    collection_status: subscription.collectionStatus,
    dunning: subscription.dunning,
    ...progressToRow(subscription),
    parked: subscription.parked,
    unparked_at: subscription.unparkedAt,
    trial_notices: subscription.trialNotices,
    started_at: subscription.startedAt,
    cancelled_at: subscription.cancelledAt,
    ended_at: subscription.endedAt,
    test_clock_id: uuidOrNull(subscription.testClockId),
    checkout_session_id: uuidOrNull(subscription.checkoutSessionId),
    discounts: discountsToRow(subscription),
    created_at: subscription.createdAt,
  }
}

function discountsToRow({ discounts, items, scheduledChange }: Subscription) {
  const itemsAfter = scheduledChange?.action === 'update' ? scheduledChange.payload.items : []
  const stored = discountsToStore(discounts, [...items, ...itemsAfter])
  return stored.length === 0 ? null : stored
}

function periodToRow({ currentPeriod: period }: Subscription) {
  return {
    period_epoch: period?.epoch ?? null,
    period_index: period?.index ?? null,
    period_start_at: period?.startAt ?? null,
    period_end_at: period?.endAt ?? null,
    period_nominal_start_at: period?.nominalStartAt ?? null,
    period_invoice_id: uuidOrNull(period?.invoiceId ?? null),
  }
}

function progressToRow(subscription: Subscription) {
  return {
    latest_invoice_id: uuidOrNull(subscription.latestInvoiceId),
    accounted_at: subscription.accountedAt,
    next_action_at: subscription.nextActionAt,
    updated_at: subscription.updatedAt,
    version: subscription.version,
    sequence: subscription.sequence,
  }
}

/** The columns that change when a subscription only enters its next period. */
// biome-ignore format: a table.
export const renewalColumns = [
  ['id', 'uuid'], ['period_epoch', 'int'], ['period_index', 'int'], ['period_start_at', 'timestamptz'],
  ['period_end_at', 'timestamptz'], ['period_nominal_start_at', 'timestamptz'], ['period_invoice_id', 'uuid'],
  ['latest_invoice_id', 'uuid'], ['accounted_at', 'timestamptz'], ['next_action_at', 'timestamptz'],
  ['updated_at', 'timestamptz'], ['version', 'int'], ['sequence', 'int'],
] as const
const renewalMembers: ReadonlySet<string> = new Set<keyof Subscription>([
  'currentPeriod',
  'latestInvoiceId',
  'accountedAt',
  'nextActionAt',
  'updatedAt',
  'version',
  'sequence',
])

export function isRenewalOnly(before: Subscription, after: Subscription): boolean {
  const names = Object.keys(after) as (keyof Subscription)[]
  return names.every((name) => before[name] === after[name] || renewalMembers.has(name))
}

export function toRenewalRecord(subscription: Subscription): {
  readonly [C in (typeof renewalColumns)[number][0]]: unknown
} {
  return { id: uuidOf(subscription.id), ...periodToRow(subscription), ...progressToRow(subscription) }
}

export function fromRow(mode: Mode, row: SubscriptionRow, items: readonly Item[]): Subscription {
  const id = <K extends Kind>(kind: K, uuid: string | null) => idOrNull(kind, mode, uuid)
  return {
    id: idFromUuid('subscription', mode, row.id),
    status: row.status as Status,
    customerId: idFromUuid('customer', mode, row.customer_id),
    paymentMethodId: id('payment_method', row.payment_method_id),
    paymentRouteId: id('payment_route', row.payment_route_id),
    dunningPolicyId: id('dunning_policy', row.dunning_policy_id),
    currency: row.currency as Currency,
    interval: { unit: row.interval as IntervalUnit, count: row.interval_count },
    items,
    discounts: (row.discounts as Subscription['discounts'] | null) ?? [],
    description: row.description,
    metadata: row.metadata as Metadata,
    activationPolicy: row.activation_policy as ActivationPolicy,
    requestedAnchor: row.anchor_wish as Subscription['requestedAnchor'],
    anchor: row.anchor as Anchor | null,
    currentPeriod: periodOf(mode, row),
    trial: withDates(row.trial) as Subscription['trial'],
    activation: withDates(row.activation) as Subscription['activation'],
    pause: withDates(row.pause) as Subscription['pause'],
    scheduledChange: withDates(row.scheduled_change) as Subscription['scheduledChange'],
    cancellation: row.cancellation as Subscription['cancellation'],
    collectionStatus: row.collection_status as CollectionStatus,
    dunning: withDates(row.dunning) as Subscription['dunning'],
    latestInvoiceId: id('invoice', row.latest_invoice_id),
    parked: withDates(row.parked) as Subscription['parked'],
    unparkedAt: row.unparked_at,
    accountedAt: row.accounted_at,
    trialNotices: row.trial_notices,
    startedAt: row.started_at,
    cancelledAt: row.cancelled_at,
    endedAt: row.ended_at,
    nextActionAt: row.next_action_at,
    testClockId: id('test_clock', row.test_clock_id),
    checkoutSessionId: id('checkout_session', row.checkout_session_id),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    sequence: row.sequence,
  }
}

/** A database constraint guarantees that all columns are set, or none. */
function periodOf(mode: Mode, row: SubscriptionRow): CurrentPeriod | null {
  const { period_index: index, period_epoch: epoch, period_invoice_id: invoice } = row
  const { period_start_at: startAt, period_end_at: endAt, period_nominal_start_at: nominalStartAt } = row
  if (index === null || epoch === null || invoice === null) return null
  if (startAt === null || endAt === null || nominalStartAt === null) return null
  return { index, epoch, startAt, endAt, nominalStartAt, invoiceId: idFromUuid('invoice', mode, invoice) }
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/**
 * Converts the times in a JSON document back to dates. They are recognized by the name `at` or a name that ends
 * in `At`; metadata is not converted.
 */
function withDates(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDates)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (name === 'metadata') return [name, member]
      const isTime = /(^a|A)t$/.test(name) && typeof member === 'string' && time.test(member)
      return [name, isTime ? new Date(member as string) : withDates(member)]
    }),
  )
}
