import { afterEach, expect, test } from 'vitest'
import { crashAt, endCrash } from '../test/support/crash.ts'
import { switchyardForThisFile } from '../test/support/switchyard.ts'
import { findOrganization } from './domains/access/organizations/service.ts'
import { asOwner } from './platform/db/owner.ts'
import { deleteUnfinishedOrganizations } from './platform/db/unfinished-organizations.ts'
import { setUp } from './setup.ts'

afterEach(endCrash)

const founder = { organization: 'A shop', email: 'ada@example.com' }

test.each(['organization.registered', 'workspace.created', 'token.listed', 'control.committed'] as const)(
  'a setup that is killed at %s can be run again, and what it left in the control plane is removed after an hour',
  async (point) => {
    const switchyard = await switchyardForThisFile()
    const { deps } = switchyard
    const query = (text: string) => asOwner(switchyard.databaseUrl, (client) => client.query(text))
    const counts = async () => {
      const { rows } = await query(`
        select (select count(id)::int from control.organizations) as organizations,
          (select count(id)::int from control.workspaces) as workspaces,
          (select count(id)::int from control.people) as people,
          (select count(hash)::int from control.api_token_secrets) as tokens`)
      return rows[0]
    }

    crashAt(point)
    await expect(setUp(deps, founder)).rejects.toThrow(point)
    expect(await findOrganization(deps)).toBeNull()
    const result = await setUp(deps, founder)

    for (const mode of ['live', 'test'] as const) {
      const token = result?.tokens[mode] ?? null
      expect((await switchyard.call(mode, 'GET', '/me', undefined, { token })).status).toBe(200)
    }
    expect(await setUp(deps, founder)).toBeNull()
    const { rows } = await query(`select state from control.organizations order by state`)
    expect(rows).toEqual([{ state: 'creating' }, { state: 'ready' }])
    // Backdate the rows. A minute is not long enough.
    await query(`update control.organizations set created_at = now() - interval '1 minute'`)
    await query(`update control.workspaces set created_at = now() - interval '1 minute'`)
    await asOwner(switchyard.databaseUrl, (client) =>
      deleteUnfinishedOrganizations((text) => client.query(text)),
    )
    expect(await counts()).toMatchObject({ organizations: 2 })
    await query(`update control.organizations set created_at = now() - interval '61 minutes'`)
    await query(`update control.workspaces set created_at = now() - interval '61 minutes'`)
    await asOwner(switchyard.databaseUrl, (client) =>
      deleteUnfinishedOrganizations((text) => client.query(text)),
    )
    expect(await counts()).toEqual({ organizations: 1, workspaces: 2, people: 1, tokens: 2 })
    expect(
      (await switchyard.call('live', 'GET', '/me', undefined, { token: result?.tokens.live ?? null })).status,
    ).toBe(200)
  },
)

test('setup records the organization, the person, the workspaces and the tokens in the audit log', async () => {
  const switchyard = await switchyardForThisFile()
  const result = await setUp(switchyard.deps, founder)

  const token = result?.tokens.live ?? null
  const { body } = await switchyard.call('live', 'GET', '/audit-entries', undefined, { token })

  expect(body.data.map(({ act }: { act: string }) => act).toSorted()).toEqual([
    'api_token.created',
    'organization.created',
    'person.created',
    'workspace.created',
  ])
})
