// A Postgres in a temporary folder that is gone when the measuring is over, however it ends.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../packages/server/src/platform/db/migrate.ts'
import { startPostgres } from '../scripts/services/postgres.ts'

export type Throwaway = {
  /** The migrated database, as its owner. */
  readonly url: string
  /** The process that starts all others of the server. */
  readonly pid: number
  /** The folder of this run: whatever else it needs may lie there too. */
  readonly folder: string
  readonly logFile: string
  remove(): Promise<void>
}

/** The master key of what is measured. It is lost with the process, as the database is. */
export const throwawayKeys = `measuring:${randomBytes(32).toString('base64')}`

export async function throwawayPostgres(settings: Record<string, string>): Promise<Throwaway> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-measure-'))
  const dataDir = join(folder, 'postgres')
  // Whoever ends without removing it, after an error, leaves nothing behind either.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const postgres = await startPostgres({ dataDir, settings })
  const remove = async () => {
    await postgres.stop('immediate')
    rmSync(folder, { recursive: true, force: true })
  }
  await migrate(postgres.url)
  return { url: postgres.url, pid: postgres.pid, folder, logFile: join(dataDir, 'postgres.log'), remove }
}
