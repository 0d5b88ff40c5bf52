import { expect, test } from 'vitest'
import { asOwner } from '../../../../test/support/owner.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import { verifyAuditLog } from './service.ts'

const switchyard = await switchyardForThisFile()

async function workspaceWithAuditEntries() {
  const workspace = await switchyard.newWorkspace()
  await Promise.all(
    Array.from({ length: 8 }, (_, nth) =>
      workspace.post('/api-tokens', { name: `T${nth}`, role: 'SUPPORT' }),
    ),
  )
  const id = workspace.workspaceId as Id<'workspace'>
  const verify = async () =>
    (await verifyAuditLog(switchyard.deps, systemCaller({ workspaceId: id, id }))).brokenAt
  const tamper = (statement: string) =>
    asOwner(switchyard.databaseUrl, (client) => client.query(statement, [uuidOf(id)]))
  return { ...workspace, verify, tamper }
}

test('concurrent actions are numbered without gaps, and the chain verifies', async () => {
  const { get, verify } = await workspaceWithAuditEntries()

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
  ['the newest entries were removed', 'delete from audit_entries where workspace_id = $1 and number > 8', 9n],
  [
    'two entries were swapped',
    'update audit_entries set number = case number when 4 then 104 else 4 end where workspace_id = $1 and number in (4, 5)',
    4n,
  ],
])('verification detects that %s', async (_, statement, number) => {
  const { tamper, verify } = await workspaceWithAuditEntries()

  await tamper(statement)

  expect(await verify()).toBe(number)
})

test('entries can be listed by action, by object or by actor, with one filter at a time', async () => {
  const { get, post } = await workspaceWithAuditEntries()
  const { body: token } = await post('/api-tokens', { name: 'Rolled', role: 'ADMIN' })
  await post(`/api-tokens/${token.id}/revoke`)
  const numbersOf = async (query: string) =>
    (await get(`/audit-entries?${query}`)).body.data.map(({ number }: { number: number }) => number)
  const [, created] = (await get('/audit-entries?limit=2')).body.data

  expect(await numbersOf('act=api_token.revoked')).toEqual([12])
  expect(await numbersOf(`object_id=${token.id}`)).toEqual([12, 11])
  expect((await numbersOf(`api_token_id=${created.api_token_id}`)).slice(0, 2)).toEqual([12, 11])
  expect(await numbersOf(`person_id=${token.id}`)).toEqual([])
  expect(await get(`/audit-entries?act=api_token.revoked&object_id=${token.id}`)).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/object_id', code: 'not_together' }] },
  })
})
