import { type Static, Type } from 'typebox'
import { durationPattern } from '../../kernel/duration.ts'
import {
  Deleted,
  IdOf,
  Metadata,
  MetadataChange,
  mostlyNull,
  nullable,
  OneOf,
  Time,
} from '../../kernel/shapes.ts'
import { statuses, type TestClock } from './test-clock.ts'
import type { Entry } from './timeline.ts'

const name = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'What it is for.',
  examples: ['A year of renewals'],
})

export const TestClockObject = Type.Object(
  {
    id: IdOf('test_clock'),
    object: Type.Literal('test_clock'),
    name: nullable(name),
    status: OneOf(statuses, {
      description:
        '`ready`: it stands still, and its objects can be used. `advancing`: it is on its way, and they cannot. `failed`: something on it failed; it stands where that happened.',
    }),
    now_at: { ...Time, description: 'What time it is for its objects.' },
    target_at: mostlyNull({ ...Time, description: 'Where it is going to, while it is on its way.' }),
    actions: Type.Integer({
      description: 'How many things have happened on it by themselves.',
      examples: [0],
    }),
    failure: nullable(Type.String({ description: 'Why it could not go on.' })),
    metadata: Metadata,
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'TestClock', description: 'A clock that is moved by hand, and those who live by it.' },
)

export const TestClockPath = Type.Object({ test_clock_id: IdOf('test_clock') })
export const DeletedTestClock = Deleted('test_clock', 'DeletedTestClock')

export const CreateTestClock = Type.Object(
  {
    now_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'What time it begins with. Without it, now.',
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
      Type.String({ format: 'date-time', description: 'To which time, at most ten years ahead.' }),
    ),
    by: Type.Optional(
      Type.String({
        pattern: durationPattern,
        faultDetail: 'must be a stretch of time, such as P1M or P1DT12H',
        description: 'By how much, as an ISO 8601 duration. Either this or `to_at`.',
        examples: ['P1M'],
      }),
    ),
  },
  { additionalProperties: false },
)
export type AdvanceTestClock = Static<typeof AdvanceTestClock>

export const TestClockEntry = Type.Object(
  {
    id: { ...IdOf('event'), description: 'The event, and the cursor behind it.' },
    object: Type.Literal('test_clock_entry'),
    at: { ...Time, description: 'When it happened, by the clock.' },
    type: Type.String({ description: 'What happened.', examples: ['invoice.paid'], loggable: true }),
    sentence: Type.String({
      description: 'The same, for people.',
      examples: ['Nothing remains to be paid (TEST-000001, USD 29.99).'],
    }),
    object_id: Type.String({
      description: 'To what it happened.',
      examples: ['invoice_test_01M7CYVGQTEAKSNTBFR026MPQ1'],
    }),
  },
  { $id: 'TestClockEntry', description: 'Something that happened on a test clock.' },
)

/** In the order in which it happened, unlike other lists: it is a story. */
export const TimelineQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'How many entries to answer.' }),
    ),
    starting_after: Type.Optional(
      Type.String({ description: 'The id of an entry: answer what happened after it.' }),
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
