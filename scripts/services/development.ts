// The development services of a clone. Their data is kept in `.switchyard`, and they prefer the same ports at each start,
// so that a saved connection string keeps working.

import { resolve } from 'node:path'
import { developmentFolder } from '../development-folder.ts'
import { type Nats, startNats } from './nats.ts'
import { findNatsServer, type NatsUnavailable } from './nats-binary.ts'
import { preferPort } from './ports.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import { type SimulatorProcess, startSimulatorProcess } from './simulator.ts'

export type DevelopmentServices = {
  postgres: Postgres
  /** NATS_URL, else a local server. Without NATS, work is found by polling PostgreSQL, which takes longer. */
  nats: Nats | { url: string } | NatsUnavailable
  /** The provider of test payments. */
  simulator: SimulatorProcess
  stop(): Promise<void>
}

const postgresPort = 54_418
const natsPort = 42_218
const simulatorPort = 8082

/** `reserved` are ports that the caller will use; the services avoid them. */
export async function startDevelopmentServices(
  reserved: readonly number[] = [],
): Promise<DevelopmentServices> {
  const postgres = await startPostgres({
    dataDir: resolve(developmentFolder, 'postgres'),
    port: await preferPort(postgresPort, reserved),
  })
  const started: { stop(): Promise<void> }[] = [postgres]
  const stop = async () => {
    await Promise.all(started.map((service) => service.stop()))
  }
  try {
    const nats = await startNatsIfAvailable(reserved)
    if ('stop' in nats) started.push(nats)
    const simulator = await startSimulatorProcess({
      ledgerFile: resolve(developmentFolder, 'simulator/ledger.jsonl'),
      port: await preferPort(simulatorPort, reserved),
    })
    started.push(simulator)
    return { postgres, nats, simulator, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startNatsIfAvailable(reserved: readonly number[]): Promise<DevelopmentServices['nats']> {
  if (process.env.NATS_URL) return { url: process.env.NATS_URL }
  const natsServer = await findNatsServer()
  if (natsServer.binary === null) return natsServer
  return await startNats({
    storeDir: resolve(developmentFolder, 'nats'),
    port: await preferPort(natsPort, reserved),
  })
}
