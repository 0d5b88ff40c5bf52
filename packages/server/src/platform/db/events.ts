/**
 * Telling of changes. An event type is defined once, in the `events.ts` of its domain; the text of an
 * event is made once, in the transaction of the change, and never serialized again.
 */
import type { TSchema } from 'typebox'
import type { Id, Kind, Mode } from '../../kernel/id.ts'
import { isSameJson } from '../../kernel/json.ts'

/** What an object needs so that its changes can be told. */
export type Told = { readonly id: Id<Kind>; readonly sequence: number }

export type EventDefinition<Row extends Told> = {
  /** `<object>.<past verb>`. */
  readonly type: `${string}.${string}`
  /** One sentence for the reference: when it happens. */
  readonly about: string
  readonly schema: TSchema
  /** The same way to the wire that answers take. */
  readonly present: (row: Row) => object
  /** Where the schema's own examples do not show what happened: members of the object, now and before. */
  readonly example?: { readonly object?: object; readonly before?: object }
  /** An endpoint that is never told: the one that the event speaks of, which may be the one that fails. */
  readonly exceptEndpoint?: (row: Row) => Id<'webhook_endpoint'>
}

export function defineEvent<Row extends Told>(definition: EventDefinition<Row>): EventDefinition<Row> {
  return definition
}

/** An event as it is stored. */
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

/** To whom an event goes: all endpoints that ask for its type but one, or one whatever it asks for. */
export type Recipients = {
  readonly only: Id<'webhook_endpoint'> | null
  readonly except: Id<'webhook_endpoint'> | null
}

export type Change<Row extends Told> = {
  readonly before?: Row
  readonly after: Row
  /** For a trial: it goes to this endpoint and to no other. */
  readonly onlyTo?: Id<'webhook_endpoint'>
}

export type Occasion = {
  readonly id: Id<'event'>
  readonly at: Date
  readonly mode: Mode
  readonly apiVersion: string
  readonly request: { readonly id: string; readonly idempotencyKey: string | null } | null
  /** In whose time it happened, if not in the world's. */
  readonly testClock: { readonly id: Id<'test_clock'>; readonly at: Date } | null
  /** Brings an object from the newest shape to that of the workspace's version. */
  readonly toVersion: (version: string, type: string, object: object) => object
}

export function recordEvent<Row extends Told>(
  definition: EventDefinition<Row>,
  change: Change<Row>,
  occasion: Occasion,
): EventRecord {
  const { testClock } = occasion
  const shape = (row: Row) =>
    occasion.toVersion(occasion.apiVersion, definition.type, definition.present(row))
  const object = shape(change.after)
  const data = {
    id: occasion.id,
    type: definition.type,
    created_at: occasion.at.toISOString(),
    mode: occasion.mode,
    sequence: change.after.sequence,
    object,
    ...(change.before === undefined ? {} : { previous: changedMembers(shape(change.before), object) }),
    request:
      occasion.request === null
        ? null
        : { id: occasion.request.id, idempotency_key: occasion.request.idempotencyKey },
    ...(testClock === null ? {} : { test_clock: { id: testClock.id, now_at: testClock.at.toISOString() } }),
  }
  return {
    id: occasion.id,
    type: definition.type,
    objectId: change.after.id,
    sequence: change.after.sequence,
    apiVersion: occasion.apiVersion,
    createdAt: occasion.at,
    data: JSON.stringify(data),
    recipients: { only: change.onlyTo ?? null, except: definition.exceptEndpoint?.(change.after) ?? null },
  }
}

/** The members whose value is another now, with the value they had. `updated_at` always moves and says nothing. */
export function changedMembers(before: object, after: object): Record<string, unknown> {
  const now = new Map(Object.entries(after))
  return Object.fromEntries(
    Object.entries(before).filter(([name, was]) => name !== 'updated_at' && !isSameJson(was, now.get(name))),
  )
}
