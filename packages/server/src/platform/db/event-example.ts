/**
 * A sample of each type of event, for the reference and for trials of a receiver. It takes the way that real
 * events take (`recordEvent`, `tx.emit`), so that it has the shape and the version they would have.
 */
import { exampleOfSchema } from '../../kernel/example.ts'
import type { Id, Kind, Mode } from '../../kernel/id.ts'
import { type Change, type EventDefinition, type EventRecord, recordEvent, type Told } from './events.ts'

/** What a sample needs to know of a type. */
export type EventSketch = Pick<EventDefinition<never>, 'type' | 'about' | 'schema' | 'example'>

/** An object that there is not: it is on the wire already. */
type Sample = Told & { readonly wire: object }

/** `tx.emit(event, change)` tells of it. Without `newId` it has the ids of the examples, which nobody owns. */
export function exampleOf(
  { type, about, schema, example = {} }: EventSketch,
  mode: Mode,
  newId?: (kind: Kind) => Id<Kind>,
): { readonly event: EventDefinition<Sample>; readonly change: Change<Sample> } {
  const plain = { ...(exampleOfSchema(schema) as { id: Id<Kind>; object: Kind }), ...example.object }
  const named = newId === undefined ? plain : { ...plain, id: newId(plain.object) }
  const row = (shape: typeof named, sequence: number) => {
    const wire = inMode(shape, mode)
    return { id: wire.id, sequence, wire }
  }
  const event = { type, about, schema, present: (sample: Sample) => sample.wire }
  if (example.before === undefined) return { event, change: { after: row(named, 1) } }
  return { event, change: { before: row({ ...named, ...example.before }, 1), after: row(named, 2) } }
}

/** The sample as it would be stored, for those who read about it. */
export function exampleRecord(sketch: EventSketch, apiVersion: string): EventRecord {
  const { event, change } = exampleOf(sketch, 'test')
  return recordEvent(event, change, {
    id: 'event_test_01M7CYVT8FEAKRFKZ5XE5DM3KM' as Id<'event'>,
    at: new Date('2026-11-14T12:00:00.250Z'),
    mode: 'test',
    apiVersion,
    request: { id: 'request_test_01M7CYVT8DEAKR7XXXYMVW8SS4', idempotencyKey: null },
    testClock: null,
    toVersion: (_, __, object) => object,
  })
}

/** Examples are written with ids of the test environment. */
function inMode<Shape extends object>(shape: Shape, mode: Mode): Shape {
  if (mode === 'test') return shape
  const live = (text: string) => text.replace(/^([a-z_]+?)_test_(?=[0-9A-Z]{26}$)/, '$1_')
  return JSON.parse(JSON.stringify(shape), (_, inner) => (typeof inner === 'string' ? live(inner) : inner))
}
