/** What can be done with an account of a provider. `deps` opens a unit of work; `tx` joins the caller's. */
import type { Deps } from '../../deps.ts'
import { assert } from '../../kernel/assert.ts'
import type { Caller } from '../../kernel/caller.ts'
import { refuse, refuseMember } from '../../kernel/errors.ts'
import type { Id } from '../../kernel/id.ts'
import { allowedActions, isChange, step } from '../../kernel/machine.ts'
import type { IdRange } from '../../platform/db/keyset.ts'
import { read, type Tx, type View } from '../../platform/db/unit-of-work.ts'
import { recordAct } from '../audit/service.ts'
import { narrowed } from './capabilities.ts'
import { applyInput, defaults, isSame } from './changes.ts'
import { providerAccountCreated, providerAccountUpdated } from './events.ts'
import { type Facts, providerAccountMachine, type Trigger, unneeded } from './machine.ts'
import {
  type AccountSettings,
  maxAccounts,
  type ProviderAccount,
  type RevealedAccount,
  type ShownAccount,
} from './provider-account.ts'
import type { CreateProviderAccount, UpdateProviderAccount } from './schema.ts'
import { drawSecret } from './secret.ts'
import { admit, change } from './service/change.ts'
import { sealSecrets } from './service/secrets.ts'
import { healthOf, newHealth, shown, tell, withHealth } from './service/shown.ts'
import { requireTerms } from './service/terms.ts'
import { type ProviderName, strayOf } from './settings.ts'
import { sumDays } from './store/health.ts'
import { hasOpenOperation as hasOpenOperationAt, listRoutesTo, type NamedRoute } from './store/needs.ts'
import * as store from './store.ts'

export { pinAccounts } from './store/needs.ts'

export function createProviderAccount(
  deps: Deps,
  caller: Caller,
  input: CreateProviderAccount,
): Promise<RevealedAccount> {
  return change(deps, caller, (tx) => makeProviderAccount(deps, tx, input))
}

/** Makes an account in the caller's unit. The text of its secret is in the answer and nowhere else. */
export async function makeProviderAccount(
  deps: Deps,
  tx: Tx,
  input: CreateProviderAccount,
): Promise<RevealedAccount> {
  const { provider, card_data: cardData = 'pan' } = input
  requireProvider(deps, tx.caller, provider)
  const { isFull, lastPosition } = await store.lockRoom(tx)
  if (isFull) {
    refuse('limit_reached', { detail: `A workspace has at most ${maxAccounts} provider accounts.` })
  }
  const wanted = applyInput({ ...defaults, position: lastPosition + 1 }, input)
  requireSettings(deps, tx.caller, provider, wanted)
  const { capabilities } = requireTerms(deps, { provider, settings: wanted.settings, manifest: null })

  const id = tx.newId('provider_account')
  const secret = drawSecret()
  const credentials = await sealSecrets(deps, tx, id, [{ text: secret, endsAt: null }])
  const account = await store.insertAccount(tx, {
    ...wanted,
    ...{ id, provider, cardData, credentials },
    capabilities: narrowed(capabilities, wanted.narrowing),
  })
  const after = withHealth(deps, tx.caller.mode, account, newHealth)
  tx.emit(providerAccountCreated, { after })
  await recordAct(tx, 'provider_account.created', { objectId: id, details: { provider } })
  return { ...after, secret: secretFor(account, secret) }
}

/** The simulator is told its secret by us, so there is nobody to show it to. */
export function secretFor({ provider }: ProviderAccount, text: string): string | null {
  return provider === 'simulator' ? null : text
}

export function getProviderAccount(deps: Deps, caller: Caller, id: string): Promise<ShownAccount> {
  return read(deps, caller, async (view) => shown(deps, view, await store.requireAccount(view, id)))
}

export function listProviderAccounts(deps: Deps, caller: Caller, range: IdRange) {
  return read(deps, caller, async (view) => {
    const { rows, hasMore } = await store.listAccounts(view, range)
    const ids = rows.map(({ id }) => id)
    const health = await healthOf(deps, view, ids)
    const show = (account: ProviderAccount) => withHealth(deps, caller.mode, account, health(account.id))
    return { rows: rows.map(show), hasMore }
  })
}

export function updateProviderAccount(
  deps: Deps,
  caller: Caller,
  id: string,
  input: UpdateProviderAccount & { readonly ifMatch: number | null },
): Promise<ShownAccount> {
  return change(deps, caller, async (tx) => {
    const before = await store.lockAccount(tx, id)
    admit(before, 'update')
    if (input.ifMatch !== null && input.ifMatch !== before.version) refuse('version_mismatch')
    const wanted = applyInput(before, input)
    // Nothing changed, so there is nothing to tell.
    if (isSame(wanted, before)) return shown(deps, tx, before)

    requireSettings(deps, caller, before.provider, wanted)
    // What was found out at one address says nothing of another.
    const hasMoved = wanted.settings.base_url !== before.settings.base_url
    const known = hasMoved
      ? { manifest: null, check: null }
      : { manifest: before.manifest, check: before.check }
    const { capabilities } = requireTerms(deps, { ...before, ...known, settings: wanted.settings })
    const account = await store.updateAccount(tx, before, {
      ...wanted,
      ...known,
      capabilities: narrowed(capabilities, wanted.narrowing),
    })
    const after = await tell(deps, tx, providerAccountUpdated, { before, after: account })
    await recordAct(tx, 'provider_account.updated', { objectId: before.id })
    return after
  })
}

