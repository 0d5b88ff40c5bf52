// The example shop and the server, each in a separate process. A test can read the SQLite database of the
// shop, and kill and restart the shop.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Switchyard } from '@switchyard/sdk'
import { afterAll } from 'vitest'
import { databaseClock } from '../../src/kernel/clock.ts'
import { freePort, startExample } from './example.ts'
import { startServer } from './server-process.ts'
import { simulatorForThisFile } from './simulator.ts'
import { switchyardForThisFile } from './switchyard.ts'

export async function exampleShopForThisFile() {
  const simulator = await simulatorForThisFile()
  const { newWorkspace, databaseUrl } = await switchyardForThisFile({
    environment: { SIMULATOR_URL: simulator.url },
    // The shop is a separate process, so it cannot use the manual clock of the tests.
    overrides: { clock: databaseClock },
  })
  const listenAddress = `127.0.0.1:${await freePort()}`
  const server = await startServer('all', {
    DATABASE_URL: databaseUrl,
    SIMULATOR_URL: simulator.url,
    TEST_LISTEN: listenAddress,
    TEST_BASE_URL: `http://${listenAddress}`,
  })
  const data = mkdtempSync(join(tmpdir(), 'switchyard-example-shop-'))
  const { token, workspaceId } = await newWorkspace()
  const api = { token, baseUrl: server.addresses.test }
  const environment = {
    SWITCHYARD_TOKEN: api.token,
    SWITCHYARD_BASE_URL: api.baseUrl,
    SHOP_DATA: data,
    PORT: await freePort(),
  }
  const start = () => startExample('shop/main.ts', environment, /shopkeeper\?key=\w+\n/)
  let process = await start()
  // The shop writes concurrently, so wait for its locks.
  const database = new DatabaseSync(join(data, `${workspaceId}.sqlite`), { timeout: 10_000 })
  afterAll(async () => {
    database.close()
    await Promise.all([process.kill(), server.kill('SIGKILL')])
    rmSync(data, { recursive: true, force: true })
  })

  return {
    simulator,
    database,
    api,
    url: `http://127.0.0.1:${environment.PORT}`,
    switchyard: new Switchyard(api),
    /** The URL of the shopkeeper's page, which the shop prints. */
    shopkeeperLink: () => /http\S+key=\w+/.exec(process.output)?.[0] ?? '',
    kill: () => process.kill(),
    async restart(): Promise<void> {
      process = await start()
    },
  }
}

/** The checkout session in the page with the payment element. */
export function readSession(page: string): { id: string; client_secret: string } {
  const read = (name: string) => new RegExp(`data-${name}="([^"]+)"`).exec(page)?.[1] ?? ''
  return { id: read('session-id'), client_secret: read('client-secret') }
}
