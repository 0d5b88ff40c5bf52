// `npm run bench:exports -- --rows 1000000`: exports that many ledger postings to Parquet. Measures rows per second and
// the peak memory of the process, and compares the sum of the amounts in the file, read by another Parquet
// reader, with the sum in the database.

import { createHash } from 'node:crypto'
import { parseArgs } from 'node:util'
import { tableFromIPC } from 'apache-arrow'
import { readParquet } from 'parquet-wasm'
import { Client } from 'pg'
import { runExport } from '../packages/server/src/domains/finance/exports/service/run.ts'
import { getExport } from '../packages/server/src/domains/finance/exports/service.ts'
import { readPart } from '../packages/server/src/domains/finance/exports/store/parts.ts'
import { systemCaller } from '../packages/server/src/kernel/caller.ts'
import { type Id, uuidOf } from '../packages/server/src/kernel/id.ts'
import { read } from '../packages/server/src/platform/db/unit-of-work.ts'
import { startApiServer } from './counters/api-server.ts'
import { fillPostings } from './fill-payments.ts'
import { loadAverage } from './ratios/processor.ts'
import { startTemporaryPostgres } from './temporary-postgres.ts'

const { values } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } } })
const rows = Number(values.rows)
const loadBefore = loadAverage()
const postgres = await startTemporaryPostgres({})
const api = await startApiServer(postgres.url)
const { deps } = api.switchyard
const workspaceId = api.workspaceId as Id<'workspace'>
try {
  const expectedSum = await fill()
  const { id, seconds, peak, startMb } = await measure()
  const exported = await getExport(deps, systemCaller({ workspaceId, id }), id)
  const file = await download(id, exported.parts)
  const found = sumOf(file)
  const sums = {
    database: expectedSum,
    export: BigInt(exported.sums.amount?.eur ?? 0),
    file: found.sum,
  }
  console.log(
    `${rows} postings to Parquet: ${seconds.toFixed(1)} s, ${Math.round(rows / seconds)} rows per second.`,
  )
  console.log(
    `Peak memory ${peak.residentMb} MB, at the start ${startMb} MB. File: ${(file.length / 1e6).toFixed(1)} MB.`,
  )
  console.log(
    `Largest heap ${peak.heapMb} MB, of which at most ${peak.usedMb} MB used; largest buffers ${peak.buffersMb} MB.`,
  )
  console.log(
    `Sums: ${JSON.stringify(sums, (_, value) => (typeof value === 'bigint' ? String(value) : value))}`,
  )
  console.log(`System load before: ${loadBefore}, after: ${loadAverage()}.`)
  const isExact = new Set(Object.values(sums)).size === 1 && found.rows === rows
  const hash = createHash('sha256').update(file).digest('hex')
  if (!isExact || hash !== exported.sha256) throw new Error('The file is not what the database contains.')
} finally {
  await api.close()
  await postgres.remove()
}

/** Returns the sum of the amounts, which differ from posting to posting. */
async function fill(): Promise<bigint> {
  const client = new Client({ connectionString: postgres.url })
  await client.connect()
  const to = new Date(Date.now() - 60_000)
  const from = new Date(to.getTime() - 3_600_000)
  await fillPostings(client, { rows, from, to, workspaces: [uuidOf(workspaceId)] })
  await client.query(
    `update ledger_postings set amount = 1 + ('x' || substr(md5(id::text), 1, 7))::bit(28)::int`,
  )
  await client.query('vacuum analyze ledger_postings')
  const result = await client.query('select sum(amount)::text as sum from ledger_postings')
  await client.end()
  return BigInt(result.rows[0].sum)
}

async function measure() {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10)
  const body = {
    of: 'ledger_postings',
    format: 'parquet',
    from: day(Date.now() - 86_400_000),
    to: day(Date.now()),
  }
  const id = (await api.call({ method: 'POST', path: '/exports', body })) as Id<'export'>
  const caller = systemCaller({ workspaceId, id })
  const memoryNow = () => {
    const { rss, heapTotal, heapUsed, external } = process.memoryUsage()
    const [residentMb, heapMb, usedMb, buffersMb] = [rss, heapTotal, heapUsed, external].map((bytes) =>
      Math.round(bytes / 1e6),
    ) as [number, number, number, number]
    return { residentMb, heapMb, usedMb, buffersMb }
  }
  const { residentMb: startMb } = memoryNow()
  let peak = memoryNow()
  const sampling = setInterval(() => {
    const now = memoryNow()
    peak = {
      residentMb: Math.max(peak.residentMb, now.residentMb),
      heapMb: Math.max(peak.heapMb, now.heapMb),
      usedMb: Math.max(peak.usedMb, now.usedMb),
      buffersMb: Math.max(peak.buffersMb, now.buffersMb),
    }
  }, 20)
  const startedMs = performance.now()
  // A run of the export job stops after 20 seconds so that other exports can run. Repeat it until it is done.
  while ((await getExport(deps, caller, id)).status === 'running') await runExport(deps, { workspaceId, id })
  const seconds = (performance.now() - startedMs) / 1000
  clearInterval(sampling)
  return { id, seconds, peak, startMb }
}

async function download(id: Id<'export'>, parts: number): Promise<Buffer> {
  const caller = systemCaller({ workspaceId, id })
  const contents: Uint8Array[] = []
  for (let number = 0; number < parts; number += 1)
    contents.push((await read(deps, caller, (view) => readPart(view, id, number))) ?? new Uint8Array())
  return Buffer.concat(contents)
}

function sumOf(file: Uint8Array): { readonly rows: number; readonly sum: bigint } {
  const amounts = tableFromIPC(readParquet(file).intoIPCStream()).getChild('amount')
  let sum = 0n
  for (const amount of amounts ?? []) sum += amount as bigint
  return { rows: amounts?.length ?? 0, sum }
}
