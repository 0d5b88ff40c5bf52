/**
 * A usage alert: the usage of a meter by one customer, or by each customer, is compared with a threshold, and an event
 * is emitted once in each period in which it is reached. Only name, metadata and `active` can be changed.
 */
import type { Id } from '../../../kernel/id.ts'
import { canonical } from '../../../kernel/json.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'

/** The immutable part of an alert. */
export type UsageAlertTerms = {
  readonly meterId: Id<'meter'>
  /** Null: each customer. */
  readonly customerId: Id<'customer'> | null
  /** A decimal above zero. */
  readonly threshold: string
}

/** The members that a caller can change. */
export type UsageAlertDetails = {
  readonly name: string
  readonly active: boolean
  readonly metadata: { readonly [key: string]: string }
}

export type UsageAlert = UsageAlertTerms &
  UsageAlertDetails & {
    readonly id: Id<'usage_alert'>
    readonly createdAt: Date
    readonly updatedAt: Date
    readonly version: number
    readonly sequence: number
  }

/** A customer whose usage reached the threshold in a period. */
export type UsageAlertTrigger = {
  readonly id: Id<'usage_alert_trigger'>
  readonly usageAlertId: Id<'usage_alert'>
  readonly meterId: Id<'meter'>
  readonly customerId: Id<'customer'>
  readonly periodStartAt: Date
  readonly periodEndAt: Date
  readonly threshold: string
  readonly usage: string
  readonly createdAt: Date
  readonly sequence: number
}

type UsageAlertInput = {
  readonly name?: string
  readonly active?: boolean
  readonly metadata?: { readonly [key: string]: string | null }
}

/** Members in the request replace the old values, and metadata is merged by key. */
export function applyToUsageAlert(before: UsageAlertDetails, input: UsageAlertInput): UsageAlertDetails {
  return {
    name: input.name ?? before.name,
    active: input.active ?? before.active,
    metadata: mergeMetadata(before.metadata, input.metadata ?? {}),
  }
}

export function isSameUsageAlert(a: UsageAlertDetails, b: UsageAlertDetails): boolean {
  return a.name === b.name && a.active === b.active && canonical(a.metadata) === canonical(b.metadata)
}
