// `npm run dev`: runs everything on this machine. Builds the pages, starts Postgres, NATS and the simulator, migrates
// the database, creates the first tokens, runs the server, and prints how to call it. Ctrl-C stops everything.

import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { resolve } from 'node:path'
import { buildIfStale as buildCheckout } from '../packages/checkout/build.ts'
import { buildIfStale as buildDashboard } from '../packages/dashboard/build.ts'
import { developmentFolder } from './development-folder.ts'
import { chooseListeners } from './development-listeners.ts'
import { findRunning, prepareDatabase, writeState } from './development-state.ts'
import { startDevelopmentServices } from './services/development.ts'
import { dieWithParent } from './services/tied-process.ts'

const main = resolve(import.meta.dirname, '../packages/server/src/main.ts')

const runningInstance = findRunning()
if (runningInstance !== null) {
  console.error(
    `\`npm run dev\` is already running in this clone, as process ${runningInstance.running?.pid}: ${runningInstance.running?.testUrl}`,
  )
  process.exit(1)
}
await buildCheckout().then(buildDashboard).catch(printAndExit)
buildDocsInBackground()
// Chosen before the services start, so that an invalid value or a used port is reported immediately.
const listeners = await chooseListeners(process.env).catch(printAndExit)
const ports = Object.values(listeners).map(({ port }) => port)
const services = await startDevelopmentServices(ports).catch(printAndExit)
const { LIVE_LISTEN: live, TEST_LISTEN: test, DASHBOARD_LISTEN: dashboard, OPS_LISTEN: ops } = listeners
// A host name, because browsers do not store passkeys for IP addresses.
const dashboardUrl = process.env.DASHBOARD_BASE_URL || `http://localhost:${dashboard.port}`
const addresses = {
  databaseUrl: services.postgres.url,
  simulatorUrl: services.simulator.url,
  dashboardUrl,
}
const state = await prepareDatabase(addresses).catch(stopAndExit)
// The server must end with this process. Otherwise it would keep its ports and respond instead of the next server.
const [command = process.execPath, ...args] = [
  ...dieWithParent('SIGTERM'),
  process.execPath,
  '--watch-path',
  resolve(main, '..'),
  '--watch-preserve-output',
  main,
  'all',
]
const server = spawn(command, args, {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: {
    ...process.env,
    DATABASE_URL: services.postgres.url,
    MASTER_KEYS: state.masterKeys,
    NATS_URL: 'url' in services.nats ? services.nats.url : '',
    LIVE_LISTEN: live.listen,
    TEST_LISTEN: test.listen,
    DASHBOARD_LISTEN: dashboard.listen,
    DASHBOARD_BASE_URL: dashboardUrl,
    OPS_LISTEN: ops.listen,
    SIMULATOR_URL: services.simulator.url,
    // In development, webhook receivers and the simulator run on this machine.
    WEBHOOK_ALLOW_LOOPBACK: process.env.WEBHOOK_ALLOW_LOOPBACK ?? 'true',
    // E-mails are written to a folder and not sent.
    MAIL_OUTBOX: process.env.MAIL_OUTBOX ?? resolve(developmentFolder, 'mails'),
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'info',
  },
})

let isGreetingPrinted = false
server.stdout.on('data', (chunk: Buffer) => {
  process.stdout.write(chunk)
  if (isGreetingPrinted || !chunk.includes('"ready"')) return
  isGreetingPrinted = true
  const running = { pid: process.pid, testUrl: test.url, databaseUrl: services.postgres.url }
  writeState({ ...state, running })
  printGreeting()
})

const stop = async (): Promise<void> => {
  if (server.exitCode === null) {
    server.kill('SIGTERM')
    await new Promise((resolve) => server.once('exit', resolve))
  }
  await services.stop()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stop().then(() => process.exit(0)))
server.once('exit', (code) => stop().then(() => process.exit(code ?? 1)))

function printGreeting(): void {
  const movedPorts = Object.values(listeners)
    .filter(({ insteadOf }) => insteadOf !== undefined)
    .map(({ port, insteadOf }) => `  Port ${insteadOf} is in use: using ${port} instead.\n`)
    .join('')
  const ignored = ['DATABASE_URL', 'MASTER_KEYS', 'SIMULATOR_URL']
    .filter((name) => process.env[name])
    .map((name) => `  ${name} in your environment is ignored: \`npm run dev\` uses its own.\n`)
    .join('')
  const notes = movedPorts + ignored
  console.log(`
  Switchyard is running.
${notes === '' ? '' : `\n${notes}`}
    API for live tokens           ${live.url}
    API for test tokens           ${test.url}      documentation: ${test.url}/docs
    Dashboard                     ${dashboardUrl}      sign in as ${state.email}, password ${state.password}
    Operators                     ${ops.url}/readyz  /metrics
    Simulator                     ${services.simulator.url}      ledger: ${developmentFolder}/simulator
    E-mails                       ${developmentFolder}/mails
    Database                      ${services.postgres.url}
    Master key                    ${state.masterKeys}

    Test token                    ${state.tokens.test}
    Live token                    ${state.tokens.live}

  Sign in with this link (valid once, for fifteen minutes):

    ${state.signInUrl}

  Try it:

    curl ${test.url}/customers -H 'Authorization: Bearer ${state.tokens.test}' \\
      -H 'Content-Type: application/json' -d '{"email":"ada@example.com"}'
`)
  if (!('url' in services.nats)) console.log(`  ${services.nats.explanation}\n`)
}

/** Builds the documentation in the background, so that the start does not wait for it. */
function buildDocsInBackground(): void {
  const build = resolve(import.meta.dirname, '../packages/docs/build.ts')
  const { pid } = spawn(process.execPath, [build, '--if-stale'], { stdio: ['ignore', 'ignore', 'inherit'] })
  if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW)
}

async function stopAndExit(error: Error): Promise<never> {
  await services.stop()
  return printAndExit(error)
}

function printAndExit(error: Error): never {
  console.error(error.message)
  return process.exit(1)
}
