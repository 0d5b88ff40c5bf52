// Workspaces whose cards are in a simulated vault of another service, and the cards in it. Nothing here depends on the
// test runner, because commands use it too.

import type { Api } from './emulated-accounts.ts'

export type VaultName = 'basis_theory' | 'vgs'

/** Selects the simulated vault, and replaces the accounts of the workspace by emulated ones that take card numbers. */
export async function useVault(
  { get, put, post }: Api,
  vault: VaultName,
  providers: readonly string[],
): Promise<readonly string[]> {
  const { body: accounts } = await get('/provider-accounts')
  for (const { id } of accounts.data) await post(`/provider-accounts/${id}/disable`)
  const ids: string[] = []
  for (const provider of providers) {
    const { status, body } = await post('/provider-accounts', {
      provider,
      display_name: `${provider} (emulated)`,
      card_data: provider === 'mollie' ? 'token' : 'pan',
      config: { emulated: true },
    })
    if (status !== 201) throw new Error(`POST /provider-accounts: ${JSON.stringify(body)}`)
    ids.push(body.id)
  }
  const changed = await put('/workspace', {
    card_data: { mode: 'external_vault', vault: { provider: vault, emulated: true } },
  })
  if (changed.status !== 200) throw new Error(`PUT /workspace: ${JSON.stringify(changed.body)}`)
  return ids
}

/** The payer types the card into the fields of the vault. Returns the body of `POST /tokens`. */
export async function storeAtVault(simulatorUrl: string, vault: VaultName, number: string): Promise<object> {
  const call = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', 'bt-api-key': 'key_of_the_page' }
    const response = await fetch(`${simulatorUrl}/vaults/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    // biome-ignore lint/suspicious/noExplicitAny: the caller knows the response of the simulated vault.
    return (await response.json()) as any
  }
  if (vault === 'basis_theory') {
    const data = { number, expiration_month: 12, expiration_year: 2030, cvc: '123' }
    const { id } = await call('basis_theory/tokens', { type: 'card', data })
    return { type: 'vault_token', vault_token: { token: id } }
  }
  const { data } = await call('vgs/aliases', { data: [{ value: number }, { value: '123' }] })
  const [alias, cvcAlias] = data.map((entry: { aliases: { alias: string }[] }) => entry.aliases[0]?.alias)
  const card = {
    brand: 'visa',
    last4: number.slice(-4),
    exp_month: 12,
    exp_year: 2030,
    bin: number.slice(0, 6),
  }
  return { type: 'vault_token', vault_token: { token: alias, cvc_token: cvcAlias, card } }
}

export async function planFaults(simulatorUrl: string, faults: readonly (string | null)[]): Promise<void> {
  const response = await fetch(`${simulatorUrl}/control/vault-faults`, {
    method: 'PUT',
    body: JSON.stringify({ faults }),
  })
  if (!response.ok) throw new Error(`PUT vault-faults: ${response.status}`)
}
