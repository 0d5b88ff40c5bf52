/**
 * The simulator keeps the configuration of accounts in memory and loses it on a restart. So it is configured
 * whenever an account is opened, and payments continue within seconds after a restart.
 */
import type { Deps } from '../../../../deps.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { ProviderAccount } from '../provider-account.ts'
import { webhookUrlOf } from './account-details.ts'

/** An unresolvable host name, so that it is certain that requests were not sent. */
const unresolvableUrl = 'https://simulator.invalid'

/** The simulator identifies accounts by our account ids. */
export function simulatorAccountUrl({ simulatorUrl }: Deps, id: Id<'provider_account'>): string {
  return `${simulatorUrl ?? unresolvableUrl}/${id}`
}

const timeoutMs = 2_000

/** The secrets of the protocol, or the wire format and the credentials of an emulated provider. */
type SimulatedIdentity =
  | { readonly secrets: readonly string[] }
  | { readonly dialect: string; readonly credentials: Readonly<Record<string, string>> }

/** Ignores failures: a simulator without the configuration rejects the next calls, which report the error. */
export async function configureSimulator(
  { outbound, simulatorUrl, simulatorSecret, addresses }: Deps,
  account: ProviderAccount,
  identity: SimulatedIdentity,
): Promise<void> {
  if (simulatorUrl === null) return
  const { id } = account
  const { settings: _, emulated: __, ...behaviour } = account.settings
  const config = { ...behaviour, ...identity, webhook_url: webhookUrlOf(addresses.test, id) }
  await outbound.send({
    method: 'PUT',
    url: `${simulatorUrl}/control/${id}/config`,
    mode: 'test',
    headers: { 'content-type': 'application/json', ...authorizationHeader(simulatorSecret) },
    body: JSON.stringify(config),
    timeoutMs,
    maxResponseBytes: 64 * 1024,
    pool: id,
    maxConnections: 1,
  })
}

const authorizationHeader = (secret: string | null) =>
  secret === null ? {} : { authorization: `Bearer ${secret}` }
