/** The environment, read and checked once. Everything has a default but the database and the master keys. */
import { doors } from './config/doors.ts'
import type { Listen } from './config/kinds.ts'
import { outside } from './config/outside.ts'
import { type Environment, readSettings, type Settings, type Values } from './config/setting.ts'
import { type Shown, shownOf } from './config/shown.ts'
import { stores } from './config/stores.ts'
import { noticesOf } from './config/typos.ts'
import { isLoopback } from './platform/http/dashboard-pages.ts'
import type { LogLevel } from './platform/log.ts'
import type { MailSettings } from './platform/mail.ts'
import type { MasterKey } from './platform/sealed-box/keyring.ts'

export type DashboardConfig = {
  readonly listen: Listen
  /** How browsers reach it: the origin of its pages. */
  readonly url: string
  /** Where its built pages lie. */
  readonly pages: string
}

export type Config = {
  readonly databaseUrl: string
  /** The user that owns the tables, for migrations and chores. Without it, the one that serves requests. */
  readonly databaseOwnerUrl: string
  /** The user of the vault, of the same database. Without it, the one that serves requests. */
  readonly vaultDatabaseUrl: string
  readonly databasePool: number
  /** What the volume of the database holds. Null: nobody has said. */
  readonly databaseDiskGb: number | null
  /** Null: no engine. Work is then done by the reconciler alone. */
  readonly natsUrl: string | null
  readonly natsReplicas: 1 | 3
  readonly listen: { readonly live: Listen; readonly test: Listen; readonly ops: Listen }
  readonly dashboard: DashboardConfig
  /** How callers reach the two addresses, for texts and links. */
  readonly addresses: { readonly live: string; readonly test: string }
  readonly requestsPerSecond: { readonly live: number; readonly test: number }
  readonly requestsInFlight: number
  readonly trustProxy: boolean
  /** Seal the keys of workspaces. The first seals, all of them open. */
  readonly masterKeys: readonly MasterKey[]
  /** Whether production takes card numbers, from workspaces that have confirmed what that means. */
  readonly vaultLive: boolean
  /** Font files for scripts that the built-in font of invoices does not have. */
  readonly invoiceFonts: readonly string[]
  /** Addresses that are called though they are not public. */
  readonly outbound: { readonly allowCidrs: readonly string[]; readonly allowLoopback: boolean }
  /** Where the simulator runs, for the test environment. Null: there is none. */
  readonly simulatorUrl: string | null
  /** How long a process that was asked to stop goes on answering, while callers turn to others. */
  readonly drainSeconds: number
  /** How receipts are sent. */
  readonly mail: MailSettings
  /** Where the built payment page lies. */
  readonly checkoutPages: string
  /** Where the built documentation lies. */
  readonly docsPages: string
  readonly logLevel: LogLevel
  readonly crashpoint: string | null
  /** Variables that nobody reads and that look like settings. */
  readonly notices: readonly string[]
}

/** Said to the person who starts the process, without a stack. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** As the reference shows them. */
export const groups = { stores, doors, outside } as const satisfies Record<string, Settings>

const all = { ...stores, ...doors, ...outside }

/** All that is wrong is said at once, one sentence a line. */
export function readConfig(env: Environment = process.env): Config {
  const { faults, values } = readSettings(env, all)
  const sentences = faults.length > 0 ? faults : faultsBetween(values)
  if (sentences.length > 0) throw new ConfigError(sentences.join('\n'))
  const names = Object.values(all).map(({ name }) => name)
  return { ...toConfig(values), notices: noticesOf(env, names) }
}

/** What each setting is and where that comes from, without secrets. */
export function showConfig(env: Environment = process.env): Shown {
  const { faults, values } = readSettings(env, all)
  const names = Object.values(all).map(({ name }) => name)
  return {
    settings: shownOf(env, all),
    faults: faults.length > 0 ? faults : faultsBetween(values),
    notices: noticesOf(env, names),
  }
}

type All = Values<typeof all>

function toConfig(values: All): Omit<Config, 'notices'> {
  const { databaseUrl, liveListen: live, testListen: test } = values
  return {
    databaseUrl,
    databaseOwnerUrl: values.databaseOwnerUrl ?? databaseUrl,
    vaultDatabaseUrl: values.vaultDatabaseUrl ?? databaseUrl,
    databasePool: values.databasePool,
    databaseDiskGb: values.databaseDiskGb,
    natsUrl: values.natsUrl,
    natsReplicas: values.natsReplicas,
    listen: { live, test, ops: values.opsListen },
    dashboard: toDashboard(values),
    addresses: { live: values.liveBaseUrl ?? urlOf(live), test: values.testBaseUrl ?? urlOf(test) },
    requestsPerSecond: { live: values.rateLimitLive, test: values.rateLimitTest },
    requestsInFlight: values.inFlightLimit,
    drainSeconds: values.drainSeconds,
    trustProxy: values.trustProxy,
    masterKeys: values.masterKeys,
    vaultLive: values.vaultLive,
    invoiceFonts: values.invoiceFonts,
    outbound: { allowCidrs: values.webhookAllowCidrs, allowLoopback: values.webhookAllowLoopback },
    simulatorUrl: values.simulatorUrl,
    mail: {
      smtpUrl: values.smtpUrl,
      outbox: values.mailOutbox,
      from: values.mailFrom ?? 'receipts@localhost',
    },
    checkoutPages: values.checkoutPages ?? defaultPages,
    docsPages: values.docsPages ?? defaultDocs,
    logLevel: values.logLevel,
    crashpoint: values.crashpoint,
  }
}

const defaultPages = `${import.meta.dirname}/../../checkout/dist`

const defaultDocs = `${import.meta.dirname}/../../docs/dist`

const defaultDashboard = `${import.meta.dirname}/../../dashboard/dist`

const urlOf = ({ host, port }: Listen) => `http://${host}:${port}`

function toDashboard(values: All): DashboardConfig {
  return {
    listen: values.dashboardListen,
    url: new URL(dashboardUrl(values)).origin,
    pages: values.dashboardPages ?? defaultDashboard,
  }
}

function dashboardUrl({ dashboardListen: listen, dashboardBaseUrl }: All): string {
  // By its name and not by its number: browsers keep passkeys for names.
  const isHere = isLoopback(listen.host) || listen.host === '0.0.0.0' || listen.host === '::'
  return dashboardBaseUrl ?? urlOf(isHere ? { ...listen, host: 'localhost' } : listen)
}

/** What each setting for itself cannot know. */
function faultsBetween(values: All): readonly string[] {
  const url = dashboardUrl(values)
  const { protocol, hostname } = new URL(url)
  const faults: string[] = []
  // A browser would drop the cookie of the session, and whoever listens in would have it.
  if (protocol !== 'https:' && !isLoopback(hostname))
    faults.push(
      `DASHBOARD_BASE_URL is "${url}". Away from this machine people sign in over TLS only: it must begin with https://.`,
    )
  if (values.smtpUrl !== null && values.mailFrom === null)
    faults.push(`MAIL_FROM is not set. Example: MAIL_FROM="${outside.mailFrom.example}"`)
  return faults
}
