// `npm run dev`: everything on this machine, from nothing. Builds the pages, starts Postgres, NATS and the
// simulator, migrates, makes the first tokens, runs the server, and says how to call it. Ctrl-C stops all of it.

import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { resolve } from 'node:path'
import { buildIfStale as buildCheckout } from '../packages/checkout/build.ts'
import { buildIfStale as buildDashboard } from '../packages/dashboard/build.ts'
import { findRunning, prepareDatabase, writeState } from './development-state.ts'
import { startDevelopmentServices } from './services/development.ts'
import { preferPort } from './services/ports.ts'
import { dieWithParent } from './services/tied-process.ts'

const main = resolve(import.meta.dirname, '../packages/server/src/main.ts')
const wanted = { live: 8080, test: 8081, dashboard: 8083, ops: 9090 }

const other = findRunning()
if (other !== null) {
  console.error(
    `\`npm run dev\` runs already in this clone, as process ${other.running?.pid}: ${other.running?.testUrl}`,
  )
  process.exit(1)
}
await buildCheckout().then(buildDashboard).catch(sayAndExit)
buildDocsBeside()
const services = await startDevelopmentServices().catch(sayAndExit)
const ports = {
  live: await preferPort(wanted.live),
  test: await preferPort(wanted.test),
  dashboard: await preferPort(wanted.dashboard),
  ops: await preferPort(wanted.ops),
}
const [live, test, ops] = [ports.live, ports.test, ports.ops].map((port) => `127.0.0.1:${port}`) as [
  string,
  string,
  string,
]
// By its name: browsers keep passkeys for names, not for numbers.
const dashboard = `http://localhost:${ports.dashboard}`
const addresses = {
  databaseUrl: services.postgres.url,
  simulatorUrl: services.simulator.url,
  dashboardUrl: dashboard,
}
const state = await prepareDatabase(addresses).catch(giveUp)
// A server that outlived us would go on answering, and hide the one that is started next.
const [command, ...args] = [
  ...dieWithParent('SIGTERM'),
  ...[process.execPath, '--watch-path', resolve(main, '..'), '--watch-preserve-output', main, 'all'],
] as [string, ...string[]]
const server = spawn(command, args, {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: {
    ...process.env,
    DATABASE_URL: services.postgres.url,
    MASTER_KEYS: state.masterKeys,
    NATS_URL: 'url' in services.nats ? services.nats.url : '',
    LIVE_LISTEN: live,
    TEST_LISTEN: test,
    DASHBOARD_LISTEN: `127.0.0.1:${ports.dashboard}`,
    DASHBOARD_BASE_URL: dashboard,
    OPS_LISTEN: ops,
    SIMULATOR_URL: services.simulator.url,
    // Whoever develops against it receives webhooks on this machine, and the simulator runs on it.
    WEBHOOK_ALLOW_LOOPBACK: process.env.WEBHOOK_ALLOW_LOOPBACK ?? 'true',
    // Nothing leaves this machine.
    MAIL_OUTBOX: process.env.MAIL_OUTBOX ?? resolve(import.meta.dirname, '../.switchyard/mails'),
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'info',
  },
})

let greeted = false
server.stdout.on('data', (chunk: Buffer) => {
  process.stdout.write(chunk)
  if (greeted || !chunk.includes('"ready"')) return
  greeted = true
  const running = { pid: process.pid, testUrl: `http://${test}`, databaseUrl: services.postgres.url }
  writeState({ ...state, running })
  greet()
})

const stop = async (): Promise<void> => {
  if (server.exitCode === null) {
    server.kill('SIGTERM')
    await new Promise((done) => server.once('exit', done))
  }
  await services.stop()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stop().then(() => process.exit(0)))
server.once('exit', (code) => stop().then(() => process.exit(code ?? 1)))

function greet(): void {
  const url = `http://${test}`
  const moved = (Object.keys(wanted) as (keyof typeof wanted)[])
    .filter((name) => ports[name] !== wanted[name])
    .map((name) => `  Port ${wanted[name]} is taken: ${ports[name]} is used instead.\n`)
    .join('')
  console.log(`
  Switchyard is running.
${moved === '' ? '' : `\n${moved}`}
    Production, for live tokens   http://${live}
    Staging, for test tokens      ${url}      documentation: ${url}/docs
    Dashboard                     ${dashboard}      sign in as ${state.email}, password ${state.password}
    Operators                     http://${ops}/readyz  /metrics
    Simulator                     ${services.simulator.url}      its books: .switchyard/simulator
    Mails                         .switchyard/mails
    Database                      ${services.postgres.url}
    Master key                    ${state.masterKeys}

    Test token                    ${state.tokens.test}
    Live token                    ${state.tokens.live}

  Sign in, once and within fifteen minutes:

    ${state.signInUrl}

  Try it:

    curl ${url}/customers -H 'Authorization: Bearer ${state.tokens.test}' \\
      -H 'Content-Type: application/json' -d '{"email":"ada@example.com"}'
`)
  if (!('url' in services.nats)) console.log(`  ${services.nats.explanation}\n`)
}

/** Nobody who starts the service waits for its documentation: it is there a few seconds later. */
function buildDocsBeside(): void {
  const build = resolve(import.meta.dirname, '../packages/docs/build.ts')
  const { pid } = spawn(process.execPath, [build, '--if-stale'], { stdio: ['ignore', 'ignore', 'inherit'] })
  if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW)
}

async function giveUp(error: Error): Promise<never> {
  await services.stop()
  return sayAndExit(error)
}

function sayAndExit(error: Error): never {
  console.error(error.message)
  return process.exit(1)
}
