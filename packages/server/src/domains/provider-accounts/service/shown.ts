/** Accounts as they are shown and told: with their address for webhooks, and with how they fare. */
import type { Deps } from '../../../deps.ts'
import type { Id, Mode } from '../../../kernel/id.ts'
import type { EventDefinition } from '../../../platform/db/events.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import { type Lane, noCounts } from '../health.ts'
import type { Health, ProviderAccount, ShownAccount } from '../provider-account.ts'
import { listBreakers, sumLastHour } from '../store/health.ts'

const closed = { phase: 'closed', nextProbeAt: null } as const

/** Of an account that nothing was sent to yet. */
export const newHealth: Health = { breakers: { authorize: closed, rest: closed }, lastHour: noCounts }

export async function healthOf(
  { clock }: Deps,
  view: View,
  ids: readonly Id<'provider_account'>[],
): Promise<(id: Id<'provider_account'>) => Health> {
  const now = clock.read()
  const [breakers, figures] = await Promise.all([listBreakers(view, ids, now), sumLastHour(view, ids, now)])
  return (id) => {
    const breakerOf = (lane: Lane) =>
      breakers.find((one) => one.accountId === id && one.lane === lane) ?? closed
    return {
      breakers: { authorize: breakerOf('authorize'), rest: breakerOf('rest') },
      lastHour: figures.get(id) ?? noCounts,
    }
  }
}

export async function shown(deps: Deps, view: View, account: ProviderAccount): Promise<ShownAccount> {
  const health = await healthOf(deps, view, [account.id])
  return withHealth(deps, view.caller.mode, account, health(account.id))
}

export function withHealth(
  { addresses }: Deps,
  mode: Mode,
  account: ProviderAccount,
  health: Health,
): ShownAccount {
  return { ...account, health, webhookUrl: webhookUrlOf(addresses[mode], account.id) }
}

/** Tells of a change that is not one of its health, and gives the account as it is from then on. */
export async function tell(
  deps: Deps,
  tx: Tx,
  event: EventDefinition<ShownAccount>,
  { before, after }: { readonly before: ProviderAccount; readonly after: ProviderAccount },
): Promise<ShownAccount> {
  const health = (await healthOf(deps, tx, [after.id]))(after.id)
  const [was, is] = [before, after].map((account) => withHealth(deps, tx.caller.mode, account, health))
  tx.emit(event, { before: was as ShownAccount, after: is as ShownAccount })
  return is as ShownAccount
}

export function webhookUrlOf(address: string, id: Id<'provider_account'>): string {
  return `${address}/provider-webhooks/${id}`
}
