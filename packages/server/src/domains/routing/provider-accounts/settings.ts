/** The settings of each provider, without its secrets. */
import type { ProviderName } from '../../../providers/provider-names.ts'

export const webhookModes = ['on', 'off', 'twice', 'reordered'] as const

export type Settings = {
  readonly base_url?: string
  /** The settings of a connector, by the names of its provider. */
  readonly settings?: Readonly<Record<string, string>>
  /** Whether the simulator replaces the connector's provider. */
  readonly emulated?: boolean
  readonly auth_rate?: number
  readonly latency_ms?: number
  readonly outage?: { readonly from_at: string; readonly until_at: string }
  readonly replay?: boolean
  readonly lookup?: boolean
  readonly lookup_lag_ms?: number
  readonly close?: boolean
  readonly webhooks?: (typeof webhookModes)[number]
}

/** A change in the format of the API: null removes a setting. */
export type SettingsChange = Omit<Settings, 'base_url' | 'settings'> & {
  readonly base_url?: string | null
  readonly settings?: Readonly<Record<string, string | null>>
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

const connectorSettings = ['settings', 'base_url', 'emulated'] as const

/** Emulated accounts have the behaviour of the simulator, and no address of their own. */
function settingNames(provider: ProviderName, { emulated }: Settings): readonly (keyof Settings)[] {
  if (provider === 'simulator') return simulatorSettings
  if (provider === 'custom') return ['base_url']
  return emulated === true ? ['settings', 'emulated', ...simulatorSettings] : connectorSettings
}

/** The first setting that the provider does not have; null if there is none. */
export function findUnknownSetting(provider: ProviderName, settings: Settings): keyof Settings | null {
  const names = Object.keys(settings) as (keyof Settings)[]
  return names.find((name) => !settingNames(provider, settings).includes(name)) ?? null
}

/** Sent members replace the current values; connector settings are merged by name. */
export function changeSettings(before: Settings, change: SettingsChange): Settings {
  const { settings, base_url: url, ...others } = change
  const { base_url: earlierUrl, settings: earlierSettings, ...earlier } = before
  const address = url === undefined ? earlierUrl : url
  const named = settings === undefined ? earlierSettings : withoutNulls({ ...earlierSettings, ...settings })
  return {
    ...earlier,
    ...others,
    ...(address === undefined || address === null ? {} : { base_url: address }),
    ...(named === undefined ? {} : { settings: named }),
  }
}

function withoutNulls(members: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  )
}
