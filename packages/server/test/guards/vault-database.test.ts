// The vault in the database: which roles can read it, and which of its tables are written to the write-ahead
// log.

import { beforeAll, describe, expect, test } from 'vitest'
import { type Id, uuidOf } from '../../src/kernel/id.ts'
import { asOwner } from '../support/owner.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'

const switchyard = await switchyardForThisFile()
const workspace = await switchyard.newWorkspace()
const otherWorkspace = await switchyard.newWorkspace()
const uuidsOf = (...workspaces: { workspaceId: string }[]) =>
  workspaces.map(({ workspaceId }) => uuidOf(workspaceId as Id<'workspace'>))
/** The error code of PostgreSQL for a missing grant and for a violated row-level security policy. */
const insufficientPrivilege = '42501'

beforeAll(async () => {
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2036, cvc: '123' }
  for (const { post } of [workspace, otherWorkspace]) {
    expect((await post('/tokens', { type: 'card', card })).status).toBe(201)
  }
})

// biome-ignore lint/suspicious/noExplicitAny: the type of the rows depends on the statement.
const queryRows = (text: string, values: unknown[] = []): Promise<any[]> =>
  asOwner(switchyard.databaseUrl, async (client) => (await client.query(text, values)).rows)

/** The privileges of a role on tables of a schema, such as `cards SELECT`. */
async function privileges(role: string, schema: string): Promise<string[]> {
  const found = await queryRows(
    `select relname, privilege from pg_class,
       unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) as privilege
     where relkind in ('r', 'p', 'v', 'm') and relnamespace = $2::regnamespace
       and (has_table_privilege($1, pg_class.oid, privilege)
         or (privilege in ('SELECT', 'INSERT', 'UPDATE') and has_any_column_privilege($1, pg_class.oid, privilege)))
     order by 1, 2`,
    [role, schema],
  )
  return found.map(({ relname, privilege }) => `${relname} ${privilege}`)
}

test.each(['switchyard_app', 'switchyard_log', 'switchyard_control', 'switchyard_delivery'])(
  '%s, which serves requests, has no privileges in the vault',
  async (role) => {
    expect(await privileges(role, 'vault')).toEqual([])
    expect(await queryRows("select has_schema_privilege($1, 'vault', 'usage') as allowed", [role])).toEqual([
      { allowed: false },
    ])
  },
)

test('outside the vault schema, the role of the vault can access only the keys and the placement of a workspace', async () => {
  expect(await privileges('switchyard_vault', 'public')).toEqual([
    'placements SELECT',
    'workspace_keys INSERT',
    'workspace_keys SELECT',
  ])
  expect(await privileges('switchyard_vault', 'control')).toEqual([])
})

test('the role that finds due work can read expiry times in the vault, but no cards', async () => {
  const columns = await queryRows(
    `select distinct column_name from information_schema.column_privileges
     where grantee = 'switchyard_due' and table_schema = 'vault' order by 1`,
  )

  expect(columns).toEqual([{ column_name: 'expires_at' }, { column_name: 'workspace_id' }])
})

test('CVCs and their keys are in unlogged tables, so that deleted ones are not in the write-ahead log', async () => {
  const tables = await queryRows(
    `select relname as name, relpersistence as persistence from pg_class
     where relnamespace = 'vault'::regnamespace and relkind = 'r' order by 1`,
  )

  const [logged, unlogged] = ['p', 'u']
  expect(tables).toEqual([
    { name: 'cards', persistence: logged },
    { name: 'code_keys_0', persistence: unlogged },
    { name: 'code_keys_1', persistence: unlogged },
    { name: 'code_keys_2', persistence: unlogged },
    { name: 'security_codes', persistence: unlogged },
  ])
})

describe.each(['cards', 'security_codes'])('vault.%s', (table) => {
  test('has row-level security, which also applies to its owner', async () => {
    const [found] = await queryRows(
      'select relrowsecurity, relforcerowsecurity from pg_class where oid = $1::regclass',
      [`vault.${table}`],
    )

    expect(found).toEqual({ relrowsecurity: true, relforcerowsecurity: true })
  })

  test('shows only rows of the current workspace, and none if no workspace is set', async () => {
    const [ownId, otherId] = uuidsOf(workspace, otherWorkspace)
    const all = await queryRows(`select workspace_id::text from vault.${table}`)
    expect(all.map(({ workspace_id }) => workspace_id)).toEqual(expect.arrayContaining([ownId, otherId]))

    expect(await asVault(null, `select workspace_id from vault.${table}`)).toEqual([])
    expect(await asVault(ownId, `select distinct workspace_id from vault.${table}`)).toEqual([
      { workspace_id: ownId },
    ])
  })

  test('rejects writes into another workspace', async () => {
    const [ownId, otherId] = uuidsOf(workspace, otherWorkspace)
    const insert = `insert into vault.${table} (workspace_id) values ('${otherId}')`
    const moveAway = `update vault.${table} set workspace_id = '${otherId}' where workspace_id = '${ownId}'`

    await expect(asVault(ownId, insert)).rejects.toMatchObject({ code: insufficientPrivilege })
    await expect(asVault(ownId, moveAway)).rejects.toMatchObject({ code: insufficientPrivilege })
    expect(
      await asVault(ownId, `delete from vault.${table} where workspace_id = '${otherId}' returning 1`),
    ).toEqual([])
  })
})

/** Runs a statement with the role and settings of the vault, and rolls back. */
function asVault(workspaceUuid: string | null | undefined, statement: string) {
  return asOwner(switchyard.databaseUrl, async (client) => {
    await client.query('begin; set local role switchyard_vault')
    if (workspaceUuid) await client.query("select set_config('app.workspace', $1, true)", [workspaceUuid])
    const { rows } = await client.query(statement)
    await client.query('rollback')
    return rows
  })
}
