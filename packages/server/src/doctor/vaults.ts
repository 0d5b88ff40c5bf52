/** Whether the card vaults of workspaces can be reached, and accept their credentials. */
import type { Id } from '../kernel/id.ts'
import { workspacesWithVault } from '../platform/db/inspect-tenants.ts'
import { mapConcurrently } from '../platform/map-concurrently.ts'
import { type Check, fail, ok } from './check.ts'

/** A check must end in time, and the vaults must not receive a call from every workspace at the same time. */
const [maxVaults, maxCalls] = [10, 5]

const cardVaults: Check = {
  id: 'card_vaults',
  title: 'Card vaults',
  async run({ databases, checkVault }) {
    const found = await Promise.all(
      databases.shards.map((shard) => shard.as('switchyard_due', (db) => workspacesWithVault(db, maxVaults))),
    )
    const workspaces = found.flat().slice(0, maxVaults)
    if (workspaces.length === 0) return ok('No workspace uses a card vault of another service.')
    const faults = await mapConcurrently(maxCalls, workspaces, async (id) => ({
      id,
      fault: await checkVault(id),
    }))
    return assessVaults(faults)
  },
}

type CheckedVault = { readonly id: Id<'workspace'>; readonly fault: string | null }

function assessVaults(checked: readonly CheckedVault[]) {
  const faulty = checked.filter(({ fault }) => fault !== null)
  const [first] = faulty
  if (first === undefined)
    return ok(`${checked.length} card ${checked.length === 1 ? 'vault' : 'vaults'} checked.`)
  return fail(
    `The card vault of ${faulty.length} of ${checked.length} checked workspaces does not work. ${first.fault}`,
    'Payments with cards in this vault fail until it works. Check the status page of the vault, and its credentials in card_data.vault of GET /workspace; PUT /workspace replaces them.',
    faulty.map(({ id }) => id),
  )
}

export const vaultChecks = [cardVaults]
