/**
 * The settings, read from environment variables and checked once. All have defaults, except the database URL
 * and the master keys.
 */

import { type DisplayedConfig, displayedSettings } from './config/displayed-settings.ts'
import { externalSettings } from './config/external-settings.ts'
import { httpSettings } from './config/http-settings.ts'
import type { Listen, NamedUrl } from './config/kinds.ts'
import { type Environment, readSettings, type Settings, type Values } from './config/setting.ts'
import { storageSettings } from './config/storage-settings.ts'
import { noticesOf } from './config/typos.ts'
import type { CheckoutLimits } from './kernel/checkout-limits.ts'
import { isLoopback } from './platform/http/dashboard-pages.ts'
import type { LogLevel } from './platform/log.ts'
import type { MailSettings } from './platform/mail.ts'
import type { MasterKey } from './platform/sealed-box/keyring.ts'

export type DashboardConfig = {
  readonly listen: Listen
  /** The origin of its pages, as browsers reach it. */
  readonly url: string
  /** The folder of its built pages. */
  readonly pages: string
}

export type ShardConfig = {
  readonly name: string
  /** The URL with the database user for requests. */
  readonly url: string
  /** The URL with the database user that owns the tables. */
  readonly ownerUrl: string
  /** The URL with the database user of the vault, in the same database. */
  readonly vaultUrl: string
}

export type Config = {
  /** The URL of the database of the control plane, with the user for requests. */
  readonly databaseUrl: string
  /** The URL with the user that owns the tables, for migrations and maintenance. Default: `databaseUrl`. */
  readonly databaseOwnerUrl: string
  /** The data shards. If `SHARDS` is not set, the only shard is in the database of the control plane. */
  readonly shards: readonly ShardConfig[]
  readonly databasePool: number
  /** The size of the database volume. Null: not configured. */
  readonly databaseDiskGb: number | null
  /** Null: no engine. Work is then done by the reconciler alone. */
  readonly natsUrl: string | null
  readonly natsReplicas: 1 | 3
  readonly listen: { readonly live: Listen; readonly test: Listen; readonly ops: Listen }
  readonly dashboard: DashboardConfig
  /** The public addresses of the two environments, for messages and links. */
  readonly addresses: { readonly live: string; readonly test: string }
  readonly requestsPerSecond: { readonly live: number; readonly test: number }
  readonly requestsInFlight: number
  /** How many declined payments are allowed on payment pages. */
  readonly checkoutLimits: CheckoutLimits
  /** How many checkout sessions can be opened per second through one payment link. */
  readonly checkoutOpensPerLink: number
  /**
   * Whether X-Forwarded-For is trusted: never, from every connection, or from these addresses and networks.
   */
  readonly trustProxy: boolean | readonly string[]
  /** The keys that encrypt workspace keys. The first one encrypts; all of them can decrypt. */
  readonly masterKeys: readonly MasterKey[]
  /**
   * Whether production accepts card numbers, from workspaces that have confirmed the PCI DSS statement.
   */
  readonly vaultLive: boolean
  /** Font files for scripts that the built-in font of invoices does not have. */
  readonly invoiceFonts: readonly string[]
  /** Private addresses that may be called. */
  readonly outbound: { readonly allowCidrs: readonly string[]; readonly allowLoopback: boolean }
  /** The URL of the simulator, for the test environment. Null: there is none. */
  readonly simulatorUrl: string | null
  readonly simulatorSecret: string | null
  /** How long a stopping process continues to respond, while load balancers switch to other processes. */
  readonly drainSeconds: number
  /** How receipts are sent. */
  readonly mail: MailSettings
  /** The folder of the built payment page. */
  readonly checkoutPages: string
  /** The folder of the built documentation. */
  readonly docsPages: string
  readonly logLevel: LogLevel
  readonly crashpoint: string | null
  /** Sentences about unknown variables that look like misspelled settings. */
  readonly notices: readonly string[]
}

