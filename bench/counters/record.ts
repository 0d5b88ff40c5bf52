/**
 * The recorded numbers, and how far a new count may exceed them: no additional statements or writing commits,
 * at most 5% more pages or WAL, and never more than the limits below.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Counts } from './count-all.ts'
import type { Count } from './meter.ts'

const file = new URL('../../perf/counters.json', import.meta.url)

export type Recorded = {
  readonly statements: number
  readonly frames: number
  readonly commits: number
  readonly pages: number
  readonly wal_bytes: number
}

type Limit = Omit<Recorded, 'frames'>

const limits: readonly (readonly [RegExp, Limit])[] = [
  [/^GET .*\{id\}$/, { statements: 1, commits: 0, pages: 8, wal_bytes: 0 }],
  [/^GET /, { statements: 1, commits: 0, pages: 30, wal_bytes: 0 }],
  [
    /^POST \/payments, (by token|saved method)$/,
    { statements: 20, commits: 3, pages: 260, wal_bytes: 16_000 },
  ],
  [/^POST \/customers$/, { statements: 5, commits: 1, pages: 60, wal_bytes: 4_000 }],
  // The first read of a page after an update prunes it.
  [/^POST \/payments, repeated/, { statements: 2, commits: 0, pages: 16, wal_bytes: 100 }],
  [/repeated with its key$/, { statements: 2, commits: 0, pages: 16, wal_bytes: 0 }],
  // An empty index costs one page in each partition.
  [/^reconciler.*payment\./, { statements: 1, commits: 0, pages: 8, wal_bytes: 0 }],
  [/^reconciler/, { statements: 1, commits: 0, pages: 6, wal_bytes: 0 }],
]

/**
 * Known problems in query plans. Remove an entry when its cause is fixed: an entry without a matching plan is an error.
 */
const knownProblems: Readonly<Record<string, string>> = {
  'GET /events, first page': '7 partitions of events are read',
  'GET /events, deep page': '5 partitions of events are read',
  'GET /events, by type': '7 partitions of events are read',
  'POST /customers, with a key': '5 partitions of idempotency_keys are read',
  'POST /customers, repeated with its key': '5 partitions of idempotency_keys are read',
  // A list starts with the newest row, which can be in any partition.
  'GET /payments, first page': '7 partitions of payments are read',
  'GET /payments, deep page': '5 partitions of payments are read',
  'GET /payments, by customer': '7 partitions of payments are read',
  'POST /payments, with a key': '5 partitions of idempotency_keys are read',
  'POST /payments, repeated with its key': '5 partitions of idempotency_keys are read',
  // Due rows can be in any partition. An empty partial index costs one page.
  'reconciler, nothing due: payment.resolve': '7 partitions of operations are read',
  'reconciler, nothing due: payment.expire': '7 partitions of payments are read',
  'reconciler, nothing due: invoice.reopen': '7 partitions of payments are read',
  'reconciler, nothing due: provider_event.process': '7 partitions of provider_events are read',
  'reconciler, nothing due: checkout_session.expire': '7 partitions of checkout_sessions are read',
  'reconciler, nothing due: checkout_session.settle': '7 partitions of checkout_sessions are read',
  'reconciler, nothing due: checkout_session.send_receipt': '7 partitions of checkout_sessions are read',
  'reconciler, nothing due: webhook_endpoint.deliver': '8 partitions of deliveries are read',
}

const about =
  'Cost per operation on a database of ten thousand rows, counted by `npm run counters`. The statements that ' +
  'frame a transaction (BEGIN, COMMIT, ROLLBACK, SET, enter_workspace) are not included and are listed separately. ' +
  'Rows of the request log are counted separately, a hundred at a time. Looking up the token is not included, ' +
  'because it happens only once every five seconds.'

export function readRecorded(): Readonly<Record<string, Recorded>> {
  return JSON.parse(readFileSync(file, 'utf8')).operations
}

export function writeRecorded(counts: Counts): void {
  const operations = Object.fromEntries([...counts].map(([name, count]) => [name, toRecord(count)]))
  writeFileSync(file, `${JSON.stringify({ about, operations }, null, 2)}\n`)
}

/** Rounds the figures, so that occasional statements, such as reading a clock, are not recorded. */
export function toRecord(count: Count): Recorded {
  const roundToTenth = (number: number) => Math.round(number * 10) / 10
  return {
    statements: Math.round(count.statements),
    frames: Math.round(count.frames),
    commits: Math.round(count.commits),
    pages: roundToTenth(count.pages),
    wal_bytes: Math.round(count.walBytes),
  }
}

/** Messages about everything that costs more than allowed. */
export function compare(counts: Counts, recorded: Readonly<Record<string, Recorded>>): string[] {
  const missing = Object.keys(recorded).filter((name) => !counts.has(name))
  return [
    ...missing.map((name) => `${name} is recorded but was not counted.`),
    ...[...counts].flatMap(([name, count]) => {
      const before = recorded[name]
      const now = toRecord(count)
      if (before === undefined) return [`${name} is not recorded yet. Run: npm run counters -- --write`]
      return [...growth(name, before, now), ...aboveLimit(name, now)]
    }),
  ]
}

/** Messages about plans whose cost grows with the size of the table. */
export function reportPlanProblems(problems: ReadonlyMap<string, readonly string[]>): string[] {
  return [...problems].flatMap(([name, messages]) => {
    const expected = knownProblems[name]
    const unexpected = messages
      .filter((problem) => problem !== expected)
      .map((problem) => `${name}: ${problem}.`)
    const isFixed = expected !== undefined && !messages.includes(expected)
    return isFixed
      ? [...unexpected, `${name}: no longer "${expected}". Remove it from the list of known problems.`]
      : unexpected
  })
}

/** Smaller differences in WAL come from maintenance of Postgres and not from the operation. */
const walNoise = 4

function growth(name: string, before: Recorded, now: Recorded): string[] {
  const allowed: Limit = {
    statements: before.statements,
    commits: before.commits,
    pages: before.pages * 1.05,
    wal_bytes: before.wal_bytes * 1.05 + walNoise,
  }
  return exceeding(now, allowed).map(
    (figure) => `${name}: ${figure} went from ${before[figure]} to ${now[figure]}.`,
  )
}

function aboveLimit(name: string, now: Recorded): string[] {
  const limit = limits.find(([pattern]) => pattern.test(name))?.[1]
  if (limit === undefined) return []
  const allowed = { ...limit, wal_bytes: limit.wal_bytes + walNoise }
  return exceeding(now, allowed).map(
    (figure) => `${name}: ${now[figure]} ${figure}, where the limit is ${limit[figure]}.`,
  )
}

function exceeding(now: Recorded, allowed: Limit): (keyof Limit)[] {
  return (Object.keys(allowed) as (keyof Limit)[]).filter((figure) => now[figure] > allowed[figure])
}
