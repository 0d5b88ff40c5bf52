// `npm run drill:metrics`: checks that every panel of the Grafana dashboards shows data. Starts all services,
// generates traffic in test mode, scrapes the metrics with a real Prometheus for 90 seconds, and runs every query of
// every panel. Needs `prometheus` on PATH or in PROMETHEUS_BIN; on Debian, install the `prometheus` package.

import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { startTemporaryPostgres, temporaryMasterKeys } from '../bench/temporary-postgres.ts'
import { startServer } from '../packages/server/test/support/server-process.ts'
import { type Prometheus, startPrometheus } from './drills/prometheus.ts'
import { generateTraffic } from './drills/traffic.ts'
import { boards } from './generate/grafana/boards.ts'
import { startNats } from './services/nats.ts'
import { freePort } from './services/ports.ts'
import { startSimulatorProcess } from './services/simulator.ts'

const watchMs = 90_000
const main = resolve(import.meta.dirname, '../packages/server/src/main.ts')

/** Panels that are expected to be empty with this traffic, with the reason. */
const expectedEmpty: { readonly [panel: string]: string } = {
  'Checkout attempts by result': 'no payment page was used',
  'Redelivered work': 'no worker crashed',
}

requirePrometheus()
const postgres = await startTemporaryPostgres({ fsync: 'off' })
const nats = await startNats({ storeDir: join(postgres.folder, 'nats') })
const simulator = await startSimulatorProcess({ ledgerFile: join(postgres.folder, 'simulator/ledger') })
const receiver = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
await once(receiver, 'listening')
const ops = `127.0.0.1:${await freePort()}`
const environment = {
  // The simulator sends its webhooks to this address.
  TEST_LISTEN: `127.0.0.1:${await freePort()}`,
  DATABASE_URL: postgres.url,
  NATS_URL: nats.url,
  SIMULATOR_URL: simulator.url,
  OPS_LISTEN: ops,
  MASTER_KEYS: temporaryMasterKeys,
  WEBHOOK_ALLOW_LOOPBACK: 'true',
  RATE_LIMIT_TEST: '1000',
}
const setupOutput = execFileSync(process.execPath, [main, 'setup', '--email', 'ada@example.com'], {
  env: { ...environment, LOG_LEVEL: 'error' },
})
const server = await startServer('all', environment)
const prometheus = await startPrometheus(postgres.folder, ops)
const shop = {
  url: server.addresses.test,
  token: JSON.parse(setupOutput.toString()).tokens.test,
  receiverUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
}
console.log(`${await generateTraffic(shop, watchMs)} calls made.`)
const emptyPanels = await queryAllPanels(prometheus)
const firing = await prometheus.query('ALERTS{alertstate="firing"}')
console.log(`Firing alerts: ${firing.map(({ metric }) => metric.alertname).join(', ') || 'none'}.`)
await server.kill('SIGTERM')
await Promise.all([prometheus.stop(), simulator.stop(), nats.stop()])
receiver.close()
await postgres.remove()
process.exitCode = emptyPanels.length === 0 ? 0 : 1
if (emptyPanels.length > 0) console.error(`Panels without data: ${emptyPanels.join(', ')}`)

/** Checked before anything is started. */
function requirePrometheus(): void {
  if (spawnSync(process.env.PROMETHEUS_BIN ?? 'prometheus', ['--version']).status === 0) return
  console.error(
    'This drill cannot run: there is no working prometheus on PATH or in PROMETHEUS_BIN. On Debian and Ubuntu: apt-get install prometheus.',
  )
  process.exit(1)
}

/** Prints the data of each panel, and returns the panels without data. */
async function queryAllPanels({ query }: Prometheus): Promise<readonly string[]> {
  const panels = boards.flatMap(({ title, rows }) =>
    rows.flatMap((row) => row.panels).map((panel) => ({ board: title, ...panel })),
  )
  const missing: string[] = []
  for (const { board, title, queries } of panels) {
    const exprs = queries.map(({ expr }) =>
      expr.replaceAll('$__rate_interval', '1m').replaceAll('$mode', 'test'),
    )
    const samples = (await Promise.all(exprs.map(query))).flat()
    const values = samples.slice(0, 3).map(({ value }) => Number(Number(value[1]).toPrecision(3)))
    const result =
      samples.length > 0 ? `${samples.length} series: ${values.join(', ')}` : expectedEmpty[title]
    console.log(`${board.padEnd(24)} ${title.padEnd(40)} ${result ?? 'NO DATA'}`)
    if (result === undefined) missing.push(`${board}: ${title}`)
  }
  return missing
}
