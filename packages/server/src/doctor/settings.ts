/** Whether the settings are complete for this installation. */
import { findKeyWrappedBy, findUnlistedMasterKey, lastBinImport } from '../platform/db/inspect.ts'
import { createKeyring } from '../platform/sealed-box/keyring.ts'
import { type Check, type CheckFinding, type DoctorTools, fail, ok, warn } from './check.ts'

const settings: Check = {
  id: 'settings',
  title: 'Settings',
  run: async ({ config }) =>
    config.notices.length === 0
      ? ok('No misspelled variables found.')
      : warn(
          config.notices.join(' '),
          'Rename or remove them. The command config shows the effective settings.',
        ),
}

const cardBins: Check = {
  id: 'card_bins',
  title: 'Card BIN table',
  async run({ databases }) {
    const last = await databases.control.as('switchyard_control', lastBinImport)
    if (last === null || last.prefixes === 0)
      return ok(
        'Empty: country, issuer and funding of cards are unknown. Import a table with the import-bins command.',
      )
    const day = last.importedAt.toISOString().slice(0, 10)
    return ok(`${last.prefixes.toLocaleString('en')} prefixes, imported on ${day}.`)
  },
}

const keys: Check = {
  id: 'keys',
  title: 'Master keys',
  async run({ config, databases }) {
    const configured = config.masterKeys.map(({ id }) => id)
    const [first = '', ...older] = configured
    const unlistedIn = (ids: readonly string[]) =>
      Promise.all(
        databases.shards.map((shard) =>
          shard.as('switchyard_delivery', (db) => findUnlistedMasterKey(db, ids)),
        ),
      )
    const [unlisted] = (await unlistedIn(configured)).filter((id) => id !== null)
    if (unlisted !== undefined)
      return fail(
        `Some workspaces need the master key "${unlisted}", which is not in MASTER_KEYS.`,
        'Add it after the first key: without it the secrets of these workspaces cannot be decrypted.',
      )
    const wrong = await findWrongKey({ config, databases })
    if (wrong !== null)
      return fail(
        `The master key "${wrong}" does not have the value it had when it encrypted workspace keys.`,
        `Restore the previous value of "${wrong}" in every process. The value of a key must never change: give a new key a new name.`,
      )
    if (older.length === 0) return ok(`"${first}" decrypts every workspace.`)
    const [olderId] = (await unlistedIn([first])).filter((id) => id !== null)
    if (olderId === undefined)
      return ok(`"${first}" decrypts every workspace; ${older.join(', ')} can be removed.`)
    return warn(`Some workspaces are still encrypted with "${olderId}".`, 'Run the command keys rotate.')
  },
}

/** Tries to decrypt one workspace key with each master key. */
async function findWrongKey({ config, databases }: Pick<DoctorTools, 'config' | 'databases'>) {
  const keyring = createKeyring(config.masterKeys)
  const results = databases.shards.flatMap((shard) =>
    config.masterKeys.map(async ({ id }) => {
      const sealed = await shard.as('switchyard_delivery', (db) => findKeyWrappedBy(db, id))
      return sealed === null || keyring.canDecrypt(sealed) ? null : id
    }),
  )
  return (await Promise.all(results)).find((id) => id !== null) ?? null
}

const vault: Check = {
  id: 'vault',
  title: 'Card numbers',
  run: async ({ config }): Promise<CheckFinding> =>
    ok(
      config.vaultLive
        ? 'Production accepts card numbers from workspaces that have confirmed the PCI DSS responsibilities.'
        : 'Production does not accept card numbers: VAULT_LIVE is not set.',
    ),
}

export const settingsChecks = [settings, cardBins, keys, vault]
