import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createJobs, type Jobs } from '../../../test/flows/support/jobs.ts'
import { partitionedTables } from '../db/partitions.ts'
import { createLog } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { createMaintenance, runMaintenance } from './maintenance.ts'

let jobs: Jobs
beforeAll(async () => {
  jobs = await createJobs(inject('postgresUrl'))
})
afterAll(() => jobs.drop())

const options = () => ({
  shard: jobs.databases.control,
  databaseUrl: jobs.url,
  log: createLog('silent'),
  metrics: createMetrics(),
})
const partitionsOf = (table: string) =>
  jobs.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = '${table}'::regclass order by 1 desc`,
  )

test('a missing partition is created', async () => {
  const before = await partitionsOf('request_log')
  // Sorted by name in descending order: the default partition first, then the one furthest in the future.
  await jobs.query(`drop table ${before[1]?.name}`)
  await runMaintenance(options())
  expect(await partitionsOf('request_log')).toEqual(before)
})

test('rows in the default partition are reported', async () => {
  const { metrics, ...rest } = options()
  const strayRows = async () =>
    Object.fromEntries((await metrics.strayRows.get()).values.map((v) => [v.labels.table, v.value]))
  await runMaintenance({ ...rest, metrics })
  const none = Object.fromEntries(partitionedTables.map(({ table }) => [table, 0]))
  expect(await strayRows()).toEqual(none)

  await jobs.query(`insert into idempotency_keys (workspace_id, id, scope, fingerprint, request_id, status, body)
    values (gen_random_uuid(), 'ffffffff-0000-7000-8000-000000000000', sha256(''), sha256(''), gen_random_uuid(), 200, '')`)
  await runMaintenance({ ...rest, metrics })
  expect(await strayRows()).toEqual({ ...none, idempotency_keys: 1 })
})

test('partitions still missing after the maintenance run are reported, and so is the time of the run', async () => {
  const { metrics, ...rest } = options()
  await runMaintenance({ ...rest, metrics })

  const { values } = await metrics.partitionsMissing.get()
  expect(values.map(({ labels, value }) => [labels.stretch, value])).toEqual([
    ['now', 0],
    ['next', 0],
  ])
  expect((await metrics.maintenanceDoneAt.get()).values[0]?.value).toBeGreaterThan(1_700_000_000)
})

test('expired CVC keys are destroyed, and the current one is not', async () => {
  const currentPeriod = 'floor(extract(epoch from now()) / 1800)::int'
  const keysAt = (period: string) =>
    [0, 1, 2]
      .map((table) => `select period from vault.code_keys_${table} where period = ${period}`)
      .join(' union ')
  for (const table of [0, 1, 2]) {
    await jobs.query(`insert into vault.code_keys_${table} (period, key)
      select period, sha256('') from unnest(array[${currentPeriod}, ${currentPeriod} - 2]) as period where period % 3 = ${table}`)
  }

  await runMaintenance(options())

  expect(await jobs.query(keysAt(currentPeriod))).toHaveLength(1)
  expect(await jobs.query(keysAt(`${currentPeriod} - 2`))).toEqual([])
})

test('the jobs run immediately, and then not for an hour', async () => {
  const maintenance = createMaintenance(options())
  const before = await partitionsOf('request_log')
  maintenance.runIfDue()
  await maintenance.stop()
  await jobs.query(`drop table ${before[1]?.name}`)
  maintenance.runIfDue()
  await maintenance.stop()
  expect(await partitionsOf('request_log')).toHaveLength(before.length - 1)
})

test('a process that is no longer the leader exports no partition metrics, even if maintenance was running', async () => {
  const { metrics, ...rest } = options()
  const maintenance = createMaintenance({ ...rest, metrics })
  const reportedValues = async () => [
    ...(await metrics.strayRows.get()).values,
    ...(await metrics.partitionsMissing.get()).values,
  ]
  maintenance.runIfDue()
  await maintenance.stop()
  expect(await reportedValues()).not.toEqual([])

  maintenance.resetMetrics()
  expect(await reportedValues()).toEqual([])

  maintenance.runIfDue()
  maintenance.resetMetrics()
  await maintenance.stop()
  expect(await reportedValues()).toEqual([])
  maintenance.runIfDue()
  await maintenance.stop()
  expect(await reportedValues()).not.toEqual([])
})

test('counters of failed sign-ins are deleted two hours after the last attempt', async () => {
  await jobs.query(`insert into control.sign_in_tries (key, wrong, tried_at)
    select sha256(nth::text::bytea), 1, now() - interval '3 hours' from generate_series(1, 12000) as nth
    union all select sha256('recent'), 1, now() - interval '1 hour'`)

  await runMaintenance(options())

  expect(await jobs.query(`select key = sha256('recent') as is_recent from control.sign_in_tries`)).toEqual([
    { is_recent: true },
  ])
})

test('responses of the control plane are deleted after seven days', async () => {
  await jobs.query(`insert into control.idempotency_keys
      (workspace_id, scope, fingerprint, request_id, status, body, created_at)
    select gen_random_uuid(), sha256(nth::text::bytea), sha256('request'), gen_random_uuid(), 200, '{}',
      now() - nth * interval '1 day' - interval '1 hour' from generate_series(5, 8) as nth`)

  await runMaintenance(options())

  expect(
    await jobs.query(`select extract(day from now() - created_at)::int as days
      from control.idempotency_keys order by 1`),
  ).toEqual([{ days: 5 }, { days: 6 }])
})

test('organizations that stay in creation for an hour are deleted, with their workspaces and tokens', async () => {
  await jobs.query(`insert into control.organizations (id, name, state, created_at, updated_at)
    select gen_random_uuid(), name, state, now() - age, now() from (values
      ('old', 'creating', interval '61 minutes'), ('new', 'creating', interval '59 minutes'),
      ('ready', 'ready', interval '61 minutes')) as organization (name, state, age)`)
  await jobs.query(`insert into control.workspaces (id, organization_id, mode, state, created_at)
    select gen_random_uuid(), id, 'live', 'ready', created_at from control.organizations`)
  await jobs.query(`insert into control.api_token_secrets (hash, workspace_id, api_token_id, created_at)
    select sha256(id::text::bytea), id, id, now() from control.workspaces`)

  await runMaintenance(options())

  const left =
    await jobs.query(`select name, count(hash)::int as tokens from control.organizations as organization
    left join control.workspaces on organization_id = organization.id
    left join control.api_token_secrets on workspace_id = workspaces.id group by name order by name`)
  expect(left).toEqual([
    { name: 'new', tokens: 1 },
    { name: 'ready', tokens: 1 },
  ])
  expect(await jobs.query('select hash from control.api_token_secrets')).toHaveLength(2)
})
