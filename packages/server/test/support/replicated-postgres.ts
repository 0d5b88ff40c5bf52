// A PostgreSQL with a streaming standby, both in separate processes, for tests of failovers.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Postgres, startPostgres } from '../../../../scripts/services/postgres.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { backUp } from '../drills/archived-postgres.ts'
import { until } from '../flows/support/wait.ts'

const settings = {
  fsync: 'off',
  // The standby is created from a copy, and needs the log since the copy.
  wal_keep_size: '256MB',
  max_connections: '100',
  // A change of the synchronous standbys takes effect with the next report of the standby.
  wal_receiver_status_interval: '1s',
}

export type ReplicatedPostgres = {
  readonly primary: Postgres
  readonly standby: Postgres
  /** Which standbys must confirm a commit. A name that no standby has makes every commit wait. */
  setSynchronousStandbys(names: string): Promise<void>
  /** Resolves when the standby has everything that was committed on the primary before now. */
  waitForStandby(): Promise<void>
  /** The log of the standby. */
  standbyLog(): string
  /** Makes the standby a primary. */
  promote(): Promise<void>
  stop(): Promise<void>
}

export const standbyName = 'standby_1'

export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-replicated-'))
  const [primaryDir, standbyDir] = [join(folder, 'primary'), join(folder, 'standby')]
  const primary = await startPostgres({ dataDir: primaryDir, settings })
  await migrate(primary.url)
  await backUp(primary.url, primaryDir, standbyDir)
  await writeFile(join(standbyDir, 'standby.signal'), '')
  const source = `host=127.0.0.1 port=${primary.port} user=switchyard application_name=${standbyName}`
  const standby = await startPostgres({
    dataDir: standbyDir,
    settings: { ...settings, primary_conninfo: source },
  })

  const isCaughtUp = () =>
    asOwner(primary.url, async (client) => {
      const { rows } = await client.query(
        'select replay_lsn >= pg_current_wal_insert_lsn() as caught_up from pg_stat_replication',
      )
      return rows[0]?.caught_up === true
    })
  const setSynchronousStandbys = (names: string) =>
    asOwner(primary.url, async (client) => {
      await client.query(`alter system set synchronous_standby_names = '${names}'`)
      await client.query('select pg_reload_conf()')
      const isApplied = async () => {
        const { rows } = await client.query('show synchronous_standby_names')
        return rows[0].synchronous_standby_names === names
      }
      await until('the setting is applied', isApplied)
    })

  return {
    primary,
    standby,
    setSynchronousStandbys,
    waitForStandby: async () => {
      await until('the standby has caught up', isCaughtUp, { withinMs: 30_000 })
    },
    standbyLog: () => readFileSync(join(standbyDir, 'postgres.log'), 'utf8'),
    promote: () => asOwner(standby.url, async (client) => void (await client.query('select pg_promote()'))),
    stop: async () => {
      await Promise.all([primary.stop('immediate'), standby.stop('immediate')])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
