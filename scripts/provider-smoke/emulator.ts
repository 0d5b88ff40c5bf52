/** Starts the simulator in this process, in the wire format of a provider, with generated credentials. */
import {
  emulatedCredentials,
  emulatedSettings,
} from '../../packages/server/src/domains/routing/provider-accounts/emulated.ts'
import type { ConnectorConfig, Provider, Setup } from '../../packages/server/src/providers/contract.ts'
import type { ConnectorName } from '../../packages/server/src/providers/provider-names.ts'
import { type Simulator, startSimulator } from '../../packages/simulator/src/index.ts'
import { emulatedCards } from './cards.ts'
import { accountOf, type SmokeAccount } from './environment.ts'

/** The name of the account at the simulator. */
export const emulatedAccount = 'smoke'

export async function startEmulator(
  provider: Provider<ConnectorConfig>,
  setup: Setup,
): Promise<{ readonly simulator: Simulator; readonly account: SmokeAccount }> {
  const name = provider.id as ConnectorName
  const credentials = emulatedCredentials(setup)
  const settings = emulatedSettings(setup, {})
  const simulator = await startSimulator({
    // The bank page approves without a click, and no server receives webhooks.
    accounts: [{ name: emulatedAccount, dialect: name, credentials, challenge: 'auto', webhooks: 'off' }],
  })
  const { pathname } = new URL(setup.baseUrl('test', settings))
  const baseUrl = `${simulator.url}/${emulatedAccount}${pathname}`
  const account = accountOf(provider, setup, { credentials, settings, cards: emulatedCards[name], baseUrl })
  return { simulator, account }
}
