/** Accounts as the API and events present them: with their webhook URL and their health. */
import type { Deps } from '../../../../deps.ts'
import type { Id, Mode } from '../../../../kernel/id.ts'
import type { EventDefinition } from '../../../../platform/db/events.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import { type Lane, noCounts } from '../health.ts'
import type { AccountDetails, Health, ProviderAccount } from '../provider-account.ts'
import { listBreakers, sumLastHour } from '../store/health.ts'

const closedBreaker = { phase: 'closed', nextProbeAt: null } as const

/** The health of an account without any calls. */
export const newHealth: Health = {
  breakers: { authorize: closedBreaker, rest: closedBreaker },
  credentialsRefusedSince: null,
  lastHour: noCounts,
}

export async function healthOf(
  { clock }: Deps,
  view: View,
  ids: readonly Id<'provider_account'>[],
): Promise<(id: Id<'provider_account'>) => Health> {
  const now = clock.read()
  const [breakers, figures] = await Promise.all([listBreakers(view, ids, now), sumLastHour(view, ids, now)])
  return (id) => {
    const breakerOf = (lane: Lane) =>
      breakers.find((breaker) => breaker.accountId === id && breaker.lane === lane) ?? closedBreaker
    const refusals = breakers.flatMap((breaker) =>
      breaker.accountId === id ? (breaker.credentialsRefusedSince ?? []) : [],
    )
    const [refusedSince = null] = refusals.toSorted((a, b) => a.getTime() - b.getTime())
    return {
      breakers: { authorize: breakerOf('authorize'), rest: breakerOf('rest') },
      credentialsRefusedSince: refusedSince,
      lastHour: figures.get(id) ?? noCounts,
    }
  }
}

export async function loadAccountDetails(
  deps: Deps,
  view: View,
  account: ProviderAccount,
): Promise<AccountDetails> {
  const health = await healthOf(deps, view, [account.id])
  return withHealth(deps, view.caller.mode, account, health(account.id))
}

export function withHealth(
  { addresses }: Deps,
  mode: Mode,
  account: ProviderAccount,
  health: Health,
): AccountDetails {
  return { ...account, health, webhookUrl: webhookUrlOf(addresses[mode], account.id) }
}

/** Emits an event for a change that does not affect the health, and returns the account after the change. */
export async function emitAccountEvent(
  deps: Deps,
  tx: Tx,
  event: EventDefinition<AccountDetails>,
  { before, after }: { readonly before: ProviderAccount; readonly after: ProviderAccount },
): Promise<AccountDetails> {
  const health = (await healthOf(deps, tx, [after.id]))(after.id)
  const detailsOf = (account: ProviderAccount) => withHealth(deps, tx.caller.mode, account, health)
  const details = detailsOf(after)
  tx.emit(event, { before: detailsOf(before), after: details })
  return details
}

export function webhookUrlOf(address: string, id: Id<'provider_account'>): string {
  return `${address}/provider-webhooks/${id}`
}
