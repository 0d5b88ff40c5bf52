/**
 * A sample of each event type, for the reference and for testing receivers. It is built like real events
 * (`recordEvent`, `tx.emit`), so it has the same shape and version.
 */
import { exampleOfSchema } from '../../kernel/example.ts'
import type { Id, Kind, Mode } from '../../kernel/id.ts'
import {
  type Change,
  type EventDefinition,
  type EventRecord,
  type EventSubject,
  recordEvent,
} from './events.ts'

/** The parts of an event type that a sample needs. */
export type EventDescription = Pick<EventDefinition<never>, 'type' | 'about' | 'schema' | 'example'>

/** A fictitious object in its API representation. */
type Sample = EventSubject & { readonly wire: object }

/**
 * Creates a sample event, to emit with `tx.emit(event, change)`. Without `newId` it has the ids of the
 * examples, which belong to no workspace.
 */
export function exampleOf(
  { type, about, schema, example = {} }: EventDescription,
  mode: Mode,
  newId?: (kind: Kind) => Id<Kind>,
): { readonly event: EventDefinition<Sample>; readonly change: Change<Sample> } {
  const object = { ...(exampleOfSchema(schema) as { id: Id<Kind>; object: Kind }), ...example.object }
  const named = newId === undefined ? object : { ...object, id: newId(object.object) }
  const row = (shape: typeof named, sequence: number) => {
    const wire = inMode(shape, mode)
    return { id: wire.id, sequence, wire }
  }
  const event = { type, about, schema, present: (sample: Sample) => sample.wire }
  if (example.before === undefined) return { event, change: { after: row(named, 1) } }
  return { event, change: { before: row({ ...named, ...example.before }, 1), after: row(named, 2) } }
}

/** The sample as it would be stored, for the documentation. */
export function exampleRecord(description: EventDescription, apiVersion: string): EventRecord {
  const { event, change } = exampleOf(description, 'test')
  return recordEvent(event, change, {
    id: 'event_test_01M7CYVT8FEAKRFKZ5XE5DM3KM' as Id<'event'>,
    at: new Date('2026-11-14T12:00:00.250Z'),
    mode: 'test',
    apiVersion,
    request: { id: 'request_test_01M7CYVT8DEAKR7XXXYMVW8SS4', idempotencyKey: null },
    testClock: null,
    pages: { invoicePage: () => null, cardPage: () => null },
    toVersion: (_, __, object) => object,
  })
}

/** Examples are written with test ids; this converts them to live ids. */
function inMode<Shape extends object>(shape: Shape, mode: Mode): Shape {
  if (mode === 'test') return shape
  const toLiveId = (text: string) => text.replace(/^([a-z_]+?)_test_(?=[0-9A-Z]{26}$)/, '$1_')
  return JSON.parse(JSON.stringify(shape), (_, inner) =>
    typeof inner === 'string' ? toLiveId(inner) : inner,
  )
}
