/** The provider accounts of the workspace and their names. There are few of them, so all are loaded. */
import type { ProviderAccount } from '@switchyard/sdk'
import { useMemo } from 'react'
import { useObject } from '../api/queries.ts'
import { shortId } from '../format/text.ts'

const maxAccounts = 200

export type NameOf = (accountId: string) => string

export function useAccounts(options: { refetchInterval?: number } = {}) {
  return useObject<readonly ProviderAccount[]>(
    ['provider_account', 'all'],
    (api) => api.providerAccounts.list().all({ max: maxAccounts }),
    options,
  )
}

export function useAccountNames(): { accounts: readonly ProviderAccount[]; nameOf: NameOf } {
  const { data } = useAccounts()
  return useMemo(() => {
    const accounts = data ?? []
    const names = new Map(accounts.map(({ id, display_name }) => [id, display_name]))
    return { accounts, nameOf: (id: string) => names.get(id) ?? shortId(id) }
  }, [data])
}

/** For pages that need only the name of an account. */
export function useAccountName(): NameOf {
  return useAccountNames().nameOf
}

/** Replaces account ids with names in a text from the API. */
export function withNames(text: string, nameOf: NameOf): string {
  return text.replace(/provider_account_(?:live|test)_[0-9A-Z]+/g, nameOf)
}
