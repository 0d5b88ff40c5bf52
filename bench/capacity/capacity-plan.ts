/** Computes capacity from the measured cost of a payment and the retention of each table. No side effects. */

export type PaymentSize = {
  readonly payments: number
  readonly commits: number
  readonly statements: number
  readonly walBytes: number
  /** Connections of an `api` and a `worker` process together, at the end of the load. */
  readonly connections: number
  /** The size of one pending work message in the NATS store. */
  readonly messageBytes: number
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly bytes: number }[]
}

/** The retention of a table, from `platform/db/partitions.ts`. `days` is null if rows are kept forever. */
export type Retention = { readonly table: string; readonly days: number | null }

export type Plan = {
  readonly paymentsPerMonth: number
  readonly commitsPerSecond: number
  readonly walBytesPerSecond: number
  readonly walBytesPerDay: number
  /** The monthly growth of tables whose rows are kept forever. */
  readonly growthPerMonth: number
  /** The steady-state size of tables with limited retention. */
  readonly steadyStateBytes: number
}

const secondsPerDay = 86_400
const daysPerMonth = 30

export function planFor(paymentSize: PaymentSize, retentions: readonly Retention[], perSecond: number): Plan {
  const perDay = perSecond * secondsPerDay
  const daysOf = (table: string) => retentions.find((entry) => entry.table === table)?.days ?? null
  const sum = (figures: readonly number[]) => figures.reduce((total, figure) => total + figure, 0)
  const permanentTables = paymentSize.tables.filter(({ table }) => daysOf(table) === null)
  const limitedTables = paymentSize.tables.filter(({ table }) => daysOf(table) !== null)
  return {
    paymentsPerMonth: perDay * daysPerMonth,
    commitsPerSecond: paymentSize.commits * perSecond,
    walBytesPerSecond: paymentSize.walBytes * perSecond,
    walBytesPerDay: paymentSize.walBytes * perDay,
    growthPerMonth: sum(permanentTables.map(({ bytes }) => bytes)) * perDay * daysPerMonth,
    steadyStateBytes: sum(limitedTables.map(({ table, bytes }) => bytes * perDay * (daysOf(table) ?? 0))),
  }
}
