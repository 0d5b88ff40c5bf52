/** Names of provider accounts, which other objects know by their id alone. */
import type { ProviderAccount } from '@switchyard/sdk'
import { useObject } from '../../api/queries.ts'
import { shortId } from '../../format/words.ts'

const most = 300

export function useAccounts(): readonly ProviderAccount[] {
  const { data } = useObject(['provider_account', 'all'], (api) =>
    api.providerAccounts.list().all({ max: most }),
  )
  return data ?? []
}

export function useAccountName(): (id: string) => string {
  const accounts = useAccounts()
  return (id) => accounts.find((account) => account.id === id)?.display_name ?? shortId(id)
}
