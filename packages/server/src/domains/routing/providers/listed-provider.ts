/** The setup of a provider. The custom provider and the simulator need no credentials. */
import type { Provider, Setup } from '../../../providers/contract.ts'
import type { ProviderName } from '../../../providers/provider-names.ts'

type ListedSetup = Omit<Setup, 'baseUrl' | 'domains' | 'webhookHelp' | 'emulated'> & {
  readonly id: ProviderName
  readonly webhookHelp: string | null
}

export function setupOf({ id, setup }: Provider): ListedSetup {
  if (setup !== undefined) return { ...setup, id: id as ProviderName }
  return {
    id: id as ProviderName,
    name: id === 'simulator' ? 'Simulator' : 'Custom provider',
    cardData: 'pan_or_token',
    credentials: [],
    settings: [],
    webhookEvents: [],
    webhookHelp: null,
  }
}
