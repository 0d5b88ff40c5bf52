// `npm run services`: Postgres, NATS and the simulator for development, in the foreground, until Ctrl-C.
// `npm run services -- find-nats`: only sees to it that a nats-server is at hand, and says where.

import { startDevelopmentServices } from './services/development.ts'
import { findNatsServer } from './services/nats-binary.ts'

const commands: Record<string, () => Promise<void>> = { run: runUntilTold, 'find-nats': findNats }

const name = process.argv[2] ?? 'run'
const command = commands[name]
if (command) await command().catch(giveUp)
else giveUp(new Error(`Unknown command ${name}. There are: ${Object.keys(commands).join(', ')}.`))

function giveUp(error: Error): void {
  console.error(error.message)
  process.exitCode = 1
}

async function findNats(): Promise<void> {
  const found = await findNatsServer()
  if (found.binary !== null) return console.log(found.binary)
  giveUp(new Error(found.explanation))
}

async function runUntilTold(): Promise<void> {
  const { postgres, nats, simulator, stop } = await startDevelopmentServices()
  console.log(`DATABASE_URL=${postgres.url}`)
  console.log(`SIMULATOR_URL=${simulator.url}`)
  const endings: Promise<Error | null>[] = [
    told(),
    unexpected('Postgres', postgres.exited),
    unexpected('The simulator', simulator.exited),
  ]
  if ('url' in nats) {
    console.log(`NATS_URL=${nats.url}`)
    endings.push(unexpected('nats-server', nats.exited))
  } else console.error(nats.explanation)
  const problem = await Promise.race(endings)
  if (problem) giveUp(problem)
  await stop()
}

function told(): Promise<null> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(null))
  })
}

async function unexpected(service: string, exited: Promise<string>): Promise<Error> {
  return new Error(`${service} ended by itself: ${await exited}`)
}
