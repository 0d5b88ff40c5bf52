// `npm run dev`: everything on this machine, from nothing. Starts Postgres and NATS, migrates, makes the
// first tokens, runs the server, and says how to call it. Ctrl-C stops all of it.

import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { prepareDatabase } from './development-token.ts'
import { startDevelopmentServices } from './services/development.ts'
import { preferPort } from './services/ports.ts'

const main = resolve(import.meta.dirname, '../packages/server/src/main.ts')

const services = await startDevelopmentServices()
const { tokens } = await prepareDatabase(services.postgres.url).catch(giveUp)
const live = `127.0.0.1:${await preferPort(8080)}`
const test = `127.0.0.1:${await preferPort(8081)}`
const ops = `127.0.0.1:${await preferPort(9090)}`
const server = spawn(
  process.execPath,
  ['--watch-path', resolve(main, '..'), '--watch-preserve-output', main, 'all'],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      DATABASE_URL: services.postgres.url,
      NATS_URL: 'url' in services.nats ? services.nats.url : '',
      LIVE_LISTEN: live,
      TEST_LISTEN: test,
      OPS_LISTEN: ops,
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'info',
    },
  },
)

let greeted = false
server.stdout.on('data', (chunk: Buffer) => {
  process.stdout.write(chunk)
  if (greeted || !chunk.includes('"ready"')) return
  greeted = true
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
  console.log(`
  Switchyard is running.

    Production, for live tokens   http://${live}
    Staging, for test tokens      ${url}      reference: ${url}/docs
    Operators                     http://${ops}/readyz  /metrics

    Test token                    ${tokens.test}

  Try it:

    curl ${url}/customers -H 'Authorization: Bearer ${tokens.test}' \\
      -H 'Content-Type: application/json' -d '{"email":"ada@example.com"}'
`)
  if (!('url' in services.nats)) console.log(`  ${services.nats.explanation}\n`)
}

async function giveUp(error: Error): Promise<never> {
  console.error(error.message)
  await services.stop()
  return process.exit(1)
}
