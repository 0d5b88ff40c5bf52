// `npm run bench:exports -- --rows 1000000`: exports that many ledger postings to Parquet and to CSV, each with a worker
// of its own. Measures rows per second, CPU time, and the peak resident memory of the worker, and compares the sum of the
// amounts in the file, read by another reader, with the sum in the database. Goal: below 300 MB for a million postings.

import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { tableFromIPC } from 'apache-arrow'
import { readParquet } from 'parquet-wasm'
import { Client } from 'pg'
import { fillPostings } from './fill-payments.ts'
import { callApi } from './ratios/call-api.ts'
import { startEnvironment } from './ratios/environment.ts'
import { mainScript, nodeArgumentsOfImage, startScript } from './ratios/processes.ts'
import { loadAverage, peakResidentMb, processMs, processTreeMs, residentMb } from './ratios/processor.ts'
import { table } from './table.ts'

const { values } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } } })
const rows = Number(values.rows)
const formats = ['parquet', 'csv'] as const
type Format = (typeof formats)[number]
/** A file with the sum of its amounts. */
type ReadFile = {
  readonly rows: number
  readonly sum: bigint
  readonly bytes: number
  readonly sha256: string
}

const readers = { parquet: readParquetFile, csv: readCsvFile }
const loadBefore = loadAverage()
// The server runs from its sources, as in the container image.
const bench = await startEnvironment(null)
const call = (method: string, path: string, body?: object) => callApi(bench, { method, path, body })
const client = new Client({ connectionString: bench.postgres.url })
try {
  await client.connect()
  const expectedSum = await fill()
  const measured: (readonly (string | number)[])[] = []
  for (const format of formats) measured.push(await measure(format, expectedSum))
  const columns = ['format', 'seconds', 'rows per second', 'worker CPU s', 'PostgreSQL CPU s', 'file MB']
  console.log(`\n${table([...columns, 'idle MB', 'peak MB'], measured)}\n`)
  console.log(`${rows} postings. The sums of both files are those of the database: ${expectedSum}.`)
  console.log('idle and peak: resident memory of the worker. Goal: 300 MB.')
  console.log(`System load before: ${loadBefore}, after: ${loadAverage()}.`)
} finally {
  await client.end()
  await bench.clear()
}

/** Returns the sum of the amounts, which differ from posting to posting. */
async function fill(): Promise<bigint> {
  const to = new Date(Date.now() - 60_000)
  const from = new Date(to.getTime() - 3_600_000)
  // Triggers look up the cause of each posting, and there are only postings.
  await client.query('set session_replication_role = replica')
  await client.query('create temporary table filled (like ledger_postings including defaults)')
  await fillPostings(client, { rows, from, to, workspaces: [bench.workspace] }, 'filled')
  await client.query(`update filled set amount = 1 + ('x' || substr(md5(id::text), 1, 7))::bit(28)::int`)
  await client.query('insert into ledger_postings select * from filled')
  await client.query('drop table filled')
  await client.query('vacuum analyze ledger_postings')
  const result = await client.query('select sum(amount)::text as sum from ledger_postings')
  return BigInt(result.rows[0].sum)
}

async function measure(format: Format, expectedSum: bigint): Promise<readonly (string | number)[]> {
  const worker = await startScript({
    folder: bench.folder,
    name: `worker-${format}`,
    script: mainScript,
    args: ['worker'],
    environment: await bench.environment(),
    nodeArguments: nodeArgumentsOfImage(),
  })
  try {
    await worker.waitForOutput('"ready"')
    await waitUntilRolledUp()
    const idleMb = residentMb(worker.pid)
    const [startedMs, cpuBefore] = [performance.now(), cpuMs(worker.pid)]
    const exported = await runExport(format)
    const seconds = (performance.now() - startedMs) / 1000
    const cpuSeconds = cpuMs(worker.pid).map((after, index) => (after - (cpuBefore[index] ?? 0)) / 1000)
    const peakMb = Math.round(peakResidentMb(worker.pid))
    const file = await readers[format](await download(exported.id))
    const sums = new Set([expectedSum, BigInt(exported.sums[0].amount), file.sum])
    if (sums.size !== 1 || file.rows !== rows || file.sha256 !== exported.file.sha256)
      throw new Error(`The ${format} file is not what the database contains.`)
    const fileMb = (file.bytes / 1e6).toFixed(1)
    const cpu = cpuSeconds.map((value) => value.toFixed(1))
    return [
      format,
      seconds.toFixed(1),
      Math.round(rows / seconds),
      ...cpu,
      fileMb,
      Math.round(idleMb),
      peakMb,
    ]
  } finally {
    await worker.end('SIGTERM')
  }
}

/** A worker adds new postings to the balances, which is not part of the export. */
async function waitUntilRolledUp(): Promise<void> {
  for (;;) {
    const { rows: found } = await client.query(
      `select coalesce(sum(debits), 0) = (select sum(amount) from ledger_postings where workspace_id = $1) as done
       from ledger_balances where workspace_id = $1 and account = 'clearing'`,
      [bench.workspace],
    )
    if (found[0].done) return
    await pause(500)
  }
}

async function runExport(format: Format) {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10)
  const body = {
    of: 'ledger_postings',
    format,
    from: day(Date.now() - 86_400_000),
    to: day(Date.now()),
  }
  const { id } = await call('POST', '/exports', body)
  for (;;) {
    const exported = await call('GET', `/exports/${id}`)
    if (exported.status === 'completed') return exported
    if (exported.status !== 'running') throw new Error(`The export is ${exported.status}.`)
    await pause(200)
  }
}

async function download(id: string): Promise<ReadableStream<Uint8Array>> {
  const { url } = await call('GET', `/exports/${id}/download`)
  const response = await fetch(url)
  if (!response.ok || response.body === null)
    throw new Error(`The download failed with status ${response.status}.`)
  return response.body
}

async function readParquetFile(body: ReadableStream<Uint8Array>): Promise<ReadFile> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  const content = Buffer.concat(chunks)
  const amounts = tableFromIPC(readParquet(content).intoIPCStream()).getChild('amount')
  let sum = 0n
  for (const amount of amounts ?? []) sum += amount as bigint
  const sha256 = createHash('sha256').update(content).digest('hex')
  return { rows: amounts?.length ?? 0, sum, bytes: content.length, sha256 }
}

/** The values of postings contain neither quotes nor separators. */
async function readCsvFile(body: ReadableStream<Uint8Array>): Promise<ReadFile> {
  const hash = createHash('sha256')
  let [bytes, lines, sum, rest, column] = [0, 0, 0n, '', -1]
  for await (const chunk of body) {
    hash.update(chunk)
    bytes += chunk.length
    const complete = (rest + Buffer.from(chunk).toString('latin1')).split('\r\n')
    rest = complete.pop() ?? ''
    for (const line of complete) {
      const cells = line.split(',')
      if (column < 0) column = cells.indexOf('amount')
      else sum += BigInt(cells[column] ?? 0)
      lines += 1
    }
  }
  return { rows: lines - 1, sum, bytes, sha256: hash.digest('hex') }
}

/** The CPU time of the worker and of PostgreSQL. Unlike seconds, it hardly depends on other load. */
function cpuMs(workerPid: number): readonly number[] {
  return [processMs(workerPid), processTreeMs(bench.postgres.pid)]
}
