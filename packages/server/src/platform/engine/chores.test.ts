import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createJobs, type Jobs } from '../../../test/flows/support/jobs.ts'
import { partitionedTables } from '../db/partitions.ts'
import { createLog } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { createChores, runChores } from './chores.ts'

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

test('a partition that is missing is made', async () => {
  const before = await partitionsOf('request_log')
  // The first in this order is the default, the second the one furthest ahead.
  await jobs.query(`drop table ${before[1]?.name}`)
  await runChores(options())
  expect(await partitionsOf('request_log')).toEqual(before)
})

test('rows that found no partition are reported', async () => {
  const { metrics, ...rest } = options()
  const strays = async () =>
    Object.fromEntries((await metrics.strayRows.get()).values.map((v) => [v.labels.table, v.value]))
  await runChores({ ...rest, metrics })
  const none = Object.fromEntries(partitionedTables.map(({ table }) => [table, 0]))
  expect(await strays()).toEqual(none)

  await jobs.query(`insert into idempotency_keys (workspace_id, id, scope, fingerprint, request_id, status, body)
    values (gen_random_uuid(), 'ffffffff-0000-7000-8000-000000000000', sha256(''), sha256(''), gen_random_uuid(), 200, '')`)
  await runChores({ ...rest, metrics })
  expect(await strays()).toEqual({ ...none, idempotency_keys: 1 })
})

test('what is missing after the chores is told, and when they were done', async () => {
  const { metrics, ...rest } = options()
  await runChores({ ...rest, metrics })

  const { values } = await metrics.partitionsMissing.get()
  expect(values.map(({ labels, value }) => [labels.stretch, value])).toEqual([
    ['now', 0],
    ['next', 0],
  ])
  expect((await metrics.choresDoneAt.get()).values[0]?.value).toBeGreaterThan(1_700_000_000)
})

test('keys of security codes whose time is over are destroyed, and the present one is not', async () => {
  const present = 'floor(extract(epoch from now()) / 1800)::int'
  const keysAt = (period: string) =>
    [0, 1, 2]
      .map((place) => `select period from vault.code_keys_${place} where period = ${period}`)
      .join(' union ')
  for (const place of [0, 1, 2]) {
    await jobs.query(`insert into vault.code_keys_${place} (period, key)
      select period, sha256('') from unnest(array[${present}, ${present} - 2]) as period where period % 3 = ${place}`)
  }

  await runChores(options())

  expect(await jobs.query(keysAt(present))).toHaveLength(1)
  expect(await jobs.query(keysAt(`${present} - 2`))).toEqual([])
})

test('they run at once, and then not for an hour', async () => {
  const chores = createChores(options())
  const before = await partitionsOf('request_log')
  chores.runIfDue()
  await chores.stop()
  await jobs.query(`drop table ${before[1]?.name}`)
  chores.runIfDue()
  await chores.stop()
  expect(await partitionsOf('request_log')).toHaveLength(before.length - 1)
})

test('a process that leads no longer says nothing of partitions, also if it was about to', async () => {
  const { metrics, ...rest } = options()
  const chores = createChores({ ...rest, metrics })
  const told = async () => [
    ...(await metrics.strayRows.get()).values,
    ...(await metrics.partitionsMissing.get()).values,
  ]
  chores.runIfDue()
  await chores.stop()
  expect(await told()).not.toEqual([])

  chores.forget()
  expect(await told()).toEqual([])

  chores.runIfDue()
  chores.forget()
  await chores.stop()
  expect(await told()).toEqual([])
  chores.runIfDue()
  await chores.stop()
  expect(await told()).not.toEqual([])
})
