/**
 * The simulator has an account only after it was told of it, and forgets what it was told when it is started
 * anew. So it is told whenever an account is opened: after a restart payments go on within seconds.
 */
import type { Deps } from '../../../deps.ts'
import type { Id } from '../../../kernel/id.ts'
import type { ProviderAccount } from '../provider-account.ts'
import { webhookUrlOf } from './shown.ts'

/** Leads nowhere, so that what is sent there is known not to have been sent. */
const nowhere = 'https://simulator.invalid'

/** Its accounts are called as ours are. */
export function simulatedAt({ simulatorUrl }: Deps, id: Id<'provider_account'>): string {
  return `${simulatorUrl ?? nowhere}/${id}`
}

const patienceMs = 2_000

/** Whatever comes of it: if it did not hear us, it refuses the calls that follow, and they say so. */
export async function introduce(
  { outbound, simulatorUrl, addresses }: Deps,
  { id, settings }: ProviderAccount,
  secrets: readonly string[],
): Promise<void> {
  if (simulatorUrl === null) return
  const told = { ...settings, secrets, webhook_url: webhookUrlOf(addresses.test, id) }
  await outbound.send({
    method: 'PUT',
    url: `${simulatorUrl}/control/${id}/config`,
    mode: 'test',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(told),
    timeoutMs: patienceMs,
    maxAnswerBytes: 64 * 1024,
    pool: id,
    maxConnections: 1,
  })
}
