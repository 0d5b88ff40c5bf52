/**
 * The growth law: what an operation costs depends on its own objects and on the height of the index in the
 * open partition. A larger table may make an index higher, and that is all. An entry of the three indexes of
 * events takes 44, 60 and 68 bytes; leaves are filled to nine tenths and the pages above them to seven. So with
 * ten thousand rows they have two levels, up to 0.7 million all have three, from 2.8 million on all have four.
 */
import type { Pages, Watched } from './observe.ts'

export type Observed = {
  readonly small: Pages
  readonly workspaces: Pages
  readonly history: Pages
  /** Half a million rows in the open partition, and four. */
  readonly open: Pages
  readonly fullOpen: Pages
  readonly customers: Pages
}

export type Finding = {
  readonly part: string
  readonly operation: Watched
  readonly before: number
  readonly after: number
  readonly allowed: number
}

/** How often an operation descends an index: of events in the open partition, and of customers. */
const descents: Readonly<Record<Watched, { readonly events: number; readonly customers: number }>> = {
  'GET /events/{id}': { events: 1, customers: 0 },
  'GET /events, page 1': { events: 1, customers: 0 },
  'GET /events, deep page': { events: 1, customers: 0 },
  'GET /customers/{id}': { events: 0, customers: 1 },
  'GET /customers, page 1': { events: 0, customers: 1 },
  'GET /customers, deep page': { events: 0, customers: 1 },
  // Three indexes each, and the look whether the change was told.
  'POST /customers': { events: 4, customers: 3 },
  'POST /customers, with a key': { events: 4, customers: 3 },
  // The lock, the update that finds the row again, and the three indexes of its new version.
  'PUT /customers/{id}': { events: 4, customers: 5 },
}

const singles: readonly Watched[] = [
  'GET /events/{id}',
  'GET /customers/{id}',
  'POST /customers',
  'POST /customers, with a key',
  'PUT /customers/{id}',
]
const lists: readonly Watched[] = ['GET /events, page 1', 'GET /events, deep page']
const all = Object.keys(descents) as readonly Watched[]
const listCeiling = 30
/** Where rows happen to lie on a page moves an average by a fraction of one. */
const noise = 0.5

export function judge({ small, workspaces, history, open, fullOpen, customers }: Observed): Finding[] {
  const grown = (part: string, grownTo: Pages, of: readonly Watched[], allow: (name: Watched) => number) =>
    of.map((operation) => ({
      part,
      operation,
      before: small[operation],
      after: grownTo[operation],
      allowed: allow(operation),
    }))
  const paging = (part: string, pages: Pages, table: 'events' | 'customers'): Finding => {
    const [first, deep]: [Watched, Watched] = [`GET /${table}, page 1`, `GET /${table}, deep page`]
    return { part, operation: deep, before: pages[first], after: pages[deep], allowed: pages[first] * 1.2 }
  }
  return [
    ...grown('1,000 more workspaces', workspaces, all, (name) => small[name] * 1.05 + noise),
    ...grown('history', history, singles, (name) => small[name] * 1.2),
    ...grown('history', history, lists, () => listCeiling),
    ...grown('open partition', open, singles, (name) => small[name] + descents[name].events + noise),
    ...grown(
      'full open partition',
      fullOpen,
      singles,
      (name) => small[name] + 2 * descents[name].events + noise,
    ),
    // Between the rows of one workspace lie those of others, so a list also reads more pages of the table.
    ...grown('full open partition', fullOpen, lists, () => listCeiling),
    ...grown('customers', customers, all, (name) => small[name] + 2 * descents[name].customers + noise),
    paging('paging, many events', fullOpen, 'events'),
    paging('paging, many customers', customers, 'customers'),
  ]
}

export function isBroken({ after, allowed }: Finding): boolean {
  return after > allowed
}
