import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import { systemCaller } from '../../kernel/caller.ts'
import { type Id, uuidOf } from '../../kernel/id.ts'
import { asOwner } from '../../platform/db/owner.ts'
import { verifyAuditLog } from './service.ts'

const switchyard = await switchyardForThisFile()

async function aWorkspaceWithActs() {
  const workspace = await switchyard.newWorkspace()
  await Promise.all(
    Array.from({ length: 8 }, (_, place) =>
      workspace.post('/api-tokens', { name: `T${place}`, role: 'SUPPORT' }),
    ),
  )
  const id = workspace.workspaceId as Id<'workspace'>
  const verify = async () =>
    (await verifyAuditLog(switchyard.deps, systemCaller({ workspaceId: id, id }))).brokenAt
  const tamper = (statement: string) =>
    asOwner(switchyard.databaseUrl, (client) => client.query(statement, [uuidOf(id)]))
  return { ...workspace, verify, tamper }
}

test('acts that happen at once are numbered without a gap, and the chain holds', async () => {
  const { get, verify } = await aWorkspaceWithActs()

  const { body } = await get('/audit-entries?limit=100')

  const numbers = body.data.map((entry: { number: number }) => entry.number)
  expect(numbers.toSorted((a: number, b: number) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect(await verify()).toBeNull()
})

test.each([
  [
    'an entry was edited',
    `update audit_entries set entry = replace(entry, 'SUPPORT', 'ADMIN') where workspace_id = $1 and number = 5`,
    5n,
  ],
  ['an entry was removed', 'delete from audit_entries where workspace_id = $1 and number = 5', 5n],
  ['the newest entries were cut off', 'delete from audit_entries where workspace_id = $1 and number > 8', 9n],
  [
    'two entries were swapped',
    'update audit_entries set number = case number when 4 then 104 else 4 end where workspace_id = $1 and number in (4, 5)',
    4n,
  ],
])('the chain shows that %s', async (_, statement, number) => {
  const { tamper, verify } = await aWorkspaceWithActs()

  await tamper(statement)

  expect(await verify()).toBe(number)
})
