/**
 * The first run of an installation: an organization, a live and a test workspace, a person who may do
 * everything, and their tokens. It may be stopped and run again at any point; what exists is kept.
 */
import type { Deps } from './deps.ts'
import { makeApiToken } from './domains/api-tokens/service.ts'
import { createOrganization, createWorkspace, findOrganization } from './domains/organizations/service.ts'
import { drawPassword, hashPassword } from './domains/people/password.ts'
import { createPerson } from './domains/people/service.ts'
import { makeProviderAccount } from './domains/provider-accounts/service.ts'
import { makeSignInLink } from './domains/sign-in/service.ts'
import { assert } from './kernel/assert.ts'
import { systemCaller } from './kernel/caller.ts'
import { machineTime } from './kernel/clock.ts'
import { drawSlot, type Id, idFromUuid, idMaker, type Mode } from './kernel/id.ts'
import { type Tx, transact } from './platform/db/unit-of-work.ts'

export type SetUp = {
  readonly email: string
  /** Shown once; only its hash is kept. */
  readonly password: string
  readonly tokens: { readonly [M in Mode]: string }
  /** Signs the person in at the dashboard, once and within fifteen minutes. */
  readonly signInUrl: string
}

/** Null if it has been done before. */
export async function setUp(
  deps: Deps,
  input: { organization: string; email: string },
): Promise<SetUp | null> {
  if ((await findOrganization(deps)) !== null) return null
  const password = drawPassword()
  const admin = { email: input.email, passwordHash: await hashPassword(password) }
  const organizationId = idFromUuid('organization', 'live', newUuid())
  // The organization comes with the last of them, so that a run that was stopped begins anew.
  const test = await makeWorkspace(deps, { organizationId, mode: 'test', name: 'Test' })
  const live = await makeWorkspace(deps, {
    organizationId,
    mode: 'live',
    name: 'Live',
    founding: { ...input, ...admin },
  })
  const signInUrl = await makeSignInLink(deps, input.email)
  assert(signInUrl !== null, 'The person was just made.')
  return { email: input.email, password, tokens: { live: live.token, test: test.token }, signInUrl }
}

export type NewWorkspace = {
  readonly organizationId: Id<'organization'>
  readonly mode: Mode
  readonly name: string
  readonly founding?: { organization: string; email: string; passwordHash: string }
}

/** Makes a workspace and an ADMIN token for it. One for tests can take payments from its first moment. */
export async function makeWorkspace(
  deps: Deps,
  { organizationId, mode, name, founding }: NewWorkspace,
): Promise<{ workspaceId: Id<'workspace'>; token: string }> {
  const workspaceId = idFromUuid('workspace', mode, newUuid())
  const caller = { ...systemCaller({ workspaceId, id: workspaceId }), apiVersion: deps.versions.current }
  const { text } = await transact(deps, caller, async (tx) => {
    if (founding) {
      await createOrganization(tx, organizationId, founding.organization)
      const { email, passwordHash } = founding
      await createPerson(tx, { organizationId, email, name: null, role: 'ADMIN', passwordHash })
    }
    await createWorkspace(tx, { organizationId, name, apiVersion: deps.versions.current })
    if (mode === 'test' && deps.simulatorUrl !== null) await makeSimulatorAccounts(deps, tx)
    return makeApiToken(tx, { name: 'First token', role: 'ADMIN' })
  })
  return { workspaceId, token: text }
}

/** Two, so that it can be seen what happens when one fails. */
async function makeSimulatorAccounts(deps: Deps, tx: Tx): Promise<void> {
  for (const display_name of ['First simulator', 'Second simulator'])
    await makeProviderAccount(deps, tx, { provider: 'simulator', display_name })
}

function newUuid(): string {
  return idMaker(machineTime(), drawSlot())()
}
