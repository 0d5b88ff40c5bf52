/** Minimal work: one transaction with one fenced update, to measure the overhead of the engine. */
import { sql } from 'kysely'
import { Client } from 'pg'
import { systemCaller } from '../../packages/server/src/kernel/caller.ts'
import { machineTime } from '../../packages/server/src/kernel/clock.ts'
import {
  type Id,
  idFromUuid,
  idMaker,
  type Ref,
  randomSlot,
  uuidOf,
} from '../../packages/server/src/kernel/id.ts'
import { dueIn } from '../../packages/server/src/platform/db/due.ts'
import { transact, type UnitDeps } from '../../packages/server/src/platform/db/unit-of-work.ts'
import type { WorkType } from '../../packages/server/src/platform/engine/work.ts'

const schema = `
  create table bench_jobs (
    workspace_id uuid not null, id uuid not null, due_at timestamptz, version int not null default 1,
    handled_at timestamptz, primary key (workspace_id, id));
  create index bench_jobs_due on bench_jobs (due_at) where due_at is not null;
  alter table bench_jobs enable row level security;
  alter table bench_jobs force row level security;
  create policy own_workspace on bench_jobs to switchyard_app using (workspace_id = current_workspace());
  create policy due_anywhere on bench_jobs for select to switchyard_due using (true);
  grant select, update on bench_jobs to switchyard_app;
  grant select on bench_jobs to switchyard_due`

export const updateJob = `update bench_jobs set handled_at = clock_timestamp(), due_at = null, version = version + 1
  where workspace_id = $1 and id = $2 and version = 1`

export const benchJobs: WorkType<UnitDeps, 'customer'> = {
  name: 'bench_job.run',
  objectKind: 'customer',
  due: dueIn({ work: 'bench_job.run', kind: 'customer', table: 'bench_jobs', column: 'due_at' }),
  handle: (deps, ref) =>
    transact(deps, systemCaller(ref), async ({ db }) => {
      await sql`update bench_jobs set handled_at = clock_timestamp(), due_at = null, version = version + 1
        where workspace_id = ${uuidOf(ref.workspaceId)} and id = ${uuidOf(ref.id)} and version = 1`.execute(
        db,
      )
    }),
}

export type Jobs = {
  /** Replaces the jobs with new ones. */
  replace(count: number): Promise<Ref[]>
  countRemaining(): Promise<number>
  /** Jobs per second from the end of the first quarter to the end, by the clock of the database. */
  rate(): Promise<number>
  close(): Promise<void>
}

export async function openJobs(url: string, workspaceId: Id<'workspace'>): Promise<Jobs> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(schema)
  const newUuid = idMaker(machineTime(), randomSlot())
  return {
    async replace(count) {
      const uuids = Array.from({ length: count }, newUuid)
      await client.query('truncate bench_jobs')
      // Due in an hour, so that the reconciler does not find them and only messages start them.
      await client.query(
        `insert into bench_jobs (workspace_id, id, due_at)
         select $1, id, now() + interval '1 hour' from unnest($2::uuid[]) as id`,
        [uuidOf(workspaceId), uuids],
      )
      return uuids.map((uuid) => ({ workspaceId, id: idFromUuid('customer', 'test', uuid) }))
    },
    async countRemaining() {
      const { rows } = await client.query('select count(*) from bench_jobs where handled_at is null')
      return Number(rows[0].count)
    },
    async rate() {
      // The first quarter is the warm-up of a new process.
      const { rows } = await client.query(`
        select count(*) / extract(epoch from max(handled_at) - min(handled_at)) as rate
        from (select handled_at, percent_rank() over (order by handled_at) as rank from bench_jobs) as handled
        where rank > 0.25`)
      return Number(rows[0].rate)
    },
    close: () => client.end(),
  }
}
