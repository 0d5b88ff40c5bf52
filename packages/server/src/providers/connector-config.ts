/** Builds the configuration of a connector's account. No side effects. */
import { Compile, type Validator } from 'typebox/compile'
import { assert } from '../kernel/assert.ts'
import type { ConnectorConfig, Credential, Provider, Setup } from './contract.ts'

export type ConnectorAccount = {
  readonly mode: 'live' | 'test'
  readonly settings: Readonly<Record<string, string>>
  /** Used instead of the address of the provider, in test mode only. */
  readonly baseUrl: string | undefined
  readonly webhookUrl: string
  /** The active credentials, newest first. Empty if the configuration is used only to determine the terms. */
  readonly credentials: readonly Readonly<Record<string, string>>[]
}

export function connectorConfig(setup: Setup, account: ConnectorAccount): ConnectorConfig {
  const { settings, credentials, webhookUrl } = account
  const [newest = {}] = credentials
  const namesFor = (use: Credential['use']) =>
    setup.credentials.filter((credential) => credential.use === use).map(({ name }) => name)
  const valuesOf = (name: string) => [...new Set(credentials.flatMap((values) => values[name] ?? []))]
  return {
    base_url: baseUrlOf(setup, account),
    settings,
    credentials: Object.fromEntries(
      namesFor('call').flatMap((name) => (newest[name] === undefined ? [] : [[name, newest[name]]])),
    ),
    webhook_secrets: Object.fromEntries(
      namesFor('webhook')
        .map((name) => [name, valuesOf(name)] as const)
        .filter(([, values]) => values.length > 0),
    ),
    webhook_url: webhookUrl,
  }
}

/** In live mode, always the address of the provider: credentials are never sent to another one. */
function baseUrlOf(setup: Setup, { mode, settings, baseUrl }: ConnectorAccount): string {
  const url = mode === 'test' ? (baseUrl ?? setup.baseUrl(mode, settings)) : setup.baseUrl(mode, settings)
  return url.replace(/\/+$/, '')
}

const validators = new WeakMap<Provider, Validator>()

/** Requests are validated with the setup of the provider, so a configuration that does not match is a bug. */
export function requireMatchingConfig(provider: Provider, config: ConnectorConfig): ConnectorConfig {
  const validator = validators.get(provider) ?? Compile(provider.config)
  validators.set(provider, validator)
  const [fault] = validator.Errors(config)
  assert(
    fault === undefined,
    `The configuration of ${provider.id} does not match its schema at ${fault?.instancePath}.`,
  )
  return config
}
