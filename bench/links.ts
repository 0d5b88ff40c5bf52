// `npm run bench:links`: measures how many times per second a payment link can be opened, compared with a
// bare Fastify server that serves identical content from memory. Opening a link is two requests: the page,
// and the payment details. `--short` for a short run. Goal: half of the bare server.

import { writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildIfStale } from '../packages/checkout/build.ts'
import { freePort } from '../scripts/services/ports.ts'
import { type Rounds, ratioOf, runInTurns } from './ratios/compare.ts'
import { fullEffort, shortEffort } from './ratios/effort.ts'
import { type BenchEnvironment, startEnvironment } from './ratios/environment.ts'
import { loadHttp, requestText } from './ratios/http-load.ts'
import { startScript } from './ratios/processes.ts'
import { loadAverage, processMs } from './ratios/processor.ts'
import { ratesTable } from './ratios/report.ts'
import { table } from './table.ts'

const goal = 0.5
const headers = { 'accept-encoding': 'gzip, deflate, br' }
const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } })

await buildIfStale()
const bench = await startEnvironment(null)
try {
  const rounds = await measure(bench, await createLink(bench))
  const { lower, median, upper } = ratioOf(rounds, 'requests to the service', 'requests to bare Fastify')
  console.log(`\n${ratesTable(rounds)}\n\nOpening a link is two requests.\n`)
  const ratio = [lower, median, upper].map((share) => Math.round(share * 100) / 100)
  console.log(table(['opens ÷ bare Fastify', 'lower', 'median', 'upper', 'goal'], [['', ...ratio, goal]]))
  console.log(`\nSystem load: ${loadAverage()}.`)
} finally {
  await bench.clear()
}

/** Creates the link that all requests open, and returns its slug. */
async function createLink({ port, token }: BenchEnvironment): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/payment-links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      currency: 'eur',
      max_completions: null,
      description: 'As seen on television',
      line_items: [
        { name: 'Touring wheelset', unit_amount: 11_900 },
        { name: 'Delivery', unit_amount: 1_000 },
      ],
    }),
  })
  const link = (await response.json()) as { url: string }
  if (!response.ok) throw new Error(`The server responded with ${response.status}: ${JSON.stringify(link)}`)
  return new URL(link.url).pathname.replace('/l/', '')
}

async function measure({ port, folder, server }: BenchEnvironment, slug: string): Promise<Rounds> {
  const paths = [`/l/${slug}`, `/checkout/links/${slug}`]
  const files = await Promise.all(
    ['page', 'link'].map(async (name, index) => {
      const file = join(folder, name)
      writeFileSync(file, await readBytes(`http://127.0.0.1:${port}${paths[index]}`))
      return file
    }),
  )
  const barePort = await freePort()
  const args = [String(barePort), ...files]
  const bare = await startScript({ folder, name: 'bare', script: '../links/static-worker.ts', args })
  await bare.waitForOutput('ready')
  const effort = values.short ? shortEffort : fullEffort
  const texts = paths.map((path) => requestText({ method: 'GET', path, headers }))
  const request = (nth: number) => texts[nth % texts.length] ?? ''
  const load = (targetPort: number) => (forMs: number) =>
    loadHttp({ port: targetPort, connections: effort.connections, forMs, request })
  const rounds = await runInTurns({
    variants: [
      { name: 'requests to the service', run: load(port) },
      { name: 'requests to bare Fastify', run: load(barePort) },
    ],
    ...effort,
    clocks: {
      service: () => processMs(server.pid),
      bare: () => processMs(bare.pid),
      generator: () => processMs(process.pid),
    },
  })
  await bare.end('SIGTERM')
  return rounds
}

/** The raw response bytes: `fetch` would decompress them. */
function readBytes(url: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, async (response) => resolve(Buffer.concat(await response.toArray()))).on(
      'error',
      reject,
    )
  })
}
