// Starts a Postgres in a temporary folder, which is deleted at the end, even after an error.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../packages/server/src/platform/db/migrate.ts'
import { startPostgres } from '../scripts/services/postgres.ts'

export type TemporaryPostgres = {
  /** The migrated database, as its owner. */
  readonly url: string
  /** The main process of Postgres. Changes with a restart. */
  readonly pid: number
  /** The folder of this run. It can also hold other files. */
  readonly folder: string
  readonly logFile: string
  /** Kills Postgres without a checkpoint, and starts it again on the same port. */
  crash(): Promise<void>
  remove(): Promise<void>
}

/** The master key for the measurement. It is lost with the process, like the database. */
export const temporaryMasterKeys = `measuring:${randomBytes(32).toString('base64')}`

export async function startTemporaryPostgres(settings: Record<string, string>): Promise<TemporaryPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-measure-'))
  const dataDir = join(folder, 'postgres')
  // Clean up after errors too.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  let postgres = await startPostgres({ dataDir, settings })
  const { url, port } = postgres
  const remove = async () => {
    await postgres.stop('immediate')
    rmSync(folder, { recursive: true, force: true })
  }
  await migrate(url)
  return {
    url,
    get pid() {
      return postgres.pid
    },
    folder,
    logFile: join(dataDir, 'postgres.log'),
    async crash() {
      await postgres.stop('immediate')
      postgres = await startPostgres({ dataDir, settings, port })
    },
    remove,
  }
}
