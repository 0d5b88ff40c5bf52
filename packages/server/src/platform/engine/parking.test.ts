import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createJobs, type Jobs, runJobs } from '../../../test/flows/support/jobs.ts'
import { handClock } from '../../kernel/clock.ts'
import type { Ref } from '../../kernel/id.ts'
import type { Shard } from '../db/databases.ts'
import {
  clearFailure,
  countParked,
  forgetOldFailures,
  listParked,
  recordFailure,
  releaseParked,
} from './parking.ts'
import { readDue, settle } from './settle.ts'

let jobs: Jobs
let shard: Shard

beforeAll(async () => {
  jobs = await createJobs(inject('postgresUrl'))
  shard = jobs.databases.control
})
afterAll(() => jobs.drop())

const work = runJobs.name
const database = { from: 'database' } as const
const dueIds = async () => {
  const due = await readDue(
    shard,
    jobs.deps(() => {}),
    runJobs,
    100,
  )
  return due.map(({ id }) => id)
}
async function oneJob(): Promise<Ref> {
  const [ref] = await jobs.add(1)
  return ref as Ref
}
const failTimes = async (ref: Ref, times: number) => {
  const failures = []
  for (let time = 0; time < times; time += 1)
    failures.push(await recordFailure(shard, { work, ref, error: new Error('no'), now: database }))
  return failures
}

test('what failed is not due until its wait is over', async () => {
  const ref = await oneJob()
  const clock = handClock(new Date())
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

test('each wait is longer than the one before, and none longer than five minutes', async () => {
  const failures = await failTimes(await oneJob(), 12)
  expect(failures.map(({ failures }) => failures)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  for (const [place, { retrySeconds }] of failures.entries()) {
    const full = Math.min(300, 2 ** Math.min(place, 9))
    expect(retrySeconds).toBeGreaterThanOrEqual(full / 2)
    expect(retrySeconds).toBeLessThanOrEqual(full)
  }
})

test('what failed ten times is parked with its reason, and due again once it is released', async () => {
  const ref = await oneJob()
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

test('a success makes the next failure the first again', async () => {
  const ref = await oneJob()
  await failTimes(ref, 3)
  await clearFailure(shard, work, ref)
  expect(await failTimes(ref, 1)).toMatchObject([{ failures: 1, parked: false }])
})

test('a reason holds no secret and is not endless', async () => {
  const ref = await oneJob()
  const error = new Error(`sk_live_abcdef ${'x'.repeat(10_000)}`)
  await recordFailure(shard, { work, ref, error, now: database })
  const [row] = await jobs.query<{ reason: string }>(
    `select reason from work_failures where reason like '%xxx%'`,
  )
  expect(row?.reason).toMatch(/^Error: \[struck out\] x+$/)
  expect(row?.reason).toHaveLength(500)
})

test('failures are forgotten after a week, but not those that are parked', async () => {
  const [old, fresh, parked] = [await oneJob(), await oneJob(), await oneJob()]
  await failTimes(old, 1)
  await failTimes(fresh, 1)
  await failTimes(parked, 10)
  await jobs.query(`update work_failures set retry_at = now() - interval '8 days' where failures <> 10 and object_id =
    (select object_id from work_failures where failures = 1 order by retry_at limit 1) or parked_at is not null`)
  const before = await jobs.query('select from work_failures')
  await forgetOldFailures(shard)
  expect(await jobs.query('select from work_failures')).toHaveLength(before.length - 1)
  expect((await listParked(shard, [runJobs], 100)).map(({ id }) => id)).toContain(parked.id)
})

test('settle runs what is due until nothing is, and once each', async () => {
  await jobs.query('truncate work_failures')
  const refs = await jobs.add(250)
  await settle(
    jobs.deps(() => {}),
    [runJobs],
  )
  expect(await dueIds()).toEqual([])
  for (const ref of refs.slice(0, 3)) expect(await jobs.handledOf(ref)).toBe(1)
})

test('settle throws what a handler throws', async () => {
  await oneJob()
  const deps = jobs.deps(
    () => {},
    () => Promise.reject(new Error('broken')),
  )
  await expect(settle(deps, [runJobs])).rejects.toThrow('broken')
  await settle(
    jobs.deps(() => {}),
    [runJobs],
  )
})

test('settle names the work that never gets done', async () => {
  await oneJob()
  const idle = { ...runJobs, handle: async () => {} }
  await expect(
    settle(
      jobs.deps(() => {}),
      [idle],
      { maxRounds: 3 },
    ),
  ).rejects.toThrow('Still due after 3 rounds: test_job.run')
})
