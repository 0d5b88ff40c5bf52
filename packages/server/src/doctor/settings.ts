/** Whether the environment says what this installation needs. */
import { findForeignMasterKey } from '../platform/db/inspect.ts'
import { type Check, fail, ok, type Verdict, warn } from './check.ts'

const addresses: Check = {
  id: 'addresses',
  title: 'Addresses',
  look: async ({ config }) => judgeAddresses(config.addresses),
}

const isHere = (url: URL) => ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)

export function judgeAddresses({ live, test }: { readonly live: string; readonly test: string }): Verdict {
  if (live === test)
    return fail(
      `Production and staging have one address, ${live}.`,
      'Set LIVE_BASE_URL and TEST_BASE_URL to two addresses: a test token must never reach production.',
    )
  const bare = [live, test].filter((text) => URL.canParse(text)).map((text) => new URL(text))
  const open = bare.filter((url) => url.protocol !== 'https:' && !isHere(url))
  if (open.length > 0)
    return warn(
      `${open.map(({ origin }) => origin).join(' and ')} can be read on the way.`,
      'Put TLS before it, and set LIVE_BASE_URL and TEST_BASE_URL to https.',
    )
  return ok(`Production at ${live}, staging at ${test}.`)
}

const keys: Check = {
  id: 'keys',
  title: 'Master keys',
  async look({ config, databases }) {
    const known = config.masterKeys.map(({ id }) => id)
    const [first = '', ...older] = known
    const missingIn = (ids: readonly string[]) =>
      Promise.all(
        databases.shards.map((shard) =>
          shard.as('switchyard_delivery', (db) => findForeignMasterKey(db, ids)),
        ),
      )
    const [foreign] = (await missingIn(known)).filter((id) => id !== null)
    if (foreign !== undefined)
      return fail(
        `Some workspaces need the master key "${foreign}", which is not in MASTER_KEYS.`,
        'Add it behind the first one: without it their secrets cannot be read.',
      )
    if (older.length === 0) return ok(`"${first}" opens every workspace.`)
    const [left] = (await missingIn([first])).filter((id) => id !== null)
    if (left === undefined) return ok(`"${first}" opens every workspace; ${older.join(', ')} may go.`)
    return warn(`Some workspaces are still under "${left}".`, 'Run the command keys rotate.')
  },
}

const vault: Check = {
  id: 'vault',
  title: 'Card numbers',
  look: async ({ config }) =>
    ok(
      config.vaultLive
        ? 'Production takes card numbers, from workspaces that have confirmed what that means.'
        : 'Production takes no card numbers: VAULT_LIVE is not set.',
    ),
}

export const settingsChecks = [addresses, keys, vault]
