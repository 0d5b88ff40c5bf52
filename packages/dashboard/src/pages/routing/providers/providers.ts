/** The providers, with the settings that their accounts require, from `GET /providers`. */
import type { Provider } from '@switchyard/sdk'
import { useObject } from '../../../api/queries.ts'

export function useProviders() {
  return useObject<readonly Provider[]>(['providers', 'all'], async (api) => {
    const { data } = await api.providers.list().page()
    return data
  })
}

/** Undefined while the list is loading. */
export function useProvider(id: string): Provider | undefined {
  return useProviders().data?.find((provider) => provider.id === id)
}
