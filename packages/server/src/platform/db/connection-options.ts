/** How we connect to Postgres: as which role, and with a limit on everything. */
import { types } from 'pg'

/** Server side: a lost peer or a forgotten transaction must not hold a lock for ever. */
const ours = [
  'statement_timeout=25s',
  'lock_timeout=10s',
  'idle_in_transaction_session_timeout=30s',
  // The stream of events looks back a little longer than this for what is committed late.
  'transaction_timeout=30s',
  'tcp_user_timeout=30s',
  'timezone=UTC',
]

/** Our side: a server that vanished without a word is noticed a little later than it would answer. */
const answerTimeoutMs = 28_000
const connectTimeoutMs = 5_000
const keepAliveAfterMs = 10_000

/**
 * Statements that serve webhook endpoints reach every row by its key. Their plans are kept, and one that was
 * made while a table was empty would read all of it later.
 */
const byKeyOnly = ['enable_seqscan=off', 'enable_hashjoin=off', 'enable_mergejoin=off']

const ofRole: Readonly<Record<string, readonly string[]>> = { switchyard_delivery: byKeyOnly }

/** The role is that of the connection until a transaction asks for another. */
export function connectionOptions(url: string, role = 'switchyard_app') {
  const { connectionString, options } = withOurOptions(url, [`role=${role}`, ...(ofRole[role] ?? [])])
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
export function withOurOptions(
  url: string,
  more: readonly string[],
): { connectionString: string; options: string } {
  const address = new URL(url)
  const theirs = address.searchParams.get('options')
  address.searchParams.delete('options')
  const options = [...more, ...ours].map((setting) => `-c ${setting}`).join(' ')
  return { connectionString: address.href, options: theirs === null ? options : `${theirs} ${options}` }
}

/** `int8` as bigint: a number would round it in silence. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === types.builtins.INT8 ? BigInt : types.getTypeParser(oid, format)
}