/** Printed without a stack trace when the process starts. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** All settings, in the groups and the order of the configuration reference. */
export const groups = {
  storage: storageSettings,
  http: httpSettings,
  external: externalSettings,
} as const satisfies Record<string, Settings>

const all = { ...storageSettings, ...httpSettings, ...externalSettings }

/** Reports all errors together, one sentence per line. */
export function readConfig(env: Environment = process.env): Config {
  const { faults, values } = readSettings(env, all)
  const sentences = faults.length > 0 ? faults : faultsOfCombinations(values)
  if (sentences.length > 0) throw new ConfigError(sentences.join('\n'))
  const names = Object.values(all).map(({ name }) => name)
  return { ...toConfig(values), notices: noticesOf(env, names) }
}

/** The value and source of each setting, without secrets. */
export function showConfig(env: Environment = process.env): DisplayedConfig {
  const { faults, values } = readSettings(env, all)
  const names = Object.values(all).map(({ name }) => name)
  return {
    settings: displayedSettings(env, all),
    faults: faults.length > 0 ? faults : faultsOfCombinations(values),
    notices: noticesOf(env, names),
  }
}

type AllValues = Values<typeof all>

function toConfig(values: AllValues): Omit<Config, 'notices'> {
  const { databaseUrl, liveListen: live, testListen: test } = values
  return {
    databaseUrl,
    databaseOwnerUrl: values.databaseOwnerUrl ?? databaseUrl,
    shards: toShards(values),
    databasePool: values.databasePool,
    databaseDiskGb: values.databaseDiskGb,
    natsUrl: values.natsUrl,
    natsReplicas: values.natsReplicas,
    listen: { live, test, ops: values.opsListen },
    dashboard: toDashboard(values),
    addresses: { live: values.liveBaseUrl ?? urlOf(live), test: values.testBaseUrl ?? urlOf(test) },
    requestsPerSecond: { live: values.rateLimitLive, test: values.rateLimitTest },
    requestsInFlight: values.inFlightLimit,
    checkoutLimits: {
      windowSeconds: values.checkoutDeclineWindow,
      network: values.checkoutDeclinesPerNetwork,
      link: values.checkoutDeclinesPerLink,
      workspace: values.checkoutDeclinesPerWorkspace,
    },
    checkoutOpensPerLink: values.checkoutOpensPerLink,
    drainSeconds: values.drainSeconds,
    trustProxy: values.trustProxy,
    masterKeys: values.masterKeys,
    vaultLive: values.vaultLive,
    invoiceFonts: values.invoiceFonts,
    outbound: { allowCidrs: values.webhookAllowCidrs, allowLoopback: values.webhookAllowLoopback },
    simulatorUrl: values.simulatorUrl,
    simulatorSecret: values.simulatorSecret,
    mail: {
      smtpUrl: values.smtpUrl,
      outbox: values.mailOutbox,
      from: values.mailFrom ?? 'receipts@localhost',
      dkimSelectors: values.mailDkimSelectors,
      dnsServer: values.mailDnsServer,
      events: {
        postmark: values.mailEventsPostmark,
        sesTopics: values.mailEventsSesTopics,
        returnPath: values.mailReturnPath,
      },
    },
    checkoutPages: values.checkoutPages ?? defaultCheckoutPages,
    docsPages: values.docsPages ?? defaultDocsPages,
    logLevel: values.logLevel,
    crashpoint: values.crashpoint,
  }
}

/** The name of the only shard of an installation without `SHARDS`. */
const onlyShard = 'shard0'

