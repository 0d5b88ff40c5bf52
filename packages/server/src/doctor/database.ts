/** Whether the database is reachable, has the schema of this version, and isolates workspaces. */
import {
  clockSkewMs,
  type PartitionFacts,
  partitionFacts,
  type RoleFacts,
  roleFacts,
  serverFacts,
  unprotectedTables,
} from '../platform/db/inspect.ts'
import { planOf } from '../platform/db/migrate.ts'
import { type Check, type CheckFinding, fail, listSome, ok, warn } from './check.ts'

const minPostgresVersion = 18

const database: Check = {
  id: 'database',
  title: 'Database',
  perDatabase: true,
  async run({ owner }) {
    const { version, isStandby, sizeBytes } = await owner.withClient(serverFacts)
    if (isStandby)
      return fail('The database is a standby and accepts no writes.', 'Point DATABASE_URL at the primary.')
    if (Number.parseInt(version, 10) < minPostgresVersion)
      return fail(
        `The database is PostgreSQL ${version}.`,
        `Switchyard requires PostgreSQL ${minPostgresVersion} or newer.`,
      )
    return ok(`PostgreSQL ${version}, ${sizeBytes / 1_048_576n} MB.`)
  },
}

const migrations: Check = {
  id: 'migrations',
  title: 'Migrations',
  perDatabase: true,
  async run({ owner }) {
    const missing = await owner.withClient(planOf)
    if (missing.length === 0) return ok('All migrations are applied.')
    return fail(
      `Not applied: ${listSome(missing)}.`,
      'Run the command migrate, then start the processes of this version.',
    )
  },
}

const isolation: Check = {
  id: 'isolation',
  title: 'Isolation of workspaces',
  perDatabase: true,
  run: ({ owner }) =>
    owner.withClient(async (client) => {
      const roles = assessRoles(await roleFacts(client))
      if (roles !== null) return roles
      const unprotected = await unprotectedTables(client)
      if (unprotected.length > 0)
        return fail(
          `Row-level security is off for ${listSome(unprotected)}.`,
          'These tables were changed manually. Enable and force row-level security, and restore the policy.',
        )
      return ok('Row-level security is enforced on every workspace table.')
    }),
}

/** Null if all roles exist and none bypasses row-level security. */
export function assessRoles({ missing, bypassing }: RoleFacts): CheckFinding | null {
  if (missing.length > 0)
    return fail(`The roles ${listSome(missing)} are missing.`, 'Run the command migrate: it creates them.')
  if (bypassing.length === 0) return null
  return fail(
    `The roles ${listSome(bypassing)} bypass row-level security: each tenant could see the data of others.`,
    `As a superuser: ${bypassing.map((name) => `alter role ${name} nosuperuser nobypassrls;`).join(' ')}`,
  )
}

const partitions: Check = {
  id: 'partitions',
  title: 'Partitions',
  perDatabase: true,
  run: async ({ owner }) => assessPartitions(await owner.withClient(partitionFacts)),
}

const workerAdvice =
  'A worker creates them every hour: start one, and check its log. The command migrate creates them too.'

export function assessPartitions({ missingNow, missingNext, strays }: PartitionFacts): CheckFinding {
  if (missingNow.length > 0) return fail(`Missing for today: ${listSome(missingNow)}.`, workerAdvice)
  if (strays.length > 0)
    return warn(
      `The default partition of ${listSome(strays)} contains rows.`,
      'A clock was wrong, or no worker ran for months. The rows are moved when their partition is created.',
    )
  if (missingNext.length > 0) return warn(`Not created in advance: ${listSome(missingNext)}.`, workerAdvice)
  return ok('The partitions for today and the next period exist.')
}

const clock: Check = {
  id: 'clock',
  title: 'Clock',
  perDatabase: true,
  run: ({ owner, machine }) =>
    owner.withClient(async (client) => assessSkew(await clockSkewMs(client, machine.time))),
}

/** With a skew above the second value, ids would be stored in the wrong partitions. */
const [warnSkewMs, failSkewMs] = [500, 2_000]

export function assessSkew(skewMs: number): CheckFinding {
  const size = Math.round(Math.abs(skewMs))
  const detail = `This machine is ${size} ms ${skewMs < 0 ? 'behind' : 'ahead of'} the database.`
  if (size > failSkewMs) return fail(detail, 'Synchronize the clocks of both machines with NTP.')
  return size > warnSkewMs ? warn(detail, 'Synchronize both clocks with NTP.') : ok(detail)
}

export const databaseChecks = [database, migrations, isolation, partitions, clock]
