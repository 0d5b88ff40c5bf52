// The roll-up adds each posting once, even if it is stopped, repeated or run concurrently, or a posting is committed late.

import { expect, test } from 'vitest'
import { inTransaction } from '../../../../test/support/invoices.ts'
import { ledgerDifferences } from '../../../../test/support/ledger.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { beginPostings, type RawPosting, writePostings } from '../../../../test/support/raw-postings.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import { rollUpBalances, rollUpBatch } from './service/roll-up.ts'

const switchyard = await switchyardForThisFile()
const { deps, databaseUrl } = switchyard

async function newWorkspace() {
  const workspace = await switchyard.newWorkspace()
  const id = workspace.workspaceId as Id<'workspace'>
  const query = async (text: string, values: readonly unknown[] = []) =>
    (await asOwner(databaseUrl, (client) => client.query(text, [uuidOf(id), ...values]))).rows
  return {
    query,
    rollUp: () => rollUpBalances(deps, { workspaceId: id, id }),
    inTransaction: <T>(body: Parameters<typeof inTransaction<T>>[2]) => inTransaction(deps, id, body),
    begin: () => beginPostings(databaseUrl, id),
    write: (...postings: readonly RawPosting[]) => writePostings(databaseUrl, id, postings),
    differences: () => ledgerDifferences(deps, id),
    /** The stored sum, and the balance that the API returns. */
    sums: async () => {
      const [row] = await query(
        `select coalesce(sum(debits), 0)::int as stored from ledger_balances
         where workspace_id = $1 and account = 'cash'`,
      )
      const { body } = await workspace.get('/balances')
      const cash = body.data.find(({ account }: { account: string }) => account === 'cash')
      return { stored: row.stored, balance: cash?.amount ?? 0 }
    },
  }
}

const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1_000)

test('six concurrent runs and a seventh after them add each posting once', async () => {
  const workspace = await newWorkspace()
  await workspace.write(...Array.from({ length: 40 }, () => ({ amount: 100 })))

  await Promise.all(Array.from({ length: 6 }, workspace.rollUp))
  await workspace.rollUp()

  expect(await workspace.sums()).toEqual({ stored: 4000, balance: 4000 })
  expect(await workspace.differences()).toEqual([])
})

test('a run that is killed before its commit adds nothing, and the next run adds all postings', async () => {
  const workspace = await newWorkspace()
  await workspace.write({ amount: 100 })

  const killed = workspace.inTransaction(async (tx) => {
    await rollUpBatch(tx, 10)
    throw new Error('The process was killed.')
  })
  await expect(killed).rejects.toThrow('killed')
  expect(await workspace.sums()).toEqual({ stored: 0, balance: 100 })
  await workspace.rollUp()

  expect(await workspace.sums()).toEqual({ stored: 100, balance: 100 })
})

test('a posting that is committed late is added, although a later posting was already added', async () => {
  const workspace = await newWorkspace()
  const [slow, quick] = [await workspace.begin(), await workspace.begin()]
  await slow.insert([{ amount: 1 }])
  await quick.insert([{ amount: 10 }])

  await quick.commit()
  await workspace.rollUp()
  expect(await workspace.sums()).toEqual({ stored: 10, balance: 10 })
  await slow.commit()
  expect(await workspace.sums()).toEqual({ stored: 10, balance: 11 })
  expect(await workspace.differences()).toEqual([])
  await workspace.rollUp()
  await workspace.write({ amount: 100 })
  await workspace.rollUp()

  expect(await workspace.sums()).toEqual({ stored: 111, balance: 111 })
  expect(await workspace.differences()).toEqual([])
})

test('balances are exact while postings are written and rolled up concurrently', async () => {
  const workspace = await newWorkspace()
  let written = 0
  const write = async () => {
    for (let round = 0; round < 15; round += 1) {
      await workspace.write({ amount: 1 }, { amount: 1 })
      written += 2
    }
  }
  const rollUp = async () => {
    for (let round = 0; round < 15; round += 1) await workspace.rollUp()
  }
  const read = async () => {
    for (let round = 0; round < 15; round += 1) {
      const before = written
      const { balance } = await workspace.sums()
      expect(balance).toBeGreaterThanOrEqual(before)
      expect(balance % 2).toBe(0)
      expect(balance).toBeLessThanOrEqual(60)
    }
  }

  await Promise.all([write(), write(), rollUp(), rollUp(), read()])
  await workspace.rollUp()

  expect(await workspace.sums()).toEqual({ stored: 60, balance: 60 })
})

