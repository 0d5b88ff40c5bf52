// The vault at the database itself: who may read what lies there, and what of it may reach a log or a disk.

import { beforeAll, describe, expect, test } from 'vitest'
import { type Id, uuidOf } from '../../src/kernel/id.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'

const switchyard = await switchyardForThisFile()
const ours = await switchyard.newWorkspace()
const theirs = await switchyard.newWorkspace()
const uuidsOf = (...workspaces: { workspaceId: string }[]) =>
  workspaces.map(({ workspaceId }) => uuidOf(workspaceId as Id<'workspace'>))
/** What Postgres says to who may not: by a grant, or by row-level security. */
const notAllowed = '42501'

beforeAll(async () => {
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2036, cvc: '123' }
  for (const { post } of [ours, theirs]) {
    expect((await post('/tokens', { type: 'card', card })).status).toBe(201)
  }
})

// biome-ignore lint/suspicious/noExplicitAny: rows are what the statement says.
const ask = (text: string, values: unknown[] = []): Promise<any[]> =>
  asOwner(switchyard.databaseUrl, async (client) => (await client.query(text, values)).rows)

/** What a role may do with tables of a schema, a line each. */
async function privileges(role: string, schema: string): Promise<string[]> {
  const found = await ask(
    `select relname, what from pg_class,
       unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) as what
     where relkind in ('r', 'p', 'v', 'm') and relnamespace = $2::regnamespace
       and (has_table_privilege($1, pg_class.oid, what)
         or (what in ('SELECT', 'INSERT', 'UPDATE') and has_any_column_privilege($1, pg_class.oid, what)))
     order by 1, 2`,
    [role, schema],
  )
  return found.map(({ relname, what }) => `${relname} ${what}`)
}

test.each(['switchyard_app', 'switchyard_log', 'switchyard_control', 'switchyard_delivery'])(
  '%s, which serves what the world asks for, has no rights in the vault',
  async (role) => {
    expect(await privileges(role, 'vault')).toEqual([])
    expect(await ask("select has_schema_privilege($1, 'vault', 'usage') as may", [role])).toEqual([
      { may: false },
    ])
  },
)

test('the vault reads the sealed keys of workspaces, and nothing else outside', async () => {
  expect(await privileges('switchyard_vault', 'public')).toEqual([
    'workspace_keys INSERT',
    'workspace_keys SELECT',
  ])
  expect(await privileges('switchyard_vault', 'control')).toEqual([])
})

test('whoever looks for due work sees times in the vault, and no card', async () => {
  const columns = await ask(
    `select distinct column_name from information_schema.column_privileges
     where grantee = 'switchyard_due' and table_schema = 'vault' order by 1`,
  )

  expect(columns).toEqual([{ column_name: 'expires_at' }, { column_name: 'workspace_id' }])
})

test('what may never be found again is in no table that is logged', async () => {
  const tables = await ask(
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
  test('has row-level security, for its owner too', async () => {
    const [found] = await ask(
      'select relrowsecurity, relforcerowsecurity from pg_class where oid = $1::regclass',
      [`vault.${table}`],
    )

    expect(found).toEqual({ relrowsecurity: true, relforcerowsecurity: true })
  })

  test('shows the workspace that is set, and nothing while none is', async () => {
    const [our, their] = uuidsOf(ours, theirs)
    const [all] = await ask(`select array_agg(workspace_id::text) as found from vault.${table}`)
    expect(all.found).toEqual(expect.arrayContaining([our, their]))

    expect(await asVault(null, `select workspace_id from vault.${table}`)).toEqual([])
    expect(await asVault(our, `select distinct workspace_id from vault.${table}`)).toEqual([
      { workspace_id: our },
    ])
  })

  test('takes nothing for another workspace', async () => {
    const [our, their] = uuidsOf(ours, theirs)
    const insert = `insert into vault.${table} (workspace_id) values ('${their}')`
    const giveAway = `update vault.${table} set workspace_id = '${their}' where workspace_id = '${our}'`

    await expect(asVault(our, insert)).rejects.toMatchObject({ code: notAllowed })
    await expect(asVault(our, giveAway)).rejects.toMatchObject({ code: notAllowed })
    expect(
      await asVault(our, `delete from vault.${table} where workspace_id = '${their}' returning 1`),
    ).toEqual([])
  })
})

/** As the vault meets the database; nothing that happens here stays. */
function asVault(workspace: string | null | undefined, statement: string) {
  return asOwner(switchyard.databaseUrl, async (client) => {
    await client.query('begin; set local role switchyard_vault')
    if (workspace) await client.query("select set_config('app.workspace', $1, true)", [workspace])
    const { rows } = await client.query(statement)
    await client.query('rollback')
    return rows
  })
}
