import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createJobs, type Jobs, runJobs } from '../../../test/flows/support/jobs.ts'
import { runAllDueWork } from '../../../test/support/run-all-due-work.ts'
import { manualClock } from '../../kernel/clock.ts'
import type { Ref } from '../../kernel/id.ts'
import type { Shard } from '../db/databases.ts'
import {
  clearFailure,
  countParked,
  deleteOldFailures,
  listParked,
  recordFailure,
  releaseParked,
} from './parking.ts'
import { readDue } from './read-due.ts'

let jobs: Jobs
let shard: Shard

beforeAll(async () => {
  jobs = await createJobs(inject('postgresUrl'))
  shard = jobs.databases.control
})
afterAll(() => jobs.drop())

const work = runJobs.name
const databaseTime = { from: 'database' } as const
const dueIds = async () => {
  const due = await readDue(
    shard,
    jobs.deps(() => {}),
    runJobs,
    100,
  )
  return due.map(({ id }) => id)
}
async function addJob(): Promise<Ref> {
  const [ref] = await jobs.add(1)
  return ref as Ref
}
const failTimes = async (ref: Ref, times: number) => {
  const failures = []
  for (let time = 0; time < times; time += 1)
    failures.push(await recordFailure(shard, { work, ref, error: new Error('no'), now: databaseTime }))
  return failures
}

test('failed work is not due until its delay has passed', async () => {
  const ref = await addJob()
  const clock = manualClock(new Date())
  clock.advance({ minutes: 1 })
  const deps = { ...jobs.deps(() => {}), clock }
  const now = clock.read()
  const { retrySeconds } = await recordFailure(shard, { work, ref, error: new Error('no'), now })

  expect(retrySeconds).toBeGreaterThanOrEqual(0.5)
  expect(retrySeconds).toBeLessThanOrEqual(1)
  expect((await readDue(shard, deps, runJobs, 100)).map(({ id }) => id)).not.toContain(ref.id)
  clock.advance({ seconds: 1 })
  expect((await readDue(shard, deps, runJobs, 100)).map(({ id }) => id)).toContain(ref.id)
})

test('each delay is longer than the one before, and none exceeds five minutes', async () => {
  const failures = await failTimes(await addJob(), 12)
  expect(failures.map(({ failures }) => failures)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  for (const [place, { retrySeconds }] of failures.entries()) {
    const maxDelay = Math.min(300, 2 ** Math.min(place, 9))
    expect(retrySeconds).toBeGreaterThanOrEqual(maxDelay / 2)
    expect(retrySeconds).toBeLessThanOrEqual(maxDelay)
  }
})

test('work that failed ten times is parked with its reason, and is due again once released', async () => {
  const ref = await addJob()
  const before = await countParked(shard)
  const failures = await failTimes(ref, 10)

  expect(failures.map(({ parked }) => parked).indexOf(true)).toBe(9)
  expect(await countParked(shard)).toBe(before + 1)
  const [newest] = await listParked(shard, [runJobs], 1)
  expect(newest).toMatchObject({ work, ...ref, failures: 10, reason: 'Error: no' })
  expect(await dueIds()).not.toContain(ref.id)

  expect(await releaseParked(shard, work, ref)).toBe(true)
  expect(await releaseParked(shard, work, ref)).toBe(false)
  expect(await dueIds()).toContain(ref.id)
})

test('a success resets the failure count', async () => {
  const ref = await addJob()
  await failTimes(ref, 3)
  await clearFailure(shard, work, ref)
  expect(await failTimes(ref, 1)).toMatchObject([{ failures: 1, parked: false }])
})

test('a reason contains no secret and is truncated', async () => {
  const ref = await addJob()
  const error = new Error(`sk_live_abcdef ${'x'.repeat(10_000)}`)
  await recordFailure(shard, { work, ref, error, now: databaseTime })
  const [row] = await jobs.query<{ reason: string }>(
    `select reason from work_failures where reason like '%xxx%'`,
  )
  expect(row?.reason).toMatch(/^Error: \[redacted\] x+$/)
  expect(row?.reason).toHaveLength(500)
})

test('failures are deleted after a week, except for parked work', async () => {
  const [old, fresh, parked] = [await addJob(), await addJob(), await addJob()]
  await failTimes(old, 1)
  await failTimes(fresh, 1)
  await failTimes(parked, 10)
  await jobs.query(`update work_failures set retry_at = now() - interval '8 days' where failures <> 10 and object_id =
    (select object_id from work_failures where failures = 1 order by retry_at limit 1) or parked_at is not null`)
  const before = await jobs.query('select from work_failures')
  await deleteOldFailures(shard)
  expect(await jobs.query('select from work_failures')).toHaveLength(before.length - 1)
  expect((await listParked(shard, [runJobs], 100)).map(({ id }) => id)).toContain(parked.id)
})

test('all due work is run, each item once, until nothing is due', async () => {
  await jobs.query('truncate work_failures')
  const refs = await jobs.add(250)
  await runAllDueWork(
    jobs.deps(() => {}),
    [runJobs],
  )
  expect(await dueIds()).toEqual([])
  for (const ref of refs.slice(0, 3)) expect(await jobs.countHandled(ref)).toBe(1)
})

test('an error of a handler is thrown to the caller', async () => {
  await addJob()
  const deps = jobs.deps(
    () => {},
    () => Promise.reject(new Error('broken')),
  )
  await expect(runAllDueWork(deps, [runJobs])).rejects.toThrow('broken')
  await runAllDueWork(
    jobs.deps(() => {}),
    [runJobs],
  )
})

test('work that stays due is named in the error', async () => {
  await addJob()
  const idle = { ...runJobs, handle: async () => {} }
  await expect(
    runAllDueWork(
      jobs.deps(() => {}),
      [idle],
      { maxRounds: 3 },
    ),
  ).rejects.toThrow('Still due after 3 rounds: test_job.run')
})
