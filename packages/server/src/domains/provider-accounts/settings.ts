/** What each provider can be told, beside its secrets. A member that is missing stays as it was. */

export const providerNames = ['simulator', 'custom'] as const
export type ProviderName = (typeof providerNames)[number]

export const webhookManners = ['on', 'off', 'twice', 'reordered'] as const

export type Settings = {
  readonly base_url?: string
  readonly auth_rate?: number
  readonly latency_ms?: number
  readonly outage?: { readonly from_at: string; readonly until_at: string }
  readonly replay?: boolean
  readonly lookup?: boolean
  readonly lookup_lag_ms?: number
  readonly close?: boolean
  readonly webhooks?: (typeof webhookManners)[number]
}

/** How the simulator behaves. Where it is, the operator says. */
const behaviour = [
  ...(['auth_rate', 'latency_ms', 'outage', 'replay', 'lookup', 'lookup_lag_ms'] as const),
  ...(['close', 'webhooks'] as const),
]

const known: { readonly [Name in ProviderName]: readonly (keyof Settings)[] } = {
  simulator: behaviour,
  custom: ['base_url'],
}

/** The first member that the provider does not know; null if it knows all of them. */
export function strayOf(provider: ProviderName, settings: Settings): keyof Settings | null {
  const names = Object.keys(settings) as (keyof Settings)[]
  return names.find((name) => !known[provider].includes(name)) ?? null
}