test('a backlog is rolled up in batches, and balances are exact in between', async () => {
  const workspace = await newWorkspace()
  // Postings of one transaction have the same time, and are in the same batch.
  await workspace.write(
    ...[300, 300, 200, 200, 200, 100].map((age) => ({ amount: 1, bookedAt: secondsAgo(age) })),
  )
  await workspace.write({ amount: 1 })
  const rollUpTwo = () => workspace.inTransaction((tx) => rollUpBatch(tx, 2))
  const cursor = async () =>
    (
      await workspace.query('select rolled_up_snapshot, due_at from ledger_cursors where workspace_id = $1')
    )[0]

  const stored: number[] = []
  for (let run = 0; run < 5; run += 1) {
    await rollUpTwo()
    const { stored: sum, balance } = await workspace.sums()
    expect(balance).toBe(7)
    expect(await workspace.differences()).toEqual([])
    stored.push(sum)
    expect((await cursor()).rolled_up_snapshot === null).toBe(sum < 7)
  }

  expect(stored[0]).toBe(2)
  expect(stored.at(-1)).toBe(7)
  expect(stored).toEqual(stored.toSorted((a, b) => a - b))
})

test('the roll-up continues after a restore from a dump, which resets transaction ids', async () => {
  const workspace = await newWorkspace()
  const setTransaction = (amount: number, txid: string) =>
    workspace.query(
      'update ledger_postings set txid = $3::text::xid8 where workspace_id = $1 and amount = $2',
      [amount, txid],
    )
  await workspace.write({ amount: 1 })
  await workspace.rollUp()
  // In the old database, the second posting was committed after the snapshot, but its transaction had begun before.
  await workspace.write({ amount: 10, bookedAt: secondsAgo(10) })
  await setTransaction(1, '8999999999')
  await setTransaction(10, '9000000000')
  await workspace.query(
    `update ledger_cursors set rolled_up_snapshot = '9000000000:9000000000:' where workspace_id = $1`,
  )
  await workspace.write({ amount: 100 })

  expect(await workspace.sums()).toEqual({ stored: 1, balance: 111 })
  expect(await workspace.differences()).toEqual([])
  await workspace.rollUp()
  expect(await workspace.sums()).toEqual({ stored: 111, balance: 111 })
  await workspace.write({ amount: 1000 })
  await workspace.rollUp()

  expect(await workspace.sums()).toEqual({ stored: 1111, balance: 1111 })
  expect(await workspace.differences()).toEqual([])
})

test('the first roll-up after a restore adds all postings of a workspace that had none rolled up', async () => {
  const workspace = await newWorkspace()
  await workspace.write({ amount: 1 }, { amount: 10, bookedAt: secondsAgo(100) })
  await workspace.query(`update ledger_postings set txid = '9000000000'::xid8 where workspace_id = $1`)

  expect(await workspace.sums()).toEqual({ stored: 0, balance: 11 })
  await workspace.rollUp()
  await workspace.rollUp()

  expect(await workspace.sums()).toEqual({ stored: 11, balance: 11 })
  expect(await workspace.differences()).toEqual([])
})

test('in an idle workspace the roll-up runs less often, and balances still include new postings immediately', async () => {
  const workspace = await newWorkspace()
  const waits: number[] = []
  for (let run = 0; run < 12; run += 1) {
    await workspace.rollUp()
    const [row] = await workspace.query('select due_at from ledger_cursors where workspace_id = $1')
    const reading = switchyard.clock.read()
    waits.push((row.due_at.getTime() - (reading.from === 'harness' ? reading.at.getTime() : 0)) / 1000)
  }

  expect(waits).toEqual(waits.toSorted((a, b) => a - b))
  expect([waits[0], waits.at(-1)]).toEqual([20, 3_600])
  await workspace.write({ amount: 1 })
  expect(await workspace.sums()).toEqual({ stored: 0, balance: 1 })
})

test('background work rolls postings up without a message', async () => {
  const workspace = await newWorkspace()
  await workspace.write({ amount: 5 })
  switchyard.clock.advance({ hours: 1 })
  await switchyard.settle()

  expect(await workspace.sums()).toEqual({ stored: 5, balance: 5 })
})
