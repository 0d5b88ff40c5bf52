/**
 * Events. An event type is defined once, in the `events.ts` of its domain. The body of an event is serialized
 * once, in the transaction of the change.
 */
import type { TSchema } from 'typebox'
import type { Id, Kind, Mode } from '../../kernel/id.ts'
import { isSameJson } from '../../kernel/json.ts'

/** The addresses of pages for customers, which responses and events contain. */
export type PageUrls = {
  readonly invoicePage: (id: Id<'invoice'>) => string | null
  readonly cardPage: (id: Id<'customer'>) => string | null
}

/** An object that events can be about. */
export type EventSubject = { readonly id: Id<Kind>; readonly sequence: number }

export type EventDefinition<Row extends EventSubject> = {
  /** `<object>.<past verb>`, for example `payment.succeeded`. */
  readonly type: `${string}.${string}`
  /** One sentence for the reference: when the event occurs. */
  readonly about: string
  readonly schema: TSchema
  /** Converts the row to its API representation, as in responses. */
  readonly present: (row: Row, pages: PageUrls) => object
  /** Members that differ from the examples of the schema: `object` after the change, and `before` it. */
  readonly example?: { readonly object?: object; readonly before?: object }
  /** An endpoint that never receives the event: the one that the event is about, which may be failing. */
  readonly exceptEndpoint?: (row: Row) => Id<'webhook_endpoint'>
}

export function defineEvent<Row extends EventSubject>(
  definition: EventDefinition<Row>,
): EventDefinition<Row> {
  return definition
}

/** A stored event. */
export type EventRecord = {
  readonly id: Id<'event'>
  readonly type: string
  readonly objectId: Id<Kind>
  readonly sequence: number
  readonly apiVersion: string
  readonly createdAt: Date
  readonly data: string
  readonly recipients: Recipients
}

/**
 * The recipients of an event: all endpoints subscribed to its type except one, or exactly one endpoint
 * regardless of its subscriptions.
 */
export type Recipients = {
  readonly only: Id<'webhook_endpoint'> | null
  readonly except: Id<'webhook_endpoint'> | null
}

export type Change<Row extends EventSubject> = {
  readonly before?: Row
  readonly after: Row
  /** For test events: the event goes only to this endpoint. */
  readonly onlyTo?: Id<'webhook_endpoint'>
}

export type EventContext = {
  readonly id: Id<'event'>
  readonly at: Date
  readonly mode: Mode
  readonly apiVersion: string
  readonly request: { readonly id: string; readonly idempotencyKey: string | null } | null
  /** The test clock on which the event occurred, if any. */
  readonly testClock: { readonly id: Id<'test_clock'>; readonly at: Date } | null
  readonly pages: PageUrls
  /** Converts an object from the newest API version to the workspace's version. */
  readonly toVersion: (version: string, type: string, object: object) => object
}

export function recordEvent<Row extends EventSubject>(
  definition: EventDefinition<Row>,
  change: Change<Row>,
  context: EventContext,
): EventRecord {
  const { testClock, pages } = context
  const shape = (row: Row) =>
    context.toVersion(context.apiVersion, definition.type, definition.present(row, pages))
  const object = shape(change.after)
  const data = {
    id: context.id,
    type: definition.type,
    created_at: context.at.toISOString(),
    mode: context.mode,
    sequence: change.after.sequence,
    object,
    ...(change.before === undefined ? {} : { previous: changedMembers(shape(change.before), object) }),
    request:
      context.request === null
        ? null
        : { id: context.request.id, idempotency_key: context.request.idempotencyKey },
    ...(testClock === null ? {} : { test_clock: { id: testClock.id, now_at: testClock.at.toISOString() } }),
  }
  return {
    id: context.id,
    type: definition.type,
    objectId: change.after.id,
    sequence: change.after.sequence,
    apiVersion: context.apiVersion,
    createdAt: context.at,
    data: JSON.stringify(data),
    recipients: { only: change.onlyTo ?? null, except: definition.exceptEndpoint?.(change.after) ?? null },
  }
}

/** The members that changed, with their previous values. `updated_at` always changes and is omitted. */
export function changedMembers(before: object, after: object): Record<string, unknown> {
  const current = new Map(Object.entries(after))
  return Object.fromEntries(
    Object.entries(before).filter(
      ([name, previous]) => name !== 'updated_at' && !isSameJson(previous, current.get(name)),
    ),
  )
}
