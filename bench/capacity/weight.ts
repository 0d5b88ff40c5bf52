/** What was measured of a payment, and how long each table keeps its rows: the arithmetic of capacity. Pure. */

export type Weight = {
  readonly payments: number
  readonly commits: number
  readonly statements: number
  readonly walBytes: number
  /** Of an `api` and a `worker` together, at the end of the load. */
  readonly connections: number
  /** What one id of waiting work takes in the store of NATS. */
  readonly messageBytes: number
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly bytes: number }[]
}

/** Of `platform/db/partitions.ts`: a table that keeps its rows for ever has no days. */
export type Kept = { readonly table: string; readonly days: number | null }

export type Plan = {
  readonly paymentsPerMonth: number
  readonly commitsPerSecond: number
  readonly walBytesPerSecond: number
  readonly walBytesPerDay: number
  /** What stays for ever, and grows by so much each month. */
  readonly growthPerMonth: number
  /** What comes and goes, once it has reached its full size. */
  readonly standing: number
}

const secondsPerDay = 86_400
const daysPerMonth = 30

export function planFor(weight: Weight, kept: readonly Kept[], perSecond: number): Plan {
  const perDay = perSecond * secondsPerDay
  const daysOf = (table: string) => kept.find((one) => one.table === table)?.days ?? null
  const sum = (figures: readonly number[]) => figures.reduce((total, figure) => total + figure, 0)
  const lasting = weight.tables.filter(({ table }) => daysOf(table) === null)
  const passing = weight.tables.filter(({ table }) => daysOf(table) !== null)
  return {
    paymentsPerMonth: perDay * daysPerMonth,
    commitsPerSecond: weight.commits * perSecond,
    walBytesPerSecond: weight.walBytes * perSecond,
    walBytesPerDay: weight.walBytes * perDay,
    growthPerMonth: sum(lasting.map(({ bytes }) => bytes)) * perDay * daysPerMonth,
    standing: sum(passing.map(({ table, bytes }) => bytes * perDay * (daysOf(table) ?? 0))),
  }
}
