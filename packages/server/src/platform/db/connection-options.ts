/** Connection options for Postgres: the role and timeouts. */
import { types } from 'pg'

const serverSettings = [
  // A lost client or a forgotten transaction must not hold a lock forever.
  'statement_timeout=25s',
  'lock_timeout=10s',
  'idle_in_transaction_session_timeout=30s',
  // The event stream looks back a little longer than this for events that are committed late.
  'transaction_timeout=30s',
  'tcp_user_timeout=30s',
  'timezone=UTC',
  // A commit that no standby has confirmed is reported as a warning.
  'client_min_messages=warning',
]

/** Client side: slightly longer than the server's own timeouts, to detect a server that stops responding. */
const queryTimeoutMs = 28_000
const connectTimeoutMs = 5_000
const keepAliveAfterMs = 10_000

/**
 * Statements of the delivery role access every row by its key. Their plans are cached, and a plan made while
 * a table was empty would later scan the whole table.
 */
const indexScansOnly = ['enable_seqscan=off', 'enable_hashjoin=off', 'enable_mergejoin=off']

const settingsOfRole: Readonly<Record<string, readonly string[]>> = { switchyard_delivery: indexScansOnly }

/** The connection uses this role unless a transaction sets another one. Null: the login user. */
export function connectionOptions(url: string, role: string | null = 'switchyard_app') {
  const settings = role === null ? [] : [`role=${role}`, ...(settingsOfRole[role] ?? [])]
  const { connectionString, options } = mergeOptions(url, settings)
  return {
    connectionString,
    options,
    query_timeout: queryTimeoutMs,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    types: { getTypeParser },
  }
}

/** Options in the URL would silently replace ours, including the role. Therefore both are sent, ours last. */
export function mergeOptions(
  url: string,
  settings: readonly string[],
): { connectionString: string; options: string } {
  const address = new URL(url)
  const urlOptions = address.searchParams.get('options')
  address.searchParams.delete('options')
  const options = [...settings, ...serverSettings].map((setting) => `-c ${setting}`).join(' ')
  return {
    connectionString: address.href,
    options: urlOptions === null ? options : `${urlOptions} ${options}`,
  }
}

/** Parses `int8` as bigint: a number would lose precision silently. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === types.builtins.INT8 ? BigInt : types.getTypeParser(oid, format)
}
