/** How we connect to Postgres: as which role, and with a limit on everything. */
import { types } from 'pg'

/**
 * Server side: a lost peer or a forgotten transaction must not hold a lock for ever. The role is that of
 * every connection until a transaction asks for another.
 */
const ours = [
  'role=switchyard_app',
  'statement_timeout=25s',
  'lock_timeout=10s',
  'idle_in_transaction_session_timeout=30s',
  'tcp_user_timeout=30s',
  'timezone=UTC',
]
  .map((setting) => `-c ${setting}`)
  .join(' ')

/** Our side: a server that vanished without a word is noticed a little later than it would answer. */
const answerTimeoutMs = 28_000
const connectTimeoutMs = 5_000
const keepAliveAfterMs = 10_000

export function connectionOptions(url: string) {
  const { connectionString, options } = withOurOptions(url)
  return {
    connectionString,
    options,
    query_timeout: answerTimeoutMs,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    types: { getTypeParser },
  }
}

/** Options in the address would replace ours in silence, the role among them; so both are sent, ours last. */
export function withOurOptions(url: string): { connectionString: string; options: string } {
  const address = new URL(url)
  const theirs = address.searchParams.get('options')
  address.searchParams.delete('options')
  return { connectionString: address.href, options: theirs === null ? ours : `${theirs} ${ours}` }
}

/** `int8` as bigint: a number would round it in silence. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === types.builtins.INT8 ? BigInt : types.getTypeParser(oid, format)
}
