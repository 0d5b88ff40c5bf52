/**
 * The growth rule: the cost of an operation depends only on its own objects and on the height of the indexes in the open
 * partition. A larger table may add index levels and nothing else. An entry takes 44, 60 and 68 bytes in the three
 * indexes of events; leaf pages are nine tenths full, and the pages above them seven tenths. So all three have two
 * levels with ten thousand rows, three levels with up to 0.7 million, and four levels from 2.8 million on.
 */
import type { MeasuredOperation, Pages } from './measure-pages.ts'

export type GrowthMeasurements = {
  readonly small: Pages
  readonly workspaces: Pages
  readonly history: Pages
  /** The open partition has half a million rows in `open`, and four million in `fullOpen`. */
  readonly open: Pages
  readonly fullOpen: Pages
  readonly customers: Pages
  /**
   * Payments and their related rows were added to closed partitions (`payments`) or the open one (`openPayments`).
   */
  readonly payments: Pages
  readonly openPayments: Pages
}

export type Finding = {
  readonly part: string
  readonly operation: MeasuredOperation
  readonly before: number
  readonly after: number
  readonly allowed: number
}

type Descents = {
  readonly events: number
  readonly customers: number
  readonly payments?: number
  /** The number of search terms that are inserted. */
  readonly terms?: number
}

/**
 * The number of index descents per operation: in events in the open partition, in customers, and in payments and the
 * tables partitioned with them.
 */
const descents: Readonly<Record<MeasuredOperation, Descents>> = {
  'GET /events/{id}': { events: 1, customers: 0 },
  'GET /events, page 1': { events: 1, customers: 0 },
  'GET /events, deep page': { events: 1, customers: 0 },
  'GET /customers/{id}': { events: 0, customers: 1 },
  'GET /customers, page 1': { events: 0, customers: 1 },
  'GET /customers, deep page': { events: 0, customers: 1 },
  // Three indexes each, and the check that the change has an event.
  'POST /customers': { events: 4, customers: 3, terms: 4 },
  'POST /customers, with a key': { events: 4, customers: 3, terms: 4 },
  // The lock, the update that finds the row, and the three indexes of its new version.
  'PUT /customers/{id}': { events: 4, customers: 5 },
  'GET /payments/{id}': { events: 0, customers: 0, payments: 1 },
  'GET /payments, page 1': { events: 0, customers: 0, payments: 1 },
  'GET /payments, deep page': { events: 0, customers: 0, payments: 1 },
  // The payment: two indexes, the lock, the update. Its attempt: three indexes, a read, an update that changes all of
  // them. Its operation: the same with four indexes.
  'POST /payments': { events: 8, customers: 0, payments: 22 },
  // Two locks, two updates; two reads of the attempt and its update; three reads of operations, an insert, its update.
  // The posting: its four indexes, and the check that it exists.
  'POST /payments/{id}/capture': { events: 8, customers: 0, payments: 29 },
  // Like a capture, without the attempt, plus the refund: two indexes, a read, an update.
  'POST /refunds': { events: 16, customers: 0, payments: 27 },
  'GET /balances': { events: 0, customers: 0, payments: 1 },
  'payment.resolve, nothing due': { events: 0, customers: 0, payments: 1 },
  'payment.expire, nothing due': { events: 0, customers: 0, payments: 1 },
}

const singleRowOperations: readonly MeasuredOperation[] = [
  'GET /events/{id}',
  'GET /customers/{id}',
  'POST /customers',
  'POST /customers, with a key',
  'PUT /customers/{id}',
]
const paymentOperations: readonly MeasuredOperation[] = [
  'GET /payments/{id}',
  'POST /payments',
  'POST /payments/{id}/capture',
  'POST /refunds',
]
/** Due rows can be in any partition: these scans read one page of each. */
const dueScans: readonly MeasuredOperation[] = ['payment.resolve, nothing due', 'payment.expire, nothing due']
const partitions = 7
/** `GET /balances` reads the sums of each day, and searches each partition for new postings. */
const maxBalancePages = 60
const paymentLists: readonly MeasuredOperation[] = ['GET /payments, page 1', 'GET /payments, deep page']
const lists: readonly MeasuredOperation[] = ['GET /events, page 1', 'GET /events, deep page']
const allOperations = Object.keys(descents) as readonly MeasuredOperation[]
const maxListPages = 30
/**
 * PostgreSQL inserts after the last entry of an index without a descent. The entries of a single workspace
 * are the last ones of the primary key of search terms. With other workspaces they are not, so each insertion
 * reads the two levels above the leaf. The table has two indexes, and each insertion looks for the same term
 * first.
 */
