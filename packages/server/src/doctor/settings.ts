/** Whether the environment says what this installation needs. */
import { findForeignMasterKey, someKeyUnder } from '../platform/db/inspect.ts'
import { createKeyring } from '../platform/sealed-box/keyring.ts'
import { type Check, fail, ok, type Tools, type Verdict, warn } from './check.ts'

const settings: Check = {
  id: 'settings',
  title: 'Settings',
  look: async ({ config }) =>
    config.notices.length === 0
      ? ok('No variable looks like one that was misspelt.')
      : warn(
          config.notices.join(' '),
          'Rename them, or remove them. The command config shows what is in force.',
        ),
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
    const wrong = await findWrongKey({ config, databases })
    if (wrong !== null)
      return fail(
        `The master key "${wrong}" has other bytes than when it sealed the keys of workspaces.`,
        `Set the former bytes of "${wrong}" again, in every process: a name never gets other bytes. A new key gets a new name.`,
      )
    if (older.length === 0) return ok(`"${first}" opens every workspace.`)
    const [left] = (await missingIn([first])).filter((id) => id !== null)
    if (left === undefined) return ok(`"${first}" opens every workspace; ${older.join(', ')} may go.`)
    return warn(`Some workspaces are still under "${left}".`, 'Run the command keys rotate.')
  },
}

/** One key of each name is tried. */
async function findWrongKey({ config, databases }: Pick<Tools, 'config' | 'databases'>) {
  const keyring = createKeyring(config.masterKeys)
  const tries = databases.shards.flatMap((shard) =>
    config.masterKeys.map(async ({ id }) => {
      const sealed = await shard.as('switchyard_delivery', (db) => someKeyUnder(db, id))
      return sealed === null || keyring.opens(sealed) ? null : id
    }),
  )
  return (await Promise.all(tries)).find((id) => id !== null) ?? null
}

const vault: Check = {
  id: 'vault',
  title: 'Card numbers',
  look: async ({ config }): Promise<Verdict> =>
    ok(
      config.vaultLive
        ? 'Production takes card numbers, from workspaces that have confirmed what that means.'
        : 'Production takes no card numbers: VAULT_LIVE is not set.',
    ),
}

export const settingsChecks = [settings, keys, vault]
