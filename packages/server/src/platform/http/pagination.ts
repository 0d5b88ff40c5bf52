/**
 * Lists: keyset pagination, newest first. A cursor is the id of an object and is compared by value, so the
 * object may have been deleted. Creation times become bounds on ids, which are ordered by time.
 */
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import { refuse, refuseMember } from '../../kernel/errors.ts'
import { type Kind, type Mode, uuidFloor, uuidFromText } from '../../kernel/id.ts'
import { OneOf } from '../../kernel/shapes.ts'
import type { IdRange } from '../db/keyset.ts'

const time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))

const pageMembers = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Number of objects to return.' }),
  ),
  starting_after: Type.Optional(
    Type.String({ description: 'ID of an object: returns older objects.', examples: [] }),
  ),
  ending_before: Type.Optional(
    Type.String({ description: 'ID of an object: returns newer objects, newest first.' }),
  ),
  'created_at[gt]': time('Created after this time.'),
  'created_at[gte]': time('Created at this time or later.'),
  'created_at[lt]': time('Created before this time.'),
  'created_at[lte]': time('Created at this time or earlier.'),
}

/** A query member of lists whose objects can be on a test clock. */
export const TestClocks = Type.Optional(
  OneOf(['include', 'exclude'], {
    default: 'include',
    description:
      '`exclude` omits objects on test clocks. Their timestamps follow the test clock and can be in the future. Live workspaces have no test clocks.',
  }),
)

/** The query of a list, with its own filters. */
export function PageQuery<Filters extends Record<string, TSchema>>(filters: Filters) {
  return Type.Object({ ...filters, ...pageMembers }, { additionalProperties: false })
}

type PageMembers = Static<TObject<typeof pageMembers>> & { readonly test_clocks?: 'include' | 'exclude' }

/** A page of a list in the API. */
export function PageOf(entry: TSchema) {
  return Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(entry),
    has_more: Type.Boolean({ description: 'Whether there are more objects in this direction.' }),
    url: Type.String({ description: 'Path of the list.' }),
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

/** Converts the query to a range of ids. Has no side effects. */
export function rangeOf(kind: Kind, mode: Mode, query: PageMembers): IdRange {
  if (query.starting_after !== undefined && query.ending_before !== undefined) {
    refuseMember('/ending_before', 'not_together', 'cannot be combined with starting_after')
  }
  const cursor = (text: string | undefined) =>
    text === undefined ? null : (uuidFromText(kind, mode, text) ?? refuse('invalid_cursor'))
  const floor = (text: string | undefined, addMs: number) =>
    text === undefined ? null : uuidFloor(new Date(Math.floor(Date.parse(text)) + addMs))

  const newer = cursor(query.ending_before)
  return {
    limit: query.limit ?? 20,
    direction: newer === null ? 'older' : 'newer',
    // Every id of a millisecond is at or above its floor, and below the floor of the next.
    atLeast: greatest(floor(query['created_at[gte]'], 0), floor(query['created_at[gt]'], 1)),
    below: least(floor(query['created_at[lt]'], 0), floor(query['created_at[lte]'], 1)),
    after: newer,
    before: cursor(query.starting_after),
    excludesTestClocks: query.test_clocks === 'exclude',
  }
}

const greatest = (a: string | null, b: string | null) => (a === null || (b !== null && b > a) ? b : a)
const least = (a: string | null, b: string | null) => (a === null || (b !== null && b < a) ? b : a)
