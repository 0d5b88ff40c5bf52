/** Checks what this cell knows about the other cells of the installation. */
import { type ListedCell, listCells } from '../platform/db/cell-directory.ts'
import { type Check, type CheckFinding, fail, listSome, ok, warn } from './check.ts'

const cells: Check = {
  id: 'cells',
  title: 'Other cells',
  run: async ({ config, owner, machine }) =>
    assessCells(await owner.withClient(listCells), config.addresses, machine.time()),
}

type OwnAddresses = { readonly live: string; readonly test: string }

const dayMs = 86_400_000

export function assessCells(known: readonly ListedCell[], own: OwnAddresses, now: Date): CheckFinding {
  if (known.length === 0) return ok('There are no other cells.')
  const looping = known.filter(({ live, test }) =>
    [live, test].some((address) => [own.live, own.test].includes(address)),
  )
  if (looping.length > 0)
    return fail(
      `Other cells have an address of this cell: ${listNames(looping)}.`,
      'Requests for their workspaces are sent back here. Correct the addresses: cells add <name> --live <url> --test <url> --dashboard <url>',
    )
  const old = known.filter(
    ({ importedAt }) => importedAt === null || Number(now) - Number(importedAt) > dayMs,
  )
  if (old.length > 0)
    return warn(
      `The directory is missing or more than a day old: ${listNames(old)}. Newer tokens of these cells get 401 here instead of 421.`,
      'Import it regularly: cells import <name> <file>, with the output of cells export on that cell. See docs/operations/cells.md.',
    )
  return ok(`Known cells: ${listNames(known)}.`)
}

const listNames = (cells: readonly ListedCell[]) => listSome(cells.map(({ name }) => name))

export const cellChecks = [cells]
