// The services a clone develops against. Their data stays in `.switchyard`, and their ports are the same
// each time, so that a connection string in a client or an editor keeps working.

import { resolve } from 'node:path'
import { type Nats, startNats } from './nats.ts'
import { findNatsServer, type NatsUnavailable } from './nats-binary.ts'
import { preferPort } from './ports.ts'
import { type Postgres, startPostgres } from './postgres.ts'

export type DevelopmentServices = {
  postgres: Postgres
  /** Without a nats-server one can still develop: Postgres holds the truth, and wakes come later. */
  nats: Nats | NatsUnavailable
  stop(): Promise<void>
}

const postgresPort = 54_418
const natsPort = 42_218
const home = resolve(import.meta.dirname, '../../.switchyard')

export async function startDevelopmentServices(): Promise<DevelopmentServices> {
  const postgres = await startPostgres({
    dataDir: resolve(home, 'postgres'),
    port: await preferPort(postgresPort),
  })
  try {
    const nats = await natsIfThereIsOne()
    const stop = async () => {
      await Promise.all([postgres.stop(), 'stop' in nats ? nats.stop() : undefined])
    }
    return { postgres, nats, stop }
  } catch (error) {
    await postgres.stop()
    throw error
  }
}

async function natsIfThereIsOne(): Promise<Nats | NatsUnavailable> {
  const found = await findNatsServer()
  if (found.binary === null) return found
  return await startNats({ storeDir: resolve(home, 'nats'), port: await preferPort(natsPort) })
}