export function enableProviderAccount(deps: Deps, caller: Caller, id: string): Promise<ShownAccount> {
  return change(deps, caller, async (tx) => pull(deps, tx, await store.lockAccount(tx, id), 'enable'))
}

/** It gets nothing new. What was begun there goes on: captures, refunds, answers that are awaited. */
export function disableProviderAccount(deps: Deps, caller: Caller, id: string): Promise<ShownAccount> {
  return change(deps, caller, async (tx) => pull(deps, tx, await store.lockAccount(tx, id), 'disable'))
}

/** For good. Its secrets stay: a provider may still tell us of what was done there. */
export function archiveProviderAccount(deps: Deps, caller: Caller, id: string): Promise<ShownAccount> {
  return change(deps, caller, async (tx) => {
    const before = await store.lockAccount(tx, id)
    const after = await pull(deps, tx, before, 'archive', await requireUnneeded(tx, before))
    if (before.status !== after.status) {
      await recordAct(tx, 'provider_account.archived', { objectId: before.id })
    }
    return after
  })
}

/** Whoever is told no is told by whom it is needed. */
async function requireUnneeded(tx: Tx, { id, status }: ProviderAccount): Promise<Facts> {
  const [hasOpenOperation, routes] = [await hasOpenOperationAt(tx, id), await listRoutesTo(tx, id)]
  const facts = { hasOpenOperation, isRouted: routes.length > 0 }
  if (status === 'archived' || !(facts.hasOpenOperation || facts.isRouted)) return facts
  return refuse('invalid_state', {
    detail: facts.isRouted ? routedWords(routes) : 'An operation of this account has not ended yet.',
    current_status: status,
    allowed_actions: allowedActions(providerAccountMachine, status, facts),
  })
}

const namedRoutes = 5

function routedWords(routes: readonly NamedRoute[]): string {
  const named = routes.slice(0, namedRoutes).map(({ id, name }) => `"${name}" (${id})`)
  const others = routes.length > namedRoutes ? ` and ${routes.length - namedRoutes} more` : ''
  const subject = routes.length === 1 ? 'A published payment route sends' : 'Published payment routes send'
  return `${subject} payments to this account: ${named.join(', ')}${others}.`
}

/** The accounts that a payment may be sent to, in the order of the default route. Look at `hold` yourself. */
export function listCandidates(view: View): Promise<readonly ProviderAccount[]> {
  return store.listActive(view)
}

/** How often each of them was asked for an authorization, by days: the last 24 hours first. */
export function attemptsByDay(
  tx: Tx,
  ids: readonly Id<'provider_account'>[],
  days: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  return sumDays(tx, ids, days)
}

/** Whatever its status; null if the workspace has none of that id. */
export function findAccount(view: View, id: string): Promise<ProviderAccount | null> {
  return store.findAccount(view, id)
}

/** The only writer of `status`: ask the table, write, tell. The caller holds the lock. */
async function pull(
  deps: Deps,
  tx: Tx,
  before: ProviderAccount,
  trigger: Trigger,
  facts: Facts = unneeded,
): Promise<ShownAccount> {
  const row = step(providerAccountMachine, { state: before.status, trigger, facts })
  if (!isChange(row)) return shown(deps, tx, before)

  const hold = row.effects.includes('end_hold') ? null : before.hold
  const after = await store.updateAccount(tx, before, { status: row.to, hold })
  return tell(deps, tx, providerAccountUpdated, { before, after })
}

function requireProvider({ simulatorUrl, providers }: Deps, { mode }: Caller, provider: ProviderName): void {
  assert(providers.has(provider), `There is no provider ${provider}: add it to the registry.`)
  if (provider !== 'simulator') return
  if (mode === 'live')
    refuse('test_mode_only', { detail: 'The simulator moves no money: it is for tests alone.' })
  if (simulatorUrl === null) refuseMember('/provider', 'not_in_list', 'this installation runs no simulator')
}

/** What the shape of the request cannot tell: members belong to providers, and limits to each other. */
function requireSettings(
  { outbound }: Deps,
  { mode }: Caller,
  provider: ProviderName,
  { settings, narrowing }: AccountSettings,
): void {
  const stray = strayOf(provider, settings)
  if (stray !== null) refuseMember(`/config/${stray}`, 'unknown_member', `is no setting of ${provider}`)
  const { amount } = narrowing
  if (amount !== undefined && amount.min > amount.max) {
    refuseMember('/capabilities/amount/max', 'too_small', 'must not be less than min')
  }
  if (provider !== 'custom') return
  const { base_url: url } = settings
  const detail = url === undefined ? 'is required for a provider of your own' : outbound.faultOf(url, mode)
  if (detail === null) return
  if (url === undefined) refuseMember('/config/base_url', 'required', detail)
  const errors = [{ pointer: '/config/base_url', code: 'bad_format', detail } as const]
  refuse('url_not_allowed', { detail, errors })
}
