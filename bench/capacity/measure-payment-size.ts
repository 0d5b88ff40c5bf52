/** Measures the cost of a payment: rows and bytes per table, including indexes, commits, statements and WAL. */
import { Client } from 'pg'
import { openMeter } from '../counters/meter.ts'
import { waitUntilDelivered } from '../payments/commits.ts'
import { createMerchant } from '../payments/merchant.ts'
import type { BenchEnvironment } from '../ratios/environment.ts'
import { loadHttp } from '../ratios/http-load.ts'
import { mainScript, startScript } from '../ratios/processes.ts'
import type { PaymentSize } from './capacity-plan.ts'

const connections = 8

/** Payments with a saved card and an idempotency key; a worker delivers their two events to one endpoint. */
export async function measurePaymentSize(
  bench: BenchEnvironment,
  paymentCount: number,
): Promise<Omit<PaymentSize, 'messageBytes'>> {
  const merchant = await createMerchant(bench)
  const owner = new Client({ connectionString: bench.postgres.url })
  await owner.connect()
  const environment = await bench.environment()
  const worker = await startScript({
    folder: bench.folder,
    name: 'worker',
    script: mainScript,
    args: ['worker'],
    environment,
  })
  await worker.waitForOutput('"ready"')
  const load = (atLeast: number) => payAtLeast(bench.port, merchant.request, atLeast)
  try {
    // Warm up: the first rows allocate pages that later rows share.
    await load(paymentCount / 10)
    await waitUntilDelivered(owner)
    const before = await sizesOf(owner)
    const meter = await openMeter(bench.postgres.url)
    let payments = 0
    const cost = await meter.count(1, async () => {
      payments = await load(paymentCount)
      await waitUntilDelivered(owner)
    })
    await meter.close()
    const after = await sizesOf(owner)
    return {
      payments,
      commits: cost.commits / payments,
      statements: (cost.statements + cost.frames) / payments,
      walBytes: Math.round(cost.walBytes / payments),
      connections: await connectionsOf(owner),
      tables: differences(before, after, payments),
    }
  } finally {
    await worker.end('SIGTERM')
    await owner.end()
    await merchant.close()
  }
}

async function payAtLeast(port: number, request: () => string, atLeast: number): Promise<number> {
  let count = 0
  while (count < atLeast) count += (await loadHttp({ port, connections, forMs: 2_000, request })).operations
  return count
}

type Size = { readonly table: string; readonly rows: number; readonly bytes: number }

/**
 * The sizes of all tables. The size of a partitioned table is the sum of its partitions. Rows are counted,
 * because the estimates of Postgres lag behind.
 */
async function sizesOf(owner: Client): Promise<readonly Size[]> {
  const { rows } = await owner.query<{ table: string; bytes: number }>(`
    select coalesce(inhparent, relation.oid)::regclass::text as table, sum(pg_total_relation_size(relation.oid))::float8 as bytes
    from pg_class as relation left join pg_inherits on inhrelid = relation.oid
    where relation.relkind = 'r' and relation.relnamespace in ('public'::regnamespace, 'vault'::regnamespace)
    group by 1`)
  const sizes: Size[] = []
  for (const { table, bytes } of rows) {
    const { rows: counted } = await owner.query(`select count(*)::int as rows from ${table}`)
    sizes.push({ table, bytes, rows: counted[0].rows })
  }
  return sizes
}

function differences(
  before: readonly Size[],
  after: readonly Size[],
  payments: number,
): PaymentSize['tables'] {
  return after
    .map(({ table, rows, bytes }) => {
      const previous = before.find((size) => size.table === table)
      return {
        table,
        rows: round((rows - (previous?.rows ?? 0)) / payments),
        bytes: Math.round((bytes - (previous?.bytes ?? 0)) / payments),
      }
    })
    .filter(({ bytes, rows }) => bytes > 0 && rows >= 0.01)
    .toSorted((a, b) => b.bytes - a.bytes)
}

/** The connections of all processes at the end of the load. */
async function connectionsOf(owner: Client): Promise<number> {
  const { rows } = await owner.query(
    "select count(pid)::int as count from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  )
  return rows[0].count
}

const round = (number: number) => Math.round(number * 100) / 100
