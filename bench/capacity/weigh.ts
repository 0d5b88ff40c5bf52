/** What a payment leaves behind: rows and bytes by table, with indexes, and what it cost on the way. */
import { Client } from 'pg'
import { openMeter } from '../counters/meter.ts'
import { untilDelivered } from '../payments/commits.ts'
import { openShop } from '../payments/shop.ts'
import { loadHttp } from '../ratios/http-load.ts'
import { mainScript, startScript } from '../ratios/processes.ts'
import type { Stage } from '../ratios/stage.ts'
import type { Weight } from './weight.ts'

const connections = 8

/** Payments of a kept card with a key, one endpoint, two events; a worker delivers them. */
export async function weighPayments(stage: Stage, wanted: number): Promise<Omit<Weight, 'messageBytes'>> {
  const shop = await openShop(stage)
  const owner = new Client({ connectionString: stage.postgres.url })
  await owner.connect()
  const environment = await stage.environment()
  const worker = await startScript({
    ...{ folder: stage.folder, name: 'worker', script: mainScript, args: ['worker'], environment },
  })
  await worker.said('"ready"')
  const load = (atLeast: number) => payAtLeast(stage.port, shop.request, atLeast)
  try {
    // The first rows open pages that many after them share.
    await load(wanted / 10)
    await untilDelivered(owner)
    const before = await sizesOf(owner)
    const meter = await openMeter(stage.postgres.url)
    let payments = 0
    const cost = await meter.count(1, async () => {
      payments = await load(wanted)
      await untilDelivered(owner)
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
    await shop.close()
  }
}

async function payAtLeast(port: number, request: () => string, atLeast: number): Promise<number> {
  let made = 0
  while (made < atLeast) made += (await loadHttp({ port, connections, forMs: 2_000, request })).operations
  return made
}

type Size = { readonly table: string; readonly rows: number; readonly bytes: number }

/** A partitioned table is the sum of its parts. Rows are counted, since statistics come late. */
async function sizesOf(owner: Client): Promise<readonly Size[]> {
  const { rows } = await owner.query<{ table: string; bytes: number }>(`
    select coalesce(inhparent, own.oid)::regclass::text as table, sum(pg_total_relation_size(own.oid))::float8 as bytes
    from pg_class as own left join pg_inherits on inhrelid = own.oid
    where own.relkind = 'r' and own.relnamespace in ('public'::regnamespace, 'vault'::regnamespace)
    group by 1`)
  const sizes: Size[] = []
  for (const { table, bytes } of rows) {
    const { rows: counted } = await owner.query(`select count(*)::int as rows from ${table}`)
    sizes.push({ table, bytes, rows: counted[0].rows })
  }
  return sizes
}

function differences(before: readonly Size[], after: readonly Size[], payments: number): Weight['tables'] {
  return after
    .map(({ table, rows, bytes }) => {
      const old = before.find((one) => one.table === table)
      return {
        table,
        rows: round((rows - (old?.rows ?? 0)) / payments),
        bytes: Math.round((bytes - (old?.bytes ?? 0)) / payments),
      }
    })
    .filter(({ bytes, rows }) => bytes > 0 && rows >= 0.01)
    .toSorted((a, b) => b.bytes - a.bytes)
}

/** Of all processes of the stage, at the end of the load. */
async function connectionsOf(owner: Client): Promise<number> {
  const { rows } = await owner.query(
    "select count(pid)::int as open from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  )
  return rows[0].open
}

const round = (number: number) => Math.round(number * 100) / 100
