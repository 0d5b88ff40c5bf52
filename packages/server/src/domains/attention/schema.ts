import { type Static, Type } from 'typebox'
import { IdOf, mostlyNull, OneOf, Time } from '../../kernel/shapes.ts'
import { type Concern, concernKinds, severities } from './concern.ts'

const ConcernObject = Type.Object(
  {
    object: Type.Literal('concern'),
    kind: OneOf(concernKinds, { description: 'What is wrong.', examples: ['payments_unknown'] }),
    severity: OneOf(severities, {
      description:
        '`critical`: money or events may be waiting for you. `warning`: it will be, if nothing changes.',
      examples: ['critical'],
    }),
    title: Type.String({
      description: 'What is wrong, in a few words.',
      examples: ['3 payments have an unknown outcome'],
    }),
    detail: Type.String({
      description: 'What that means, and what to do.',
      examples: ['For more than 15 minutes the provider has not said what became of it.'],
    }),
    object_id: IdOf('payment', 'What it is about; of several the one that waits for longest.'),
    since: mostlyNull(Type.String({ ...Time, description: 'Since when, as far as that is known.' })),
    count: Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'How many there are, up to 1,000.',
      examples: [3],
    }),
    has_more: Type.Boolean({ description: 'Whether there are more than `count`.', examples: [false] }),
  },
  { $id: 'Concern', description: 'Something that needs a person, with where to look.' },
)

export const Concerns = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(ConcernObject, { description: 'The worst first.' }),
  has_more: Type.Literal(false),
  url: Type.Literal('/attention'),
})

export function presentConcerns(concerns: readonly Concern[]): Static<typeof Concerns> {
  const data = concerns.map(({ objectId, since, hasMore, ...concern }) => ({
    ...{ object: 'concern' as const, ...concern },
    object_id: objectId,
    since: since?.toISOString() ?? null,
    has_more: hasMore,
  }))
  return { object: 'list', data, has_more: false, url: '/attention' }
}