const pagesAboveLeaf = (name: MeasuredOperation) => 2 * (descents[name].terms ?? 0)
const termDescents = (name: MeasuredOperation) => 3 * (descents[name].terms ?? 0)
const moreCustomers = (name: MeasuredOperation) =>
  2 * descents[name].customers + pagesAboveLeaf(name) + termDescents(name)
/** Averages vary a little with the position of rows on pages. */
const noiseOf = (pages: number) => 0.5 + pages / 100

export function checkGrowth(measurements: GrowthMeasurements): Finding[] {
  const { small, workspaces, history, open, fullOpen, customers, payments, openPayments } = measurements
  const findingsFor = (
    part: string,
    pages: Pages,
    operations: readonly MeasuredOperation[],
    allow: (name: MeasuredOperation) => number,
  ) =>
    operations.map((operation) => ({
      part,
      operation,
      before: small[operation],
      after: pages[operation],
      allowed: allow(operation),
    }))
  const pagingFinding = (part: string, pages: Pages, table: 'events' | 'customers' | 'payments'): Finding => {
    const [first, deep]: [MeasuredOperation, MeasuredOperation] = [
      `GET /${table}, page 1`,
      `GET /${table}, deep page`,
    ]
    return { part, operation: deep, before: pages[first], after: pages[deep], allowed: pages[first] * 1.2 }
  }
  return [
    ...findingsFor(
      '1,000 more workspaces',
      workspaces,
      allOperations,
      (name) => small[name] * 1.05 + pagesAboveLeaf(name) + noiseOf(small[name]),
    ),
    ...findingsFor('history', history, singleRowOperations, (name) => small[name] * 1.2),
    ...findingsFor('history', history, lists, () => maxListPages),
    ...findingsFor(
      'open partition',
      open,
      singleRowOperations,
      (name) => small[name] + descents[name].events + noiseOf(small[name]),
    ),
    ...findingsFor(
      'full open partition',
      fullOpen,
      singleRowOperations,
      (name) => small[name] + 2 * descents[name].events + noiseOf(small[name]),
    ),
    // Rows of other workspaces are in between, so a list also reads more pages of the table.
    ...findingsFor('full open partition', fullOpen, lists, () => maxListPages),
    ...findingsFor(
      'customers',
      customers,
      allOperations,
      (name) => small[name] + moreCustomers(name) + noiseOf(small[name]),
    ),
    pagingFinding('paging, many events', fullOpen, 'events'),
    pagingFinding('paging, many customers', customers, 'customers'),
    ...findingsFor('history of payments', payments, paymentOperations, (name) => small[name] * 1.2),
    ...findingsFor('history of payments', payments, dueScans, (name) => small[name] + partitions),
    ...findingsFor('history of payments', payments, paymentLists, () => maxListPages),
    ...findingsFor('history of payments', payments, ['GET /balances'], () => maxBalancePages),
    ...findingsFor('open payments', openPayments, [...paymentOperations, ...dueScans], (name) => {
      const { events, payments: paymentDescents = 0 } = descents[name]
      return small[name] + events + paymentDescents + noiseOf(small[name])
    }),
    ...findingsFor('open payments', openPayments, paymentLists, () => maxListPages),
    ...findingsFor('open payments', openPayments, ['GET /balances'], () => maxBalancePages),
    pagingFinding('paging, many payments', payments, 'payments'),
  ]
}

export function exceedsLimit({ after, allowed }: Finding): boolean {
  return after > allowed
}
