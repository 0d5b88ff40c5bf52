/** Whether the card vaults of workspaces can be reached, and accept their credentials. */
import { randomUUID } from 'node:crypto'
import { sampleWorkspaces } from '../platform/db/inspect-tenants.ts'
import { mapConcurrently } from '../platform/map-concurrently.ts'
import { type Check, type CheckFinding, fail, ok } from './check.ts'

/** A check must end in time, and a vault must not receive calls for many workspaces at the same time. */
const [sampledWorkspaces, maxCalls] = [20, 5]

const cardVaults: Check = {
  id: 'card_vaults',
  title: 'Card vaults',
  async run({ databases, checkVault }) {
    const sampled = await Promise.all(
      databases.shards.map((shard) =>
        shard.as('switchyard_due', (db) => sampleWorkspaces(db, randomUUID(), sampledWorkspaces)),
      ),
    )
    const checked = await mapConcurrently(
      maxCalls,
      sampled.flat().slice(0, sampledWorkspaces),
      async (id) => {
        const vault = await checkVault(id)
        return vault === null ? [] : [{ id, fault: vault.fault }]
      },
    )
    return assessVaults(checked.flat())
  },
}

type CheckedVault = { readonly id: string; readonly fault: string | null }

function assessVaults(checked: readonly CheckedVault[]): CheckFinding {
  const faulty = checked.filter(({ fault }) => fault !== null)
  const [first] = faulty
  if (first === undefined)
    return ok(
      `No errors in ${checked.length} card ${checked.length === 1 ? 'vault' : 'vaults'} of other services. Each run checks up to ${sampledWorkspaces} workspaces.`,
    )
  return fail(
    `The card vault of ${faulty.length} of ${checked.length} checked workspaces does not work. ${first.fault}`,
    'Payments with cards in this vault fail until it works. Check the status page of the vault, and its credentials in card_data.vault of GET /workspace; PUT /workspace replaces them.',
    faulty.map(({ id }) => id),
  )
}

export const vaultChecks = [cardVaults]
