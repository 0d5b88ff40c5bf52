// `npm run drill:metrics`: do the dashboards show something? Starts everything, makes traffic in the test environment,
// lets a real Prometheus watch it for a minute and a half, and asks it every query of every panel. Needs `prometheus`
// on PATH or in PROMETHEUS_BIN; Debian has it in the package of that name.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { throwawayKeys, throwawayPostgres } from '../bench/throwaway.ts'
import { startServer } from '../packages/server/test/support/server-process.ts'
import { type Prometheus, startPrometheus } from './drills/prometheus.ts'
import { makeTraffic } from './drills/traffic.ts'
import { boards } from './generate/grafana/boards.ts'
import { startNats } from './services/nats.ts'
import { freePort } from './services/ports.ts'
import { startSimulatorProcess } from './services/simulator.ts'

const watchMs = 90_000
const main = resolve(import.meta.dirname, '../packages/server/src/main.ts')

/** What this traffic does not bring about, and why that is no fault of the panel. */
const quiet: { readonly [panel: string]: string } = {
  'Tries by result': 'nobody pressed the button of a payment page',
  'Handed out again': 'no worker died',
}

const postgres = await throwawayPostgres({ fsync: 'off' })
const nats = await startNats({ storeDir: join(postgres.folder, 'nats') })
const simulator = await startSimulatorProcess({ ledgerFile: join(postgres.folder, 'books/ledger') })
const receiver = createServer((_, answer) => answer.end()).listen(0, '127.0.0.1')
await once(receiver, 'listening')
const ops = `127.0.0.1:${await freePort()}`
const environment = {
  ...{ DATABASE_URL: postgres.url, NATS_URL: nats.url, SIMULATOR_URL: simulator.url, OPS_LISTEN: ops },
  ...{ MASTER_KEYS: throwawayKeys, WEBHOOK_ALLOW_LOOPBACK: 'true', RATE_LIMIT_TEST: '1000' },
}
const made = execFileSync(process.execPath, [main, 'setup', '--email', 'ada@example.com'], {
  env: { ...environment, LOG_LEVEL: 'error' },
})
const server = await startServer('all', environment)
const prometheus = await startPrometheus(postgres.folder, ops)
const shop = {
  url: server.addresses.test,
  token: JSON.parse(made.toString()).tokens.test,
  receiverUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
}
console.log(`${await makeTraffic(shop, watchMs)} calls made.`)
const empty = await askAll(prometheus)
const firing = await prometheus.ask('ALERTS{alertstate="firing"}')
console.log(`Alerts that fire: ${firing.map(({ metric }) => metric.alertname).join(', ') || 'none'}.`)
await server.kill('SIGTERM')
await Promise.all([prometheus.stop(), simulator.stop(), nats.stop()])
receiver.close()
await postgres.remove()
process.exitCode = empty.length === 0 ? 0 : 1
if (empty.length > 0) console.error(`Without an answer: ${empty.join(', ')}`)

/** Says what each panel shows, and answers those that show nothing. */
async function askAll({ ask }: Prometheus): Promise<readonly string[]> {
  const panels = boards.flatMap(({ title, rows }) =>
    rows.flatMap((row) => row.panels).map((panel) => ({ board: title, ...panel })),
  )
  const missing: string[] = []
  for (const { board, title, queries } of panels) {
    const exprs = queries.map(({ expr }) =>
      expr.replaceAll('$__rate_interval', '1m').replaceAll('$mode', 'test'),
    )
    const samples = (await Promise.all(exprs.map(ask))).flat()
    const values = samples.slice(0, 3).map(({ value }) => Number(Number(value[1]).toPrecision(3)))
    const shown = samples.length > 0 ? `${samples.length} series: ${values.join(', ')}` : quiet[title]
    console.log(`${board.padEnd(24)} ${title.padEnd(40)} ${shown ?? 'NOTHING'}`)
    if (shown === undefined) missing.push(`${board}: ${title}`)
  }
  return missing
}
