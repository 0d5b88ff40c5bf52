// `npm run services`: runs Postgres, NATS and the simulator for development in the foreground, until Ctrl-C.
// `npm run services -- find-nats`: only finds or downloads a nats-server, and prints its path.

import { startDevelopmentServices } from './services/development.ts'
import { findNatsServer } from './services/nats-binary.ts'

const commands: Record<string, () => Promise<void>> = { run: runUntilSignal, 'find-nats': findNats }

const name = process.argv[2] ?? 'run'
const command = commands[name]
if (command) await command().catch(reportError)
else reportError(new Error(`Unknown command ${name}. Commands: ${Object.keys(commands).join(', ')}.`))

function reportError(error: Error): void {
  console.error(error.message)
  process.exitCode = 1
}

async function findNats(): Promise<void> {
  const natsServer = await findNatsServer()
  if (natsServer.binary !== null) return console.log(natsServer.binary)
  reportError(new Error(natsServer.explanation))
}

async function runUntilSignal(): Promise<void> {
  const { postgres, nats, simulator, stop } = await startDevelopmentServices()
  console.log(`DATABASE_URL=${postgres.url}`)
  console.log(`SIMULATOR_URL=${simulator.url}`)
  const exits: Promise<Error | null>[] = [
    receiveSignal(),
    unexpectedExit('Postgres', postgres.exited),
    unexpectedExit('The simulator', simulator.exited),
  ]
  if ('url' in nats) {
    console.log(`NATS_URL=${nats.url}`)
    if ('exited' in nats) exits.push(unexpectedExit('nats-server', nats.exited))
  } else console.error(nats.explanation)
  const problem = await Promise.race(exits)
  if (problem) reportError(problem)
  await stop()
}

function receiveSignal(): Promise<null> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(null))
  })
}

async function unexpectedExit(service: string, exited: Promise<string>): Promise<Error> {
  return new Error(`${service} stopped unexpectedly: ${await exited}`)
}