function toShards(values: AllValues): readonly ShardConfig[] {
  const { databaseUrl, databaseOwnerUrl, vaultDatabaseUrl, shards, shardOwners, shardVaults } = values
  if (shards === null)
    return [
      {
        name: onlyShard,
        url: databaseUrl,
        ownerUrl: databaseOwnerUrl ?? databaseUrl,
        vaultUrl: vaultDatabaseUrl ?? databaseUrl,
      },
    ]
  const find = (urls: readonly NamedUrl[] | null, name: string) =>
    urls?.find((entry) => entry.name === name)?.url
  return shards.map(({ name, url }) => ({
    name,
    url,
    ownerUrl: find(shardOwners, name) ?? url,
    vaultUrl: find(shardVaults, name) ?? url,
  }))
}

/** The URL of the owner of the tables of a shard, or of the control plane. */
export function ownerUrlOf({ databaseOwnerUrl, shards }: Config, name: string): string {
  return shards.find((shard) => shard.name === name)?.ownerUrl ?? databaseOwnerUrl
}

/**
 * The name of each database, by the URL of its owner. A database that several settings share is listed once.
 */
export function databasesOf({
  databaseOwnerUrl,
  shards,
}: Pick<Config, 'databaseOwnerUrl' | 'shards'>): ReadonlyMap<string, string> {
  const databases = new Map([[databaseOwnerUrl, 'control']])
  for (const { name, ownerUrl } of shards) databases.set(ownerUrl, name)
  return databases
}

const defaultCheckoutPages = `${import.meta.dirname}/../../checkout/dist`

const defaultDocsPages = `${import.meta.dirname}/../../docs/dist`

const defaultDashboardPages = `${import.meta.dirname}/../../dashboard/dist`

const urlOf = ({ host, port }: Listen) => `http://${host}:${port}`

function toDashboard(values: AllValues): DashboardConfig {
  return {
    listen: values.dashboardListen,
    url: new URL(dashboardUrl(values)).origin,
    pages: values.dashboardPages ?? defaultDashboardPages,
  }
}

function dashboardUrl({ dashboardListen: listen, dashboardBaseUrl }: AllValues): string {
  // By name and not by IP address: browsers bind passkeys to names.
  const isLocal = isLoopback(listen.host) || listen.host === '0.0.0.0' || listen.host === '::'
  return dashboardBaseUrl ?? urlOf(isLocal ? { ...listen, host: 'localhost' } : listen)
}

/** Checks that involve several settings. */
function faultsOfCombinations(values: AllValues): readonly string[] {
  const url = dashboardUrl(values)
  const { protocol, hostname } = new URL(url)
  const faults: string[] = []
  // Browsers reject the session cookie without TLS, and it could be intercepted.
  if (protocol !== 'https:' && !isLoopback(hostname))
    faults.push(
      `DASHBOARD_BASE_URL is "${url}". It must begin with https:// unless the dashboard runs on this machine: sign-in requires TLS.`,
    )
  faults.push(...faultsOfShards(values))
  if (values.smtpUrl !== null && values.mailFrom === null)
    faults.push(`MAIL_FROM is not set. Example: MAIL_FROM="${externalSettings.mailFrom.example}"`)
  return faults
}

function faultsOfShards({
  shards,
  shardOwners,
  shardVaults,
  vaultDatabaseUrl,
}: AllValues): readonly string[] {
  const namesOf = (urls: readonly NamedUrl[]) =>
    urls
      .map(({ name }) => name)
      .toSorted()
      .join(', ')
  const faults: string[] = []
  if (shards !== null && vaultDatabaseUrl !== null)
    faults.push('VAULT_DATABASE_URL is for an installation with one shard. Set SHARD_VAULTS instead.')
  for (const [name, urls] of [
    ['SHARD_OWNERS', shardOwners] as const,
    ['SHARD_VAULTS', shardVaults] as const,
  ]) {
    if (urls === null) continue
    const expected = shards === null ? '' : namesOf(shards)
    if (shards === null) faults.push(`${name} is set, but SHARDS is not.`)
    else if (namesOf(urls) !== expected)
      faults.push(`${name} has the shards ${namesOf(urls)}. It must have the same as SHARDS: ${expected}.`)
  }
  return faults
}
