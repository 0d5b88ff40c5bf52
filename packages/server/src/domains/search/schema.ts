import { type Static, Type } from 'typebox'
import { IdOf, nullable, OneOf } from '../../kernel/shapes.ts'
import type { Hit } from './hit.ts'
import { foundKinds } from './query.ts'

export const SearchQuery = Type.Object(
  {
    q: Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'An id or the beginning of one; what a provider calls a payment or a refund; an e-mail address; an `order_reference`; the number of an invoice; the last four digits of a card and an amount, such as `4242 40.00`. Whole words: nothing is looked for inside of texts.',
      examples: ['ada@example.com'],
    }),
  },
  { additionalProperties: false },
)

const SearchHit = Type.Object(
  {
    object: OneOf(foundKinds, { description: 'What it is.', examples: ['customer'] }),
    id: IdOf('customer', 'Its id.'),
    title: Type.String({
      description: 'What it is called: a name, a number, an amount.',
      examples: ['Ada Lovelace'],
    }),
    detail: nullable(
      Type.String({ description: 'What tells it from others.', examples: ['ada@example.com'] }),
    ),
  },
  { $id: 'SearchHit', description: 'An object that fits what was asked for.' },
)

export const SearchHits = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(SearchHit, {
    maxItems: 20,
    description: 'At most 20, of each kind the newest first.',
  }),
  has_more: Type.Literal(false),
  url: Type.Literal('/search'),
})

export function presentHits(hits: readonly Hit[]): Static<typeof SearchHits> {
  const data = hits.map(({ kind, id, title, detail }) => ({ object: kind, id, title, detail }))
  return { object: 'list', data, has_more: false, url: '/search' }
}
