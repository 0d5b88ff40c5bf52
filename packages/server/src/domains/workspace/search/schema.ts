import { type Static, Type } from 'typebox'
import { IdOf, nullable, OneOf } from '../../../kernel/shapes.ts'
import type { Hit } from './hit.ts'
import { searchableKinds } from './query.ts'

export const SearchQuery = Type.Object(
  {
    q: Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Name of a customer, product or payer: each word matches the beginning of a word, in any order, ignoring case and accents. Beginning of the email address of a customer or payer. ID or its beginning. An `order_reference`, an invoice number, or a provider reference of a payment or refund, each in full. Last four digits of a card, alone or with an amount: `4242`, `4242 40.00`.',
      examples: ['ada@example.com'],
    }),
  },
  { additionalProperties: false },
)

const SearchHit = Type.Object(
  {
    object: OneOf(searchableKinds, { description: 'Type of the object.', examples: ['customer'] }),
    id: IdOf('customer', 'ID of the object.'),
    title: Type.String({
      description: 'Title of the object: a name, a number or an amount.',
      examples: ['Ada Lovelace'],
    }),
    detail: nullable(
      Type.String({
        description: 'Details that distinguish the object from others.',
        examples: ['ada@example.com'],
      }),
    ),
  },
  { $id: 'SearchHit', description: 'An object that matches the query.' },
)

export const SearchHits = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(SearchHit, {
    maxItems: 20,
    description: 'At most 20 objects, newest first within each type.',
  }),
  has_more: Type.Literal(false),
  url: Type.Literal('/search'),
})

export function presentHits(hits: readonly Hit[]): Static<typeof SearchHits> {
  const data = hits.map(({ kind, id, title, detail }) => ({ object: kind, id, title, detail }))
  return { object: 'list', data, has_more: false, url: '/search' }
}
