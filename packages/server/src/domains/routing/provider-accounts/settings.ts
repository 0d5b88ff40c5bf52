/** The settings of each provider, without its secrets. */

export const providerNames = ['simulator', 'custom'] as const
export type ProviderName = (typeof providerNames)[number]

export const webhookModes = ['on', 'off', 'twice', 'reordered'] as const

export type Settings = {
  readonly base_url?: string
  readonly auth_rate?: number
  readonly latency_ms?: number
  readonly outage?: { readonly from_at: string; readonly until_at: string }
  readonly replay?: boolean
  readonly lookup?: boolean
  readonly lookup_lag_ms?: number
  readonly close?: boolean
  readonly webhooks?: (typeof webhookModes)[number]
}

/** The behaviour of the simulator. The operator configures its address. */
const simulatorSettings = [
  'auth_rate',
  'latency_ms',
  'outage',
  'replay',
  'lookup',
  'lookup_lag_ms',
  'close',
  'webhooks',
] as const

const settingsByProvider: { readonly [Name in ProviderName]: readonly (keyof Settings)[] } = {
  simulator: simulatorSettings,
  custom: ['base_url'],
}

/** The first setting that the provider does not have; null if there is none. */
export function findUnknownSetting(provider: ProviderName, settings: Settings): keyof Settings | null {
  const names = Object.keys(settings) as (keyof Settings)[]
  return names.find((name) => !settingsByProvider[provider].includes(name)) ?? null
}
