/** Whether the database is there, as this version needs it, and keeps workspaces apart. */
import {
  clockSkewMs,
  openTables,
  type PartitionFacts,
  partitionFacts,
  type RoleFacts,
  roleFacts,
  serverFacts,
} from '../platform/db/inspect.ts'
import { planOf } from '../platform/db/migrate.ts'
import { type Check, fail, ok, someOf, type Verdict, warn } from './check.ts'

const leastVersion = 18

const database: Check = {
  id: 'database',
  title: 'Database',
  async look({ owner }) {
    const { version, isStandby, sizeBytes } = await owner.ask(serverFacts)
    if (isStandby)
      return fail('It is a standby, which takes no writes.', 'Point DATABASE_URL at the primary.')
    if (Number.parseInt(version, 10) < leastVersion)
      return fail(`It is PostgreSQL ${version}.`, `Switchyard needs PostgreSQL ${leastVersion} or newer.`)
    return ok(`PostgreSQL ${version}, ${sizeBytes / 1_048_576n} MB.`)
  },
}

const migrations: Check = {
  id: 'migrations',
  title: 'Migrations',
  async look({ owner }) {
    const missing = await owner.ask(planOf)
    if (missing.length === 0) return ok('All of them are applied.')
    return fail(
      `Not applied: ${someOf(missing)}.`,
      'Run the command migrate, then start the processes of this version.',
    )
  },
}

const isolation: Check = {
  id: 'isolation',
  title: 'Isolation of workspaces',
  look: ({ owner }) =>
    owner.ask(async (client) => {
      const roles = judgeRoles(await roleFacts(client))
      if (roles !== null) return roles
      const open = await openTables(client)
      if (open.length > 0)
        return fail(
          `Row-level security is off for ${someOf(open)}.`,
          'Somebody changed these tables by hand: enable and force row-level security with its policy again.',
        )
      return ok('Row-level security holds for every table of a workspace.')
    }),
}

/** Null if there is nothing to say. */
export function judgeRoles({ missing, passing }: RoleFacts): Verdict | null {
  if (missing.length > 0)
    return fail(`The roles ${someOf(missing)} are missing.`, 'Run the command migrate: it makes them.')
  if (passing.length === 0) return null
  return fail(
    `Row-level security does not hold for ${someOf(passing)}: each tenant could see the others.`,
    `As a superuser: ${passing.map((name) => `alter role ${name} nosuperuser nobypassrls;`).join(' ')}`,
  )
}

const partitions: Check = {
  id: 'partitions',
  title: 'Partitions',
  look: async ({ owner }) => judgePartitions(await owner.ask(partitionFacts)),
}

const fromWorker =
  'A worker makes them by the hour: start one, and look into its log. The command migrate does it too.'

export function judgePartitions({ missingNow, missingNext, strays }: PartitionFacts): Verdict {
  if (missingNow.length > 0) return fail(`Missing for today: ${someOf(missingNow)}.`, fromWorker)
  if (strays.length > 0)
    return warn(
      `Rows of ${someOf(strays)} lie in no stretch of time.`,
      'A clock was wrong, or no worker ran for months. They are moved when the stretch they belong to is made.',
    )
  if (missingNext.length > 0) return warn(`Not made ahead: ${someOf(missingNext)}.`, fromWorker)
  return ok('There is room for today and ahead.')
}

const clock: Check = {
  id: 'clock',
  title: 'Clock',
  look: ({ owner, machine }) =>
    owner.ask(async (client) => judgeSkew(await clockSkewMs(client, machine.time))),
}

/** Beyond the second, ids would land in partitions that are not theirs. */
const [noticedSkewMs, toleratedSkewMs] = [500, 2_000]

export function judgeSkew(skewMs: number): Verdict {
  const size = Math.round(Math.abs(skewMs))
  const detail = `This machine is ${size} ms ${skewMs < 0 ? 'behind' : 'ahead of'} the database.`
  if (size > toleratedSkewMs) return fail(detail, 'Set the clock right, by NTP on both machines.')
  return size > noticedSkewMs ? warn(detail, 'Let NTP keep both clocks.') : ok(detail)
}

export const databaseChecks = [database, migrations, isolation, partitions, clock]
