import { type Static, Type } from 'typebox'
import { durationPattern } from '../../../kernel/duration.ts'
import {
  CreatedAt,
  Deleted,
  IdOf,
  Metadata,
  MetadataChange,
  nullable,
  nullableWithNullExample,
  OneOf,
  Time,
  UpdatedAt,
} from '../../../kernel/shapes.ts'
import { statuses, type TestClock } from './test-clock.ts'
import type { Entry } from './timeline.ts'

const name = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Label for the clock.',
  examples: ['A year of renewals'],
})

export const TestClockObject = Type.Object(
  {
    id: IdOf('test_clock'),
    object: Type.Literal('test_clock'),
    name: nullable(name),
    status: OneOf(statuses, {
      description:
        '`ready`: the clock is stopped, and its objects can be changed. `advancing`: the clock is advancing, and its objects cannot be changed. `failed`: an error stopped the clock.',
    }),
    now_at: { ...Time, description: 'Current time of the clock.' },
    target_at: nullableWithNullExample({
      ...Time,
      description: 'Time that the clock is advancing to. Null if it is not advancing.',
    }),
    actions: Type.Integer({
      description: 'Number of automatic actions on the clock so far.',
      examples: [0],
    }),
    failure: nullable(Type.String({ description: 'Why the clock failed. Null if it has not failed.' })),
    metadata: Metadata,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { $id: 'TestClock', description: 'A simulated clock, and the customers that use it.' },
)

export const TestClockPath = Type.Object({ test_clock_id: IdOf('test_clock') })
export const DeletedTestClock = Deleted('test_clock', 'DeletedTestClock')

export const CreateTestClock = Type.Object(
  {
    now_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Initial time. Default: now.',
        examples: ['2027-01-01T00:00:00.000Z'],
      }),
    ),
    name: Type.Optional(nullable(name)),
    metadata: Type.Optional(MetadataChange),
  },
  { additionalProperties: false },
)
export type CreateTestClock = Static<typeof CreateTestClock>

export const AdvanceTestClock = Type.Object(
  {
    to_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'Time to advance to, at most ten years ahead.' }),
    ),
    by: Type.Optional(
      Type.String({
        pattern: durationPattern,
        faultDetail: 'must be an ISO 8601 duration, such as P1M or P1DT12H',
        description: 'ISO 8601 duration to advance by. Send either this or `to_at`.',
        examples: ['P1M'],
      }),
    ),
  },
  { additionalProperties: false },
)
export type AdvanceTestClock = Static<typeof AdvanceTestClock>

export const TestClockEntry = Type.Object(
  {
    id: { ...IdOf('event'), description: 'ID of the event. It is also the cursor for `starting_after`.' },
    object: Type.Literal('test_clock_entry'),
    at: { ...Time, description: 'Time of the event on the clock.' },
    type: Type.String({ description: 'Type of the event.', examples: ['invoice.paid'], loggable: true }),
    sentence: Type.String({
      description: 'Human-readable description.',
      examples: ['An invoice was paid in full (TEST-000001, $29.99).'],
    }),
    object_id: Type.String({
      description: 'ID of the object that changed.',
      examples: ['invoice_test_01M7CYVGQTEAKSNTBFR026MPQ1'],
    }),
  },
  { $id: 'TestClockEntry', description: 'An entry in the timeline of a test clock.' },
)

/** In chronological order, unlike other lists. */
export const TimelineQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Number of entries to return.' }),
    ),
    starting_after: Type.Optional(
      Type.String({ description: 'ID of an entry: returns the entries after it.' }),
    ),
  },
  { additionalProperties: false },
)
export type TimelineQuery = Static<typeof TimelineQuery>

export function presentEntry(entry: Entry): Static<typeof TestClockEntry> {
  return {
    id: entry.id,
    object: 'test_clock_entry',
    at: entry.at.toISOString(),
    type: entry.type,
    sentence: entry.sentence,
    object_id: entry.objectId,
  }
}

export function present(clock: TestClock): Static<typeof TestClockObject> {
  return {
    id: clock.id,
    object: 'test_clock',
    name: clock.name,
    status: clock.status,
    now_at: clock.nowAt.toISOString(),
    target_at: clock.targetAt?.toISOString() ?? null,
    actions: clock.actions,
    failure: clock.failure,
    metadata: clock.metadata,
    created_at: clock.createdAt.toISOString(),
    updated_at: clock.updatedAt.toISOString(),
  }
}

export function presentDeleted({ id }: TestClock): Static<typeof DeletedTestClock> {
  return { id, object: 'test_clock', deleted: true }
}
