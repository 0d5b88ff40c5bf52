// An export with thousands of rows can be cancelled while it runs, and continues after a crash with the same file.

import { afterEach, expect, test } from 'vitest'
import { downloadExport, parseCsv } from '../../../../../test/support/exports.ts'
import { asOwner } from '../../../../../test/support/owner.ts'
import { readParquetRows } from '../../../../../test/support/parquet.ts'
import { writePostings } from '../../../../../test/support/raw-postings.ts'
import { switchyardForThisFile, type Workspace } from '../../../../../test/support/switchyard.ts'
import { type Id, type Ref, uuidOf } from '../../../../kernel/id.ts'
import { watchCrashpoints } from '../../../../platform/crashpoint.ts'
import { runExport } from './run.ts'

const switchyard = await switchyardForThisFile()
afterEach(() => watchCrashpoints(() => {}))

/** Three parts, the first two of at least 2,500 rows. Every third posting belongs to another day. */
const postingCount = 9_000
const effectiveAt = new Date('2026-11-10T12:00:00.000Z')
const otherDayAt = new Date('2026-12-01T00:00:00.000Z')
const postings = Array.from({ length: postingCount }, (_, index) => ({
  amount: index + 1,
  effectiveAt: index % 3 === 2 ? otherDayAt : effectiveAt,
}))
const exportedAmounts = postings
  .filter((posting) => posting.effectiveAt === effectiveAt)
  .map(({ amount }) => amount)
const sum = exportedAmounts.reduce((total, amount) => total + amount, 0)

async function newWorkspace(): Promise<Workspace> {
  const workspace = await switchyard.newWorkspace()
  await writePostings(switchyard.databaseUrl, workspace.workspaceId, postings)
  return workspace
}

async function startExport(workspace: Workspace, format = 'csv') {
  const body = { of: 'ledger_postings', format, from: '2026-11-01', to: '2026-11-30' }
  const { id } = (await workspace.post('/exports', body)).body
  const ref: Ref<'export'> = { workspaceId: workspace.workspaceId as Id<'workspace'>, id }
  return {
    id,
    fetchExport: async () => (await workspace.get(`/exports/${id}`)).body,
    run: () => runExport(switchyard.deps, ref),
  }
}

/** Counts commits, and throws after the given one. */
function crashAfterCommit(nth: number): void {
  let commits = 0
  watchCrashpoints((name) => {
    if (name === 'unit.committed') commits += 1
    if (commits === nth) throw new Error('simulated crash')
  })
}

async function countCommits(run: () => Promise<void>): Promise<number> {
  let commits = 0
  watchCrashpoints((name) => {
    if (name === 'unit.committed') commits += 1
  })
  await run()
  watchCrashpoints(() => {})
  return commits
}

test('after a crash following any commit another worker continues, and the file is the same', async () => {
  const workspace = await newWorkspace()
  const uninterrupted = await startExport(workspace)
  const commits = await countCommits(uninterrupted.run)
  const expected = await uninterrupted.fetchExport()
  // One commit each for the lease, the total, the three parts and the end.
  expect(commits).toBe(6)
  expect(expected).toMatchObject({
    status: 'completed',
    rows: exportedAmounts.length,
    sums: [{ currency: 'eur', amount: sum }],
  })
  const { content } = await downloadExport(workspace, uninterrupted.id)
  const amounts = parseCsv(content.toString()).map(({ amount }) => Number(amount))
  // Ids of one millisecond have no order.
  expect(amounts.toSorted((a, b) => a - b)).toEqual(exportedAmounts)

  for (let nth = 1; nth <= commits; nth += 1) {
    const crashing = await startExport(workspace)
    crashAfterCommit(nth)
    await expect(crashing.run()).rejects.toThrow('simulated crash')
    watchCrashpoints(() => {})
    const afterCrash = await crashing.fetchExport()

    // No other worker continues before the lease expires.
    await crashing.run()
    expect(await crashing.fetchExport()).toEqual(afterCrash)
    switchyard.clock.advance({ seconds: 15 })
    await crashing.run()

    const { file, rows, sums } = expected
    expect(await crashing.fetchExport()).toMatchObject({ status: 'completed', file, rows, sums })
  }
})

