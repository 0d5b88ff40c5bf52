// `npm run bench:links`: how many times a second one payment link can be opened, beside a bare Fastify that answers
// the same bytes from memory. To open it is two requests: the page, and what is to be paid. `--short` for a quick
// look. Goal: half of the bare one.

import { writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildIfStale } from '../packages/checkout/build.ts'
import { freePort } from '../scripts/services/ports.ts'
import { type Rounds, ratioOf, takeTurns } from './ratios/compare.ts'
import { loadHttp, requestText } from './ratios/http-load.ts'
import { fullEffort, shortEffort } from './ratios/measurement.ts'
import { startScript } from './ratios/processes.ts'
import { loadAverage, processMs } from './ratios/processor.ts'
import { ratesTable } from './ratios/report.ts'
import { type Stage, setStage } from './ratios/stage.ts'
import { table } from './table.ts'

const goal = 0.5
const headers = { 'accept-encoding': 'gzip, deflate, br' }
const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } })

await buildIfStale()
const stage = await setStage(null)
try {
  const rounds = await measure(stage, await makeLink(stage))
  const { lower, median, upper } = ratioOf(rounds, 'requests to the service', 'requests to bare Fastify')
  console.log(`\n${ratesTable(rounds)}\n\nAn open is two requests.\n`)
  const ratio = [lower, median, upper].map((share) => Math.round(share * 100) / 100)
  console.log(table(['opens ÷ bare Fastify', 'lower', 'median', 'upper', 'goal'], [['', ...ratio, goal]]))
  console.log(`\nLoad of the machine: ${loadAverage()}.`)
} finally {
  await stage.clear()
}

/** The slug of one that everybody opens. */
async function makeLink({ port, token }: Stage): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/payment-links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ currency: 'eur', max_completions: null, description: 'As seen on television' },
      line_items: [
        { name: 'Touring wheelset', unit_amount: 11_900 },
        { name: 'Delivery', unit_amount: 1_000 },
      ],
    }),
  })
  const link = (await answer.json()) as { url: string }
  if (!answer.ok) throw new Error(`The server answered ${answer.status}: ${JSON.stringify(link)}`)
  return new URL(link.url).pathname.replace('/l/', '')
}

async function measure({ port, folder, server }: Stage, slug: string): Promise<Rounds> {
  const paths = [`/l/${slug}`, `/checkout/links/${slug}`]
  const files = await Promise.all(
    ['page', 'link'].map(async (name, place) => {
      const file = join(folder, name)
      writeFileSync(file, await bytesOf(`http://127.0.0.1:${port}${paths[place]}`))
      return file
    }),
  )
  const barePort = await freePort()
  const args = [String(barePort), ...files]
  const bare = await startScript({ folder, name: 'bare', script: '../links/static-worker.ts', args })
  await bare.said('ready')
  const effort = values.short ? shortEffort : fullEffort
  const texts = paths.map((path) => requestText({ method: 'GET', path, headers }))
  const request = (turn: number) => texts[turn % texts.length] ?? ''
  const load = (to: number) => (forMs: number) =>
    loadHttp({ port: to, connections: effort.connections, forMs, request })
  const rounds = await takeTurns({
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

/** As they stand on the wire: `fetch` would unpack them. */
function bytesOf(url: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, async (answer) => resolve(Buffer.concat(await answer.toArray()))).on(
      'error',
      reject,
    )
  })
}
