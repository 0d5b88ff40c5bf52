/** The environment, read and checked once. Everything has a default but the address of the database. */
import { isLoopback } from './platform/http/dashboard-pages.ts'
import type { LogLevel } from './platform/log.ts'
import type { MailSettings } from './platform/mail.ts'
import type { MasterKey } from './platform/sealed-box/keyring.ts'

export type Listen = { readonly host: string; readonly port: number }

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
  readonly logLevel: LogLevel
  readonly crashpoint: string | null
}

/** Said to the person who starts the process, without a stack. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

const exampleUrl = 'postgres://user:password@host:5432/switchyard'

const exampleKeys = '2026-11:$(openssl rand -base64 32)'

type Environment = { readonly [name: string]: string | undefined }

export function readConfig(env: Environment = process.env): Config {
  const databaseUrl = required(env, 'DATABASE_URL', exampleUrl)
  if (!/^postgres(ql)?:\/\//.test(databaseUrl))
    throw new ConfigError(`DATABASE_URL must look like ${exampleUrl}.`)
  const live = readListen(env, 'LIVE_LISTEN', '127.0.0.1:8080')
  const test = readListen(env, 'TEST_LISTEN', '127.0.0.1:8081')
  return {
    databaseUrl,
    databaseOwnerUrl: env.DATABASE_OWNER_URL || databaseUrl,
    vaultDatabaseUrl: env.VAULT_DATABASE_URL || databaseUrl,
    databasePool: readNumber(env, 'DATABASE_POOL', { fallback: 16, min: 2, max: 500 }),
    natsUrl: env.NATS_URL || null,
    natsReplicas: readReplicas(env),
    listen: { live, test, ops: readListen(env, 'OPS_LISTEN', '127.0.0.1:9090') },
    dashboard: readDashboard(env),
    addresses: { live: readUrl(env, 'LIVE_BASE_URL', live), test: readUrl(env, 'TEST_BASE_URL', test) },
    requestsPerSecond: {
      live: readNumber(env, 'RATE_LIMIT_LIVE', { fallback: 100, min: 1, max: 1_000_000 }),
      test: readNumber(env, 'RATE_LIMIT_TEST', { fallback: 50, min: 1, max: 1_000_000 }),
    },
    requestsInFlight: readNumber(env, 'IN_FLIGHT_LIMIT', { fallback: 100, min: 1, max: 100_000 }),
    drainSeconds: readNumber(env, 'DRAIN_SECONDS', { fallback: 1, min: 0, max: 300 }),
    trustProxy: env.TRUST_PROXY === 'true',
    masterKeys: readMasterKeys(env),
    vaultLive: env.VAULT_LIVE === 'true',
    invoiceFonts: readList(env, 'INVOICE_FONTS'),
    outbound: {
      allowCidrs: readList(env, 'WEBHOOK_ALLOW_CIDRS'),
      allowLoopback: env.WEBHOOK_ALLOW_LOOPBACK === 'true',
    },
    simulatorUrl: readOptionalUrl(env, 'SIMULATOR_URL', 'http://127.0.0.1:8082'),
    mail: readMail(env),
    checkoutPages: env.CHECKOUT_PAGES || defaultPages,
    logLevel: readLevel(env),
    crashpoint: env.CRASHPOINT ?? null,
  }
}

const defaultPages = `${import.meta.dirname}/../../checkout/dist`

const defaultDashboard = `${import.meta.dirname}/../../dashboard/dist`

function readDashboard(env: Environment): DashboardConfig {
  const listen = readListen(env, 'DASHBOARD_LISTEN', '127.0.0.1:8083')
  // By its name and not by its number: browsers keep passkeys for names.
  const isHere = isLoopback(listen.host) || listen.host === '0.0.0.0' || listen.host === '::'
  const url = readUrl(env, 'DASHBOARD_BASE_URL', isHere ? { ...listen, host: 'localhost' } : listen)
  const { protocol, hostname, origin } = new URL(url)
  // A browser would drop the cookie of the session, and whoever listens in would have it.
  if (protocol !== 'https:' && !isLoopback(hostname))
    throw new ConfigError(
      `DASHBOARD_BASE_URL is "${url}". Away from this machine people sign in over TLS only: it must begin with https://.`,
    )
  return { listen, url: origin, pages: env.DASHBOARD_PAGES || defaultDashboard }
}

/** By a server for mails, or into a folder where a developer finds them. */
function readMail(env: Environment): MailSettings {
  const smtpUrl = env.SMTP_URL || null
  if (smtpUrl !== null && !/^smtps?:\/\//.test(smtpUrl))
    // The address may hold a password, so the message does not repeat it.
    throw new ConfigError('SMTP_URL must look like smtps://user:password@mail.example.com:465.')
  if (smtpUrl !== null && !env.MAIL_FROM)
    throw new ConfigError('MAIL_FROM is not set. Example: MAIL_FROM="Receipts <receipts@example.com>"')
  return { smtpUrl, outbox: env.MAIL_OUTBOX || null, from: env.MAIL_FROM || 'receipts@localhost' }
}

function required(env: Environment, name: string, example: string): string {
  const value = env[name]
  if (!value) throw new ConfigError(`${name} is not set. Example: ${name}=${example}`)
  return value
}

function readListen(env: Environment, name: string, fallback: string): Listen {
  const text = env[name] || fallback
  const match = /^(.+):(\d{1,5})$/.exec(text)
  const port = Number(match?.[2])
  if (match?.[1] === undefined || port > 65_535) {
    throw new ConfigError(`${name} is "${text}". It must be host:port, such as ${fallback}.`)
  }
  return { host: match[1], port }
}

function readUrl(env: Environment, name: string, listen: Listen): string {
  const text = env[name] || `http://${listen.host}:${listen.port}`
  if (!URL.canParse(text))
    throw new ConfigError(`${name} is "${text}". It must be an address such as https://api.example.com.`)
  return text.replace(/\/$/, '')
}

function readOptionalUrl(env: Environment, name: string, example: string): string | null {
  const text = env[name]
  if (!text) return null
  if (!URL.canParse(text))
    throw new ConfigError(`${name} is "${text}". It must be an address such as ${example}.`)
  return text.replace(/\/$/, '')
}

function readNumber(
  env: Environment,
  name: string,
  range: { fallback: number; min: number; max: number },
): number {
  const text = env[name]
  if (!text) return range.fallback
  const number = Number(text)
  if (Number.isInteger(number) && number >= range.min && number <= range.max) return number
  throw new ConfigError(`${name} is "${text}". It must be a whole number from ${range.min} to ${range.max}.`)
}

function readReplicas(env: Environment): 1 | 3 {
  const text = env.NATS_REPLICAS || '1'
  if (text === '1' || text === '3') return text === '1' ? 1 : 3
  throw new ConfigError(
    `NATS_REPLICAS is "${text}". It must be 1, or 3 for a cluster of three and more servers.`,
  )
}

function readMasterKeys(env: Environment): MasterKey[] {
  return required(env, 'MASTER_KEYS', exampleKeys)
    .split(',')
    .map((entry) => {
      const match = /^([a-z0-9-]{1,32}):([A-Za-z0-9+/]{43}=)$/.exec(entry.trim())
      if (match?.[1] === undefined || match[2] === undefined) {
        // The text itself is a secret, so the message does not repeat it.
        throw new ConfigError(`MASTER_KEYS must be <name>:<32 bytes as base64>, such as ${exampleKeys}.`)
      }
      return { id: match[1], key: Buffer.from(match[2], 'base64') }
    })
}

function readList(env: Environment, name: string): string[] {
  const entries = (env[name] ?? '').split(',').map((entry) => entry.trim())
  return entries.filter((entry) => entry !== '')
}

const levels: readonly string[] = ['debug', 'info', 'warn', 'error', 'silent'] satisfies LogLevel[]

function readLevel(env: Environment): LogLevel {
  const text = env.LOG_LEVEL || 'info'
  if (levels.includes(text)) return text as LogLevel
  throw new ConfigError(`LOG_LEVEL is "${text}". It must be one of ${levels.join(', ')}.`)
}
