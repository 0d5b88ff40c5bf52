/**
 * The figures that are written down, and what is too much beside them: one more statement or commit that
 * writes, 5% more pages or WAL, or more than the ceiling of the design.
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

type Ceiling = Omit<Recorded, 'frames'>

const ceilings: readonly (readonly [RegExp, Ceiling])[] = [
  [/^GET .*\{id\}$/, { statements: 1, commits: 0, pages: 8, wal_bytes: 0 }],
  [/^GET /, { statements: 1, commits: 0, pages: 30, wal_bytes: 0 }],
  [
    /^POST \/payments, (by token|saved method)$/,
    { statements: 20, commits: 3, pages: 260, wal_bytes: 16_000 },
  ],
  [/^POST \/customers$/, { statements: 5, commits: 1, pages: 60, wal_bytes: 4_000 }],
  // Whoever looks at a page first after an update tidies it up.
  [/^POST \/payments, repeated/, { statements: 2, commits: 0, pages: 16, wal_bytes: 100 }],
  [/repeated with its key$/, { statements: 2, commits: 0, pages: 16, wal_bytes: 0 }],
  // A page of each partition's empty index.
  [/^reconciler.*payment\./, { statements: 1, commits: 0, pages: 8, wal_bytes: 0 }],
  [/^reconciler/, { statements: 1, commits: 0, pages: 6, wal_bytes: 0 }],
]

/**
 * Plans that read more than they should, and are known to. An entry goes when its cause does: one that no
 * plan deserves any more is at fault itself.
 */
const knownFaults: Readonly<Record<string, string>> = {
  'GET /events, first page': '7 partitions of events are read',
  'GET /events, deep page': '5 partitions of events are read',
  'GET /events, by type': '7 partitions of events are read',
  'POST /customers, with a key': '5 partitions of idempotency_keys are read',
  'POST /customers, repeated with its key': '5 partitions of idempotency_keys are read',
  // A list begins with the newest, wherever that lies.
  'GET /payments, first page': '7 partitions of payments are read',
  'GET /payments, deep page': '5 partitions of payments are read',
  'GET /payments, by customer': '7 partitions of payments are read',
  'POST /payments, with a key': '5 partitions of idempotency_keys are read',
  'POST /payments, repeated with its key': '5 partitions of idempotency_keys are read',
  // What is due may lie in any stretch of time. An empty partial index costs a page.
  'reconciler, nothing due: payment.resolve': '7 partitions of operations are read',
  'reconciler, nothing due: payment.expire': '7 partitions of payments are read',
  'reconciler, nothing due: provider_event.process': '7 partitions of provider_events are read',
  'reconciler, nothing due: checkout_session.expire': '7 partitions of checkout_sessions are read',
  'reconciler, nothing due: checkout_session.settle': '7 partitions of checkout_sessions are read',
  'reconciler, nothing due: checkout_session.send_receipt': '7 partitions of checkout_sessions are read',
  'reconciler, nothing due: webhook_endpoint.deliver': '8 partitions of deliveries are read',
}

const about =
  'Cost per operation on a database of ten thousand rows, counted by `npm run counters`. Statements are ' +
  'without the frame of the transaction (BEGIN, COMMIT, ROLLBACK, SET, set_config), which is listed apart. ' +
  'Lines of the request log are counted apart, a hundred at a time. Looking up the token is left out: it ' +
  'happens once in five seconds.'

export function readRecorded(): Readonly<Record<string, Recorded>> {
  return JSON.parse(readFileSync(file, 'utf8')).operations
}

export function writeRecorded(counts: Counts): void {
  const operations = Object.fromEntries([...counts].map(([name, count]) => [name, toRecord(count)]))
  writeFileSync(file, `${JSON.stringify({ about, operations }, null, 2)}\n`)
}

/** What happens now and then, such as a look at a clock, shall not look like a statement of every operation. */
export function toRecord(count: Count): Recorded {
  const tenths = (number: number) => Math.round(number * 10) / 10
  return {
    statements: Math.round(count.statements),
    frames: Math.round(count.frames),
    commits: Math.round(count.commits),
    pages: tenths(count.pages),
    wal_bytes: Math.round(count.walBytes),
  }
}

/** Sentences about everything that costs more than it may. */
export function compare(counts: Counts, recorded: Readonly<Record<string, Recorded>>): string[] {
  const missing = Object.keys(recorded).filter((name) => !counts.has(name))
  return [
    ...missing.map((name) => `${name} is written down but was not counted.`),
    ...[...counts].flatMap(([name, count]) => {
      const before = recorded[name]
      const now = toRecord(count)
      if (before === undefined) return [`${name} is not written down yet. Run: npm run counters -- --write`]
      return [...growth(name, before, now), ...overCeiling(name, now)]
    }),
  ]
}

/** Sentences about plans whose cost grows with what is stored. */
export function complainAboutPlans(faults: ReadonlyMap<string, readonly string[]>): string[] {
  return [...faults].flatMap(([name, found]) => {
    const known = knownFaults[name]
    const news = found.filter((fault) => fault !== known).map((fault) => `${name}: ${fault}.`)
    const isGone = known !== undefined && !found.includes(known)
    return isGone ? [...news, `${name}: no longer "${known}". Take it off the list of known faults.`] : news
  })
}

/** Below this a difference in WAL is the database keeping house, not the operation. */
const walNoise = 4

function growth(name: string, before: Recorded, now: Recorded): string[] {
  const allowed: Ceiling = {
    statements: before.statements,
    commits: before.commits,
    pages: before.pages * 1.05,
    wal_bytes: before.wal_bytes * 1.05 + walNoise,
  }
  return exceeding(now, allowed).map(
    (figure) => `${name}: ${figure} went from ${before[figure]} to ${now[figure]}.`,
  )
}

function overCeiling(name: string, now: Recorded): string[] {
  const ceiling = ceilings.find(([pattern]) => pattern.test(name))?.[1]
  if (ceiling === undefined) return []
  const allowed = { ...ceiling, wal_bytes: ceiling.wal_bytes + walNoise }
  return exceeding(now, allowed).map(
    (figure) => `${name}: ${now[figure]} ${figure}, where the ceiling is ${ceiling[figure]}.`,
  )
}

function exceeding(now: Recorded, allowed: Ceiling): (keyof Ceiling)[] {
  return (Object.keys(allowed) as (keyof Ceiling)[]).filter((figure) => now[figure] > allowed[figure])
}