test('a Parquet file that was written by two workers has every posting, and the same sums', async () => {
  const workspace = await newWorkspace()
  const uninterrupted = await startExport(workspace, 'parquet')
  await uninterrupted.run()
  const { file, sums } = await uninterrupted.fetchExport()
  const { id, fetchExport, run } = await startExport(workspace, 'parquet')
  crashAfterCommit(3)
  await expect(run()).rejects.toThrow('simulated crash')
  watchCrashpoints(() => {})
  switchyard.clock.advance({ seconds: 15 })
  await run()

  expect(await fetchExport()).toMatchObject({ status: 'completed', file, sums })
  expect(sums).toEqual([{ column: 'amount', currency: 'eur', amount: sum }])
  const rows = readParquetRows((await downloadExport(workspace, id)).content)
  expect(rows).toHaveLength(exportedAmounts.length)
  expect(rows.reduce((total, { amount }) => total + (amount as bigint), 0n)).toBe(BigInt(sum))
})

test('an export that is cancelled while it runs stops, and its parts are deleted', async () => {
  const workspace = await newWorkspace()
  const { id, fetchExport, run } = await startExport(workspace)
  const running = run()
  await expect.poll(async () => (await fetchExport()).rows, { interval: 5 }).toBeGreaterThan(0)

  const { body: cancelled } = await workspace.post(`/exports/${id}/cancel`)
  await running
  await switchyard.settleAll()

  expect(cancelled).toMatchObject({ status: 'cancelled', file: null })
  expect(await fetchExport()).toEqual({ ...cancelled, updated_at: expect.any(String) })
  expect(await countParts(id)).toBe(0)
})

async function countParts(id: Id<'export'>): Promise<number> {
  return asOwner(switchyard.databaseUrl, async (client) => {
    const statement = 'select number from export_parts where export_id = $1'
    return (await client.query(statement, [uuidOf(id)])).rows.length
  })
}

test('a second worker does not touch a running export', async () => {
  const workspace = await newWorkspace()
  const { fetchExport, run } = await startExport(workspace)

  await Promise.all([run(), run()])

  expect(await fetchExport()).toMatchObject({ status: 'completed', rows: exportedAmounts.length })
})

test('postings that are written while the export runs are not included', async () => {
  const workspace = await newWorkspace()
  const { fetchExport, run } = await startExport(workspace)
  await writePostings(switchyard.databaseUrl, workspace.workspaceId, [{ amount: 1, effectiveAt }])
  await run()

  expect(await fetchExport()).toMatchObject({ rows: exportedAmounts.length, sums: [{ amount: sum }] })
})

test('an export fails if the files of the workspace would occupy more than 1 GB', async () => {
  const workspace = await newWorkspace()
  const older = await startExport(workspace)
  await older.run()
  // The actual parts are much smaller. Only the recorded size matters.
  const resize = (bytes: number) =>
    asOwner(switchyard.databaseUrl, (client) =>
      client.query('update exports set bytes = $1 where status = $2', [bytes, 'completed']),
    )
  await resize(1_073_741_824)
  const { id, fetchExport, run } = await startExport(workspace)
  await run()
  await resize(1)

  expect(await fetchExport()).toMatchObject({ status: 'failed', failure: 'too_large', file: null })
  const { values } = await switchyard.deps.financeMetrics.exportsEnded.get()
  expect(values.find(({ labels }) => labels.status === 'failed')?.value).toBe(1)
  expect((await workspace.eventsOf(id)).map(({ type }: { type: string }) => type)).toEqual([
    'export.created',
    'export.failed',
  ])
})
