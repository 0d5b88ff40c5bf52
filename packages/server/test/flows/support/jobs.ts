// A database with test jobs, and the work that handles them when they are due. Like all work, it checks the
// version of the row that it updates. Every run is recorded in a row, so that a test can see which jobs ran
// twice and that the second run had no effect.

import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { Client } from 'pg'
import { systemCaller } from '../../../src/kernel/caller.ts'
import { databaseClock, machineTime } from '../../../src/kernel/clock.ts'
import { type Id, idFromUuid, idMaker, type Ref, randomSlot, uuidOf } from '../../../src/kernel/id.ts'
import { type Databases, openDatabases } from '../../../src/platform/db/databases.ts'
import { dueIn } from '../../../src/platform/db/due.ts'
import { migrate } from '../../../src/platform/db/migrate.ts'
import { transact, type UnitDeps } from '../../../src/platform/db/unit-of-work.ts'
import type { WorkType } from '../../../src/platform/engine/work.ts'

export type JobDeps = UnitDeps & {
  /** Runs before a job changes its row: a test can make it slow, or fail. */
  readonly beforeJob: (ref: Ref) => Promise<void>
}

const jobsSchema = `
  create table test_jobs (
    workspace_id uuid not null, id uuid not null, due_at timestamptz,
    version int not null default 1, handled int not null default 0,
    added_at timestamptz not null default now(), handled_at timestamptz,
    primary key (workspace_id, id));
  create index test_jobs_due on test_jobs (due_at) where due_at is not null;
  create table test_attempts (workspace_id uuid not null, id uuid not null, stale boolean not null);
  alter table test_jobs enable row level security;
  alter table test_jobs force row level security;
  create policy own_workspace on test_jobs to switchyard_app
    using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
  create policy due_anywhere on test_jobs for select to switchyard_due using (true);
  grant select, insert, update on test_jobs to switchyard_app;
  grant insert on test_attempts to switchyard_app;
  grant select (workspace_id, id, due_at) on test_jobs to switchyard_due`

export const runJobs: WorkType<JobDeps, 'customer'> = {
  name: 'test_job.run',
  objectKind: 'customer',
  due: dueIn({ work: 'test_job.run', kind: 'customer', table: 'test_jobs', column: 'due_at' }),
  handle: runJob,
}

async function runJob(deps: JobDeps, ref: Ref): Promise<void> {
  await deps.beforeJob(ref)
  await transact(deps, systemCaller(ref), async ({ db }) => {
    const [workspace, id] = [uuidOf(ref.workspaceId), uuidOf(ref.id)]
    const { rows } = await sql<{ version: number; due: boolean }>`
      select version, coalesce(due_at <= now(), false) as due from test_jobs
      where workspace_id = ${workspace} and id = ${id}`.execute(db)
    const job = rows[0]
    if (job === undefined) return
    const attempt = sql`insert into test_attempts (workspace_id, id, stale)
      values (${workspace}, ${id}, ${!job.due})`.execute(db)
    if (!job.due) return void (await attempt)
    await Promise.all([
      attempt,
      sql`update test_jobs set handled = handled + 1, handled_at = clock_timestamp(), due_at = null,
        version = version + 1
        where workspace_id = ${workspace} and id = ${id} and due_at is not null and version = ${job.version}
        `.execute(db),
    ])
  })
}

export type Jobs = {
  readonly url: string
  readonly databases: Databases
  readonly workspaceId: Id<'workspace'>
  deps(publish: UnitDeps['publish'], beforeJob?: JobDeps['beforeJob']): JobDeps
  /** Adds jobs that are due in `inSeconds` seconds; returns their refs. */
  add(count: number, inSeconds?: number): Promise<Ref[]>
  /** Makes a job due again. */
  makeDueAgain(ref: Ref): Promise<void>
  /** How many times the job was handled. */
  countHandled(ref: Ref): Promise<number>
  query<Row>(text: string): Promise<Row[]>
  drop(): Promise<void>
}

/** Creates a database with one workspace on the PostgreSQL server of the test run. */
export async function createJobs(serverUrl: string, poolSize = 10): Promise<Jobs> {
  const name = `jobs_${randomBytes(6).toString('hex')}`
  await run(serverUrl, `create database ${name}`)
  const url = serverUrl.replace(/\/[^/]*$/, `/${name}`)
  await migrate(url)
  const owner = new Client({ connectionString: url })
  await owner.connect()
  await owner.query(jobsSchema)
  const newUuid = idMaker(machineTime(), randomSlot())
  const workspaceId = idFromUuid('workspace', 'test', newUuid())
  await owner.query(
    `insert into workspaces (workspace_id, organization_id, name, mode, api_version, created_at, updated_at)
     values ($1, $1, 'jobs', 'test', '2026-01-01', now(), now())`,
    [uuidOf(workspaceId)],
  )
  const databases = openJobDatabases(url, poolSize)
  const countHandled = (ref: Ref) =>
    owner
      .query('select handled from test_jobs where id = $1', [uuidOf(ref.id)])
      .then(({ rows }) => rows[0].handled)
  return {
    url,
    databases,
    workspaceId,
    deps: (publish, beforeJob) => jobDeps(databases, publish, beforeJob),
    async add(count, inSeconds = 0) {
      const uuids = Array.from({ length: count }, newUuid)
      await owner.query(
        `insert into test_jobs (workspace_id, id, due_at)
         select $1, id, date_trunc('milliseconds', now()) + $3 * interval '1 second' - place * interval '1 microsecond'
         from unnest($2::uuid[]) with ordinality as job (id, place)`,
        [uuidOf(workspaceId), uuids, inSeconds],
      )
      return uuids.map((uuid) => ({ workspaceId, id: idFromUuid('customer', 'test', uuid) }))
    },
    async makeDueAgain(ref) {
      await owner.query('update test_jobs set due_at = now(), version = version + 1 where id = $1', [
        uuidOf(ref.id),
      ])
    },
    countHandled,
    query: async (text) => (await owner.query(text)).rows,
    async drop() {
      await databases.close()
      await owner.end()
      await run(serverUrl, `drop database ${name} with (force)`)
    },
  }
}

export function openJobDatabases(url: string, poolSize: number): Databases {
  return openDatabases({ url, poolSize, onError: () => {} })
}

export function jobDeps(
  databases: Databases,
  publish: UnitDeps['publish'],
  beforeJob: JobDeps['beforeJob'] = async () => {},
): JobDeps {
  return {
    databases,
    clock: databaseClock,
    eventLog: {
      insertEvents: () => {
        throw new Error('Jobs emit no events.')
      },
      hintsOf: () => [],
      announce: () => {},
    },
    eventToVersion: (_version, _type, object) => object,
    pagesOf: () => ({ invoicePage: () => null, cardPage: () => null }),
    publish,
    beforeJob,
  }
}

async function run(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}
