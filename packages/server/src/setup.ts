/**
 * Sets up a new installation: an organization, a live and a test workspace with a token each, and a person
 * with the ADMIN role. An interrupted setup can be run again.
 */
import type { Deps } from './deps.ts'
import { updateDirectory } from './domains/access/api-tokens/service/directory.ts'
import { createApiTokenInTx } from './domains/access/api-tokens/service.ts'
import { transactInControl } from './domains/access/audit/service/outbox.ts'
import {
  createWorkspace,
  findOrganization,
  openOrganization,
  openWorkspace,
  registerOrganization,
  registerWorkspace,
} from './domains/access/organizations/service.ts'
import { generatePassword, hashPassword } from './domains/access/people/password.ts'
import { createPerson } from './domains/access/people/service.ts'
import { createSignInLink } from './domains/access/sign-in/service.ts'
import { addProviderAccount } from './domains/routing/provider-accounts/service.ts'
import { assert } from './kernel/assert.ts'
import { systemCaller } from './kernel/caller.ts'
import { machineTime } from './kernel/clock.ts'
import { type Id, idFromUuid, idMaker, type Mode, randomSlot } from './kernel/id.ts'
import { crashpoint } from './platform/crashpoint.ts'
import { type Tx, transact } from './platform/db/unit-of-work.ts'

export type SetupResult = {
  readonly email: string
  /** Shown once; only its hash is stored. */
  readonly password: string
  readonly tokens: { readonly [M in Mode]: string }
  /** A single-use link that signs the person in to the dashboard, valid for fifteen minutes. */
  readonly signInUrl: string
}

/** Null if there already is an organization. */
export async function setUp(
  deps: Deps,
  input: { organization: string; email: string },
): Promise<SetupResult | null> {
  if ((await findOrganization(deps)) !== null) return null
  const password = generatePassword()
  const admin = { email: input.email, passwordHash: await hashPassword(password) }
  const organizationId = idFromUuid('organization', 'live', idMaker(machineTime(), randomSlot())())
  // The organization becomes visible with the last workspace, so that an interrupted setup can be run again.
  await registerOrganization(deps, organizationId, input.organization)
  const test = await setUpWorkspace(deps, { organizationId, mode: 'test', name: 'Test' })
  const live = await setUpWorkspace(deps, {
    organizationId,
    mode: 'live',
    name: 'Live',
    founder: admin,
  })
  const signInUrl = await createSignInLink(deps, input.email)
  assert(signInUrl !== null, 'A sign-in link must be created: the person exists.')
  return { email: input.email, password, tokens: { live: live.token, test: test.token }, signInUrl }
}

export type NewWorkspace = {
  readonly organizationId: Id<'organization'>
  readonly mode: Mode
  readonly name: string
  /**
   * The first ADMIN. If set, the organization of the workspace has been registered, and is opened together
   * with the workspace.
   */
  readonly founder?: { readonly email: string; readonly passwordHash: string }
}

/**
 * Creates a workspace and an ADMIN token for it. A test workspace also gets simulator accounts, if
 * configured.
 */
export async function setUpWorkspace(
  deps: Deps,
  { organizationId, mode, name, founder }: NewWorkspace,
): Promise<{ workspaceId: Id<'workspace'>; token: string }> {
  const workspaceId = await registerWorkspace(deps, organizationId, mode)
  const caller = { ...systemCaller({ workspaceId, id: workspaceId }), apiVersion: deps.versions.current }
  crashpoint('organization.registered')
  const { id, text } = await transact(deps, caller, async (tx) => {
    await createWorkspace(tx, { organizationId, name, apiVersion: deps.versions.current })
    if (mode === 'test' && deps.simulatorUrl !== null) await createSimulatorAccounts(deps, tx)
    return createApiTokenInTx(tx, { name: 'First token', role: 'ADMIN' }, null)
  })
  crashpoint('workspace.created')
  await updateDirectory(deps, { workspaceId, id })
  await transactInControl(deps, caller, async (tx) => {
    await openWorkspace(tx, workspaceId)
    if (founder === undefined) return
    await openOrganization(tx, organizationId)
    await createPerson(tx, { ...founder, organizationId, name: null, role: 'ADMIN' })
  })
  return { workspaceId, token: text }
}

/** Two accounts, so that failover can be tried. */
async function createSimulatorAccounts(deps: Deps, tx: Tx): Promise<void> {
  for (const display_name of ['First simulator', 'Second simulator'])
    await addProviderAccount(deps, tx, { provider: 'simulator', display_name })
}
