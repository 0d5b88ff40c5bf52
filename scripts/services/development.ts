// The services a clone develops against. Their data stays in `.switchyard`, and their ports are the same
// each time, so that a connection string in a client or an editor keeps working.

import { resolve } from 'node:path'
import { type Nats, startNats } from './nats.ts'
import { findNatsServer, type NatsUnavailable } from './nats-binary.ts'
import { preferPort } from './ports.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import { type SimulatorProcess, startSimulatorProcess } from './simulator.ts'

export type DevelopmentServices = {
  postgres: Postgres
  /** Without a nats-server one can still develop: Postgres holds the truth, and wakes come later. */
  nats: Nats | NatsUnavailable
  /** What payments of the test environment are sent to. */
  simulator: SimulatorProcess
  stop(): Promise<void>
}

const postgresPort = 54_418
const natsPort = 42_218
const simulatorPort = 8082
const home = resolve(import.meta.dirname, '../../.switchyard')

export async function startDevelopmentServices(): Promise<DevelopmentServices> {
  const postgres = await startPostgres({
    dataDir: resolve(home, 'postgres'),
    port: await preferPort(postgresPort),
  })
  const started: { stop(): Promise<void> }[] = [postgres]
  const stop = async () => {
    await Promise.all(started.map((service) => service.stop()))
  }
  try {
    const nats = await natsIfThereIsOne()
    if ('stop' in nats) started.push(nats)
    const simulator = await startSimulatorProcess({
      ledgerFile: resolve(home, 'simulator/ledger.jsonl'),
      port: await preferPort(simulatorPort),
    })
    started.push(simulator)
    return { postgres, nats, simulator, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function natsIfThereIsOne(): Promise<Nats | NatsUnavailable> {
  const found = await findNatsServer()
  if (found.binary === null) return found
  return await startNats({ storeDir: resolve(home, 'nats'), port: await preferPort(natsPort) })
}
