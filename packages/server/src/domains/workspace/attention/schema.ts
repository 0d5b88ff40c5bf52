import { type Static, Type } from 'typebox'
import { IdOf, nullableWithNullExample, OneOf, Time } from '../../../kernel/shapes.ts'
import { type Concern, concernKinds, severities } from './concern.ts'

const ConcernObject = Type.Object(
  {
    object: Type.Literal('concern'),
    kind: OneOf(concernKinds, { description: 'Type of the issue.', examples: ['payments_unknown'] }),
    severity: OneOf(severities, {
      description:
        '`critical`: money or events may be delayed. `warning`: money or events will be delayed if nothing changes.',
      examples: ['critical'],
    }),
    title: Type.String({
      description: 'Short title of the issue.',
      examples: ['3 payments have an unknown outcome'],
    }),
    detail: Type.String({
      description: 'What the issue means and what to do.',
      examples: ['The provider has not reported the outcome for more than 15 minutes.'],
    }),
    object_id: IdOf(
      'payment',
      'Object that has the issue. If there are several, the one that has waited longest.',
    ),
    since: nullableWithNullExample(
      Type.String({ ...Time, description: 'Time the issue started. Null if it is not known.' }),
    ),
    count: Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'Number of objects with the issue, up to 1,000.',
      examples: [3],
    }),
    has_more: Type.Boolean({ description: 'Whether there are more than `count`.', examples: [false] }),
  },
  { $id: 'Concern', description: 'An issue that needs attention, with the object to look at.' },
)

export const Concerns = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(ConcernObject, { description: 'Issues, most severe first.' }),
  has_more: Type.Literal(false),
  url: Type.Literal('/attention'),
})

export function presentConcerns(concerns: readonly Concern[]): Static<typeof Concerns> {
  const data = concerns.map(({ objectId, since, hasMore, ...concern }) => ({
    object: 'concern' as const,
    ...concern,
    object_id: objectId,
    since: since?.toISOString() ?? null,
    has_more: hasMore,
  }))
  return { object: 'list', data, has_more: false, url: '/attention' }
}
