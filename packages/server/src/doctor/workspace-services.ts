/** Whether services that workspaces have configured can be reached, and accept their credentials: card vaults, tax providers. */
import { randomUUID } from 'node:crypto'
import type { Id } from '../kernel/id.ts'
import { sampleWorkspaces } from '../platform/db/inspect-tenants.ts'
import { mapConcurrently } from '../platform/map-concurrently.ts'
import { type Check, type CheckContext, type CheckFinding, fail, ok } from './check.ts'

/** These limits keep the check short, and limit the number of concurrent calls to a service. */
const [sampledWorkspaces, maxCalls] = [20, 5]

const cardVaults: Check = {
  id: 'card_vaults',
  title: 'Card vaults',
  run: async (tools) =>
    assess(await checkSampled(tools, tools.checkVault), {
      noun: 'card vault',
      ofOthers: ' of other services',
      advice:
        'Payments with cards in this vault fail until it works. Check the status page of the vault, and its credentials in card_data.vault of GET /workspace; PUT /workspace replaces them.',
    }),
}

const taxProviders: Check = {
  id: 'tax_providers',
  title: 'Tax providers',
  run: async (tools) =>
    assess(await checkSampled(tools, tools.checkTaxProvider), {
      noun: 'tax provider',
      ofOthers: '',
      advice:
        'Invoices of this workspace stay drafts until it works. Check the status page of the provider, and the credentials; PUT /tax-provider replaces them.',
    }),
}

type Checked = { readonly id: string; readonly fault: string | null }

async function checkSampled(
  { databases }: CheckContext,
  check: (id: Id<'workspace'>) => Promise<{ readonly fault: string | null } | null>,
): Promise<readonly Checked[]> {
  const sampled = await Promise.all(
    databases.shards.map((shard) =>
      shard.as('switchyard_due', (db) => sampleWorkspaces(db, randomUUID(), sampledWorkspaces)),
    ),
  )
  const checked = await mapConcurrently(maxCalls, sampled.flat().slice(0, sampledWorkspaces), async (id) => {
    const found = await check(id)
    return found === null ? [] : [{ id, fault: found.fault }]
  })
  return checked.flat()
}

type Texts = { readonly noun: string; readonly ofOthers: string; readonly advice: string }

function assess(checked: readonly Checked[], { noun, ofOthers, advice }: Texts): CheckFinding {
  const faulty = checked.filter(({ fault }) => fault !== null)
  const [first] = faulty
  if (first === undefined)
    return ok(
      `No errors in ${checked.length} ${noun}${checked.length === 1 ? '' : 's'}${ofOthers}. Each run checks up to ${sampledWorkspaces} workspaces.`,
    )
  return fail(
    `The ${noun} of ${faulty.length} of ${checked.length} checked workspaces does not work. ${first.fault}`,
    advice,
    faulty.map(({ id }) => id),
  )
}

export const workspaceServiceChecks = [cardVaults, taxProviders]
