/**
 * Lists: keyset pages, newest first. A cursor is the id of an object, compared by value, so the object
 * need not exist any more. Times of creation become bounds on ids, which are ordered by time.
 */
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import { refuse, refuseMember } from '../../kernel/errors.ts'
import { type Kind, type Mode, uuidFloor, uuidFromText } from '../../kernel/id.ts'
import type { IdRange } from '../db/keyset.ts'

const time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))

const pageMembers = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'How many objects to answer.' }),
  ),
  starting_after: Type.Optional(
    Type.String({ description: 'The id of an object: answer the ones that are older.', examples: [] }),
  ),
  ending_before: Type.Optional(
    Type.String({ description: 'The id of an object: answer the ones that are newer, newest first.' }),
  ),
  'created_at[gt]': time('Created after this time.'),
  'created_at[gte]': time('Created at this time or later.'),
  'created_at[lt]': time('Created before this time.'),
  'created_at[lte]': time('Created at this time or before.'),
}

/** The query of a list, with filters of its own. */
export function PageQuery<Filters extends Record<string, TSchema>>(filters: Filters) {
  return Type.Object({ ...filters, ...pageMembers }, { additionalProperties: false })
}

type PageMembers = Static<TObject<typeof pageMembers>>

/** A page of a list as the wire has it. */
export function PageOf(entry: TSchema) {
  return Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(entry),
    has_more: Type.Boolean({ description: 'Whether more objects follow in this direction.' }),
    url: Type.String({ description: 'The path of the list.' }),
  })
}

export type Page<Row> = { readonly rows: readonly Row[]; readonly hasMore: boolean }

export function presentPage<Row>(url: string, present: (row: Row) => object) {
  return (page: Page<Row>) => ({
    object: 'list',
    data: page.rows.map(present),
    has_more: page.hasMore,
    url,
  })
}

/** What the query asks for, as a range of ids. Pure. */
export function rangeOf(kind: Kind, mode: Mode, query: PageMembers): IdRange {
  if (query.starting_after !== undefined && query.ending_before !== undefined) {
    refuseMember('/ending_before', 'not_together', 'is not possible together with starting_after')
  }
  const cursor = (text: string | undefined) =>
    text === undefined ? null : (uuidFromText(kind, mode, text) ?? refuse('invalid_cursor'))
  const floor = (text: string | undefined, addMs: number) =>
    text === undefined ? null : uuidFloor(new Date(Math.floor(Date.parse(text)) + addMs))

  const newer = cursor(query.ending_before)
  return {
    limit: query.limit ?? 20,
    direction: newer === null ? 'older' : 'newer',
    // Every id of a millisecond lies at or above its floor, and below that of the next.
    atLeast: greatest(floor(query['created_at[gte]'], 0), floor(query['created_at[gt]'], 1)),
    below: least(floor(query['created_at[lt]'], 0), floor(query['created_at[lte]'], 1)),
    after: newer,
    before: cursor(query.starting_after),
  }
}

const greatest = (a: string | null, b: string | null) => (a === null || (b !== null && b > a) ? b : a)
const least = (a: string | null, b: string | null) => (a === null || (b !== null && b < a) ? b : a)
