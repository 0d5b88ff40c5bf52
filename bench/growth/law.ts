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
  /** Payments with all that belongs to them: in closed partitions, and in the open one. */
  readonly payments: Pages
  readonly openPayments: Pages
}

export type Finding = {
  readonly part: string
  readonly operation: Watched
  readonly before: number
  readonly after: number
  readonly allowed: number
}

type Descents = { readonly events: number; readonly customers: number; readonly payments?: number }

/**
 * How often an operation descends an index: of events in the open partition, of customers, and of payments and
 * what lies in their partition.
 */
const descents: Readonly<Record<Watched, Descents>> = {
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
  'GET /payments/{id}': { events: 0, customers: 0, payments: 1 },
  'GET /payments, page 1': { events: 0, customers: 0, payments: 1 },
  'GET /payments, deep page': { events: 0, customers: 0, payments: 1 },
  // The payment: two indexes, the lock, the update. Its attempt: three, a look, an update that moves it in all. Its
  // operation: the same with four.
  'POST /payments': { events: 8, customers: 0, payments: 22 },
  // Two locks, two updates; two looks at the attempt and its update; three looks at operations, a new one, its update.
  'POST /payments/{id}/capture': { events: 8, customers: 0, payments: 24 },
  // The same without the attempt, and the refund: two indexes, a look, an update.
  'POST /refunds': { events: 16, customers: 0, payments: 22 },
  'payment.resolve, nothing due': { events: 0, customers: 0, payments: 1 },
  'payment.expire, nothing due': { events: 0, customers: 0, payments: 1 },
}

const singles: readonly Watched[] = [
  'GET /events/{id}',
  'GET /customers/{id}',
  'POST /customers',
  'POST /customers, with a key',
  'PUT /customers/{id}',
]
const paymentSingles: readonly Watched[] = [
  'GET /payments/{id}',
  'POST /payments',
  'POST /payments/{id}/capture',
  'POST /refunds',
]
/** What is due may lie in any stretch of time: they look at a page of each. */
const dueScans: readonly Watched[] = ['payment.resolve, nothing due', 'payment.expire, nothing due']
const partitions = 7
const paymentLists: readonly Watched[] = ['GET /payments, page 1', 'GET /payments, deep page']
const lists: readonly Watched[] = ['GET /events, page 1', 'GET /events, deep page']
const all = Object.keys(descents) as readonly Watched[]
const listCeiling = 30
/** Where rows happen to lie on a page moves an average a little. */
const noiseOf = (pages: number) => 0.5 + pages / 100

export function judge(observed: Observed): Finding[] {
  const { small, workspaces, history, open, fullOpen, customers, payments, openPayments } = observed
  const grown = (part: string, grownTo: Pages, of: readonly Watched[], allow: (name: Watched) => number) =>
    of.map((operation) => ({
      part,
      operation,
      before: small[operation],
      after: grownTo[operation],
      allowed: allow(operation),
    }))
  const paging = (part: string, pages: Pages, table: 'events' | 'customers' | 'payments'): Finding => {
    const [first, deep]: [Watched, Watched] = [`GET /${table}, page 1`, `GET /${table}, deep page`]
    return { part, operation: deep, before: pages[first], after: pages[deep], allowed: pages[first] * 1.2 }
  }
  return [
    ...grown('1,000 more workspaces', workspaces, all, (name) => small[name] * 1.05 + noiseOf(small[name])),
    ...grown('history', history, singles, (name) => small[name] * 1.2),
    ...grown('history', history, lists, () => listCeiling),
    ...grown(
      'open partition',
      open,
      singles,
      (name) => small[name] + descents[name].events + noiseOf(small[name]),
    ),
    ...grown(
      'full open partition',
      fullOpen,
      singles,
      (name) => small[name] + 2 * descents[name].events + noiseOf(small[name]),
    ),
    // Between the rows of one workspace lie those of others, so a list also reads more pages of the table.
    ...grown('full open partition', fullOpen, lists, () => listCeiling),
    ...grown(
      'customers',
      customers,
      all,
      (name) => small[name] + 2 * descents[name].customers + noiseOf(small[name]),
    ),
    paging('paging, many events', fullOpen, 'events'),
    paging('paging, many customers', customers, 'customers'),
    ...grown('history of payments', payments, paymentSingles, (name) => small[name] * 1.2),
    ...grown('history of payments', payments, dueScans, (name) => small[name] + partitions),
    ...grown('history of payments', payments, paymentLists, () => listCeiling),
    ...grown('open payments', openPayments, [...paymentSingles, ...dueScans], (name) => {
      const { events, payments: own = 0 } = descents[name]
      return small[name] + events + own + noiseOf(small[name])
    }),
    ...grown('open payments', openPayments, paymentLists, () => listCeiling),
    paging('paging, many payments', payments, 'payments'),
  ]
}

export function isBroken({ after, allowed }: Finding): boolean {
  return after > allowed
}
